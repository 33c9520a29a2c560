"""Reads of an array ahead of the store that overwrites it.

Before: a block's ops in any valid order. After: ops that read the old content of a stored-to
array read the new one where that is the same, or stand before the store if they need nothing
made later and with that nobody reads the old content any more. The store can then be done in
place without a copy. Nothing moves into or out of a ``try``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...ir.builder import Builder, for_function
from ...ir.order import has_memory
from ...ir.rewrite import Env
from ...ir.values import Block, Function, Op, Value
from ...ops import TABLE
from ..laws.indexing import apart
from .aliasing import is_store, is_view

FAR = 200
"""How many ops a read may be moved up: keeps the pass linear."""


def reads_first(function: Function) -> Function:
    """The function with reads moved where that saves copies."""
    found = _Found()
    written = {function.params[p] for p, _ in function.mutates}
    _visit(function.block, found, set(function.params) - written)
    if not found.orders:
        return function
    builder = for_function(function, TABLE)
    env: Env = {p: p for p in function.params}
    _append(builder, function.block, env, found)
    results = [env[r] for r in function.block.results]
    return replace(function, block=builder.block(function.params, results))


@dataclass(slots=True)
class _Found:
    """New orders of blocks; ``base`` has for a read what it reads instead."""

    orders: dict[Block, list[Op]] = field(default_factory=dict)
    base: dict[Op, Value] = field(default_factory=dict)


def _append(builder: Builder, block: Block, env: Env, found: _Found) -> None:
    """The block's ops in their new order, added to ``builder``."""
    for op in found.orders.get(block, block.ops):
        given = op.inputs
        if op in found.base:
            given = (found.base[op], *given[1:])
        inputs = tuple(env.get(v, v) for v in given)
        regions = tuple(_region(builder, r, env, found) for r in op.regions)
        made = Op(op.kind, inputs, op.attrs, regions, op.span, op.role)
        made.results = tuple(Value(v.type, v.name, made, v.dim) for v in op.results)
        builder.ops.append(made)
        env.update(zip(op.results, made.results, strict=True))


def _region(builder: Builder, block: Block, env: Env, found: _Found) -> Block:
    inner = builder.sub()
    scope: Env = dict(env)
    params = [Value(p.type, p.name, None, p.dim) for p in block.params]
    scope.update(zip(block.params, params, strict=True))
    _append(inner, block, scope, found)
    return inner.block(params, [scope.get(r, r) for r in block.results])


def _visit(block: Block, found: _Found, foreign: set[Value]) -> None:
    _reorder(block, found, foreign)
    for op in block.ops:
        for region in op.regions:
            _visit(region, found, foreign)


def _reorder(block: Block, found: _Found, foreign: set[Value]) -> None:
    stores = [o for o in block.ops if is_store(o) and o.name != "list_push"]
    if not stores:
        return
    work = _Block(block, found.base)
    for op in stores:
        if has_memory(op.inputs[0].type) and op.inputs[0] not in foreign:
            work.follow(op)
            work.clear(op)
    if work.changed:
        found.orders[block] = work.ops


