"""``jacrev``, ``jacfwd`` and ``hessian`` met while lowering: one pass forward or backward for a
batch of basis vectors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors import InputTypeError, NonScalarOutputError
from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.rewrite import inline
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Block, Value
from .derivatives import LOWERED, aux_parts, split_aux
from .leaftypes import as_value, check_inputs, is_real, name_of, result_text, type_of
from .machine import Machine
from .parts import Parts, rebuild, take_apart
from .requests import Request
from .selection import select
from .tracing import Input, Traced, trace


@dataclass(frozen=True, slots=True)
class Results:
    """What a function gave: its output and auxiliary results, as block results."""

    out: Parts
    aux: Parts


def lower_jacobian(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The Jacobian: for each leaf of the result a structure like the chosen arguments.

    Raises:
        ArgnumsError, InputTypeError, AuxError: as for ``grad``.
        NonScalarOutputError: results that are no real numbers.
    """
    has_aux = request.option("has_aux", False)
    inputs, single, traced = differentiated(m, node, request, args, kwargs)
    made = JacobianBlocks(m, traced)
    blocks = made.by_rows() if request.kind == "jacrev" else made.by_columns()
    trees = [like_inputs(m, inputs, single, row) for row in blocks]
    jacobian = rebuild(m, traced.outcome.out, trees)
    return (jacobian, made.aux()) if has_aux else jacobian


def like_inputs(
    m: Machine, inputs: Sequence[Input], single: bool, values: Sequence[Value]
) -> Any:
    """A structure like the chosen arguments, with these values as its leaves."""
    entries = iter(values)
    trees = tuple(
        rebuild(m, i.parts, [m.wrap(next(entries)) for _ in i.parts.leaves]) for i in inputs
    )
    return trees[0] if single else trees


def differentiated(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Input], bool, Traced[Results]]:
    """The function's call in a block of its own: the arguments to differentiate by, whether it
    is one rather than a tuple, and the block with the results."""
    name, has_aux = name_of(request.fun), request.option("has_aux", False)
    chosen, single = select(m, request, args, kwargs)
    inputs = []
    for c in chosen:
        parts = take_apart(m, c.value)
        check_inputs(c, parts, allow_int=False)
        inputs.append(Input(c, parts, (True,) * len(parts.leaves)))

    def finish(given: Any) -> Results:
        aux: Any = ()
        if has_aux:
            given, aux = split_aux(name, given)
        out = take_apart(m, given)
        _check_real(request.kind, name, given, out)
        out.values = [as_value(m, leaf) for leaf in out.leaves]
        return Results(out, aux_parts(m, name, aux))

    return inputs, single, trace(m, node, request.fun, args, kwargs, inputs, finish)


