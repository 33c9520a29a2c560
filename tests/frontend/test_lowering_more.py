# ruff: noqa: B007, C416, RET504
"""Less common code, and what is refused: class, line and advice of each error."""

from __future__ import annotations

import linecache
import math
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from symgrad import errors
from symgrad.frontend import ArgLeaf, Request, lower
from symgrad.ir.types import ArrayType
from tests.frontend.lowered import check, lowered, run

X = np.arange(12.0).reshape(4, 3) / 7 - 0.3
V = np.array([0.5, -1.5, 2.0, 0.25])


class Layer(NamedTuple):
    w: Any
    b: Any

    def apply(self, x):
        return np.tanh(x @ self.w + self.b)


@dataclass
class State:
    u: Any
    count: int = 0

    def advance(self, by):
        self.u = self.u + by
        self.count += 1
        return self


class Model:
    def __init__(self):
        self.scale = 2.0
        self.weights = [np.ones(3), np.arange(3.0)]

    def __call__(self, x):
        for w in self.weights:
            x = self.step(x, w)
        return x

    def step(self, x, w):
        return x * w * self.scale

    @property
    def size(self):
        return len(self.weights)

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def name(cls):
        return cls.__name__


MODEL = Model()


def heat(u0, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
    return 0.5 * np.sum(u**2)


def layers(x, n):
    net = [Layer(np.eye(3), 0.1), Layer(np.ones((3, 2)), np.zeros(2))]
    for layer in net[:n]:
        x = layer.apply(x)
    return x


def state(x, n):
    s = State(x)
    for _ in range(n):
        s.advance(0.5)
    return s.u, s.count


def model(x, n):
    return MODEL(x) + MODEL.size + MODEL.half(x), MODEL.name()


def searches(x, n):
    for i in range(len(x)):
        for j in range(n):
            if x[i, j] > 0.2:
                return i * 10 + j
            if x[i, j] < -0.25:
                break
        else:
            continue
        if i > 2:
            break
    return -1


def validated(x, n):
    assert x.ndim == 2, "rank"
    if n < 0:
        raise ValueError(f"n is negative: {n}")
    assert n > 0
    return x * n


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def grows(x, n):
    y = x[:1]
    for i in range(n):
        y = np.concatenate([y, x[:1] + i])
    return y


def tuples(x, n):
    carry = (x, 0.0)
    for i in range(n):
        a, s = carry
        carry = (a * 0.5, s + a[0, 0])
    return carry


def dicts(x, n):
    params = {"w": x, "b": 0.5}
    for _ in range(n):
        grads = {k: v * 0.1 for k, v in params.items()}
        params = {k: params[k] - grads[k] for k in params}
    return params["w"], params["b"]


def chosen_list(x, n):
    return [x, x + 1, x + 2][n]


def comprehended(x, n):
    return sum([x[0] * k for k in range(n)]), max(k for k in (1, n, 2))


def closures(x, n):
    def make(k):
        return lambda v: v * k

    fs = [make(k) for k in range(3)]
    return fs[1](x) + fs[2](x)


def recursive(x, n):
    def power(v, k):
        return v if k == 0 else v * power(v, k - 1)

    return power(x, 3)


def flagged(x, n):
    done = False
    s = 0.0
    i = 0
    while not done and i < 10:
        s += x[i % 4, 0]
        i += 1
        if s > 1 or i >= n:
            done = True
    return s, i


def temp_in_loop(x, n):
    s = 0.0
    for i in range(n):
        if i % 2:
            t = x[i % 4]
            s += t[0]
        else:
            t = i * 2.0
            s += t
    return s


def whiles(x, n):
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        x = x + 0.5
    return x, n


def scalar_math(x, n):
    s = 0.0
    for k in range(1, n + 1):
        s += math.sin(k) / k
    return s


def late_return(x, n):
    for row in x:
        if row[0] > n - 3:
            y = row * 2
            return y
        if row[1] > 100:
            return row
    return x[0] - 1


def chained(x, n):
    i = 0
    while 0 <= i < len(x) and -1 < x[i, 0] < x[i, 1] < 10 and i < n:
        i += 1
    return i


def sums_from_zero(x, n):
    total = 0
    for row in x:
        total = total + row * n
    return total


def best_of(x, n):
    best = None
    where = -1
    for i in range(len(x)):
        if best is None or x[i, n] > best:
            best = x[i, n]
            where = i
    return best, where


OTHERS = [
    sums_from_zero,
    best_of,
    layers,
    state,
    model,
    searches,
    validated,
    fibonacci,
    grows,
    tuples,
    dicts,
]
OTHERS += [chosen_list, comprehended, closures, recursive, flagged, temp_in_loop, whiles]
OTHERS += [scalar_math, late_return]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("f", [heat, *OTHERS], ids=lambda f: f.__name__)
def test_same_as_python(f, n):
    check(f, X, n, types=f is not temp_in_loop)


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize(
    "f",
    [searches, fibonacci, flagged, whiles, late_return, temp_in_loop],
    ids=lambda f: f.__name__,
)
def test_more_rounds(f, n):
    check(f, X, min(n, 3) if f is searches else n, types=f is not temp_in_loop)


def test_a_sum_from_zero_needs_a_round():
    with pytest.raises(ValueError, match="at least once"):
        run(sums_from_zero, np.ones((0, 3)), 1)


def test_checks_are_kept():
    with pytest.raises(ValueError, match="n is negative"):
        run(validated, X, -1)
    with pytest.raises(AssertionError):
        run(validated, X, 0)


def test_an_int_used_as_an_axis_is_specialised():
    def f(x, axis):
        return np.sum(x, axis=axis)

    check(f, X, 1)


# -------------------------------------------------------------------------------- refused
def truth_of_array(x, s):
    if x > 0:
        return x
    return s


def unknown_function(x, s):
    return np.busday_count(x, s)


def endless(x, s):
    return endless(x, s) + 1


def no_format(x, s):
    return f"{s}"


def not_defined(x, s):
    return x + undefined_name  # noqa: F821


def no_error(x, s):
    if s > 0:
        raise s
    return x


def wrong_call(x, s):
    return np.sum(x, nonsense=1)


def cannot_iterate(x, s):
    return [v for v in s]


def shapes_differ(x, s):
    return np.zeros(3) + np.ones(4)


@pytest.mark.parametrize(
    ("f", "error", "text", "line"),
    [
        (truth_of_array, errors.UnsupportedSyntaxError, "any", "if x > 0"),
        (unknown_function, errors.UnsupportedFunctionError, "busday_count", "return np"),
        (endless, errors.UnsupportedFunctionError, "calls itself", "return endless"),
        (no_format, errors.UnsupportedSyntaxError, "outside", "def no_format"),
        (not_defined, errors.UnboundVariableError, "undefined_name", "return x"),
        (no_error, errors.UnsupportedSyntaxError, "no class of exceptions", "raise"),
        (wrong_call, errors.CallError, "nonsense", "return np"),
        (cannot_iterate, errors.UnsupportedSyntaxError, "iterated", "return ["),
        (shapes_differ, errors.ShapeError, "3", "return np.zeros"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_refusals_name_the_line(f, error, text, line):
    with pytest.raises(error, match=text) as caught:
        run(f, X, 0.5)
    assert caught.value.span is not None
    assert caught.value.span.text.startswith(line)
    assert "^" in str(caught.value)


def calls_for_lines(n):
    """How many Python calls lowering makes for a function of ``n`` statements."""
    lines = "\n".join(f"    x{i} = x{i - 1} * 2.0 + x0" for i in range(1, n))
    text = f"def f(x0):\n{lines}\n    return x{n - 1}\n"
    name = f"<lines {n}>"
    scope: dict[str, Any] = {}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    leaf = ArgLeaf(ArrayType(np.dtype(float), (3,)), "x0")
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        lower(Request("compile", scope["f"]), (leaf,), {})
    finally:
        sys.setprofile(None)
    return count


def test_work_is_linear_in_the_number_of_statements():
    calls_for_lines(10)
    assert calls_for_lines(800) < 4.4 * calls_for_lines(200)


def test_the_ir_of_a_loop_is_as_short_as_the_loop():
    found, _ = lowered(fibonacci, X, 3)
    [loop] = [op for op in found.function.block.ops if op.name == "for"]
    assert [op.name for op in loop.regions[0].ops] == ["add"]
