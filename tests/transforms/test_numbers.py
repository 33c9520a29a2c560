"""Python floats go into NumPy's functions as they are."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from symgrad.transforms.numbers import numbers

HEAD = """
function f(x: float, y: float32[]) -> 0
"""


def test_calls_take_python_floats(check):
    before = """
      a = asarray(x, dtype=float64) : float64[]
      b = sin(a) : float64[]
      d = cos(a) : float64[]
      r = multiply(b, d) : float64[]
      return r
    """
    after = """
      b = sin(x) : float64[]
      d = cos(x) : float64[]
      r = multiply(b, d) : float64[]
      return r
    """
    result = check(numbers, _function(before), _function(after), 0.7, np.float32(0.1))
    assert all(op.kind.emit_scalar is None for op in result.block.ops[:2])


def test_operators_and_other_dtypes_keep_their_conversion(check):
    text = """
      a = asarray(x, dtype=float64) : float64[]
      b = divide(x, a) : float64[]
      d = maximum(a, y) : float64[]
      h = asarray(x, dtype=float32) : float32[]
      k = sin(h) : float32[]
      p = add(b, d) : float64[]
      r = add(p, k) : float64[]
      return r
    """
    check(numbers, _function(text), None, 0.7, np.float32(0.1))


def test_choices_between_numbers(check):
    """A Python 0 stands where the dtype is known without it."""
    before = """
      h = asarray(x, dtype=float64) : float64[]
      a = negative(h) : float64[]
      c = greater(x, x) : bool
      zero = 0 : int(0)
      -- backward
      b = where(c, a, zero) : float64[]
      d = add(b, a) : float64[]
      e = where(c, zero, d) : float64[]
      r = add(e, y) : float64[]
      return r
    """
    after = """
      h = asarray(x, dtype=float64) : float64[]
      a = negative(h) : float64[]
      c = greater(x, x) : bool
      -- backward
      _0 = 0.0 : float
      b = pick(c, a, _0) : float64[]
      d = add(b, a) : float64[]
      _1 = float64(0.0) : float64[]
      e = pick(c, _1, d) : float64[]
      r = add(e, y) : float64[]
      return r
    """
    check(numbers, _function(before), _function(after), 0.7, np.float32(0.1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_choices_keep_dtypes(dtype):
    def relaxed(v, a):
        v = v.copy()
        for j in range(1, len(v)):
            y = v[j] + a * (v[j - 1] - v[j])
            v[j] = max(y, v[j] * 0.5)
        return v[-1] * v[1]

    gradient = sg.grad(relaxed, (0, 1))
    g_v, g_a = gradient(np.array([1, 0.2, 3], dtype), dtype(0.5))
    assert g_v.dtype == g_a.dtype == dtype
    assert "np.where" not in gradient.source
    check_grads(relaxed, (np.array([1, 0.2, 3]), 0.5))


def _function(ops: str) -> str:
    lines = (line.strip() for line in ops.splitlines())
    return HEAD + "".join(f"  {line}\n" for line in lines if line)
