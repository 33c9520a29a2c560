"""Abstract values in messages."""

from __future__ import annotations

from typing import Any

from ...ir.types import ArrayType, ListType, ObjectType, ScalarType
from ...ir.values import Value
from ..names.captures import Found
from ..names.static import NUMBERS
from ..values import (
    Closure,
    DictObject,
    Formatted,
    ListObject,
    Record,
    Ref,
    Rows,
    SetObject,
    Suspended,
    is_long,
)
from .awaited import RowsPattern


def describe(x: Any) -> str:
    """A value for messages."""
    if isinstance(x, Value | Ref):
        return describe_type(x.type)
    if is_long(x):
        return "a list of unknown length"
    if isinstance(x, ListObject):
        return f"a list of {len(x.items)}"
    if isinstance(x, DictObject):
        return "a dict"
    if isinstance(x, SetObject):
        return "a set"
    if isinstance(x, Record):
        shown = getattr(x.cls, "__symgrad_class__", x.cls)
        keys = " with keys that the data decides" if shown is dict else ""
        return f"a {shown.__name__}{keys}"
    if isinstance(x, Rows | RowsPattern):
        return "a list filled in a loop"
    if isinstance(x, Closure):
        return f"the function `{x.name}`"
    if isinstance(x, Formatted):
        return "a text with runtime values in it"
    if isinstance(x, Suspended):
        return f"the generator `{x.frame.name}`"
    if isinstance(x, Found):
        x = x.value
    name = type(x).__name__
    article = "an" if name[0] in "AEIOaeio" else "a"
    return repr(x) if isinstance(x, NUMBERS | str | None) else f"{article} {name.lower()}"


def describe_type(t: Any) -> str:
    """A type for messages."""
    if isinstance(t, ArrayType) and t.shape:
        return f"an array {t}"
    return (
        f"a {t}"
        if isinstance(t, ScalarType | ListType | ObjectType)
        else f"a {t.dtype} scalar"
    )


__all__ = ["describe", "describe_type"]
