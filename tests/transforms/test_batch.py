"""Batching against one example after the other."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from symgrad.ir.builder import Builder, for_function
from symgrad.ir.dims import symbols
from symgrad.ir.evaluate import evaluate
from symgrad.ir.rewrite import inline
from symgrad.ir.tree import Node
from symgrad.ir.types import ArrayType, batched, is_inexact
from symgrad.ir.values import Function
from symgrad.ir.verify import verify
from symgrad.ops import TABLE
from symgrad.testing.single_op import Sample, function_of
from symgrad.transforms.expand import expand
from tests.ops.test_table import SAMPLES

COUNT = 3
NAMES = sorted(n for n in SAMPLES if n in TABLE and not TABLE[n].has("effect"))


def vmapped(function: Function, which: tuple[int, ...]) -> Function:
    """``function`` with the parameters at the positions ``which`` batched."""
    builder = Builder(TABLE)
    length = builder.dims.fresh("batch")
    params = [
        builder.param(batched(p.type, length) if i in which else p.type, p.name, entry=True)
        for i, p in enumerate(function.params)
    ]
    results = function.block.results
    found = builder.vmap_(params, which, function.block, (True,) * len(results))
    block = builder.block(params, found)
    return Function("batched", block, (), Node("tuple", tuple(range(len(found)))))


def variants(value: Any, rng: np.random.Generator) -> list[Any]:
    """Examples that are no farther from kinks than the sample."""
    x = np.asarray(value)
    found = []
    for k in range(COUNT):
        if x.dtype.kind in "fc" and x.size:
            found.append(x * (1 + 0.01 * k * rng.uniform(0.5, 1, x.shape)))
        elif x.dtype.kind in "iu" and x.ndim and x.shape[0] > 1:
            found.append(np.roll(x, k, 0))
        else:
            found.append(x)
    return [np.asarray(v, x.dtype) for v in found]


def shaped_by_data(function: Function) -> bool:
    """Whether a result has a length that is not made of those of the arguments."""
    known, found = (
        {s for v in values for d in getattr(v.type, "shape", ()) for s in symbols(d)}
        for values in (function.params, function.block.results)
    )
    return not found <= known


def totals(function: Function) -> Function:
    """``function`` with the sums over its results."""
    builder = for_function(function, TABLE)
    results = inline(builder, function.block, function.params)
    sums = [builder.one("sum", r) for r in results]
    return replace(function, block=builder.block(function.params, sums))


def check(name: str, given: Sample, which: tuple[int, ...]) -> None:
    function, values = function_of(TABLE[name], given)
    if shaped_by_data(function):  # so examples of a batch need not have one shape
        function = totals(function)
    compare(function, values, which)


def compare(function: Function, values: list[Any], which: tuple[int, ...]) -> None:
    """All examples at once give what one after the other gives."""
    rng = np.random.default_rng(0)
    made = [variants(v, rng) for v in values]
    together = [
        np.stack(m) if i in which else v
        for i, (m, v) in enumerate(zip(made, values, strict=True))
    ]
    each = []
    for k in range(COUNT):
        args = [
            _like(m[k], v) if i in which else v
            for i, (m, v) in enumerate(zip(made, values, strict=True))
        ]
        each.append(evaluate(function, args))
    wanted = [np.stack(parts) for parts in zip(*each, strict=True)]
    batch = vmapped(function, which)
    verify(batch)
    expanded = expand(batch)
    verify(expanded)
    found = evaluate(expanded, together)
    for got, expected, r in zip(found, wanted, function.block.results, strict=True):
        assert isinstance(got, np.ndarray)
        if isinstance(r.type, ArrayType):
            assert got.dtype == expected.dtype
        tight = {"rtol": 1e-9, "atol": 1e-12} if is_inexact(r.type) else {}
        np.testing.assert_allclose(got, expected, **tight)


def _like(part: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return part
    return part[()] if isinstance(value, np.generic) else part.item()


@pytest.mark.filterwarnings("ignore:The `disp` argument is deprecated")
@pytest.mark.parametrize("name", NAMES)
def test_entry(name: str) -> None:
    for given in SAMPLES[name]:
        count = sum(not isinstance(x, bool | int) for x in given.inputs)
        for size in range(1, count + 1):
            for which in itertools.combinations(range(count), size):
                with np.errstate(all="ignore"):
                    check(name, given, which)
