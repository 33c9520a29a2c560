"""When a mask may be a product, and when it has to be ``where``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad import extend
from symgrad.ir.builder import Builder
from symgrad.ir.tree import Node
from symgrad.ir.types import ArrayType
from symgrad.ir.values import Function
from symgrad.ops import TABLE
from symgrad.ops.finite import NONNEGATIVE, POSITIVE, UNKNOWN, sign
from symgrad.ops.masks import is_chosen
from symgrad.transforms.expand import expand

from .building import surface, total, traced

A, B = np.ones((2, 3)), np.ones((3, 2))
where, maximum, exp, log = map(surface, (np.where, np.maximum, np.exp, np.log))
sigmoid = surface(extend.sigmoid)


def ops_of_gradient(function: Callable[..., Any], *args: Any) -> list[str]:
    made = traced(total(function), *args)
    builder = Builder(TABLE)
    params = [builder.param(p.type, p.name, entry=True) for p in made.params]
    results = builder.reverse_(params, (0,), made.block)
    block = builder.block(params, results[1:])
    expanded = expand(Function("g", block, (), Node("tuple")))
    return [op.name for op in expanded.block.ops if op.role == "backward"]


@pytest.mark.parametrize(
    ("function", "hard"),
    [
        (lambda x, y: maximum(x, 0), False),  # the adjoint is 1
        (lambda x, y: maximum(x, 0) @ y, False),  # finite unless y is not, everywhere
        (lambda x, y: where(x > 0, x, 0.2 * x) @ y, False),
        (lambda x, y: maximum(x, 0) @ exp(y), False),
        (lambda x, y: maximum(x, 0) * y.T, True),  # y may have a nan that x masks
        (lambda x, y: maximum(x, 0) / y.T, True),
        (lambda x, y: log(maximum(x, 0)) @ y, True),
        (lambda x, y: where(x > 0, x**2, 0), True),
    ],
)
def test_form_of_a_mask(function: Any, hard: bool) -> None:
    assert ("where" in ops_of_gradient(function, A, B)) == hard


def test_a_slope_with_a_name_hides_no_zeros() -> None:
    ops = ops_of_gradient(lambda x, y: where(x > 0, sigmoid(x - 1.0) * x, 0), A, B)
    assert "not_equal" not in ops


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (exp, POSITIVE),
        (lambda x: x**2, NONNEGATIVE),
        (lambda x: x * x, NONNEGATIVE),
        (lambda x: 1 + x * x, POSITIVE),
        (lambda x: surface(np.sum)(exp(x), axis=0) / 2.0, POSITIVE),
        (lambda x: surface(np.sqrt)(exp(x) + 1.0), POSITIVE),
        (surface(np.var), NONNEGATIVE),
        (lambda x: x**3, UNKNOWN),
        (lambda x: exp(x) - 1, UNKNOWN),
        (lambda x: x, UNKNOWN),
    ],
)
def test_sign(function: Any, expected: int) -> None:
    assert sign(traced(function, A).block.results[0]) == expected


def test_masks_of_masks_are_looked_at_once() -> None:
    """In the derivative of a maximum of many numbers, masks are made of two that share parts."""
    b = Builder(TABLE)
    x = b.param(ArrayType(np.dtype(float), (2,)))
    b.role = "backward"
    mask = b.one("equal", x, b.const(0.0))
    for _ in range(60):
        mask = b.one("logical_or", mask, mask)
    assert not is_chosen(mask)
    assert is_chosen(b.one("logical_or", mask, b.one("isnan", x)))
