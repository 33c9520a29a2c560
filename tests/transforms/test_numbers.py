"""Python floats go into NumPy's functions as they are."""

from __future__ import annotations

import numpy as np

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


def _function(ops: str) -> str:
    lines = (line.strip() for line in ops.splitlines())
    return HEAD + "".join(f"  {line}\n" for line in lines if line)
