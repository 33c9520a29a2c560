"""Constant folding."""

from __future__ import annotations

import numpy as np
import pytest

from symgrad.transforms.dce import dce
from symgrad.transforms.fold import fold

X = np.linspace(0.1, 1, 4)


def clean(function):
    return dce(fold(function))


def test_numbers(check):
    before = """
    function f(x: float) -> 0
      a = 2 : int(2)
      b = 3 : int(3)
      c = multiply(a, b) : int(6)
      d = 0.1 : float
      e = 0.2 : float
      g = add(d, e) : float
      h = multiply(g, c) : float
      k = power(a, b) : int
      y = multiply(x, h) : float
      z = multiply(y, k) : float
      return z
    """
    after = f"""
    function f(x: float) -> 0
      h = {(0.1 + 0.2) * 6!r} : float
      k = 8 : int(8)
      y = multiply(x, h) : float
      z = multiply(y, k) : float
      return z
    """
    check(clean, before, after, 0.7)


def test_numpy_scalars_keep_their_dtype(check):
    before = """
    function f(x: float32[n]) -> 0
      a = float32(0.1) : float32[]
      b = float32(0.2) : float32[]
      c = multiply(a, b) : float32[]
      y = multiply(x, c) : float32[n]
      return y
    """
    c = np.float32(0.1) * np.float32(0.2)
    after = f"""
    function f(x: float32[n]) -> 0
      c = float32({float(c)!r}) : float32[]
      y = multiply(x, c) : float32[n]
      return y
    """
    check(clean, before, after, X.astype(np.float32))


@pytest.mark.parametrize(
    "op",
    [
        "a = divide(one, zero) : float",
        "a = floor_divide(one, zero) : int",
        "a = sin(half) : float",
        "a = multiply(huge, huge) : float",
        "a = power(many, many) : int",
    ],
)
def test_what_may_raise_or_differ_is_left(check, op):
    text = f"""
    function f(x: float) -> 0
      one = 1 : int(1)
      zero = 0 : int(0)
      half = 0.5 : float
      huge = 1e+300 : float
      many = 1000 : int(1000)
      {op}
      return one, zero, half, huge, many, a
    """
    check(clean, text, None)


def test_known_lengths(check):
    before = """
    function f(x: float64[4, n]) -> 0
      a = shape(x, axis=0) : int(4)
      b = shape(x, axis=1) : int(n)
      c = multiply(a, a) : int(16)
      d = subtract(b, b) : int(0)
      return a, b, c, d
    """
    after = """
    function f(x: float64[4, n]) -> 0
      a = 4 : int(4)
      b = shape(x, axis=1) : int(n)
      c = 16 : int(16)
      d = 0 : int(0)
      return a, b, c, d
    """
    check(clean, before, after, np.ones((4, 3)))


def test_comparisons_of_lengths(check):
    before = """
    function f(x: float64[n], y: float64[n], k: int(k)) -> 0
      dims k any
      a = shape(x, axis=0) : int(n)
      b = shape(y, axis=0) : int(n)
      p = equal(a, b) : bool
      zero = 0 : int(0)
      q = less(a, zero) : bool
      r = less(a, k) : bool
      return p, q, r
    """
    after = """
    function f(x: float64[n], y: float64[n], k: int(k)) -> 0
      dims k any
      a = shape(x, axis=0) : int(n)
      p = True : bool
      q = False : bool
      r = less(a, k) : bool
      return p, q, r
    """
    check(clean, before, after, X, X, 2)


def test_a_branch_on_a_constant(check):
    before = """
    function f(x: float64[n]) -> 0
      c = True : bool
      y, z = if(c) : float64[n], float64[n]
        then()
          a = sin(x) : float64[n]
          yield a, x
        else()
          b = cos(x) : float64[n]
          yield b, b
      w = multiply(y, z) : float64[n]
      return w
    """
    after = """
    function f(x: float64[n]) -> 0
      a = sin(x) : float64[n]
      w = multiply(a, x) : float64[n]
      return w
    """
    check(clean, before, after, X)


def test_inside_a_branch_its_condition_is_known(check):
    before = """
    function f(x: float64[n], c: bool) -> 0
      y = if(c) : float64[n]
        then()
          z = if(c) : float64[n]
            then()
              a = sin(x) : float64[n]
              yield a
            else()
              yield x
          yield z
        else()
          w = if(c) : float64[n]
            then()
              yield x
            else()
              b = cos(x) : float64[n]
              yield b
          yield w
      return y
    """
    after = """
    function f(x: float64[n], c: bool) -> 0
      y = if(c) : float64[n]
        then()
          a = sin(x) : float64[n]
          yield a
        else()
          b = cos(x) : float64[n]
          yield b
      return y
    """
    check(clean, before, after, X, False)


def test_loops_without_a_round(check):
    before = """
    function f(x: float64[n]) -> 0
      n = shape(x, axis=0) : int(n)
      one = 1 : int(1)
      y = for(n, n, one, x) : float64[n]
        do(i: int, a: float64[n])
          b = sin(a) : float64[n]
          yield b
      z = while(y) : float64[n]
        test(c: float64[n])
          never = False : bool
          yield never
        do(d: float64[n])
          yield d
      return z
    """
    after = """
    function f(x: float64[n]) -> 0
      return x
    """
    check(clean, before, after, X)


def test_a_loop_that_may_run_stays(check):
    text = """
    function f(x: float64[n]) -> 0
      n = shape(x, axis=0) : int(n)
      zero = 0 : int(0)
      one = 1 : int(1)
      y = for(zero, n, one, x) : float64[n]
        do(i: int, a: float64[n])
          b = sin(a) : float64[n]
          yield b
      return y
    """
    check(clean, text, None, X)


def test_a_length_that_an_input_is(check):
    before = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      n = shape(x, axis=0) : int(n)
      zero = 0 : int(0)
      one = 1 : int(1)
      a = range_length(zero, n, one) : int(n)
      b = add(a, zero) : int(n)
      c = range_length(zero, k, one) : int(max(0, k))
      return b, c
    """
    after = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      n = shape(x, axis=0) : int(n)
      zero = 0 : int(0)
      one = 1 : int(1)
      c = range_length(zero, k, one) : int(max(0, k))
      return n, c
    """
    check(clean, before, after, X, 3)
