"""Where a surface needs to know a value when compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, NeedsStatic


def known(x: Any) -> Any:
    """``x`` with every expression whose value is known when compiling replaced by it."""
    if isinstance(x, tuple | list):
        return type(x)(known(item) for item in x)
    if not isinstance(x, Expr):
        return x
    if x.value.is_constant:
        return x.value.constant
    if x.value.dim is not None:
        length = x.builder.dims.canonical(x.value.dim)
        if isinstance(length, int):
            return length
    return x


def need_static(x: Any) -> Any:
    """``x``, with all expressions in it replaced by their values.

    Raises:
        NeedsStatic: the first expression whose value is not known when compiling.
    """
    x = known(x)
    if isinstance(x, tuple | list):
        return type(x)(need_static(item) for item in x)
    if isinstance(x, Expr):
        raise NeedsStatic(x.value)
    return x


def shown(x: Any) -> str:
    """``x`` for messages: what it is, where that is no number or text."""
    if isinstance(x, Expr):
        return str(x.type)
    if x is None or isinstance(x, bool | int | float | complex | str | np.generic):
        return repr(x)
    cls = getattr(x, "cls", type(x))  # of an object that is taken apart when compiling
    return f"a {cls.__name__}"


__all__ = ["NeedsStatic", "known", "need_static", "shown"]
