"""Loops and branches look like the user's."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
import pytest

from symgrad.emit.control import _sequence
from symgrad.emit.exits import _settled

from .helpers import body, loaded

A = "float64[n]"


def code(text: str) -> str:
    return textwrap.dedent(text).strip()


LOOP = code(f"""
    function f(x: {A}, n: int) -> 0
      zero = 0 : int(0)
      one = 1 : int(1)
      x.1 = for(zero, n, one, x) : {A}
        do(i: int, x.2: {A})
          x.3 = sin(x.2) : {A}
          yield x.3
      return x.1
""")


def test_a_carried_value_keeps_its_name():
    assert body(LOOP) == code("""
        for _ in range(n):
            x = np.sin(x)
        return x
    """)


def test_a_loop_runs_as_the_users():
    x = np.array([0.5, 1.0])
    assert np.array_equal(loaded(LOOP)(x, 2), np.sin(np.sin(x)))
    assert np.array_equal(x, [0.5, 1.0])


def test_values_that_change_places_are_assigned_together():
    lines = body(
        code(f"""
        function f(u: {A}, v: {A}, n: int) -> (0, 1)
          zero = 0 : int(0)
          one = 1 : int(1)
          u.1, v.1 = for(zero, n, one, u, v) : {A}, {A}
            do(i: int, u.2: {A}, v.2: {A})
              yield v.2, u.2
          return u.1, v.1
        """)
    )
    assert lines == code("""
        for _ in range(n):
            u, v = v, u
        return u, v
    """)


def test_counting_down_is_reversed():
    lines = body(
        code("""
        function f(s: float, n: int) -> 0
          one = 1 : int(1)
          last = subtract(n, one) : int
          stop = -1 : int
          step = -1 : int
          s.1 = for(last, stop, step, s) : float
            do(i: int, s.2: float)
              s.3 = multiply(s.2, i) : float
              yield s.3
          return s.1
        """)
        .replace("last = ", "_9 = ")
        .replace("for(last", "for(_9")
    )
    assert lines == code("""
        for i in reversed(range(n)):
            s *= i
        return s
    """)


def test_a_branch_assigns_its_results():
    text = code("""
        function f(x: float) -> 0
          zero = 0.0 : float
          _1 = less(x, zero) : bool
          y = if(_1) : float
            then()
              y.1 = negative(x) : float
              yield y.1
            else()
              yield x
          return y
    """)
    assert body(text) == code("""
        if x < 0.0:
            y = -x
        else:
            y = x
        return y
    """)
    assert loaded(text)(-2.0) == 2.0


def test_nested_branches_are_elif():
    lines = body(
        code("""
        function f(x: float) -> 0
          zero = 0.0 : float
          one = 1.0 : float
          _1 = less(x, zero) : bool
          y = if(_1) : float
            then()
              y.1 = negative(x) : float
              yield y.1
            else()
              _2 = less(x, one) : bool
              y.2 = if(_2) : float
                then()
                  y.3 = sin(x) : float
                  yield y.3
                else()
                  y.4 = cos(x) : float
                  yield y.4
              yield y.2
          return y
        """)
    )
    assert lines == code("""
        if x < 0.0:
            y = -x
        elif x < 1.0:
            y = math.sin(x)
        else:
            y = math.cos(x)
        return y
    """)


WHILE = """
    function f(x: float, tol: float) -> 0
      x.1 = while(x) : float
        test(x.2: float)
          _1 = {test}(tol, x.2) : bool
          yield _1
        do(x.3: float)
          half = 0.5 : float
          x.4 = multiply(half, x.3) : float
          yield x.4
      return x.1
"""


def test_the_condition_stands_in_the_header():
    assert body(code(WHILE.format(test="less"))) == code("""
        while tol < x:
            x = 0.5 * x
        return x
    """)


def test_a_loop_that_is_left_breaks():
    text = code("""
        function f(x: float, n: int) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          x.1 = for(zero, n, one, x, breaks=True) : float
            do(i: int, x.2: float)
              limit = 1.0 : float
              x.3 = multiply(x.2, limit) : float
              _1 = less(x.3, limit) : bool
              _2, x.4 = if(_1) : bool, float
                then()
                  _3 = True : bool
                  yield _3, x.3
                else()
                  _4 = False : bool
                  x.5 = sin(x.3) : float
                  yield _4, x.5
              yield _2, x.4
          return x.1
    """)
    assert body(text) == code("""
        for _ in range(n):
            x *= 1.0
            if x < 1.0:
                break
            x = math.sin(x)
        return x
    """)
    assert loaded(text)(0.5, 3) == 0.5


def test_lists_are_pushed_and_popped():
    lines = body(
        code("""
        function f(x: float, n: int) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          xs = list_new(type=type list[float]) : list[float]
          xs.1, x.1 = for(zero, n, one, xs, x) : list[float], float
            do(i: int, xs.2: list[float], x.2: float)
              xs.3 = list_push(xs.2, x.2) : list[float]
              x.3 = sin(x.2) : float
              yield xs.3, x.3
          xs.4, y = list_pop(xs.1) : list[float], float
          return y
        """)
    )
    assert lines == code("""
        xs = []
        for _ in range(n):
            xs.append(x)
            x = math.sin(x)
        y = xs.pop()
        return y
    """)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"a": "b", "c": "1"}, "a = b\nc = 1"),
        ({"a": "b", "b": "a"}, "a, b = (b, a)"),
        ({"a": "b", "k": "[]", "c": "a"}, "k = []\na, c = (b, a)"),
        ({"c": "a", "a": "b"}, "c = a\na = b"),
        ({"a": "a + 1", "c": "2"}, "a = a + 1\nc = 2"),
    ],
)
def test_assignments_at_the_same_time(wanted, text):
    """Only those that read each other's variables are on one line."""
    made = _sequence({k: ast.parse(v, mode="eval").body for k, v in wanted.items()})
    assert "\n".join(ast.unparse(ast.fix_missing_locations(s)) for s in made) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("if c:\n    t = False", ""),
        ("if c:\n    t = False\nelse:\n    x = 1", "if c:\n    pass\nelse:\n    x = 1"),
        ("for i in n:\n    t = False", "for i in n:\n    pass"),
    ],
)
def test_what_only_sets_a_flag_goes_with_it(text, left):
    made = _settled(ast.parse(text).body, {"t": False})
    assert "\n".join(map(ast.unparse, made)) == left
