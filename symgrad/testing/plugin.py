"""A pytest plugin, found by pytest where symgrad is installed: the fixture ``check_grads``.

    def test_loss(check_grads):
        check_grads(loss, (params, x), order=2)

A failure shows the test's line and where the derivatives differ: point, direction, what was
expected and what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ..errors import GradcheckError


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
