"""Orders of entries that follow an array's memory: ``order="A"`` and ``order="K"``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import CallError
from ..names.static import plain
from ..requests import NeedsSpecialisation
from ..values import Ref
from .lying import reasons, ref_lie
from .strides import Shape, contiguous

if TYPE_CHECKING:
    from ..machine import Machine

POSITIONS = {
    np.reshape: 2,
    np.ravel: 1,
    np.ndarray.reshape: None,
    np.ndarray.ravel: 1,
    np.ndarray.flatten: 1,
}
"""Functions that read entries in an order, and where they take it; None: by name alone."""


def settled(
    m: Machine, node: ast.AST, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with an order that follows memory as what it comes to, where that is known.

    Raises:
        NeedsSpecialisation: it hangs on how arguments lie in memory.
    """
    if not _is_reader(target):
        return args, kwargs
    position = POSITIONS[target]
    placed = position is not None and len(args) > position
    given = args[position] if placed else kwargs.get("order")  # type: ignore[index]
    if given is None or not args or plain(m, given) not in ("A", "K"):
        return args, kwargs
    x, whole = args[0], plain(m, given) == "A"
    if not whole and "reshape" in target.__name__:
        raise CallError("a reshape takes no order='K'; write 'A'", m.span(node))
    order = _of_axes(m, x, whole) if isinstance(x, Ref) and x.type.ndim > 1 else "C"
    if order is None:
        paths = reasons(m, m.read(x))
        if not paths:
            return args, kwargs
        raise NeedsSpecialisation(*paths)
    if isinstance(order, tuple):
        from ...ops import SURFACE
        from ..calls import call_op

        x, order = call_op(m, node, SURFACE[np.transpose], (x, order), {}), "C"
    if placed:
        return (x, *args[1:position], order, *args[position + 1 :]), kwargs  # type: ignore[operator]
    return (x, *args[1:]), {**kwargs, "order": order}


def _is_reader(target: Any) -> bool:
    try:
        return target in POSITIONS
    except TypeError:  # not hashable
        return False


def _of_axes(m: Machine, x: Ref, whole: bool) -> Any:
    """C or F, or the order of the axes from the outermost on; None if it is not known."""
    lie = ref_lie(m, x)
    shape: Shape = tuple(m.builder.dims.canonical(n) for n in x.type.shape)
    if whole:
        if lie.strides is None:
            return None
        ahead = contiguous(lie.strides, shape)
        back = contiguous(lie.strides[::-1], shape[::-1])
        if ahead or back is False:
            return "C"
        return "F" if back and ahead is False else None
    if lie.order is None:
        return None
    axes = tuple(axis for axis in lie.order if shape[axis] != 1)
    if axes == tuple(sorted(axes)):
        return "C"
    return "F" if axes == tuple(sorted(axes, reverse=True)) else lie.order


__all__ = ["settled"]
