"""What can be done with lists whose length, or whose elements, only the running code knows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.ir.parser import parse
from symgrad.ir.printer import to_text
from symgrad.ops import TABLE
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(7).uniform(0.2, 1.0, 6)


def _large(x, t):
    out = []
    for v in x:
        if v > t:
            out.append(v * 2)
    return out


def ordered(x):
    xs = _large(x, 0.3)
    xs.sort()
    ys = _large(x, 0.3)
    ys.sort(reverse=True)
    zs = _large(x, 0.3)
    zs.sort(key=lambda v: -v)
    return [np.array(xs), np.array(ys), np.array(zs), np.array(sorted(zs))]


def tuples_ordered(x):
    out = []
    for i in range(len(x)):
        if x[i] > 0.3:
            out.append((i % 2, x[i] * 2))
    out.sort()
    up = np.array([v for _, v in out])
    out.sort(reverse=True)
    return [up, np.array([v for _, v in out])]


def found(x):
    xs = _large(x, 0.3)
    xs.append(1.0)
    xs.append(1.0)
    place = xs.index(x[0] * 2)
    return place, xs.index(1.0), xs.count(1.0), 7.0 in xs, x[0] * 2 in xs, 7.0 not in xs


def missing(x):
    return _large(x, 0.3).index(17.5)


def cannot_be_removed(x):
    xs = _large(x, 0.3)
    xs.remove(17.5)


def cannot_be_deleted(x):
    xs = _large(x, 0.3)
    del xs[10]


def does_not_fit(x):
    xs = _large(x, 0.3)
    xs[::2] = [1.0]


def deleted(x):
    xs = _large(x, 0.1)
    del xs[0]
    del xs[-1]
    ys = _large(x, 0.1)
    del ys[1:3], ys[:1]
    zs = _large(x, 0.1)
    del zs[::2]
    i = 0
    ws = _large(x, 0.1)
    while i < len(ws):
        if ws[i] > 1.2:
            del ws[i]
        else:
            i += 1
    ws.remove(ws[0])
    return [np.array(xs), np.array(ys), np.array(zs), np.array(ws)]


def assigned(x):
    xs = _large(x, 0.3)
    xs[1:2] = [x[0], x[1], x[2]]
    xs[:1] = []
    ys = _large(x, 0.3)
    ys[::2] = [v * 3 for v in ys[::2]]
    zs = _large(x, 0.3)
    zs[:] = [v + 1 for v in zs]
    zs[-2:] = _large(x, 0.5)
    return [np.array(xs), np.array(ys), np.array(zs)]


def inserted(x):
    xs = _large(x, 0.3)
    xs.insert(1, x[1])
    xs.insert(-1, x[2])
    xs.insert(100, x[3])
    xs.insert(int(x[0] * 3), x[4])
    out = []
    for v in x:
        k = 0
        while k < len(out) and out[k] < v:
            k += 1
        out.insert(k, v)
    return [np.array(xs), np.array(out)]


class Point(NamedTuple):
    x: float
    tag: str
    y: Any


def tuples(x):
    out, points = [], []
    for i in range(len(x)):
        if x[i] > 0.3:
            out.append((i, (x[i] * 2, x[:i])))
            points.append(Point(x[i], "p", x * i))
    return out, points


def compared(x):
    xs = _large(x, 0.3)
    ys = _large(x, 0.3)
    same = xs == ys
    ys.append(1.0)
    return same, xs == ys, xs != ys, xs == [], xs != []


def repeated(x):
    xs = _large(x, 0.3)
    return [np.array(xs * 2), np.array([x[0]] * len(xs))]


def of_known_length(x):
    xs = [x[0], x[1], x[0]]
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    ys = [1.0, x[2], 3.0]
    del ys[0]
    return xs.count(x[0]), xs.index(x[1]), ys, d


@pytest.mark.parametrize(
    "f", [found, compared, of_known_length, tuples], ids=lambda f: f.__name__
)
def test_answers(f: Callable[..., Any]):
    alike(f, X)


@pytest.mark.parametrize(
    "f",
    [missing, cannot_be_removed, cannot_be_deleted, does_not_fit],
    ids=lambda f: f.__name__,
)
def test_errors_are_those_of_python(f: Callable[..., Any]):
    alike(f, X)


def test_lists_of_tuples_are_in_the_text_of_the_ir():
    lowered = sg.compile(tuples).lower(X)
    names = {"Point": Point}
    text = to_text(lowered.specialisation.program.initial)
    assert "each (0, (1, 2)) [" in text
    assert to_text(parse(text, TABLE, names)) == text


CHANGES = [ordered, tuples_ordered, deleted, assigned, inserted, repeated]


@pytest.mark.parametrize("f", CHANGES, ids=lambda f: f.__name__)
def test_changes(f: Callable[..., Any]):
    alike(f, X)

    def loss(x):
        total = 0.0
        for k, v in enumerate(f(x)):
            total += np.sum(np.sin(v) * np.arange(1 + k, 1 + k + len(v)))
        return total

    check_grads(loss, (X,), order=1)


def test_slices_are_changed_from_front_to_back():
    def backwards(x):
        xs = _large(x, 0.3)
        del xs[::-1]

    with pytest.raises(UnsupportedSyntaxError, match="step of 1 or more"):
        sg.compile(backwards)(X)


def test_only_items_of_lists_and_dicts_can_be_deleted():
    def of_an_array(x):
        del x[0]

    with pytest.raises(UnsupportedSyntaxError, match="items of lists and dicts"):
        sg.compile(of_an_array)(X)


@pytest.mark.parametrize(
    "read",
    [
        lambda xs: max(xs) - min(xs),
        lambda xs: (xs.index(0.5), xs.count(2.0)),
        lambda xs: np.maximum(np.sin(xs), 0.7),
        lambda xs: math.prod(xs) + math.fsum(xs),
    ],
)
def test_lists_from_outside(read: Any) -> None:
    xs = [2.0, 0.5, 2.0]
    compiled = sg.compile(lambda: read(xs))
    np.testing.assert_array_equal(compiled(), read(xs))
    xs[:] = [0.25, 3.0, 0.5]
    np.testing.assert_array_equal(compiled(), read(xs))
