"""Numbers that meet others, where derivatives read them."""

from __future__ import annotations

import numpy as np

import symgrad as sg
from symgrad.testing import check_grads
from symgrad.transforms.settle import settle


def test_what_a_derivative_reads(check):
    before = """
    function f(x: float64[n], y: float64[], c: bool) -> (0, 1)
      _0 = 2 : int(2)
      s = if(c) : float64[]
        then()
          _1 = joined(_0, type=type float64[]) : float64[]
          yield _1
        else()
          yield y
      t = if(c) : float64[]
        then()
          _2 = joined(_0, type=type float64[]) : float64[]
          yield _2
        else()
          yield y
      _3, g_x = reverse(x, wrt=(0,)) : float64[], float64[n]
        of(x.1: float64[n])
          p = multiply(x.1, s) : float64[n]
          q = sum(p) : float64[]
          yield q
      return g_x, t
    """
    after = """
    function f(x: float64[n], y: float64[], c: bool) -> (0, 1)
      _0 = 2 : int(2)
      s = if(c) : float64[]
        then()
          _1 = asarray(_0, dtype=float64) : float64[]
          yield _1
        else()
          yield y
      t = if(c) : float64[]
        then()
          _2 = joined(_0, type=type float64[]) : float64[]
          yield _2
        else()
          yield y
      _3, g_x = reverse(x, wrt=(0,)) : float64[], float64[n]
        of(x.1: float64[n])
          p = multiply(x.1, s) : float64[n]
          q = sum(p) : float64[]
          yield q
      return g_x, t
    """
    check(settle, before, after)


def test_what_a_derivative_holds_and_what_a_loop_hands_on(check):
    before = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      _2 = joined(_1, type=type float) : float
      s = for(_0, k, _1, _2) : float
        do(i: int, r: float)
          u = add(r, r) : float
          yield u
      _3, g_x = reverse(x, wrt=(0,)) : float64[], float64[n]
        of(x.1: float64[n])
          _4 = joined(s, type=type float64[]) : float64[]
          p = multiply(x.1, _4) : float64[n]
          q = sum(p) : float64[]
          yield q
      return g_x
    """
    after = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      _2 = item(_1, kind='float') : float
      s = for(_0, k, _1, _2) : float
        do(i: int, r: float)
          u = add(r, r) : float
          yield u
      _3, g_x = reverse(x, wrt=(0,)) : float64[], float64[n]
        of(x.1: float64[n])
          _4 = asarray(s, dtype=float64) : float64[]
          p = multiply(x.1, _4) : float64[n]
          q = sum(p) : float64[]
          yield q
      return g_x
    """
    check(settle, before, after)


def test_nothing_to_settle(check):
    before = """
    function f(x: float64[n]) -> 0
      y = sin(x) : float64[n]
      return y
    """
    check(settle, before, None)


def test_a_whole_number_that_is_only_returned(check):
    before = """
    function f(x: float64[n], c: bool) -> (0, 1)
      _0, g_x = reverse(x, wrt=(0,)) : float64[], float64[n]
        of(x.1: float64[n])
          _1 = 3 : int(3)
          r = if(c) : float64[]
            then()
              _2 = joined(_1, type=type float64[]) : float64[]
              yield _2
            else()
              q = sum(x.1) : float64[]
              yield q
          yield r
      return _0, g_x
    """
    check(settle, before, before)


def test_the_value_beside_a_gradient_is_the_number_that_is_returned():
    def f(x, q):
        if q > 2:
            return 3
        return np.sum(np.sin(x))

    def g(x, q):
        return f(x, q) * x[0]

    x = np.array([0.3, 0.4])
    value, gradient = sg.value_and_grad(f)(x, 3)
    assert type(value) is int
    np.testing.assert_array_equal(gradient, [0, 0])
    value, gradient = sg.value_and_grad(g)(x, 3)
    assert value == 3 * x[0]
    np.testing.assert_array_equal(gradient, [3, 0])
    check_grads(f, (x, 1))
    check_grads(g, (x, 3))
