"""Common subexpressions: one value computed once, across primal and backward.

Before: any IR. After: no two ops of one region, or of a region and one around it, have the
same kind, inputs and attributes, save those with an effect, draws, and fresh memory that is
written to. Whole branches and loops count as one op each.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.rewrite import Env, copy_block, rewrite
from ..ir.types import ScalarType
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE
from .dce import has_effect
from .memory.escape import escaping, only_memory, owned

Key = tuple[Hashable, ...]


def cse(function: Function) -> Function:
    """The function with equal values merged; the earlier one's name lives on."""
    escape = escaping(function.block), owned(function.block)
    if not _Merger(*escape).repeats(function.block):
        return function
    return rewrite(function, TABLE, _Merger(*escape).visit)


class _Merger:
    """What has been met so far: ops by their keys, in each of the regions around here."""

    def __init__(self, escaping: set[Value], written: set[Value]) -> None:
        self.escaping = escaping
        self.written = written
        self.scopes: list[dict[Key, Op]] = [{}]
        self.numbers: dict[Value, int] = {}
        self.sources: dict[Op, Op] = {}

    def repeats(self, block: Block) -> bool:
        """Whether any op of the block is to be merged, found without copying it."""
        for op in block.ops:
            key = self.key(op, {}) if self.mergeable(op) else None
            if key is not None and self.earlier(op, key) is not None:
                return True
            for region in op.regions:
                self.scopes.append({})
                if self.repeats(region):
                    return True
                self.scopes.pop()
            self.note(key, op, op)
        return False

    def earlier(self, op: Op, key: Key) -> Op | None:
        """The op that computes the same, if they may be one."""
        found = next((s[key] for s in reversed(self.scopes) if key in s), None)
        return None if found is None or self.kept_apart(op, found) else found

    def note(self, key: Key | None, new: Op, source: Op) -> None:
        """Have ``new``, which is made of ``source``, found under ``key``."""
        if key is not None:
            self.scopes[-1][key] = new
            self.sources[new] = source

    def visit(self, builder: Builder, op: Op, env: Env) -> Sequence[Value] | None:
        key = self.key(op, env) if self.mergeable(op) else None
        found = None if key is None else self.earlier(op, key)
        if found is None:
            return self.copied(builder, op, env, key)
        if op.role == "" and found.role:
            _promote(found)
        for old, new in zip(op.results, found.results, strict=True):
            new.name = new.name or old.name
        return found.results

    def mergeable(self, op: Op) -> bool:
        if op.kind.name == "list_new":
            return False
        if only_memory(op) and op.results[0] in self.written:
            return False
        return not has_effect(op) and not any(
            has_effect(o) or o.kind.has("derivative") for r in op.regions for o in r.walk()
        )

    def kept_apart(self, op: Op, found: Op) -> bool:
        """Whether the caller would see two results share memory that the user's do not."""
        return op.role == "" and any(
            a in self.escaping and b in self.escaping
            for a, b in zip(op.results, self.sources[found].results, strict=True)
        )

    def copied(
        self, builder: Builder, op: Op, env: Env, key: Key | None
    ) -> Sequence[Value]:
        """The op again, to be found under ``key``."""
        inputs = tuple([env.get(v, v) for v in op.inputs])
        regions = tuple([self.region(builder, r, env) for r in op.regions])
        new = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
        new.results = tuple([Value(v.type, v.name, new, v.dim) for v in op.results])
        builder.ops.append(new)
        for value in new.results:
            builder.bind(value)
        self.note(key, new, op)
        return new.results

    def region(self, builder: Builder, block: Block, env: Env) -> Block:
        self.scopes.append({})
        copied = copy_block(builder, block, env, self.visit)
        self.scopes.pop()
        return copied

    # -- keys ---------------------------------------------------------------------------
    def key(self, op: Op, env: Env) -> Key:
        """Equal for ops that compute the same. Values are numbered as they are met."""
        inputs = [self.number(env.get(v, v)) for v in op.inputs]
        first_of_equals = op.kind.has("selects") and isinstance(
            op.inputs[0].type, ScalarType
        )
        if op.kind.has("commutative") and not first_of_equals:
            inputs.sort()
        regions = tuple(self.region_key(r, env) for r in op.regions)
        attrs = tuple((k, frozen(v)) for k, v in op.attrs.items())
        return (op.kind, tuple(inputs), attrs, regions)

    def number(self, value: Value) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def region_key(self, block: Block, env: Env) -> Key:
        """A region's text, as it were: its own values by position, outer ones by number."""
        local: dict[Value, int] = {}

        def name(value: Value) -> Key:
            if value in local:
                return ("own", local[value])
            return ("outer", self.number(env.get(value, value)))

        def walk(inner: Block) -> Key:
            for p in inner.params:
                local[p] = len(local)
            ops = tuple(entry(op) for op in inner.ops)
            return (ops, tuple(map(name, inner.results)))

        def entry(op: Op) -> Key:
            inputs = tuple(map(name, op.inputs))
            attrs = tuple((k, frozen(v)) for k, v in op.attrs.items())
            regions = tuple(map(walk, op.regions))
            for value in op.results:
                local[value] = len(local)
            return (op.kind, inputs, attrs, regions, len(op.results))

        return walk(block)


def _promote(op: Op) -> None:
    """Make an op of derivative code primal, so that its result stays exact."""
    op.role = ""
    for region in op.regions:
        for inner in region.walk():
            inner.role = ""


def frozen(value: Any) -> Hashable:
    """An attribute as a key: numbers of different types, and the two zeros, differ."""
    kind = type(value)
    if value is None or kind is int or kind is bool or kind is str:
        return (kind, value)
    if kind is tuple:
        return (kind, tuple([frozen(v) for v in value]))
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return ("scalar", value.dtype, value.tobytes())
    if isinstance(value, float | complex):
        return (type(value), repr(value))
    if isinstance(value, tuple | list):
        return (type(value), tuple(map(frozen, value)))
    if isinstance(value, dict):
        return ("dict", tuple((k, frozen(v)) for k, v in value.items()))
    return (type(value), value)
