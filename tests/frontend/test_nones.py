"""Names, attributes and results that are None on some ways only."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.lowered import same

X = np.array([1.0, 2.0, 3.0])


def before_a_try(x: Any) -> Any:
    y = None
    try:
        y = math.sqrt(x[0] - 2.0)
    except ValueError:
        x = x * 2
    if y is None:
        y = x[1] * 5
    return y * x[2]


def smallest(x: Any, n: Any) -> Any:
    best = None
    for k in range(n):
        v = np.sum(np.sin(x * k))
        if best is None or v < best[0]:
            best = (v, k, x * k)
    return 0.0 if best is None else np.sum(best[2] * best[0])


def two_of_them(x: Any) -> Any:
    a = b = None
    for v in x:
        if a is None or v > a:
            b, a = a, v
        elif b is None or v > b:
            b = v
    return a * b


def before_a_while(x: Any, n: Any) -> Any:
    previous, k = None, 0
    while k < n:
        now = x * k
        if previous is not None and np.sum(np.abs(now - previous)) > 100.0:
            break
        previous = now
        k += 1
    return np.sum(previous * x)


def until_it_settles(x: Any) -> Any:
    old, new = None, x
    while old is None or np.max(np.abs(new - old)) > 1e-9:
        old, new = new, np.cos(new) * 0.9
    return np.sum(new * x)


def with_a_list(x: Any) -> Any:
    old, new, steps = None, x, []
    while old is None or np.max(np.abs(new - old)) > 1e-6:
        old, new = new, np.cos(new) * 0.9
        steps.append(np.sum(new - old))
    return np.sum(new * x) + steps[1] * len(steps)


def until_it_is_found(x: Any) -> Any:
    root, k = None, 0
    while root is None:
        k += 1
        if np.sum(x) * k > 20:
            root = np.sum(x * x) * k
    return root


def set_back(x: Any) -> Any:
    start, total = None, 0.0
    for i in range(len(x)):
        if x[i] > 1.5:
            if start is None:
                start = i
        else:
            start = None
    if start is not None:
        total += x[start]
    return total


def skips(x: Any) -> Any:
    last, total = None, 0.0
    for v in x:
        if v < 1.5:
            continue
        if last is None:
            last = v
            continue
        total += (v - last) ** 2
        last = v
    return total


@dataclass
class Tracker:
    best: Any = None
    at: Any = None

    def see(self, k: Any, v: Any) -> None:
        if self.best is None or v > self.best:
            self.best, self.at = v, k


def attributes(x: Any, n: Any) -> Any:
    seen = Tracker()
    for k in range(n):
        v = np.sum(np.sin(x * k))
        if v > 0.2:
            seen.see(k, v)
    if seen.best is None:
        return 0.0
    return seen.best * seen.at


def entries(x: Any, n: Any) -> Any:
    state = {"best": None}
    for k in range(n):
        v = np.sum(np.sin(x * k))
        if v > 0.2 and (state["best"] is None or v > state["best"]):
            state["best"] = v
    return state["best"] * 2 if state["best"] is not None else 0.0


def first_above(x: Any, t: Any) -> Any:
    for v in x:
        if v > t:
            return v * 2
    return None


def comes_to_its_end(x: Any, t: Any) -> Any:  # noqa: RET503
    for v in x:
        if v > t:
            return v * 2


def helpers(x: Any) -> Any:
    found = [f(x, t) for f in (first_above, comes_to_its_end) for t in (1.5, 10.5)]
    total = 0.0
    for value, weight in zip(found, (1.0, 2.0, 3.0, 4.0), strict=True):
        if value is not None:
            total += value * weight
        else:
            total -= weight * x[0]
    return total


def walrus(x: Any) -> Any:
    total = 0.0
    for t in x:
        if (v := first_above(x, t)) is not None:
            total += v
    return total


def truths(x: Any, n: Any) -> Any:
    y = None
    if n > 2:
        y = np.sum(x)
    z = y or x[0]
    number = 1.0 if isinstance(y, float) else 2.0
    return (z if not y else y * z) * number * (3.0 if y == x[1] else 1.0)


def changed_by_the_test(x: Any, n: Any) -> Any:
    y = x[0] * 2 if n > 2 else None
    z = x[1] * 5 if n > 5 else None

    def reset() -> bool:
        nonlocal y
        y = z
        return True

    if y is not None and reset():
        return x[2] if y is None else y
    return x[0]


def stored_into_one_that_is_there(x: Any, n: Any) -> Any:
    kept = np.zeros(3)
    y = kept if n > 2 else None
    kept[0] = x[0]
    if y is not None:
        y[1] = x[1] * kept[0]
    kept[2] = x[2]
    return np.sum(kept**2) + (0.0 if y is None else y[2])


def stored_through(x: Any, n: Any) -> Any:
    part = None
    if n > 2:
        part = x[1:]
    if part is not None:
        part[0] = 7.0 * x[0]
    return np.sum(x**2)


CASES: list[tuple[Any, ...]] = [
    (before_a_try, X),
    (before_a_try, X + 3.0),
    (smallest, X, 4),
    (smallest, X, 0),
    (two_of_them, X),
    (before_a_while, X, 4),
    (until_it_settles, X),
    (with_a_list, X),
    (until_it_is_found, X),
    (set_back, X),
    (skips, X),
    (attributes, X, 4),
    (attributes, X * 0, 4),
    (entries, X, 4),
    (helpers, X),
    (walrus, X),
    (truths, X, 1),
    (truths, X, 3),
    (changed_by_the_test, X, 1),
    (changed_by_the_test, X, 3),
    (changed_by_the_test, X, 7),
    (stored_into_one_that_is_there, X, 1),
    (stored_into_one_that_is_there, X, 3),
    (stored_through, X, 3),
    (stored_through, X, 1),
]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{c[0].__name__}{i}" for i, c in enumerate(CASES)]
)
def test_as_in_python(case: Any) -> None:
    f, x, *rest = case
    mine, other = x.copy(), x.copy()
    same(sg.compile(f)(mine, *rest), f(other, *rest), types=False)
    same(mine, other)
    check_grads(lambda v: f(v * 1.0, *rest), (x,), order=1)


@pytest.mark.parametrize("f", [first_above, comes_to_its_end])
def test_what_is_returned_may_be_none(f: Any) -> None:
    compiled = sg.compile(f)
    assert compiled(X, 1.5) == 4.0
    assert compiled(X, 9.0) is None
    assert sg.compile(lambda x, t: (x, [f(x, t)]))(X, 9.0)[1] == [None]
    assert compiled.lower(X, 9.0).source.rstrip().endswith("else None")


def test_arguments_and_objects_from_outside() -> None:
    def f(seen: Any, x: Any) -> Any:
        for k in range(len(x)):
            if x[k] > 1.5:
                seen.see(k, x[k])
        return seen.best

    mine, other = Tracker(), Tracker()
    assert sg.compile(f)(copy.copy(mine), X) == f(copy.copy(other), X)
    compiled = sg.compile(lambda x: f(mine, x))
    for x in (X * 0.1, X, X * 2):
        assert compiled(x) == f(other, x)
        assert mine == other


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda y: y * 2, TypeError),
        (lambda y: y[0], TypeError),
        (lambda y: y.shape, AttributeError),
        (lambda y: -y, TypeError),
        (lambda y: np.sin(y), TypeError),
        (lambda y: y < 3.0, TypeError),
        (lambda y: [v for v in y], TypeError),  # noqa: C416
    ],
)
def test_none_is_no_value(use: Any, error: Any) -> None:
    def f(x: Any, t: Any) -> Any:
        y = None
        for v in range(3):
            if x[v] > t:
                y = x * v
        return use(y)

    for g in (f, sg.compile(f)):
        with pytest.raises(error):
            g(X, 9.0)


@pytest.mark.parametrize(
    "some",
    [
        lambda x, n: x[: n if n < 0 else None],
        lambda x, n: x[slice(n if n > 0 else None, None, -1)],
        lambda x, n: x[:: n if n > 0 else None],
        lambda x, n: x[: 2 if x[0] > 1.5 else None],
        lambda x, n: x[2 if x[0] > 1.5 else None :: -1],
        lambda x, n: x[: 1 if x[0] > 1.5 else None : -1],
        lambda x, n: x[: len(x) - 2 if len(x) > 2 else None],
    ],
)
def test_bounds_of_slices(some: Any) -> None:
    compiled = sg.compile(some)
    for x in (X, 0.5 * X, X[:2]):
        for n in (-1, 0, 2):
            np.testing.assert_array_equal(compiled(x, n), some(x, n))
    slope = sg.grad(lambda x: np.sum(some(x, -1)))(X)
    np.testing.assert_array_equal(slope, np.isin(X, some(X, -1)).astype(float))


def test_nothing_to_differentiate() -> None:
    with pytest.raises(TypeError, match="None"):
        sg.grad(first_above)(X, 9.0)
    np.testing.assert_array_equal(sg.grad(first_above)(X, 1.5), [0.0, 2.0, 0.0])


def test_refusals() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="behind a test"):
        sg.compile(lambda x: print(f"found {first_above(x, 9.0)}"))(X)
    pair = sg.vmap(lambda x, t: (first_above(x, t), x[0]), in_axes=(0, None))
    with pytest.raises(UnsupportedSyntaxError, match="some of the examples"):
        pair(np.stack([X, 2 * X]), 4.0)

    def entry_by_entry(x: Any) -> Any:
        y = x if x[0] > 3.0 else None
        return y == None  # noqa: E711

    with pytest.raises(UnsupportedSyntaxError, match="entry by entry"):
        sg.compile(entry_by_entry)(X)