class _Block:
    """One block's ops in their new order; ``base`` has what reads read instead."""

    def __init__(self, block: Block, base: dict[Op, Value]) -> None:
        self.ops = list(block.ops)
        self.base = base
        self.changed = False
        self._home = {r: op for op in block.ops for r in op.results}
        self._ends = set(block.results)
        self._at = {op: i for i, op in enumerate(block.ops)}
        self._users: dict[Value, list[Op]] = {}
        self._readers: dict[tuple[Op, Value], list[Op]] = {}
        self._handed: set[tuple[Op, Value]] = set()
        for op in block.ops:
            for value in dict.fromkeys(self._inputs(op)):
                self._users.setdefault(value, []).append(op)
            for region in op.regions:
                for inner in region.walk():
                    for value in dict.fromkeys(self._inputs(inner)):
                        self._users.setdefault(value, []).append(op)
                        self._readers.setdefault((op, value), []).append(inner)
                for value in _all_results(region):
                    self._users.setdefault(value, []).append(op)
                    self._handed.add((op, value))

    def _inputs(self, op: Op) -> tuple[Value, ...]:
        return (self.base[op], *op.inputs[1:]) if op in self.base else op.inputs

    def follow(self, store: Op) -> None:
        """Let what reads another place than a store writes read the array as it is then."""
        if store.kind.name != "store":
            return
        old, new = store.inputs[0], store.results[0]
        staying: list[Op] = []
        following: list[Op] = []
        for user in dict.fromkeys(self._users.get(old, ())):
            later = self._at[user] > self._at[store]
            readers = self._reading(user, old) if later else []
            other = readers and all(self._reads_apart(r, old, store) for r in readers)
            (following if other else staying).append(user)
            if other:
                self.base.update(dict.fromkeys(readers, new))
                self._readers[user, new] = readers
        if following:
            self._users[old] = staying
            self._users[new] = [*self._users.get(new, ()), *following]
            self.changed = True

    def _reading(self, user: Op, value: Value) -> list[Op]:
        """The ops in ``user``, or itself, that read ``value``, if nothing else is done with it."""
        if not user.regions:
            return [user]
        if value in user.inputs or (user, value) in self._handed:
            return []
        return self._readers[user, value]

    def _reads_apart(self, read: Op, old: Value, store: Op) -> bool:
        return (
            read.name == "index"
            and self.base.get(read, read.inputs[0]) is old
            and old not in read.inputs[1:]
            and apart(read.attrs["index"], store.attrs["index"])
        )

    def clear(self, store: Op) -> None:
        """Move what still reads the store's old content ahead of it, if that helps."""
        at = self._at[store]
        window: dict[Op, int] = {}
        for i, op in enumerate(self.ops[at + 1 : at + 1 + FAR]):
            if op.name in ("try_begin", "try_end"):
                break
            window[op] = i
        base = store.inputs[0]
        moved: dict[Op, None] = {}
        todo = [base]
        while todo:
            value = todo.pop()
            later = [
                u for u in self._users.get(value, ()) if self._at[u] > at and u not in moved
            ]
            far = value in self._ends or any(u not in window for u in later)
            if far and value is base:
                return
            for user in sorted(set(later) & window.keys(), key=window.__getitem__):
                if self._bring(user, store, window, moved):
                    todo += [
                        r for r in user.results if is_view(user) and has_memory(r.type)
                    ]
                elif value is base:
                    return
        if moved:
            ahead = sorted(moved, key=window.__getitem__)
            rest = [op for op in self.ops[at : at + 1 + FAR] if op not in moved]
            self.ops[at : at + 1 + FAR] = [*ahead, *rest]
            for i in range(at, min(at + 1 + FAR, len(self.ops))):
                self._at[self.ops[i]] = i
            self.changed = True

    def _bring(
        self,
        op: Op,
        store: Op,
        window: dict[Op, int],
        moved: dict[Op, None],
        depth: int = 0,
    ) -> bool:
        """Mark an op, and what it needs, as moved; False if that cannot be."""
        if op in moved:
            return True
        kind = op.kind
        fixed = op.regions or kind.has("store") or kind.has("effect") or kind.has("random")
        if fixed or depth > 4 or op is store:
            return False
        given = (self.base.get(op, op.inputs[0]), *op.inputs[1:]) if op.inputs else ()
        needs = [self._home[v] for v in given if v in self._home]
        needs = [n for n in needs if n is store or n in window]
        marked: dict[Op, None] = dict(moved)
        if not all(self._bring(n, store, window, marked, depth + 1) for n in needs):
            return False
        moved.update(marked)
        moved[op] = None
        return True


def _all_results(region: Block) -> list[Value]:
    found = list(region.results)
    for op in region.ops:
        for inner in op.regions:
            found += _all_results(inner)
    return found
