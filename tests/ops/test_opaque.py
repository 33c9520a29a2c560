"""Calls of code that is not compiled: types, order, memory, refusal of derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad.errors import (
    DoubleBackwardError,
    NotDifferentiableError,
    UnsupportedFunctionError,
)
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.indexing import Operand
from symgrad.ir.parser import parse
from symgrad.ir.printer import to_text
from symgrad.ir.types import FLOAT, ArrayType, ObjectType
from symgrad.ir.values import Argument, Function, Value
from symgrad.ops import TABLE
from symgrad.ops.opaque import like, typed
from symgrad.runtime.pipeline import Program, build

VECTOR = ArrayType(np.dtype(float), (symbol("n", not_one=True),))
FIRST = (Operand(0),)


def made(write: Callable[[Builder, Value, Value], Value]) -> Program:
    b = Builder(TABLE)
    x = b.param(VECTOR, "x", entry=True)
    f = b.param(ObjectType("function"), "f", entry=True)
    block = b.block([x, f], [write(b, x, f)])
    function = Function("g", block, (Argument("x", x), Argument("f", f)), 0)
    assert to_text(parse(to_text(function), TABLE)) == to_text(function)
    return build(function, "test", debug=True)


def call(b: Builder, f: Value, x: Value, **attrs: Any) -> Value:
    return b.one("call_python", f, x, results=(like(VECTOR, 0),), **attrs)


def test_types() -> None:
    b = Builder(TABLE)
    x = b.param(VECTOR, "x", entry=True)
    assert typed(like(VECTOR, 0), b.dims, [x]) == VECTOR
    assert typed(like(FLOAT)) == FLOAT
    assert typed(like(ObjectType("Context"))) == ObjectType("Context")
    single = np.dtype(np.float32)
    assert typed(("float32", (2, (0, 0))), b.dims, [x]) == ArrayType(
        single, (2, *VECTOR.shape)
    )
    free = typed(like(VECTOR), b.dims)
    assert isinstance(free, ArrayType) and free.shape != VECTOR.shape


def test_every_call_is_made_in_order() -> None:
    def write(b: Builder, x: Value, f: Value) -> Value:
        call(b, f, x)
        y = call(b, f, x)
        call(b, f, y)
        return y

    seen: list[Any] = []

    def function(x: Any) -> Any:
        seen.append(x[0])
        return x + 1

    assert made(write).call(np.array([0.0, 1.0]), function).tolist() == [1.0, 2.0]
    assert seen == [0.0, 0.0, 1.0]


def test_what_is_passed_and_returned_is_not_written() -> None:
    def write(b: Builder, x: Value, f: Value) -> Value:
        h = b.one("multiply", x, b.const(2.0))
        y = call(b, f, h)
        zero = b.const(0)
        later = b.one("store", h, b.const(9.0), zero, index=FIRST)
        other = b.one("store", y, b.const(7.0), zero, index=FIRST)
        return b.one("add", later, other)

    kept: list[Any] = []

    def function(x: Any) -> Any:
        kept.append(x)
        return x

    found = made(write).call(np.array([1.0, 2.0]), function)
    assert found.tolist() == [16.0, 8.0]
    assert kept[0].tolist() == [2.0, 4.0]


def test_memory_around_a_loop() -> None:
    def write(b: Builder, x: Value, f: Value) -> Value:
        start, stop, step = b.const(0), b.const(3), b.const(1)
        inner = b.sub()
        i = inner.index_param(0)
        p = inner.param(VECTOR, "y")
        y = call(inner, f, p)
        after = inner.one("store", y, inner.const(5.0), inner.const(0), index=FIRST)
        return b.for_(start, stop, step, [x], inner.block([i, p], [after]))[0]

    kept: list[Any] = []

    def function(x: Any) -> Any:
        kept.append(x)
        return x

    x = np.array([1.0, 2.0])
    assert made(write).call(x, function).tolist() == [5.0, 2.0]
    assert x.tolist() == [1.0, 2.0]
    assert [k.tolist() for k in kept] == [[1.0, 2.0], [5.0, 2.0], [5.0, 2.0]]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("op", ["call_python", "call_rule", "first_order"])
@pytest.mark.parametrize("rule", ["", "Clip"])
def test_no_derivative(mode: str, op: str, rule: str) -> None:
    def write(b: Builder, x: Value, f: Value) -> Value:
        inner = b.sub()
        p = inner.param(VECTOR, "x")
        if op != "first_order":
            y = inner.one(op, f, p, results=(like(VECTOR, 0),), rule=rule, name="clip")
        else:
            y = inner.one("first_order", inner.one("sin", p), p, rule=rule, name="clip")
        body = inner.block([p], [inner.one("sum", y, axis=None)])
        if mode == "reverse":
            return b.reverse_([x], (0,), body)[1]
        return b.forward_([x], [x], (0,), body)[1]

    if rule:
        error: Any = DoubleBackwardError
        text = r"no second derivative through `Clip`: .*`once_differentiable`"
    elif op == "first_order":
        error, text = UnsupportedFunctionError, "`clip` has neither `backward` nor `jvp`"
    else:
        error, text = NotDifferentiableError, r"`clip` runs as it is, so it has no derivat"
    with pytest.raises(error, match=text):
        made(write)
