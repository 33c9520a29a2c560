"""How the arrays of the program being lowered lie in memory, found from what made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.types import ArrayType
from ...ir.values import Op, Value
from ..requests import SHAPES, Path
from .layouts import UNKNOWN, Lie, fresh, plain
from .strides import Shape, contiguous, reordered, reshaped, through

if TYPE_CHECKING:
    from ..machine import Machine
    from ..values import Ref, Storage

UNSET = (-1,)
"""Of memory of which nothing has been noted yet."""


def lie_of(m: Machine, value: Value) -> Lie:
    """How an array lies in memory in the user's own program."""
    known = m.lies.get(value)
    if known is None:
        known = m.lies[value] = _found(m, value)
    return known


def _found(m: Machine, value: Value) -> Lie:
    op, t = value.op, value.type
    if op is None or not isinstance(t, ArrayType):
        return UNKNOWN
    if op.regions:
        return _either(m, op, value)
    shape = _shape(m, value)
    if op.kind.has("view"):
        inner = lie_of(m, op.inputs[0])
        steps, order = inner.strides, inner.order
        base = _shape(m, op.inputs[0])
        return Lie(
            None if steps is None else through(op.kind.name, op.attrs, base, steps),
            None if order is None else reordered(op.kind.name, op.attrs, order),
        )
    if op.kind.has("maybe_view"):
        found = is_view(m, op)
        if found is None:
            return UNKNOWN
        if found is False:
            return plain(tuple(range(len(shape))), shape)
        inner, base = lie_of(m, op.inputs[0]), _shape(m, op.inputs[0])
        if inner.strides is None and base:
            return UNKNOWN
        steps = inner.strides or ()  # none are needed for rank 0
        made = reshaped(m.builder.dims, base, steps, shape)
        return Lie(made if isinstance(made, tuple) else None, tuple(range(len(shape))))
    if op.kind.has("alone_view") and len(op.inputs) == 1:
        return UNKNOWN
    arrays = [v for v in op.inputs if isinstance(v.type, ArrayType)]
    orders = [(len(v.type.shape), lie_of(m, v).order) for v in arrays]  # type: ignore[union-attr]
    ahead = tuple(range(len(shape)))
    made_anew = op.kind.name == "copy" and op.attrs["order"] == "C"
    order = ahead if made_anew else fresh(op, len(shape), orders)
    return UNKNOWN if order is None else plain(order, shape)


def _either(m: Machine, op: Op, value: Value) -> Lie:
    """How the result of a branch lies, where it lies alike on both sides."""
    if op.kind.name != "if":
        return UNKNOWN
    position, shape = op.results.index(value), _shape(m, value)
    sides = [region.results[position] for region in op.regions]
    lies = [(lie_of(m, side), _shape(m, side)) for side in sides]
    order, *orders = (lie.whole(inner) for lie, inner in lies)
    if order is not None and all(other == order for other in orders):
        return plain(order, shape)
    lie = lies[0][0]
    return lie if all(other == (lie, shape) for other in lies) else UNKNOWN


def _shape(m: Machine, value: Value) -> Shape:
    assert isinstance(value.type, ArrayType)
    return tuple(m.builder.dims.canonical(d) for d in value.type.shape)


def is_view(m: Machine, op: Op) -> bool | None:
    """Whether a reshape is a view in NumPy; None if that is not known."""
    if op.kind.name not in ("reshape", "ravel", "contiguous"):
        return None
    base = op.inputs[0]
    shape = _shape(m, base)
    lie = lie_of(m, base)
    if len(shape) == 0:
        return True
    if op.kind.name in ("ravel", "contiguous"):
        return contiguous(lie.strides, shape)
    if _without_ones(shape) == _without_ones(_shape(m, op.result)):
        return True  # axes of length 1 come and go
    if lie.strides is None:
        return None
    found = reshaped(m.builder.dims, shape, lie.strides, _shape(m, op.result))
    return found if found is None or found is False else True


def _without_ones(shape: Shape) -> Shape:
    return tuple(length for length in shape if length != 1)


def reasons(m: Machine, base: Value) -> frozenset[Path]:
    """What would have to be known of the arguments to say whether a reshape of ``base`` is a
    view: how they lie, and in the end their lengths."""
    needed: set[Path] = set()
    todo, seen = [base], {base}
    while todo:
        value = todo.pop()
        owners = m.owners.get(value, ())
        needed |= {("layout", m.places[s]) for s in owners if s in m.places}
        path = m.paths.get(value, ())
        if path[:1] == ("capture",):
            needed.add(("layout", path))
        more = [v for s in owners for v in m.members.get(s, ())]
        for v in (*more, *_inputs(m, value)):
            if isinstance(v.type, ArrayType) and v not in seen:
                seen.add(v)
                todo.append(v)
    missing = needed - m.statics
    if missing or m.static_shapes or lie_of(m, base).strides is None:
        return frozenset(missing)
    return frozenset({SHAPES})


def _inputs(m: Machine, value: Value) -> tuple[Value, ...]:
    """What decides how a value lies."""
    op = value.op
    if op is None:
        return ()
    found = lie_of(m, value)
    if (
        not op.kind.has("view")
        and not op.kind.has("maybe_view")
        and found.order is not None
    ):
        return ()
    return (*op.inputs, *(r for region in op.regions for r in region.results))


def note(m: Machine, storage: Storage, item: Ref) -> bool:
    """Note how an array lies that ``storage`` may be; whether that is news."""
    lie = ref_lie(m, item)
    value = m.peek(item)
    if value is not None:
        m.members.setdefault(storage, []).append(value)
    order = lie.whole(tuple(m.builder.dims.canonical(d) for d in item.type.shape))
    before = storage.order
    storage.order = order if before in (UNSET, order) else None
    return before not in (UNSET, storage.order)


def ref_lie(m: Machine, ref: Ref) -> Lie:
    """How an array lies that a name holds."""
    from ..values import Selected

    if isinstance(ref.storage, Selected):
        return UNKNOWN
    lie, t = lie_of(m, ref.storage.current), ref.storage.current.type
    assert isinstance(t, ArrayType)
    if not ref.path:
        return lie
    value = m.peek(ref)
    return UNKNOWN if value is None else lie_of(m, value)


__all__ = ["UNSET", "is_view", "lie_of", "note", "reasons", "ref_lie"]
