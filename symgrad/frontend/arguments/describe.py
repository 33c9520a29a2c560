"""What the arguments of a call are: structure, types and static values, without their data."""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import InputTypeError
from ...ir.dims import Dimension, symbol
from ...ir.nodes import attributes_of
from ...ir.nodes import is_static as is_static_part
from ...ir.tree import Node, Tree, static
from ...ir.types import ArrayType, ObjectType, Type, scalar_of
from ..memory.layouts import layout_key
from ..requests import ArgLeaf, Path
from .keys import (
    ARRAYS,
    GENERATORS,
    NUMBERS,
    is_namedtuple,
    is_static,
    key,
    leaf_key,
    overlapping,
)


@dataclass(frozen=True, slots=True)
class Described:
    """Argument trees of a call. ``overlaps`` lists pairs of arrays that may share memory."""

    args: tuple[Tree, ...]
    kwargs: dict[str, Tree]
    overlaps: tuple[tuple[Path, Path], ...] = ()


def describe(
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    signature: inspect.Signature | None = None,
    statics: frozenset[Path] = frozenset(),
    *,
    static_shapes: bool = False,
) -> Described:
    """The trees that ``lower`` takes, from the arguments of a call.

    Args:
        signature: gives positional arguments their names.
        statics: leaves at these paths are static, whatever they are.
        static_shapes: all lengths are known numbers; else lengths other than 1 are symbols.

    Raises:
        InputTypeError: naming an argument that is none of the supported things.
    """
    names = list(_positional_names(signature, len(args)))
    describer = _Describer(statics, static_shapes, {*names, *kwargs})
    arg_trees = tuple(
        describer.tree(value, name, name, ("arg", i), top=True)
        for i, (name, value) in enumerate(zip(names, args, strict=True))
    )
    kwarg_trees = {
        name: describer.tree(value, name, name, ("kwarg", name), top=True)
        for name, value in kwargs.items()
    }
    paths = [path for path, _ in describer.arrays]
    pairs = overlapping([array for _, array in describer.arrays])
    return Described(arg_trees, kwarg_trees, tuple((paths[i], paths[j]) for i, j in pairs))


def _positional_names(signature: inspect.Signature | None, count: int) -> Iterator[str]:
    rest = "x" if signature is None else "args"
    listed: list[str] = []
    for parameter in signature.parameters.values() if signature is not None else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind is not parameter.KEYWORD_ONLY and parameter.kind is not (
            parameter.VAR_KEYWORD
        ):
            listed.append(parameter.name)
    for i in range(count):
        if i < len(listed):
            yield listed[i]
        else:
            yield "x" if signature is None and count == 1 else f"{rest}_{i - len(listed)}"


def type_of(
    value: Any,
    name: str,
    *,
    static_shapes: bool = False,
    statics: frozenset[Path] = frozenset(),
) -> Type:
    """The type of an array or number; ``name`` names its lengths. Lengths are symbols, unless
    all are static or ``("length", name of the symbol)`` is among ``statics``.

    Raises:
        InputTypeError: it is neither.
    """
    if isinstance(value, np.generic) or type(value) in ARRAYS:
        if value.dtype.kind not in "biufc":
            raise InputTypeError(_refusal(value, name))
        return ArrayType(value.dtype, _dims(value.shape, name, static_shapes, statics))
    if type(value) in NUMBERS or type(value) is bool:
        return scalar_of(value)
    if isinstance(value, GENERATORS):
        return ObjectType(type(value).__name__)
    raise InputTypeError(_refusal(value, name))


def _dims(
    shape: tuple[int, ...], name: str, fixed: bool, statics: frozenset[Path]
) -> tuple[Dimension, ...]:
    if fixed:
        return shape
    return tuple(
        n
        if n == 1 or ("length", f"{name}_{axis}") in statics
        else symbol(f"{name}_{axis}", not_one=True)
        for axis, n in enumerate(shape)
    )


