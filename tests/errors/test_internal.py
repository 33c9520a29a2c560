"""Faults of symgrad itself: another class, and the IR with the spot marked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.emit import emit
from symgrad.errors import InternalError, NotDifferentiableError
from symgrad.frontend import NeedsSpecialisation, calls
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.evaluate import evaluate
from symgrad.ir.opdef import REQUIRED, OpDef
from symgrad.ir.parser import parse
from symgrad.ir.structure import IF
from symgrad.ir.types import (
    FLOAT,
    ArrayType,
    ListType,
    ObjectType,
    batched,
    scalar_of,
    tangent_type,
)
from symgrad.ir.values import Argument, Block, Function, Op
from symgrad.ir.verify import verify
from symgrad.ops import SURFACE, TABLE
from symgrad.runtime import pipeline, specialise
from symgrad.runtime.conditions import dim_text
from symgrad.source import Source, Span
from symgrad.transforms.batching import each as _batch_each
from symgrad.transforms.batching import single
from symgrad.transforms.cse import cse
from symgrad.transforms.memory.reuse import reuse
from symgrad.transforms.rules import call_rule

X = np.arange(5.0)
A = "float64[n]"


def of(body: str) -> Function:
    return parse(f"function f(x: {A}) -> 0\n  dims n != 1\n  {body}\n  return y\n", TABLE)


def no_rule(g: Any, nothing: Any) -> Any:
    return g


BARE = OpDef(name="bare", inputs=("x",), infer=lambda dims, inputs: inputs[0].type)


def with_bare_op() -> Function:
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    return Function("f", b.block([x], [b.op(BARE, x)]), (Argument("x", x),), 0)


# -------------------------------------------------------------------------------- passes
def fails(function: Function) -> Function:
    for op in function.block.walk():
        if op.name == "cos":
            raise ZeroDivisionError("nothing there")
    return function


def gives_up(function: Function) -> Function:
    raise InternalError("no way", spot=function.block.ops[0])


@pytest.mark.parametrize(
    ("step", "op", "reason"),
    [(fails, "cos", "ZeroDivisionError: nothing there"), (gives_up, "sin", "no way")],
)
def test_a_pass_that_fails_shows_the_ir(
    step: Any, op: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "PREPARE", (cse, step))

    def function(x):
        return np.cos(np.sin(x)) + np.sin(x)

    with pytest.raises(InternalError) as caught:
        sg.compile(function)(X)
    text = str(caught.value)
    assert text.startswith(f"{reason}\nThis is a fault of symgrad (in `{step.__name__}`)")
    lines = text.splitlines()
    arrow = next(i for i, line in enumerate(lines) if "^^^" in line)
    assert f"= {op}(" in lines[arrow - 1] and reason in lines[arrow]
    assert caught.value.lineno == function.__code__.co_firstlineno + 1
    assert isinstance(caught.value, RuntimeError)


def test_refusals_of_a_pass_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(function: Function) -> Function:
        raise NotDifferentiableError("no")

    monkeypatch.setattr(pipeline, "PREPARE", (refuses,))
    with pytest.raises(NotDifferentiableError, match=r"^no$"):
        sg.compile(lambda x: np.sin(x))(X)


def test_emission_that_fails_shows_the_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_code(function: Function) -> None:
        raise KeyError("sin")

    monkeypatch.setattr(pipeline, "emit", no_code)
    with pytest.raises(InternalError, match="KeyError: 'sin'") as caught:
        sg.compile(lambda x: np.sin(x))(X)
    assert re.search(r"\(in `emit`\)[\s\S]*= sin\(x\)", str(caught.value))


def test_the_front_end_shows_what_it_has_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SURFACE, np.cos, lambda b, x: b.op("no_such_op"))

    def function(x):
        y = np.sin(x)
        return np.cos(y)

    with pytest.raises(InternalError, match=r"no op called 'no_such_op'") as caught:
        sg.compile(function)(X)
    assert re.search(r"sin\(x\).*\n.*\^\^\^ the last op built", str(caught.value))

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("two")

    monkeypatch.setattr(calls, "call_op", broken)
    with pytest.raises(InternalError, match=r"AssertionError\('two'\)"):
        sg.compile(function)(X)


# ------------------------------------------------------------------------------ building
def test_ops_that_cannot_be_built() -> None:
    b = Builder(TABLE)
    x = b.param(ArrayType(np.dtype(float), (symbol("n"),)), "x", entry=True)
    for call, words in [
        (lambda: b.op("nothing", x), "there is no op called 'nothing'"),
        (lambda: b.op("sin", 1.0), "sin: input 1.0 is no IR value"),  # type: ignore[arg-type]
        (lambda: b.op("transpose", x), "transpose needs the attribute 'axes'"),
        (lambda: b.op("sin", x, axes=(0,)), "sin has no attribute 'axes'"),
        (lambda: b.op("transpose", x, axes=X), "attribute 'axes' is an array"),
        (lambda: b.length(symbol("m")), "nothing at hand has the length m"),
        (lambda: b.op(IF, x), "ops with regions are made by the builder's methods"),
    ]:
        with pytest.raises(InternalError, match=words):
            call()


def test_types_without_a_meaning() -> None:
    with pytest.raises(TypeError, match="'a' is not a Python scalar"):
        scalar_of("a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"int64.* has no tangents"):
        tangent_type(ArrayType(np.dtype(int), ()))
    with pytest.raises(TypeError, match="cannot be one of a batch"):
        batched(ObjectType("Generator"), 3)


def test_a_rule_that_asks_for_what_there_is_not() -> None:
    function = of(f"y = sin(x) : {A}")
    op = function.block.ops[0]
    b = Builder(TABLE)
    with pytest.raises(InternalError, match="rule of sin asks for 'nothing'") as caught:
        call_rule(b, no_rule, op, op.inputs, op.results, {"g": op.results[0]})
    assert caught.value.spot is op


def test_refusals_of_a_rule_point_at_the_op() -> None:
    def rule(g: Any) -> Any:
        raise NotDifferentiableError("no slope")

    [op] = of(f"y = sin(x) : {A}").block.ops
    op.span = Span(Source("model.py", ("y = np.sin(x)",)), 1, 4, 1, 13)
    with pytest.raises(NotDifferentiableError, match="no slope") as caught:
        call_rule(Builder(TABLE), rule, op, op.inputs, op.results, {"g": None})
    assert (caught.value.filename, caught.value.lineno) == ("model.py", 1)


# ------------------------------------------------------------------------------ emission
def test_ops_that_cannot_be_written() -> None:
    with pytest.raises(InternalError, match="op 'bare' has no expression"):
        emit(reuse(with_bare_op()))
    with pytest.raises(InternalError, match="bare has no emission template"):
        evaluate(with_bare_op(), [1.0])
    nested = of(
        f"s = 1.0 : float\n  _0, y = reverse(x, wrt=(0,)) : float64[], {A}\n"
        f"    of(a: {A})\n      t = sum(a) : float64[]\n      yield t"
    )
    with pytest.raises(InternalError, match="op 'reverse' has not been expanded") as caught:
        emit(nested)
    assert caught.value.spot is nested.block.ops[-1]


# ------------------------------------------------------------------------- IR as text
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"y = sum(x, axis=) : {A}", "a literal expected, not '\\)',"),
        ("y = sum(x, axis=", "a literal expected in the line"),
        (f"y = sin x : {A}", "a literal expected, not 'sin'"),
        ("y = sin(x) : 3", "a name expected, not '3',"),
    ],
)
def test_text_that_cannot_be_read(line: str, words: str) -> None:
    with pytest.raises(InternalError, match=words):
        of(line)


def malformed(function: Function, words: str) -> None:
    with pytest.raises(InternalError, match=words) as caught:
        verify(function)
    assert "^^^" in str(caught.value)
    assert str(caught.value).startswith("malformed IR: ")


def test_what_the_verifier_finds() -> None:
    sin = of(f"y = sin(x) : {A}")
    [op] = sin.block.ops

    def holding(changed: Op, **parts: Any) -> Function:
        changed.results = op.results
        given = {"params": sin.block.params, "results": sin.block.results, **parts}
        block = Block(given["params"], (changed,), given["results"])
        return Function("f", block, sin.arguments, 0)

    inner = Block((), (), ())
    malformed(holding(Op(op.kind, op.inputs, {}, (inner,))), "sin has no regions")
    malformed(holding(Op(op.kind, op.inputs, {"a": 1})), r"attributes \['a'\], not \[\]")
    needs = TABLE["transpose"]
    malformed(holding(Op(needs, op.inputs, {"axes": REQUIRED})), "'axes' is missing")
    malformed(holding(Op(needs, op.inputs, {"axes": (0,)})), "says it is another op's")
    parameter = holding(op, params=(*sin.block.params, op.results[0]))
    malformed(parameter, "is an op's result")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"s = sum(x) : float64[]\n  y = matmul(x, s) : {A}", "no type: matmul needs arrays"),
        ("s = sum(x) : float64[]\n  y = pullback(x, s) : float64[n]", "the pullback of a vjp"),
        (f"y = vmap(x, batched=(), out=(True,)) : {A}\n    of(a: {A})\n      yield a",
         "batched inputs have to be arrays"),
        (f"v, y = vjp(x, wrt=(0,), outs=1) : bool[n], {A}\n    of(a: {A})\n"
         "      m = greater(a, a) : bool[n]\n      yield m", "have to be real or complex"),
    ],
)  # fmt: skip
def test_derivatives_that_are_not_well_formed(body: str, words: str) -> None:
    malformed(of(body), words)


# ------------------------------------------------------------------ batches, specialising
def test_batches_that_cannot_be_made() -> None:
    b = Builder(TABLE)
    n = symbol("n")
    number, rows = (
        b.param(FLOAT, "x", entry=True),
        b.param(ListType(FLOAT), "xs", entry=True),
    )
    array = b.param(ArrayType(np.dtype(float), (n,)), "y", entry=True)
    with pytest.raises(InternalError, match=r"a batch rule gave float for float64\[n\]"):
        single._fitted(b, number, array)
    with pytest.raises(InternalError, match="a list of batches cannot be taken apart"):
        _batch_each._one(b, rows, number, rows)
    state: Any = single.State({}, set(), None, number, n)  # type: ignore[arg-type]
    with pytest.raises(InternalError, match="is shared between examples, but is no array"):
        single.full(b, state, rows)


def test_specialisations_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError, match="the length m is no length of an argument"):
        dim_text(symbol("m"), {})
    monkeypatch.setattr(specialise, "_admit", lambda *args: lambda *args: None)
    with pytest.raises(
        InternalError, match=r"code for \(float\) does not fit the call it was"
    ):
        sg.compile(lambda x: x + 1)(1.0)

    def asks(*args: Any, **kwargs: Any) -> Any:
        raise NeedsSpecialisation(("arg", 0))

    monkeypatch.setattr(specialise, "lower", asks)
    with pytest.raises(InternalError, match=r"lowering asks again for \(\('arg', 0\),\)"):
        sg.compile(lambda x: x + 2)(1)
