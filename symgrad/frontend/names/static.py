"""Static objects: taking captured ones apart, and running code on them when compiling."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..machine import Machine
from ..values import (
    CAPTURED,
    DictObject,
    ListObject,
    Maybe,
    Partial,
    Record,
    SetObject,
    any_runtime,
    new_dict,
    new_list,
)
from .captures import Found, is_container
from .held import Choice

NUMBERS = bool | int | float | complex | np.generic


_IS_NONE = "this is None, where a value is needed"


def unwrap(m: Machine, x: Any) -> Any:
    """What a captured object is to the interpreter: itself if nothing in it can vary."""
    if not isinstance(x, Found):
        return x
    if m.overlay and id(x.value) in m.overlay:
        return m.overlay[id(x.value)]
    x = m.captures.read(x)
    if not isinstance(x, Found):
        return x
    value = x.value
    if is_container(value) or isinstance(value, functools.partial | types.MethodType):
        return x
    if isinstance(value, _PLAIN) or callable(value) and not hasattr(value, "__dict__"):
        return value
    return x if x.place is not None else value


_PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type(Ellipsis),
    range,
    slice,
    np.dtype,
    np.generic,
    np.ufunc,
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    type(np.sum),
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)


def certain(m: Machine, x: Any, error: str = "TypeError", text: str = _IS_NONE) -> Any:
    """What may be None, where it must not be: the running code raises ``error`` if it is."""
    if not isinstance(x, Maybe):
        return x
    m.builder.op("require", x.present, error=error, args=(text,))
    return x.value


def opened(m: Machine, x: Any) -> Any:
    """A captured list, tuple or dict as a container of abstract values; what may be None as what
    it is else, one of some types as that."""
    x = certain(m, x)
    if isinstance(x, Choice) and all(isinstance(option, type) for option in x.options):
        from ..control.settling import one_of

        return one_of(m, x)
    if isinstance(x, Record) and hasattr(x.cls, "__symgrad_items__"):
        return x.data[x.cls.__symgrad_items__]
    if isinstance(x, Found):
        x = m.captures.inner(x)
    if not isinstance(x, Found) or not is_container(x.value):
        return x
    if id(x.value) in m.opened:
        return m.opened[id(x.value)][1]
    if id(x.value) in m.grown:
        raise UnsupportedSyntaxError(
            "a list from outside is appended to and then read: it would have to be compiled at "
            "each call. Read it outside of the function, or keep what is read in an attribute "
            "of its own",
            m.builder.span,
        )
    made: Any
    if isinstance(x.value, dict):
        entries = m.captures.entries(x)
        made = new_dict({k: unwrap(m, v) for k, v in entries.items()}, CAPTURED)
    else:
        items = [unwrap(m, item) for item in m.captures.items(x)]
        if isinstance(x.value, list):
            made = new_list(items, CAPTURED)
        elif type(x.value) is tuple:
            made = tuple(items)
        else:
            made = type(x.value)._make(items)
    if isinstance(made, ListObject | DictObject):
        made.birth = 0
    m.opened[id(x.value)] = (x.value, made, x)
    return made


def pinned(m: Machine, x: Any) -> Any:
    """A static object itself, guarded as a whole."""
    return m.captures.pin(x) if isinstance(x, Found) else x


def is_static(x: Any) -> bool:
    """Whether ``x`` is known when compiling, with all that is in it."""
    return not any_runtime(x)


def plain(m: Machine, x: Any) -> Any:
    """``x`` as an ordinary Python object, lists and dicts included; None in a one-tuple's
    place is never returned: raises ``LookupError`` where ``x`` is not static."""
    x = opened(m, x)
    if isinstance(x, ListObject):
        return [plain(m, item) for item in x.items]
    if isinstance(x, DictObject):
        return {k: plain(m, item) for k, item in x.items.items()}
    if isinstance(x, SetObject):
        return set(x.items)
    if isinstance(x, tuple):
        items = [plain(m, item) for item in x]
        return tuple(items) if type(x) is tuple else type(x)._make(items)  # type: ignore[attr-defined]
    if isinstance(x, Partial):
        named = {k: plain(m, v) for k, v in x.kwargs.items()}
        return functools.partial(
            plain(m, x.function), *(plain(m, a) for a in x.args), **named
        )
    if isinstance(x, Value):
        known = m.wrap(x)
        if isinstance(known, Value):
            raise LookupError
        return known
    if any_runtime(x):
        raise LookupError
    return pinned(m, x)


def same_static(a: Any, b: Any) -> bool:
    """Whether two static objects cannot be told apart."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, float | complex):
        return repr(a) == repr(b)
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    if isinstance(a, bool | int | str | bytes | range | np.dtype):
        return bool(a == b)
    if isinstance(a, Found):
        return a.value is b.value and a.place == b.place
    if isinstance(a, slice):
        return all(
            same_static(p, q)
            for p, q in ((a.start, b.start), (a.stop, b.stop), (a.step, b.step))
        )
    return False
