"""Algebraic simplification: each law, and where it must not apply."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from symgrad.ir.evaluate import evaluate
from symgrad.ir.parser import parse
from symgrad.ops import TABLE
from symgrad.transforms.dce import dce
from symgrad.transforms.simplify import simplify

HEAD = """
function f(x: float64[n], y: float64[n], c: bool[n], m: float64[k, n], s: float, k: int(k)) -> 0
  dims n != 1, k != 1
"""
X = np.linspace(-1.3, 1.7, 5)
Y = np.linspace(2.0, 0.3, 5)
ARGS = (X, Y, X > 0.1, np.outer(np.arange(1.0, 4.0), Y) + 0.1, 1.5, 3)
N = "float64[n]"

# Exact, so in primal code too. Each: ops before, ops after; the last result is returned.
EXACT = {
    "x * 1": ("one = 1 : int(1); a = multiply(one, x) : N; r = sin(a) : N", "r = sin(x) : N"),
    "x / 1": ("one = 1.0 : float; a = divide(x, one) : N; r = sin(a) : N", "r = sin(x) : N"),
    "x ** 1": ("one = 1 : int(1); a = power(x, one) : N; r = sin(a) : N", "r = sin(x) : N"),
    "--x": ("a = negative(x) : N; b = negative(a) : N; r = sin(b) : N", "r = sin(x) : N"),
    "x + -y": ("a = negative(y) : N; r = add(a, x) : N", "r = subtract(x, y) : N"),
    "x - -y": ("a = negative(y) : N; r = subtract(x, a) : N", "r = add(x, y) : N"),
    "k + 1 - 1": (
        "one = 1 : int(1); n = add(k, one) : int; m1 = subtract(n, one) : int; "
        "a = multiply(x, m1) : N; r = sin(a) : N",
        "a = multiply(x, k) : N; r = sin(a) : N",
    ),
    "k + 3 - 1": (
        "three = 3 : int(3); one = 1 : int(1); n = add(three, k) : int; "
        "m1 = subtract(n, one) : int; a = multiply(x, m1) : N; r = sin(a) : N",
        "_0 = 2 : int(2); m1 = add(k, _0) : int(k + 2); a = multiply(x, m1) : N; r = sin(a) : N",
    ),
    "1 + (k - 1)": (
        "one = 1 : int(1); n = subtract(k, one) : int; m1 = add(one, n) : int; "
        "a = multiply(x, m1) : N; r = sin(a) : N",
        "a = multiply(x, k) : N; r = sin(a) : N",
    ),
    "where(c, x, x)": ("a = where(c, x, x) : N; r = sin(a) : N", "r = sin(x) : N"),
    "where in where": (
        "a = where(c, x, y) : N; b = sin(y) : N; r = where(c, a, b) : N",
        "b = sin(y) : N; r = where(c, x, b) : N",
    ),
    "transpose twice": (
        "a = transpose(m, axes=(1, 0)) : float64[n, k]; "
        "b = transpose(a, axes=(1, 0)) : float64[k, n];"
        "r = sum(b) : float64[]",
        "r = sum(m) : float64[]",
    ),
    "reshape twice": (
        "one = 1 : int(1); n = shape(x, axis=0) : int(n); "
        "a = reshape(x, one, n) : float64[1, n];"
        "r = reshape(a, n, one) : float64[n, 1]",
        "one = 1 : int(1); n = shape(x, axis=0) : int(n); "
        "r = reshape(x, n, one) : float64[n, 1]",
    ),
    "reshape to the same": (
        "n = shape(x, axis=0) : int(n); a = reshape(x, n) : N; r = sin(a) : N",
        "r = sin(x) : N",
    ),
    "broadcast that happens anyway": (
        "n = shape(x, axis=0) : int(n); a = broadcast_to(x, k, n) : float64[k, n];"
        "r = multiply(m, a) : float64[k, n]",
        "r = multiply(m, x) : float64[k, n]",
    ),
    "a number made an array": (
        "a = asarray(s, dtype=float64) : float64[]; r = multiply(x, a) : N",
        "r = multiply(x, s) : N",
    ),
    "there and back": (
        "a = asarray(s, dtype=float64) : float64[]; b = item(a, kind='float') : float;"
        "r = multiply(x, b) : N",
        "r = multiply(x, s) : N",
    ),
    "cast up and down": (
        "a = astype(x, dtype=float32) : float32[n]; b = astype(a, dtype=float64) : N;"
        "d = astype(b, dtype=float32) : float32[n]; r = sin(d) : float32[n]",
        "a = astype(x, dtype=float32) : float32[n]; r = sin(a) : float32[n]",
    ),
    "read what was written": (
        "p = sum(y) : float64[]; a = store(x, p, index=at[0]) : N; "
        "b = index(a, index=at[0]) : float64[];"
        "r = sin(b) : float64[]",
        "p = sum(y) : float64[]; r = sin(p) : float64[]",
    ),
    "read beside what was written": (
        "a = store(x, s, index=at[0]) : N; b = index(a, index=at[1]) : float64[]; "
        "r = sin(b) : float64[]",
        "b = index(x, index=at[1]) : float64[]; r = sin(b) : float64[]",
    ),
    "write over write": (
        "c = sin(x) : N; a = store(c, s, index=at[0]) : N; p = sum(y) : float64[]; "
        "r = store(a, p, index=at[0]) : N",
        "c = sin(x) : N; p = sum(y) : float64[]; r = store(c, p, index=at[0]) : N",
    ),
    "write a sum": (
        "p = index(x, index=at[0]) : float64[]; q = add(s, p) : float64[]; "
        "r = store(x, q, index=at[0]) : N",
        "r = add_store(x, s, index=at[0]) : N",
    ),
    "write a difference": (
        "p = index(x, index=at[0]) : float64[]; q = subtract(p, s) : float64[];"
        "r = store(x, q, index=at[0]) : N",
        "_0 = negative(s) : float; r = add_store(x, _0, index=at[0]) : N",
    ),
    "new axes by index": (
        "a = index(x, index=at[:, newaxis]) : float64[n, 1]; r = sin(a) : float64[n, 1]",
        "a = expand_dims(x, axes=(1,)) : float64[n, 1]; r = sin(a) : float64[n, 1]",
    ),
    "copies": ("a = copy(x) : N; r = sin(a) : N", "r = sin(x) : N"),
    "axes kept and taken out": (
        "a = sum(m, axis=(1,), keepdims=True) : float64[k, 1];"
        "r = squeeze(a, axes=(1,)) : float64[k]",
        "r = sum(m, axis=(1,)) : float64[k]",
    ),
    "write repeats by itself": (
        "n = shape(x, axis=0) : int(n); p = sum(y) : float64[]; a = broadcast_to(p, n) : N;"
        "r = store(x, a, index=at[0:]) : N",
        "p = sum(y) : float64[]; r = store(x, p, index=at[0:]) : N",
    ),
    "index of index": (
        "a = index(m, index=at[1]) : N; b = index(a, index=at[2]) : float64[]; "
        "r = sin(b) : float64[]",
        "b = index(m, index=at[1, 2]) : float64[]; r = sin(b) : float64[]",
    ),
    "a length that was asked for": (
        "p = sum(x) : float64[]; a = broadcast_to(p, k) : float64[k];"
        "q = shape(a, axis=0) : int(k); r = multiply(x, q) : N",
        "r = multiply(x, k) : N",
    ),
}  # fmt: skip

# In derivative code.
ADJOINT = {
    "writes that the caller would see": (
        "a = store(x, s, index=at[0]) : N; p = sum(y) : float64[]; "
        "r = store(a, p, index=at[0]) : N",
        "p = sum(y) : float64[]; r = store(x, p, index=at[0]) : N",
    ),
    "x + 0": ("z = zeros_like(x) : N; r = add(z, x) : N", ""),
    "0 - x": ("z = zeros_like(x) : N; r = subtract(z, x) : N", "r = negative(x) : N"),
    "x * 0": ("z = zeros_like(x) : N; r = multiply(y, z) : N", "r = zeros_like(y) : N"),
    "x @ 0": (
        "z = zeros_like(x) : N; r = matmul(m, z) : float64[k]",
        "_0 = shape(m, axis=0) : int(k); r = zeros(_0, dtype=float64) : float64[k]",
    ),
    "sum of 0": (
        "z = zeros_like(m) : float64[k, n]; r = sum(z, axis=(0,)) : N",
        "_0 = shape(x, axis=0) : int(n); r = zeros(_0, dtype=float64) : N",
    ),
    "x + x": ("r = add(x, x) : N", "_0 = 2 : int(2); r = multiply(_0, x) : N"),
    "signs": (
        "a = negative(x) : N; b = multiply(a, y) : N; r = add(x, b) : N",
        "_0 = multiply(x, y) : N; r = subtract(x, _0) : N",
    ),
    "sign of a factor": (
        "t = -2.0 : float; a = multiply(t, y) : N; r = add(x, a) : N",
        "_0 = 2 : int(2); _1 = multiply(_0, y) : N; r = subtract(x, _1) : N",
    ),
    "powers of two": (
        "two = 2 : int(2); half = 0.5 : float; a = multiply(half, x) : N; "
        "r = multiply(two, a) : N",
        "",
    ),
    "numbers first": (
        "two = 2 : int(2); one = float64(1.0) : float64[]; n = size(x) : int(n);"
        "g = divide(one, n) : float64[]; a = multiply(two, x) : N; b = multiply(g, a) : N;"
        "r = multiply(b, y) : N",
        "n = size(x) : int(n); _0 = float64(2.0) : float64[]; _1 = divide(_0, n) : float64[];"
        "b = multiply(_1, x) : N; r = multiply(b, y) : N",
    ),
    "repeated, then scaled": (
        "n = shape(x, axis=0) : int(n); g = sum(y) : float64[]; a = broadcast_to(g, n) : N;"
        "two = 2 : int(2); b = multiply(a, two) : N; r = multiply(b, x) : N",
        "g = sum(y) : float64[]; two = 2 : int(2); _0 = multiply(two, g) : float64[];"
        "r = multiply(_0, x) : N",
    ),
    "sum of repeated": (
        "n = shape(x, axis=0) : int(n); a = broadcast_to(x, k, n) : float64[k, n];"
        "r = sum(a, axis=(0,)) : N",
        "r = multiply(x, k) : N",
    ),
    "sum of sum": (
        "a = sum(m, axis=(0,)) : N; r = sum(a) : float64[]",
        "r = sum(m) : float64[]",
    ),
    "masks last": (
        "z = 0 : int(0); a = where(c, x, z) : N; d = log(y) : N; r = multiply(a, d) : N",
        "d = log(y) : N; _0 = multiply(x, d) : N; _1 = 0 : int(0); r = where(c, _0, _1) : N",
    ),
    "masks last, divided": (
        "z = 0.0 : float; a = where(c, z, x) : N; r = divide(a, y) : N",
        "_0 = divide(x, y) : N; _1 = 0 : int(0); r = where(c, _1, _0) : N",
    ),
    "masks meet": (
        "z = 0 : int(0); a = where(c, x, z) : N; b = where(c, z, y) : N; r = add(b, a) : N",
        "r = where(c, x, y) : N",
    ),
    "one matrix product less": (
        "a = matmul(m, x) : float64[k]; b = matmul(m, y) : float64[k]; r = add(a, b) : float64[k]",
        "_0 = add(x, y) : N; r = matmul(m, _0) : float64[k]",
    ),
    "one product less": (
        "p = sin(x) : N; a = multiply(x, p) : N; b = multiply(p, y) : N; r = subtract(a, b) : N",
        "p = sin(x) : N; _0 = subtract(x, y) : N; r = multiply(_0, p) : N",
    ),
    "a common number": (
        "p = sin(x) : N; a = multiply(s, p) : N; b = multiply(y, s) : N; r = subtract(a, b) : N",
        "p = sin(x) : N; _0 = subtract(p, y) : N; r = multiply(s, _0) : N",
    ),
    "a number before new axes": (
        "h = 0.5 : float; two = 2 : int(2); a = multiply(h, x) : N;"
        "b = expand_dims(a, axes=(1,)) : float64[n, 1]; r = multiply(two, b) : float64[n, 1]",
        "r = expand_dims(x, axes=(1,)) : float64[n, 1]",
    ),
    "minus a number": (
        "t = -2.0 : float; r = add(t, x) : N",
        "_0 = 2 : int(2); r = subtract(x, _0) : N",
    ),
    "whole numbers": (
        "t = 9.0 : float; a = multiply(t, s) : float; r = multiply(a, x) : N",
        "_0 = 9 : int(9); a = multiply(_0, s) : float; r = multiply(a, x) : N",
    ),
    "in a longer sum": (
        "a = matmul(m, x) : float64[k]; b = matmul(m, y) : float64[k]; p = sum(m, axis=(1,)) :"
        " float64[k]; q = subtract(p, a) : float64[k]; r = add(q, b) : float64[k]",
        "p = sum(m, axis=(1,)) : float64[k]; _0 = subtract(y, x) : N; _1 = matmul(m, _0) :"
        " float64[k]; r = add(p, _1) : float64[k]",
    ),
    "a one that sets the dtype": (
        "one = float64(1.0) : float64[]; r = multiply(one, s) : float64[]",
        "r = asarray(s, dtype=float64) : float64[]",
    ),
    "a repeated number in another shape": (
        "n = shape(x, axis=0) : int(n); g = sum(y) : float64[]; a = broadcast_to(g, n) : N;"
        "b = expand_dims(a, axes=(1,)) : float64[n, 1]; r = multiply(b, y) : float64[n, n]",
        "g = sum(y) : float64[]; _0 = shape(x, axis=0) : int(n); _1 = shape(x, axis=0) : int(n);"
        "_2 = multiply(g, y) : N; r = broadcast_to(_2, _0, _1) : float64[n, n]",
    ),
    "transposed product": (
        "a = transpose(m, axes=(1, 0)) : float64[n, k]; b = matmul(m, a) : float64[k, k];"
        "r = transpose(b, axes=(1, 0)) : float64[k, k]",
        "_0 = transpose(m, axes=(1, 0)) : float64[n, k]; r = matmul(m, _0) : float64[k, k]",
    ),
    "new axes": (
        "n = shape(x, axis=0) : int(n); one = 1 : int(1); "
        "r = reshape(x, n, one) : float64[n, 1]",
        "r = expand_dims(x, axes=(1,)) : float64[n, 1]",
    ),
    "the store's adjoint": (
        "z = 0 : int(0); a = index(x, index=at[1:]) : float64[max(0, n - 1)];"
        "b = store(x, z, index=at[1:]) : N; "
        "d = index(y, index=at[:-1]) : float64[max(0, n - 1)];"
        "e = add_store(b, d, index=at[:-1]) : N; r = add_store(e, a, index=at[1:]) : N",
        "d = index(y, index=at[:-1]) : float64[max(0, n - 1)]; "
        "r = add_store(x, d, index=at[:-1]) : N",
    ),
    "add to zeros": (
        "z = zeros_like(x) : N; r = add_store(z, s, index=at[0]) : N",
        "z = zeros_like(x) : N; r = store(z, s, index=at[0]) : N",
    ),
    "add a part": (
        "z = zeros_like(x) : N; a = store(z, s, index=at[0]) : N; r = add(a, y) : N",
        "r = add_store(y, s, index=at[0]) : N",
    ),
    "sign after sum": (
        "a = negative(x) : N; r = sum(a) : float64[]",
        "_0 = sum(x) : float64[]; r = negative(_0) : float64[]",
    ),
    "two sides of a mask": (
        "d = logical_not(c) : bool[n]; a = multiply(x, c) : N; b = multiply(s, x) : N;"
        "e = multiply(b, d) : N; r = add(a, e) : N",
        "_0 = 1 : int(1); slope = where(c, _0, s) : N; r = multiply(x, slope) : N",
    ),
    "the other side first, subtracted": (
        "d = logical_not(c) : bool[n]; h = 0.5 : float; b = multiply(h, d) : N;"
        "e = multiply(x, b) : N; a = multiply(c, x) : N; r = subtract(e, a) : N",
        "_0 = -1 : int(-1); _1 = 0.5 : float; slope = where(c, _0, _1) : N;"
        "r = multiply(slope, x) : N",
    ),
    "a factor before a sum": (
        "a = sum(m, axis=(1,), keepdims=True) : float64[k, 1];"
        "b = multiply(a, m) : float64[k, n]; r = sum(b, axis=(1,)) : float64[k]",
        "_0 = sum(m, axis=(1,)) : float64[k]; _1 = sum(m, axis=(1,)) : float64[k];"
        "r = multiply(_1, _0) : float64[k]",
    ),
    "a divisor before a sum": (
        "a = divide(x, s) : N; r = sum(a) : float64[]",
        "_0 = sum(x) : float64[]; r = divide(_0, s) : float64[]",
    ),
    "quotients with one divisor": (
        "p = divide(x, y) : N; q = sum(y) : float64[]; z = cos(y) : N;"
        "a = divide(z, y) : N; b = divide(q, y) : N; r = subtract(a, b) : N",
        "q = sum(y) : float64[]; z = cos(y) : N; _0 = subtract(z, q) : N;"
        "r = divide(_0, y) : N",
    ),
    "sum of pairs": (
        "two = 2 : int(2); n = shape(x, axis=0) : int(n);"
        "p = concatenate(x, x, axis=0) : float64[2*n];"
        "a = reshape(p, n, two) : float64[n, 2]; r = sum(a, axis=(1,)) : N",
        "two = 2 : int(2); n = shape(x, axis=0) : int(n);"
        "p = concatenate(x, x, axis=0) : float64[2*n];"
        "a = reshape(p, n, two) : float64[n, 2];"
        "_0 = index(a, index=at[:, 0]) : N; _1 = index(a, index=at[:, 1]) : N;"
        "r = add(_0, _1) : N",
    ),
    "transpose of a product of two orders": (
        "a = transpose(m, axes=(1, 0)) : float64[n, k]; b = sin(a) : float64[n, k];"
        "_0 = shape(x, axis=0) : int(n); z = ones(_0, k, dtype=float64) : float64[n, k];"
        "p = multiply(z, b) : float64[n, k]; r = transpose(p, axes=(1, 0)) : float64[k, n]",
        "a = transpose(m, axes=(1, 0)) : float64[n, k]; b = sin(a) : float64[n, k];"
        "_0 = shape(x, axis=0) : int(n); z = ones(_0, k, dtype=float64) : float64[n, k];"
        "_1 = transpose(z, axes=(1, 0)) : float64[k, n];"
        "_2 = transpose(b, axes=(1, 0)) : float64[k, n];"
        "r = multiply(_1, _2) : float64[k, n]",
    ),
}  # fmt: skip


def function(ops: str, role: str) -> str:
    lines = [
        line.strip().replace(": N", f": {N}") for line in ops.split(";") if line.strip()
    ]
    last = lines[-1].split(" = ")[0] if lines else "x"
    heading = f"  -- {role}\n" if role and lines else ""
    return HEAD + heading + "".join(f"  {line}\n" for line in lines) + f"  return {last}\n"


@pytest.mark.parametrize("law", EXACT)
def test_exact_laws(check, law):
    before, after = EXACT[law]
    check(simplify, function(before, ""), function(after, ""), *ARGS)


@pytest.mark.parametrize("law", ADJOINT)
def test_laws_of_derivative_code(check, law):
    before, after = ADJOINT[law]
    check(
        simplify,
        function(before, "backward"),
        function(after, "backward"),
        *ARGS,
        exact=False,
    )


# What is exact only in derivative code stays in the user's.
INEXACT = [
    "x + 0", "x * 0", "x + x", "numbers first", "powers of two", "sum of sum", "sum of repeated",
    "add to zeros", "masks last", "signs", "two sides of a mask", "sum of pairs",
    "writes that the caller would see",
]  # fmt: skip


@pytest.mark.parametrize("law", INEXACT)
def test_primal_code_keeps_its_operations(check, law):
    check(simplify, function(ADJOINT[law][0], ""), None, *ARGS)


KEPT = {
    "a part of a vector that is added to every row": (
        "z = zeros_like(x) : N; a = store(z, s, index=(0,)) : N; "
        "r = add(m, a) : float64[k, n]"
    ),
    "a dtype that would change": (
        "one = 1.0 : float; a = multiply(k, one) : float; r = multiply(x, a) : N"
    ),
    "a lossy cast": (
        "a = astype(x, dtype=float32) : float32[n]; b = astype(a, dtype=float64) : N; "
        "r = sin(b) : N"
    ),
    "reads that may overlap": (
        "a = store(x, s, k, index=at[$0]) : N; b = index(a, index=at[1]) : float64[]; "
        "r = sin(b) : float64[]"
    ),
    "from either end": (
        "a = store(x, s, index=at[-1]) : N; b = index(a, index=at[1]) : float64[]; "
        "r = sin(b) : float64[]"
    ),
    "index of a slice": (
        "a = index(m, index=at[1:]) : float64[max(0, k - 1), n]; "
        "b = index(a, index=at[0]) : N; r = sin(b) : N"
    ),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("role", ["", "backward"])
def test_what_stays(check, name, role):
    check(simplify, function(KEPT[name], role), None, *ARGS)


def test_the_users_array_is_not_handed_back_for_a_copy(check):
    check(simplify, function("one = 1 : int(1); r = multiply(x, one) : N", ""), None, *ARGS)
    check(simplify, function("r = astype(x, dtype=float64) : N", ""), None, *ARGS)


def test_what_a_mask_clears_is_a_hard_zero():
    ops = "z = 0 : int(0); a = where(c, x, z) : N; r = divide(a, y) : N"
    result = simplify(parse(function(ops, "backward"), TABLE))
    y = np.array([0.0, 1.0, np.nan, 2.0, 0.0])
    with np.errstate(all="ignore"):
        [r] = evaluate(result, (X, y, y == 1.0, *ARGS[3:]))
    np.testing.assert_array_equal(r, np.where(y == 1.0, X, 0.0))


def test_an_added_index_array_may_name_an_entry_twice(check):
    text = """
    function f(x: float64[n], i: int64[q], v: float64[q]) -> 0
      -- backward
      z = zeros_like(x) : float64[n]
      a = add_store(z, v, i, index=at[gather 0]) : float64[n]
      r = add(a, x) : float64[n]
      return r
    """
    after = """
    function f(x: float64[n], i: int64[q], v: float64[q]) -> 0
      -- backward
      r = add_store(x, v, i, index=at[gather 0]) : float64[n]
      return r
    """
    check(simplify, text, after, X, np.array([1, 1, 2]), np.ones(3))


def test_a_quotient_that_is_there(check):
    text = """
    function f(x: float64[n], y: float64[n]) -> 0
      p = divide(x, y) : float64[n]
      -- backward
      z = cos(y) : float64[n]
      {}
      r = add(b, p) : float64[n]
      return r
    """
    before = text.format(
        "a = divide(z, y) : float64[n]\n      b = multiply(a, x) : float64[n]"
    )
    check(
        simplify, before, text.format("b = multiply(z, p) : float64[n]"), X, Y, exact=False
    )


@pytest.mark.parametrize(
    ("first", "second", "name", "expected"),
    [
        (400.0, 400.0, "subtract", "400.0 * (x * y - cos(y))"),
        (400.0, -400.0, "add", "400.0 * (x * y - cos(y))"),
        (3.0, -3.0, "subtract", "3.0 * (x * y + cos(y))"),
        (3.0, 2.0, "add", None),
        (1e200, 1e200, "add", None),
    ],
)
def test_a_number_that_two_terms_have_in_common(first, second, name, expected):
    text = f"""
    function f(x: float64[n], y: float64[n]) -> 0
      -- backward
      c = {first} : float
      d = {second} : float
      a = multiply(c, x) : float64[n]
      b = multiply(a, y) : float64[n]
      p = cos(y) : float64[n]
      q = multiply(d, p) : float64[n]
      r = {name}(b, q) : float64[n]
      return r
    """
    start = parse(textwrap.dedent(text), TABLE)
    result = dce(simplify(start))
    names = [op.name for op in result.block.ops if op.name != "const"]
    count = 4 if expected else 5
    assert len(names) == count
    assert (names[-1] == "multiply") == (expected is not None)
    for old, new in zip(evaluate(start, (X, Y)), evaluate(result, (X, Y)), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-13)


def test_a_number_times_a_product_with_one_that_others_read():
    text = """
    function f(x: float64[n]) -> (0, 1)
      -- backward
      c = 200.0 : float
      two = 2.0 : float
      a = multiply(c, x) : float64[n]
      b = multiply(two, a) : float64[n]
      return a, b
    """
    result = simplify(parse(textwrap.dedent(text), TABLE))
    op = result.block.results[1].op
    assert op.name == "multiply"
    assert {v.constant if v.is_constant else v.name for v in op.inputs} == {400.0, "x"}