@dataclass(slots=True)
class _Describer:
    statics: frozenset[Path]
    static_shapes: bool
    taken: set[str]
    arrays: list[tuple[Path, np.ndarray[Any, Any]]] = field(default_factory=list)

    def tree(
        self, value: Any, name: str, text: str, path: Path, *, top: bool = False
    ) -> Tree:
        """``text`` is how the user would write this part, ``name`` what to call it."""
        if path in self.statics or is_static(value):
            return static(value)
        container, keys, children = _container(value, text)
        if container is None:
            unique = name if top else self._unique(name)
            try:
                kind = type_of(
                    value, unique, static_shapes=self.static_shapes, statics=self.statics
                )
            except InputTypeError:
                raise InputTypeError(_refusal(value, text)) from None
            if isinstance(value, np.ndarray):
                self.arrays.append((path, value))
            array = isinstance(value, np.ndarray)
            exact = self.static_shapes
            keyed = array and ("layout", path) in self.statics
            layout = layout_key(value, exact) if keyed else None
            return ArgLeaf(kind, unique, array and not value.ndim, layout)
        parts = []
        by_name = container in ("namedtuple", "dataclass", "object")
        for k, child in zip(keys, children, strict=True):
            inner = f"{text}.{k}" if by_name else f"{text}[{k!r}]"
            if by_name and is_static_part(value, k):
                parts.append(static(child))
                continue
            parts.append(self.tree(child, self._child_name(name, k), inner, (*path, k)))
        cls = type(value) if by_name else None
        stored = () if container in ("tuple", "list") else tuple(keys)
        return Node(container, tuple(parts), stored, cls)

    def _child_name(self, parent: str, k: Any) -> str:
        if isinstance(k, str) and k.isidentifier():
            plain = f"{k}_" if keyword.iskeyword(k) else k
            return plain if plain not in self.taken else f"{parent}_{k}"
        if isinstance(k, str):
            words = re.sub(r"\W+", "_", k).strip("_")
            if words.isidentifier() and words not in self.taken:
                return words
            return f"{parent}_{words or 'item'}"
        return f"{parent}_{k}" if isinstance(k, int) and k >= 0 else f"{parent}_item"

    def _unique(self, name: str) -> str:
        return unique(name, self.taken)


def unique(name: str, taken: set[str]) -> str:
    """``name``, numbered if need be, and from now on taken."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}_{n}"
    taken.add(candidate)
    return candidate


def _container(value: Any, text: str) -> tuple[Any, Iterable[Any], Iterable[Any]]:
    """Kind, keys and children of a container; kind None for anything else."""
    cls = type(value)
    if cls is tuple or cls is list:
        return cls.__name__, range(len(value)), value
    if cls is dict:
        for k in value:
            if not _is_plain_key(k):
                raise InputTypeError(
                    f"argument `{text}` has the dict key {k!r}; keys must be strings, numbers "
                    "or tuples of these"
                )
        return "dict", tuple(value), value.values()
    if is_namedtuple(cls):
        return "namedtuple", cls._fields, value
    names = attributes_of(value)
    if names is not None:
        kind = "dataclass" if dataclasses.is_dataclass(cls) else "object"
        return kind, names, [getattr(value, n) for n in names]
    return None, (), ()


def _is_plain_key(k: Any) -> bool:
    if type(k) is tuple:
        return all(map(_is_plain_key, k))
    return k is None or type(k) in (str, int, bool, float)


def _refusal(value: Any, text: str) -> str:
    cls = type(value)
    met = f"argument `{text}` is a {cls.__module__}.{cls.__qualname__}"
    if isinstance(value, np.ma.MaskedArray):
        return f"{met}; fill it first, or pass data and mask as two arrays"
    if isinstance(value, np.ndarray) and cls not in ARRAYS:
        return f"{met}, a subclass of ndarray; pass np.asarray({text})"
    if isinstance(value, np.ndarray | np.generic):
        advice = "convert it to numbers with astype(float)"
        if value.dtype.names is not None:
            advice = "pass its fields as separate arrays"
        return f"argument `{text}` has dtype {value.dtype}; {advice}"
    if cls.__module__.partition(".")[0] in ("pandas", "polars", "xarray"):
        return f"{met}; pass {text}.to_numpy()"
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return f"{met}; pass np.asarray({text})"
    if isinstance(value, int | float | complex):
        return f"{met}, a subclass of a number; convert it with float() or int()"
    if isinstance(value, dict | list | tuple):
        return f"{met}; pass a plain {_plain_base(value)}"
    if isinstance(value, set | frozenset):
        return f"{met}, which has no order; pass a list or a tuple"
    if isinstance(value, numbers.Number):
        return f"{met}; convert it with float()"
    if isinstance(value, Iterator | Sequence):
        return f"{met}; pass a list of its elements, or an array"
    return (
        f"{met}; arguments are arrays, numbers, lists, tuples, dicts, namedtuples and "
        "dataclasses of them, strings, None and functions. Make it a dataclass, or let the "
        "function close over it"
    )


def _plain_base(value: Any) -> str:
    return next(c.__name__ for c in (dict, list, tuple) if isinstance(value, c))


__all__ = ["Described", "describe", "key", "leaf_key", "type_of", "unique"]
