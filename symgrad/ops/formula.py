"""Derivative formulas: text in the names of inputs, ``out`` and ops, turned into rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.expr import f


class _Names(dict[str, Any]):
    """Names that are not variables are ops."""

    def __missing__(self, name: str) -> Any:
        return getattr(f, name)


def formula(text: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """A function of ``names`` (expressions) that builds the formula's IR.

    >>> rule = formula("1 - out**2", ("x", "out"))
    """
    code = compile(text.strip(), f"<formula {text}>", "eval")

    def rule(*values: Any) -> Any:
        return eval(code, {"__builtins__": {}}, _Names(zip(names, values, strict=True)))

    return rule
