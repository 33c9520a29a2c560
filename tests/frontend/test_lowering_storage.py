"""Stores, views and aliases: what NumPy changes is changed, the rest is not."""

from __future__ import annotations

import numpy as np
import pytest

from symgrad.errors import AliasError, DTypeError, ShapeError
from tests.frontend.lowered import check, run, same

X = np.arange(12.0).reshape(4, 3) / 7 - 0.3


def store(x):
    y = x.copy()
    y[0] = 1.0
    y[1, 2] = x[0, 0]
    y[:, 0] += x[:, 1]
    y[x > 0.5] = -1
    y[[0, 2], [1, 1]] *= 2
    return y


def views(x):
    y = x * 1.0
    row, column, part = y[1], y.T[0], y[1:3, ::2]
    row[0] = 5.0
    column += 1
    part[...] = part * 2
    return y, row, column, part


def viewed(x):
    y, z = x.view(), x.view(x.dtype)[1:]
    y[0] = x[1] * 2
    z *= x.view(np.ndarray).view(type=np.ndarray)[:1]
    x.view(dtype="float64")[-1] = 5.0
    return y * z.sum(), x.sum().view()


def mutates(x):
    x += 1
    x[0] = 0.0
    x.T[1] *= 3


def fills(x):
    y = np.zeros((2, 6))
    y.fill(2.0)
    np.add.at(y[0], [0, 0, 1], 1.0)
    np.multiply(y, 2, out=y)
    z = y.reshape(3, 4)
    z[0] = 9.0
    out = np.empty(6)
    np.add(y[0], y[1], out=out)
    np.copyto(y[1], out)
    return y, z, out


def helper(y, i):
    y[i] = -y[i]
    return y[i]


def through_calls(x):
    y = x.copy()
    rows = [y[0], y[1]]
    box = {"y": y}
    helper(y, 0)
    rows[1] += 1
    box["y"][2] = 0.0
    kept = helper(box["y"], 3)
    return y, rows, kept


def rebinding(x):
    y = x
    y = y + 1
    y += 2
    s = y.sum()
    t = s
    s += 1
    return x, y, s, t


def swapped_parts(x):
    y = x.copy()
    y[0], y[1] = y[1].copy(), y[0].copy()
    z = y[0]
    y[0] = y[2]
    return y, z


def casts(x):
    y = np.zeros(3, dtype=np.int64)
    y[0] = 2.7
    y += True
    z = x.astype(np.float32)
    z += x
    return y, z


def copies(x):
    a, b, c = np.array(x), x.astype(np.float64), x[0].copy()
    a[0] = b[1] = c[:] = 0.0
    d = np.asarray(x)
    e = x.ravel() + 0
    e[0] = 8.0
    return a, b, c, d, e


def in_loops(x):
    y = x.copy()
    for i in range(1, len(y)):
        row = y[i]
        row += y[i - 1]
        y[i, 0] = 0.5
    for row in y:
        row *= 2
    return y


def branch_then_store(x):
    y = x * 1.0
    if y[0, 0] < 0:
        y = y * 2
    y[0] = 3.0
    return y


def double_buffer(x):
    a, b = x.copy(), np.zeros_like(x)
    for k in range(3):
        b[1:] = a[:-1]
        b[0] = k
        a, b = b, a
    return a, b


FUNCTIONS = [
    double_buffer,
    store,
    views,
    viewed,
    mutates,
    fills,
    through_calls,
    rebinding,
    swapped_parts,
    casts,
]
FUNCTIONS += [copies, in_loops, branch_then_store]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_as_numpy(f):
    check(f, X)


def branch(x):
    y = x.copy()
    z = y
    if x[0, 0] > 0:
        z = y * 2
    z[0] = 1.0
    return y, z


def argument(x):
    y = x
    if x[0, 0] > 0:
        y = x * 2
    y[0] = 1.0
    return y


def reshaped(x):
    y = x.T.reshape(4, 3)
    y[0] = 1.0
    z = x.reshape(3, 4)
    z[0] = 2.0
    return x, y, z


def swap(x):
    a, b = x.copy(), x * 2
    c = a
    for _ in range(3):
        a, b = b, a
        a[0] = 1.0
    return a, b, c


def read_only(x):
    y = np.broadcast_to(x, (2, 4, 3))
    y[0] = 1.0
    return y


@pytest.mark.parametrize(
    "f",
    [branch, argument, swap, reshaped],
    ids=lambda f: f.__name__,
)
def test_what_the_running_code_decides(f):
    mine, theirs = X.copy(), X.copy()
    same(run(f, mine), f(theirs))
    same(mine, theirs)


def test_what_is_read_only_is_refused():
    with pytest.raises(AliasError) as caught:
        run(read_only, X)
    assert caught.value.span is not None
    assert "[0] = " in caught.value.span.text


def test_in_place_operators_do_not_cast_down():
    def f(n):
        y = np.zeros(3, dtype=np.int64)
        y += n
        return y

    with pytest.raises(DTypeError, match="in place") as caught:
        run(f, 1.5)
    assert caught.value.span.text == "y += n"


def test_in_place_operators_do_not_grow():
    def f(x):
        y = np.zeros(3)
        y += np.zeros((2, 3))
        return y

    with pytest.raises(ShapeError):
        run(f, X)
