"""Every part of an expression or statement is evaluated as often as in Python, in its order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([1.5, -0.5, 2.5, 0.25])


class Log:
    """Notes what is evaluated: ``log(3)`` is 3."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.x = 0.0

    def __call__(self, value: Any) -> Any:
        self.seen.append(value)
        return value

    def add(self, value: Any) -> Any:
        self.x += value
        self.seen.append(value)
        return self

    @property
    def noted(self) -> Any:
        self.seen.append(-1)
        return self

    def keep(self, *values: Any) -> None:
        self.seen.extend(values)


def chained(x: Any, log: Any) -> Any:
    log.add(x[0]).add(2).add(x[1])


def chained_in_a_loop(x: Any, log: Any) -> Any:
    for v in x:
        log.add(v).add(2 * v)


def through_a_property(x: Any, log: Any) -> Any:
    log.noted.keep(1, 2)
    log.noted.noted.add(3)


def of_an_array(x: Any, log: Any) -> Any:
    log.add(1).keep(x.sum())
    x[log(0) :].sort()
    x[: log(2)].fill(log(3))


def augmented(x: Any, log: Any) -> Any:
    x[log(1)] += log(2)
    log.add(1).x *= log(3)
    x[log(0) : log(2)][log(1)] -= 1


def assigned(x: Any, log: Any) -> Any:
    x[log(1)], log.add(1).x = log(2), log(3)
    a = b = log(4)
    x[log(0)] = (c := log(5)) + a + b + c


def compared(x: Any, log: Any) -> Any:
    if log(1) < log(2) < log(3) and not log(0) or log(7):
        log(8)
    assert log(1) < log(2), log("never")
    return 1 if log(1) == log(1) else log(9)


def compared_at_run_time(x: Any, log: Any) -> Any:
    if x[log(0)] < log(2) < log(3):
        x[log(1)] = log(8)
    return x[log(0)] if x[log(2)] > log(1) else x[log(3)]


def looped(x: Any, log: Any) -> Any:
    for i in range(log(1), log(3)):
        log(i)
    while len(log.seen) < 6:
        log(0)
    for v in x[log(1) :]:
        x[0] += v
    return [log(i) for i in range(log(2)) if log(i) < 1]


def matched(x: Any, log: Any) -> Any:
    match log(2):
        case 1:
            log(10)
        case n if n > log(1):
            log(n)
    return f"{log(1)}"


def called(x: Any, log: Any) -> Any:
    def inner(a: Any, b: Any = log(1), *c: Any, **d: Any) -> Any:  # noqa: B008
        return log(a)

    named = {"k": log(5)}
    inner(log(2), *[log(3), log(4)], **named)
    inner(log(6), b=log(7))
    return np.full(log(2), log(1.5)).sum() + np.maximum(log(1), log(2))


def deleted(x: Any, log: Any) -> Any:
    kept = {1: 2, 3: 4}
    del kept[log(1)]
    kept[log(3)] += 1
    with np.errstate(all="ignore"):
        log(len(kept))
    try:
        log(1)
        raise ValueError(log(2))
    except ValueError as error:
        log(error.args[0])
    finally:
        log(3)


PROGRAMS: list[Callable[[Any, Any], Any]] = [
    chained, chained_in_a_loop, through_a_property, of_an_array, augmented, assigned, compared,
    compared_at_run_time, looped, matched, called, deleted,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_often_as_in_python(f: Callable[[Any, Any], Any]) -> None:
    def logged(x: Any) -> Any:
        log = Log()
        result = f(x, log)
        return result, log.x, list(log.seen)

    ours, theirs = X.copy(), X.copy()
    expected = logged(theirs)
    assert repr(sg.compile(logged)(ours)) == repr(expected)
    np.testing.assert_array_equal(ours, theirs)
