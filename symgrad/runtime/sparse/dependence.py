"""Which entries of a linear function's results depend on which of its last argument's.

The function's IR is walked through at the point where the Jacobian is asked for: branches,
rounds of loops and indices are those of this point, so that only what is linear in the argument
has to be understood. What entries depend on is kept as a sparse matrix of ones, a row for each
entry and a column for each entry of the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.evaluate import compute_op
from ...ir.types import ListType, ScalarType
from ...ir.values import Block, Function, Op, Value
from .links import Pairs, TooMany, everything, linked

Matrix = Any
"""A ``scipy.sparse.csr_array`` of ones."""


class Unknown(Exception):
    """Nothing can be said: code that draws, that is not seen, or that links too much."""


@dataclass(slots=True)
class Dependence:
    """``matrices`` has one for each result; ``by_data`` says that they were found with the
    arguments' data and not from their shapes alone."""

    matrices: list[Matrix]
    by_data: bool


def dependence(function: Function, args: Sequence[Any], seed: Value) -> Dependence:
    """What the results depend on.

    Args:
        args: a value for each parameter.
        seed: the parameter in which the function is linear.

    Raises:
        Unknown: nothing can be said.
    """
    walk = _Walk(len(np.ravel(args[function.params.index(seed)])))
    for p, x in zip(function.params, args, strict=True):
        walk.values[p] = x
        if not isinstance(p.type, ScalarType) or p.type.kind not in ("int", "bool"):
            walk.data.add(p)
    walk.found[seed] = walk.identity()
    try:
        with np.errstate(all="ignore"):
            walk.block(function.block)
    except TooMany:
        raise Unknown from None
    matrices = []
    for r in function.block.results:
        rows = np.size(walk.values[r])
        matrix = walk.found.get(r)
        matrices.append(walk.nothing(rows) if matrix is None else matrix)
    return Dependence(matrices, walk.by_data)


