"""Compiled functions in other processes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ShapeError

SCALE = 3.0
TWO = np.float64(2.0)
cube = sg.compile(lambda x: x**3)


def again(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def nested(factor: Any) -> Any:
    def inner(x: Any, power: Any = TWO, *, shift: float = 1.0) -> Any:
        y = x * factor * SCALE
        return np.sum(y**power) + shift

    return inner


def test_what_can_be_imported_goes_by_name() -> None:
    assert np.isclose(again(cube)(2.0), 8.0)
    assert np.isclose(again(sg.grad(cube))(2.0), 12.0)
    assert np.isclose(again(sg.grad(np.sin))(0.0), 1.0)


def test_closures_lambdas_and_defaults_go_by_source() -> None:
    factor = np.array([1.0, 2.0])
    x = np.array([0.5, -1.0])
    for make in (sg.compile, sg.grad, sg.value_and_grad):
        here = make(nested(factor))  # type: ignore[operator]
        there = again(here)
        for found, wanted in zip(
            np.atleast_1d(there(x)) if make is not sg.value_and_grad else there(x),
            np.atleast_1d(here(x)) if make is not sg.value_and_grad else here(x),
            strict=True,
        ):
            np.testing.assert_allclose(found, wanted)
        assert there.__name__ == "inner"
    np.testing.assert_allclose(
        again(sg.grad(lambda x: np.sum(factor * x**2)))(x), 2 * factor * x
    )


def test_in_another_process() -> None:
    data = pickle.dumps(sg.grad(nested(2.0)))
    root = Path(__file__).resolve().parents[2]
    script = (
        "import sys, types, pickle\n"
        f"sys.modules[{__name__!r}] = module = types.ModuleType({__name__!r})\n"
        "import numpy as np; module.np = np; module.SCALE = 3.0\n"
        f"print(pickle.loads({data!r})(1.0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == 2 * 6.0 * 6.0


class Pair(NamedTuple):
    sum: Any
    scaled: Any


def paired(x: Any, scale: Any) -> Any:
    for _ in range(3):
        x = x * scale if x[0] > 0 else x + scale
    return Pair(np.sum(x), [x * SCALE])


def test_pullbacks_and_linear_functions_go_with_what_is_saved() -> None:
    x = np.array([0.5, -1.0])
    _, pullback = sg.vjp(paired, x, 2.0)
    _, linear = sg.linearize(paired, x, 2.0)
    g = Pair(1.0, [np.array([1.0, 10.0])])
    for there in (again(pullback), again(again(pullback))):
        assert repr(there) == repr(pullback)
        for found, wanted in zip(there(g), pullback(g), strict=True):
            np.testing.assert_array_equal(found, wanted)
        with pytest.raises(ShapeError, match=r"\.scaled\[0\] has the shape"):
            there(Pair(1.0, [np.ones(3)]))
    found, wanted = again(linear)(x, 1.0), linear(x, 1.0)
    assert type(found) is Pair
    assert found.sum == wanted.sum
    np.testing.assert_array_equal(found.scaled[0], wanted.scaled[0])


class AsItIs(sg.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.array([eval("v**2") for v in x])

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return np.array([eval("2 * v") for v in x]) * g


def test_a_pullback_with_a_rule_that_is_not_compiled() -> None:
    _, pullback = sg.vjp(lambda x: np.sum(AsItIs.apply(x)), np.array([3.0, 4.0]))
    np.testing.assert_array_equal(again(pullback)(1.0)[0], [6.0, 8.0])


def test_a_pullback_in_another_process() -> None:
    _, pullback = sg.vjp(nested(2.0), 1.0)
    script = f"import pickle; print(pickle.loads({pickle.dumps(pullback)!r})(1.0)[0])"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == 2 * 6.0 * 6.0
