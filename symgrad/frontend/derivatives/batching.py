"""``vmap`` met while lowering: the function becomes a block for one example, the batch an op
that is expanded later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputTypeError, ShapeError, TreeStructureError
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..arguments.leaftypes import as_value, name_of, result_text
from ..arguments.selection import Selected, positional_parameters, with_objects
from ..machine import Machine
from ..names.static import opened
from ..parts import Parts, check_known, rebuild, take_apart
from ..requests import Request
from ..values import DictObject, ListObject, Record, Ref
from .gradients import LOWERED
from .tracing import Input, trace

Axis = int | None


def lower_vmap(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The function for each example.

    Raises:
        InputTypeError, ShapeError, TreeStructureError: axes that do not fit the arguments.
    """
    name = name_of(request.fun)
    batch = _Batch(m, request, name)
    inputs = [
        batch.input(c, axes) for c, axes in _with_axes(m, request, name, args, kwargs)
    ]
    batch.check_any()
    given = _replaced(args, kwargs, inputs)
    out_axes = request.option("out_axes", 0)

    def finish(result: Any) -> tuple[Parts, list[Axis]]:
        parts = take_apart(m, result)
        check_known("vmap", name, parts)
        if parts.opaque is not None:
            raise InputTypeError(
                f"the result of `{name}` holds {parts.opaque}; under `vmap` a function returns "
                "arrays, numbers and containers of them"
            )
        parts.values = [as_value(m, leaf) for leaf in parts.leaves]
        return parts, list(_prefix(m, out_axes, result, "out_axes", "the result"))

    traced = trace(
        m, node, request.fun, *given, inputs, finish, types=batch.types, doing="batched"
    )
    parts, axes = traced.outcome
    block = traced.block(parts.values)
    positions = tuple(range(len(traced.params)))
    out = tuple(axis is not None for axis in axes)
    results = m.builder.vmap_(traced.values, positions, block, out)
    leaves = [
        m.wrap(v if axis is None else _moved_back(m, v, axis, name))
        for v, axis in zip(results, axes, strict=True)
    ]
    return rebuild(m, parts, leaves)


LOWERED["vmap"] = lower_vmap


# ----------------------------------------------------------------------------- arguments
def _with_axes(
    m: Machine, request: Request, name: str, args: list[Any], kwargs: dict[str, Any]
) -> Iterator[tuple[Selected, Any]]:
    """The arguments and their axes; those passed by keyword have 0, numbers that may have been
    left to their defaults none, nor numbers passed by keyword."""
    in_axes = request.option("in_axes", 0)
    parameters = positional_parameters(m, request.fun)
    names = [*(p.name for p in parameters), *[""] * len(args)]
    alike = {
        i
        for i, (p, x) in enumerate(zip(parameters, args, strict=False))
        if p.has_default and not _has_arrays(m, x)
    }
    if isinstance(in_axes, tuple | list):
        rest = range(len(in_axes), len(args))
        in_axes = [*in_axes, *[None] * (len(rest) if alike.issuperset(rest) else 0)]
    if isinstance(in_axes, list) and len(in_axes) != len(args):
        plural = "" if len(args) == 1 else "s"
        raise TreeStructureError(
            f"in_axes has {len(in_axes)} entries, but `{name}` is called with {len(args)} "
            f"positional argument{plural}"
        )
    for i, x in enumerate(args):
        axes = in_axes[i] if isinstance(in_axes, list) else None if i in alike else in_axes
        mapped = x if axes is None else with_objects(m, x)
        yield Selected(i, names[i], mapped), axes
    for key, x in kwargs.items():
        yield Selected(key, key, x), 0 if _has_arrays(m, x) else None


def _has_arrays(m: Machine, x: Any) -> bool:
    return any(isinstance(v, Ref) for v in take_apart(m, x).leaves)


