"""Laws of entries that stand several times next to each other, of numbers, of what is at hand."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.transforms.simplify import simplify

HEAD = (
    "function f(y: float64[s, n], e: float64[(s) // 2, n], x: float64[n], k: int(k)) -> 0\n"
    "  dims s != 1, n != 1\n  assume (s) // 2 != 1\n"
)
RNG = np.random.default_rng(0)
ARGS = (RNG.standard_normal((6, 4)), RNG.standard_normal((3, 4)), RNG.standard_normal(4), 3)
HALVES = (
    "_h = shape(e, axis=0) : int((s) // 2);_n = shape(x, axis=0) : int(n); _t = 2 : int(2);"
)
LENGTHS = "_s = shape(y, axis=0) : int(s);" + HALVES
REPEATED = (
    "a = expand_dims(e, axes=(1,)) : float64[(s) // 2, 1, n];"
    "b = broadcast_to(a, _h, _t, _n) : float64[(s) // 2, 2, n];"
    "c = reshape(b, _s, _n) : float64[s, n];"
)

LAWS = {
    "axes change places before entries are repeated": (
        f"{LENGTHS} {REPEATED} r = transpose(c, axes=(1, 0)) : float64[n, s]",
        f"{LENGTHS} _0 = transpose(e, axes=(1, 0)) : float64[n, (s) // 2];"
        "_1 = expand_dims(_0, axes=(2,)) : float64[n, (s) // 2, 1];"
        "_2 = broadcast_to(_1, _n, _h, _t) : float64[n, (s) // 2, 2];"
        "r = reshape(_2, _n, _s) : float64[n, s]",
    ),
    "a product before axes are one": (
        f"{LENGTHS} {REPEATED} r = multiply(y, c) : float64[s, n]",
        f"{LENGTHS} a = expand_dims(e, axes=(1,)) : float64[(s) // 2, 1, n];"
        "_0 = reshape(y, _h, _t, _n) : float64[(s) // 2, 2, n];"
        "_1 = multiply(a, _0) : float64[(s) // 2, 2, n]; r = reshape(_1, _s, _n) : float64[s, n]",
    ),
    "a sum of pairs in a product": (
        f"{HALVES} "
        "b = reshape(y, _h, _t, _n) : float64[(s) // 2, 2, n];"
        "g = sin(b) : float64[(s) // 2, 2, n]; c = multiply(g, b) : float64[(s) // 2, 2, n];"
        "r = sum(c, axis=(1,), keepdims=True) : float64[(s) // 2, 1, n]",
        f"{HALVES} "
        "b = reshape(y, _h, _t, _n) : float64[(s) // 2, 2, n];"
        "g = sin(b) : float64[(s) // 2, 2, n]; c = multiply(g, b) : float64[(s) // 2, 2, n];"
        "_0 = index(c, index=at[:, 0]) : float64[(s) // 2, n];"
        "_1 = index(c, index=at[:, 1]) : float64[(s) // 2, n];"
        "_2 = add(_0, _1) : float64[(s) // 2, n];"
        "r = expand_dims(_2, axes=(1,)) : float64[(s) // 2, 1, n]",
    ),
    "new axes after others change places": (
        "a = expand_dims(y, axes=(1,)) : float64[s, 1, n];"
        "r = transpose(a, axes=(2, 0, 1)) : float64[n, s, 1]",
        "_0 = transpose(y, axes=(1, 0)) : float64[n, s];"
        "r = expand_dims(_0, axes=(2,)) : float64[n, s, 1]",
    ),
    "new axes in front": (
        "b = sum(y, axis=(1,), keepdims=True) : float64[s, 1];"
        "a = expand_dims(x, axes=(0,)) : float64[1, n]; r = multiply(b, a) : float64[s, n]",
        "b = sum(y, axis=(1,), keepdims=True) : float64[s, 1]; r = multiply(b, x) : float64[s, n]",
    ),
    "a product and the same one": (
        "a = multiply(x, k) : float64[n]; b = multiply(a, x) : float64[n];"
        "c = multiply(x, x) : float64[n]; d = multiply(k, c) : float64[n];"
        "r = add(b, d) : float64[n]",
        "_0 = 2.0 : float; _1 = multiply(_0, k) : float; _2 = multiply(_1, x) : float64[n];"
        "r = multiply(_2, x) : float64[n]",
    ),
    "a number times another in front of an array": (
        "_c = float64(-1.0) : float64[]; a = multiply(_c, k) : float64[];"
        "r = multiply(a, x) : float64[n]",
        "_0 = multiply(k, x) : float64[n]; r = negative(_0) : float64[n]",
    ),
}

STAYS = {
    "repeated entries that others read": (
        f"{LENGTHS} {REPEATED} d = multiply(y, c) : float64[s, n]; g = sin(c) : float64[s, n];"
        "r = add(d, g) : float64[s, n]"
    ),
    "a number over another, which may be 0": (
        "_c = float64(2.0) : float64[]; a = divide(_c, k) : float64[];"
        "r = multiply(a, x) : float64[n]"
    ),
    "new axes in front of all": (
        "a = expand_dims(x, axes=(0,)) : float64[1, n]; r = sin(a) : float64[1, n]"
    ),
    "rows that go on in the next one": (
        "_n = shape(x, axis=0) : int(n); _t = 2 : int(2);"
        "b = broadcast_to(x, _t, _n) : float64[2, n];"
        "c = reshape(b, _n, _t) : float64[n, 2]; r = transpose(c, axes=(1, 0)) : float64[2, n]"
    ),
}


def function(ops: str, role: str) -> str:
    lines = [line.strip() for line in ops.split(";") if line.strip()]
    last = lines[-1].split(" = ")[0]
    heading = f"  -- {role}\n" if role else ""
    return HEAD + heading + "".join(f"  {line}\n" for line in lines) + f"  return {last}\n"


@pytest.mark.parametrize("law", LAWS)
def test_laws(check, law):
    before, after = (function(ops, "backward") for ops in LAWS[law])
    check(simplify, before, after, *ARGS, exact=False)


@pytest.mark.parametrize("law", LAWS)
def test_primal_code_keeps_its_operations(check, law):
    check(simplify, function(LAWS[law][0], ""), None, *ARGS)


@pytest.mark.parametrize("name", STAYS)
def test_what_stays(check, name):
    check(simplify, function(STAYS[name], "backward"), None, *ARGS)


@pytest.mark.parametrize("zero", [0, 1])
def test_a_softplus_that_is_there(check, zero):
    text = (
        HEAD
        + f"  _z = {zero} : int({zero})\n  p = logaddexp(_z, x) : float64[n]\n  -- backward\n"
        "{}  r = add(s, p) : float64[n]\n  return r\n"
    )
    before = text.format("  s = falling_sigmoid(x) : float64[n]\n")
    after = text.format("  _0 = negative(p) : float64[n]\n  s = exp(_0) : float64[n]\n")
    check(simplify, before, None if zero else after, *ARGS, exact=False)


def test_numbers_are_not_moved_back_and_forth():
    """A quotient of the program by a number stays one; its laws would undo each other."""

    def scaled(x):
        return x / np.std(x)

    x = ARGS[2]
    np.testing.assert_allclose(sg.jacfwd(scaled)(x), sg.jacrev(scaled)(x), rtol=1e-12)
