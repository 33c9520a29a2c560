"""Loop-invariant motion."""

from __future__ import annotations

import numpy as np

from symgrad.transforms.licm import licm

X = np.linspace(0.1, 1, 4)

HEAD = """
function f(x: float64[n], c: float, k: int(k)) -> 0
  dims k any
  _0 = 0 : int(0)
  _1 = 1 : int(1)
"""


def test_what_does_not_change_moves_out_of_all_loops(check):
    before = (
        HEAD
        + """\
  y = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      z = for(_0, k, _1, a) : float64[n]
        do(j: int, b: float64[n])
          s = sin(x) : float64[n]
          t = sin(a) : float64[n]
          u = add(s, t) : float64[n]
          v = multiply(b, u) : float64[n]
          yield v
      yield z
  return y
"""
    )
    after = (
        HEAD
        + """\
  s = sin(x) : float64[n]
  y = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      t = sin(a) : float64[n]
      u = add(s, t) : float64[n]
      z = for(_0, k, _1, a) : float64[n]
        do(j: int, b: float64[n])
          v = multiply(b, u) : float64[n]
          yield v
      yield z
  return y
"""
    )
    check(licm, before, after, X, 0.5, 2)


def test_what_might_raise_stays_in_a_loop_that_may_make_no_round(check):
    text = (
        HEAD
        + """\
  y = for(_0, k, _1, c) : float
    do(i: int, a: float)
      d = divide(c, c) : float
      e = log(c) : float
      g = index(x, index=at[7]) : float64[]
      h = item(g, kind='float') : float
      b = add(d, h) : float
      yield b
  return y
"""
    )
    check(licm, text, None, X, 0.0, 0)


def test_it_moves_out_of_a_loop_that_surely_runs(check):
    before = (
        HEAD
        + """\
  _2 = 3 : int(3)
  y = for(_0, _2, _1, c) : float
    do(i: int, a: float)
      d = log(c) : float
      b = add(a, d) : float
      yield b
  return y
"""
    )
    after = (
        HEAD
        + """\
  _2 = 3 : int(3)
  d = log(c) : float
  y = for(_0, _2, _1, c) : float
    do(i: int, a: float)
      b = add(a, d) : float
      yield b
  return y
"""
    )
    check(licm, before, after, X, 0.5, 2)


def test_a_branch_inside_a_loop_keeps_what_it_has(check):
    text = (
        HEAD
        + """\
  y = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      p = greater(i, _1) : bool
      b = if(p) : float64[n]
        then()
          s = sin(x) : float64[n]
          yield s
        else()
          yield a
      yield b
  return y
"""
    )
    check(licm, text, None, X, 0.5, 3)


def test_memory_written_to_in_each_round_stays(check):
    text = (
        HEAD
        + """\
  y = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      z = zeros_like(x) : float64[n]
      w = store(z, c, i, index=at[$0]) : float64[n]
      b = add(a, w) : float64[n]
      yield b
  return y
"""
    )
    check(licm, text, None, X, 0.5, 3)


def test_a_while_condition_runs_at_least_once(check):
    before = (
        HEAD
        + """\
  y = while(c) : float
    test(a: float)
      d = log(c) : float
      p = greater(a, d) : bool
      yield p
    do(b: float)
      e = log(c) : float
      b.1 = subtract(b, c) : float
      yield b.1
  return y
"""
    )
    after = (
        HEAD
        + """\
  d = log(c) : float
  y = while(c) : float
    test(a: float)
      p = greater(a, d) : bool
      yield p
    do(b: float)
      e = log(c) : float
      b.1 = subtract(b, c) : float
      yield b.1
  return y
"""
    )
    check(licm, before, after, X, 0.5, 2)
