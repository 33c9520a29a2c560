"""Straight code: names, nesting, lines that would be too long, results."""

from __future__ import annotations

import ast
import math
import textwrap

import numpy as np
import pytest

from symgrad.emit import emit, load
from symgrad.emit.names import Names
from symgrad.errors import InputTypeError
from symgrad.ir.builder import Builder
from symgrad.ir.expr import Expr, f
from symgrad.ir.literals import constant
from symgrad.ir.tree import Node, static
from symgrad.ir.types import ArrayType
from symgrad.ir.values import Argument, Function
from symgrad.ops import TABLE

from .helpers import body, emitted, function_of

ARRAY = "float64[n]"


def code(text: str) -> str:
    return textwrap.dedent(text).strip()


def test_values_used_once_are_nested():
    text = f"""
    function f(x: {ARRAY}) -> 0
      a = tanh(x) : {ARRAY}
      b = add(a, x) : {ARRAY}
      return b
    """
    function = function_of(textwrap.dedent(text))
    for op in function.block.ops:
        op.results[0].name = ""
    assert "return np.tanh(x) + x" in emit(function).text


def test_the_users_names_have_lines_of_their_own():
    assert body(
        code(f"""
        function f(x: {ARRAY}) -> 0
          h = tanh(x) : {ARRAY}
          y = multiply(h, h) : {ARRAY}
          return y
        """)
    ) == code("""
        h = np.tanh(x)
        y = h * h
        return y
    """)


def test_names_are_reused_when_the_user_rebinds_them():
    assert body(
        code(f"""
        function f(x: {ARRAY}) -> 0
          h = sin(x) : {ARRAY}
          h.1 = cos(h) : {ARRAY}
          h.2 = multiply(h.1, x) : {ARRAY}
          return h.2
        """)
    ) == code("""
        h = np.sin(x)
        np.cos(h, out=h)
        h *= x
        return h
    """)


def test_names_that_are_both_alive_are_numbered():
    lines = body(
        code(f"""
        function f(x: {ARRAY}) -> 0
          h = sin(x) : {ARRAY}
          h.1 = cos(h) : {ARRAY}
          y = multiply(h.1, h) : {ARRAY}
          return y
        """)
    )
    assert "h_1 = np.cos(h)" in lines


def test_no_line_is_longer_than_88_columns():
    b = Builder(TABLE)
    names = [f"a_rather_long_name_{i}" for i in range(6)]
    params = [b.param(ArrayType(np.dtype(float), (4,)), name, entry=True) for name in names]
    total = Expr(b, params[0])
    for p in params[1:] * 4:
        total = total * f.tanh(Expr(b, p))
    arguments = tuple(Argument(p.name, p) for p in params)
    function = Function("long", b.block(params, [total.value]), arguments, 0)
    text = emit(function).text
    assert max(map(len, text.splitlines())) <= 88
    assert text.count("np.tanh") == 20


def test_text_parses_back_to_the_tree():
    result = emitted(
        code(f"""
        function f(x: {ARRAY}, y: {ARRAY}) -> (0, 1)
          m = negative(x) : {ARRAY}
          a = subtract(y, m) : {ARRAY}
          b = subtract(x, a) : {ARRAY}
          c = divide(b, a) : {ARRAY}
          return c, b
        """)
    )
    [definition] = ast.parse(result.text).body
    assert isinstance(definition, ast.FunctionDef) and result.tree is not None
    made = ast.parse(ast.unparse(ast.fix_missing_locations(result.tree))).body[0]
    assert isinstance(made, ast.FunctionDef)
    assert [ast.dump(n) for n in definition.body[1:]] == [ast.dump(n) for n in made.body]


def test_text_is_deterministic():
    text = code(f"""
        function f(x: {ARRAY}) -> (0, 1)
          a = sin(x) : {ARRAY}
          b = cos(a) : {ARRAY}
          return b, a
    """)
    assert emitted(text).text == emitted(text).text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.5), "np.float32(0.5)"),
        (np.float32(0.2), "np.float32(0.2)"),
        (float("inf"), "np.inf"),
        (float("-inf"), "-np.inf"),
        (float("nan"), "np.nan"),
        (-2, "-2"),
        (-0.0, "-0.0"),
        (2j, "2j"),
        (complex(1, -2), "complex(1.0, -2.0)"),
        (np.dtype("float32"), "np.float32"),
        (np.array([1, 2]), "np.array([1, 2], dtype=np.int64)"),
        ((1, None), "(1, None)"),
        (np.bool_(True), "np.bool_(True)"),
    ],
)
def test_constants(value, text):
    assert ast.unparse(constant(value)) == text


def test_names_never_hide_what_python_or_the_code_needs():
    names = Names(["x"])
    assert names.new("x") == "x_1"
    assert names.new("sum") == "sum_1"
    assert names.new("np") == "np_1"
    assert names.new("lambda") == "lambda_1"
    assert names.new("") == "t"
    assert names.new("a b") == "a_b"


def test_nested_arguments_are_taken_apart_and_results_put_together():
    b = Builder(TABLE)
    array = ArrayType(np.dtype(float), (3,))
    w, bias, unused = (b.param(array, name, entry=True) for name in ("w", "b", "c"))
    total = Expr(b, w) + Expr(b, bias)
    total.value.name = "total"
    params = Node("dict", (w, Node("tuple", (bias, unused))), ("w", "rest"))
    returns = Node("dict", (0, Node("list", (1, static("label")))), ("sum", "all"))
    block = b.block([w, bias, unused], [total.value, w])
    text = emit(Function("f", block, (Argument("params", params),), returns)).text
    assert "def f(params):" in text
    assert "w = params['w']" in text
    assert "b = params['rest'][0]" in text
    assert "c = " not in text
    assert "return {'sum': total, 'all': [w, 'label']}" in text


def test_captured_values_come_last_and_keep_the_signature():
    b = Builder(TABLE)
    x, s = (b.param(ArrayType(np.dtype(float), (3,)), name, entry=True) for name in "xs")
    total = Expr(b, x) + Expr(b, s)
    arguments = (
        Argument("x", x, "positional_only"),
        Argument("flag", static(True), "keyword_only"),
        Argument("s", s, "keyword_only", capture=object()),
    )
    text = emit(Function("f", b.block([x, s], [total.value]), arguments, 0)).text
    assert "def f(x, /, *, flag, s):" in text
    assert "return x + s" in text


def test_builtins_hidden_by_an_argument_are_called_in_full():
    text = code("""
        function f(range: float, n: int(n)) -> 0
          zero = 0 : int(0)
          one = 1 : int(1)
          y = for(zero, n, one, range) : float
            do(i: int, y.1: float)
              y.2 = sin(y.1) : float
              yield y.2
          return y
    """)
    made = emitted(text)
    assert "for _ in builtins.range(n):" in made.text
    assert load(made, "<symgrad hidden>")(0.5, 1) == math.sin(0.5)


def test_an_argument_called_as_a_module_is_refused():
    with pytest.raises(InputTypeError, match=r"`np`.*another name"):
        emitted(
            code(f"""
            function f(np: {ARRAY}) -> 0
              return np
            """)
        )
