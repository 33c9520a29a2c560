"""The state of one lowering, and the border between abstract values and surfaces."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import CustomRuleError, InternalError, SymgradError, UnsupportedFunctionError
from ..ir.builder import Builder
from ..ir.expr import Expr, Maker
from ..ir.types import INT, ArrayType, ScalarType
from ..ir.values import Op, Value
from ..ops.static import NeedsStatic
from ..source import Span
from .arguments.misuse import explained
from .heap import Heap, children
from .memory import identity
from .memory.layouts import Lie
from .memory.lying import is_view, lie_of, reasons
from .names.captures import Found
from .names.scope import Frame
from .requests import Path, Place
from .values import (
    Cell,
    DictObject,
    Fields,
    Flat,
    ListObject,
    Maybe,
    Native,
    Record,
    Ref,
    Rows,
    Scope,
    Selected,
    Storage,
    View,
    birth,
    is_long,
    new_dict,
    new_list,
    new_set,
)

MAX_DEPTH = 20
"""How often a function may be inlined into itself."""
NOT_CHANGED = "which runs on several examples at once and changes nothing outside of itself"


class Region:
    """A block being built. ``reads`` remembers its views; ``always`` says that it runs whenever
    the block around it does; ``anew`` that views from outside are taken again."""

    __slots__ = ("always", "anew", "birth", "builder", "parent", "reads", "seen")

    def __init__(self, builder: Builder, parent: Region | None = None) -> None:
        self.builder = builder
        self.parent = parent
        self.always = parent is None
        self.reads: dict[tuple[Value, tuple[Any, ...]], Value] = {}
        self.anew = False
        self.birth = birth()
        self.seen = 0

    @contextmanager
    def reading_anew(self) -> Iterator[None]:
        """Views from outside are taken again inside, and views from inside are not used outside."""
        outer = self.reads, self.anew
        self.reads, self.anew = {}, True
        try:
            yield
        finally:
            self.reads, self.anew = outer

    @property
    def certain(self) -> bool:
        """Whether it runs in every call: what it needs may be asked of the arguments."""
        region: Region | None = self
        while region is not None and region.always:
            region = region.parent
        return region is None

    def find(self, key: tuple[Value, tuple[Any, ...]]) -> Value | None:
        """A view taken here or further out."""
        region: Region | None = self
        while region is not None:
            if key in region.reads:
                return region.reads[key]
            region = None if region.anew else region.parent
        return None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state of the machine to come back to, in the same region."""

    temps: int
    mark: int
    ops: int
    reads: int
    bindings: int
    facts: dict[Any, Any]
    span: Span | None
    region: Region
    pending: int


