"""A call lowered into a block of its own, so that its derivative can be taken: the leaves to
differentiate by become the block's parameters, and what is stored into arrays stays inside.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ...errors import AliasError, UnsupportedSyntaxError
from ...ir.builder import Builder
from ...ir.types import Type
from ...ir.values import Block, Value
from ..arguments.leaftypes import as_value, name_of
from ..arguments.selection import Selected
from ..dispatch import NeverReturns
from ..inline import call_value
from ..machine import Machine
from ..memory.lying import lie_of
from ..names import fields
from ..names.captures import Found
from ..names.fields import Assigned, is_outer, owner_of
from ..names.static import certain
from ..parts import Parts, rebuild, take_apart
from ..values import Cell, DictObject, Fields, ListObject, Record, Ref, Storage, is_long

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Input:
    """An argument to differentiate by, taken apart; ``active`` says which leaves count."""

    chosen: Selected
    parts: Parts
    active: tuple[bool, ...]

    @property
    def leaves(self) -> list[Any]:
        """The leaves that count."""
        return [x for x, on in zip(self.parts.leaves, self.active, strict=True) if on]


@dataclass(frozen=True, slots=True)
class Traced(Generic[T]):
    """The block under construction, the values of its parameters, and what came out;
    ``written`` has the new content of captured arrays that were stored into, ``assigned`` what
    objects from outside were given."""

    builder: Builder
    values: list[Value]
    params: list[Value]
    outcome: T
    written: tuple[tuple[Storage, Value], ...] = ()
    assigned: tuple[Assigned, ...] = ()

    @property
    def changes(self) -> list[Value]:
        """What the block has to hand out for ``commit``."""
        parts = (v for what in self.assigned for v in what.parts.values)
        return [*(value for _, value in self.written), *parts]

    def block(self, results: Sequence[Value]) -> Block:
        """The block with these results."""
        return self.builder.block(self.params, results)


def trace(
    m: Machine,
    node: ast.AST,
    function: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    inputs: Sequence[Input],
    finish: Callable[[Any], T],
    *,
    types: Sequence[Type] | None = None,
    doing: str = "differentiated",
    stores: bool = False,
    copies: bool = True,
) -> Traced[T]:
    """Lower ``function(*args, **kwargs)``; ``finish`` makes the outcome of its result, inside.

    Args:
        types: the parameters' types, if not those of the leaves.
        doing: what is done with the function, for messages.
        stores: the caller sees to what is stored into captured arrays.
        copies: what the function stores into its arguments, and local arrays around it, stays
            inside, or is refused. Otherwise the caller sees to that too.

    Raises:
        UnsupportedSyntaxError: the function changes something from outside.
        AliasError: it stores into an array that is passed to it twice.
    """
    leaves = [leaf for i in inputs for leaf in i.leaves]
    values = [as_value(m, leaf) for leaf in leaves]
    region = m.new_region()
    region.always = True
    names = [_param_name(leaf, inputs) for leaf in leaves]
    kinds = [v.type for v in values] if types is None else types
    params = [region.builder.param(t, n) for t, n in zip(kinds, names, strict=True)]
    m.independent.update(params)
    mark = m.heap.mark
    own = _Copies(m)
    try:
        with m.inside(region):
            given: Any = args, kwargs
            if copies:
                given = _given(m, own, args, kwargs, inputs, params)
            result = call_value(m, node, function, *given)
            own.check(name_of(function))
            found = stored_into(m, region.birth, mark, copies) if stores else {}
            check_unchanged(
                m, name_of(function), doing, region.birth, mark, found, assigning=stores
            )
            assigned = fields.assigned_inside(m, node, mark, region.birth) if stores else ()
            for what in assigned:
                what.parts.values = [as_value(m, leaf) for leaf in what.parts.leaves]
            outcome = finish(certain(m, result))
    except NeverReturns:
        # The region is not used: the call itself, which raises, takes its place.
        m.heap.undo(mark)
        call_value(m, node, function, args, kwargs)
        raise
    m.heap.undo(mark)
    m.builder.dims.learn(region.builder.dims)
    return Traced(region.builder, values, params, outcome, tuple(found.items()), assigned)


def stored_into(
    m: Machine, birth: int, mark: int, captured: bool = True
) -> dict[Storage, Value]:
    """Arrays older than ``birth`` that have changed since ``mark``, and their new content;
    ``captured`` ones only, or all."""
    if captured and not m.writes_captured:
        return {}
    return {
        change.cell: change.after
        for change in m.heap.changes(mark).values()
        if isinstance(change.cell, Storage)
        and (not captured or change.cell.origin == "captured")
        and change.cell.birth < birth
        and change.before is not change.after
    }


def commit(m: Machine, traced: Traced[Any], new: Sequence[Value]) -> None:
    """Give captured arrays their new content, and objects from outside what they were given,
    outside the block that computed it: ``new`` are ``traced.changes`` there."""
    values = iter(new)
    for storage, _ in traced.written:
        m.stored.add(storage)
        m.set_current(storage, next(values))
    put_fields(m, traced, tuple(values))


def put_fields(m: Machine, traced: Traced[Any], new: Sequence[Value]) -> None:
    """The part of ``commit`` that is about objects."""
    values = iter(new)
    for what in traced.assigned:
        fields.put(m, what, [next(values) for _ in what.parts.values])


def _param_name(leaf: Any, inputs: Sequence[Input]) -> str:
    known = leaf.storage.name if isinstance(leaf, Ref) else getattr(leaf, "name", "")
    return known or (inputs[0].chosen.name if len(inputs) == 1 else "")


def _given(
    m: Machine,
    own: _Copies,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    inputs: Sequence[Input],
    params: Sequence[Value],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as the function gets them."""
    fresh = iter(params)
    put = {}
    for i in inputs:
        leaves = [
            own.parameter(leaf, next(fresh)) if on else own.copied(leaf)
            for leaf, on in zip(i.parts.leaves, i.active, strict=True)
        ]
        put[i.chosen.key] = rebuild(m, i.parts, leaves)
    made = (
        tuple(put[i] if i in put else own.argument(a) for i, a in enumerate(args)),
        {k: put[k] if k in put else own.argument(a) for k, a in kwargs.items()},
    )
    for old, new in zip(
        (*args, *kwargs.values()), (*made[0], *made[1].values()), strict=True
    ):
        own.boxes += _pairs(old, new)
    return made


