"""``out`` given by position, as NumPy's functions take it."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..arguments.misuse import parameters


def arguments(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with ``out``, and what follows it, by keyword, and without what chooses nothing."""
    kwargs = {k: v for k, v in kwargs.items() if not _chooses_nothing(f, k, v)}
    if isinstance(f, np.ufunc):
        if len(args) <= f.nin:
            return args, kwargs
        outs = args[f.nin :]
        return args[: f.nin], {**kwargs, "out": outs[0] if len(outs) == 1 else outs}
    names = _positional(f)
    if "out" not in names[: len(args)] or len(args) > len(names):
        return args, kwargs
    place = names.index("out")
    named = dict(zip(names[place:], args[place:], strict=False))
    return args[:place], {**kwargs, **named}


def _chooses_nothing(f: Any, name: str, value: Any) -> bool:
    """Whether an argument says what holds of every array here."""
    if not str(getattr(f, "__module__", "numpy")).startswith(("numpy", "None")):
        return False
    return (name, value) in (("device", "cpu"), ("device", None), ("like", None))


METHOD_ARGUMENTS = {
    "reduce": "array axis dtype out keepdims initial where",
    "accumulate": "array axis dtype out",
    "reduceat": "array indices axis dtype out",
}
"""Of ufuncs' methods, by position."""


def _positional(f: Any) -> list[str]:
    """The names of arguments that can be given by position; those of an array's method are
    the function's, which says them all."""
    if isinstance(getattr(f, "__self__", None), np.ufunc):
        return METHOD_ARGUMENTS.get(f.__name__, "").split()
    if getattr(f, "__objclass__", None) is np.ndarray:
        f = getattr(np, f.__name__, f)
    signature = parameters(f)
    if signature is None:
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [k for k, p in signature.parameters.items() if p.kind in kinds]
