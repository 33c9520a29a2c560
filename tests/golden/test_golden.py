"""The generated code of a few functions, kept in files that a person has read.

``pytest tests/golden --update-golden`` writes them anew; read the difference.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("functions", HERE / "functions.py")
assert _spec is not None
assert _spec.loader is not None
functions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(functions)


def array(*shape: int) -> Any:
    """Positive numbers, different for each entry."""
    return 0.1 + np.sin(np.arange(float(np.prod(shape)))).reshape(shape) ** 2


PARAMS = {"w1": array(3, 4), "b1": array(4), "w2": array(4, 2), "b2": array(2)}

# name -> transform, argnums, arguments
CASES: dict[str, tuple[str, Any, tuple[Any, ...]]] = {
    "polynomial": ("value_and_grad", 0, (1.5,)),
    "scalar_chain": ("value_and_grad", (0, 1), (0.5, 2.0)),
    "logistic": ("value_and_grad", (0, 1), (array(3), 0.1, array(5, 3), array(5))),
    "mlp": ("value_and_grad", 0, (PARAMS, array(5, 3), array(5, 2))),
    "softmax_cross_entropy": (
        "value_and_grad",
        0,
        (array(3, 4), array(5, 3), np.arange(5) % 4),
    ),
    "standardise": ("grad", 0, (array(6, 3),)),
    "outer_product": ("grad", (0, 1), (array(3), array(4))),
    "selected": ("grad", 0, (array(5), 0.5)),
    "clipped": ("grad", 0, (array(5),)),
    "joined": ("grad", (0, 1), (array(3), array(4))),
    "attention": ("value_and_grad", (0, 1, 2), (array(4, 3), array(5, 3), array(5, 2))),
    "power_iteration": ("grad", 0, (array(3, 3), array(3))),
    "recurrence": ("value_and_grad", (0, 1), (0.3, 3.5, 7)),
    "rnn": ("grad", (0, 1), (array(3, 3), array(3, 2), array(6, 2))),
    "branch": ("grad", (0, 1), (array(4), array(4))),
    "early_return": ("value_and_grad", 0, (0.5,)),
    "newton": ("value_and_grad", 0, (2.0, 1e-9)),
    "first_above": ("grad", 0, (array(6), 1.0)),
    "heat": ("value_and_grad", (0, 1), (array(5, 6), array(3, 4), 4)),
    "relax": ("grad", 0, (array(4) * 3, array(4), 0.05)),
    "r1": ("value_and_grad", (0, 1), (array(3, 4), array(4), array(5, 3), 2.0)),
    "jacobi": ("grad", 0, (array(7), 3)),
    "prefix_products": ("grad", 0, (array(5),)),
    "descend": ("grad", 0, (array(4), 5)),
    "curvature": ("compile", None, (0.7,)),
    "skipped": ("value_and_grad", 0, (array(6), 1.5)),
    "square_root": ("value_and_grad", 0, (2.0, 1e-9)),
    "cube_root": ("value_and_grad", 0, (2.0, 1e-9)),
    "row_above": ("compile", None, (array(3, 4), 1.5)),
    "stepped": ("compile", None, (array(5), 0.9)),
}


def compiled(name: str) -> Any:
    """The case's compiled function."""
    transform, argnums, _ = CASES[name]
    function = getattr(functions, name)
    if transform == "compile":
        return sg.compile(function)
    return getattr(sg, transform)(function, argnums=argnums)


@pytest.mark.parametrize("name", CASES)
def test_generated_code(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.txt", compiled(name).lower(*CASES[name][2]).source)


@pytest.mark.parametrize("name", CASES)
def test_same_text_again(name: str) -> None:
    first, second = (compiled(name).lower(*CASES[name][2]).source for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][0] != "compile"])
def test_numbers(name: str) -> None:
    """The gradient along a direction against a central difference."""
    transform, argnums, args = CASES[name]
    function = getattr(functions, name)
    result = compiled(name)(*args)
    gradient = result[1] if transform == "value_and_grad" else result
    if transform == "value_and_grad":
        assert result[0] == pytest.approx(function(*args), rel=1e-12)
    listed = argnums if isinstance(argnums, tuple) else (argnums,)
    gradients = gradient if isinstance(argnums, tuple) else (gradient,)
    for argnum, g in zip(listed, gradients, strict=True):
        slope, total = 0.0, 0.0
        for key, part, value in entries(g, args[argnum]):
            direction = 0.5 + np.cos(np.arange(float(np.size(value)))).reshape(
                np.shape(value)
            )
            ahead, behind = (
                function(*moved(args, argnum, key, step * direction))
                for step in (1e-6, -1e-6)
            )
            slope += (ahead - behind) / 2e-6
            total += np.sum(part * direction)
        assert total == pytest.approx(slope, rel=2e-6, abs=1e-8)


def entries(gradient: Any, argument: Any) -> list[tuple[Any, Any, Any]]:
    """The parts of an argument that is an array, a number or a dict of these."""
    if isinstance(argument, dict):
        return [(key, gradient[key], argument[key]) for key in argument]
    return [(None, gradient, argument)]


def moved(args: tuple[Any, ...], argnum: int, key: Any, step: Any) -> list[Any]:
    """The arguments, one part of one of them a step further."""
    result = list(args)
    if key is None:
        there = args[argnum] + step
        result[argnum] = float(there) if isinstance(args[argnum], float) else there
    else:
        result[argnum] = {**args[argnum], key: args[argnum][key] + step}
    return result
