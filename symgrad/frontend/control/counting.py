"""What a loop can count over: ranges, arrays, and ``enumerate``, ``zip``, ``reversed``, ``map`` of
them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...ir.expr import Expr, f
from ...ir.types import ScalarType
from ...ir.values import Value
from ..machine import Machine
from ..memory import flats
from ..memory.storage import load_item
from ..names.static import opened
from ..values import Flat, Iteration, ListObject, Range, Ref, Rows, is_long


@dataclass(frozen=True, slots=True)
class Counted:
    """Rounds numbered by ``range(start, stop, step)``; ``item`` gives a round's element."""

    start: Any
    stop: Any
    step: Any
    item: Callable[[Any], Any]
    is_range: bool = False

    @property
    def rounds(self) -> int | None:
        """How many rounds, where that is known."""
        if all(isinstance(x, int) for x in (self.start, self.stop, self.step)):
            return len(range(self.start, self.stop, self.step))
        return None


def counted(m: Machine, node: ast.AST, x: Any) -> Counted | None:
    """How to count over ``x``; None for sequences of abstract values."""
    from ..lists import calls as list_calls

    x = opened(m, x)
    if isinstance(x, range | Range):
        return Counted(x.start, x.stop, x.step, lambda i: i, True)
    if isinstance(x, Ref):
        return Counted(0, length(m, x), 1, lambda i: load_item(m, node, x, i))
    if isinstance(x, Rows):
        return Counted(0, length(m, x.array), 1, lambda i: row(m, node, x, i))
    if isinstance(x, Flat):
        return Counted(0, length(m, x), 1, lambda i: flats.load(m, node, x, i))
    if is_long(x):
        return Counted(
            0, list_calls.length(m, x), 1, lambda i: list_calls.get(m, node, x, i)
        )
    if not isinstance(x, Iteration):
        return None
    if x.kind == "ndindex":
        return _indexed(m, node, x.parts)
    if x.kind == "ndenumerate":
        array, *lengths = x.parts
        indices = _indexed(m, node, lengths)

        def pair(i: Any) -> tuple[Any, Any]:
            position = indices.item(i)
            return position, load_item(m, node, array, position)

        return Counted(0, indices.stop, 1, pair)
    parts = [counted(m, node, part) for part in sources(x)]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts) or not parts:
        return None
    return combined(m, node, x, known)


def sources(x: Iteration) -> tuple[Any, ...]:
    """What an iteration takes its elements from."""
    return x.parts[1:] if x.kind == "map" else x.parts


def combined(
    m: Machine, node: ast.AST, x: Iteration, parts: list[Counted]
) -> Counted | None:
    """How to count over an iteration, by how to count over its sources."""
    if not parts:
        return Counted(0, 0, 1, lambda i: ())
    if x.kind == "enumerate":
        return _enumerated(m, node, parts[0], x.start)
    if x.kind == "reversed":
        listed = isinstance(
            x.parts[0], ListObject
        )  # whose length was noted in the beginning
        return _reversed(m, node, replace(parts[0], stop=x.start) if listed else parts[0])
    if x.kind == "rest":
        plain = from_zero(m, node, parts[0])
        return None if plain is None else replace(plain, start=x.start)
    rows = _zipped(m, node, parts, x.strict)
    if x.kind == "zip" or rows is None:
        return rows
    return replace(rows, item=lambda i: mapped(m, node, x, rows.item(i)))


def mapped(m: Machine, node: ast.AST, x: Iteration, row: tuple[Any, ...]) -> Any:
    """The element of a ``map`` for these arguments."""
    from ..calls import call_any

    return call_any(m, node, x.parts[0], row, {})


def row(m: Machine, node: ast.AST, x: Rows, i: Any) -> Any:
    """An element of a list that is kept as an array."""
    item = load_item(m, node, x.array, i)
    if x.depth:
        return Rows(item, x.kind, x.depth - 1, x.owner, (x, i))
    return m.wrap(m.builder.op("item", item, kind=x.kind)) if x.kind else item


def length(m: Machine, x: Ref | Flat) -> Any:
    """The number of an array's rows, as an abstract value."""
    if isinstance(x, Flat):
        return m.lower(flats.vector(m, x).length(0))
    return m.lower(Expr(m.builder, m.read(x)).length(0))


def arithmetic(m: Machine, node: ast.AST, op: type[ast.operator], x: Any, y: Any) -> Any:
    """``x op y`` of ints, static or not."""
    from ..operations import binary_values

    return binary_values(m, node, op(), x, y)


