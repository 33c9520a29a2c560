"""Which exceptions operations raise, and whether they would."""

from __future__ import annotations

import ast
import builtins
from functools import cache, reduce
from typing import Any

import numpy as np

from ..ir.dims import Dimension, lower_bound, multiply
from ..ir.indexing import Gather, Operand, Slice
from ..ir.opdef import OpDef
from ..ir.types import BOOL, ArrayType, ScalarType, Type
from ..ir.values import Op

Errors = tuple[type[BaseException], ...]

_HELPER = '''
def _succeeds(call, *errors):
    """Whether a call raises none of these errors."""
    try:
        call()
    except errors:
        return False
    return True
'''
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
_BY_TRAIT: dict[str, type[BaseException]] = {
    "places": IndexError,
    "unpacks": ValueError,
    "of_units": ValueError,
    "fails": np.linalg.LinAlgError,
}
"""What ops with these traits raise for some data."""


def raised_by(op: Op) -> Errors:
    """What the operation raises for some inputs."""
    kind = op.kind
    if kind.has("tries") or kind.has("random"):
        return ()  # numbers that are drawn to see whether they can be are lost
    if "error" in op.attrs:
        cls = getattr(builtins, op.attrs["error"] or "", None)
        return () if cls is None else (cls,)
    found = [error for trait, error in _BY_TRAIT.items() if kind.has(trait)]
    if _indexes(op):
        found.append(IndexError)
    if _steps(op):
        found.append(ValueError)
    if _of_lengths(op):
        found.append(ValueError)
    whole = kind.has("to_number") and op.attrs["kind"] == "int"
    if whole or kind.has("of_finite"):
        found += (ValueError, OverflowError)
    if op.inputs and all(isinstance(v.type, ScalarType) for v in op.inputs):
        found += _of_numbers(kind)
    if op.span is not None and _errstate_raises(op.span.errstates) and _computes(kind):
        found.append(FloatingPointError)
    return tuple(found)


def same(a: Op, b: Op) -> bool:
    """Whether two operations do the same, and so raise the same."""
    return a.kind is b.kind and a.inputs == b.inputs and a.attrs == b.attrs


def _indexes(op: Op) -> bool:
    """Whether a position is asked for that may not be there."""
    index = op.attrs.get("index")
    if not isinstance(index, tuple) or not isinstance(op.inputs[0].type, ArrayType):
        return False
    if not all(isinstance(item, int) for item in index):
        return any(isinstance(item, int | Operand | Gather) for item in index)
    lengths = zip(index, op.inputs[0].type.shape, strict=False)
    return not all(_is_at_least(i + 1 if i >= 0 else -i, n) for i, n in lengths)


def _steps(op: Op) -> bool:
    """Whether a part is asked for whose step may be 0."""
    items = op.attrs.get("index")
    slices = items if isinstance(items, tuple) else ()
    return any(isinstance(i, Slice) and isinstance(i.step, Operand) for i in slices)


def _of_lengths(op: Op) -> bool:
    """Whether arrays may have lengths that do not go together, as far as is known."""
    shapes = [v.type.shape for v in op.inputs if isinstance(v.type, ArrayType)]
    if op.kind.has("of_some"):
        return not all(_is_at_least(1, n) for n in shapes[0])
    if op.kind.has("drops_ones"):
        return any(shapes[0][axis] != 1 for axis in op.attrs["axes"])
    made = [v.type.shape for v in op.results if isinstance(v.type, ArrayType)]
    if op.kind.has("recounts"):
        return _count(shapes[0]) != _count(made[0])
    new = {n for shape in made for n in shape}.difference(*shapes)
    return not op.kind.has("view") and not all(_is_at_least(0, n) for n in new)


def _count(shape: tuple[Dimension, ...]) -> Dimension:
    one: Dimension = 1
    return reduce(multiply, shape, one)


def _is_at_least(least: int, n: Dimension) -> bool:
    bound = lower_bound(n)
    return bound is not None and bound >= least


def _of_numbers(kind: OpDef) -> Errors:
    """What Python's own numbers raise."""
    emit = kind.emit if kind.emit_scalar is None else kind.emit_scalar
    match emit:
        case ast.BinOp(op=ast.Pow()):
            return (ZeroDivisionError, OverflowError)
        case ast.BinOp(op=operator) if isinstance(operator, _DIVISIONS):
            return (ZeroDivisionError,)
        case ast.BinOp(op=ast.LShift() | ast.RShift()):
            return (ValueError, OverflowError)
        case ast.Call(func=ast.Attribute(value=ast.Name("math"))):
            return (ValueError, OverflowError)
        case _:
            return ()


def _errstate_raises(settings: Any) -> bool:
    return any(way == "raise" for options in settings for _, way in options)


def _computes(kind: OpDef) -> bool:
    return not kind.has("view") and not kind.has("effect") and kind.name != "const"


@cache
def tried(kind: OpDef, errors: Errors) -> OpDef:
    """The op that says whether one of this kind raises none of these errors."""

    def call(expression: Any) -> ast.expr:
        nothing = ast.arguments([], [], None, [], [], None, [])
        return ast.Call(
            ast.Name("_succeeds"),
            [ast.Lambda(nothing, expression), *map(_name, errors)],
            [],
        )

    def wrapped(emit: Any) -> Any:
        if emit is None or isinstance(emit, ast.AST):
            return None if emit is None else call(emit)
        return lambda inputs, attrs: call(emit(inputs, attrs))

    return OpDef(
        name=f"succeeds_{kind.name}",
        inputs=kind.inputs,
        attrs=kind.attrs,
        infer=_infer,
        emit=wrapped(kind.emit),
        emit_scalar=wrapped(kind.emit_scalar),
        traits=frozenset({"nondiff", "tries"}),
        shape_only=kind.shape_only,
        batch="each",
        imports=kind.imports,
        helper="\n\n\n".join(part for part in (_HELPER, kind.helper) if part),
        doc=f"Whether {kind.name} raises none of some errors.",
    )


def _infer(dims: Any, inputs: Any, **attrs: Any) -> Type:
    return BOOL


def _name(error: type[BaseException]) -> ast.expr:
    name = ast.Name(error.__name__)
    if getattr(builtins, error.__name__, None) is error:
        return name
    return ast.Attribute(ast.Attribute(ast.Name("np"), "linalg"), error.__name__)


__all__ = ["raised_by", "same", "tried"]
