"""Simplification of loops and branches."""

from __future__ import annotations

import numpy as np

import symgrad as sg
from symgrad.testing import check_grads
from symgrad.transforms.simplify import simplify

X = np.linspace(-1.3, 1.7, 5)
Y = np.linspace(2.0, 0.3, 5)


def test_a_carried_value_that_never_changes(check):
    before = """
    function f(x: float64[n], y: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      a, b = for(_0, k, _1, x, y) : float64[n], float64[n]
        do(i: int, p: float64[n], q: float64[n])
          r = multiply(p, q) : float64[n]
          yield r, q
      z = add(a, b) : float64[n]
      return z
    """
    after = """
    function f(x: float64[n], y: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      a = for(_0, k, _1, x) : float64[n]
        do(i: int, p: float64[n])
          r = multiply(p, y) : float64[n]
          yield r
      z = add(a, y) : float64[n]
      return z
    """
    check(simplify, before, after, X, Y, 3)


def test_a_choice_after_a_branch_on_the_same_condition(check):
    before = """
    function f(x: float64[n], y: float64[n], c: bool) -> 0
      a = if(c) : float64[n]
        then()
          p = sin(x) : float64[n]
          yield p
        else()
          u = undef(type=type float64[n]) : float64[n]
          yield u
      b = cos(y) : float64[n]
      d = if(c) : float64[n]
        then()
          yield a
        else()
          yield y
      e = if(c) : float64[n]
        then()
          yield d
        else()
          yield b
      r = multiply(d, e) : float64[n]
      return r
    """
    after = """
    function f(x: float64[n], y: float64[n], c: bool) -> 0
      d = if(c) : float64[n]
        then()
          p = sin(x) : float64[n]
          yield p
        else()
          yield y
      b = cos(y) : float64[n]
      e = if(c) : float64[n]
        then()
          yield d
        else()
          yield b
      r = multiply(d, e) : float64[n]
      return r
    """
    check(simplify, before, after, X, Y, True)
    check(simplify, before, after, X, Y, False)


def test_branches_that_agree(check):
    before = """
    function f(x: float64[n], c: bool) -> 0
      a, b, d = if(c) : float64[n], float64[n], float
        then()
          p = sin(x) : float64[n]
          u = undef(type=type float) : float
          z = 0.0 : float
          yield p, x, z
        else()
          z.1 = 0.0 : float
          yield x, x, z.1
      r = multiply(a, b) : float64[n]
      s = multiply(r, d) : float64[n]
      return s
    """
    after = """
    function f(x: float64[n], c: bool) -> 0
      z = 0.0 : float
      a = if(c) : float64[n]
        then()
          p = sin(x) : float64[n]
          yield p
        else()
          yield x
      r = multiply(a, x) : float64[n]
      s = multiply(r, z) : float64[n]
      return s
    """
    check(simplify, before, after, X, True)


def test_masks_that_are_known():
    def f(x, q):
        h = x[1:]
        for _ in range(q):
            if np.sum(h) < 0.1:
                h = h * 0.9 + np.sin(h[0])
            else:
                h = h[::-1]
        return h.sum()

    assert "np.bool_" not in sg.grad(f).lower(np.ones(5), 4).source
    check_grads(f, (np.array([0.3, -0.2, 0.1, 0.15, 0.4]), 4))
