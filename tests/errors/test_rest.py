"""Messages of single functions of the op table, and of what users teach it."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CustomRuleError, DTypeError, GradcheckError, ShapeError
from symgrad.ir.builder import Builder
from symgrad.ir.expr import Expr
from symgrad.ir.types import FLOAT
from symgrad.ops import SURFACE, TABLE
from symgrad.ops.formula import build
from symgrad.ops.table import define, nondiff
from symgrad.testing import check_grads, check_op

from .refusing import refused

X = np.arange(5.0)


def test_generators_are_no_arrays() -> None:
    rng = np.random.default_rng(0)

    def sine(rng):
        return np.sin(rng)

    def total(rng):
        return np.sum(rng)

    for function, words in [
        (sine, r"expected an array or a number, got object\[Generator\]"),
        (total, r"expected an array, got object\[Generator\]"),
    ]:
        with pytest.raises(DTypeError, match=words):
            sg.compile(function).lower(rng)


def test_truth_of_an_array() -> None:
    refused(lambda x: operator.not_(x), ShapeError, r"use np.any\(x\) or np.all\(x\)")


def test_sums_that_numpy_has_not() -> None:
    refused(lambda x: np.subtract(x > 0, x > 1), DTypeError, "boolean subtract")


def test_broadcasting_to_a_length_of_one() -> None:
    refused(lambda x: np.broadcast_to(np.ones(3), (2, 1)), ShapeError, "to.*2, 1")


def test_length_of_a_number() -> None:
    b = Builder(TABLE)
    number = Expr(b, b.param(FLOAT, "x", entry=True))
    with pytest.raises(DTypeError, match=r"len\(\) takes an array with an axis, got float"):
        SURFACE[len](b, number)


def test_formulas() -> None:
    with pytest.raises(ValueError, match="x < y < 1 cannot stand in a formula"):
        build(ast.parse("x < y < 1", mode="eval").body, {})
    for text, words in [
        ("[x]", r"elementwise\(sin\): '\[x\]' is no formula in x and out"),
        ("x +", r"elementwise\(sin\): 'x \+' is no formula in x and out"),
        ("f(x)", r"elementwise\(sin\): 'f\(x\)' has a function that is no op"),
        ("Matrix([x])", r"elementwise\(sin\): .*is not allowed in"),
    ]:
        with pytest.raises(CustomRuleError, match=words):
            sg.elementwise(np.sin, text)


def test_entries_that_are_there_already() -> None:
    with pytest.raises(ValueError, match="op 'sin' is defined twice"):
        define(TABLE["sin"])


def test_what_check_op_wants_first() -> None:
    with pytest.raises(GradcheckError, match="op 'sin' has no samples"):
        check_op("sin")
    nondiff("undescribed", "x", lambda dims, inputs: inputs[0].type, "+x")
    try:
        from symgrad.testing import sample

        with pytest.raises(GradcheckError, match="op 'undescribed' has no doc"):
            check_op("undescribed", sample(X))
    finally:
        TABLE.pop("undescribed")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": 3}, "check_grads: order is 1 or 2, not 3"),
        ({"modes": ("sideways",)}, 'modes are "fwd" and "rev", not'),
    ],
)
def test_options_of_check_grads(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_grads(np.sin, (X,), **options)


def test_what_generated_code_cannot_hold() -> None:
    thing = object()

    def function(x):
        return np.sort(x, kind=thing)

    refused(
        function, sg.errors.UnsupportedFunctionError, "cannot be written as a constant; its"
    )


def test_runtime_values_that_have_to_be_known() -> None:
    @sg.compile
    def function(x, keep):
        return np.sum(x, axis=0, keepdims=keep)

    for keep in (0, 1):
        assert np.shape(function(np.ones((2, 3)), keep)) == ((1, 3) if keep else (3,))
