"""One op as a function of IR, its samples, and what differences say about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.dims import Call, Dimension, Sym, as_symbol, substitute, symbol
from ..ir.evaluate import evaluate
from ..ir.expr import Expr, lift
from ..ir.opdef import OpDef
from ..ir.tree import Node
from ..ir.types import ArrayType, ScalarType, Type, is_inexact, type_of_constant
from ..ir.values import Argument, Function
from ..ops import SURFACE, TABLE
from ..transforms.expand import expand
from .derived import wrt_of

EPS = 1e-6


@dataclass(frozen=True, slots=True)
class Sample:
    """Inputs and attributes to call an op with. Python ints and bools are constants.

    Example:
        >>> testing.sample(np.ones((2, 3)), axis=0).attrs
        {'axis': 0}
    """

    inputs: tuple[Any, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)


def sample(*inputs: Any, **attrs: Any) -> Sample:
    """Lists become float arrays, everything else is taken as it is.

    Example:
        >>> testing.sample(np.ones(2)).inputs
        (array([1., 1.]),)
    """
    return Sample(tuple(np.array(x) if isinstance(x, list) else x for x in inputs), attrs)


def call_surface(target: Any, *args: Any, **options: Any) -> Any:
    """What a callable's surface gives for arrays and numbers (all of them runtime values)."""
    builder = Builder(TABLE)
    params = [
        builder.param(symbolic_type(x, f"x{i}"), f"x{i}", entry=True)
        for i, x in enumerate(args)
    ]
    result = SURFACE[target](builder, *(Expr(builder, p) for p in params), **options)
    many = result if isinstance(result, tuple | list) else (result,)
    block = builder.block(params, [lift(builder, r) for r in many])
    values = evaluate(Function("call", block, (), Node("tuple")), args)
    return values if isinstance(result, tuple | list) else values[0]


# -------------------------------------------------------------------- functions of IR
def function_of(kind: OpDef, given: Sample) -> tuple[Function, list[Any]]:
    """The op alone as a function with symbolic lengths, and the values of its parameters."""
    builder = Builder(TABLE)
    inputs, values = [], []
    for position, x in enumerate(given.inputs):
        if isinstance(x, bool | int) and not isinstance(x, np.generic):
            inputs.append(builder.const(x))
            continue
        name = f"{kind.input_name(position)}_{position}"
        inputs.append(builder.param(symbolic_type(x, name), name, entry=True))
        values.append(x)
    params = [v for v in inputs if v.op is None]
    results = builder.append(kind, inputs, given.attrs).results
    block = builder.block(params, results)
    arguments = tuple(Argument(p.name, p) for p in params)
    returns = Node("tuple", tuple(range(len(results))))
    not_one = tuple(builder.dims.not_one)
    return Function(kind.name, block, arguments, returns, not_one=not_one), values


def symbolic_type(x: Any, name: str) -> Type:
    """The type of a value, every length other than 1 a symbol."""
    t = type_of_constant(x)
    if not isinstance(t, ArrayType):
        return t
    shape = [
        1 if n == 1 else symbol(f"{name}_{axis}", not_one=True)
        for axis, n in enumerate(t.shape)
    ]
    return ArrayType(t.dtype, tuple(shape))


def lengths_of(function: Function, values: Sequence[Any]) -> dict[Sym | Call, Dimension]:
    """What the symbols in the parameters' types are for these values."""
    found: dict[Sym | Call, Dimension] = {}
    for p, v in zip(function.params, values, strict=True):
        for d, n in zip(getattr(p.type, "shape", ()), np.shape(v), strict=True):
            single = as_symbol(d)
            if single is not None:
                found[single] = n
    return found


def fits(got: Any, t: Type, lengths: dict[Sym | Call, Dimension]) -> bool:
    """Whether a value is of a type."""
    if isinstance(t, ScalarType):
        return np.ndim(got) == 0 and np.asarray(got).dtype.kind in {
            "bool": "b", "int": "iu", "float": "fiub", "complex": "c",
        }[t.kind]  # fmt: skip
    if not isinstance(t, ArrayType):
        return True
    if dtype_of(got) != t.dtype or np.ndim(got) != t.ndim:
        return False
    expected = [substitute(d, lengths) for d in t.shape]
    return all(
        not isinstance(d, int) or d == n
        for d, n in zip(expected, np.shape(got), strict=True)
    )


def differences(
    function: Function, values: Sequence[Any], tangents: Sequence[Any]
) -> list[Any]:
    """Central differences of the inexact results along the tangents."""
    ends = []
    for step in (-EPS, EPS):
        there = list(values)
        for i, t in zip(wrt_of(function), tangents, strict=True):
            there[i] = values[i] + step * t
        ends.append(inexact_results(function, there))
    return [(after - before) / (2 * EPS) for before, after in zip(*ends, strict=True)]


def run(function: Function, values: Sequence[Any]) -> list[Any]:
    """The results, derivatives written out."""
    return list(evaluate(expand(function), values))


def dtype_of(x: Any) -> np.dtype[Any]:
    """The dtype of a number or array."""
    return np.asarray(x).dtype


def inexact_results(function: Function, values: Sequence[Any]) -> list[Any]:
    """The results that have a derivative; Python's ``max(0.5, 1)`` is a float here."""
    found = zip(run(function, values), function.block.results, strict=True)
    return [float(x) if isinstance(x, int) else x for x, r in found if is_inexact(r.type)]


def all_double(values: Sequence[Any]) -> bool:
    """Whether all numbers are in double precision."""
    return all(dtype_of(v) in (np.float64, np.bool_) for v in values)


def in_single(given: Sample) -> Sample:
    """The sample with float64 made float32."""

    def lower(x: Any) -> Any:
        wide = isinstance(x, np.ndarray | np.generic) and x.dtype == np.float64
        return np.asarray(x, np.float32)[()] if wide else x

    return replace(given, inputs=tuple(map(lower, given.inputs)))


def dot(a: Any, b: Any) -> float:
    """The real inner product."""
    return float(np.real(np.sum(np.conjugate(a) * b)))


def copy_of(x: Any) -> Any:
    """A copy, where a value could be changed."""
    return x.copy() if isinstance(x, np.ndarray) else x


def shown(x: Any) -> str:
    """A value's type, for messages."""
    if isinstance(x, np.ndarray | np.generic):
        return f"{x.dtype}{list(x.shape)}"
    return type(x).__name__
