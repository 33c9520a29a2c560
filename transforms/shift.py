"""A maximum that only guards against overflow is a constant to derivatives.

``exp(x - m) / sum(exp(x - m))``, ``log(sum(exp(x - m))) + m`` and ``z - log(sum(exp(z)))`` with
``z = x - m`` do not depend on ``m``, so its derivative is exactly zero and the adjoint of the
maximum need not be written. Before: any function. After: the same, with such maxima marked as
having no derivative.

How a value depends on ``m`` is followed as *adding* ``c * m`` to it or *multiplying* it by
``exp(c * m)``, together with which of its axes are those of ``m``. What meets no rule ends the
attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ..ir.builder import Builder, for_function
from ..ir.context import Dims
from ..ir.indexing import Gather, NewAxis, Slice
from ..ir.opdef import OpDef
from ..ir.rewrite import Env, copy_op, free_values, rewrite
from ..ir.types import ArrayType, is_inexact
from ..ir.values import Block, Function, Op, Value
from ..ops import TABLE

Axes = tuple[int | None, ...]
"""For each axis of a value, the axis of ``x`` that it runs along as ``m`` does; else None."""


@dataclass(frozen=True, slots=True)
class _Trace:
    """A value has ``c * m`` added (or is multiplied by ``exp(c * m)``)."""

    adds: bool
    c: int
    axes: Axes


class _Unknown(Exception):
    """The dependence on ``m`` cannot be followed."""


def shift(function: Function) -> Function:
    """Mark maxima that cancel as constant."""
    found: set[Op] = set()
    if any(op.name == "max" for op in function.block.walk()):
        _search(function.block, found, for_function(function, TABLE).dims)
    if not found:
        return function

    def visit(builder: Builder, op: Op, env: Env) -> tuple[Value, ...] | None:
        if op not in found:
            return None
        constant = Op(
            _without_derivative(op.kind), op.inputs, op.attrs, (), op.span, op.role
        )
        constant.results = op.results
        return copy_op(builder, constant, env)

    return rewrite(function, TABLE, visit)


@lru_cache(maxsize=64)
def _without_derivative(kind: OpDef) -> OpDef:
    return replace(kind, vjp={}, jvp=None, traits=kind.traits | {"nondiff"})


def _search(block: Block, found: set[Op], dims: Dims) -> None:
    for position, op in enumerate(block.ops):
        for region in op.regions:
            _search(region, found, dims)
        if op.name == "max" and op.kind.vjp and _cancels(block, position, dims):
            found.add(op)


def _cancels(block: Block, position: int, dims: Dims) -> bool:
    """Whether nothing that the block computes depends on this maximum, mathematically."""
    op = block.ops[position]
    t = op.inputs[0].type
    if not isinstance(t, ArrayType) or not is_inexact(t):
        return False
    axis = op.attrs["axis"]
    gone = set(range(t.ndim)) if axis is None else set(axis)
    own = [None if a in gone else a for a in range(t.ndim)]
    kept = own if op.attrs["keepdims"] else [a for a in own if a is not None]
    traces: dict[Value, _Trace] = {op.result: _Trace(True, 1, tuple(kept))}
    try:
        for later in block.ops[position + 1 :]:
            _follow(later, traces, dims)
    except _Unknown:
        return False
    return not any(r in traces for r in block.results) and len(traces) > 1


def _follow(op: Op, traces: dict[Value, _Trace], dims: Dims) -> None:
    if op.regions and any(v in traces for r in op.regions for v in free_values(r)):
        raise _Unknown
    if not any(v in traces for v in op.inputs):
        return
    if op.kind.has("nondiff") and not op.kind.has("effect"):
        return
    if op.name == "gather":
        trace: _Trace | None = _gather(op, traces, dims)
    elif op.name in _RULES and not op.regions:
        trace = _RULES[op.name](op, traces)
    else:
        raise _Unknown
    if trace is not None and trace.c:
        traces[op.result] = trace


# --------------------------------------------------------------------------------- rules
def _exp(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    _require(trace.adds)
    return replace(trace, adds=False)


def _log(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    _require(not trace.adds)
    return replace(trace, adds=True)


def _plus(sign: int) -> Callable[[Op, Mapping[Value, _Trace]], _Trace | None]:
    def rule(op: Op, traces: Mapping[Value, _Trace]) -> _Trace | None:
        return _combine(op, traces, sign, adds=True)

    return rule


def _times(sign: int) -> Callable[[Op, Mapping[Value, _Trace]], _Trace | None]:
    def rule(op: Op, traces: Mapping[Value, _Trace]) -> _Trace | None:
        return _combine(op, traces, sign, adds=False)

    return rule


def _combine(
    op: Op, traces: Mapping[Value, _Trace], sign: int, *, adds: bool
) -> _Trace | None:
    """Two operands: what they add (or multiply by) comes together, axes must agree."""
    total = 0
    axes: Axes | None = None
    rank = max(v.type.ndim for v in op.inputs)  # type: ignore[union-attr]
    for value, factor in zip(op.inputs, (1, sign), strict=True):
        trace = traces.get(value)
        if trace is None:
            continue
        _require(trace.adds == adds)
        own = (*[None] * (rank - len(trace.axes)), *trace.axes)
        _require(axes is None or axes == own)
        axes = own
        total += factor * trace.c
    assert axes is not None
    return _Trace(adds, total, axes)


def _negative(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    _require(trace.adds)
    return replace(trace, c=-trace.c)


def _sum(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    axis = op.attrs["axis"]
    gone = set(range(len(trace.axes))) if axis is None else set(axis)
    _require(not trace.adds and all(trace.axes[a] is None for a in gone))
    if op.attrs["keepdims"]:
        return trace
    return replace(trace, axes=tuple(a for k, a in enumerate(trace.axes) if k not in gone))


def _transpose(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    return replace(trace, axes=tuple(trace.axes[a] for a in op.attrs["axes"]))


def _expand_dims(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    waiting = iter(trace.axes)
    added = set(op.attrs["axes"])
    rank = len(trace.axes) + len(added)
    return replace(
        trace, axes=tuple(None if k in added else next(waiting) for k in range(rank))
    )


def _squeeze(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    trace = traces[op.inputs[0]]
    gone = set(op.attrs["axes"])
    _require(all(trace.axes[a] is None for a in gone))
    return replace(trace, axes=tuple(a for k, a in enumerate(trace.axes) if k not in gone))


def _index(op: Op, traces: Mapping[Value, _Trace]) -> _Trace:
    """Whole axes of ``m`` stay; other axes may be cut or picked from."""
    trace = traces[op.inputs[0]]
    _require(all(v not in traces for v in op.inputs[1:]))
    axes: list[int | None] = []
    waiting = list(trace.axes)
    for item in op.attrs["index"]:
        if isinstance(item, NewAxis):
            axes.append(None)
            continue
        source = waiting.pop(0)
        _require(source is None or item == Slice())
        if isinstance(item, Slice):
            axes.append(source)
    return replace(trace, axes=(*axes, *waiting))


def _gather(op: Op, traces: Mapping[Value, _Trace], dims: Dims) -> _Trace:
    """``z[arange(n), labels]``: one entry of each row."""
    trace = traces[op.inputs[0]]
    index, operands = op.attrs["index"], op.inputs[1:]
    _require(len(trace.axes) == 2 and len(index) == 2 and trace.axes[1] is None)
    _require(all(isinstance(item, Gather) for item in index))
    rows, picked = (operands[item.k] for item in index)
    _require(picked not in traces and picked.type.ndim == 1)
    if rows.op is None or rows.op.name != "arange":
        raise _Unknown
    start, _, step = rows.op.inputs[:3]
    _require(start.is_constant and start.constant == 0)
    _require(step.is_constant and step.constant == 1)
    assert isinstance(rows.type, ArrayType) and isinstance(op.inputs[0].type, ArrayType)
    _require(dims.equal(rows.type.shape[0], op.inputs[0].type.shape[0]))
    return replace(trace, axes=trace.axes[:1])


def _require(holds: bool) -> None:
    if not holds:
        raise _Unknown


_RULES: dict[str, Callable[[Op, Mapping[Value, _Trace]], _Trace | None]] = {
    "exp": _exp,
    "log": _log,
    "add": _plus(1),
    "subtract": _plus(-1),
    "multiply": _times(1),
    "divide": _times(-1),
    "negative": _negative,
    "sum": _sum,
    "transpose": _transpose,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "index": _index,
}
