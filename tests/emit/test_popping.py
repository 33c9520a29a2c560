"""Loops over what an earlier loop has saved."""

from __future__ import annotations

import textwrap

import pytest

from .helpers import body, loaded

TWO_LOOPS = """
function f(x: {t}, n: int, m: int) -> 0
  zero = 0 : int(0)
  one = 1 : int(1)
  down = -1 : int(-1)
  saved = list_new(type=type list[{t}]) : list[{t}]
  x.1, saved.1 = for(zero, n, one, x, saved) : {t}, list[{t}]
    do(i: int, x.2: {t}, saved.2: list[{t}])
      saved.3 = list_push(saved.2, x.2) : list[{t}]
      x.3 = multiply(x.2, x.2) : {t}
      yield x.3, saved.3
  _0 = subtract({count}, one) : int
  g, saved.4 = for(_0, down, down, x.1, saved.1) : {t}, list[{t}]
    do(j: int, g.1: {t}, saved.5: list[{t}])
      saved.6, kept = list_pop(saved.5) : list[{t}], {t}
      g.2 = multiply(g.1, kept) : {t}
      yield g.2, saved.6
  return g
"""


def text(t: str, count: str = "n") -> str:
    return textwrap.dedent(TWO_LOOPS.format(t=t, count=count)).strip()


def test_numbers_are_read_backwards():
    code = text("float")
    assert "for kept in reversed(saved):\n    g *= kept" in body(code)
    assert "pop" not in body(code)
    assert loaded(code)(1.5, 2, 2) == 1.5**4 * 1.5**2 * 1.5


def test_arrays_are_let_go_one_by_one():
    assert "    kept = saved.pop()\n" in body(text("float64[k]"))


def test_a_loop_with_fewer_rounds_takes_as_many():
    code = text("float", "m")
    assert "    kept = saved.pop()\n" in body(code)
    assert loaded(code)(1.5, 2, 1) == 1.5**4 * 1.5**2


COUNTED = """
function f(x: float, limit: float) -> (0, 1)
  zero = 0 : int(0)
  one = 1 : int(1)
  g0 = 1.0 : float
  xs = list_new(type=type list[float]) : list[float]
  ys = list_new(type=type list[float]) : list[float]
  x.1, {count}, xs.1, ys.1 = while(x, zero, xs, ys) : float, int, list[float], list[float]
    condition(x.2: float, n.2: int, p: list[float], r: list[float])
      more = less(x.2, limit) : bool
      yield more
    do(x.3: float, n.3: int, q: list[float], s: list[float])
      y = add(x.3, x.3) : float
      q.1 = list_push(q, x.3) : list[float]
      s.1 = list_push(s, y) : list[float]
      n.4 = add(n.3, {step}) : int
      yield y, n.4, q.1, s.1
  two = 2 : int(2)
  g, xs.2, ys.2 = for(zero, n, one, g0, xs.1, ys.1) : float, list[float], list[float]
    do(j: int, g.1: float, q.2: list[float], s.2: list[float])
      q.3, a = list_pop(q.2) : list[float], float
      s.3, b = list_pop(s.2) : list[float], float
      c = add(a, b) : float
      g.2 = multiply(g.1, c) : float
      yield g.2, q.3, s.3
  return x.1, g
"""


@pytest.mark.parametrize("step", ["one", "n.3"])
def test_several_lists_and_a_count_of_rounds(step):
    code = COUNTED.format(count="n", step=step).strip()
    together = "for a, b in zip(reversed(p), reversed(r)):" in body(code)
    assert together == (step == "one")
    if together:
        assert loaded(code)(1.0, 3.0) == (4.0, (1.0 + 2.0) * (2.0 + 4.0))
