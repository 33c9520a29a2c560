"""Calls looked into: what the parameters of the code are, and structures of arrays."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.tree import Node
from ...ir.values import Function
from ..compiled import CompiledFunction
from ..trees import map_structure


def called(
    compiled: CompiledFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Function, list[Any], list[Any]]:
    """The IR for a call, a value for each of its parameters, and those of the first argument."""
    dispatcher = compiled._dispatch()
    args, kwargs = dispatcher.origin.shape.bind(args, kwargs, compiled._title())
    found, captured = dispatcher.find(args, kwargs)
    function = found.program.final
    signature = inspect.signature(found.program.call)
    bound = signature.bind(*args, **kwargs, **captured).arguments
    values: dict[Any, Any] = {}
    for argument in function.arguments:
        if argument.name in bound:
            values.update(_parts(argument.tree, bound[argument.name]))
        elif argument.has_default:
            values.update(_parts(argument.tree, argument.default))
    first = [leaf for leaf, _ in _parts(function.arguments[0].tree, args[0])]
    return function, [values[p] for p in function.params], first


def _parts(tree: Any, x: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves of an argument's structure, with what is in their places."""
    if not isinstance(tree, Node):
        yield tree, x
        return
    for position, child in enumerate(tree.children):
        how, key = tree.access(position)
        yield from _parts(child, x[key] if how == "item" else getattr(x, key))


def kind_of(x: Any) -> Any:
    """What of a parameter the code and the pattern depend on."""
    if isinstance(x, np.ndarray | np.generic):
        return (x.shape, x.dtype)
    return x if isinstance(x, bool | int) else type(x)


def leaves_of(tree: Any) -> Iterator[Any]:
    """The numbers and arrays in a structure."""
    found: list[Any] = []
    map_structure(lambda x: found.append(x) if _is_number(x) else None, tree)
    yield from found


def _is_number(x: Any) -> bool:
    return isinstance(
        x, np.ndarray | np.generic | float | int | complex
    ) and not isinstance(x, bool)


def filled(tree: Any, values: Iterator[Any]) -> Any:
    """A structure like ``tree`` with other leaves."""
    return map_structure(lambda x: next(values) if _is_number(x) else x, tree)


def like_arguments(chosen: Sequence[Any], single: bool, matrices: Sequence[Any]) -> Any:
    """A structure like the chosen arguments with a matrix for each of their arrays."""
    values = iter(matrices)
    trees = tuple(filled(tree, values) for tree in chosen)
    return trees[0] if single else trees
