"""Views, and the memory behind them: what is stored is seen under every name, what is returned
shares memory where NumPy's does, and a reshape is a view where NumPy makes one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.lowered import same

RNG = np.random.default_rng(7)
A = RNG.uniform(0.2, 1.0, (4, 3))
T = RNG.uniform(0.2, 1.0, (2, 3, 4))
X = RNG.uniform(0.2, 1.0, 6)


def parts(a):
    b, c, d = a[1:3], a[:, 1], a[2]
    b[0] = c[0] * 2
    d *= 3
    a[0, 0] = d[1]
    return b, c, d


def backwards(a):
    y = a[::-1]
    y[0] = 5 * a[1]
    z = y[::-2]
    z += 1
    return y, z


def other_objects(a):
    """Views that show all of an array."""
    row, same = a[1], a
    views = [a[...], a[:], a.view(), a.T.T, row[:], row.T, a.swapaxes(0, 0)]
    views += [
        np.split(a, 1)[0],
        np.moveaxis(a, 0, 0),
        np.squeeze(a)[:],
        np.expand_dims(a, ()),
    ]
    found = [(v is a, v is row, v is v, v is not a) for v in views]
    return found, same is a, a[0] is a[0], [v is a for v in (a, views[0])]


def same_objects(a):
    """What NumPy hands on as it is where there is nothing to do."""
    r = a[0]
    same = [np.asarray(a), a.real, a.conj(), np.array(a, copy=None), np.atleast_2d(a)]
    same += [np.squeeze(a), a.squeeze(), a.astype(float, copy=False), np.real(a)]
    rows = [np.asarray(r), r.real, r.conjugate(), np.atleast_1d(r), np.real_if_close(r)]
    for n, z in enumerate((*same, *rows)):
        z[..., 0] += n
    return [z is a for z in same], [z is r for z in rows], [*same, *rows]


def turned(a):
    t = a.T
    t[0] = a[:, 1] * 2
    u = t[1:, ::-1]
    u *= a.T[1:, :]
    for r in a.T:
        r -= r.mean()
    return t, u


def new_axes(a):
    b = np.atleast_3d(a)
    b[0, 1, 0] = 3 * a[0, 0]
    a[:, None][2] = 5.0
    q = a[:, None].squeeze()
    q[0] = a[1, 0] * 2
    return b, q


def reshaped(a):
    r = a.reshape(3, 4)
    r[0] = 1.5 * a[0, 0]
    q = a.T.reshape(-1)
    q[3] = q[4] * q[5]
    s = a[1:].reshape(-1)
    s[0] = a[2, 2] * 3
    return r, q, s


def split_up(a):
    y = a.reshape(2, 2, 3)
    y[1, 0] = 7.0 * a[0, 0]
    z = a.T.reshape(3, 2, 2)
    z[0] = 3.0 * a[1, 1]
    w = a[:, ::2].reshape(-1)
    w[1] = 2.0 * a[1, 0]
    return y, z, w


def ravelled(a):
    r = a.ravel()
    r[1] = a[1, 1] ** 2
    s = a[::2].ravel()
    s[0] = 9.0 * a[1, 0]
    u = a.ravel(order="F")
    u[2] = a[0, 0] * 2
    return r, s, u


def laid_out(a):
    b = np.ascontiguousarray(a.T)
    b[0] = a[1, 1] * 2
    c = np.asfortranarray(a)
    c[1, 0] = a[0, 1] * 3
    d = a.T * 2
    e = d.reshape(-1)
    e[0] = a[0, 0]
    f = np.copy(a.T)
    g = f.ravel()
    g[1] = a[0, 1]
    return b, c, d, e, f, g


def flat(a):
    a.flat[2] = a.flat[3] * 2
    a.T.flat[0:3] = a.T.flat[1:4]
    f = a.flat
    a[0, 0] = 4.0 * a[1, 1]
    y = f[2:4]
    y[0] = 3.0
    a.flat[[1, 3, 1]] = [a[0, 0], 2.0, 3.0]
    s = 0.0
    for i, v in enumerate(a.T.flat):
        s += v * i
    a[1:].flat = 0.5 * a[:-1]
    return f[0], y, s


def of_rank_zero(a):
    y = a[..., 0, 0]
    a[0, 0] = 5.0 * a[1, 0]
    y += 1
    y *= a[1, 1]
    z = a[:1, 1].reshape(())
    z[...] = z * 3
    return y, y * 2, z


def in_a_loop(a):
    y = np.zeros_like(a)
    for i in range(len(a)):
        z = y.reshape(-1)
        z[i] = a[i, 0] * 2
        y = y * 2
    for r in y.reshape(2, 2, 3):
        r[0] += r[1]
    return y


FUNCTIONS = [
    parts, backwards, turned, new_axes, reshaped, split_up, ravelled, laid_out, flat,
    of_rank_zero, in_a_loop,
]  # fmt: skip


def _in_order(a):
    return np.array(a)


def _in_columns(a):
    return np.array(a, order="F")


def _with_gaps(a):
    made = np.empty((a.shape[0] * 2, a.shape[1] + 2))[::2, 1:-1]
    made[...] = a
    return made


def arrays(x: Any) -> list[Any]:
    """The arrays in a result."""
    if isinstance(x, tuple | list):
        return [inner for item in x for inner in arrays(item)]
    return [x] if isinstance(x, np.ndarray) else []


def sharing(*xs: Any) -> set[tuple[int, int]]:
    """Which arrays share memory."""
    pairs = itertools.combinations(enumerate(arrays(xs)), 2)
    return {(i, j) for (i, a), (j, b) in pairs if np.shares_memory(a, b)}


def objects(*xs: Any) -> list[list[bool]]:
    """Which arrays are one object."""
    found = arrays(xs)
    return [[x is y for y in found] for x in found]


def whole(a):
    return a, a[:], a.view()[...], a.T.T, np.asarray(a), a[1:]


def replaced(a):
    """Changed as a whole, by methods."""
    a.sort(axis=0)
    return a, a[0], np.sort(a)


def read_later(a):
    """What was there before is read when all has changed."""
    first = np.array(a)
    for i in range(len(a)):
        old = a.copy()
        if old[i, 0] > 0.3:
            a *= old[i - 1]
            a.flat[1:3] = old[0, :2]
    return np.sum(first), a, a[0], old


def handed_on(a):
    """An old content goes from round to round."""
    flat = np.array(a).T.reshape((2, -1))
    for i in range(3):
        a[...] = 1 - flat[1, i]
        for j in range(2):
            flat[j, i] *= a[i, 0]
    return a


def shown_twice(a):
    a[0] = 1.0
    row, b = a[0], a * 2
    part = b[1:]
    b[2] = row[0]
    return row, [row, a[0]], part, (part, b)


OBJECTS = [other_objects, same_objects, whole, replaced, read_later, handed_on, shown_twice]


@pytest.mark.parametrize("f", FUNCTIONS + OBJECTS, ids=lambda f: f.__name__)
def test_memory(f: Callable[..., Any]):
    compiled = sg.compile(f)
    for lay in (_in_order, _in_columns, _with_gaps):
        mine, theirs = lay(A), lay(A)
        expected, found = f(theirs), compiled(mine)
        same(found, expected)
        same(mine, theirs)
        assert sharing(mine, found) == sharing(theirs, expected)
        if f in OBJECTS:
            assert objects(mine, found) == objects(theirs, expected)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any]):
    def loss(a):
        b = a * 1.0
        total = 0.0
        for out in (f(b), b):
            for part in out if isinstance(out, tuple) else (out,):
                total = total + np.sum(np.sin(part))
        return total

    check_grads(loss, (A,), order=1)
    given = _in_columns(A)
    np.testing.assert_allclose(sg.value_and_grad(loss)(given)[0], loss(given), rtol=1e-14)
    assert np.array_equal(given, A)


def real_and_imaginary(x, y):
    z = x + 1j * y
    z.real = y
    z.imag[1:] = x[1:]
    z.imag += 1
    return z.real * 2, z.imag * z.real


def test_parts_of_complex_arrays():
    same(sg.compile(real_and_imaginary)(X, X[::-1]), real_and_imaginary(X, X[::-1]))

    def loss(x):
        a, b = real_and_imaginary(x, x * 2)
        return np.sum(a * b)

    check_grads(loss, (X,), order=1)


def windows(x):
    w = np.lib.stride_tricks.sliding_window_view(x, 2)
    for i in range(len(w)):
        x[i] = w[i].sum() * 0.5
    return w


def windows_only_returned(x):
    w = np.lib.stride_tricks.sliding_window_view(x, 2)
    x[0] = 2.0
    return w


@pytest.mark.parametrize("f", [windows, windows_only_returned])
def test_what_is_read_later_sees_the_store(f: Callable[..., Any]):
    mine, theirs = X.copy(), X.copy()
    same(sg.compile(f)(mine), f(theirs))
    same(mine, theirs)


def masks_of_rows(a):
    b = a * 1.0
    b[b > 0.5] *= a[0, 0]
    b[a[:, 0] > 0.5] = a[0]
    b[b > 0.6] -= b[b > 0.6] ** 2
    return np.sum(np.sin(b))


def test_masks_of_rows_after_masks():
    check_grads(masks_of_rows, (A,), order=1)
    step = [np.zeros_like(A) for _ in range(A.size)]
    for k, s in enumerate(step):
        s.flat[k] = 1.0
    forward = [sg.jvp(masks_of_rows, (A,), (s,))[1] for s in step]
    np.testing.assert_allclose(sg.jacfwd(masks_of_rows)(A).ravel(), forward, rtol=1e-12)


def rows_in_a_stack(t):
    for m in t:
        for r in m:
            r[1:] += r[:-1]
            m[0, 0] = r[2]


def test_a_store_through_views_is_one_statement():
    source = sg.compile(rows_in_a_stack).lower(T.copy()).source
    assert "copy" not in source
    assert "[i, i_1, 1:] += " in source


BASE = np.arange(12.0).reshape(3, 4) / 10


def flat_part_of_a_captured(x):
    w = BASE * x
    w.ravel()[2:5] += x
    return np.sum(np.sin(w))


def flat_captured(x):
    flat = BASE.reshape(-1)
    flat[1] += 1.0
    return np.sum(BASE * x) + flat[1]


ORDERS = [BASE, np.asfortranarray(BASE), np.repeat(BASE, 2, axis=1)[:, ::2]]


def as_run(f, base, monkeypatch):
    """What a function gives for a captured array that it may change, and makes of it."""
    gaps = not base.flags.forc
    kept = np.repeat(base, 2, axis=1)[:, ::2] if gaps else base.copy(order="K")
    monkeypatch.setitem(globals(), "BASE", kept)
    return f(0.7), kept


@pytest.mark.parametrize("f", [flat_part_of_a_captured, flat_captured])
def test_code_is_specialised_on_how_a_captured_array_lies(f, monkeypatch):
    compiled, slope = sg.compile(f), sg.grad(f)
    for base in [*ORDERS, *ORDERS]:
        expected, after = as_run(f, base, monkeypatch)
        found, changed = as_run(compiled, base, monkeypatch)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert np.array_equal(changed, after)
        there, _ = as_run(lambda x: f(x + 1e-6), base, monkeypatch)
        back, _ = as_run(lambda x: f(x - 1e-6), base, monkeypatch)
        exact, changed = as_run(slope, base, monkeypatch)
        np.testing.assert_allclose(exact, (there - back) / 2e-6, rtol=1e-8)
        assert np.array_equal(changed, after)
    assert len(compiled.specializations) == 3