def _pairs(old: Any, new: Any) -> Iterator[tuple[Cell, Cell, dict[Any, Any]]]:
    """The containers and objects in an argument that have been copied, their copies, and what
    these hold."""
    if old is new:
        return
    if isinstance(old, ListObject | DictObject | Record):
        yield old, new, dict(new.data)
    if isinstance(old, Record):
        children = [(old.data[k], new.data[k]) for k in old.data]
    elif isinstance(old, DictObject):
        children = [(old.items[k], new.items[k]) for k in old.items]
    elif isinstance(old, tuple) or (isinstance(old, ListObject) and not is_long(old)):
        before, after = (x if isinstance(x, tuple) else x.items for x in (old, new))
        children = list(zip(before, after, strict=True))
    else:
        children = []
    for before, after in children:
        yield from _pairs(before, after)


def _may_change(x: Any) -> bool:
    """Whether ``x`` is, or holds, a container or object."""
    return isinstance(x, Cell) or (isinstance(x, tuple) and any(map(_may_change, x)))


def check_unchanged(
    m: Machine,
    name: str,
    doing: str,
    birth: int,
    mark: int,
    allowed: Mapping[Storage, Value] | None = None,
    *,
    assigning: bool = False,
) -> None:
    """Refuse changes since ``mark`` of what is older than ``birth``, and not ``allowed``;
    ``assigning``: objects that can be changed by the caller may be."""
    for change in m.heap.changes(mark).values():
        cell = change.cell
        if isinstance(cell, Fields) and m.fields.get(id(cell.found.value)) is not cell:
            continue  # of a copy, in functional_call
        if cell in (allowed or ()) or change.narrowed:
            continue
        if assigning and (is_outer(m, change, birth) or owner_of(m, change) is not None):
            continue
        if cell.birth < birth and change.before is not change.after:
            what = " a list, dict or object"
            if isinstance(cell, Storage):
                what = f" the array{_named(m, cell)}"
            raise UnsupportedSyntaxError(
                f"`{name}` changes{what} from outside while it is {doing}; "
                "return the new value instead"
                f"{' (with has_aux=True)' if doing == 'differentiated' else ''}"
            )


