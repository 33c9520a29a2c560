"""What patterns of ``match`` ask of their subject, as functions of the compiler's."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..values import DictObject, Native, new_dict

if TYPE_CHECKING:
    from ..machine import Machine

_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is for the object itself."""


def _kind(m: Machine, x: Any) -> type:
    from ..builtin_calls import class_of
    from ..names.static import opened

    return class_of(m, opened(m, x))


def _is_sequence(m: Machine, node: ast.AST, x: Any) -> bool:
    kind = _kind(m, x)
    return issubclass(kind, Sequence) and not issubclass(kind, str | bytes | bytearray)


def _is_mapping(m: Machine, node: ast.AST, x: Any) -> bool:
    return issubclass(_kind(m, x), Mapping)


def _positional(
    m: Machine, node: ast.AST, x: Any, cls: Any, position: Any, given: Any
) -> Any:
    """The attribute that a positional pattern of a class stands for."""
    from ..attributes import get_attribute
    from ..names.static import plain

    known = plain(m, cls)
    if known in _ITSELF and "__match_args__" not in vars(known):
        names: Any = (None,)
    else:
        names = getattr(known, "__match_args__", ())
    if given > len(names):
        raise TypeError(
            f"{known.__name__}() accepts {len(names)} positional sub-pattern"
            f"{'' if len(names) == 1 else 's'} ({given} given)"
        )
    name = names[position]
    return x if name is None else get_attribute(m, node, x, name)


def _without(m: Machine, node: ast.AST, x: Any, *keys: Any) -> Any:
    """A new dict without some keys."""
    from ..names.static import opened, plain

    found = opened(m, x)
    items = found.items if isinstance(found, DictObject) else dict(plain(m, found))
    gone = [plain(m, k) for k in keys]
    return new_dict({k: v for k, v in items.items() if k not in gone})


def _always(m: Machine, node: ast.AST, x: Any) -> bool:
    return True


IS_SEQUENCE = Native("is_sequence", _is_sequence)
IS_MAPPING = Native("is_mapping", _is_mapping)
POSITIONAL = Native("positional", _positional)
WITHOUT = Native("without", _without)
ALWAYS = Native("always", _always)
