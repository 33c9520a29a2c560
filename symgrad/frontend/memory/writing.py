"""What a store through a view makes of the memory behind it.

Where the view is of parts and axes, the store is one op on that memory, which touches what it
writes. Where it is more than that, a reshape, the view's new content is put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import AliasError
from ...ir.expr import Expr, f
from ...ir.indexing import FULL, composed
from ...ir.types import ArrayType
from ...ir.values import Value
from ...ops.indexing import setitem
from ...ops.rules.loose import NARROW, is_loose
from ...ops.through import FOLLOWED, Step, at
from ..machine import Machine
from ..values import Ref, Selected, Storage, View

STORES = ("store", "add_store")


@dataclass(frozen=True, slots=True)
class Write:
    """One store into a view: the op without what it is done to."""

    name: str
    value: Value
    operands: tuple[Value, ...]
    attrs: dict[str, Any]


def put_back(m: Machine, ref: Ref, new: Value) -> None:
    """Make ``new`` the content of the part of the storage that ``ref`` is. What derivatives make
    of that part when it is read through ``ref`` says nothing about the memory. An array of the
    caller's stays the same one, so what is new all over is stored into it."""
    storage = ref.storage
    m.stored.add(storage)
    path = [view for view in ref.path if not view.kind.has("marker")]
    current = storage.current
    if not shape_of(current):
        made = new if ref.type.shape else _of_rank_zero(m, ref, new)
        m.set_current(storage, _put_all(m, current, path, made))
        return
    given = storage.origin in ("argument", "captured")
    if not ref.path:
        whole = _in_its_dtype(m, new)
        if given and _writes(m, current, whole) is None:
            whole = setitem(
                m.builder, Expr(m.builder, current), ..., Expr(m.builder, whole)
            ).value
        m.set_current(storage, whole)
        return
    direct = FOLLOWED
    if given:
        direct = FOLLOWED | {"reshape", "ravel", "contiguous"}
    writes = _writes(m, m.read(ref), new)
    for write in writes or ():
        current = _written(m, current, path, write, direct)
    if writes is None:
        current = _replaced(m, current, path, new, direct)
    m.set_current(storage, current)


def _in_its_dtype(m: Machine, new: Value) -> Value:
    """What an array is replaced by, where it may be wider than its type says: it stays as wide
    as the array was."""
    t = new.type
    assert isinstance(t, ArrayType)
    if t.dtype not in NARROW or not is_loose(
        new, certain={v for v in m.owners if not shape_of(v)}
    ):
        return new
    return f.astype(Expr(m.builder, new), dtype=t.dtype).value  # type: ignore[no-any-return]


def _writes(m: Machine, old: Value, new: Value) -> list[Write] | None:
    """The stores that make ``new`` of ``old``, the first one first; None if it is more."""
    found: list[Write] = []
    while new is not old:
        op = new.op
        if op is None or op.name not in STORES:
            return None
        base, value, *operands = op.inputs
        found.append(Write(op.name, value, tuple(operands), dict(op.attrs)))
        new = base
    return found[::-1]


def _written(
    m: Machine,
    base: Value,
    path: Sequence[View],
    write: Write,
    direct: frozenset[str] = FOLLOWED,
) -> Value:
    """``base`` after a store into what ``path`` leads to, by views that are followed
    directly."""
    t = base.type
    assert isinstance(t, ArrayType)
    if not path and not t.shape and write.name == "store":
        return _number(m, write.value, t)
    joint = _joint(path, write)
    if joint is not None:
        index, operands = joint
        attrs = {**write.attrs, "index": index}
        return m.builder.one(write.name, base, write.value, *operands, **attrs)
    for position in reversed(range(len(path))):
        if path[position].kind.name not in direct:
            inner = _followed(m, base, path[: position + 1])
            made = _written(m, inner, path[position + 1 :], write)
            return _replaced(m, base, path[: position + 1], made)
    if not path or write.name != "store":
        inner = _followed(m, base, path)
        made = m.builder.one(write.name, inner, write.value, *write.operands, **write.attrs)
        return _replaced(m, base, path, made)
    return _through(m, base, path, write)


def _of_rank_zero(m: Machine, ref: Ref, new: Value) -> Value:
    """The number that an array of rank 0 holds after stores into it."""
    writes = _writes(m, number := m.read(ref), new)
    for write in writes or ():
        added = write.name != "store"
        value = Expr(m.builder, write.value)
        number = (Expr(m.builder, number) + value).value if added else value.value
    return _number(m, new if writes is None else number, ref.type)


def _put_all(m: Machine, number: Value, path: Sequence[View], new: Value) -> Value:
    """The content of an array of rank 0 with what ``path`` leads to replaced."""
    if not path:
        return new
    *rest, last = path
    put = _put(m, _followed(m, number, rest), new, last)
    return _put_all(m, number, rest, put)


def shape_of(value: Value) -> tuple[Any, ...]:
    """The shape of an array's content."""
    return value.type.shape  # type: ignore[union-attr]


