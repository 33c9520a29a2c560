"""Nested structures for users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
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


def test_objects_in_trees_from_outside_are_differentiated() -> None:
    """As those in arguments are: a leaf left out would be wrong without a word."""

    def loss(p: Any) -> Any:
        return p["z"][0] * p["z"][1].w ** 2 + p["a"].first * p["a"].second[0] ** 3

    wanted = sg.grad(loss)(TREE)
    assert wanted["z"][1] == Layer(4.0, None)
    assert sg.compile(lambda x: sg.grad(loss)(TREE))(1.0) == wanted
    assert sg.compile(lambda x: sg.grad(lambda layer: layer.w**2 * x)(LAYER))(3.0) == Layer(
        12.0, None
    )
    _, tangent = sg.compile(lambda x: sg.jvp(loss, (TREE,), (TREE,)))(1.0)
    assert tangent == sg.jvp(loss, (TREE,), (TREE,))[1]
    rows = Layer(np.arange(3.0), np.ones(3))
    each = sg.compile(lambda x: sg.vmap(lambda layer: layer.w * x + layer.b)(rows))(2.0)
    assert each.tolist() == [1.0, 3.0, 5.0]


LAYER = Layer(2.0, None)
