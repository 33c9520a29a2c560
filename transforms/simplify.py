"""Algebraic simplification by a table of small laws.

Before: any IR. After: no law of ``LAW_FILES`` applies. Primal ops keep their results to the
last bit; derivative code may round differently, and a part that a mask does not select is a
hard zero there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.builder import Builder, Table
from ..ir.expr import lift
from ..ir.opdef import OpDef
from ..ir.rewrite import Env, copy_op, rewrite, uses
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Function, Op, Value
from ..ops import TABLE
from ..ops.rules.loose import is_loose
from .dce import dce
from .laws import algebra as _algebra
from .laws import batches as _batches
from .laws import indexing as _indexing
from .laws import layout as _layout
from .laws import masks as _masks
from .laws import matrices as _matrices
from .laws import products as _products
from .laws import quotients as _quotients
from .laws import repeats as _repeats
from .laws import roots as _roots
from .laws import shaping as _shaping
from .laws import sums as _sums
from .laws import thin as _thin
from .laws import triangles as _triangles
from .laws import twice as _twice
from .laws import whole as _whole
from .laws import zeros as _zeros
from .laws.branches import CONTROL
from .laws.words import Law, Site, laws_at, laws_for
from .memory.escape import escaping, owned
from .reading import falls_short

ROUNDS = 6
_FLOAT = np.dtype(np.float64)
NOTED = {"divide": slice(2), "solve_triangular": slice(1), "logaddexp": slice(1, 2)}
"""Ops whose results laws look for, and by which inputs."""
LAW_FILES = (
    _algebra,
    _batches,
    _indexing,
    _layout,
    _masks,
    _matrices,
    _products,
    _quotients,
    _repeats,
    _roots,
    _shaping,
    _sums,
    _thin,
    _triangles,
    _twice,
    _whole,
    _zeros,
)


def simplify(function: Function) -> Function:
    """The function with the laws applied until none fits."""
    for _ in range(ROUNDS):
        function = dce(function)
        sweep = _Sweep(function)
        made = rewrite(function, TABLE, sweep.visit, sweep.builder)
        if not sweep.fired:
            return function
        function = made
    return dce(function)


class _Sweep:
    """One pass over the function. ``counts`` says how often new values are read."""

    def __init__(self, function: Function) -> None:
        self.old_uses = uses(function.block)
        self.escaping = escaping(function.block)
        self.written = owned(function.block)
        self.params = [p for p in function.params if isinstance(p.type, ArrayType)]
        self.counts: dict[Value, int] = {}
        self.zeros: dict[Value, bool] = {}
        self.fired = 0

    def builder(self, table: Table) -> _Simplifier:
        return _Simplifier(table, self)

    def single(self, value: Value) -> bool:
        return self.counts.get(value, 1) <= 1

    def is_zero(self, value: Value) -> bool:
        if value not in self.zeros:
            self.zeros[value] = _zeros.is_zero(value)
        return self.zeros[value]

    def visit(self, builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        assert isinstance(builder, _Simplifier)
        results = self.results(builder, op, env)
        made = results[0].op if op.kind.name in NOTED else None
        if made is not None and made.kind is op.kind:
            builder.note(made)
        for old, new in zip(op.results, results, strict=True):
            self.counts[new] = self.counts.get(new, 0) + self.old_uses.get(old, 0)
        return results

    def results(self, builder: _Simplifier, op: Op, env: Env) -> Sequence[Value]:
        if op.kind.name in CONTROL:
            stands = CONTROL[op.kind.name](builder, op, env, self.visit)
            if stands is not None:
                self.fired += 1
                return stands
        elif len(op.results) == 1 and not op.regions:
            value = self.simplified(builder, op, tuple(env.get(v, v) for v in op.inputs))
            if value is not None:
                return (value,)
        _learn(builder, op, env)
        return copy_op(builder, op, env, self.visit)

    def simplified(
        self, builder: _Simplifier, op: Op, inputs: tuple[Value, ...]
    ) -> Value | None:
        if op.kind.name == "copy" and op.result in self.written:
            return None
        start = len(builder.ops)
        apart = op.role == "" and op.result in self.escaping and not _shares(op.kind)
        value = builder.attempt(op.kind, inputs, op.attrs, op.result.type, own=apart)
        if value is None:
            return None
        self.fired += 1
        if not value.name and value.op in builder.ops[start:]:
            value.name = op.result.name
        return value


class _Simplifier(Builder):
    """A builder that tries the laws on every op before it adds it. ``at_hand`` has the
    results so far of ops that laws look for; ``due`` is the dtype of what a law is to give
    in place of an op."""

    __slots__ = ("at_hand", "due", "sweep")

    def __init__(self, table: Table, sweep: _Sweep) -> None:
        super().__init__(table)
        self.sweep = sweep
        self.at_hand: dict[tuple[str, tuple[Value, ...]], Value] = {}
        self.due: np.dtype[Any] | None = None

    def sub(self) -> Builder:
        inner = _Simplifier(self.table, self.sweep)
        inner.dims = self.dims.child()
        inner.span, inner.role = self.span, self.role
        inner.bindings = dict(self.bindings)
        inner.at_hand = dict(self.at_hand)
        inner.lengths = dict(self.lengths)
        return inner

    def note(self, op: Op) -> None:
        """Remember the result of an op that laws look for."""
        self.at_hand.setdefault((op.kind.name, op.inputs[NOTED[op.kind.name]]), op.result)

    def op(self, kind: OpDef | str, /, *inputs: Value, hint: str = "", **attrs: Any) -> Any:
        definition = self.definition(kind) if isinstance(kind, str) else kind
        full = {**definition.attrs, **attrs}
        due = self.due
        if due is not None and falls_short(self, definition, inputs, full, due):
            raise _FallsShort
        value = self.attempt(definition, inputs, full, None) if inputs else None
        return (
            value
            if value is not None
            else super().op(definition, *inputs, hint=hint, **attrs)
        )

    def attempt(
        self,
        kind: OpDef,
        inputs: tuple[Value, ...],
        attrs: Mapping[str, Any],
        wanted: Type | None,
        *,
        own: bool = False,
    ) -> Value | None:
        """What a law puts in place of the op, of the same type. With ``own`` the result's
        memory must not be another value's."""
        known, telling = laws_for(kind)
        if not known:
            return None
        if wanted is None:
            found = kind.infer(self.dims, inputs, **attrs)
            if isinstance(found, tuple):
                return None
            wanted = found
        makers = {v.op.kind.name for v in inputs if v.op is not None}
        laws = laws_at(kind, self.role != "", telling & makers)
        if not laws:
            return None
        due = _due(wanted)
        site = self.site(kind, inputs, attrs, wanted, due)
        for law in laws:
            start = len(self.ops)
            value = self.by_law(law, site, due)
            if value is None:
                continue
            if not self.dims.same_type(value.type, wanted):
                continue
            if not (own and self.shared(value, start)) and not self.converts(inputs):
                return value
        return None

    def converts(self, inputs: Sequence[Value]) -> bool:
        """Whether an op of the user's may make floats of what meets in it: of a number that is
        whole on some ways, ``x * 1.0`` is one."""
        return not self.role and len(inputs) > 1 and any(map(is_loose, inputs))

    def by_law(self, law: Law, site: Site, due: np.dtype[Any] | None) -> Value | None:
        """What a law gives, if it computes as it is due."""
        outer, self.due = self.due, due
        try:
            result = law(site)
        except (_FallsShort, DTypeError):  # -x of truth values is not there
            return None
        finally:
            self.due = outer
        return None if result is None else lift(self, result)

    def site(
        self,
        kind: OpDef,
        inputs: tuple[Value, ...],
        attrs: Mapping[str, Any],
        wanted: Type,
        due: np.dtype[Any] | None,
    ) -> Site:
        sweep = self.sweep

        def short(op: Op) -> bool:
            if due is None and any(r.type == wanted for r in op.results):
                return False  # all in int64
            return falls_short(self, op.kind, op.inputs, op.attrs, due or _FLOAT)

        return Site(
            self,
            kind,
            inputs,
            attrs,
            wanted,
            sweep.single,
            sweep.is_zero,
            sweep.params,
            short,
        )

    def shared(self, value: Value, start: int) -> bool:
        """Whether an array is, or may be a view of, one that was there before."""
        if not isinstance(value.type, ArrayType) or value.type.ndim == 0:
            return False
        op = value.op
        return op is None or op not in self.ops[start:] or _shares(op.kind)


class _FallsShort(Exception):
    """A law would compute with whole numbers, truth values or floats of less precision what is
    computed with floats: x * a + y * a of masks is not (x + y) * a."""


def _due(t: Type) -> np.dtype[Any] | None:
    """What laws have to compute with in place of an op that gives this; None for anything."""
    if not isinstance(t, ArrayType | ScalarType):
        return None
    if t.dtype.kind in "fc":
        return t.dtype
    return None if t.dtype == np.int64 else _FLOAT


def _shares(kind: OpDef) -> bool:
    return kind.has("view") or kind.has("maybe_view")


def _learn(builder: Builder, op: Op, env: Env) -> None:
    """Note what the op says about lengths: NumPy accepts its operands."""
    shapes = {
        v.type.shape for v in op.inputs if isinstance(v.type, ArrayType) and v.type.ndim
    }
    if len(shapes) > 1 and not op.regions:
        inputs = tuple(env.get(v, v) for v in op.inputs)
        op.kind.infer(builder.dims, inputs, **op.attrs)
