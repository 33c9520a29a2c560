"""Python's builtins on runtime values."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..errors import InputTypeError
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType
from .operators import BINARY
from .rules.arguments import as_expr
from .table import SURFACE, op, surface


def _items(b: Any, x: Any) -> Any:
    """The elements of a static sequence, or None for one array."""
    if isinstance(x, Expr):
        if x.ndim != 1:
            raise InputTypeError(f"expected a sequence or an array of rank 1, got {x.type}")
        return None
    return list(x)


@surface(builtins.sum)
def _sum(b: Any, iterable: Any, start: Any = 0) -> Any:
    items = list(iterable) if not isinstance(iterable, Expr) else None
    if items is None:
        total = f.sum(iterable, axis=(0,))
        return (
            total
            if isinstance(start, int) and start == 0
            else BINARY[ast.Add](b, start, total)
        )
    if not any(isinstance(v, Expr) for v in (start, *items)):
        return builtins.sum(items, start)
    total = _python_sum(start, items)
    if total is not None:
        return total
    values = (
        [start, *items] if not (isinstance(start, int) and start == 0 and items) else items
    )
    return reduce(lambda x, y: BINARY[ast.Add](b, x, y), values)


def _typed(x: Expr, dtype: Any) -> Expr:
    """A number as it is, in the place of a NumPy scalar of that type."""
    wanted = ArrayType(dtype, ())
    return x if x.type == wanted else f.joined(x, type=wanted)


def _picked(test: Expr, x: Any, y: Any, t_x: Any, t_y: Any) -> Any:
    return f.where(test, 0 if t_x is None else t_x, 0 if t_y is None else t_y)


op(
    "pick", "test x y", lambda dims, inputs: inputs[1].type, "x if test else y",
    vjp={
        "x": lambda g, test: f.where(test, g, 0),
        "y": lambda g, test: f.where(test, 0, g),
    },
    jvp=_picked, batch=lambda test, x, y: f.where(test, x, y), traits="cheap",
    doc="One of two NumPy scalars of the same type.",
)  # fmt: skip


def _python_sum(start: Any, values: Sequence[Any]) -> Any:
    """A sum of Python floats as Python does it, which since 3.12 is better than one addition
    after the other."""
    listed = [*([start] if not (isinstance(start, int) and start == 0) else []), *values]
    kinds = [v.type for v in listed if isinstance(v, Expr)]
    plain = all(isinstance(t, ScalarType) and t.kind in ("int", "float") for t in kinds)
    floats = [v for v in listed if isinstance(v, float | Expr)]
    known = all(type(v) in (int, float) for v in listed if not isinstance(v, Expr))
    if (
        len(floats) < 3
        or not plain
        or not known
        or not any(t.kind == "float" for t in kinds)
    ):
        return None
    return f.python_sum(*listed)


op(
    "python_sum",
    "*values",
    lambda dims, inputs: ScalarType("float"),
    lambda inputs, attrs: ast.Call(ast.Name("sum"), [ast.Tuple(inputs)], []),
    vjp={"values": lambda g: g},
    jvp={"values": lambda t: t},
    batch=lambda values: reduce(operator.add, values),
    doc="sum() of Python floats.",
)


def _extreme(name: str, beats: str, whole: str) -> Any:
    def pick(x: Expr, y: Expr) -> Any:
        if isinstance(x.type, ScalarType) and isinstance(y.type, ScalarType):
            return getattr(f, name)(x, y)
        if x.ndim or y.ndim:
            raise InputTypeError(
                f"{whole}() of arrays is ambiguous; np.{name}(x, y) works entry by entry"
            )
        test = getattr(f, beats)(y, x)
        dtype = f.where(test, y, x).dtype
        return f.pick(test, *(_typed(v, dtype) for v in (y, x)))

    def call(b: Any, *args: Any, default: Any = None) -> Any:
        values = _items(b, args[0]) if len(args) == 1 else list(args)
        if values is None:
            return getattr(f, whole)(args[0], axis=(0,))
        if not values:
            if default is None:
                raise InputTypeError(f"{whole}() of an empty sequence")
            return default
        return reduce(pick, [as_expr(b, v) for v in values])

    return call


SURFACE[builtins.max] = _extreme("maximum", "greater", "max")
SURFACE[builtins.min] = _extreme("minimum", "less", "min")


@surface(operator.truth)
def _truth(b: Any, x: Any) -> Any:
    return SURFACE[builtins.bool](b, x)
