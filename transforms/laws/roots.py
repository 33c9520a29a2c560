"""Laws of slopes of roots: ``per(g, r) * x`` is ``g * share(x, r)`` where the root ``r`` is made
of what ``x`` is made of, so that ``x`` is 0 where ``r`` is.

A slope of a root starts as ``per(g, r)``, and is scaled and moved on its way to what the root is
made of. Only of a share the next derivative is known where ``r`` is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.expr import apply, f
from ...ir.types import ArrayType, is_inexact
from ...ir.values import Op, Value
from ...ops.roots import without_factor
from .words import Site, law, rank, rule

DEPTH = 6
BUDGET = 64


@law("multiply", adjoint=True, needed={"per"})
def share_of(site: Site) -> Any:
    """``per(g, r) * x``, or ``per(g * x, r)`` where ``x`` has nothing to do with the root."""
    for quotient, x in (site.inputs, site.inputs[::-1]):
        op = site.made_by(quotient, "per")
        if op is None:
            continue
        g, root = site.expr(op.inputs[0]), op.inputs[1]
        if _of_the_same(x, root):
            return g * f.share(site.expr(x), site.expr(root))
        return f.per(g * site.expr(x), site.expr(root))
    return None


rule("per(x, y) / z -> per(x / z, y)", adjoint=True)
rule("-per(x, y) -> per(-x, y)", adjoint=True)


@law(trait="moves", adjoint=True, needed={"per"})
def moved_per(site: Site) -> Any:
    """What moves the entries of ``per(g, r)`` moves those of both."""
    if site.kind.name == "broadcast_to":
        return None
    op = site.made_by(site.inputs[0], "per")
    if op is None or not is_inexact(site.type):
        return None
    rest = [site.expr(v) for v in site.inputs[1:]]

    def moved(value: Value) -> Any:
        if not site.same(_shape_of(value), _shape_of(op.result)):
            return None if rank(value) else site.expr(value)
        return apply(site.kind.name, site.expr(value), *rest, **site.attrs)

    parts = [moved(v) for v in op.inputs]
    return None if any(p is None for p in parts) else f.per(*parts)


def _shape_of(value: Value) -> ArrayType:
    t = value.type
    return ArrayType(np.dtype(float), t.shape if isinstance(t, ArrayType) else ())


@law("per", "share", adjoint=True)
def cancel_root(site: Site) -> Any:
    """``per(g * r, r)`` is ``g``."""
    g, root = site.inputs
    return without_factor(site.expr(g), root) if root.op is not None else None


def _of_the_same(x: Value, root: Value) -> bool:
    """Whether ``x`` is made of nothing but what the root is made of."""
    while root.op is not None and (root.op.kind.has("moves") or root.op.kind.has("marker")):
        root = root.op.inputs[0]
    if root.op is None:
        return False
    return _consists(x, _below(root.op), DEPTH) is True


def _below(op: Op) -> set[Value]:
    """The values that go into an op, directly or not; no more than a few."""
    found: set[Value] = set()
    waiting = list(op.inputs)
    while waiting and len(found) < BUDGET:
        value = waiting.pop(0)
        if value in found or value.is_constant or not is_inexact(value.type):
            continue
        found.add(value)
        waiting += [] if value.op is None else value.op.inputs
    return found


def _consists(x: Value, parts: set[Value], depth: int) -> bool | None:
    """Whether ``x`` is made of ``parts`` and of constants; None for constants alone."""
    if x.is_constant or not is_inexact(x.type):
        return None
    if x in parts:
        return True
    if x.op is None or x.op.regions or not depth:
        return False
    found = [_consists(v, parts, depth - 1) for v in x.op.inputs]
    return None if all(c is None for c in found) else False not in found
