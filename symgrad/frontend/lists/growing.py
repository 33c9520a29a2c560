"""Lists that a loop fills by one ``append`` in every round: arrays made once.

``xs = []``, a loop whose number of rounds is known where it starts, ``xs.append(v)`` as a
statement of its body, and ``v`` of one type: then ``xs`` is ``np.empty((n, ...))`` filled row
by row. The rows may in truth be the arrays that were appended, so the storage is related to
theirs: a change of either in place is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import InternalError, UnsupportedSyntaxError
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, ScalarType, Type, scalar_of
from ...ir.values import Value
from ...ops.indexing import setitem
from ...ops.rules.loose import is_loose
from ..control.counting import Counted, from_zero
from ..control.join import Leaf
from ..dispatch import Flow, evaluate
from ..machine import Machine
from ..memory.boxes import is_shared
from ..memory.storage import closure, holders
from ..names.lookup import Unsettled
from ..values import ListObject, Ref, Rows, Storage

TRIES = 4


@dataclass(slots=True)
class Growth:
    """One list that grows: ``type`` is that of its elements as far as it is known, ``seen``
    that of the last one appended; ``apart`` is how often the loop is lowered."""

    name: str
    statement: ast.Expr
    argument: ast.expr
    type: Type | None = None
    seen: Type | None = None
    array: Ref | None = None
    round: Any = None
    inner: Rows | None = None
    apart: int = 0

    def made(self, array: Ref) -> Rows:
        """The list, once it is filled."""
        if self.inner is not None:
            return Rows(array, self.inner.kind, self.inner.depth + 1)
        return Rows(array, self.type.kind if isinstance(self.type, ScalarType) else "")


def found(m: Machine, node: ast.For, plan: Counted) -> list[Growth]:
    """The lists that this loop fills."""
    if plan.rounds is not None or _leaves(node):
        return []
    listed = []
    for statement in node.body:
        growth = _appended(statement)
        if growth is None or not _begun_inside(m, growth.name):
            continue
        value = m.frame.scope.data.get(growth.name)
        if not isinstance(value, ListObject) or value.data["items"] != () or value.owner:
            continue
        if holders(m, value) == 1 and _mentions(node, growth.name) == 1:
            listed.append(growth)
    return listed


def _begun_inside(m: Machine, name: str) -> bool:
    """Whether every round of the loop around this one begins the list anew: or it would be a
    list before the first round and an array after it."""
    around = m.frame.loops[-2:-1]
    stores = (
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        for loop in around
        for n in ast.walk(loop)
    )
    return not around or any(stores)


def _leaves(node: ast.For) -> bool:
    ways = (ast.Break, ast.Continue, ast.Return)
    return any(isinstance(inner, ways) for s in node.body for inner in ast.walk(s))


def _mentions(node: ast.For, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _appended(s: ast.stmt) -> Growth | None:
    call = s.value if isinstance(s, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    owner, plain = call.func.value, len(call.args) == 1 and not call.keywords
    if not isinstance(owner, ast.Name) or call.func.attr != "append" or not plain:
        return None
    assert isinstance(s, ast.Expr)
    return Growth(owner.id, s, call.args[0])


def fill(
    m: Machine,
    node: ast.For,
    plan: Counted,
    growths: list[Growth],
    loop: Callable[[Machine, ast.For, Counted], Flow],
) -> Flow:
    """The loop, with the lists as arrays: once for the types, then until they are right.

    Raises:
        Unsettled: the elements have no one type, or shapes that are not known beforehand.
    """
    state = m.checkpoint()
    for _ in range(TRIES):
        m.restore(state)
        counted = from_zero(m, node, plan)
        if counted is None:
            break
        for growth in growths:
            _start(m, node, growth, counted.stop)
        flow = loop(m, node, _noting(counted, growths))
        if all(_settled(m, g) for g in growths):
            for g in growths:
                assert g.array is not None
                m.heap.write(m.frame.scope, g.name, g.made(g.array))
            return flow
        for growth in growths:
            growth.type = growth.seen
    raise Unsettled(_refusal(m, node))


def _refusal(m: Machine, node: ast.AST) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "a list grows in a loop whose number of rounds is known at run time only, by values "
        "that are no numbers or arrays of one type and shape known before it; fill an array "
        "made before the loop (out = np.empty(n); out[i] = ...)",
        m.span(node),
    )


def _noting(plan: Counted, growths: list[Growth]) -> Counted:
    item = plan.item

    def noted(i: Any) -> Any:
        for growth in growths:
            growth.round = i
        return item(i)

    return replace(plan, item=noted)


def _settled(m: Machine, g: Growth) -> bool:
    return g.type is not None and g.seen is not None and _same(m, g.type, g.seen)


def _same(m: Machine, a: Type, b: Type) -> bool:
    return m.builder.dims.same_type(a, b)


def _start(m: Machine, node: ast.AST, g: Growth, stop: Any) -> None:
    """The array, once its type is known; from now on ``append`` statements are ours."""
    m.appends[g.statement] = g
    g.array, g.apart = None, m.apart
    if not isinstance(g.type, ArrayType | ScalarType):
        return
    b = m.builder
    count = Expr(b, stop if isinstance(stop, Value) else b.const(stop))
    shape = g.type.shape if isinstance(g.type, ArrayType) else ()
    try:
        lengths = [b.length(d) for d in shape]
    except InternalError:
        raise Unsettled(_refusal(m, node)) from None
    if not _never_negative(m, count):
        count = f.maximum(count, 0)
    made = b.op("empty", count.value, *lengths, dtype=np.dtype(g.type.dtype), hint=g.name)
    g.array = m.new_storage(made, "fresh", g.name)
    m.heap.write(m.frame.scope, g.name, g.array)


def _never_negative(m: Machine, count: Expr) -> bool:
    op = count.value.op
    return count.value.is_constant or (op is not None and op.kind.name == "shape")


def append(m: Machine, g: Growth) -> None:
    """The statement ``xs.append(v)``."""
    value = evaluate(m, g.argument)
    if isinstance(value, Rows):
        g.inner, value = value, value.array
    if isinstance(value, bool | int | float | complex):
        g.seen = scalar_of(value)
    elif isinstance(value, Value | Ref) and not is_shared(m, value):
        g.seen = value.type
    else:
        raise Unsettled(_refusal(m, g.statement))
    if m.apart > g.apart and g.type is not None and not _same(m, g.type, g.seen):
        raise Unsettled(_refusal(m, g.statement))  # of one kind here, of another there
    narrow = isinstance(g.seen, ArrayType) and g.seen.dtype != np.float64
    if narrow and is_loose(m.lift(value).value, carried=-1):
        raise Unsettled(
            _refusal(m, g.statement)
        )  # a list keeps what may be wider than that
    if g.array is None or g.type is None or not _same(m, g.type, g.seen):
        return
    storage, b = g.array.storage, m.builder
    if isinstance(value, Ref):
        m.link(storage, value.storage)
    new = m.lift(value)
    row = setitem(b, Expr(b, storage.current), m.lift(g.round), new)
    m.set_current(storage, row.value)


def relate_rows(m: Machine, backs: list[tuple[Leaf, Any]], memories: list[Storage]) -> bool:
    """Note which carried arrays may be in a list: what is appended in one round and carried
    into the next. Whether anything was not known before.

    Args:
        memories: of the long lists that are carried.
    """
    grown = False
    filled = [g.array.storage for g in m.appends.values() if g.array is not None]
    for storage in (*filled, *memories):
        for leaf, x in backs:
            mine = leaf.storage
            if mine is None or not isinstance(x, Ref) or mine in closure(storage):
                continue
            if closure(x.storage) & closure(storage):
                m.link(storage, mine)
                grown = True
    return grown


# ------------------------------------------------------------------------------ afterwards
_WHOLE = (np.array, np.asarray, np.stack)
_JOIN = (
    np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block,
)  # fmt: skip


def called(m: Machine, node: ast.AST, function: Any, args: Any, kwargs: Any) -> Any:
    """A NumPy function of such a list; ``NotImplemented`` where the array of it will do."""
    rows = [a for a in (*args, *kwargs.values()) if isinstance(a, Rows)]
    if not rows:
        return NotImplemented
    name = getattr(function, "__name__", "")
    whole = any(function is w for w in _WHOLE)
    plain = len(args) == 1 and not {*kwargs} - {"axis" if name == "stack" else ""}
    if any(function is j for j in _JOIN) or (whole and not plain):
        raise UnsupportedSyntaxError(
            f"np.{name} of a list filled in a loop cannot be compiled this way; make an array "
            "of it first: np.stack(xs)",
            m.span(node),
        )
    _require_rows(m, node, rows[0])
    if not whole:
        return NotImplemented
    made = m.new_storage(m.read(rows[0].array))
    if kwargs:
        return moved(m, node, made, kwargs["axis"])
    return made


def moved(m: Machine, node: ast.AST, made: Any, axis: Any) -> Any:
    """The array of a list, stacked along another axis than the first: in C order, as NumPy's,
    because sums add up in the order of the memory."""
    from ...ops import SURFACE

    view = m.lift(m.call_surface(SURFACE[np.moveaxis], node, made, 0, axis))
    return m.wrap(f.reshape(f.flatten(view), *view.shape).value)


def _require_rows(m: Machine, node: ast.AST, rows: Rows) -> None:
    """NumPy makes something else of an empty list."""
    from ..control.counting import compared, length

    ref = rows.array
    if ref.type.ndim == 1 and ref.type.dtype == np.float64 and not _is_stack(node):
        return
    some = compared(m, node, ast.Gt(), length(m, ref), 0)
    text = "need at least one array to stack"
    m.builder.op("require", some, error="ValueError", args=(text,))


def _is_stack(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and "stack" in ast.unparse(node.func)


def refuse(m: Machine, node: ast.AST) -> None:
    """Anything else that one can do with a list."""
    raise UnsupportedSyntaxError(
        "a list filled in a loop whose number of rounds is known at run time only can be "
        "indexed, looped over and measured; make an array of it: np.stack(xs)",
        m.span(node),
    )
