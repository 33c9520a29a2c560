"""Patterns at work: the values at their leaves, and new ones put there.

``extract`` lists what a value has at the leaves of a pattern, ``convert`` gives that the leaf's
type, ``instantiate`` puts runtime values there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir.builder import Builder
from ...ir.types import ArrayType, ListType, ScalarType
from ...ir.values import Value
from ...source import Span
from ..machine import Machine
from ..memory import identity, moving
from ..memory.layouts import UNKNOWN, plain
from ..memory.lying import UNSET, note
from ..memory.moving import Moving
from ..memory.storage import closure
from ..names import held
from ..names.scope import RESULT
from ..values import (
    MISSING,
    Closure,
    DictObject,
    Items,
    Kinds,
    ListObject,
    Maybe,
    Poison,
    Record,
    Ref,
    Rows,
    Storage,
)
from . import choices, kinds
from .awaited import (
    Column,
    Either,
    ElementPattern,
    KindsPattern,
    ListPattern,
    MaybePattern,
    Pick,
    Picked,
    RowsPattern,
    Truths,
)
from .choices import Chosen
from .join import MERGED, Leaf, Shell, contents, like


def pair(pattern: Any, x: Any) -> Iterator[tuple[Leaf, Any]]:
    """The leaves of a pattern, each with what ``x`` has there (``MISSING`` for nothing)."""
    if isinstance(pattern, Leaf):
        yield pattern, x.candidate if isinstance(x, Poison) else x
    elif isinstance(pattern, Poison):
        if pattern.candidate is not MISSING:
            yield from pair(pattern.candidate, x.candidate if isinstance(x, Poison) else x)
    elif isinstance(x, Poison):
        yield from pair(pattern, x.candidate)
    elif isinstance(pattern, KindsPattern):
        condition, first, second = kinds.parts(pattern, x)
        if isinstance(pattern.condition, Leaf):
            yield pattern.condition, condition
        yield from pair(pattern.first, first)
        yield from pair(pattern.second, second)
    elif isinstance(pattern, MaybePattern):
        maybe = isinstance(x, Maybe)
        known = x if x is MISSING else (x is not None)
        yield pattern.present, x.present if maybe else known
        yield from pair(pattern.value, x.value if maybe else MISSING if x is None else x)
    elif isinstance(pattern, Either):
        for part, before in zip(pattern.parts, pattern.before, strict=True):
            if not isinstance(part, Ref):
                yield from pair(part, x if x is before else MISSING)
    elif isinstance(pattern, Chosen):
        yield from choices.pairs(pattern, x, pair)
    elif isinstance(pattern, Moving):
        yield from moving.pairs(pattern, x)
    elif isinstance(pattern, Pick):
        yield pattern.leaf, MISSING if x is MISSING else Picked(x, pattern.options)
    elif isinstance(pattern, held.ChoicePattern):
        yield pattern.leaf, MISSING if x is MISSING else held.Chosen(x, pattern.options)
    elif isinstance(pattern, ListPattern):
        from ..lists.holding import pairs

        yield from pairs(pattern, x)
    elif isinstance(pattern, ElementPattern):
        yield from pattern.one.pairs(pattern, x)
    elif isinstance(pattern, RowsPattern):
        yield pattern.leaf, x.array if isinstance(x, Rows) else MISSING
    elif isinstance(pattern, tuple):
        parts: Any = [MISSING] * len(pattern) if x is MISSING else x
        for p, q in zip(pattern, parts, strict=True):
            yield from pair(p, q)
    elif isinstance(pattern, dict):
        for key, p in pattern.items():
            yield from pair(p, MISSING if x is MISSING else x[key])
    elif isinstance(pattern, Shell):
        inner = _contents(pattern, x) if x is not MISSING else {}
        for key, p in pattern.parts.items():
            yield from pair(p, inner.get(key, MISSING))


def _contents(pattern: Shell, x: Any) -> dict[Any, Any]:
    whole = isinstance(x, ListObject) and list(pattern.parts) == ["items"]
    return {"items": x.data["items"]} if whole else contents(x)


def extract(m: Machine, pattern: Any, x: Any) -> list[Any]:
    """What ``x`` has at the leaves of ``pattern``: values, numbers, or ``MISSING``."""
    return [_content(m, item, leaf) for leaf, item in pair(pattern, x)]


def _content(m: Machine, x: Any, leaf: Leaf) -> Any:
    if isinstance(x, Picked):
        from ..memory.selected import number

        return number(m, x)
    if isinstance(x, held.Chosen):
        return held.number(m, x)
    if isinstance(x, Truths):
        from .conditions import all_of

        return all_of(m, x.all)
    if isinstance(x, Column):
        return Column(tuple(_content(m, value, leaf) for value in x.values))
    if isinstance(x, Rows):
        from ..lists.calls import settled

        return settled(m, x)
    if not isinstance(x, Ref):
        return x
    number_elsewhere = not x.type.shape and isinstance(leaf.type, ArrayType)
    if number_elsewhere and leaf.storage is None:
        return m.builder.one("boxed", m.read(x))
    return m.read(x)


def relate(m: Machine, pairs: list[tuple[Leaf, Any]], birth: int) -> bool:
    """Note what the memory of leaves may in truth be: of the storages given with them those
    older than ``birth`` and those of other leaves; and who shares a younger one.

    Returns:
        Whether anything was not known before.
    """
    mine = {leaf.storage for leaf, _ in pairs if leaf.storage is not None}
    links: set[tuple[Storage, Storage]] = set()
    holders: dict[Storage, set[Storage]] = {}
    news = False
    for leaf, item in pairs:
        if leaf.storage is None or not isinstance(item, Ref):
            continue
        news |= note(m, leaf.storage, item)
        for member in closure(item.storage):
            if member.birth < birth or member in mine:
                links.add((leaf.storage, member))
            else:
                holders.setdefault(member, set()).add(leaf.storage)
    for group in holders.values():
        links |= {(a, b) for a in group for b in group}
    new = {(a, b) for a, b in links if a is not b and b not in a.sources}
    for a, b in new:
        m.link(a, b)
    return bool(new) or news


def leaves(pattern: Any) -> list[Leaf]:
    """The leaves of a pattern, in the order of ``extract``."""
    if isinstance(pattern, Leaf):
        return [pattern]
    if isinstance(pattern, Poison):
        return leaves(pattern.candidate)
    if isinstance(pattern, MaybePattern):
        return [pattern.present, *leaves(pattern.value)]
    if isinstance(pattern, KindsPattern):
        flag = [pattern.condition] if isinstance(pattern.condition, Leaf) else []
        return [*flag, *leaves(pattern.first), *leaves(pattern.second)]
    if isinstance(pattern, ListPattern):
        return list(pattern.columns)
    if isinstance(pattern, held.ChoicePattern):
        return [pattern.leaf]
    if isinstance(pattern, Either):
        return [leaf for part in pattern.parts for leaf in leaves(part)]
    if isinstance(pattern, Chosen):
        return [pattern.condition, *(leaf for p in pattern.parts for leaf in leaves(p))]
    if isinstance(pattern, Pick | RowsPattern):
        return [pattern.leaf]
    if isinstance(pattern, Moving | ElementPattern):
        return list(pattern.leaves)
    if isinstance(pattern, tuple):
        return [leaf for p in pattern for leaf in leaves(p)]
    if isinstance(pattern, dict):
        return [leaf for p in pattern.values() for leaf in leaves(p)]
    if isinstance(pattern, Shell):
        return [leaf for p in pattern.parts.values() for leaf in leaves(p)]
    return []


def instantiate(m: Machine, pattern: Any, values: Iterator[Value]) -> Any:
    """The pattern with runtime values at its leaves."""
    if isinstance(pattern, Leaf):
        value = next(values)
        if pattern.storage is None:
            return value
        assert isinstance(value.type, ArrayType)
        m.set_current(pattern.storage, value)
        order = pattern.storage.order
        unknown = order is None or order == UNSET
        m.lies[value] = UNKNOWN if unknown else plain(order or (), value.type.shape)
        return Ref(pattern.storage, value.type, (), identity.UNKNOWN)
    if isinstance(pattern, Poison):
        candidate = instantiate(m, pattern.candidate, values)
        return Poison(pattern.error, pattern.condition, candidate)
    if isinstance(pattern, MaybePattern):
        return Maybe(next(values), instantiate(m, pattern.value, values))
    if isinstance(pattern, KindsPattern):
        flag = pattern.condition
        condition = next(values) if isinstance(flag, Leaf) else flag
        sides = (instantiate(m, part, values) for part in (pattern.first, pattern.second))
        return Kinds(condition, *sides)
    if isinstance(pattern, Either):
        from ..memory.selected import selection

        first, second = (
            p if isinstance(p, Ref) else instantiate(m, p, values) for p in pattern.parts
        )
        chosen = selection(pattern.condition, first, second, pattern.type)
        m.read(chosen)
        return chosen
    if isinstance(pattern, Chosen):
        return choices.instantiate(pattern, values, lambda p: instantiate(m, p, values))
    if isinstance(pattern, Moving):
        return moving.instantiate(m, pattern, values)
    if isinstance(pattern, Pick):
        from ..memory.selected import picked

        return picked(m, pattern, next(values))
    if isinstance(pattern, held.ChoicePattern):
        return held.choice(next(values), pattern.options)
    if isinstance(pattern, ListPattern):
        lists = tuple(next(values) for _ in pattern.columns)
        return Items(pattern.element, lists, pattern.memory)
    if isinstance(pattern, ElementPattern):
        return pattern.one.moved_to(pattern, values)
    if isinstance(pattern, RowsPattern):
        array = instantiate(m, pattern.leaf, values)
        return Rows(array, pattern.kind, pattern.depth, MERGED)
    if isinstance(pattern, tuple):
        return like(pattern, [instantiate(m, p, values) for p in pattern])
    if isinstance(pattern, dict):
        return {k: instantiate(m, p, values) for k, p in pattern.items()}
    if isinstance(pattern, Shell):
        parts = {k: instantiate(m, p, values) for k, p in pattern.parts.items()}
        return _rebuilt(pattern, parts)
    return pattern


def _rebuilt(shell: Shell, parts: dict[Any, Any]) -> Any:
    if isinstance(shell.cell, Closure):
        return held.rebuilt(shell.cell, parts)
    if isinstance(shell.cell, ListObject):
        items = parts["items"] if "items" in parts else tuple(parts.values())
        return ListObject({"items": items}, shell.owner)
    if isinstance(shell.cell, DictObject):
        return DictObject({"items": parts}, shell.owner)
    assert isinstance(shell.cell, Record)
    return Record(shell.cell.cls, parts, shell.owner)


def or_zero(key: Any, x: Any, leaf: Leaf) -> Any:
    """What stands for a function's result where it has not returned: unlike other undefined
    values it may have to be converted later, so scalars get a number."""
    if x is MISSING and key == RESULT and not getattr(leaf.type, "shape", True):
        return False
    return x


def convert(b: Builder, x: Any, wanted: Any, span: Span | None) -> Value:
    """A leaf's value in the leaf's type.

    Raises:
        SymgradError: it would not keep its value.
    """
    if x is MISSING:
        return b.undef(wanted)
    if isinstance(wanted, ListType):
        from ..lists.holding import build

        return build(b, x, wanted, span)
    value = x if isinstance(x, Value) else b.const(x)
    have = value.type
    if have == wanted:
        return value
    arrays = isinstance(have, ArrayType) and isinstance(wanted, ArrayType)
    if arrays and have.dtype == wanted.dtype:  # type: ignore[union-attr]
        return value
    return _joined(b, value, wanted)


def _joined(b: Builder, x: Value, wanted: Any) -> Value:
    """A number as it is where it meets others; a truth value as one of them: ``~True`` is -2."""
    span, b.span = b.span, None  # it stands in no line of the user's
    try:
        if wanted.dtype.kind == "b" or x.type.dtype.kind == "b":  # type: ignore[union-attr]
            if isinstance(wanted, ScalarType):
                return b.op("item", x, kind=wanted.kind)  # type: ignore[no-any-return]
            return b.op("asarray", x, dtype=wanted.dtype)  # type: ignore[no-any-return]
        return b.op("joined", x, type=wanted)  # type: ignore[no-any-return]
    finally:
        b.span = span
