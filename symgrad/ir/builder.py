"""The only way to make IR: checks, types and names every op as it is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..errors import InternalError
from ..source import Span
from .context import Dims
from .dims import Call, Dim, Dimension, Sym, as_symbol, symbols
from .opdef import REQUIRED, OpDef
from .structure import (
    CHECKPOINT,
    CONST,
    CUSTOM_JVP,
    CUSTOM_VJP,
    FOR,
    FORWARD,
    IF,
    PULLBACK,
    REVERSE,
    SHAPE,
    STRUCTURE,
    UNDEF,
    VJP,
    VMAP,
    WHILE,
)
from .types import BOOL, INT, ArrayType, ObjectType, Type, is_inexact
from .types import batched as batch_of
from .values import Block, Function, Op, Value

Table = Mapping[str, OpDef]


UNFIT = "lengths do not fit together"
"""What the error says where lengths turn out not to be equal that had to be."""
_CALLS = {
    "max": "maximum",
    "min": "minimum",
    "floordiv": "floor_divide",
    "slice": "slice_length",
}


class Builder:
    """Appends ops to one block.

    Args:
        table: the op table; structural ops need not be in it.
        dims: what is known about lengths.

    ``span`` and ``role`` are given to every op that is added; ``lengths`` are values made for
    derived lengths so far, ``masks`` and ``mixed`` what rules have found out about the values,
    ``open`` those left undefined by a branch, ``doubts`` what reverse mode knows of adjoints.
    """

    __slots__ = (
        "bindings", "dims", "doubts", "lengths", "masks", "mixed", "open", "ops", "role", "span",
        "table",
    )  # fmt: skip

    def __init__(self, table: Table, dims: Dims | None = None) -> None:
        self.table = table
        self.dims = dims if dims is not None else Dims()
        self.ops: list[Op] = []
        self.span: Span | None = None
        self.role = ""
        self.bindings: dict[Sym, tuple[Value, int | None]] = {}
        self.lengths: dict[Dimension, Value] = {}
        self.masks: dict[Value, tuple[int, Any]] = {}
        self.mixed: set[Value] = set()
        self.open: set[Value] = set()
        self.doubts: Any = None

    def sub(self) -> Builder:
        """A builder for a region at this place."""
        inner = Builder(self.table, self.dims.child())
        inner.span, inner.role = self.span, self.role
        inner.bindings = dict(self.bindings)
        inner.lengths = dict(self.lengths)
        inner.open, inner.doubts = self.open, self.doubts
        return inner

    def forget(self, start: int) -> None:
        """Drop all ops from number ``start`` on."""
        del self.ops[start:]
        self.lengths.clear()
        self.masks.clear()

    # -- values -------------------------------------------------------------------------
    def param(self, type: Type, name: str = "", *, entry: bool = False) -> Value:
        """A block parameter. ``entry`` marks a parameter of the function itself."""
        value = Value(type, name)
        if entry and type == INT:
            single = Sym(name, lo=None)
            value.dim = _single(single)
            self.dims.entry.add(single)
        self.bind(value)
        if entry and isinstance(type, ArrayType):
            for d in type.shape:
                self.dims.entry |= symbols(d)
        return value

    def bind(self, value: Value) -> None:
        """Note which symbols ``value`` gives access to."""
        op = value.op
        if op is not None and op.kind in (IF, UNDEF) and self._left_open(value, op):
            return
        if op is not None and op.kind in (FOR, WHILE):
            first = len(op.inputs) - len(op.results)
            if op.inputs[first + op.results.index(value)] in self.open:
                self.open.add(value)
        if value.dim is not None:
            single = as_symbol(value.dim)
            if single is not None:
                self.bindings.setdefault(single, (value, None))
        if isinstance(value.type, ArrayType):
            for axis, d in enumerate(value.type.shape):
                single = None if isinstance(d, int) else as_symbol(d)
                if single is not None:
                    self.bindings.setdefault(single, (value, axis))

    def _left_open(self, value: Value, op: Op) -> bool:
        """Whether a branch leaves the value undefined: it may not have the lengths of its type."""
        place = op.results.index(value)
        sides = (
            self._open_on(r.results[place], op.inputs[0], side)
            for side, r in enumerate(op.regions)
        )
        if op.kind is UNDEF or any(sides):
            self.open.add(value)
        return value in self.open

    def _open_on(self, value: Value, condition: Value, side: int) -> bool:
        """Whether ``value`` is undefined on this side of a branch, as an earlier one may say."""
        op = value.op
        while value in self.open and op is not None and op.kind is IF:
            if op.inputs[0] is not condition:
                break
            value = op.regions[side].results[op.results.index(value)]
            op = value.op
        return value in self.open

    def const(self, value: Any) -> Value:
        """A constant: Python scalar, NumPy scalar or small array."""
        return self.one(CONST, value=value)

    def undef(self, type: Type) -> Value:
        """A value that is never read."""
        return self.one(UNDEF, type=type)

    # -- plain ops ----------------------------------------------------------------------
    def op(self, kind: OpDef | str, /, *inputs: Value, hint: str = "", **attrs: Any) -> Any:
        """Append an op; its result, or the tuple of results if the op has several."""
        op = self.append(kind, inputs, attrs, hint)
        return op.results[0] if len(op.results) == 1 else op.results

    def one(
        self, kind: OpDef | str, /, *inputs: Value, hint: str = "", **attrs: Any
    ) -> Value:
        """Append an op that has one result, and return that."""
        return self.append(kind, inputs, attrs, hint).result

    def append(
        self,
        kind: OpDef | str,
        inputs: Sequence[Value],
        attrs: Mapping[str, Any],
        hint: str = "",
    ) -> Op:
        """Append an op and return it."""
        definition = self.definition(kind) if isinstance(kind, str) else kind
        full = _with_defaults(definition, attrs)
        values = tuple(inputs)
        for value in values:
            if not isinstance(value, Value):
                raise InternalError(f"{definition.name}: input {value!r} is no IR value")
        types = definition.infer(self.dims, values, **full)
        for value in values:
            if value.dim is not None:
                self.bind(value)
        op = Op(definition, values, full, (), self.span, self.role)
        listed = types if isinstance(types, tuple) else (types,)
        self._finish(op, listed, hint)
        if definition.dim is not None and listed[0] == INT:
            op.results[0].dim = definition.dim(values, **full)
        elif definition is CONST and listed[0] == INT:
            op.results[0].dim = int(full["value"])
        if self.dims.unproven:
            for value in values:  # arrays from outside may be met here first
                self.bind(value)
            self._prove()
        return op

    def _prove(self) -> None:
        """Have the running code check that lengths which only it knows are equal."""
        pairs, self.dims.unproven = self.dims.unproven or (), []
        unknown = Dims()
        for pair in pairs:
            a, b = (self.length(d, unknown) for d in pair)
            self.op("require", self.one("equal", a, b), error="ValueError", args=(UNFIT,))

    def definition(self, name: str) -> OpDef:
        """The entry called ``name``."""
        found = self.table.get(name) or STRUCTURE.get(name)
        if found is None:
            raise InternalError(f"there is no op called {name!r}")
        return found

    def _finish(self, op: Op, types: Sequence[Type], hint: str) -> None:
        op.results = tuple(Value(t, hint, op) for t in types)
        for value in op.results:
            self.bind(value)
        self.ops.append(op)

    # -- lengths ------------------------------------------------------------------------
    def dim_of(self, value: Value) -> Dimension:
        """The length that an integer value is; a new symbol where nothing is known."""
        if value.dim is None:
            value.dim = self.dims.fresh(value.name or "k", lo=None)
            self.bind(value)
        return self.dims.canonical(value.dim)

    def length(self, d: Dimension, known: Dims | None = None) -> Value:
        """An integer value that equals ``d``, made from arrays and integers at hand.

        Args:
            known: where to look up what equals ``d``, if not here.
        """
        if isinstance(d, int):
            return self.const(d)
        if known is not None or as_symbol(d) is not None:
            return self._length(d, known or self.dims)
        if d not in self.lengths:
            self.lengths[d] = self._length(d, self.dims)
        return self.lengths[d]

    def _length(self, d: Dim, known: Dims) -> Value:
        facts = known.facts
        equal = [
            s
            for s, fact in facts.items()
            if fact == d and isinstance(s, Sym) and s in self.bindings
        ]
        single = equal[0] if equal else as_symbol(d)
        if single is not None:
            return self._symbol_value(single)
        total: Value | None = None
        for monomial, coefficient in d.terms:
            term = self._monomial(monomial, abs(coefficient))
            if total is None:
                total = self.op("negative", term) if coefficient < 0 else term
            else:
                total = self.op("subtract" if coefficient < 0 else "add", total, term)
        assert total is not None
        total.dim = d
        return total

    def _monomial(self, monomial: tuple[Any, ...], coefficient: int) -> Value:
        term = self.const(coefficient) if coefficient != 1 or not monomial else None
        for atom in monomial:
            factor = (
                self._call_value(atom)
                if isinstance(atom, Call)
                else self._symbol_value(atom)
            )
            term = factor if term is None else self.op("multiply", term, factor)
        assert term is not None
        return term

    def _call_value(self, atom: Call) -> Value:
        name = _CALLS[atom.function]
        return self.one(name, *(self.length(a) for a in atom.args))

    def _symbol_value(self, single: Sym) -> Value:
        if single not in self.bindings and single in self.dims.facts:
            return self.length(self.dims.facts[single])
        if single not in self.bindings:
            raise InternalError(f"nothing at hand has the length {single}")
        value, axis = self.bindings[single]
        return value if axis is None else self.one(SHAPE, value, axis=axis)

    # -- regions ------------------------------------------------------------------------
    def block(self, params: Sequence[Value], results: Sequence[Value]) -> Block:
        """What has been appended, as a block."""
        return Block(tuple(params), tuple(self.ops), tuple(results))

    def if_(
        self, condition: Value, then: Block, orelse: Block, *, like: Sequence[Type] = ()
    ) -> tuple[Value, ...]:
        """``if``; both blocks give values of the same types, but for lengths: those that
        differ are as in ``like``, for as many results as that has."""
        rows = zip_longest(then.results, orelse.results, like)
        types = self._after([self._joined(a, b, known) for a, b, known in rows], like)
        return self._control(IF, (condition,), {}, (then, orelse), types)

    def _joined(self, a: Value, b: Value, known: Type | None) -> Type:
        if a.op is not None and a.op.kind is UNDEF:
            return b.type
        if isinstance(a.type, ArrayType) and isinstance(b.type, ArrayType):
            return ArrayType(a.type.dtype, self.dims.joined(a.type, b.type, known))
        return a.type

    def for_(
        self,
        start: Value,
        stop: Value,
        step: Value,
        init: Sequence[Value],
        body: Block,
        *,
        breaks: bool = False,
        budget: int = 0,
    ) -> tuple[Value, ...]:
        """``for``; the body's parameters are the index and the carried values."""
        types = self._after([p.type for p in body.params[1:]])
        inputs = (start, stop, step, *init)
        attrs = {"breaks": breaks, "budget": budget}
        return self._control(FOR, inputs, attrs, (body,), types)

    def index_param(self, least: int | None, name: str = "i") -> Value:
        """The index parameter for a ``for`` body (make it with the body's builder), which is
        nowhere less than ``least``."""
        value = Value(INT, name)
        value.dim = self.dims.fresh(name, lo=least)
        self.bind(value)
        return value

    def while_(
        self,
        init: Sequence[Value],
        condition: Block,
        body: Block,
        *,
        breaks: bool = False,
        budget: int = 0,
    ) -> tuple[Value, ...]:
        """``while``; both blocks have the carried values as parameters."""
        assert condition.results[0].type == BOOL or condition.results[0].type.shape == ()  # type: ignore[union-attr]
        types = self._after([p.type for p in body.params])
        attrs = {"breaks": breaks, "budget": budget}
        return self._control(WHILE, tuple(init), attrs, (condition, body), types)

    def _after(self, inside: Sequence[Type], like: Sequence[Type] = ()) -> list[Type]:
        """The types of results after the branch or loop. A length that is known inside only, as
        it changes from round to round, has a new symbol outside; those in ``like`` stay."""
        renamed = {d: d for t in like if isinstance(t, ArrayType) for d in t.shape}

        def outside(d: Dimension) -> Dimension:
            known = self.bindings, self.dims.facts, self.dims.entry
            if all(any(s in names for names in known) for s in symbols(d)):
                return d
            if d not in renamed:
                renamed[d] = self.dims.fresh()
            return renamed[d]

        types: list[Type] = []
        for t in inside:
            if isinstance(t, ArrayType):
                t = ArrayType(t.dtype, tuple(map(outside, t.shape)))
            types.append(t)
        return types

    def checkpoint_(
        self, body: Block, after: Sequence[Value] = (), stage: str = "plain"
    ) -> tuple[Value, ...]:
        """``body``, which has no parameters, as a ``checkpoint`` of this stage."""
        types = [r.type for r in body.results]
        return self._control(CHECKPOINT, tuple(after), {"stage": stage}, (body,), types)

    def reverse_(
        self, args: Sequence[Value], wrt: tuple[int, ...], body: Block, label: str = ""
    ) -> tuple[Value, ...]:
        """Value, auxiliary results and gradients of ``body``, to be expanded later."""
        types = [r.type for r in body.results] + [body.params[i].type for i in wrt]
        return self._control(
            REVERSE, tuple(args), {"wrt": wrt, "label": label}, (body,), types
        )

    def forward_(
        self,
        args: Sequence[Value],
        tangents: Sequence[Value],
        wrt: tuple[int, ...],
        body: Block,
    ) -> tuple[Value, ...]:
        """Results and tangents of ``body``, to be expanded later."""
        types = [r.type for r in body.results]
        types += [t for t in types if is_inexact(t)]
        return self._control(FORWARD, (*args, *tangents), {"wrt": wrt}, (body,), types)

    def vjp_(
        self, args: Sequence[Value], wrt: tuple[int, ...], outs: int, body: Block
    ) -> tuple[Value, ...]:
        """Results of ``body``, and the pullback from its first ``outs`` results."""
        types = [*(r.type for r in body.results), ObjectType("pullback")]
        return self._control(VJP, tuple(args), {"wrt": wrt, "outs": outs}, (body,), types)

    def pullback_(self, of: Value, cotangents: Sequence[Value]) -> tuple[Value, ...]:
        """Gradients by a pullback that ``vjp_`` gave."""
        return self.append(PULLBACK, (of, *cotangents), {}).results

    def vmap_(
        self,
        args: Sequence[Value],
        batched: tuple[int, ...],
        body: Block,
        out: tuple[bool, ...],
        basis: complex = 0,
    ) -> tuple[Value, ...]:
        """``body`` for each example of a batch, to be expanded later.

        Args:
            basis: the batch is this number times the basis vectors, if it is not 0.
        """
        length = args[batched[0]].type.shape[0]  # type: ignore[union-attr]
        types = [
            batch_of(r.type, length) if axis else r.type
            for r, axis in zip(body.results, out, strict=True)
        ]
        attrs = {"batched": batched, "out": out, "basis": basis}
        return self._control(VMAP, tuple(args), attrs, (body,), types)

    def custom_(
        self,
        args: Sequence[Value],
        regions: Sequence[Block],
        *,
        forward: bool,
        **attrs: Any,
    ) -> tuple[Value, ...]:
        """A function with a rule of the user's; attributes as in ``CUSTOM_VJP``."""
        types = [r.type for r in regions[0].results]
        kind = CUSTOM_JVP if forward else CUSTOM_VJP
        full = attrs if forward else {**CUSTOM_VJP.attrs, **attrs}
        return self._control(kind, tuple(args), full, tuple(regions), types)

    def _control(
        self,
        kind: OpDef,
        inputs: tuple[Value, ...],
        attrs: Mapping[str, Any],
        regions: tuple[Block, ...],
        types: Sequence[Type],
    ) -> tuple[Value, ...]:
        op = Op(kind, inputs, attrs, regions, self.span, self.role)
        self._finish(op, types, "")
        return op.results


