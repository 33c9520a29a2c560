"""Arrays of rank 0: changed in place where nobody else sees it, refused where somebody may."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError, UnsupportedSyntaxError
from tests.frontend.outcomes import alike

X = np.array([0.5, -1.5, 2.0])
BOX = np.array(3.0)
SCALAR = np.float64(3.0)


def adds(x):
    x += 1
    return x * 2


def alias(x):
    y = x
    y += 1
    return x


def captured(x):
    y = BOX
    y += x
    return y


def captured_scalar(x):
    y = SCALAR
    y += x
    return y, SCALAR


def both_names(x):
    a = b = np.zeros(())
    a += x
    return a, b


def squeezed(x):
    y = np.squeeze(x[:1])
    y += 1
    return x


def dotted(x):
    y = x[0, ...]
    y += 1
    return x


def carried(x):
    a = b = np.zeros(())
    for v in x:
        a += v
    return a, b


def carried_back(x):
    a = b = x[0] * 1
    for v in x:
        a += v
        a = b = np.full((), v)
    return a, b


def on_a_branch(x):
    y = np.zeros(()) if x[0] > 0 else np.ones(())
    y += 1
    return y


def other_dtype(x):
    a = np.zeros((), int)
    a += x[0]
    return a


@pytest.mark.parametrize("f", [squeezed, dotted])
def test_views_of_rank_zero_are_views(f):
    alike(f, X)


@pytest.mark.parametrize("f", [carried, carried_back, on_a_branch, other_dtype, both_names])
def test_refused_in_arrays(f):
    with pytest.raises(
        AliasError, match=r"rank 0 .*; write `[ay] = [ay] \+ ...`"
    ) as caught:
        sg.compile(f)(X.copy())
    assert "+=" in caught.value.span.text
    assert "^" in str(caught.value)


@pytest.mark.parametrize("f", [adds, alias, captured])
def test_refused_for_the_caller_s(f):
    compiled = sg.compile(f)
    for x in (np.float64(1.0), 2.0):
        if f is not captured:
            assert compiled(x) == f(x)
    with pytest.raises(AliasError, match="rank 0"):
        compiled(np.array(1.0))


def test_a_captured_scalar_is_a_number():
    alike(captured_scalar, 1.0)


def store(x):
    x[...] = 1.0


def ufunc(x):
    np.add(x, 1, out=x)


def fill(x):
    x.fill(1.0)


@pytest.mark.parametrize("f", [store, ufunc, fill])
def test_stores_are_refused(f):
    with pytest.raises(UnsupportedSyntaxError, match=r"rank 1|shape \(1,\)") as caught:
        sg.compile(f)(np.array(1.0))
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def own(x):
    a = np.zeros(())
    a += x[0]
    a *= 3
    return a


def own_in_a_loop(x):
    a = np.zeros(())
    for v in x:
        a += v
    return a


def scalars(x):
    a = b = x @ x
    a += 1
    c = d = np.linalg.norm(x)
    c *= b
    e = f = x.sum()
    e -= a
    return a, b, c, d, e, f


@pytest.mark.parametrize("f", [own, own_in_a_loop, scalars])
def test_done_where_nobody_else_sees_it(f):
    alike(f, X, types=False)
