"""Entries that do something: prints, asserts, raises."""

import re
from typing import Any

import numpy as np
import pytest

from symgrad.ir.builder import Builder
from symgrad.ir.evaluate import evaluate
from symgrad.ir.tree import Node
from symgrad.ir.types import BOOL, FLOAT, INT, ArrayType
from symgrad.ir.values import Function
from symgrad.ops import TABLE


def run(name: str, types: Any, values: Any, **attrs: Any) -> Any:
    builder = Builder(TABLE)
    params = [builder.param(t, f"x{i}", entry=True) for i, t in enumerate(types)]
    result = builder.op(name, *params, **attrs)
    return evaluate(
        Function("f", builder.block(params, [result]), (), Node("tuple")), values
    )


def test_every_effect_is_tested_here() -> None:
    assert {n for n in TABLE if TABLE[n].has("effect")} == {
        "require",
        "require_length",
        "raise",
        "print",
        "seed",
        "call_python",
        "tap",  # in test_taps.py
        "discard",
        "try_begin",  # these in tests/frontend/test_finally.py
        "try_note",
        "try_end",
    }


def test_require() -> None:
    run("require", [BOOL], [True], args=("too small",))
    with pytest.raises(AssertionError, match="too small"):
        run("require", [BOOL], [False], args=("too small",))


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_require_length(length: int, least: bool) -> None:
    def python() -> None:
        if least:
            _a, _b, *_c = range(length)
        else:
            _a, _b = range(length)

    try:
        python()
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            run("require_length", [INT], [length], count=2, least=least)
    else:
        run("require_length", [INT], [length], count=2, least=least)


def test_raise() -> None:
    with pytest.raises(ZeroDivisionError, match="no"):
        run("raise", [], [], error="ZeroDivisionError", args=("no",))


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    run(
        "print",
        [FLOAT, FLOAT],
        [1.5, 2.0],
        parts=(("", "", 1), "and", ("%", "%.2f", 1)),
        options=(("sep", "_"),),
    )
    assert capsys.readouterr().out == "1.5_and_2.00\n"


def test_seed() -> None:
    run("seed", [INT], [7])
    first = np.random.random()
    run("seed", [INT], [7])
    assert np.random.random() == first


def test_discard() -> None:
    singular = np.zeros((2, 2))
    builder = Builder(TABLE)
    x = builder.param(ArrayType(singular.dtype, (2, 2)), "x", entry=True)
    done = builder.op("discard", builder.op("linalg_inv", x))
    function = Function("f", builder.block([x], [done]), (), Node("tuple"))
    with pytest.raises(np.linalg.LinAlgError):
        evaluate(function, [singular])