class _Copies:
    """Arrays as the differentiated function gets them: what it stores there stays inside."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.shared: dict[Storage, Ref] = {}
        self.made: list[tuple[Storage, Ref, Value]] = []
        self.active: dict[Storage, int] = {}
        self.boxes: list[tuple[Cell, Cell, dict[Any, Any]]] = []

    def parameter(self, leaf: Any, value: Value) -> Any:
        """The block's parameter in place of an argument."""
        number = getattr(value.type, "shape", ()) == ()
        if not isinstance(leaf, Ref) or (number and leaf.type.ndim):
            return self.m.wrap(value)
        self.active[leaf.storage] = self.active.get(leaf.storage, 0) + 1
        return self._new(leaf.storage, value)

    def argument(self, x: Any) -> Any:
        """Any other argument: views of one array stay views of one array."""
        if isinstance(x, Found):
            return x
        parts = take_apart(self.m, x)
        arrays = any(isinstance(leaf, Ref) for leaf in parts.leaves)
        if parts.opaque is not None or not (arrays or _may_change(parts.whole)):
            return x
        return rebuild(self.m, parts, [self.copied(leaf) for leaf in parts.leaves])

    def copied(self, leaf: Any) -> Any:
        """A leaf of an argument that the function is not differentiated by."""
        if not isinstance(leaf, Ref):
            return leaf
        if leaf.storage not in self.shared:
            self.shared[leaf.storage] = self._new(
                leaf.storage, self.m.content(leaf.storage)
            )
        return replace(leaf, storage=self.shared[leaf.storage].storage)

    def _new(self, original: Storage, value: Value) -> Ref:
        m = self.m
        if value is not original.current:
            m.lies[value] = lie_of(m, original.current)
        made = m.new_storage(value, "fresh", original.name)
        if original in m.places:
            m.places[made.storage] = m.places[original]
        self.made.append((original, made, value))
        return made

    def check(self, name: str) -> None:
        """Refuse stores into an array that was passed twice and is differentiated, and changes
        of a container that was."""
        given = [id(old) for old, _, _ in self.boxes]
        for old, new, before in self.boxes:
            now = new.data
            same = now.keys() == before.keys() and all(now[k] is before[k] for k in now)
            if same and new not in self.m.stored:
                continue
            self.m.stored.add(old)
            if given.count(id(old)) > 1:
                raise AliasError(
                    f"`{name}` changes a list, dict or object that is passed to it twice: pass "
                    "a copy"
                )
        for original, made, value in self.made:
            if made.storage in self.m.stored:
                self.m.stored.add(original)
            twice = self.active.get(original, 0) + (original in self.shared) > 1
            if twice and made.storage.current is not value:
                raise AliasError(
                    f"`{name}` stores into the array{_named(self.m, original)}, which is passed "
                    "to it twice, so that there is no gradient by the one alone; differentiate "
                    "a function of one array (lambda x: f(x, x)), or pass a copy"
                )


def _named(m: Machine, storage: Storage) -> str:
    """What the user calls an array."""
    for frame in reversed(m.frames):
        for name, value in frame.scope.data.items():
            if (
                isinstance(value, Ref)
                and value.storage is storage
                and isinstance(name, str)
            ):
                return f" `{name}`"
    return f" `{storage.name}`" if storage.name else ""
