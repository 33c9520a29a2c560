"""Writing into arrays: through views, and refused where it cannot be told what changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import AliasError, DTypeError, ShapeError
from ...ir.context import Dims
from ...ir.dims import Dimension, may_be_one
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value
from ...ops.indexing import getitem, setitem
from ..heap import children
from ..machine import NOT_CHANGED, Machine
from ..requests import SHAPES, NeedsSpecialisation
from ..values import Cell, ListObject, Ref, Selected, Storage, is_long
from .writing import put_back


def store_item(m: Machine, node: ast.AST, ref: Ref, key: Any, value: Any) -> None:
    """``ref[key] = value``."""
    from .selected import on_each

    if on_each(m, node, ref, lambda one: store_item(m, node, one, key, value)):
        return
    with m.located(node):
        check_writable(m, ref)
        base = Expr(m.builder, m.read(ref))
        new = setitem(m.builder, base, m.lift(key), m.lift(value))
        put_back(m, ref, new.value)


def load_item(m: Machine, node: ast.AST, ref: Ref | Value, key: Any) -> Any:
    """``ref[key]``."""
    return m.call_surface(getitem, node, ref, key)


def overwrite(m: Machine, node: ast.AST, ref: Ref, value: Any) -> None:
    """``ref[...] = value``, for ``out=`` and operators in place: NumPy's casting rules."""
    from .selected import on_each

    if on_each(m, node, ref, lambda one: overwrite(m, node, one, value)):
        return
    with m.located(node):
        check_writable(m, ref)
        new = m.lift(value)
        new = new if isinstance(new, Expr) else Expr(m.builder, m.builder.const(new))
        check_cast(new.type, ref.type)
        dims = m.builder.dims
        shape = new.type.shape
        if len(shape) > len(ref.type.shape):
            raise ShapeError(
                f"an array of shape {_shape(ref.type)} cannot hold a result of shape "
                f"{_shape(new.type)}"
            )
        for have, got in zip(reversed(ref.type.shape), reversed(shape), strict=False):
            if dims.broadcast(have, got) != dims.canonical(have):
                if isinstance(have, int) and not (have == 1 and _may_be_one(dims, got)):
                    raise ShapeError(
                        f"an array of shape {_shape(ref.type)} cannot hold a result of shape "
                        f"{_shape(new.type)}"
                    )
                dims.unify(have, got)
        if isinstance(new.type, ArrayType) and dims.same_type(new.type, ref.type):
            fresh = new.value if not _is_held(m, new.value) else f.copy(new).value
        else:
            fresh = setitem(m.builder, Expr(m.builder, m.read(ref)), ..., new).value
        put_back(m, ref, fresh)


def _may_be_one(dims: Dims, length: Dimension) -> bool:
    return may_be_one(length) and length not in dims.not_one


def _is_held(m: Machine, value: Value) -> bool:
    """Whether an array of that content is in use."""
    owner = m.owner(value)
    return owner is not None and (owner in m.related or owner in reachable(m))


def check_cast(result: Any, target: ArrayType) -> None:
    """Refuse what NumPy refuses to write in place (``same_kind`` casting)."""
    if isinstance(result, ScalarType):
        allowed = "biufc".index(result.dtype.kind) <= "biufc".index(target.dtype.kind)
    else:
        allowed = np.can_cast(result.dtype, target.dtype, "same_kind")
    if not allowed:
        raise DTypeError(
            f"the result is {result.dtype}, the array {target.dtype}: NumPy does not cast that "
            "way in place; convert the array with astype first"
        )


def _shape(t: Any) -> str:
    return f"({', '.join(map(str, t.shape))})"


# --------------------------------------------------------------------- may two be one?
def check_writable(m: Machine, ref: Ref) -> None:
    """Refuse a write that may be seen, or not, under another name.

    Raises:
        AliasError: naming what may be the same memory.
    """
    storage = ref.storage
    if storage.origin == "captured" and not m.writes_captured:
        raise AliasError(
            f"`{storage.name}` is captured from outside the function, {NOT_CHANGED}; copy it "
            "first, or pass it as an argument; for a layer that keeps statistics, call `eval()`"
        )
    if m.shown and not m.shown.isdisjoint(closure(storage)):
        raise AliasError(
            "this array has been put into a list from outside, which would see it change; put "
            "a copy there"
        )
    if storage not in m.related:
        return
    mine = closure(storage)
    for other in mine - {storage}:
        if other.origin in ("argument", "captured"):
            _ask(mine)
            raise AliasError(
                f"this array may or may not be the caller's `{other.name}`: which of them is "
                "changed cannot be decided when compiling; copy the array before writing to it"
            )
    for other in reachable(m):
        if other is storage or frozenset((other, storage)) in m.distinct:
            continue
        if isinstance(other, Selected):
            continue  # it is read anew, and what it may be is looked at itself
        if other in m.related and closure(other) & mine:
            _ask(mine | closure(other))
            if (mine | closure(other)) & _in_lists(m):
                raise AliasError(
                    "this array is, or may be, an element of a list that grows in a loop, which "
                    "would change with it: append a copy of it (`xs.append(x.copy())`)"
                )
            raise AliasError(
                "this array may or may not share memory with another one that is still in "
                "use: what this write changes cannot be decided when compiling; copy it first"
            )


def _in_lists(m: Machine) -> set[Storage]:
    """The memory of arrays in lists whose length is known at run time only."""
    rows = (g.array.storage for g in m.appends.values() if g.array is not None)
    long = (x for x in _held(m) if isinstance(x, ListObject) and is_long(x))
    return {*rows, *(x.data["items"].memory for x in long)}


def _ask(storages: set[Storage]) -> None:
    """Ask for what decides which of some storages are the same memory.

    Raises:
        NeedsSpecialisation: there is something.
    """
    needed = {path for s in storages for path in s.undecided}
    layouts = {path for path in needed if path is not SHAPES}
    if needed:
        raise NeedsSpecialisation(*sorted(layouts or needed, key=repr))


def closure(storage: Storage) -> set[Storage]:
    """The storage and all that it may in truth be."""
    found = {storage}
    todo = [storage]
    while todo:
        one = todo.pop()
        sources = one.sources
        if isinstance(one, Selected):
            sources = sources | {one.first.storage, one.second.storage}
        for source in sources:
            if source not in found:
                found.add(source)
                todo.append(source)
    return found


def reachable(m: Machine) -> set[Storage]:
    """Every storage that some name, container or pending operand refers to."""
    return {x for x in _held(m) if isinstance(x, Storage)}


def holders(m: Machine, value: Any) -> int:
    """How many names, places in containers and pending operands hold ``value``."""
    return sum(x is value for x in _held(m))


def _held(m: Machine) -> Iterator[Any]:
    """What names, containers and pending operands hold, each time it is held."""
    seen: set[int] = set()
    todo: list[Any] = [*m.temps, *m.fields.values()]
    for frame in m.frames:
        todo += [frame.scope, *frame.outer_scopes()]
    while todo:
        x = todo.pop()
        yield x
        if isinstance(x, Storage) and not isinstance(x, Selected):
            continue
        if isinstance(x, Cell):
            if id(x) in seen:
                continue
            seen.add(id(x))
        todo += children(x)
