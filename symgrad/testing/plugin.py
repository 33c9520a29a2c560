"""A pytest plugin, found by pytest where symgrad is installed: the fixture ``check_grads``, and the
option ``--update-sources`` for ``assert_source_equal``.

    def test_loss(check_grads):
        check_grads(loss, (params, x), order=2)

A failure shows the test's line and where the derivatives differ: point, direction, what was
expected and what came out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ..errors import GradcheckError
from .source import UPDATE


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-sources``."""
    parser.getgroup("symgrad").addoption(
        "--update-sources",
        action="store_true",
        help="write the files that symgrad.testing.assert_source_equal compares with anew",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Pass the option on, to the processes of pytest-xdist too."""
    if config.getoption("--update-sources"):
        os.environ[UPDATE] = "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    """It holds for one run."""
    if config.getoption("--update-sources"):
        os.environ.pop(UPDATE, None)


@pytest.fixture
def check_grads() -> Callable[..., None]:
    """``symgrad.testing.check_grads``."""
    from . import check_grads as check

    def run(fun: Any, args: Sequence[Any], **options: Any) -> None:
        __tracebackhide__ = True
        message = None
        try:
            check(fun, args, **options)
        except GradcheckError as error:
            message = error.message
        if message is not None:
            raise GradcheckError(message)

    return run
