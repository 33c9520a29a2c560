"""Long chains of branches."""

from __future__ import annotations

import pytest

from symgrad.transforms import chains


@pytest.fixture
def pieces_of_one(monkeypatch):
    monkeypatch.setattr(chains, "LENGTH", 1)
    monkeypatch.setattr(chains, "SHORT", 2)


def test_a_chain_in_pieces(check, pieces_of_one):
    before = """
    function f(x: float64[], a: bool, b: bool) -> (0, 1)
      r, s = if(a) : float64[], float64[]
        then()
          _0 = sin(x) : float64[]
          yield _0, x
        else()
          u = cos(x) : float64[]
          t = if(b) : float64[]
            then()
              _1 = multiply(u, x) : float64[]
              yield _1
            else()
              v = exp(u) : float64[]
              w = if(a) : float64[]
                then()
                  yield v
                else()
                  yield u
              yield w
          yield t, u
      return r, s
    """
    after = """
    function f(x: float64[], a: bool, b: bool) -> (0, 1)
      _0, s, _1, u = if(a) : float64[], float64[], bool, float64[]
        then()
          _2 = sin(x) : float64[]
          _3 = False : bool
          _4 = undef(type=type float64[]) : float64[]
          yield _2, x, _3, _4
        else()
          u.1 = cos(x) : float64[]
          _5 = undef(type=type float64[]) : float64[]
          _6 = True : bool
          yield _5, u.1, _6, u.1
      _7, _8 = if(_1) : float64[], bool
        then()
          _9, _10 = if(b) : float64[], bool
            then()
              _11 = multiply(u, x) : float64[]
              _12 = False : bool
              yield _11, _12
            else()
              _13 = undef(type=type float64[]) : float64[]
              _14 = True : bool
              yield _13, _14
          yield _9, _10
        else()
          _15 = False : bool
          yield _0, _15
      r = if(_8) : float64[]
        then()
          v = exp(u) : float64[]
          w = if(a) : float64[]
            then()
              yield v
            else()
              yield u
          yield w
        else()
          yield _7
      return r, s
    """
    check(chains.cut_chains, before, after, 0.3, False, True)
    check(chains.cut_chains, before, after, 0.3, False, False)
    check(chains.cut_chains, before, after, 0.3, True, False)


def test_a_short_chain_stays(check):
    before = """
    function f(x: float64[], a: bool, b: bool) -> 0
      r = if(a) : float64[]
        then()
          yield x
        else()
          t = if(b) : float64[]
            then()
              _1 = multiply(x, x) : float64[]
              yield _1
            else()
              yield x
          yield t
      return r
    """
    check(chains.cut_chains, before, None)
