"""Options and fixtures for all tests."""

from __future__ import annotations

import difflib
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).parent / "golden"

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("symgrad", deadline=None, derandomize=True)
settings.load_profile("symgrad")
os.environ.setdefault("MPLBACKEND", "Agg")

# What is being compiled is many objects that refer to each other and are not dead yet: to look
# through them at every 700th one takes a tenth of the time of all tests.
gc.set_threshold(50_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected generated code anew instead of comparing with it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)``: ``text`` is what ``tests/golden/<name>`` holds."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(text)
            return
        expected = path.read_text() if path.exists() else ""
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(),
                text.splitlines(),
                f"golden/{name}",
                "now",
                lineterm="",
            )
            pytest.fail("\n".join([*lines, "(make golden writes the files anew)"]), False)

    return check
