"""Copies only where they are needed, and nothing overwritten that is read later."""

from __future__ import annotations

import itertools
import textwrap

import numpy as np
import pytest

from symgrad.emit import emit, load
from symgrad.errors import InternalError
from symgrad.ir.evaluate import evaluate
from symgrad.ir.values import Op
from symgrad.transforms.dce import dce
from symgrad.transforms.memory.reuse import reuse

from ..emit.helpers import body, function_of
from ..emit.programs import Maker

A = "float64[n]"


def code(text: str) -> str:
    return textwrap.dedent(text).strip()


def copies(text: str) -> list[Op]:
    function = reuse(function_of(code(text)))
    return [op for op in function.block.walk() if op.name == "copy"]


def test_an_argument_is_copied_once_and_outside_the_loop():
    assert body(
        code(f"""
        function f(x: {A}, n: int(n)) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          v = 1.0 : float
          y = for(zero, n, one, x) : {A}
            do(i: int, y.1: {A})
              y.2 = store(y.1, v, i, index=at[$0]) : {A}
              yield y.2
          return y
        """)
    ) == code("""
        y = x.copy()
        for i in range(n):
            y[i] = 1.0
        return y
    """)


def test_an_argument_that_is_to_change_is_written_itself():
    assert body(
        code(f"""
        function f(x: {A}) -> static(None)
          mutates x = 0
          v = 1.0 : float
          x.1 = store(x, v, index=at[0]) : {A}
          x.2 = add_store(x.1, v, index=at[1:]) : {A}
          return x.2
        """)
    ) == code("""
        x[0] = 1.0
        x[1:] += 1.0
    """)


def test_new_content_made_elsewhere_is_written_back():
    lines = body(
        code(f"""
        function f(x: {A}) -> static(None)
          mutates x = 0
          y = sin(x) : {A}
          return y
        """)
    )
    assert lines.endswith("x[...] = y")


def test_a_view_that_is_read_later_is_copied_not_its_base():
    lines = body(
        code(f"""
        function f(x: {A}) -> (0, 1)
          y = sin(x) : {A}
          old = index(y, index=at[1:]) : float64[n - 1]
          v = 0.0 : float
          y.1 = store(y, v, index=at[1:]) : {A}
          return y.1, old
        """)
    )
    assert lines == code("""
        y = np.sin(x)
        old = y[1:].copy()
        y[1:] = 0.0
        return y, old
    """)


def test_nothing_is_copied_when_the_old_content_is_dead():
    assert not copies(f"""
        function f(x: {A}) -> 0
          y = sin(x) : {A}
          v = 0.0 : float
          y.1 = store(y, v, index=at[1:]) : {A}
          return y.1
    """)


def test_what_a_list_keeps_is_not_overwritten():
    text = f"""
        function f(x: {A}, n: int(n)) -> (0, 1)
          zero = 0 : int(0)
          one = 1 : int(1)
          v = 1.0 : float
          xs = list_new(type=type list[{A}]) : list[{A}]
          y = sin(x) : {A}
          xs.1, y.1 = for(zero, n, one, xs, y) : list[{A}], {A}
            do(i: int, xs.2: list[{A}], y.2: {A})
              xs.3 = list_push(xs.2, y.2) : list[{A}]
              y.3 = store(y.2, v, i, index=at[$0]) : {A}
              yield xs.3, y.3
          xs.4, last = list_pop(xs.1) : list[{A}], {A}
          return y.1, last
    """
    assert "xs.append(y.copy())" in body(code(text))


def test_what_a_list_keeps_from_the_last_round_is_not_taken_over():
    text = f"""
        function f(x: {A}, n: int(n)) -> (0, 1)
          zero = 0 : int(0)
          one = 1 : int(1)
          xs = list_new(type=type list[{A}]) : list[{A}]
          y = sin(x) : {A}
          xs.1, y.1 = for(zero, n, one, xs, y) : list[{A}], {A}
            do(i: int, xs.2: list[{A}], y.2: {A})
              y.3 = subtract(y.2, x) : {A}
              xs.3 = list_push(xs.2, y.3) : list[{A}]
              yield xs.3, y.3
          xs.4, last = list_pop(xs.1) : list[{A}], {A}
          return y.1, last
    """
    assert "y = y - x" in body(code(text))


def test_results_of_derivatives_share_no_memory():
    text = code(f"""
        function f(x: {A}) -> (0, 1, 2)
          y = sin(x) : {A}
          return y, y, x
    """)
    function = function_of(text)
    plain, derivative = reuse(function), reuse(_as_derivative(function))
    assert not [op for op in plain.block.ops if op.name == "copy"]
    assert len([op for op in derivative.block.ops if op.name == "copy"]) == 2


