"""``range`` with bounds that are known at run time only: what is asked of it besides its rounds."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...ops.written import ranges as ranging
from ..lists.written import call
from ..machine import Machine
from ..values import Range


def length(m: Machine, node: ast.AST, x: Range) -> Any:
    """``len(x)``."""
    return _asked(m, node, ranging.length, x)


def get(m: Machine, node: ast.AST, x: Range, key: Any) -> Any:
    """``x[key]``: a number, or a range for a slice."""
    if isinstance(key, slice):
        return made(*_asked(m, node, ranging.part, x, key))
    return _asked(m, node, ranging.item, x, key)


def contains(m: Machine, node: ast.AST, x: range | Range, item: Any) -> Any:
    """``item in x``."""
    return _asked(m, node, ranging.contains, x, item)


def made(start: Any, stop: Any, step: Any) -> range | Range:
    """A range: Python's own where its bounds are known."""
    if all(isinstance(x, int) for x in (start, stop, step)):
        return range(start, stop, step)
    return Range(start, stop, step)


def _asked(
    m: Machine, node: ast.AST, function: Callable[..., Any], x: range | Range, *args: Any
) -> Any:
    return call(m, node, function, x.start, x.stop, x.step, *args)
