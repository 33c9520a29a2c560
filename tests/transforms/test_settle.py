"""Numbers that meet others, where derivatives read them."""

from __future__ import annotations

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
