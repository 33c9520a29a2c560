"""Compiled functions as methods: one for each instance, kept with the instance."""

from __future__ import annotations

from types import MethodType
from typing import Any

from .compiled import CompiledFunction

SLOT = "__symgrad_methods__"


class Methods(dict[int, CompiledFunction]):
    """The compiled methods of one instance; copies and pickles of it start without."""

    def __reduce__(self) -> Any:
        return (Methods, ())

    def __deepcopy__(self, memo: Any) -> Methods:
        return Methods()


def bound_method(compiled: CompiledFunction, instance: Any) -> CompiledFunction:
    """``compiled`` bound to ``instance``, whose attributes it reads at each call."""
    fields = getattr(instance, "__dict__", None)
    kept = fields.get(SLOT) if isinstance(fields, dict) else None
    made = kept.get(id(compiled)) if kept is not None else None
    if made is None or made.__self__ is not instance:
        inner = compiled._fun
        nested = isinstance(inner, CompiledFunction)
        fun = inner.__get__(instance) if nested else MethodType(inner, instance)
        made = CompiledFunction(compiled._kind, fun, compiled._options)
        made.__self__ = instance
        if isinstance(fields, dict):
            kept = fields[SLOT] = fields[SLOT] if kept is not None else Methods()
            kept[id(compiled)] = made
    return made
