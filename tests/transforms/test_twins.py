"""Loops that compute the same are one, and a loop carries each value once."""

from __future__ import annotations

import numpy as np

import symgrad as sg
from symgrad.transforms.twins import twins

X = np.linspace(0.1, 1, 4)

HEAD = """
function f(x: float64[n], k: int(k)) -> (0, 1)
  dims k any
  _0 = 0 : int(0)
  _1 = 1 : int(1)
"""


def test_a_loop_within_an_earlier_one(check):
    before = (
        HEAD
        + """\
  y, w = for(_0, k, _1, x, x) : float64[n], float64[n]
    do(i: int, a: float64[n], b: float64[n])
      c = sin(a) : float64[n]
      d = cos(b) : float64[n]
      e = add(d, c) : float64[n]
      yield c, e
  z = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      c = sin(a) : float64[n]
      yield c
  u = cos(z) : float64[n]
  return w, u
"""
    )
    after = (
        HEAD
        + """\
  y, w = for(_0, k, _1, x, x) : float64[n], float64[n]
    do(i: int, a: float64[n], b: float64[n])
      c = sin(a) : float64[n]
      d = cos(b) : float64[n]
      e = add(d, c) : float64[n]
      yield c, e
  u = cos(y) : float64[n]
  return w, u
"""
    )
    check(twins, before, after, X, 3)


def test_a_loop_within_a_later_one(check):
    before = (
        HEAD
        + """\
  z = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      c = sin(a) : float64[n]
      yield c
  u = cos(z) : float64[n]
  v = exp(x) : float64[n]
  y, w = for(_0, k, _1, x, v) : float64[n], float64[n]
    do(i: int, a: float64[n], b: float64[n])
      c = sin(a) : float64[n]
      e = add(b, c) : float64[n]
      yield c, e
  return w, u
"""
    )
    after = (
        HEAD
        + """\
  v = exp(x) : float64[n]
  y, w = for(_0, k, _1, x, v) : float64[n], float64[n]
    do(i: int, a: float64[n], b: float64[n])
      c = sin(a) : float64[n]
      e = add(b, c) : float64[n]
      yield c, e
  u = cos(y) : float64[n]
  return w, u
"""
    )
    check(twins, before, after, X, 3)


def test_a_value_carried_twice(check):
    before = (
        HEAD
        + """\
  y, z, w = for(_0, k, _1, x, x, x) : float64[n], float64[n], float64[n]
    do(i: int, a: float64[n], b: float64[n], c: float64[n])
      d = sin(a) : float64[n]
      e = sin(b) : float64[n]
      g = add(e, c) : float64[n]
      yield d, e, g
  u = cos(z) : float64[n]
  return w, u
"""
    )
    after = (
        HEAD
        + """\
  y, w = for(_0, k, _1, x, x) : float64[n], float64[n]
    do(i: int, a: float64[n], c: float64[n])
      d = sin(a) : float64[n]
      e = sin(a) : float64[n]
      g = add(e, c) : float64[n]
      yield d, g
  u = cos(y) : float64[n]
  return w, u
"""
    )
    check(twins, before, after, X, 3)


def test_loops_that_differ_stay(check):
    before = (
        HEAD
        + """\
  y = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      c = sin(a) : float64[n]
      yield c
  z = for(_0, k, _1, y) : float64[n]
    do(i: int, a: float64[n])
      c = sin(a) : float64[n]
      yield c
  w = for(_0, k, _1, x) : float64[n]
    do(i: int, a: float64[n])
      c = cos(a) : float64[n]
      yield c
  u = cos(w) : float64[n]
  return z, u
"""
    )
    check(twins, before, None, X, 3)


def state(w, x):
    h = np.zeros((x.shape[0], w.shape[0]))
    for t in range(x.shape[1]):
        h = np.tanh(h @ w + x[:, t, np.newaxis])
    return h


def penalty(w, x):
    g_x = sg.grad(lambda x: np.sum(state(w, x)))(x)
    return np.mean(state(w, x)) + np.mean(g_x**2)


def test_the_state_of_a_penalty_is_computed_once():
    w, x = np.eye(3) * 0.5 + 0.1, np.ones((2, 4))
    source = sg.value_and_grad(penalty).lower(w, x).source
    assert sum(line.strip().startswith("h = np.tanh(") for line in source.splitlines()) == 1
