"""Lowered functions compared with Python's own running of them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from symgrad.frontend import (
    SHAPES,
    Described,
    NeedsSpecialisation,
    Request,
    describe,
    lower,
)
from symgrad.ir.evaluate import evaluate
from symgrad.ir.tree import Node, leaves
from symgrad.ir.values import Function
from symgrad.ir.verify import verify


def lowered(f: Any, *args: Any, **kwargs: Any) -> tuple[Any, Described]:
    """The IR of ``f`` for these arguments, specialised as far as it asks for."""
    import inspect

    statics: frozenset[Any] = frozenset()
    for _ in range(10):
        whole = {"static_shapes": SHAPES in statics}
        described = describe(args, kwargs, inspect.signature(f), statics, **whole)
        try:
            request = Request("compile", f)
            found = lower(request, described.args, described.kwargs, statics, **whole)
        except NeedsSpecialisation as needed:
            statics |= set(needed.paths)
            continue
        verify(found.function)
        return found, described
    raise AssertionError("specialisation does not end")


def run(f: Any, *args: Any, **kwargs: Any) -> Any:
    """What the IR gives; arguments are changed as it says."""
    found, _ = lowered(f, *args, **kwargs)
    function: Function = found.function
    values = []
    given = [*args, *kwargs.values()]
    for argument, value in zip(function.arguments, given, strict=False):
        values += _leaves(argument.tree, value)
    values += [capture.fetch() for capture in found.captures]
    results = evaluate(function, values)
    for position, result in function.mutates:
        values[position][...] = results[result]
    return _rebuilt(function.returns, results)


def _leaves(tree: Any, value: Any) -> list[Any]:
    if not isinstance(tree, Node):
        return [value]
    found = []
    for i, child in enumerate(tree.children):
        how, key = tree.access(i)
        found += _leaves(child, value[key] if how == "item" else getattr(value, key))
    return found


def _rebuilt(tree: Any, results: Any) -> Any:
    if not isinstance(tree, Node):
        return results[tree]
    children = [_rebuilt(c, results) for c in tree.children]
    if tree.kind == "static":
        return tree.value
    if tree.kind == "maybe":
        return children[1] if children[0] else None
    if tree.kind == "dict":
        return dict(zip(tree.keys, children, strict=True))
    if tree.kind == "namedtuple":
        return tree.cls._make(children)
    if tree.kind == "dataclass":
        return tree.cls(**dict(zip(tree.keys, children, strict=True)))
    return tuple(children) if tree.kind == "tuple" else children


def same(found: Any, expected: Any, *, types: bool = True) -> None:
    """Bit for bit, with dtypes and structure."""
    if isinstance(expected, tuple | list):
        assert type(found) is type(expected) and len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b, types=types)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            same(found[key], expected[key], types=types)
    elif dataclasses.is_dataclass(expected):
        assert type(found) is type(expected)
        same(vars(found), vars(expected), types=types)
    else:
        if types:
            assert type(found) is type(expected), (found, expected)
        if isinstance(expected, np.ndarray):
            assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)


def check(f: Any, *args: Any, types: bool = True, **kwargs: Any) -> None:
    """The IR gives what Python gives, and changes the arguments as Python does."""
    theirs = copy.deepcopy((args, kwargs))
    expected = f(*theirs[0], **theirs[1])
    mine = copy.deepcopy((args, kwargs))
    same(run(f, *mine[0], **mine[1]), expected, types=types)
    same(mine, theirs, types=types)


__all__ = ["check", "leaves", "lowered", "run", "same"]
