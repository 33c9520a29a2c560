"""Dead code."""

from __future__ import annotations

import numpy as np

import symgrad as sg
from symgrad.transforms.dce import dce

X = np.arange(4.0)


def test_what_nothing_reads_goes(check):
    before = """
    function f(x: float64[n]) -> 0
      y = tanh(x) : float64[n]
      z = sin(y) : float64[n]
      w = cos(y) : float64[n]
      return w
    """
    after = """
    function f(x: float64[n]) -> 0
      y = tanh(x) : float64[n]
      w = cos(y) : float64[n]
      return w
    """
    check(dce, before, after, X)


def test_a_carried_value_that_only_feeds_itself_goes(check):
    before = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      y, z, s = for(_0, k, _1, x, x, k) : float64[n], float64[n], int
        do(i: int, a: float64[n], b: float64[n], t: int)
          c = tanh(a) : float64[n]
          d = multiply(b, a) : float64[n]
          u = add(t, i) : int
          yield c, d, u
      return y
    """
    after = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      y = for(_0, k, _1, x) : float64[n]
        do(i: int, a: float64[n])
          c = tanh(a) : float64[n]
          yield c
      return y
    """
    check(dce, before, after, X, 3)


def test_a_carried_value_that_feeds_a_live_one_stays(check):
    text = """
    function f(x: float64[n], k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      y, z = for(_0, k, _1, x, x) : float64[n], float64[n]
        do(i: int, a: float64[n], b: float64[n])
          c = multiply(a, b) : float64[n]
          d = sin(b) : float64[n]
          yield c, d
      return y
    """
    check(dce, text, None, X, 3)


def test_what_a_while_condition_reads_stays(check):
    before = """
    function f(x: float, y: float) -> 0
      one = 1.0 : float
      a, b, c = while(x, y, y) : float, float, float
        test(p: float, q: float, r: float)
          more = greater(p, one) : bool
          yield more
        do(s: float, t: float, u: float)
          v = negative(one) : float
          w = add(s, v) : float
          t.1 = add(t, s) : float
          u.1 = add(u, s) : float
          yield w, t.1, u.1
      return b
    """
    after = """
    function f(x: float, y: float) -> 0
      one = 1.0 : float
      a, b = while(x, y) : float, float
        test(p: float, q: float)
          more = greater(p, one) : bool
          yield more
        do(s: float, t: float)
          v = negative(one) : float
          w = add(s, v) : float
          t.1 = add(t, s) : float
          yield w, t.1
      return b
    """
    check(dce, before, after, 4.5, 0.5)


def test_an_early_exit_keeps_its_condition(check):
    before = """
    function f(x: float, k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      a, b = for(_0, k, _1, x, x, breaks=True) : float, float
        do(i: int, p: float, q: float)
          stop = greater(p, q) : bool
          r = add(p, x) : float
          yield stop, p, r
      return a
    """
    after = before
    check(dce, after, None, 1.0, 3)


def test_unused_results_of_branches_go(check):
    before = """
    function f(x: float, c: bool) -> 0
      a, b = if(c) : float, float
        then()
          p = sin(x) : float
          q = cos(x) : float
          yield p, q
        else()
          yield x, x
      return b
    """
    after = """
    function f(x: float, c: bool) -> 0
      b = if(c) : float
        then()
          q = cos(x) : float
          yield q
        else()
          yield x
      return b
    """
    check(dce, before, after, 1.0, True)


def test_a_list_that_is_only_filled_goes(check):
    before = """
    function f(x: float, k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      e = list_new(type=type list[float]) : list[float]
      y, s = for(_0, k, _1, x, e) : float, list[float]
        do(i: int, a: float, t: list[float])
          u = list_push(t, a) : list[float]
          b = sin(a) : float
          yield b, u
      return y
    """
    after = """
    function f(x: float, k: int(k)) -> 0
      dims k any
      _0 = 0 : int(0)
      _1 = 1 : int(1)
      y = for(_0, k, _1, x) : float
        do(i: int, a: float)
          b = sin(a) : float
          yield b
      return y
    """
    check(dce, before, after, 1.0, 2)


def test_derivatives_keep_their_signature(check):
    text = """
    function f(x: float, y: float) -> 0
      v, gx, gy = reverse(x, y, wrt=(0, 1)) : float, float, float
        of(a: float, b: float)
          c = multiply(a, b) : float
          yield c
      return gx
    """
    check(dce, text, None)


def test_nothing_is_computed_for_its_lengths_alone() -> None:
    f = sg.grad(lambda x, w: np.mean((x @ w) ** 2))
    x, w = np.ones((4, 3)), np.ones((3, 2))
    np.testing.assert_array_equal(f(x, w), np.full((4, 3), 1.5))
    assert "t.size" in f.source
    assert "t ** 2" not in f.source
