"""Functions with ``assert``, in a module whose asserts pytest leaves alone."""

# ruff: noqa: UP031

from __future__ import annotations


def asserted(x):
    assert x[0] < 0, f"x[0] is {x[0]}"
    return x


def by_percent(x):
    assert x[0] < 0, "x[0] = %g" % x[0]
    return x


def message_not_made(x):
    n = int(x[0])
    assert n == 0, f"{1 / n}"
    return x


def finally_around_an_assert(x):
    try:
        assert x[0] < 0, "negative"
    finally:
        x[0] = 9.0
    return x
