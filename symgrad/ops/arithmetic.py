"""Arithmetic and the everyday elementwise functions, in the order of NumPy's reference."""

from __future__ import annotations

import operator

from .elementwise import elementwise

elementwise(
    "add", "x + y", inputs="x y", emit="x + y", scalar="same", traits="commutative cheap",
    calls=(operator.add,),
)  # fmt: skip
elementwise("subtract", "x - y", inputs="x y", emit="x - y", scalar="same", traits="cheap")
elementwise(
    "multiply", "x * y", inputs="x y", emit="x * y", scalar="same", traits="commutative cheap"
)
elementwise(
    "divide", "x / y", inputs="x y", emit="x / y", traits="cheap",
    derivative={"x": "1 / y", "y": "-out / y"},
)  # fmt: skip
elementwise("negative", "-x", emit="-x", scalar="same", traits="cheap")
elementwise("exp", "exp(x)")
elementwise("log", "log(x)")
elementwise("sqrt", "sqrt(x)", traits="singular", kink="inf at 0")
elementwise("tanh", "tanh(x)")
elementwise("sin", "sin(x)")
elementwise("cos", "cos(x)")
