"""Nested structures for users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import symgrad as sg
from symgrad.errors import TreeStructureError


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any


class Pair(NamedTuple):
    first: Any
    second: Any


TREE = {"z": [1.0, Layer(2.0, None)], "a": Pair(3.0, (4.0,))}


def test_map_keeps_structure_and_key_order() -> None:
    doubled = sg.tree.map(lambda x: 2 * x, TREE)
    assert doubled == {"z": [2.0, Layer(4.0, None)], "a": Pair(6.0, (8.0,))}
    assert list(doubled) == ["z", "a"]
    assert sg.tree.map(lambda x, y: x - y, TREE, TREE)["z"][1] == Layer(0.0, None)


def test_flatten_and_unflatten() -> None:
    leaves, structure = sg.tree.flatten(TREE)
    assert leaves == sg.tree.leaves(TREE) == [3.0, 4.0, 1.0, 2.0]
    assert sg.tree.unflatten(structure, leaves) == TREE
    assert structure == sg.tree.structure(sg.tree.map(lambda x: x + 1, TREE))
    with pytest.raises(TreeStructureError, match="has 4 leaves, not 3"):
        sg.tree.unflatten(structure, leaves[1:])


def test_trees_that_differ() -> None:
    with pytest.raises(TreeStructureError, match="tree 1 differs"):
        sg.tree.map(lambda x, y: x, TREE, {"z": 1.0})
    with pytest.raises(ValueError, match="mine"):
        sg.tree.map(lambda x: int("mine"), TREE)
