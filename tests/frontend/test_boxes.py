"""Arrays of rank 0: changed in place under all their names, told from NumPy's scalars."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError, DTypeError, UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.5, -1.5, 2.0])
BOX = np.array(3.0)
SCALAR = np.float64(3.0)


# ------------------------------------------------------------------------- made and changed
def added(x):
    z = np.zeros(())
    w = z
    z += x[0]
    z *= 3
    return z, w, z * 2


def stored(x):
    z, y = np.empty(()), np.array(x[0])
    z[()] = x[1]
    y[...] = z * y
    y[()] += z[()]
    return z, y, z[()], z[...]


def of_calls(x):
    z, y, w = np.zeros(()), np.ones(()), np.asarray(3.0)
    np.add(x[0], x[1], out=z)
    np.copyto(y, z)
    w.fill(x[2])
    np.add.at(w, (), 1.0)
    np.sum(x, out=z)
    return z, y, w


def of_a_loop(x):
    a = b = np.zeros(())
    for v in x:
        a += v
        if v > 1:
            b *= 2
    return a, b


def scalar_from_a_loop(x):
    s = np.zeros(())
    for v in x:
        if v > 0:
            s = s + v
    return s


def on_a_branch(x):
    y = np.zeros(()) if x[0] > 0 else np.ones(())
    y += x[1]
    z = np.array(x[0])
    w = z if x[1] > 0 else y
    w += 1
    return y, z


def number_elsewhere(x):
    z = np.array(x[0])
    return z if x[1] > 0 else x[2], x[2] if x[1] > 0 else z


def helpers(x):
    def step(t, v):
        t += v
        return t

    z = np.array(x[0])
    kept = {"z": z, "all": [z]}
    w = step(z, x[1])
    kept["all"][0] += 1
    return kept, w


def copies(x):
    z = np.array(x[0])
    a, b, c = z.copy(), np.copy(z), copy.copy(z)
    d, e = np.array(z), z.astype(np.float32)
    a += 1
    d[()] = 7.0
    return z, a, b, c, d, e


def same_memory(x):
    z = np.array(x[0])
    for y in (z.T, z.real, z[...], z.reshape(()), np.squeeze(z), np.asarray(z), z.view()):
        y += 1
    r = z.reshape(1, 1)
    r[0, 0] *= 2
    return z, r, z.astype(float, copy=False)


def precisions(x):
    z, n = np.zeros((), np.float32), np.array(3)
    z += x[0]
    y = z * 1
    z[...] = 0.1
    n //= 2
    return z, y, z * 0.1, n, x[n]


def complex_parts(x):
    z = np.array(1.0 + 2j)
    z.real = x[0]
    z.imag += x[1]
    return z, abs(z)


def read(x):
    z, n = np.where(x[0] > 0, x[2], 2.0), np.array(2)
    whole = list(range(n)), x[:n], np.ones((n, n)), x[n - 1]
    tests = bool(z), not z, 3 if z else 4, z and 3, isinstance(z, float)
    return (
        float(z),
        math.sqrt(z),
        max(z, 1.5) * 1,
        max(z, 3),
        z.item(),
        whole,
        tests,
        np.sin(z),
        z,
    )


def chosen(x):
    z, w = np.array(x[0]), np.array(x[1])
    y = max(z, w)
    y += 1
    return y * 1, z, w


def swapped(x):
    z, w = np.array(x[0]), np.array(x[1])
    for _ in x:
        z, w = w, z
    z += 10
    return z, w


def squeezed(x):
    y = np.squeeze(x[:1])
    y += 1
    return x


def dotted(x):
    y = x[0, ...]
    y += 1
    return x


def scalars(x):
    a = b = x @ x
    a += 1
    c = d = np.linalg.norm(x)
    c *= b
    e = f = x.sum()
    e -= a
    return a, b, c, d, e, f


PROGRAMS = [
    *(added, stored, of_calls, of_a_loop, scalar_from_a_loop, on_a_branch, helpers),
    *(number_elsewhere, copies, same_memory, precisions, complex_parts, read, chosen),
    *(swapped, squeezed, dotted, scalars),
]


def shared(x):
    """Which of the arrays in some results share memory."""
    arrays = [a for a in sg.tree.leaves(x) if isinstance(a, np.ndarray)]
    return [[np.shares_memory(a, b) for b in arrays] for a in arrays]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", [X, -X])
def test_done_as_numpy_does_it(f, x):
    alike(f, x)
    mine, theirs = x.copy(), x.copy()
    assert shared((sg.compile(f)(mine), mine)) == shared((f(theirs), theirs))


def total(parts):
    if isinstance(parts, tuple | list | dict):
        return sum(total(p) for p in (parts.values() if isinstance(parts, dict) else parts))
    return np.sum(parts**2)


@pytest.mark.parametrize(
    "f", [added, stored, of_calls, of_a_loop, on_a_branch, helpers, same_memory, swapped]
)
@pytest.mark.parametrize("x", [X, -X])
def test_gradients(f, x):
    check_grads(lambda x: total(f(x)), (x,))


# ------------------------------------------------------------------------------ the caller's
def adds(x):
    x += 1
    return x * 2


def returned(x):
    y = x
    y *= 3
    return x, x.copy()


def stores(x):
    before = x[()]
    x[...] = x + 1
    np.multiply(x, x, out=x)
    x.fill(x * before)


def around_a_loop(x):
    for _ in range(3):
        x += x * x
    return x


def captured(x):
    y = BOX
    y += x
    return y * 2


@pytest.mark.parametrize("f", [adds, returned, stores, around_a_loop])
def test_the_caller_s_array_is_changed(f):
    alike(f, np.array(1.5))
    x, y = np.array(1.5), np.array(1.5)
    assert shared((sg.compile(f)(x), x)) == shared((f(y), y))
    if f is not stores:
        alike(f, np.float64(1.5))


def test_two_arguments_that_are_one():
    def f(x, y):
        x += y
        y *= x
        return x * y

    x, y = np.array(1.5), np.array(1.5)
    assert sg.compile(f)(x, x) == f(y, y)
    assert x == y


def test_gradients_leave_it_alone():
    x = np.array(1.5)
    check_grads(lambda x: adds(x) ** 2, (x,))
    assert sg.grad(adds)(x) == 2 and x == 1.5


def test_a_captured_array_is_changed():
    compiled = sg.compile(captured)
    for x in (1.0, 2.0):
        before = float(BOX)
        assert compiled(x) == 2 * (before + x)
        assert before + x == BOX


def test_a_captured_scalar_is_a_number():
    def captured_scalar(x):
        y = SCALAR
        y += x
        return y, SCALAR

    alike(captured_scalar, 1.0)


# ----------------------------------------------------------------------------------- refused
def sometimes(x):
    a = b = x[0] * 1
    for v in x:
        a += v
        a = b = np.full((), v)
    return a, b


def test_an_array_on_some_ways_only_is_not_changed():
    with pytest.raises(AliasError, match=r"rank 0 .*; write `a = a \+ ...`") as caught:
        sg.compile(sometimes)(X)
    assert "+=" in caught.value.span.text
    assert "^" in str(caught.value)


def test_a_changed_argument_s_view_is_not_returned():
    def viewed(x):
        x += 1
        return x.reshape(1)

    with pytest.raises(AliasError, match="`x` of rank 0 is changed and returned"):
        sg.compile(viewed)(np.array(1.0))


def test_other_dtypes_are_not_cast():
    def whole(x):
        a = np.zeros((), int)
        a += x[0]
        return a

    with pytest.raises(DTypeError, match="does not cast that way in place"):
        sg.compile(whole)(X)


@pytest.mark.parametrize(
    "f", [stores, lambda x: np.add(x, 1, out=x), lambda x: x.fill(1.0)]
)
def test_numbers_are_not_stored_into(f):
    with pytest.raises(UnsupportedSyntaxError, match=r"rank 1|shape \(1,\)|arrays"):
        sg.compile(f)(np.float64(1.0))
