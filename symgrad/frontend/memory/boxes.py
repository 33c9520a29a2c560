"""Arrays of rank 0. They are values like NumPy's scalars, which cannot be changed; so a change
in place is refused wherever another name could see it."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...errors import AliasError
from ...ir.types import ArrayType
from ...ir.values import Op, Value
from ..machine import NOT_CHANGED, Machine
from .storage import holders

_VIEWS = frozenset("reshape transpose squeeze broadcast_to real imag diagonal".split())
_FRESH = frozenset(
    """zeros zeros_like ones ones_like empty empty_like full full_like array copy astype where
    tensordot take_along_axis""".split()
)


def mark(m: Machine, x: Any) -> None:
    """Note that ``x`` is an array of rank 0 which others may hold: the caller's, a view."""
    if isinstance(x, Value):
        m.boxes.add(x)


def is_shared(m: Machine, x: Any) -> bool:
    """Whether a change of ``x`` in place may be seen under another name."""
    if not isinstance(x, Value) or not is_box(m, x):
        return False
    fresh = x.op is not None and x.op.kind.name in _FRESH and x not in m.boxes
    return not fresh or holders(m, x) > 1


def check_in_place(m: Machine, node: ast.AugAssign, x: Value, result: Any) -> None:
    """Refuse ``x op= value`` where NumPy would change an array that others may see, or
    would give it another type than ``result`` has."""
    if not is_box(m, x):
        return
    if not m.writes_captured and any(s.current is x for s in m.scalars):
        raise AliasError(
            f"`{ast.unparse(node.target)}` is captured from outside the function, "
            f"{NOT_CHANGED}; for a layer that keeps statistics, call `eval()` first",
            m.span(node),
        )
    same = isinstance(result, Value) and result.type == x.type
    if is_shared(m, x) or not same:
        name = ast.unparse(node.target)
        raise AliasError(
            f"`{name}` may be an array of rank 0 that others hold too: a change of it in place "
            f"is not modelled; write `{name} = {name} + ...`, or use an array of shape (1,)",
            m.span(node),
        )


def is_float(m: Machine, x: Any) -> bool:
    """Whether ``x`` is a scalar of NumPy's that is a Python float too."""
    return (
        isinstance(x, Value)
        and x.type == ArrayType(np.dtype(np.float64), ())
        and not is_box(m, x)
    )


def is_box(m: Machine, x: Value) -> bool:
    """Whether ``x`` may be an array of rank 0, not a scalar."""
    if not isinstance(x.type, ArrayType) or x.type.shape:
        return False
    if x in m.boxes:
        return True
    return x.op is not None and _makes_box(m, x.op)


def _makes_box(m: Machine, op: Op) -> bool:
    if op.kind.name in _VIEWS:
        whole = op.inputs[0]
        return bool(isinstance(whole.type, ArrayType) and whole.type.shape) or is_box(
            m, whole
        )
    if op.kind.name in _FRESH:
        return True
    results = [v for block in op.regions for v in block.results]
    inits = op.inputs if op.regions else ()
    return any(is_box(m, v) for v in (*results, *inits))
