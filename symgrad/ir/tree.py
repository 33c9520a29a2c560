"""Nested structures of arguments and results, as the emitter has to write them down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .nodes import revived

NodeKind = Literal[
    "tuple", "list", "dict", "namedtuple", "dataclass", "object",
    "static", "each", "maybe", "either", "argument",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """A container. ``keys`` are dict keys or field names; ``cls`` the class to build, and for
    ``static`` (no children) ``value`` is the object itself. ``each`` is a list with an element
    for each of those of the lists that are its children: ``value`` is the structure of one, with
    the numbers of the lists as its leaves. ``maybe`` is its second child where the first, a truth,
    holds, else None, ``either`` its second child where that holds, else the third. ``argument``
    (no children) is the caller's own object: ``value`` is the path to it. A node that stands in
    several places is one object.
    """

    kind: NodeKind
    children: tuple[Tree, ...] = ()
    keys: tuple[Any, ...] = ()
    cls: Any = None
    value: Any = None

    def access(self, position: int) -> tuple[str, Any]:
        """How child ``position`` is reached: ``("item", key)`` or ``("attr", name)``."""
        if self.kind in ("tuple", "list"):
            return ("item", position)
        if self.kind == "dict":
            return ("item", self.keys[position])
        return ("attr", self.keys[position])


Tree = Any
"""A ``Node``, or a leaf: anything else."""


def leaves(tree: Tree) -> Iterator[Any]:
    """The leaves, in order; static nodes have none."""
    if isinstance(tree, Node):
        for child in tree.children:
            yield from leaves(child)
    else:
        yield tree


def map_leaves(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """The same structure with ``function`` applied to each leaf."""
    if not isinstance(tree, Node):
        return function(tree)
    children = tuple(map_leaves(function, child) for child in tree.children)
    return Node(tree.kind, children, tree.keys, tree.cls, tree.value)


def shared(tree: Tree) -> list[Node]:
    """The nodes that stand in several places, those inside of others first."""
    found: dict[int, Node] = {}
    met: set[int] = set()

    def visit(node: Tree) -> None:
        if not isinstance(node, Node) or not (node.children or node.kind in MUTABLE):
            return
        if id(node) in met:
            if node.kind in MUTABLE:
                found.setdefault(id(node), node)
            return
        met.add(id(node))
        for child in node.children:
            visit(child)

    visit(tree)
    return sorted(found.values(), key=_depth)


MUTABLE = frozenset({"list", "dict", "dataclass", "object", "each"})


def _depth(tree: Tree) -> int:
    return 1 + max(map(_depth, tree.children), default=0) if isinstance(tree, Node) else 0


def filled(tree: Tree, values: Sequence[Any]) -> Any:
    """The object that ``tree`` describes, with the values at the positions that its leaves
    are."""
    if not isinstance(tree, Node):
        return values[tree]
    if tree.kind == "static":
        return tree.value
    children = [filled(child, values) for child in tree.children]
    if tree.kind == "tuple":
        return tuple(children)
    if tree.kind == "maybe":
        return children[1] if children[0] else None
    if tree.kind == "either":
        return children[1] if children[0] else children[2]
    if tree.kind == "each":
        return [filled(tree.value, row) for row in zip(*children, strict=True)]
    if tree.kind == "list":
        return children
    if tree.kind == "dict":
        return dict(zip(tree.keys, children, strict=True))
    if tree.kind == "namedtuple":
        return tree.cls(*children)
    return revived(tree.cls, tree.keys, children)


def static(value: Any) -> Node:
    """A leafless node that stands for ``value``."""
    return Node("static", value=value)
