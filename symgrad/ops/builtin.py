"""Python's builtins on runtime values, and functions of ``math`` that are not elementwise."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..errors import InputTypeError
from ..ir.expr import Expr, f
from ..ir.types import ScalarType
from ._arguments import as_array, as_expr
from .elementwise import python_scalar
from .operators import BINARY
from .table import SURFACE, nondiff, surface


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
    values = (
        [start, *items] if not (isinstance(start, int) and start == 0 and items) else items
    )
    return reduce(lambda x, y: BINARY[ast.Add](b, x, y), values)


def _extreme(name: str, beats: str, whole: str) -> Any:
    def pick(x: Expr, y: Expr) -> Any:
        if isinstance(x.type, ScalarType) and isinstance(y.type, ScalarType):
            return getattr(f, name)(x, y)
        if x.ndim or y.ndim:
            raise InputTypeError(
                f"{whole}() of arrays is ambiguous; np.{name}(x, y) works entry by entry"
            )
        return f.where(getattr(f, beats)(y, x), y, x)

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


# --------------------------------------------------------------------------------- math
def _infer_scalar(kind: str) -> Any:
    return lambda dims, inputs: ScalarType(kind)  # type: ignore[arg-type]


def _integers(name: str, inputs: str) -> None:
    listed = ", ".join(inputs.split())
    nondiff(
        f"math_{name}", inputs, _infer_scalar("int"), f"math.{name}({listed})",
        doc=f"math.{name} of integers.",
    )  # fmt: skip

    def call(b: Any, *args: Any) -> Any:
        return getattr(f, f"math_{name}")(
            *(python_scalar(b, a, f"math.{name}") for a in args)
        )

    SURFACE[getattr(math, name)] = call


_integers("factorial", "x")
_integers("isqrt", "x")
_integers("comb", "x y")
_integers("gcd", "x y")
_integers("lcm", "x y")


@surface(math.prod)
def _prod(b: Any, iterable: Any, *, start: Any = 1) -> Any:
    if isinstance(iterable, Expr):
        return BINARY[ast.Mult](b, start, f.prod(iterable, axis=(0,)))
    return reduce(lambda x, y: BINARY[ast.Mult](b, x, y), list(iterable), start)


@surface(math.fsum)
def _fsum(b: Any, seq: Any) -> Any:
    values = [SURFACE[builtins.float](b, v) for v in _list(b, seq)]
    return reduce(operator.add, values) if values else 0.0


@surface(math.dist)
def _dist(b: Any, p: Any, q: Any) -> Any:
    pairs = zip(_list(b, p), _list(b, q), strict=True)
    parts = [SURFACE[builtins.float](b, BINARY[ast.Sub](b, x, y)) for x, y in pairs]
    return SURFACE[math.hypot](b, *parts)


def _list(b: Any, x: Any) -> Sequence[Any]:
    if isinstance(x, Expr):
        raise InputTypeError(
            f"expected a tuple or list of numbers, got {as_array(b, x).type}"
        )
    return list(x)
