"""Nested structures for users: ``symgrad.tree.map(lambda p, g: p - 0.1 * g, params, grads)``.

Tuples, lists, dicts, namedtuples, dataclasses and objects of classes that were registered are
nodes, None is a node without leaves, everything else is a leaf: as in the arguments of compiled
functions.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any

import optree

from ..errors import InputTypeError, TreeStructureError
from ..ir.nodes import attributes_of, register, revived

NAMESPACE = "symgrad"
Structure = optree.PyTreeSpec

_registered: set[type] = set()
_lock = threading.Lock()


def map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """``function`` applied to the leaves, those of ``rest`` as further arguments.

    Raises:
        TreeStructureError: a tree of ``rest`` has another structure.

    >>> tree.map(lambda x: 2 * x, {"w": 1.0, "b": [2.0, 3.0]})
    {'w': 2.0, 'b': [4.0, 6.0]}
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
    """The leaves; those of a dict in the order of its sorted keys.

    >>> tree.leaves({"w": 1.0, "b": [2.0, 3.0]})
    [2.0, 3.0, 1.0]
    """
    return flatten(tree)[0]


def structure(tree: Any) -> Structure:
    """What is left without the leaves.

    >>> tree.structure((1.0, [2.0])) == tree.structure((3.0, [4.0]))
    True
    """
    return flatten(tree)[1]


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves, and the structure to put them back into.

    >>> leaves, structure = tree.flatten({"w": 1.0, "b": [2.0, 3.0]})
    >>> leaves
    [2.0, 3.0, 1.0]
    >>> tree.unflatten(structure, [4.0, 5.0, 6.0])
    {'w': 6.0, 'b': [4.0, 5.0]}
    """
    _register(tree)
    found, spec = optree.tree_flatten(tree, namespace=NAMESPACE)
    return list(found), spec


def unflatten(structure: Structure, leaves: Any) -> Any:
    """The tree again, of these leaves.

    Raises:
        TreeStructureError: too few or too many leaves.

    >>> tree.unflatten(tree.structure((0, [0])), [1.0, 2.0])
    (1.0, [2.0])
    """
    listed = list(leaves)
    if len(listed) != structure.num_leaves:
        raise TreeStructureError(
            f"the structure has {structure.num_leaves} leaves, not {len(listed)}"
        )
    return optree.tree_unflatten(structure, listed)


def register_dataclass(
    cls: type, data_fields: Sequence[str] | None = None, meta_fields: Sequence[str] = ()
) -> type:
    """Say which fields of a dataclass are leaves, and which are settings that are known when
    compiling: for each value of those there is a specialisation. Also a decorator.

    Args:
        cls: a dataclass. Without this, all of its fields are parts of the tree.
        data_fields: fields with leaves; by default all that are not among ``meta_fields``.
        meta_fields: the others.

    Raises:
        InputTypeError: it is no dataclass, or has no such field, or a field is left out.
        ValueError: the class is registered already.

    Example:
        >>> import dataclasses
        >>> @dataclasses.dataclass
        ... class Layer:
        ...     weight: object
        ...     steps: int
        >>> _ = sg.tree.register_dataclass(Layer, meta_fields=["steps"])
        >>> sg.tree.leaves(Layer(np.ones(2), 3))
        [array([1., 1.])]
    """
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise InputTypeError(f"register_dataclass: {cls!r} is no dataclass")
    names = [f.name for f in dataclasses.fields(cls)]
    data = (
        [n for n in names if n not in meta_fields] if data_fields is None else data_fields
    )
    wrong = {*data, *meta_fields} ^ set(names)
    if wrong:
        raise InputTypeError(
            f"register_dataclass({cls.__name__}): {min(wrong)!r} is no field, or neither among "
            "data_fields nor meta_fields"
        )
    _claim(cls, *_by_attributes(cls, meta_fields))
    register(cls, meta_fields)
    return cls


def register_node(
    cls: type,
    flatten: Callable[[Any], tuple[Any, Any]] | None = None,
    unflatten: Callable[[Any, Any], Any] | None = None,
    *,
    static: Sequence[str] = (),
) -> type:
    """Make the objects of a class nodes of trees: arguments and results of compiled functions,
    whose gradients are objects of the class too. Also a decorator.

    Compiled code sees the attributes of an object, and makes one without calling ``__init__``.

    Args:
        cls: a class of yours.
        flatten: ``flatten(x)`` gives ``(children, rest)`` for the functions of ``sg.tree``; by
            default the children are the attributes that are not static.
        unflatten: ``unflatten(rest, children)`` makes an object of them again.
        static: attributes that are known when compiling, such as sizes and flags.

    Raises:
        InputTypeError: it is no class, or one of ``flatten`` and ``unflatten`` is missing.
        ValueError: the class is registered already.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> _ = tree.register_node(Pair)
    >>> sg.grad(lambda p: p.a * p.b)(Pair(2.0, 3.0)).a
    3.0
    """
    if not isinstance(cls, type):
        raise InputTypeError(f"register_node: {cls!r} is no class")
    if (flatten is None) != (unflatten is None):
        raise InputTypeError(
            "register_node: give both `flatten` and `unflatten`, or neither"
        )
    if flatten is None or unflatten is None:
        flatten, unflatten = _by_attributes(cls, static)
    _claim(cls, flatten, unflatten)
    register(cls, static)
    return cls


def _by_attributes(cls: type, static: Sequence[str]) -> tuple[Any, Any]:
    def flatten(x: Any) -> tuple[Any, Any]:
        names = attributes_of(x) or ()
        data = tuple(n for n in names if n not in static)
        rest = tuple((n, getattr(x, n)) for n in names if n in static)
        return [getattr(x, n) for n in data], (data, rest)

    def unflatten(kept: Any, children: Any) -> Any:
        data, rest = kept
        values = {**dict(zip(data, children, strict=True)), **dict(rest)}
        return revived(cls, tuple(values), tuple(values.values()))

    return flatten, unflatten


def _claim(cls: type, flatten: Any, unflatten: Any) -> None:
    with _lock:
        if cls in _registered:
            raise ValueError(f"`{cls.__name__}` is registered already")
        optree.register_pytree_node(cls, flatten, unflatten, namespace=NAMESPACE)
        _registered.add(cls)


def _register(tree: Any) -> None:
    """Make the dataclasses in ``tree`` known."""
    if isinstance(tree, dict):
        children: Any = tree.values()
    elif isinstance(tree, tuple | list):
        children = tree
    elif (names := attributes_of(tree)) is not None:
        children = [getattr(tree, name) for name in names]
        _register_class(type(tree))
    else:
        return
    for child in children:
        _register(child)


def _register_class(cls: type) -> None:
    with _lock:
        if cls in _registered:
            return
        flatten, unflatten = _by_attributes(cls, ())
        optree.register_pytree_node(cls, flatten, unflatten, namespace=NAMESPACE)
        _registered.add(cls)