class Machine:
    """Everything that changes while a function is lowered."""

    def __init__(self, builder: Builder, captures: Any) -> None:
        self.region = Region(builder)
        self.heap = Heap()
        self.captures = captures
        self.frames: list[Frame] = []
        self.temps: list[Any] = []
        self.owners: dict[Value, list[Storage]] = {}
        self.related: set[Storage] = set()
        self.stored: set[Cell] = set()
        self.given: set[Storage] = set()
        self.distinct: set[frozenset[Storage]] = set()
        self.opened: dict[int, tuple[Any, Any, Any]] = {}
        self.watches: list[Any] = []
        self.grown: set[int] = set()
        self.shown: set[Storage] = set()
        self.bodies: dict[Any, Any] = {}
        self.paths: dict[Value, Any] = {}
        self.independent: set[Value] = set()
        self.late: list[Value] = []
        self.plainly: frozenset[Any] = frozenset()
        self.ruling: list[Any] = []
        self.orders = self.apart = 0
        self.standins: dict[Any, Any] = {}
        self.inserted: dict[Value, Value] = {}
        self.boxes: set[Value] = set()
        self.writes_captured = self.unwinds = False
        self.gradients_by: tuple[Place, ...] = ()
        self.written: list[Storage] = []
        self.overlay: dict[int, Any] = {}
        self.fields: dict[int, Fields] = {}
        self.errstates: tuple[tuple[tuple[str, str], ...], ...] = ()
        self.appends: dict[ast.stmt, Any] = {}
        self.moves: dict[Cell, dict[str, int]] = {}
        self.shared: set[Scope] = set()
        self.tracking = True
        self.enabled: set[Op] = set()
        self.lies: dict[Value, Lie] = {}
        self.places: dict[Storage, Path] = {}
        self.members: dict[Storage, list[Value]] = {}
        self.statics: frozenset[Path] = frozenset()
        self.static_shapes = False
        self.picking = self.nones = self.listing = self.choosing = False
        self.chosen: dict[Any, Any] = {}
        self.sources: dict[Value, ast.AST] = {}
        self.running: list[Any] = []
        self.keyed: frozenset[Maker] = frozenset()
        self.mixed: ast.stmt | None = None
        self.unasked: set[Value] = set()
        self.tryings: list[Any] = []
        self.handling: list[Any] = []
        self.pending: list[Any] = []
        self.settled = self.settled_at = 0
        self.raises: dict[Value, Any] = {}

    @property
    def builder(self) -> Builder:
        return self.region.builder

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    # -- places ---------------------------------------------------------------------------
    def span(self, node: ast.AST) -> Span:
        """Where ``node`` of the running function is."""
        span = self.frame.span(node)
        return replace(span, errstates=self.errstates) if self.errstates else span

    @contextmanager
    def located(self, node: ast.AST) -> Iterator[None]:
        """Errors that come without a place get that of ``node``."""
        try:
            yield
        except NeedsStatic as needed:
            needed.span = needed.span or self.span(node)
            raise
        except SymgradError as error:
            if error.span is not None or isinstance(error, InternalError):
                raise
            placed = type(error)(error.message, self.span(node))
            if isinstance(error, CustomRuleError):
                placed.index = error.index  # type: ignore[attr-defined]
            raise placed from error.__cause__

    @contextmanager
    def inside(self, region: Region) -> Iterator[Builder]:
        """Build in another region."""
        outer, depth = self.region, len(self.pending)
        self.region = region
        try:
            yield region.builder
            if len(self.pending) > depth:
                from .control.catching import not_caught

                raise not_caught()
        finally:
            self.region = outer
            del self.pending[depth:]

    def new_region(self) -> Region:
        """A region at this place."""
        return Region(self.builder.sub(), self.region)

    def checkpoint(self) -> Checkpoint:
        """The present state."""
        b = self.builder
        return Checkpoint(
            len(self.temps),
            self.heap.mark,
            len(b.ops),
            len(self.region.reads),
            len(b.bindings),
            b.dims.facts,
            b.span,
            self.region,
            len(self.pending),
        )

    def restore(self, to: Checkpoint) -> None:
        """Undo everything since ``to``."""
        self.region = to.region
        del self.pending[to.pending :]
        b = self.builder
        self.heap.undo(to.mark)
        del self.temps[to.temps :]
        b.forget(to.ops)
        self.region.reads = dict(list(self.region.reads.items())[: to.reads])
        b.bindings = dict(list(b.bindings.items())[: to.bindings])
        b.dims.facts = to.facts
        b.span = to.span

    # -- arrays ---------------------------------------------------------------------------
    def new_storage(self, value: Value, origin: Any = "fresh", name: str = "") -> Ref:
        """Memory of its own that holds ``value``."""
        storage = Storage(value, origin, name)
        self.owners.setdefault(value, []).append(storage)
        assert isinstance(value.type, ArrayType)
        return Ref(storage, value.type)

    def set_current(self, storage: Storage, value: Value) -> None:
        """Change a storage's content."""
        self.owners.setdefault(value, []).append(storage)
        if value is not storage.current:
            self.lies[value] = lie_of(self, storage.current)  # it is the same memory
        value.name = value.name or storage.current.name
        self.heap.write(storage, "current", value)

    def owner(self, value: Value) -> Storage | None:
        """The storage whose content ``value`` is now. Where there are several, it is the one
        that the running call was given."""
        found = [s for s in self.owners.get(value, ()) if s.current is value]
        for storage in found:
            if storage in self.given:
                return storage
        return found[-1] if found else None

    def read(self, ref: Ref) -> Value:
        """The array's content now."""
        value, start = self.content(ref.storage), len(self.builder.ops)
        for view in ref.path:
            value = self.view(value, view)
        if not self.tracking and ref.path and ref.path[-1].kind.name != "stop_gradient":
            self.enabled.update(self.builder.ops[start:])
        return value

    def content(self, storage: Storage) -> Value:
        """What a storage holds now."""
        if not isinstance(storage, Selected):
            return storage.current
        sides = (storage.first, storage.second)
        key = (storage.condition, ("select", *map(self._held, sides)))
        found = self.region.find(key)
        if found is None:
            blocks = []
            for side in sides:
                with self.inside(self.new_region()) as b:
                    blocks.append(b.block((), [self.read(side)]))
            [found] = self.builder.if_(storage.condition, *blocks)
            found.type = storage.current.type
            self.builder.bind(found)
            self.region.reads[key] = found
        if storage.current is not found:
            storage.data["current"] = found
            self.owners.setdefault(found, []).append(storage)
        return found

    def peek(self, ref: Ref) -> Value | None:
        """The array's content now, if it has been read in this region or around it."""
        value: Value | None = ref.storage.current
        for view in ref.path:
            value = None if value is None else self.region.find((value, view.key))
        return value

    def _held(self, ref: Ref) -> Any:
        """What an array holds now, as a key; nothing is read for it."""
        storage = ref.storage
        held: Any = storage.current
        if isinstance(storage, Selected):
            held = (storage.condition, *map(self._held, (storage.first, storage.second)))
        return held, tuple(view.key for view in ref.path)

    def view(self, value: Value, view: View) -> Value:
        """A part of an array's content."""
        key = (value, view.key)
        found = self.region.find(key)
        if found is None:
            found = self.builder.op(view.kind, value, *view.operands, **view.attrs)
            self.region.reads[key] = found
        return found

    # -- the border -----------------------------------------------------------------------
    def lift(self, x: Any) -> Any:
        """An abstract value as surfaces take it: expressions in plain containers."""
        if isinstance(x, Value):
            return self.chosen[x] if x in self.chosen else Expr(self.builder, x)
        if isinstance(x, Ref):
            return Expr(self.builder, self.read(x))
        if isinstance(x, tuple):
            return _rebuilt(x, [self.lift(item) for item in x])
        if is_long(x):
            from .lists.arrays import as_array

            return as_array(self, x)
        if isinstance(x, ListObject):
            return [self.lift(item) for item in x.items]
        if isinstance(x, DictObject):
            return {key: self.lift(item) for key, item in x.items.items()}
        if isinstance(x, Rows):
            return Expr(self.builder, self.read(x.array))
        if isinstance(x, Flat):
            from .memory.flats import vector

            return vector(self, x)
        if isinstance(x, Found | Maybe | Record | Native):
            from .names.static import opened

            inner = opened(self, x)
            return self.lift(inner) if inner is not x else x
        if isinstance(x, enum.Enum) and isinstance(x, int | float):
            return x.value
        if isinstance(x, slice):
            return slice(*map(self.lift, (x.start, x.stop, x.step)))
        if isinstance(x, Cell):
            from .control.describing import describe

            text = f"{describe(x)} cannot be passed to a NumPy function"
            raise UnsupportedFunctionError(text)
        return x

    def lower(self, x: Any) -> Any:
        """What a surface returned, as an abstract value."""
        if isinstance(x, Expr):
            return self.wrap(x.value)
        if isinstance(x, tuple):
            return _rebuilt(x, [self.lower(item) for item in x])
        if isinstance(x, list):
            return new_list(self.lower(item) for item in x)
        if isinstance(x, set):
            return new_set(x)
        if isinstance(x, dict):
            return new_dict({key: self.lower(item) for key, item in x.items()})
        if isinstance(x, np.ndarray) and x.ndim:
            return self.wrap(self.builder.const(x))
        return x

    def wrap(self, value: Value) -> Any:
        """A value as an abstract value; arrays are traced back to the memory they share."""
        if value in self.chosen:
            return self.chosen[value]
        if isinstance(value.type, ScalarType):
            if value.is_constant:
                return value.constant
            if value.type == INT and value.dim is not None:
                length = self.builder.dims.canonical(value.dim)
                if isinstance(length, int):
                    return length
            return value
        if not isinstance(value.type, ArrayType) or not value.type.shape:
            return value
        return self.trace(value)

    def trace(self, value: Value) -> Ref:
        """The array that ``value``, just computed, is: a view, or memory of its own."""
        assert isinstance(value.type, ArrayType)
        path: list[View] = []
        node = value
        while True:
            storage = self.owner(node)
            if storage is not None:
                self._remember(storage.current, path, value)
                if path and not self.tracking and path[0].kind.name != "stop_gradient":
                    return self.trace(self.builder.one("stop_gradient", value))
                return Ref(storage, value.type, tuple(reversed(path)), birth())
            op = node.op
            if op is None or not self._surely_view(op):
                break
            path.append(View(op.kind, op.inputs[1:], op.attrs))
            node = op.inputs[0]
        ref = self.new_storage(value)
        base = node.op.inputs[0] if node.op is not None and node.op.inputs else None
        if node.op is not None and base is not None and self._may_share(node.op):
            self._relate(ref.storage, base)
        return ref

    def _remember(self, base: Value, path: list[View], value: Value) -> None:
        if len(path) == 1:
            self.region.reads.setdefault((base, path[0].key), value)

    def _surely_view(self, op: Any) -> bool:
        """Whether the result shares the first input's memory."""
        if op.kind.has("view"):
            return True
        return bool(op.kind.has("maybe_view") and is_view(self, op))

    def _relate(self, storage: Storage, base: Value) -> None:
        """``storage`` may share memory with the array that ``base`` is or is part of."""
        if isinstance(base.type, ArrayType) and base.type.shape:
            found = self.trace(base)
            self.link(storage, found.storage)
            storage.undecided = reasons(self, base)

    def _may_share(self, op: Op) -> bool:
        """Whether in NumPy the result may be a view of the first input."""
        if op.kind.has("maybe_view"):
            return is_view(self, op) is not False
        return op.kind.has("alone_view") and len(op.inputs) == 1

    def link(self, a: Storage, b: Storage) -> None:
        """Note that ``a`` may in truth be (part of) ``b``."""
        if a is not b:
            a.sources.add(b)
            self.related |= {a, b}
            if isinstance(b, Selected):
                self.link(a, b.first.storage)
                self.link(a, b.second.storage)

    def call_surface(
        self,
        surface: Callable[..., Any],
        node: ast.AST,
        /,
        *args: Any,
        _target: Any = None,
        **kw: Any,
    ) -> Any:
        """The result of a surface, which stands for calls of ``_target``, on abstract values."""
        outer = self.given
        self.given = storages((*args, *kw.values()))
        try:
            with self.located(node):
                lifted = tuple(self.lift(a) for a in args)
                named = {key: self.lift(a) for key, a in kw.items()}
                from .memory.boxes import made_array

                with explained(node, self.span(node), _target, surface, lifted, named):
                    made = surface(self.builder, *lifted, **named)
                    array = made_array(self, surface, _target, args, kw, made)
                    found = self.lower(made) if array is None else array
                    return identity.kept(surface, args[0] if args else None, found)
        finally:
            self.given = outer


def storages(x: Any) -> set[Storage]:
    """The memory of all arrays in ``x``."""
    if isinstance(x, Ref):
        return {x.storage}
    if isinstance(x, tuple | list):
        return {s for item in x for s in storages(item)}
    if isinstance(x, ListObject | DictObject):
        return storages(children(x))
    return set()


def _rebuilt(original: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    make = getattr(type(original), "_make", None)
    return tuple(items) if make is None else make(items)