@dataclass(slots=True)
class _Batch:
    """The examples: how many there are, and who says so."""

    m: Machine
    request: Request
    name: str
    types: list[Type]
    length: Any = None
    said_by: str = ""

    def __init__(self, m: Machine, request: Request, name: str) -> None:
        self.m, self.request, self.name = m, request, name
        self.types = []
        self.length, self.said_by = None, ""

    def input(self, chosen: Selected, axes: Any) -> Input:
        """An argument with the batch axes of its arrays in front."""
        parts = take_apart(self.m, chosen.value)
        listed = list(_prefix(self.m, axes, chosen.value, "in_axes", chosen.text))
        leaves = []
        for leaf, place, axis in zip(parts.leaves, parts.places, listed, strict=True):
            text = chosen.text + place
            leaves.append(leaf if axis is None else self.moved(leaf, axis, text))
        value = rebuild(self.m, parts, leaves)
        active = tuple(axis is not None for axis in listed)
        return Input(
            Selected(chosen.key, chosen.name, value), take_apart(self.m, value), active
        )

    def moved(self, leaf: Any, axis: int, text: str) -> Any:
        """An array with its batch axis in front."""
        if not isinstance(leaf, Ref) or not leaf.type.ndim:
            raise InputTypeError(
                f"{text} is {result_text(leaf)}, which has no axis {axis} to batch over; pass "
                "an array, or say None for it in in_axes"
            )
        rank = leaf.type.ndim
        place = axis + rank if axis < 0 else axis
        if not 0 <= place < rank:
            raise ShapeError(f"{text} is {leaf.type}, which has no axis {axis} (in_axes)")
        shape = leaf.type.shape
        self.agree(shape[place], text)
        self.types.append(ArrayType(leaf.type.dtype, (*shape[:place], *shape[place + 1 :])))
        if place == 0:
            return leaf
        order = (place, *(i for i in range(rank) if i != place))
        whole = self.m.builder.op("transpose", self.m.read(leaf), axes=order)
        whole.name = leaf.storage.name
        return self.m.new_storage(whole, "fresh", leaf.storage.name)

    def agree(self, length: Any, text: str) -> None:
        """All arrays have as many examples."""
        if self.length is None:
            self.length, self.said_by = length, text
            return
        try:
            self.m.builder.dims.unify(self.length, length)
        except ShapeError:
            raise ShapeError(
                f"`vmap` of `{self.name}`: {self.said_by} has {self.length} examples, "
                f"{text} has {length}"
            ) from None

    def check_any(self) -> None:
        """Something has to be batched."""
        if self.length is None:
            raise InputTypeError(
                f"`vmap` of `{self.name}` has nothing to batch over: in_axes says None for every "
                "argument"
            )


def _replaced(
    args: Sequence[Any], kwargs: dict[str, Any], inputs: Sequence[Input]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments, their batch axes in front."""
    put = {i.chosen.key: i.chosen.value for i in inputs}
    return [put.get(i, x) for i, x in enumerate(args)], {k: put[k] for k in kwargs}


# ---------------------------------------------------------------------------------- axes
def _prefix(m: Machine, axes: Any, tree: Any, what: str, where: str) -> Iterator[Axis]:
    """An axis for each leaf of ``tree``: ``axes`` has the structure of its upper part.

    Raises:
        TreeStructureError: it has not.
    """
    tree = opened(m, tree)
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        yield from [axes] * len(take_apart(m, tree).leaves)
        return
    children = _children(tree)
    if isinstance(axes, dict):
        given = dict(axes)
    elif isinstance(axes, tuple | list):
        given = dict(enumerate(axes))
    else:
        raise TreeStructureError(
            f"{what} has {axes!r}; integers, None, and tuples, lists and dicts of them can be"
        )
    if children is None or children.keys() != given.keys():
        raise TreeStructureError(
            f"{what} is {axes!r} for {where}, which is {result_text(tree)}; it needs the same "
            "structure, or one integer or None for all of it"
        )
    for key, child in children.items():
        yield from _prefix(m, given[key], child, what, f"{where}[{key!r}]")


def _children(tree: Any) -> dict[Any, Any] | None:
    if isinstance(tree, tuple):
        return dict(enumerate(tree))
    if isinstance(tree, ListObject):
        return dict(enumerate(tree.items))
    if isinstance(tree, DictObject):
        return dict(tree.items)
    return dict(tree.data) if isinstance(tree, Record) else None


def _moved_back(m: Machine, value: Value, axis: int, name: str) -> Value:
    """A result with its batch axis where out_axes says."""
    rank = value.type.ndim  # type: ignore[union-attr]
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise ShapeError(
            f"out_axes says {axis}, but with the batch axis the result of `{name}` is {value.type}"
        )
    if place == 0:
        return value
    order = list(range(1, rank))
    order.insert(place, 0)
    return m.builder.one("transpose", value, axes=tuple(order))
