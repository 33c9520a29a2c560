"""The printed text, and reading it back."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from symgrad.errors import InternalError
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.parser import parse
from symgrad.ir.printer import to_text
from symgrad.ir.tree import Node, static
from symgrad.ir.types import FLOAT, INT, ArrayType
from symgrad.ir.values import Argument, Function, Op
from symgrad.ir.verify import verify
from symgrad.ops import TABLE
from symgrad.source import Source, Span

LOOP = """
function f(x: float64[n, k], p = {'a': a: float64[k], 'b': (b: float, s: int(s))}, \
*, keyword_only eps: float default 1e-05) -> (0, [1])
  dims n != 1, k != 1, s any, count_1 >= 2, i_0 any
  assume k - 2 != 1
  mutates x = 2
  _0 = 0 : int(0)
  _1 = 1 : int(1)
  c = float32(-0.5) : float32[]
  t = ndarray([[1.0, -2.5]], float64) : float64[1, 2]
  z = complex(1.0, -0.0) : complex
  m = less(x, b) : bool[n, k]
  y = transpose(x, axes=(1, 0)) : float64[k, n]
  w = index(x, s, index=at[$0, 1:-1:2]) : float64[max(0, (k) // 2 - 1)]
  g = gather(x, m, index=at[mask 0]) : float64[count_1]
  e = list_new(type=type list[float64[k]]) : list[float64[k]]
  -- backward
  w.1, h = for(_0, s, _1, b, e) : float, list[float64[k]]
    do(i: int(i_0), acc: float, e.1: list[float64[k]])
      yield acc, e.1
  -- primal
  x.1 = store(x, b, index=at[newaxis, ::-1]) : float64[n, k]
  return b, w.1, x.1
"""
LOOP = LOOP.replace("*, keyword_only", "keyword_only").strip() + "\n"


def test_text_reads_back_to_itself():
    function = parse(LOOP, TABLE)
    assert to_text(function) == LOOP
    assert function.arguments[1].tree.kind == "dict"
    assert function.arguments[2].default == 1e-05
    assert function.mutates == ((0, 2),)
    assert [op.role for op in function.block.ops[-2:]] == ["backward", ""]


def test_user_names_are_kept_and_made_unique():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    y = b.op("negative", x, hint="x")
    z = b.op("negative", y, hint="self.w")
    text = to_text(Function("f", b.block([x], [z]), (Argument("x", x),), 0))
    assert "x.1 = negative(x) : float" in text
    assert "self_w = negative(x.1) : float" in text


def test_values_without_a_name_read_back_without_one():
    text = "function f(x: float) -> 0\n  _0 = negative(x) : float\n  return _0\n"
    function = parse(text, TABLE)
    assert function.block.results[0].name == ""
    assert function.params[0].name == "x"


def test_places_are_comments_that_the_parser_skips():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    b.span = Span(Source("/home/me/model.py", ("y = -x",)), 1, 4, 1, 6)
    y = b.op("negative", x, hint="y")
    function = Function("f", b.block([x], [y]), (Argument("x", x),), 0)
    text = to_text(function, spans=True)
    assert "y = negative(x) : float  # model.py:1" in text
    assert to_text(parse(text, TABLE)) == to_text(function)


def test_classes_of_arguments_are_looked_up():
    text = "function f(p = dataclass Point {'u': u: float}) -> 0\n  return u\n"
    point = type("Point", (), {})
    assert to_text(parse(text, TABLE, {"Point": point})) == text
    with pytest.raises(InternalError, match="the class Point is not given"):
        parse(text, TABLE)


def test_static_parts_of_arguments():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    tree = Node("tuple", (x, static("mean")))
    text = to_text(Function("f", b.block([x], [x]), (Argument("p", tree),), 0))
    assert text.startswith("function f(p = (x: float, static('mean'))) -> 0")
    assert to_text(parse(text, TABLE)) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y = negative(q) : float", "q is not defined"),
        ("y = negative(x)", "':' expected"),
        ("y = negative(x) : float, int", "as many types as results"),
        ("y = negative(x) : float ?", "cannot read '?'"),
        ("y = : float", "expected"),
        ("y = index(x, index=at[a]) : float", "an integer expected"),
    ],
)
def test_lines_that_cannot_be_read(line, message):
    text = f"function f(x: float) -> 0\n  {line}\n  return x\n"
    with pytest.raises(InternalError) as caught:
        parse(text, TABLE)
    assert message in str(caught.value)
    assert line in str(caught.value)


def test_lengths_are_the_same_objects_of_arithmetic():
    n = symbol("n", not_one=True)
    text = textwrap.dedent("""\
        function f(x: float64[n]) -> 0
          dims n != 1
          y = index(x, index=at[1:-1]) : float64[max(0, n - 2)]
          return y
        """)
    function = parse(text, TABLE)
    assert function.params[0].type == ArrayType(np.dtype(np.float64), (n,))
    verify(function)


def test_the_marked_op_has_an_arrow():
    b = Builder(TABLE)
    n = b.param(INT, "n", entry=True)
    b.op("negative", n)
    mark: Op = b.ops[0]
    text = to_text(
        Function("f", b.block([n], []), (Argument("n", n),), Node("tuple")),
        mark=mark,
        note="here",
    )
    assert "^^^ here" in text.splitlines()[text.splitlines().index("  dims n any") + 2]


def test_no_op_is_called_like_a_literal():
    literals = {"True", "False", "None", "nan", "inf", "type", "at", "ndarray", "complex"}
    assert not literals & set(TABLE)
    assert not {name for name in TABLE if hasattr(np.dtypes, f"{name.capitalize()}DType")}
