"""Functions that call themselves as often as the data asks for."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.frontend import inline
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)


def newton(x, a, tol):
    if abs(x * x - a) < tol:
        return x
    return newton(0.5 * (x + a / x), a, tol)


def at_the_end(x):
    return newton(x[0], x[1] * 3, tol=1e-9)


def adaptive(a, b, s):
    m = 0.5 * (a + b)
    if b - a < 0.2 * s:
        return math.sin(m * s) * (b - a)
    return adaptive(a, m, s) + adaptive(m, b, s)


def twice_in_a_line(x):
    return adaptive(0.0, 1.0, float(x[0]))


def power(x, e):
    if e < 0.5:
        return 1.0
    y = power(x, e - 1)
    return y * x


def before_the_end(x):
    return power(x[0], x[1] * 8)


def uneven(x, t):
    if x < t:
        return x * x
    left = uneven(x * 0.5, t)
    if left > 0.3:
        return left * x
    right = uneven(x * 0.4, t)
    return left + right * x


def in_branches(x):
    return uneven(x[0] * 4, x[1])


def damped(v, n):
    if np.sum(v) < 0.5:
        return v * n
    return damped(v * 0.6, n + 1.0) + v


def of_arrays(x):
    return damped(x, 0.0)


class Growth:
    def __init__(self):
        self.by = 2.0

    def until_large(self, x):
        if x > 3:
            return x
        return self.until_large(x * self.by) * 0.5


GROWTH = Growth()


def method(x):
    return GROWTH.until_large(x[0])


def collatz(n):
    if n == 1:
        return 0
    if n % 2 == 0:
        return 1 + collatz(n // 2)
    return 1 + collatz(3 * n + 1)


def of_ints(x):
    return x * collatz(int(x[0] * 10) + 20)


def inner_function(x):
    def inner(v, d):
        if v * d > 2:
            return v
        return inner(v + x[1], d) * d

    return inner(x[0], 1.1)


def halved(x, t=0.1):
    return x if x < t else halved(x * 0.5) + x


def defaults(x):
    return halved(x[0])


def bisected(f, a, b):
    m = 0.5 * (a + b)
    if b - a < 1e-6:
        return m
    if f(m) * f(a) < 0:
        return bisected(f, a, m)
    return bisected(f, m, b)


FUNCTIONS = [
    at_the_end, twice_in_a_line, before_the_end, in_branches, of_arrays, method, of_ints,
    inner_function, defaults,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    alike(f, X)
    check_grads(lambda x: np.sum(np.sin(f(x))), (X,), order=1)


def test_second_order():
    check_grads(in_branches, (X,))


def test_a_function_is_passed_on():
    alike(lambda x: bisected(lambda v: v**3 - x[0], 0.0, 2.0), X)


def in_a_loop(x):
    for i in range(3):
        if x > i:
            return in_a_loop(x - 1) * 2
    return x


def branching(x):
    total = 0.0
    for i in range(3):
        if x * i > 0.3:
            total += branching(x * (i + 1) * 0.25)
        elif i == 1:
            continue
        else:
            total += x * x
    return total


def while_loop(x):
    total, k = 0.0, 0
    while k < 2:
        k += 1
        if x < 0.3:
            total += x * x
            break
        total += while_loop(x * 0.4) * k
    else:
        total += x
    return total


def over_parts(x):
    if x < 0.2:
        return x * x
    total = 0.0
    for i, (a, b) in enumerate(zip((0.5, 0.3), (1.0, 2.0), strict=False)):
        total += over_parts(x * a) * b + i
    for c in [0.4, x * 0.1]:
        total -= over_parts(c * x)
    return total + sum([over_parts(x * a) for a in (0.2, 0.1)])


def lazily(x):
    return x * (2.0 if x < 0.1 else lazily(x * 0.5)) + 1.0


def short_circuit(x):
    if x < 0.01 or short_circuit(x * 0.25) > 0.5:
        return x * 2.0
    return x + 0.1


def chained(x):
    return x if x < 0.1 or 0.0 < x < chained(x * 0.5) < 1.0 else x * 3.0


def in_order(a, i):
    if i >= 3:
        return a[0]
    a[i] = a[i] * 2
    return a[i] + in_order(a, i + 1) * a[0]


def quietly(x):
    with np.errstate(all="ignore"):
        if x < 0.2:
            return x * x
        return quietly(x * 0.5) + 1.0


def even(x):
    return x if x < 1 else odd(x - 1) * 2


def odd(x):
    return x * 3 if x < 1 else even(x - 1) + x


def first(x):
    return x if x < 0.1 else second(x * 0.7) + x


def second(x):
    return x * 2 if x < 0.2 else third(x * 0.7, x) * x


def third(x, y, z=1.5):
    return x * 3 if x < 0.3 else first(x * 0.7) + y * z + second(x * 0.2)


class Pair:
    def __init__(self, k):
        self.k = k

    def up(self, x):
        return x if x < 0.1 else self.down(x * 0.5) + 1

    def down(self, x):
        return self.up(x * 0.9) * self.k


def methods(x):
    return Pair(x).up(x)


def simpson(x):
    def f(t):
        return np.exp(-t * t * x) * np.sin(3 * t)

    def go(a, b, fa, fm, fb, whole, eps):
        m = 0.5 * (a + b)
        fl, fr = f(0.5 * (a + m)), f(0.5 * (m + b))
        left, right = (m - a) / 6 * (fa + 4 * fl + fm), (b - m) / 6 * (fm + 4 * fr + fb)
        if abs(left + right - whole) <= 15 * eps:
            return left + right
        return go(a, m, fa, fl, fm, left, eps / 2) + go(m, b, fm, fr, fb, right, eps / 2)

    ends = f(0.1), f(0.7), f(1.3)
    return go(0.1, 1.3, *ends, 0.2 * (ends[0] + 4 * ends[1] + ends[2]), 1e-3)


def scalar(f):
    return pytest.param(lambda x: f(float(x[0]) * 4), id=f.__name__)


CUT = [
    *map(scalar, (in_a_loop, branching, while_loop, over_parts, lazily, short_circuit)),
    *map(scalar, (chained, quietly, even, first, methods)),
    pytest.param(simpson, id="simpson"),
]


@pytest.mark.parametrize("f", CUT)
def test_calls_anywhere(f):
    x = X if "simpson" not in f.__name__ else 1.2
    alike(f, x)
    check_grads(f, (x,), order=1)


def refined(a, b, depth=0):
    m = 0.5 * (a + b)
    if depth > 9 or b - a < 0.2:
        return np.sin(m) * (b - a)
    return refined(a, m, depth + 1) + refined(m, b, depth + 1)


def test_a_limit_to_the_depth_is_not_written_out():
    """It would be 2**10 calls."""
    check_grads(lambda x: refined(0.0, x), (1.2,), order=1)
    compiled = sg.compile(lambda x: refined(0.0, x))
    assert compiled(1.2) == refined(0.0, 1.2)
    assert len(compiled.source.splitlines()) < 60


def grown(levels, number=1):
    if levels == 0:
        return (0.1 * number,)
    return (number % 6, grown(levels - 1, 2 * number), grown(levels - 1, 2 * number + 1))


TREE = grown(3)


def decided(node, x):
    if len(node) == 1:
        return node[0] * x[0]
    place, low, high = node
    if x[place] < 0.5:
        return decided(low, x)
    return decided(high, x) + x[place] ** 2


def test_a_tree_that_is_known_is_written_out(monkeypatch):
    monkeypatch.setattr(inline, "MANY", 4)
    compiled = sg.value_and_grad(lambda x: decided(TREE, x))
    value, gradient = compiled(X)
    assert value == decided(TREE, X)
    assert gradient.shape == X.shape
    assert "while" not in compiled.source


def paired(x, low, high):
    if high - low == 1:
        return {"total": x[low], "parts": []}
    middle = (low + high) // 2
    parts = [paired(x, low, middle), paired(x, middle, high)]
    return {"total": parts[0]["total"] * np.sin(parts[1]["total"]), "parts": parts}


def nested(x, indices):
    if len(indices) == 1:
        return (x[indices[0]], ())
    half = len(indices) // 2
    left, right = nested(x, indices[:half]), nested(x, indices[half:])
    return (left[0] * np.cos(right[0]), (left, right))


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def bezier(x, t=0.3):
    n = len(x) - 1
    return sum(binomial(n, k) * t**k * (1 - t) ** (n - k) * x[k] for k in range(n + 1))


BY_LENGTHS = {
    "a tree of dicts": lambda x: paired(x, 0, len(x))["total"],
    "a tree over lists": lambda x: nested(x, list(range(len(x))))[0],
    "numbers": bezier,
}


@pytest.mark.parametrize("name", BY_LENGTHS)
def test_lengths_decide_how_deep_it_goes_and_it_cannot_be_a_loop(name):
    f = BY_LENGTHS[name]
    alike(f, X)
    check_grads(f, (X,), order=1)


def test_the_order_of_evaluation():
    alike(lambda a: in_order(a, 0), X)


def sorted_by_hand(a):
    if len(a) <= 1:
        return a
    p = a[0]
    return np.concatenate([sorted_by_hand(a[a < p]), a[a == p], sorted_by_hand(a[a > p])])


def test_lengths_that_data_decides():
    alike(sorted_by_hand, X)


def not_all_given(x, t=None):
    return x if x < 0.1 else not_all_given(*[x * 0.5])


def in_a_lambda(x):
    if x < 0.1:
        return x
    return (lambda y: in_a_lambda(y) * 2)(x * 0.5)


def in_a_try(x):
    try:
        return x if x < 0.1 else in_a_try(x * 0.5)
    finally:
        print("done")


REFUSED = [
    (not_all_given, "calls itself with `\\*` or"),
    (in_a_lambda, "inside a function or a dict"),
    (in_a_try, "inside a block"),
]


@pytest.mark.parametrize(("f", "word"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_refused(f, word):
    with pytest.raises(errors.UnsupportedFunctionError, match=word) as caught:
        sg.compile(lambda x: f(x[0] * 5))(X)
    assert caught.value.filename == __file__


def quick(a):
    if len(a) <= 1:
        return a
    rest = a[1:]
    return np.concatenate([quick(rest[rest < a[0]]), a[:1], quick(rest[rest >= a[0]])])


def smaller(a):
    if len(a) <= 1:
        return a
    left = smaller(a[a < a[0] + 0.1 * a[-1]][1:])
    return np.concatenate([left * a[0], a[:1]])


@pytest.mark.parametrize("f", [quick, smaller])
def test_arrays_whose_lengths_depend_on_the_data(f):
    x = np.array([0.5, 0.2, 0.9, 0.4, 0.7])
    weighted = lambda a: np.sum(f(a) * np.arange(1.0, len(f(a)) + 1) ** 2)  # noqa: E731
    alike(f, x)
    check_grads(weighted, (x,), 1)
