"""The reference interpreter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symgrad.errors import InternalError
from symgrad.ir.evaluate import evaluate
from symgrad.ir.parser import parse
from symgrad.ops import TABLE

X = np.arange(6.0)


def run(text, *args):
    return evaluate(parse(text, TABLE), args)


def test_templates_are_the_meaning():
    text = """
    function f(x: float64[n, k]) -> 0
      y = sum(x, axis=(1,), keepdims=True) : float64[n, 1]
      z = transpose(y, axes=(1, 0)) : float64[1, n]
      return z
    """
    x = X.reshape(2, 3)
    [z] = run(text, x)
    np.testing.assert_array_equal(z, np.sum(x, axis=1, keepdims=True).T)


def test_python_scalars_stay_python_scalars():
    text = """
    function f(x: float) -> 0
      y = sin(x) : float
      return y
    """
    [y] = run(text, 0.5)
    assert type(y) is float
    assert y == math.sin(0.5)


def test_stores_leave_the_argument_alone():
    text = """
    function f(x: float64[n], v: float) -> 0
      y = store(x, v, index=at[1:-1]) : float64[n]
      z = add_store(y, v, index=at[0]) : float64[n]
      return y, z
    """
    x = X.copy()
    y, z = run(text, x, 9.0)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, [0, 9, 9, 9, 9, 5])
    np.testing.assert_array_equal(z, [9, 9, 9, 9, 9, 5])


def test_for_with_break():
    text = """
    function f(n: int(n)) -> 0
      _0 = 0 : int(0)
      _1 = 2 : int(2)
      limit = 6 : int(6)
      s, k = for(_0, n, _1, _0, _0, breaks=True) : int, int
        do(i: int, a: int, b: int)
          c = add(a, i) : int
          stop = greater(c, limit) : bool
          yield stop, c, i
      return s, k
    """
    assert run(text, 100) == (12, 6)
    assert run(text, 3) == (2, 2)
    assert run(text, 0) == (0, 0)


def test_while_and_lists():
    text = """
    function f(x: float) -> 0
      one = 1.0 : float
      half = 0.5 : float
      new = list_new(type=type list[float]) : list[float]
      y, saved = while(x, new) : float, list[float]
        test(a: float, e: list[float])
          more = greater(a, one) : bool
          yield more
        do(b: float, s: list[float])
          t = list_push(s, b) : list[float]
          c = multiply(b, half) : float
          yield c, t
      rest, last = list_pop(saved) : list[float], float
      return y, rest, last
    """
    assert run(text, 5.0) == (0.625, [5.0, 2.5], 1.25)


def test_if_runs_one_branch():
    text = """
    function f(x: float) -> 0
      zero = 0.0 : float
      positive = greater(x, zero) : bool
      y = if(positive) : float
        then()
          a = log(x) : float
          yield a
        else()
          u = undef(type=type float) : float
          yield u
      return y
    """
    assert run(text, 1.0) == (0.0,)
    assert run(text, -1.0) == (None,)


def test_an_op_not_expanded_is_a_fault():
    text = """
    function f(x: float) -> 0
      v, g = reverse(x, wrt=(0,)) : float, float
        of(a: float)
          yield a
      return g
    """
    with pytest.raises(InternalError, match="reverse has to be expanded"):
        run(text, 1.0)
