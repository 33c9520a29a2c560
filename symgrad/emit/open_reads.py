"""Which values are read whatever way the program takes, also where they are not defined.

A value that one branch of an ``if`` leaves undefined needs no assignment there as long as it
is read in a later branch on the same condition only. Derivatives do read others: the adjoint of
a value starts as zeros of its shape on every way. So do copies ahead of a loop that changes what
it carries. There it gets a small stand-in.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..ir.order import carried
from ..ir.types import ArrayType, ListType, ScalarType, Type
from ..ir.values import Block, Op, Value

Path = tuple[Block, ...]
Guards = frozenset[tuple[Value, int]]
"""Branches around a place: conditions, and which side it stands on."""


@dataclass(slots=True)
class OpenReads:
    """``passed``: values with a read that stands in no branch that their definition does not
    stand in. ``touched``: results of branches and carried values that derivatives or copies read
    where they are undefined."""

    together: Callable[[Value, Value], bool]
    passed: set[Value] = field(default_factory=set)
    touched: set[Value] = field(default_factory=set)
    _defined: dict[Value, Path] = field(default_factory=dict)
    _columns: dict[Value, tuple[Value, ...]] = field(default_factory=dict)
    _conditions: dict[Value, frozenset[Value]] = field(default_factory=dict)
    _open: dict[tuple[Value, Guards], bool] = field(default_factory=dict)
    _seen: set[tuple[Value, Guards]] = field(default_factory=set)
    _loose: set[Value] = field(default_factory=set)

    def visit(self, block: Block, path: Path = (), guards: Guards = frozenset()) -> None:
        """Everything read in the block."""
        for op in block.ops:
            for value in op.inputs:
                self._read(value, path)
                if (op.role or op.name in COPIES) and not op.regions:
                    self._touch(value, guards)
                if op.name in ("for", "while") and value in self._loose:
                    self.passed.add(value)  # the loop's own variable starts as a copy of it
            if op.name in ("list_push", "store"):
                self._touch(_kept(op), guards)
            if op.name in ("for", "while"):
                self._loop(op)
            for side, region in enumerate(op.regions):
                branch = op.name == "if"
                inner = (*path, region) if branch else path
                self._defined.update(dict.fromkeys(region.params, inner))
                around = guards | {(op.inputs[0], side)} if branch else guards
                self.visit(region, inner, around)
            if any(
                _undefined(v) or v in self._loose for r in op.regions for v in r.results
            ):
                self._loose.update(op.results)
            if op.name in ("for", "while"):
                self._exchanged(op)
            if op.name == "if":
                self._chosen(op)
                self._copied(op)
            self._defined.update(dict.fromkeys(op.results, path))
        for value in block.results:
            self._read(value, path)
            if self._is_open(value, guards):
                self.passed.add(value)

    def _is_open(self, value: Value, guards: Guards) -> bool:
        """Whether a branch that hands ``value`` on stands where an earlier branch on the same
        condition has left it undefined."""
        op = value.op
        if value not in self._loose or op is None or not _is_chosen(value):
            return False
        guards = self._about(value, guards)
        known = self._open.get((value, guards))
        if known is not None:
            return known
        position = op.results.index(value)
        found = False
        for side, region in enumerate(op.regions):
            source = region.results[position]
            there = guards | {(op.inputs[0], side)}
            if (op.inputs[0], 1 - side) not in guards and (
                _undefined(source) or self._is_open(source, there)
            ):
                found = True
                break
        self._open[value, guards] = found
        return found

    def _chosen(self, op: Op) -> None:
        """Note which conditions decide on what an ``if`` gives, if no loop does."""
        for result, *sources in zip(
            op.results, *(r.results for r in op.regions), strict=True
        ):
            before = [self._conditions.get(v) for v in sources if _is_chosen(v)]
            if not any(c is None for c in before) and not self._columns.keys() & sources:
                known = (c for c in before if c is not None)
                self._conditions[result] = frozenset(op.inputs[:1]).union(*known)

    def _copied(self, op: Op) -> None:
        """What a loop carries is copied where a branch hands it on as another variable."""
        for result, *sources in zip(
            op.results, *(r.results for r in op.regions), strict=True
        ):
            carried_on = self._loose & self._columns.keys() & {*sources}
            for value in carried_on:
                if not self.together(value, result):
                    self.passed.update(self._columns[value])

    def _about(self, value: Value, guards: Guards) -> Guards:
        """Those of the branches around that decide on what ``value`` is: without the others,
        what has been found out holds wherever they are alike."""
        found = self._conditions.get(value)
        return guards if found is None else frozenset(g for g in guards if g[0] in found)

    def _read(self, value: Value, path: Path) -> None:
        if self._defined.get(value, ()) == path:
            self.passed.add(value)

    def _loop(self, op: Op) -> None:
        for values in carried(op):
            for value in values[1:-2]:
                self._columns[value] = values
            self._columns[values[-1]] = values
            if _undefined(values[0]) or values[0] in self._loose:
                self._loose.update((*values[1:-2], values[-1]))

    def _exchanged(self, op: Op) -> None:
        """What a round hands on to another variable, as in ``a, b = v, a``, is copied."""
        for values in carried(op):
            for source in _handed_on(values[-2]):
                if source in self._columns and source not in values:
                    self.passed.update({source} & self._loose)

    def _touch(self, value: Value, guards: Guards) -> None:
        """A derivative reads ``value``: wherever it comes from, it has to be something."""
        if value not in self._loose:
            return
        guards = self._about(value, guards)
        if (value, guards) in self._seen:
            return
        self._seen.add((value, guards))
        op = value.op
        if value in self._columns:
            values = self._columns[value]
            for source in (values[0], values[-2]):
                self._source(values[1], source, guards)
        elif op is not None and op.name == "if":
            position = op.results.index(value)
            for side, region in enumerate(op.regions):
                if (op.inputs[0], 1 - side) not in guards:
                    self._source(value, region.results[position], guards)

    def _source(self, target: Value, source: Value, guards: Guards) -> None:
        if _undefined(source):
            self.touched.add(target)
        else:
            self._touch(source, guards)


COPIES = ("copy", "list_copy")


def _kept(push: Op) -> Value:
    """What a list or an array of values of all rounds keeps, maybe a copy of it."""
    value = push.inputs[1]
    made = value.op
    return made.inputs[0] if made is not None and made.name in COPIES else value


def _handed_on(value: Value) -> Iterator[Value]:
    """What ``value`` may be, looking into the branches that it comes from."""
    op = value.op
    if op is None or op.name != "if":
        yield value
        return
    for region in op.regions:
        yield from _handed_on(region.results[op.results.index(value)])


def _is_chosen(value: Value) -> bool:
    return value.op is not None and value.op.name == "if"


def _undefined(value: Value) -> bool:
    return value.op is not None and value.op.name == "undef"


def open_reads(block: Block, together: Callable[[Value, Value], bool]) -> OpenReads:
    """What is read where in a function's body; ``together`` says of two values whether they have
    the same variable."""
    found = OpenReads(together, _defined=dict.fromkeys(block.params, ()))
    found.visit(block)
    return found


def stand_in(kind: Type) -> ast.expr:
    """A small value of the type, one that can be stored wherever the true one could."""
    if isinstance(kind, ArrayType) and kind.ndim:
        lengths = [ast.Constant(n if isinstance(n, int) else 1) for n in kind.shape]
        shape: ast.expr = lengths[0]
        if kind.ndim > 1:
            shape = ast.Tuple([*lengths])
        args = [shape]
        if kind.dtype != np.float64:
            args.append(ast.Attribute(ast.Name("np"), np.dtype(kind.dtype).name))
        return ast.Call(ast.Attribute(ast.Name("np"), "zeros"), args, [])
    if isinstance(kind, ListType):
        return ast.List([], ast.Load())
    if isinstance(kind, ArrayType | ScalarType):
        return ast.Constant(0 if kind.dtype.kind in "iu" else 0.0)
    return ast.Constant(None)
