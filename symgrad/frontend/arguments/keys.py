"""The specialisation key of a call: what compiled code depends on, as one hashable value."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...ir.nodes import attributes_of
from ...ir.nodes import is_static as is_static_part
from ..requests import Path

ARRAYS = (np.ndarray, np.memmap)
NUMBERS = (int, float, complex)
GENERATORS = (np.random.Generator, np.random.RandomState)

_STATIC_TYPES = (
    bool,
    str,
    bytes,
    type(None),
    type(Ellipsis),
    type,
    range,
    slice,
    np.dtype,
    np.ufunc,
    enum.Enum,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    type(np.sum),  # functions that dispatch on __array_function__
    partial,
)
_MARKS = ("__symgrad_request__", "__symgrad_custom__", "__symgrad_static__")
"""Attributes by which objects say that they are known when compiling: functions with a
transform or a rule, and objects whose attributes are looked at, such as modules."""


def key(
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    statics: frozenset[Path] = frozenset(),
    *,
    static_shapes: bool = False,
) -> tuple[Any, ...]:
    """The cache key of a call: structure, dtypes, ranks, which lengths are 1, static values,
    kinds of scalars, and which arrays share memory. Calls with equal keys have equal trees.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    parts = [_key(a, arrays) for a in args]
    if kwargs:
        parts += [(name, _key(a, arrays)) for name, a in kwargs.items()]
    if static_shapes:
        parts.append(tuple(a.shape for a in arrays))
    if statics:
        parts += [_static_at(args, kwargs, p) for p in sorted(statics, key=repr)]
    if len(arrays) > 1:
        parts.append(overlapping(arrays))
    return tuple(parts)


def leaf_key(value: Any) -> Any:
    """The part of the key that one array or number makes."""
    return _key(value, [])


def _key(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    cls = type(value)
    if cls is np.ndarray or cls is np.memmap:
        arrays.append(value)
        shape = value.shape
        return (value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape))
    if cls is float or cls is int or cls is complex:
        return cls
    if cls is tuple or cls is list:
        return (cls, *[_key(v, arrays) for v in value])
    if cls is dict:
        return (cls, *[(type(k), k, _key(v, arrays)) for k, v in value.items()])
    if isinstance(value, np.generic):
        return (value.dtype, cls)  # not the dtype alone: np.dtype(float) == float
    if is_static(value):
        return static_key(value)
    if is_namedtuple(cls):
        return (cls, *[_key(v, arrays) for v in value])
    names = attributes_of(value)
    if names is not None:
        return (cls, names, *[_part_key(value, n, arrays) for n in names])
    return cls


def _part_key(value: Any, name: str, arrays: list[np.ndarray[Any, Any]]) -> Any:
    part = getattr(value, name)
    return static_key(part) if is_static_part(value, name) else _key(part, arrays)


def static_key(value: Any) -> Any:
    """A hashable that is equal for values that behave alike when compiled in."""
    cls = type(value)
    if cls is float or cls is complex or isinstance(value, np.generic):
        return (cls, repr(value))  # tells -0.0 from 0.0, and nan is equal to itself
    if isinstance(value, np.ndarray):
        return (cls, value.dtype, value.shape, value.tobytes())
    if cls is slice:
        return (cls, *map(static_key, (value.start, value.stop, value.step)))
    if cls is tuple or cls is list:
        return (cls, *map(static_key, value))
    if cls is dict:
        return (cls, *[(static_key(k), static_key(v)) for k, v in value.items()])
    return (cls, value)


def is_static(value: Any) -> bool:
    """Whether an argument is known when compiling by its nature: text, flags, functions."""
    return isinstance(value, _STATIC_TYPES) or any(hasattr(value, m) for m in _MARKS)


def is_namedtuple(cls: type) -> bool:
    """Whether ``cls`` was made by ``namedtuple`` or ``NamedTuple``."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")


def _static_at(args: tuple[Any, ...], kwargs: Mapping[str, Any], path: Path) -> Any:
    try:
        return static_key(value_at(args, kwargs, path))
    except (LookupError, AttributeError, TypeError):
        return None


def value_at(args: tuple[Any, ...], kwargs: Mapping[str, Any], path: Path) -> Any:
    """The part of the arguments that ``path`` leads to.

    Raises:
        LookupError, AttributeError, TypeError: there is none.
    """
    if path[0] not in ("arg", "kwarg"):
        raise LookupError(path)
    found: Any = args[path[1]] if path[0] == "arg" else kwargs[path[1]]
    for step in path[2:]:
        by_item = type(found) in (tuple, list, dict)
        found = found[step] if by_item else getattr(found, step)
    return found


def arrays_in(value: Any, path: Path) -> Iterator[tuple[Path, np.ndarray[Any, Any]]]:
    """The arrays in an argument, each with the path that leads to it."""
    cls = type(value)
    children: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, np.ndarray):
        yield path, value
    elif cls is tuple or cls is list:
        children = enumerate(value)
    elif cls is dict:
        children = value.items()
    elif is_namedtuple(cls):
        children = zip(cls._fields, value, strict=True)
    elif (names := attributes_of(value)) is not None:
        children = ((name, getattr(value, name)) for name in names)
    for key, child in children:
        yield from arrays_in(child, (*path, key))


def overlapping(arrays: Sequence[np.ndarray[Any, Any]]) -> tuple[tuple[int, int], ...]:
    """Positions of pairs that may share memory, without looking at every pair."""
    owners: dict[int, list[int]] = {}
    foreign: list[int] = []
    for position, array in enumerate(arrays):
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        if base.base is None:
            owners.setdefault(id(base), []).append(position)
        else:
            foreign.append(position)  # memory of something else: a file, a buffer
    if not foreign and len(owners) == len(arrays):
        return ()
    found = []
    for group in (*owners.values(), foreign):
        for n, j in enumerate(group):
            found += [
                (i, j) for i in group[:n] if np.may_share_memory(arrays[i], arrays[j])
            ]
    return tuple(sorted(found))


__all__ = [
    "ARRAYS",
    "GENERATORS",
    "NUMBERS",
    "arrays_in",
    "is_namedtuple",
    "is_static",
    "key",
    "leaf_key",
    "overlapping",
    "static_key",
    "value_at",
]
