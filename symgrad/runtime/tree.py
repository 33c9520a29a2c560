"""Nested structures for users: ``symgrad.tree.map(lambda p, g: p - 0.1 * g, params, grads)``.

Tuples, lists, dicts, namedtuples and dataclasses are nodes, None is a node without leaves,
everything else is a leaf: as in the arguments of compiled functions.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import optree

from ..errors import TreeStructureError

NAMESPACE = "symgrad"
Structure = optree.PyTreeSpec

_registered: set[type] = set()
_lock = threading.Lock()


def map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """``function`` applied to the leaves, those of ``rest`` as further arguments.

    Raises:
        TreeStructureError: a tree of ``rest`` has another structure.
    """
    for one in (tree, *rest):
        _register(one)
    try:
        return optree.tree_map(function, tree, *rest, namespace=NAMESPACE)
    except ValueError:
        _check(tree, rest)
        raise


def _check(tree: Any, rest: tuple[Any, ...]) -> None:
    expected = structure(tree)
    for number, other in enumerate(rest, 1):
        try:
            expected.flatten_up_to(other)
        except ValueError as error:
            raise TreeStructureError(
                f"tree {number} differs from the first: {error}"
            ) from None


def leaves(tree: Any) -> list[Any]:
    """The leaves; those of a dict in the order of its sorted keys."""
    return flatten(tree)[0]


def structure(tree: Any) -> Structure:
    """What is left without the leaves."""
    return flatten(tree)[1]


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves, and the structure to put them back into."""
    _register(tree)
    found, spec = optree.tree_flatten(tree, namespace=NAMESPACE)
    return list(found), spec


def unflatten(structure: Structure, leaves: Any) -> Any:
    """The tree again, of these leaves.

    Raises:
        TreeStructureError: too few or too many leaves.
    """
    listed = list(leaves)
    if len(listed) != structure.num_leaves:
        raise TreeStructureError(
            f"the structure has {structure.num_leaves} leaves, not {len(listed)}"
        )
    return optree.tree_unflatten(structure, listed)


def _register(tree: Any) -> None:
    """Make the dataclasses in ``tree`` known."""
    if isinstance(tree, dict):
        children: Any = tree.values()
    elif isinstance(tree, tuple | list):
        children = tree
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree)]
        children = [getattr(tree, name) for name in names]
        _register_class(type(tree), names)
    else:
        return
    for child in children:
        _register(child)


def _register_class(cls: type, names: list[str]) -> None:
    with _lock:
        if cls in _registered:
            return
        optree.register_pytree_node(
            cls,
            lambda x: ([getattr(x, name) for name in names], None, names),
            lambda _, children: _rebuilt(cls, names, children),
            namespace=NAMESPACE,
        )
        _registered.add(cls)


def _rebuilt(cls: type, names: list[str], children: Any) -> Any:
    made: Any = object.__new__(cls)
    for name, child in zip(names, children, strict=True):
        object.__setattr__(made, name, child)
    return made
