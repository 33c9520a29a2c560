"""Values that have to be known when compiling: where they come from, and how to ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...errors import SymgradError, UnsupportedSyntaxError
from ...ir.expr import Maker
from ...ir.types import FLOAT, INT, ArrayType, ListType, ScalarType
from ...ir.values import Op, Value
from ...ops.static import NeedsStatic
from ..machine import Machine
from ..requests import SHAPES, NeedsSpecialisation, Path
from ..values import Formatted
from .static import opened, plain

LENGTHS = ("shape", "size", "list_len")


class UnknownPositionError(UnsupportedSyntaxError):
    """A number that decides something when compiling, perhaps a position in a list, is known
    at run time only; or a key of the dict that is made at ``maker``."""

    maker: Maker | None = None


class UnknownSignError(UnknownPositionError):
    """It would do to know whether an exponent is negative."""


def in_public(error: SymgradError) -> SymgradError:
    """The error that users see."""
    if isinstance(error, UnknownPositionError):
        return UnsupportedSyntaxError(error.message, error.span)
    return error


def need(m: Machine, node: ast.AST, x: Any, what: str) -> Any:
    """``x`` as an ordinary object.

    Raises:
        NeedsStatic: it is a runtime number; an argument or a loop index may be the reason.
        UnsupportedSyntaxError: it is something else that only exists at run time.
    """
    try:
        return plain(m, x)
    except LookupError:
        pass
    for inner in _parts(m, x):
        if isinstance(inner, Value) and (m.choosing or isinstance(inner.type, ScalarType)):
            raise NeedsStatic(inner)
    unknown = (
        UnknownPositionError if isinstance(opened(m, x), Value) else UnsupportedSyntaxError
    )
    raise unknown(
        f"{what} has to be known when compiling, `{ast.unparse(node)}` is not", m.span(node)
    )


def _parts(m: Machine, x: Any) -> Iterator[Any]:
    """What a slice, a tuple in any nesting, or a text is made of; else the object itself."""
    x = opened(m, x)
    if isinstance(x, Formatted):
        yield from x.values
    elif isinstance(x, slice):
        yield from (x.start, x.stop, x.step)
    elif isinstance(x, tuple):
        for item in x:
            yield from _parts(m, item)
    else:
        yield x


def origins(value: Value) -> set[Value]:
    """The values without an op (arguments, loop variables) and the lengths it comes from, of
    arrays and of lists that may have those of arrays."""
    found: set[Value] = set()
    seen: set[Value] = set()
    todo = [value]
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        if v.op is None or v.op.kind.name in LENGTHS:
            found.add(v)
        else:
            todo += v.op.inputs
            for region in v.op.regions:
                todo += _inner(region.ops)
                todo += region.results
    return found


def hangs_on_entries(value: Value) -> bool:
    """Whether entries of arrays decide ``value``: knowing lengths and rounds is no help."""
    return any(
        v.op is None and isinstance(v.type, ArrayType | ListType) for v in origins(value)
    )


def _inner(ops: tuple[Op, ...]) -> list[Value]:
    return [v for op in ops for v in op.inputs]


def argument_paths(
    m: Machine, value: Value, *, floats: bool = False
) -> tuple[Path, ...] | None:
    """The arguments that decide ``value``, all of them ints (or, for an option that is a float,
    floats), Python's or NumPy's; None if anything else does."""
    kinds = "if" if floats and _kind(value) == "f" else "i"
    paths = []
    for origin in origins(value):
        if origin not in m.paths or _kind(origin) not in kinds:
            return None
        paths.append(m.paths[origin])
    return tuple(sorted(paths, key=repr)) or None


def _kind(value: Value) -> str:
    """``i`` of an integer, ``f`` of a float, something else of what is no number."""
    t = value.type
    if isinstance(t, ArrayType) and not t.ndim:
        return {"i": "i", "u": "i", "f": "f"}.get(t.dtype.kind, "-")
    return {INT: "i", FLOAT: "f"}.get(t, "-") if isinstance(t, ScalarType) else "-"


def shapes_decide(m: Machine, value: Value) -> tuple[Path, ...] | None:
    """``SHAPES`` and the int arguments that decide ``value`` together with lengths of arrays;
    None if anything else does."""
    lengths = {v for v in origins(value) if v.op is not None}
    ints = origins(value) - lengths
    if not lengths or any(v not in m.paths or _kind(v) != "i" for v in ints):
        return None
    return (SHAPES, *sorted((m.paths[v] for v in ints), key=repr))


def deciding_paths(
    m: Machine, value: Value, *, floats: bool = False
) -> tuple[Path, ...] | None:
    """The arguments and lengths that decide ``value``; None where something else does, or where
    knowing them has not settled it."""
    paths = argument_paths(m, value, floats=floats)
    if paths is None and not m.captures.static_shapes:
        paths = shapes_decide(m, value)
    return paths


def specialise(m: Machine, value: Value | None, *, by_lengths: bool = False) -> None:
    """Ask for the arguments, or for the lengths too, that decide ``value``, if only such do.

    Raises:
        NeedsSpecialisation: with their paths.
    """
    if value is None:
        return
    paths = deciding_paths(m, value) if by_lengths else argument_paths(m, value)
    if paths is not None:
        raise NeedsSpecialisation(*paths)
