"""Arithmetic, in the order of NumPy's reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir import dims as lengths
from ..ir.dims import Dimension
from ..ir.values import Value
from .elementwise import elementwise


def length_rule(function: Callable[..., Dimension]) -> Callable[..., Dimension | None]:
    """An integer result as a length, from integer inputs that are lengths."""

    def dim(inputs: tuple[Value, ...]) -> Dimension | None:
        known = [v.dim for v in inputs if v.dim is not None]
        return function(*known) if len(known) == len(inputs) else None

    return dim


def _floordiv(x: Dimension, y: Dimension) -> Dimension:
    return lengths.floordiv(x, y) if y != 0 else 0


elementwise(
    "add", "x + y", inputs="x y", emit="x + y", scalar="same",
    traits="commutative cheap additive",
    dim=length_rule(lengths.add),
)  # fmt: skip
elementwise(
    "subtract", "x - y", inputs="x y", emit="x - y", scalar="same", traits="cheap additive",
    dim=length_rule(lambda x, y: lengths.add(x, lengths.multiply(-1, y))),
)  # fmt: skip
elementwise(
    "multiply", "x * y", inputs="x y", emit="x * y", scalar="same",
    traits="commutative cheap keeps_sign scales", dim=length_rule(lengths.multiply),
)  # fmt: skip
elementwise(
    "divide", "x / y", inputs="x y", emit="x / y",
    traits="cheap keeps_sign may_be_nonfinite scales",
    derivative={"x": "1 / y", "y": "-out / y"}, level="y",
)  # fmt: skip
elementwise(
    "floor_divide", inputs="x y", emit="x // y", scalar="same", traits="cheap nondiff may_warn",
    dim=length_rule(_floordiv), kink="0 everywhere", doc="floor(x / y)",
)  # fmt: skip
elementwise(
    "remainder", inputs="x y", emit="x % y", scalar="same", traits="cheap may_be_nonfinite",
    derivative={"x": "1", "y": "-floor_divide(x, y)"}, calls=(np.remainder,),
    math_name="", kink="1 to x, -floor(x / y) to y", doc="x - y * floor(x / y)",
)  # fmt: skip
elementwise(
    "fmod", inputs="x y", traits="may_be_nonfinite", math_name="fmod",
    derivative={"x": "1", "y": "-trunc(x / y)"},
    kink="1 to x, -trunc(x / y) to y", doc="x - y * trunc(x / y)",
)  # fmt: skip
elementwise(
    "ieee_remainder", inputs="x y", ufunc=np.fmod, emit="x - y * np.rint(x / y)",
    math_name="remainder", calls=(), derivative={"x": "1", "y": "-rint(x / y)"},
    traits="may_be_nonfinite", kink="1 to x, -rint(x / y) to y", doc="x - y * rint(x / y)",
)  # fmt: skip
elementwise(
    "negative", "-x", emit="-x", scalar="same", traits="cheap additive",
    dim=length_rule(lambda x: lengths.multiply(-1, x)),
)  # fmt: skip
elementwise("positive", "x", emit="+x", scalar="same", traits="cheap keeps_sign additive")
elementwise(
    "reciprocal", "1 / x", emit_scalar="1 / x", traits="may_be_nonfinite keeps_sign",
    derivative={"x": "-out / x"}, level="x",  # the square of out underflows
)  # fmt: skip
elementwise("square", "x**2", emit_scalar="x * x", scalar="same", traits="nonnegative")
