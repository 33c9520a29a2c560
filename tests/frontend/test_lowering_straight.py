# ruff: noqa: B905, C416, RET504
"""Straight-line code: assignments, operators, calls, containers."""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.frontend.lowered import check

X = np.arange(6.0).reshape(2, 3) / 7 - 0.3
Y = np.arange(3.0) + 0.5
SCALE = 2.5
TABLE = {"a": np.arange(3.0), "b": 3}

Pair = namedtuple("Pair", "left right")


@dataclass
class Point:
    x: Any
    y: Any = 2.0

    def norm(self):
        return np.sqrt(self.x**2 + self.y**2)

    @property
    def total(self):
        return self.x + self.y


def arithmetic(x, y):
    """A docstring."""
    a = x * 2 + y
    b = a / 3 - y**2
    c = -b // 2
    return c % 5, +a, b @ y


def targets(x):
    a, (b, *c) = x, (1, 2, 3)
    d = e = a + b
    f: float = 2.0
    f += 1
    (g,) = [d]
    return a, b, c, d, e, f, g


def shapes(x):
    n, d = x.shape
    return x.sum() / n, len(x) * d, x.T.shape[0] + x.ndim, x.size


def comparisons(x):
    return 0 < x.sum() < 5, x > 0, x.ndim == 2, "a" in ("a", "b"), x is None, not x.ndim


def helper(x, *args, scale=1.0, **kwargs):
    return x * scale + sum(args) + kwargs.get("shift", 0)


def calls(x):
    half = functools.partial(helper, scale=0.5)
    nested = lambda v, k=3: v * k  # noqa: E731

    def inner(v):
        return v + x

    return (
        helper(x),
        helper(x, 1, 2, scale=3),
        half(x, shift=1),
        nested(x),
        inner(x),
        inner(*[x]),
    )


def containers(x):
    xs = [x, x + 1]
    xs.append(x + 2)
    d = {"k": xs[0], "j": 2}
    d["n"] = xs.pop()
    d.update(m=1)
    t = tuple(v * 2 for v in xs)
    return xs, d, t, [k for k in d], {k: v for k, v in d.items() if k != "k"}


def records(x):
    p = Point(x)
    p.y = p.y + 1
    q = Pair(x, right=2)
    return p.norm(), p.total, q.left * q.right, q, p


def captured(x):
    return x * SCALE + TABLE["a"] + TABLE["b"]


def scalars(x, n):
    return math.sin(x) * n, x**2, n // 2, n % 3, x + n, float(n), int(x), abs(x), min(x, n)


def formatted(x):
    names = [f"w{i:02d}" for i in range(2)]
    d = dict(zip(names, (x, x + 1)))
    return d


def types(x, s):
    checks = (isinstance(x, np.ndarray), isinstance(s, float), isinstance(s, (int, str)))
    return checks, type(s) is float, x.dtype == np.float64


def ternary(x):
    return x if x.ndim == 2 else x + 1


def slices(x, n):
    return (
        x[:, 1:],
        x[0],
        x[..., -1],
        x[:n],
        x[0, n],
        x[x > 0],
        x[[0, 1], [1, 2]],
        x[:, None],
    )


def imported(x):
    import numpy

    return numpy.exp(x)


def walrus(x):
    return (y := x + 1) * y


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (arithmetic, (X, Y)),
        (targets, (X,)),
        (shapes, (X,)),
        (comparisons, (X,)),
        (calls, (X,)),
        (containers, (X,)),
        (records, (X,)),
        (captured, (X,)),
        (scalars, (0.7, 5)),
        (formatted, (X,)),
        (types, (X, 1.5)),
        (ternary, (X,)),
        (slices, (X, 1)),
        (imported, (X,)),
        (walrus, (X,)),
        (arithmetic, (X.astype(np.float32), Y.astype(np.float32))),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_same_as_python(f, args):
    check(f, *args)


def test_arguments_of_any_structure():
    def f(p, d, pair):
        return p.x * d["w"] + pair.left, [d["b"], pair.right]

    check(f, Point(X, 2.0), {"w": Y, "b": 1.5}, Pair(X, 2))
