"""What a function returns, as a tree with runtime values at its leaves."""

from __future__ import annotations

import ast
import operator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from ..errors import (
    UnsupportedSyntaxError,
)
from ..ir.literals import Unwritable, constant
from ..ir.tree import Node, Tree, static
from ..ir.values import Value
from ..ops.written.keyed import Keyed
from .arguments.lending import lent_at
from .construct import made_by_fields
from .lists import calls as list_calls
from .lists.elements import items_of
from .lists.structure import list_tree
from .machine import Machine
from .memory.boxes import returned
from .memory.identity import is_same
from .memory.writing import shared
from .names.captures import Found
from .names.static import opened, plain
from .rules.opaque import plain_name
from .values import (
    CAPTURED,
    Bound,
    Cell,
    Closure,
    DictObject,
    Formatted,
    Iteration,
    Iterator,
    Kinds,
    ListObject,
    Maybe,
    Method,
    Native,
    Partial,
    Poison,
    Range,
    Record,
    Ref,
    Rows,
    SetObject,
    Storage,
    Suspended,
    is_long,
)


@dataclass(slots=True)
class Results:
    """The results of one function so far. ``compiled``: the caller gets his own arrays and
    containers back where the function returns them."""

    machine: Machine
    compiled: bool
    node: ast.AST
    values: list[Value] = field(default_factory=list)
    objects: dict[int, tuple[Any, Tree]] = field(default_factory=dict)
    arrays: dict[Storage, list[tuple[Ref, Value]]] = field(default_factory=dict)
    where: tuple[Value, bool] | None = None

    def tree(self, x: Any) -> Tree:
        """The structure of ``x``; its runtime values are appended to ``values``. What is met
        twice has one node."""
        if not isinstance(x, Cell | Rows):
            return self._tree(x)
        if id(x) not in self.objects:
            self.objects[id(x)] = x, self._tree(x)
        return self.objects[id(x)][1]

    def _tree(self, x: Any) -> Tree:
        m = self.machine
        path = lent_at(x) if self.compiled else None
        if path is not None:
            return Node("argument", value=path)
        found = self._from_outside(x) if self.compiled else None
        if found is not None:
            m.captures.rely(found.place, found.value, operator.is_)
            name = plain_name(found.place.name)
            return self._leaf(m.captures.callee(found.value, name))
        if isinstance(x, Maybe):
            present = self.tree(x.present)
            return Node("maybe", (present, self._only(x.present, True, x.value)))
        if isinstance(x, Record) and hasattr(x.cls, "__symgrad_class__"):
            return self._of_library(x)
        if isinstance(x, Poison) and isinstance(x.candidate, Kinds):
            return self._either(x.candidate)
        x = opened(m, x)
        if isinstance(x, Ref | Value):
            return self._array(x) if isinstance(x, Ref) else self._leaf(x)
        if isinstance(x, bool | int | float | complex | np.generic):
            return self._leaf(m.builder.const(x))
        if isinstance(x, tuple):
            children = tuple(self.tree(item) for item in x)
            fields = getattr(type(x), "_fields", None)
            if fields is None:
                return Node("tuple", children)
            return Node("namedtuple", children, tuple(fields), type(x))
        if isinstance(x, Rows):
            x = self._listed(x)
        if is_long(x):
            return self._long(x)
        if isinstance(x, ListObject):
            return Node("list", tuple(self.tree(item) for item in x.items))
        if isinstance(x, DictObject):
            children = tuple(self.tree(item) for item in x.items.values())
            return Node("dict", children, tuple(x.items))
        if isinstance(x, Record):
            children = tuple(self.tree(item) for item in x.data.values())
            if not made_by_fields(x.cls):
                return Node("object", children, tuple(x.data), x.cls)
            return Node("dataclass", children, tuple(x.data), x.cls)
        if isinstance(x, SetObject):
            return self._fixed(set(x.items))
        if isinstance(x, Formatted):
            raise UnsupportedSyntaxError(
                "a text with runtime values in it can be printed or raised only; return the "
                "values and format it outside",
                m.span(self.node),
            )
        if isinstance(x, _WHILE_COMPILING):
            raise UnsupportedSyntaxError(
                f"the result holds {_KINDS.get(type(x), f'a {type(x).__name__.lower()}')}; a "
                "compiled function returns arrays, numbers, containers of these and what is "
                "known when compiling",
                m.span(self.node),
            )
        return self._fixed(m.captures.pin(x) if isinstance(x, Found) else x)

    def _from_outside(self, x: Any) -> Any:
        """The list or dict from outside of the function that ``x`` is; None if it is none."""
        if isinstance(x, ListObject | DictObject) and x.owner == CAPTURED:
            opened = self.machine.opened.values()
            x = next((found for _, made, found in opened if made is x), None)
        known = isinstance(x, Found) and type(x.value) in (list, dict)
        return x if known and x.place is not None else None

    def _of_library(self, x: Record) -> Tree:
        """A container that is written out here as the class that it stands for."""
        cls: Any = x.cls
        if cls is Keyed:
            fields = ("_keys", "_values")
            columns = tuple(self.tree(x.data[name]) for name in fields)
            pairs = Node("namedtuple", columns, fields, zip)
            return Node("namedtuple", (pairs,), ("pairs",), dict)
        name = cls.__symgrad_items__
        try:
            known = {k: plain(self.machine, v) for k, v in x.data.items() if k != name}
        except LookupError:
            raise UnsupportedSyntaxError(
                f"the result holds a {cls.__symgrad_class__.__name__} with a function in it "
                "that is made here; return its elements (`list(...)`, `dict(...)`)",
                self.machine.span(self.node),
            ) from None
        inner = (self.tree(x.data[name]),)
        return Node("namedtuple", inner, (name,), cls.__symgrad_made__(**known))

    def _fixed(self, x: Any) -> Tree:
        """What is known when compiling: a constant, or handed to the code as it is."""
        if not isinstance(x, np.dtype):  # which is written as the class of its scalars
            with suppress(Unwritable):
                constant(x)
                return static(x)
        name = getattr(x, "__name__", type(x).__name__).lower()
        return self._leaf(self.machine.captures.callee(x, plain_name(name)))

    def _leaf(self, value: Value) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _either(self, x: Kinds) -> Tree:
        condition, sides = self.tree(x.condition), ((True, x.first), (False, x.second))
        parts = (self._only(x.condition, truth, side) for truth, side in sides)
        return Node("either", (condition, *parts))

    def _only(self, condition: Value, truth: bool, x: Any) -> Tree:
        """The structure of what is there only where a condition holds, or only where not."""
        outer, self.where = self.where, (condition, truth)
        made = self.tree(x)
        self.where = outer
        return made

    def _listed(self, x: Rows) -> ListObject:
        """A list that is kept as an array, where there is one."""
        m = self.machine
        if self.where is None:
            return list_calls.listed(m, x)
        condition, truth = self.where
        region = m.new_region()
        with m.inside(region) as b:
            made = list_calls.listed(m, x)
            items = items_of(made)
            there = b.block((), items.lists)
        nothing = m.builder.sub()
        gone = nothing.block((), [nothing.undef(v.type) for v in items.lists])
        blocks = (there, gone) if truth else (gone, there)
        lists = m.builder.if_(condition, *blocks)
        return ListObject({"items": replace(items, lists=tuple(lists))})

    def _array(self, ref: Ref) -> Tree:
        if not self.compiled:
            return self._leaf(self.machine.read(ref))
        path = returned(self.machine, self.node, ref)
        if path is not None:
            return Node("argument", value=path)
        met = self.arrays.setdefault(ref.storage, [])
        content = next((v for other, v in met if is_same(other, ref)), None)
        if content is None:
            content = shared(self.machine, ref)
            met.append((ref, content))
        return self._leaf(content)

    def _long(self, x: ListObject) -> Tree:
        items = x.data["items"]
        first = len(self.values)
        self.values += items.lists
        return list_tree(items.element, count(first))


_WHILE_COMPILING = (
    *(Bound, Closure, Method, Native, Partial),
    *(Iteration, Iterator, Range, Suspended),
)
_KINDS: dict[type, str] = {
    Iteration: "an iteration",
    Iterator: "an iterator",
    Native: "a function",
    Suspended: "a generator",
}
