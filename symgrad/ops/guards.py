"""Hard zeros where an adjoint is zero and no mask is known that made it so.

The zeros came from a choice that the program makes later on, through a loop, say; what they are
multiplied by may be infinite or undefined. Which entries count is read from the adjoint itself,
when the code runs. Derivatives of such a mask clear only what is not finite: an adjoint may be
zero by accident, and its derivative something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from .elementwise import ufunc_rule
from .masks import PYTHON
from .table import op


def _infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
    x, live = (v.type for v in inputs)
    if not isinstance(x, ArrayType) or not isinstance(live, ArrayType):
        return x
    return ArrayType(x.dtype, dims.broadcast_shapes(x.shape, live.shape))


def chosen(mask: Expr, x: Expr) -> Expr:
    """``x`` where the mask is true, else zero."""
    zero = PYTHON[x.type.kind](0) if isinstance(x.type, ScalarType) else 0
    return f.where(mask, x, zero)  # type: ignore[no-any-return]


op(
    "counted", "x live", _infer, "np.where(live, x, 0)", emit_scalar="x if live else 0.0",
    vjp={"x": lambda g, live: f.dropped(g, live)},
    jvp={"x": lambda t, live: f.dropped(t, live)},
    traits="elementwise marker selects",
    doc="x, which is zero, or should be, where it does not count.",
)  # fmt: skip


op(
    "level_off", "x level", ufunc_rule(np.multiply), "np.where(level, 0, x)",
    emit_scalar="0.0 if level else x",
    vjp={"x": lambda g, level: chosen(f.logical_not(level), g)},
    jvp={"x": lambda t, level: f.level_off(t, level)},
    traits="elementwise",
    doc="A tangent x, 0 where a function is level: a zero like others, infinite slopes times "
    "which are nan.",
)  # fmt: skip


def _zeroed(name: str, doc: str) -> None:
    """What is finite or counts; ``dropped`` and ``omitted`` differ in this only, that what is
    dropped is an adjoint, under the mask from there on."""
    op(
        name, "x live", _infer, "np.where(live | np.isfinite(x), x, 0)",
        emit_scalar="x if live or math.isfinite(x) else 0.0",
        vjp={"x": lambda g, live: f.dropped(g, live)},
        jvp={"x": lambda t, live: getattr(f, name)(t, live)},
        traits="elementwise marker selects", doc=doc,
    )  # fmt: skip


_zeroed("dropped", "An adjoint x, zero where it is not finite and does not count.")
_zeroed("omitted", "A factor x, zero where it is not finite and meets nothing that counts.")


def _finite_or_live(x: Expr, live: Expr) -> Expr:
    return chosen(f.logical_or(live, f.isfinite(x)), x)


WRITTEN: dict[str, Callable[..., Expr]] = {
    "counted": lambda x, live: chosen(live, x),
    "dropped": _finite_or_live,
    "omitted": _finite_or_live,
}
"""What the ops stand for, in plain ops without derivatives."""

__all__ = ["WRITTEN", "chosen"]