@dataclass(slots=True)
class _Walk:
    size: int
    values: dict[Value, Any] = field(default_factory=dict)
    found: dict[Value, Any] = field(default_factory=dict)
    data: set[Value] = field(default_factory=set)
    by_data: bool = False

    # -- matrices -----------------------------------------------------------------------
    def identity(self) -> Matrix:
        from scipy import sparse

        return sparse.csr_array(sparse.eye_array(self.size, format="csr", dtype=np.int8))

    def nothing(self, rows: int) -> Matrix:
        from scipy import sparse

        return sparse.csr_array((rows, self.size), dtype=np.int8)

    def through(self, pairs: Pairs, rows: int, matrix: Matrix) -> Matrix:
        """What entries depend on that are linked with those of ``matrix``."""
        from scipy import sparse

        links = sparse.csr_array(
            (np.ones(len(pairs[0]), np.int32), pairs), shape=(rows, matrix.shape[0])
        )
        return _ones(links @ matrix)

    # -- the walk -----------------------------------------------------------------------
    def block(self, block: Block) -> None:
        for op in block.ops:
            if op.kind.has("random") or op.kind.has("returns"):
                raise Unknown
            if op.name in _CONTROL:
                _CONTROL[op.name](self, op)
            elif op.name == "list_pop" and not op.inputs[1:]:
                self.pop(op)
            elif op.name == "list_push" and not op.inputs[2:]:
                self.push(op)
            elif op.name == "undef":
                self.values[op.result] = None
            elif op.name == "const":
                self.values[op.result] = op.attrs["value"]
            elif not (op.kind.has("effect") and not op.inputs):
                self.plain(op)

    def plain(self, op: Op) -> None:
        if op.kind.has("effect"):
            return
        if any(isinstance(v.type, ListType) for v in (*op.inputs, *op.results)):
            if op.name == "list_new":
                self.values[op.result], self.found[op.result] = [], []
                return
            raise Unknown
        inputs = [self.values[v] for v in op.inputs]
        result = compute_op(op, inputs)
        results = result if len(op.results) != 1 else (result,)
        self.values.update(zip(op.results, results, strict=True))
        read = [v for i, v in enumerate(op.inputs) if self.reads(op, i)]
        if any(v in self.data for v in read):
            self.data.update(op.results)
        moving = [
            i for i, v in enumerate(op.inputs) if v in self.found and self.reads(op, i)
        ]
        if not moving:
            return
        if not op.kind.has("elementwise"):
            self.decided(*(v for v in read if v not in self.found and _whole(v)))
        for r, x in zip(op.results, results, strict=True):
            self.found[r] = self.of(op, moving, inputs, x)

    def of(self, op: Op, moving: Sequence[int], inputs: Sequence[Any], x: Any) -> Matrix:
        """What a result depends on, by way of the inputs at the places ``moving``."""
        rows, total = np.size(x), None
        for i in moving:
            single = len(op.results) == 1
            size = np.size(inputs[i])
            pairs = linked(op, i, inputs, x) if single else everything(size, rows)
            part = self.through(pairs, rows, self.found[op.inputs[i]])
            total = part if total is None else _ones(total + part)
        return total

    def reads(self, op: Op, position: int) -> bool:
        return op.kind.input_name(position) not in op.kind.shape_only

    def decided(self, *values: Value) -> None:
        """Note that the way through the code depends on these."""
        self.by_data = self.by_data or any(v in self.data for v in values)

    # -- lists --------------------------------------------------------------------------
    def push(self, op: Op) -> None:
        xs, x = op.inputs
        self.values[op.result] = [*self.values[xs], self.values[x]]
        self.found[op.result] = [*self.found[xs], self.found.get(x)]
        if xs in self.data or x in self.data:
            self.data.add(op.result)

    def pop(self, op: Op) -> None:
        *rest, last = self.values[op.inputs[0]]
        *before, matrix = self.found[op.inputs[0]]
        self.values.update(zip(op.results, (rest, last), strict=True))
        self.found[op.results[0]] = before
        self.put(op.results[1], matrix)
        if op.inputs[0] in self.data:
            self.data.update(op.results)

    def put(self, value: Value, matrix: Any) -> None:
        """What ``value`` depends on, if on anything."""
        self.found.pop(value, None)
        if matrix is not None:
            self.found[value] = matrix

    def hand(self, targets: Sequence[Value], sources: Sequence[Value]) -> None:
        """Hand on values with all that is known of them, at the same time."""
        known = [(self.values.get(s), self.found.get(s), s in self.data) for s in sources]
        for target, (x, matrix, by_data) in zip(targets, known, strict=True):
            self.values[target] = x
            self.put(target, matrix)
            self.data.discard(target)
            if by_data:
                self.data.add(target)

    # -- control flow -------------------------------------------------------------------
    def if_(self, op: Op) -> None:
        self.decide(op.inputs[0])
        region = op.regions[0 if self.values[op.inputs[0]] else 1]
        self.block(region)
        self.hand(op.results, region.results)

    def decide(self, value: Value) -> None:
        if value in self.found:
            raise Unknown
        self.decided(value)

    def for_(self, op: Op) -> None:
        for v in op.inputs[:3]:
            self.decide(v)
        [body] = op.regions
        start, stop, step = (self.values[v] for v in op.inputs[:3])
        state = tuple(op.inputs[3:])
        self.hand(body.params[1:], state)
        for i in range(start, stop, step):
            self.values[body.params[0]] = i
            if self.round(op, body, body.params[1:]):
                break
        self.hand(op.results, body.params[1:])

    def while_(self, op: Op) -> None:
        test, body = op.regions
        self.hand(body.params, op.inputs)
        while True:
            self.hand(test.params, body.params)
            self.block(test)
            self.decide(test.results[0])
            if not self.values[test.results[0]] or self.round(op, body, body.params):
                break
        self.hand(op.results, body.params)

    def round(self, op: Op, body: Block, params: Sequence[Value]) -> bool:
        """One round; whether it leaves the loop."""
        self.block(body)
        breaks = bool(op.attrs["breaks"])
        if breaks:
            self.decide(body.results[0])
        leave = breaks and bool(self.values[body.results[0]])
        self.hand(params, body.results[breaks:])
        return leave


def _whole(value: Value) -> bool:
    """Whether a value holds whole numbers or truth values: indices, masks."""
    return getattr(value.type, "dtype", np.dtype(float)).kind in "iub"


def _ones(matrix: Matrix) -> Matrix:
    matrix.data = np.ones(len(matrix.data), np.int8)
    return matrix


_CONTROL = {"if": _Walk.if_, "for": _Walk.for_, "while": _Walk.while_}
