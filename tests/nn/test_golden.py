"""Layers and losses against PyTorch's values and gradients, which ``make_golden`` wrote."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.nn import functional as F  # noqa: N812

from .golden_cases import (
    FUNCTIONS,
    MODULES,
    differentiated,
    inputs,
    leaves,
    state,
    weights,
)

# Every case compiles the same lambda anew.
pytestmark = pytest.mark.filterwarnings("ignore::symgrad.errors.RecompileWarning")

with np.load(Path(__file__).with_name("golden.npz")) as _file:
    ROWS = dict(
        zip(
            [*MODULES, *FUNCTIONS],
            np.split(_file["numbers"], _file["ends"][:-1]),
            strict=True,
        )
    )


def filled(module: nn.Module) -> nn.Module:
    """The module in double precision with the state of the golden values."""
    module.double()
    for name, array in module.state_dict().items():
        if array.dtype.kind == "f":
            array[...] = state(name, array.shape)
    return module


def given(case: str, words: str) -> list[Any]:
    """The inputs; those with gradients are parameters, which collect them."""
    flags = differentiated(words)
    arrays = inputs(case, words)
    return [nn.Parameter(x) if f else x for x, f in zip(arrays, flags, strict=True)]


def loss_of(results: Any) -> Any:
    """The sum of the entries of all results, each with its weight."""
    total = 0.0
    for k, out in enumerate(leaves(results)):
        total = total + np.sum(np.reshape(out, -1) * weights(k, np.size(out)))
    return total


def parts(arrays: list[Any]) -> np.ndarray:
    """All entries in a row."""
    return np.concatenate([np.ravel(a) for a in arrays] or [np.zeros(0)])


def gradients(call: Callable[[], Any], wanted: list[nn.Parameter]) -> list[np.ndarray]:
    """Of ``loss_of`` what ``call`` returns; zeros where it does not depend on one."""
    nn.backward(lambda: loss_of(call()))
    return [np.zeros(w.shape) if w.grad is None else w.grad for w in wanted]


# PyTorch rounds this slope, 1/6, to single precision.
TOLERANCE = {"nn.Hardsigmoid()": 1e-7}


def close(actual: np.ndarray, expected: np.ndarray, case: str = "") -> None:
    rtol = TOLERANCE.get(case, 1e-9)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-11)


@pytest.mark.parametrize("case", MODULES)
def test_module(case: str) -> None:
    module, again = (filled(eval(case)) for _ in range(2))
    boxes = given(case, MODULES[case])
    outs = leaves(module(*boxes))
    buffers = [b for b in module.buffers() if b.dtype.kind == "f"]
    expected = ROWS[case]
    forward = parts([*outs, *buffers])
    close(forward, expected[: len(forward)])

    wanted = [x for x in boxes if isinstance(x, nn.Parameter)] + list(again.parameters())
    close(parts(gradients(lambda: again(*boxes), wanted)), expected[len(forward) :], case)
    for one, other in zip(module.buffers(), again.buffers(), strict=True):
        close(other, one)


def written(case: str) -> Callable[..., Any]:
    """The expression as a function of a, b and c that has a source."""
    file, text = f"<golden: {case}>", f"def call(a, b=None, c=None):\n    return {case}\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    attention = filled(nn.MultiheadAttention(4, 2))
    names = {"F": F, "nn_attention": lambda x, **options: attention(x, x, x, **options)}
    exec(compile(text, file, "exec"), names)
    return names["call"]


@pytest.mark.parametrize("case", FUNCTIONS)
def test_function(case: str) -> None:
    call, boxes = written(case), given(case, FUNCTIONS[case])
    forward = parts(leaves(call(*boxes)))
    close(forward, ROWS[case][: len(forward)])

    wanted = [x for x in boxes if isinstance(x, nn.Parameter)]
    close(parts(gradients(lambda: call(*boxes), wanted)), ROWS[case][len(forward) :], case)


def test_every_layer_keeps_float32() -> None:
    for case, words in MODULES.items():
        arrays = [x.astype("f4") if x.dtype == float else x for x in inputs(case, words)]
        module = eval(case)
        for out in leaves(module(*arrays)):
            assert out.dtype == np.float32, case
