"""Arrays of rank 0, told from NumPy's scalars by what makes them.

What a call is given, and what functions such as ``np.zeros`` and ``np.where`` make, are arrays
like those of other ranks; their content is a number. Of a few more functions that is not known:
a change in place of what they give is refused where another name could see it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import AliasError
from ...ir.expr import Expr, f
from ...ir.types import ArrayType
from ...ir.values import Op, Value
from ...ops import ATTRIBUTES, METHODS, SURFACE
from ..machine import Machine
from ..requests import Path
from ..values import Ref
from .storage import holders
from .writing import shape_of

_HANDING_ON: tuple[Any, ...] = (np.asarray, np.asanyarray, np.asarray_chkfinite)
"""Functions that may give the array that they are given."""
_MAKING: tuple[Any, ...] = (
    *(np.zeros, np.ones, np.empty, np.full, np.array, np.copy, *_HANDING_ON),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.where, np.tensordot),
)
"""Functions that give arrays, whatever they are given."""
_COPYING: tuple[Any, ...] = (np.ndarray.copy, np.ndarray.__copy__, np.ndarray.astype)
_VIEWING = frozenset(
    {
        *(SURFACE[f] for f in (np.reshape, np.squeeze, np.transpose, np.real, np.imag)),
        *(METHODS[name] for name in ("reshape", "transpose", "view")),
        *(ATTRIBUTES[name] for name in ("T", "real", "imag")),
    }
)
"""Surfaces that give views of arrays."""
_FILLED = {
    "zeros": 0,
    "zeros_like": 0,
    "empty": 0,
    "empty_like": 0,
    "ones": 1,
    "ones_like": 1,
}
_VIEWS = frozenset("reshape transpose squeeze broadcast_to real imag diagonal".split())
_FRESH = frozenset("array boxed copy astype where tensordot take_along_axis".split())


# ------------------------------------------------------------------------------- arrays
def made_array(
    m: Machine,
    surface: Callable[..., Any],
    target: Any,
    args: tuple[Any, ...],
    options: dict[str, Any],
    made: Any,
) -> Ref | None:
    """The array that a surface has made where its rank may be 0; None if it is a number, or
    of another rank."""
    given = args[0] if args and isinstance(args[0], Ref) else None
    if given is not None and surface in _VIEWING:
        return m.trace(made.value)
    if not isinstance(made, Expr) or not isinstance(made.type, ArrayType) or made.ndim:
        return None
    copies = options.get("copy", target not in _HANDING_ON)
    if given is not None and copies is not True and made.value is m.read(given):
        return given
    if target in _MAKING or (given is not None and target in _COPYING):
        return m.new_storage(_number(m, made.value))
    return None


def _number(m: Machine, value: Value) -> Value:
    """What an array that has just been made holds."""
    name, kind = value.op.kind.name if value.op is not None else "", value.type
    assert isinstance(kind, ArrayType)
    if name in _FILLED:
        return m.builder.const(kind.dtype.type(_FILLED[name]))
    if name == "full":
        [number] = value.op.inputs  # type: ignore[union-attr]
        return f.asarray(Expr(m.builder, number), dtype=kind.dtype).value  # type: ignore[no-any-return]
    return value


def returned(m: Machine, node: ast.AST, x: Ref) -> Path | None:
    """Where the caller's own array of rank 0 is among the arguments, if ``x`` is one whose
    content has changed: that has left its parameter.

    Raises:
        AliasError: it is a view of one.
    """
    content = x.storage.current
    inside = x.storage.origin in ("argument", "captured") and not shape_of(content)
    if not inside or content in m.paths:
        return None
    if x.path or x.storage not in m.places:
        raise AliasError(
            f"the array `{x.storage.name}` of rank 0 is changed and returned: of one that is "
            "captured, or a view of it, that is not modelled; return a copy",
            m.span(node),
        )
    return m.places[x.storage]


# ------------------------------------------------------------------------------- in doubt
def is_shared(m: Machine, x: Any) -> bool:
    """Whether a change of ``x`` in place may be seen under another name."""
    if isinstance(x, Ref):
        return not x.type.shape
    if not isinstance(x, Value) or not is_box(m, x):
        return False
    fresh = x.op is not None and x.op.kind.name in _FRESH and x not in m.boxes
    return not fresh or holders(m, x) > 1


def mark(m: Machine, x: Any) -> None:
    """Note that ``x`` may be an array of rank 0 which others hold."""
    if isinstance(x, Value):
        m.boxes.add(x)


def check_in_place(m: Machine, node: ast.AugAssign, x: Value, result: Any) -> None:
    """Refuse ``x op= value`` where NumPy would change an array that others may see, or
    would give it another type than ``result`` has."""
    if not is_box(m, x):
        return
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
        viewed = op.inputs[0]
        return bool(isinstance(viewed.type, ArrayType) and viewed.type.shape) or is_box(
            m, viewed
        )
    if op.kind.name in _FRESH:
        return True
    results = [v for block in op.regions for v in block.results]
    inits = op.inputs if op.regions else ()
    return any(is_box(m, v) for v in (*results, *inits))
