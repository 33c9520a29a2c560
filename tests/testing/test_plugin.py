"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import numpy as np

def right(x):
    return np.sin(x)

def steep(x):
    return np.sign(x)

def test_right(check_grads):
    check_grads(right, (np.array([0.3, 1.0]),))

def test_wrong(check_grads):
    check_grads(steep, (np.array([1e-9, 1.0]),), order=1, modes=("rev",))
"""


def test_fixture(pytester: pytest.Pytester) -> None:
    installed = any(p.name == "symgrad" for p in entry_points(group="pytest11"))
    pytester.makepyfile(TESTS)
    options = [] if installed else ["-p", "symgrad.testing.plugin"]
    found = pytester.runpytest_inprocess(*options, "-p", "no:cacheprovider")
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(
        [
            ">*check_grads(steep*",
            "E*reverse mode, gradient along the direction is not what differences say",
            "E*expected:*",
            "E*got:*",
            "E*point x = *",
            "E*direction x = *",
        ]
    )
    found.stdout.no_fnmatch_line("*check_grads.py*: GradcheckError")


SOURCES = """
from symgrad.testing import assert_source_equal

def test_source():
    assert_source_equal("x = 1", __import__("pathlib").Path("expected.py"))
"""


def test_sources_are_updated_on_request(pytester: pytest.Pytester) -> None:
    installed = any(p.name == "symgrad" for p in entry_points(group="pytest11"))
    pytester.makepyfile(SOURCES)
    options = [
        *([] if installed else ["-p", "symgrad.testing.plugin"]),
        "-p",
        "no:cacheprovider",
    ]
    pytester.runpytest_inprocess(*options).assert_outcomes(failed=1)
    pytester.runpytest_inprocess(*options, "--update-sources").assert_outcomes(passed=1)
    assert (pytester.path / "expected.py").read_text() == "x = 1"
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=1)
