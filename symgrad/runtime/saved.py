"""What is kept for the backward: values of the forward code that backward code reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..ir.dims import Dimension, Sym
from ..ir.rewrite import free_values
from ..ir.types import ArrayType, ListType, ObjectType, ScalarType, Type
from ..ir.values import Function, Op, Value
from .arguments import known


@dataclass(frozen=True, slots=True)
class SavedValue:
    """One value: its name in the generated code (an operation in parentheses where it has none),
    its type, where it was computed, and its bytes if they are known (not those of a list that
    grows, or of unknown lengths)."""

    name: str
    type: str
    place: str
    nbytes: int | None


@dataclass(frozen=True, slots=True)
class Saved:
    """What is kept for the backward; iterable, and printable as a table."""

    values: tuple[SavedValue, ...]

    @property
    def nbytes(self) -> int | None:
        """Bytes in all; None where not all are known."""
        sizes = [v.nbytes for v in self.values]
        return None if None in sizes else sum(n for n in sizes if n is not None)

    def __iter__(self) -> Iterator[SavedValue]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        if not self.values:
            return "nothing is kept for a backward"
        rows = [(v.name, v.type, _bytes(v.nbytes), v.place) for v in self.values]
        open_lengths = any(v.nbytes is None and v.type[:5] != "list[" for v in self.values)
        note = (
            "the lengths are those of a call: .lower(*args).saved" if open_lengths else ""
        )
        rows.append(("in all", "", _bytes(self.nbytes), note))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        return "\n".join(
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip()
            for a, b, c, d in rows
        )

    __repr__ = __str__


def _bytes(n: int | None) -> str:
    return "? B" if n is None else f"{n:,} B"


def saved_values(
    function: Function, lengths: Mapping[Sym, Dimension] | None = None
) -> Saved:
    """What the function keeps. Arguments, constants and lengths do not count.

    Args:
        lengths: what the symbols are, for the number of bytes.
    """
    made: dict[Value, Op] = {}
    for op in function.block.ops:
        if not op.role:
            made.update(dict.fromkeys(op.results, op))
    found: dict[Value, None] = {}
    for op in function.block.ops:
        if op.role:
            found.update(dict.fromkeys(v for v in _reads(op) if v in made))
    kept = [v for v in found if not v.is_constant and not _is_length(v)]
    return Saved(tuple(_one(v, made[v], lengths or {}) for v in kept))


def _reads(op: Op) -> Iterator[Value]:
    yield from op.inputs
    for region in op.regions:
        yield from free_values(region)


def _is_length(v: Value) -> bool:
    return isinstance(v.type, ScalarType) and v.type.kind in ("int", "bool")


def _one(v: Value, op: Op, lengths: Mapping[Sym, Dimension]) -> SavedValue:
    place = "" if op.span is None else f"{op.span}: {op.span.text}"
    return SavedValue(v.name or f"({op.name})", str(v.type), place, _size(v.type, lengths))


def _size(t: Type, lengths: Mapping[Sym, Dimension]) -> int | None:
    if isinstance(t, ListType | ObjectType):
        return None
    count = known(t.size, lengths)
    return None if count is None else count * int(t.dtype.itemsize)


def count_ops(function: Function) -> int:
    """How many operations a function has, those in regions too; constants do not count."""
    return sum(op.name not in ("const", "undef") for op in function.block.walk())


def types_text(function: Function) -> str:
    """The types of arguments and results: ``float64[n], float -> float64[n]``."""
    given = [p for p in function.params if isinstance(p.type, ArrayType | ScalarType)]
    inputs = ", ".join(str(p.type) for p in given)
    return f"{inputs} -> {', '.join(str(r.type) for r in function.block.results)}"


__all__ = ["Saved", "SavedValue", "count_ops", "saved_values", "types_text"]