def _single(sym: Sym) -> Dimension:
    return Dim({(sym,): 1})


def _with_defaults(kind: OpDef, attrs: Mapping[str, Any]) -> dict[str, Any]:
    full = {**kind.attrs, **attrs}
    for name, value in full.items():
        if value is REQUIRED:
            raise InternalError(f"{kind.name} needs the attribute {name!r}")
        if name not in kind.attrs:
            raise InternalError(f"{kind.name} has no attribute {name!r}")
        if isinstance(value, np.ndarray) and kind is not CONST:
            raise InternalError(f"{kind.name}: attribute {name!r} is an array")
    return full


def for_function(
    function: Function, table: Table, make: Callable[[Table], Builder] = Builder
) -> Builder:
    """A builder that knows what the function's parameters and assumptions say."""
    builder = make(table)
    builder.dims.not_one.update(dict.fromkeys(function.not_one))
    builder.dims.skip(_lengths(function))
    for value in function.params:
        builder.bind(value)
        shape = value.type.shape if isinstance(value.type, ArrayType) else ()
        for d in (*shape, *(() if value.dim is None else (value.dim,))):
            builder.dims.entry |= symbols(d)
    for a, b in function.equal:
        builder.dims.unify(a, b)
    return builder


def _lengths(function: Function) -> Iterator[Dimension]:
    """Every length that occurs in the function."""
    values = list(function.params)
    for op in function.block.walk():
        values += op.results
        for region in op.regions:
            values += region.params
    for value in values:
        if value.dim is not None:
            yield value.dim
        if isinstance(value.type, ArrayType):
            yield from value.type.shape