def _indexed(m: Machine, node: ast.AST, lengths: Sequence[Any]) -> Counted:
    """All positions in an array of these lengths, the last index running fastest."""
    total: Any = 1
    for n in lengths:
        total = arithmetic(m, node, ast.Mult, total, n)

    def item(i: Any) -> tuple[Any, ...]:
        indices = []
        for n in reversed(lengths[1:]):
            indices.append(arithmetic(m, node, ast.Mod, i, n))
            i = arithmetic(m, node, ast.FloorDiv, i, n)
        return (i, *reversed(indices)) if lengths else ()

    return Counted(0, total, 1, item)


def _enumerated(m: Machine, node: ast.AST, inner: Counted, start: Any) -> Counted | None:
    plain = from_zero(m, node, inner)
    if plain is None:
        return None
    item = plain.item
    return Counted(
        0,
        plain.stop,
        1,
        lambda i: (
            i if _is_zero(start) else arithmetic(m, node, ast.Add, start, i),
            item(i),
        ),
    )


def _is_zero(x: Any) -> bool:
    return isinstance(x, int) and x == 0


def from_zero(m: Machine, node: ast.AST, x: Counted) -> Counted | None:
    """The same rounds numbered from 0 by ones."""
    if _is_zero(x.start) and isinstance(x.step, int) and x.step == 1:
        return x
    if not isinstance(x.step, int):
        return None
    if x.rounds is not None:
        total: Any = x.rounds
    else:
        span = arithmetic(m, node, ast.Sub, x.stop, x.start)
        if x.step != 1:
            shifted = arithmetic(m, node, ast.Add, span, x.step - (1 if x.step > 0 else -1))
            span = arithmetic(m, node, ast.FloorDiv, shifted, x.step)
        total = span

    def item(i: Any) -> Any:
        scaled = i if x.step == 1 else arithmetic(m, node, ast.Mult, i, x.step)
        return x.item(arithmetic(m, node, ast.Add, x.start, scaled))

    return Counted(0, total, 1, item)


def _reversed(m: Machine, node: ast.AST, x: Counted) -> Counted | None:
    if x.rounds is not None:
        backwards = range(x.start, x.stop, x.step)[::-1]
        return Counted(backwards.start, backwards.stop, backwards.step, x.item, x.is_range)
    if isinstance(x.step, int) and abs(x.step) == 1:
        first = arithmetic(m, node, ast.Sub, x.stop, x.step)
        last = arithmetic(m, node, ast.Sub, x.start, x.step)
        return Counted(first, last, -x.step, x.item, x.is_range)
    plain = from_zero(m, node, x)
    return None if plain is None else _reversed(m, node, plain)


def _zipped(
    m: Machine, node: ast.AST, parts: list[Counted], strict: bool
) -> Counted | None:
    plain = [from_zero(m, node, p) for p in parts]
    if any(p is None for p in plain):
        return None
    known = [p for p in plain if p is not None]
    stop = known[0].stop
    for number, p in enumerate(known[1:], 2):
        if strict:
            _require_equal(m, node, stop, p.stop, number)
        stop = _least(m, stop, p.stop)
    return Counted(0, stop, 1, lambda i: tuple(p.item(i) for p in known))


def _require_equal(m: Machine, node: ast.AST, x: Any, y: Any, number: int) -> None:
    """What ``zip(strict=True)`` asks of argument ``number``, said before the first round."""
    if _same(m, x, y):
        return
    others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
    for op, what in ((ast.GtE, "shorter"), (ast.LtE, "longer")):
        fits = compared(m, node, op(), y, x)
        text = f"zip() argument {number} is {what} than {others}"
        m.builder.op("require", fits, error="ValueError", args=(text,))


def compared(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Value:
    """``x op y`` of ints as a runtime value."""
    from ..operations import compare_values

    found = compare_values(m, node, op, x, y)
    return found if isinstance(found, Value) else m.builder.const(found)


def _same(m: Machine, x: Any, y: Any) -> bool:
    """Whether two lengths are known to be equal."""
    dims = [v.dim if isinstance(v, Value) else v for v in (x, y)]
    return (
        dims[0] is not None
        and dims[1] is not None
        and m.builder.dims.equal(dims[0], dims[1])
    )


def _least(m: Machine, x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return min(x, y)
    if _same(m, x, y):
        return x
    values = [
        Expr(m.builder, v if isinstance(v, Value) else m.builder.const(v)) for v in (x, y)
    ]
    assert all(isinstance(v.type, ScalarType) for v in values)
    return m.wrap(f.minimum(*values).value)
