"""Common subexpressions."""

from __future__ import annotations

import numpy as np

from symgrad.transforms.cse import cse

X = np.linspace(0.1, 1, 4)


def test_equal_ops_are_merged_and_the_earlier_name_stays(check):
    before = """
    function f(x: float64[n], y: float64[n]) -> 0
      h = add(x, y) : float64[n]
      -- backward
      _0 = add(y, x) : float64[n]
      g_h = tanh(_0) : float64[n]
      r = multiply(h, g_h) : float64[n]
      return r
    """
    after = """
    function f(x: float64[n], y: float64[n]) -> 0
      h = add(x, y) : float64[n]
      -- backward
      g_h = tanh(h) : float64[n]
      r = multiply(h, g_h) : float64[n]
      return r
    """
    check(cse, before, after, X, X[::-1].copy())


def test_attributes_and_constants_tell_ops_apart(check):
    text = """
    function f(x: float64[n, k]) -> 0
      a = sum(x, axis=(0,)) : float64[k]
      b = sum(x, axis=(1,)) : float64[n]
      _0 = 0.0 : float
      _1 = -0.0 : float
      _2 = 0 : int(0)
      _3 = False : bool
      return a, b, _0, _1, _2, _3
    """
    check(cse, text, None, np.ones((2, 3)))


def test_subtract_does_not_commute(check):
    text = """
    function f(x: float64[n], y: float64[n]) -> 0
      a = subtract(x, y) : float64[n]
      b = subtract(y, x) : float64[n]
      return a, b
    """
    check(cse, text, None, X, X * 2)


def test_an_outer_value_serves_a_region_but_not_the_other_way_round(check):
    before = """
    function f(x: float64[n], c: bool) -> 0
      a = sin(x) : float64[n]
      y = if(c) : float64[n]
        then()
          b = sin(x) : float64[n]
          d = cos(x) : float64[n]
          e = multiply(b, d) : float64[n]
          yield e
        else()
          d.1 = cos(x) : float64[n]
          yield d.1
      g = cos(x) : float64[n]
      z = multiply(y, a) : float64[n]
      w = multiply(z, g) : float64[n]
      return w
    """
    after = """
    function f(x: float64[n], c: bool) -> 0
      a = sin(x) : float64[n]
      y = if(c) : float64[n]
        then()
          d = cos(x) : float64[n]
          e = multiply(a, d) : float64[n]
          yield e
        else()
          d.1 = cos(x) : float64[n]
          yield d.1
      g = cos(x) : float64[n]
      z = multiply(y, a) : float64[n]
      w = multiply(z, g) : float64[n]
      return w
    """
    check(cse, before, after, X, True)


LOOP = """
      {0} = for(_0, k, _1, x) : float64[n]
        do(i: int, a: float64[n])
          b = sin(a) : float64[n]
          yield {1}
"""
HEAD = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)"""


def test_whole_loops_are_merged(check):
    before = (
        HEAD
        + LOOP.format("y", "b")
        + """\
      -- grad of f
      z = for(_0, k, _1, x) : float64[n]
        do(i.1: int, a.1: float64[n])
          b.1 = sin(a.1) : float64[n]
          yield b.1
      w = multiply(y, z) : float64[n]
      return w
    """
    )
    after = (
        HEAD
        + LOOP.format("y", "b")
        + """\
      -- grad of f
      w = multiply(y, y) : float64[n]
      return w
    """
    )
    check(cse, before, after, X, 2)


def test_loops_that_differ_inside_stay(check):
    text = (
        HEAD
        + LOOP.format("y", "b")
        + """\
      z = for(_0, k, _1, x) : float64[n]
        do(i.1: int, a.1: float64[n])
          b.1 = sin(a.1) : float64[n]
          yield a.1
      w = multiply(y, z) : float64[n]
      return w
    """
    )
    check(cse, text, None, X, 2)


def test_fresh_memory_that_is_written_to_stays_apart(check):
    text = """
    function f(x: float64[n]) -> 0
      a = zeros_like(x) : float64[n]
      b = zeros_like(x) : float64[n]
      v = 1.0 : float
      c = store(a, v, index=at[0:2]) : float64[n]
      d = store(b, v, index=at[1:3]) : float64[n]
      return c, d
    """
    check(cse, text, None, X)


def test_two_arrays_handed_to_the_caller_stay_two(check):
    text = """
    function f(x: float64[n]) -> 0
      a = sin(x) : float64[n]
      b = sin(x) : float64[n]
      return a, b
    """
    check(cse, text, None, X)


def test_a_primal_op_merged_into_derivative_code_makes_that_primal(check):
    before = """
    function f(x: float64[n]) -> 0
      -- grad of f
      a = sin(x) : float64[n]
      -- primal
      b = sin(x) : float64[n]
      c = sum(b) : float64[]
      d = sum(a) : float64[]
      return c, d
    """
    after = """
    function f(x: float64[n]) -> 0
      a = sin(x) : float64[n]
      c = sum(a) : float64[]
      return c, c
    """
    check(cse, before, after, X)