def lower_hessian(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Forward mode over reverse mode."""
    inner = Request("jacrev", request.fun, request.options)
    outer = Request("jacfwd", inner, request.options)
    return lower_jacobian(m, node, outer, args, kwargs)


LOWERED.update(jacrev=lower_jacobian, jacfwd=lower_jacobian, hessian=lower_hessian)


def _check_real(kind: str, name: str, given: Any, out: Parts) -> None:
    if out.opaque is not None:
        raise InputTypeError(
            f"the result of `{name}` holds {out.opaque}; return arrays, numbers and containers "
            "of them"
        )
    if not out.leaves and not out.is_container:
        raise NonScalarOutputError(
            f"`{kind}` needs arrays or numbers, `{name}` returned {result_text(given)}"
        )
    for leaf, place in zip(out.leaves, out.places, strict=True):
        if not is_real(type_of(leaf)):
            raise NonScalarOutputError(
                f"`{kind}` needs real results, `{name}` returned {result_text(leaf)}"
                f"{f' at {place}' if place else ''}; return floats, or leave it out with "
                "has_aux=True"
            )


class JacobianBlocks:
    """The blocks of a Jacobian, from the function's block."""

    def __init__(self, m: Machine, traced: Traced[Results]) -> None:
        self.m = m
        self.traced = traced
        self.found = traced.outcome
        self.count = len(self.found.out.values)
        self.block = traced.block([*self.found.out.values, *self.found.aux.values])

    # -- forward --------------------------------------------------------------------------
    def by_columns(self) -> list[list[Value]]:
        """For each result a block for each input; one forward pass for each input."""
        columns = [self._column(k) for k in range(len(self.traced.values))]
        return [list(row) for row in zip(*columns, strict=True)] or [
            [] for _ in range(self.count)
        ]

    def push(self, k: int, b: Builder, t: Value) -> list[Value]:
        """The tangents of the results for the tangent ``t`` of input ``k``."""
        results = b.forward_(self.traced.values, [t], (k,), self._copy(b))
        total = len(self.block.results)
        return list(results[total : total + self.count])

    def _column(self, k: int) -> list[Value]:
        x = self.traced.values[k]
        moved = self._each(x, partial(self.push, k))
        rank = _rank(x)
        if not rank:
            return moved
        return [self._last(v, x) for v in moved]

    def _last(self, value: Value, x: Value) -> Value:
        """The basis axis of a tangent last, and as the axes of ``x``."""
        rank = _rank(value)
        out = Expr(self.m.builder, value)
        if rank > 1:
            out = f.transpose(out, axes=(*range(1, rank), 0))
        if _rank(x) == 1:
            return out.value
        lengths = [*out.shape[:-1], *Expr(self.m.builder, x).shape]
        return f.reshape(out, *lengths).value  # type: ignore[no-any-return]

    # -- reverse --------------------------------------------------------------------------
    def by_rows(self) -> list[list[Value]]:
        """For each result a block for each input; one reverse pass for each result."""
        values = inline(self.m.builder, self._copy(self.m.builder), self.traced.values)
        return [self._row(k, values[k]) for k in range(self.count)]

    def pull(self, k: int, b: Builder, g: Value) -> list[Value]:
        """The gradients of the inputs for the cotangent ``g`` of result ``k``."""
        inner = b.sub()
        args = [inner.param(v.type, v.name) for v in self.traced.params]
        out = inline(inner, self._copy(inner), args)[k]
        weighted = Expr(inner, out) * Expr(inner, g)
        value = f.sum(weighted) if weighted.ndim else weighted
        wrt = tuple(range(len(args)))
        body = inner.block(args, [value.value])
        return list(b.reverse_(self.traced.values, wrt, body)[1:])

    def _row(self, k: int, y: Value) -> list[Value]:
        rows = self._each(y, partial(self.pull, k))
        if _rank(y) < 2:
            return rows
        b = self.m.builder
        shape = Expr(b, y).shape
        return [f.reshape(Expr(b, v), *shape, *Expr(b, v).shape[1:]).value for v in rows]

    # -- both -----------------------------------------------------------------------------
    def _each(
        self, like: Value, make: Callable[[Builder, Value], list[Value]]
    ) -> list[Value]:
        """What ``make`` gives for each basis vector of the space of ``like``."""
        b = self.m.builder
        if not _rank(like):
            return make(b, b.const(_one(like)))
        x = Expr(b, like)
        size = lift(b, x.size)
        dtype = like.type.dtype  # type: ignore[union-attr]
        basis = Expr(b, b.op("eye", size, size, b.const(0), dtype=dtype))
        if x.ndim > 1:
            basis = f.reshape(basis, x.size, *x.shape)
        return self.along(basis.value, like, make)

    def along(
        self, basis: Value, like: Value, make: Callable[[Builder, Value], list[Value]]
    ) -> list[Value]:
        """What ``make`` gives for each of a batch of vectors like ``like``."""
        b = self.m.builder
        inner = b.sub()
        vector = inner.param(like.type, "basis")
        results = make(inner, vector)
        body = inner.block([vector], results)
        return list(b.vmap_([basis], (0,), body, (True,) * len(results)))

    def _copy(self, b: Builder) -> Block:
        """The function's block again, with values of its own."""
        inner = b.sub()
        params = [inner.param(p.type, p.name) for p in self.block.params]
        return inner.block(params, inline(inner, self.block, params))

    def aux(self) -> Any:
        """The auxiliary results."""
        found = self.found.aux
        values = inline(self.m.builder, self._copy(self.m.builder), self.traced.values)
        rest = values[self.count : self.count + len(found.leaves)]
        return rebuild(self.m, found, [self.m.wrap(v) for v in rest])


def _rank(value: Value) -> int:
    assert isinstance(value.type, ArrayType | ScalarType)
    return value.type.ndim


def _one(like: Value) -> Any:
    """1 in the type of a number."""
    one = like.type.dtype.type(1)  # type: ignore[union-attr]
    return one.item() if isinstance(like.type, ScalarType) else one
