"""Values, operations, blocks and functions: typed SSA with structured control flow.

All of it is made through ``Builder`` and left alone afterwards; passes build anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..source import Span
from .dims import Dimension
from .opdef import OpDef
from .tree import Tree
from .types import Type


class Value:
    """One SSA value. ``name`` is a wish for the printed name; ``dim`` is the length that an
    integer value is known to be."""

    __slots__ = ("dim", "name", "op", "type")

    def __init__(
        self, type: Type, name: str = "", op: Op | None = None, dim: Dimension | None = None
    ) -> None:
        self.type = type
        self.name = name
        self.op = op
        self.dim = dim

    def __repr__(self) -> str:
        return f"<{self.name or 'value'}: {self.type}>"

    @property
    def is_constant(self) -> bool:
        return self.op is not None and self.op.kind.name == "const"

    @property
    def constant(self) -> Any:
        """The Python value of a ``const``."""
        assert self.op is not None
        return self.op.attrs["value"]


class Op:
    """One operation: kind, inputs, static attributes, regions, results.

    ``role`` says which derivative the op belongs to: ``""`` for the primal, else a heading
    such as ``"backward"`` that the emitter prints above the group.
    """

    __slots__ = ("attrs", "inputs", "kind", "regions", "results", "role", "span")

    def __init__(
        self,
        kind: OpDef,
        inputs: tuple[Value, ...],
        attrs: Mapping[str, Any],
        regions: tuple[Block, ...] = (),
        span: Span | None = None,
        role: str = "",
    ) -> None:
        self.kind = kind
        self.inputs = inputs
        self.attrs = attrs
        self.regions = regions
        self.results: tuple[Value, ...] = ()
        self.span = span
        self.role = role

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def result(self) -> Value:
        [value] = self.results
        return value

    def __repr__(self) -> str:
        return f"<{self.kind.name} op>"


class Block:
    """Parameters, operations in order, results. A nested block may read outer values."""

    __slots__ = ("ops", "params", "results")

    def __init__(
        self, params: tuple[Value, ...], ops: tuple[Op, ...], results: tuple[Value, ...]
    ) -> None:
        self.params = params
        self.ops = ops
        self.results = results

    def walk(self) -> Iterator[Op]:
        """Every op, those in regions too, outer before inner."""
        for op in self.ops:
            yield op
            for region in op.regions:
                yield from region.walk()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the emitted function. ``tree`` has the block's parameters as leaves;
    ``capture`` says where the caller finds it when it is no argument of the user's."""

    name: str
    tree: Tree
    kind: str = "positional_or_keyword"
    default: Any = None
    has_default: bool = False
    capture: Any = None


@dataclass(frozen=True, slots=True)
class Function:
    """A compiled function's IR.

    ``returns`` is the result's structure; its leaves are positions in ``block.results``.
    ``mutates`` lists ``(parameter position, result position)``: arrays of the caller that
    have that result as their content after the call. ``not_one`` lists lengths assumed not to
    be 1, ``equal`` pairs of lengths that operations need to be equal; the caller must check
    them, since the operations themselves may be gone (a gradient need not compute the value).
    """

    name: str
    block: Block
    arguments: tuple[Argument, ...]
    returns: Tree
    mutates: tuple[tuple[int, int], ...] = ()
    not_one: tuple[Dimension, ...] = ()
    equal: tuple[tuple[Dimension, Dimension], ...] = ()
    doc: str = ""
    origin: Span | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def params(self) -> tuple[Value, ...]:
        return self.block.params