def _as_derivative(function):
    from dataclasses import replace

    return replace(function, notes={"derivative": True})


def test_sums_in_a_loop_are_added_in_place():
    lines = body(
        code(f"""
        function f(x: {A}, n: int(n)) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          g_x = zeros_like(x) : {A}
          g_x.1 = for(zero, n, one, g_x) : {A}
            do(i: int, g_x.2: {A})
              _1 = sin(x) : {A}
              g_x.3 = add(g_x.2, _1) : {A}
              yield g_x.3
          return g_x.1
        """)
    )
    assert "g_x += np.sin(x)" in lines


def test_reads_move_ahead_of_the_store_that_overwrites_them():
    assert body(
        code(f"""
        function f(x: {A}) -> (0, 1)
          y = sin(x) : {A}
          zero = 0 : int(0)
          y.1 = store(y, zero, index=at[0]) : {A}
          old = index(y, index=at[0]) : float64[]
          t = sin(old) : float64[]
          return y.1, t
        """)
    ) == code("""
        y = np.sin(x)
        old = y[0]
        y[0] = 0
        t = np.sin(old)
        return y, t
    """)


def test_one_number_repeated_is_made_anew_instead_of_copied():
    lines = body(
        code(f"""
        function f(n: int(n)) -> 0
          number = float64(1.0) : float64[]
          zero = 0 : int(0)
          y = broadcast_to(number, n) : {A}
          y.1 = store(y, zero, index=at[0]) : {A}
          return y.1
        """)
    )
    assert lines == code("""
        y = np.ones(n)
        y[0] = 0
        return y
    """)


def test_long_expressions_in_loops_are_written_in_place():
    lines = body(
        code(f"""
        function f(x: {A}, y: {A}, n: int(n)) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          x.1 = for(zero, n, one, x) : {A}
            do(i: int, x.2: {A})
              _1 = add(x.2, y) : {A}
              _2 = multiply(_1, y) : {A}
              _3 = sin(_2) : {A}
              _4 = add(_3, y) : {A}
              _5 = add(_4, x.2) : {A}
              yield _5
          return x.1
        """)
    )
    assert lines == code("""
        for _ in range(n):
            t = x + y
            t *= y
            np.sin(t, out=t)
            t += y
            t += x
            x = t
        return x
    """)


def test_emission_refuses_functions_that_have_not_been_through_the_pass():
    function = function_of(
        code(f"""
        function f(x: {A}) -> (0, 1)
          v = 0.0 : float
          y = store(x, v, index=at[1:]) : {A}
          return y, x
        """)
    )
    with pytest.raises(InternalError, match="reuse pass"):
        emit(function)


@pytest.mark.parametrize("block", range(8))
def test_random_programs_keep_their_meaning(block):
    for seed in range(40 * block, 40 * block + 40):
        _compare(seed)


def _compare(seed: int) -> None:
    function = dce(Maker(seed).function())
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 6))
    args = [x, y, float(rng.standard_normal()), int(rng.integers(0, 4))]
    with np.errstate(all="ignore"):
        expected = evaluate(function, args)
        made = emit(reuse(function))
        given = [x.copy(), y.copy(), *args[2:]]
        results = load(made, f"<symgrad random {seed}>")(*given)
    what = f"seed {seed}\n{made.text}"
    for got, wanted in zip(results, expected, strict=False):
        assert np.array_equal(got, wanted, equal_nan=True), what
    final = dict(function.mutates)
    for position in range(2):
        wanted = expected[final[position]] if position in final else args[position]
        assert np.array_equal(given[position], wanted, equal_nan=True), what
    if function.notes.get("derivative"):
        for a, b in itertools.combinations([*results, *given[:2]], 2):
            assert not np.shares_memory(a, b), what


def test_an_adjoint_is_updated_step_by_step():
    assert body(
        code(f"""
        function f(x: {A}, p: {A}, s: float64[]) -> 0
          -- backward
          g_p = sin(x) : {A}
          _0 = multiply(g_p, p) : {A}
          _1 = sum(_0) : float64[]
          _2 = subtract(g_p, _1) : {A}
          _3 = multiply(_2, p) : {A}
          r = divide(_3, s) : {A}
          return r
        """)
    ) == code("""
        # backward
        g_p = np.sin(x)
        g_p -= np.sum(g_p * p)
        g_p *= p
        r = g_p / s
        return r
    """)