def _number(m: Machine, value: Value, t: ArrayType) -> Value:
    """What an array of rank 0 holds when ``value`` has been stored: a number of its dtype."""
    x = Expr(m.builder, value)
    if x.ndim:
        x = f.reshape(x)
    if isinstance(x.type, ArrayType) and x.dtype != t.dtype:
        return f.astype(x, dtype=t.dtype).value  # type: ignore[no-any-return]
    held = {v for v in m.owners if not shape_of(v)}
    same = x.type == t and not is_loose(x.value, certain=held)
    return x.value if same else f.asarray(x, dtype=t.dtype).value


def _replaced(
    m: Machine,
    base: Value,
    path: Sequence[View],
    new: Value,
    direct: frozenset[str] = FOLLOWED,
) -> Value:
    """``base`` with all of what ``path`` leads to replaced by ``new``."""
    if not path:
        return new
    *rest, last = path
    if last.kind.name == "index":
        write = Write("store", new, last.operands, dict(last.attrs))
        return _written(m, base, rest, write, direct)
    if last.kind.name in ("real", "imag") or "reshape" in direct:
        return _written(m, base, path, Write("store", new, (), {"index": ()}), direct)
    return _replaced(m, base, rest, _put(m, _followed(m, base, rest), new, last))


def _joint(
    path: Sequence[View], write: Write
) -> tuple[tuple[Any, ...], tuple[Value, ...]] | None:
    """One index and its operands for the whole way, if there is one."""
    index, operands = write.attrs["index"], write.operands
    for view in reversed(path):
        if view.kind.name != "index":
            return None
        first = view.attrs["index"]
        index = composed(first, index, len(view.operands)) if index else first
        if index is None:
            return None
        operands = (*view.operands, *operands)
    return index, operands


def _through(m: Machine, base: Value, path: Sequence[View], write: Write) -> Value:
    steps, operands = _steps(path)
    return m.builder.one(
        "store_view",
        base,
        write.value,
        *operands,
        *write.operands,
        path=steps,
        index=write.attrs["index"],
    )


def _steps(path: Sequence[View]) -> tuple[tuple[Step, ...], list[Value]]:
    """A path as an attribute of ops, and its operands; indices that can be are joined."""
    steps: list[Step] = []
    operands: list[Value] = []
    for view in path:
        step = Step(view.kind.name, tuple(view.attrs.items()), len(view.operands))
        if steps and steps[-1].kind == step.kind == "index":
            before = steps[-1].attrs["index"]
            index = composed(before, view.attrs["index"], steps[-1].count)
            if index is not None:
                steps.pop()
                step = at(index)
        steps.append(step)
        operands += view.operands
    return tuple(steps), operands


def shared(m: Machine, ref: Ref) -> Value:
    """The content of an array that is returned: where it is part of memory that was stored
    into, as a view of that. So is an array of rank 0, which else would be a number, and the
    whole of an array that is the caller's, since that is another array."""
    if not shape_of(ref.storage.current):
        boxed_content(m, ref.storage)
        return m.read(ref)
    boxed = not ref.type.shape
    base = ref.storage.current
    given = ref.made > 0 and ref.storage.origin in ("argument", "captured")
    whole = given and base.type == ref.type
    plainly = not boxed and not whole and ref.storage not in m.stored
    if plainly or isinstance(ref.storage, Selected) or not (ref.path or whole):
        return m.read(ref)
    steps, operands = _steps(ref.path)
    steps = steps or (at((FULL,)),)
    return m.builder.one("view_of", base, *operands, path=steps, boxed=boxed)


def boxed_content(m: Machine, storage: Storage) -> Value:
    """The content of an array of rank 0 as an array, the same one each time."""
    if isinstance(storage, Selected):
        for side in (storage.first, storage.second):
            if not shape_of(side.storage.current):
                boxed_content(m, side.storage)
        return m.content(storage)
    content = storage.current
    mine = m.owners[content][0] is storage
    array = content.op is None or content.op.kind.has("boxes")
    if not (mine and array):
        content = m.builder.one("boxed", content)
        m.set_current(storage, content)
    return content


def _followed(m: Machine, base: Value, path: Sequence[View]) -> Value:
    for view in path:
        base = m.view(base, view)
    return base


def _put(m: Machine, base: Value, new: Value, view: View) -> Value:
    if view.kind.put is None:
        raise AliasError(
            f"this writes through `{view.kind.name}`, whose result is read-only; copy it first"
        )
    named = view.kind.named_inputs((base, *view.operands))
    rest = list(named.items())[1:]
    operands = {key: _exprs(m, x) for key, x in rest}
    put: Value = view.kind.put(
        Expr(m.builder, base), Expr(m.builder, new), **operands, **view.attrs
    ).value
    return put


def _exprs(m: Machine, x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(Expr(m.builder, v) for v in x)
    return Expr(m.builder, x)


__all__ = ["put_back", "shape_of", "shared"]
