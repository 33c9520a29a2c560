"""The checker finds what is wrong with an entry."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from symgrad.errors import DTypeError, GradcheckError, ShapeError, UnsupportedFunctionError
from symgrad.ops import TABLE
from symgrad.ops.elementwise import elementwise
from symgrad.ops.table import op
from symgrad.testing import check_op, sample

from .building import surface, value

X = sample([0.3, -1.2, 2.5])


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    yield
    TABLE.pop("wrong", None)


def wrong(derivative: str, **changes: Any) -> None:
    given = {"ufunc": np.sin, "emit": "np.sin(x)", "calls": (), "doc": "sin"} | changes
    elementwise("wrong", derivative={"x": derivative}, **given)


def refused(message: str, *samples: Any) -> None:
    with pytest.raises(GradcheckError, match=message):
        check_op("wrong", *samples)


def test_a_right_entry() -> None:
    wrong("cos(x)")
    check_op("wrong", X)


def test_no_samples() -> None:
    wrong("cos(x)")
    refused("has no samples")


def test_no_doc() -> None:
    wrong("cos(x)", doc="")
    refused("has no doc", X)


def test_wrong_slope() -> None:
    wrong("sin(x)")
    refused("forward mode: expected", X)


def test_modes_that_disagree() -> None:
    op("wrong", "x", TABLE["sin"].infer, "np.sin(x)", doc="sin",
       vjp={"x": lambda g, x: g}, jvp=TABLE["sin"].jvp)  # fmt: skip
    refused("reverse mode: expected", X)


def test_rule_that_is_not_differentiable_again() -> None:
    # cos(x), but from an op that claims to have no derivative
    wrong("1 - 2 * (sin(x / 2) * frozen(sin(x / 2)))")
    elementwise("frozen", ufunc=np.positive, emit="+x", calls=(), traits="nondiff", doc="x")
    try:
        refused("then forward mode", X)
    finally:
        TABLE.pop("frozen")


def test_wrong_type_rule() -> None:
    wrong("cos(x)", emit="np.sin(x) > 0")
    refused("type rule says float64", X)


def test_samples_without_a_gradient() -> None:
    wrong("0 * x", ufunc=np.sin, emit="np.sin(x) * 0")
    refused("no sample has a gradient for x", X)


def test_double_precision_in_the_backward() -> None:
    op("wrong", "x", TABLE["sin"].infer, "np.sin(x)", doc="sin", jvp=TABLE["sin"].jvp,
       vjp={"x": lambda g, x: g * np.float64(1) * TABLE_cos(x)})  # fmt: skip
    refused("float32 in, but", X)


def TABLE_cos(x: Any) -> Any:  # noqa: N802
    return surface(np.cos)(x)


def test_unsupported_arguments_are_refused() -> None:
    with pytest.raises(UnsupportedFunctionError, match="leaves entries of its result"):
        value(lambda x: surface(np.add)(x, x, where=x > 0), np.ones(3))
    for call in (
        lambda x: surface(np.mean)(x, initial=2.0),
        lambda x: surface(np.partition)(x, 1, kind="other"),
    ):
        with pytest.raises(UnsupportedFunctionError, match="is not supported with"):
            value(call, np.ones(3))
    with pytest.raises(UnsupportedFunctionError, match="has no argument `axes`"):
        value(lambda x: surface(np.sum)(x, axes=0), np.ones(3))


def test_types_that_do_not_fit() -> None:
    with pytest.raises(DTypeError):
        value(surface(np.bitwise_and), np.ones(3), np.ones(3))
    with pytest.raises(ShapeError, match="axis 2 is out of bounds"):
        value(lambda x: surface(np.sum)(x, axis=2), np.ones(3))


def test_an_unannounced_view() -> None:
    wrong("1", ufunc=np.positive, emit="x[:]")
    refused("shares memory with an input", X)
