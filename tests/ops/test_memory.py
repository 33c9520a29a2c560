"""An op whose result may share memory with an input says so: buffers are reused by that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError
from symgrad.ir.evaluate import evaluate
from symgrad.ops import TABLE
from symgrad.testing.single_op import function_of

from . import samples

SAMPLES = [
    (name, one)
    for table in vars(samples).values()
    if isinstance(table, dict)
    for name, listed in table.items()
    if name in TABLE and isinstance(listed, list | tuple)
    for one in listed
]


def shares(result: Any, given: Any) -> bool:
    arrays = isinstance(result, np.ndarray) and isinstance(given, np.ndarray)
    return arrays and result.ndim > 0 and np.shares_memory(result, given)


@pytest.mark.filterwarnings("ignore")
def test_shared_memory_is_known() -> None:
    assert len(SAMPLES) > 200
    found = set()
    for name, sample in SAMPLES:
        kind = TABLE[name]
        if kind.has("view") or kind.has("maybe_view") or kind.has("store"):
            continue
        function, values = function_of(kind, sample)
        results = evaluate(function, values)
        if any(shares(r, v) for r in results for v in values):
            found.add(name)
    assert not found


def diagonal(x: Any) -> Any:
    y = np.einsum("ii->i", x)
    y[0] = 1.0
    return x


def test_a_view_by_einsum_is_not_written_through() -> None:
    with pytest.raises(AliasError, match="caller's `x`"):
        sg.compile(diagonal)(np.eye(3))


def test_an_unbroadcast_adjoint_is_not_overwritten() -> None:
    """The gradient of a loop over states whose length is known at run time only."""

    def states(x: Any, w: Any) -> Any:
        h = np.zeros(3)
        total = 0.0
        for row in x:
            h = np.tanh(h @ w + row)
            total = total + h @ h
        return total

    rng = np.random.default_rng(0)
    sg.testing.check_grads(states, (rng.normal(size=(5, 3)), rng.normal(size=(3, 3))))
