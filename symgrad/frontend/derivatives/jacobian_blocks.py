"""The blocks of a Jacobian: derivatives along basis vectors, all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...ir.builder import Builder
from ...ir.expr import Expr, f, lift
from ...ir.rewrite import copy_block, inline
from ...ir.types import ArrayType, ScalarType, is_complex
from ...ir.values import Block, Value
from ..machine import Machine
from .directional import Results, handed_out, put_in_place, wrapped
from .tracing import Traced


class JacobianBlocks:
    """The blocks of a Jacobian, from the function's block."""

    def __init__(
        self, m: Machine, traced: Traced[Results], holomorphic: bool = False
    ) -> None:
        self.m = m
        self.holomorphic = holomorphic
        self.traced = traced
        self.found = traced.outcome
        self.count = len(self.found.out.values)
        self.swept: tuple[list[Value], Value] | None = None
        self.alone = len(handed_out(traced)) == self.count
        self.once = self._only_once()

    def _only_once(self) -> bool:
        """Whether the function must not be inside of a forward pass: it draws, or has another
        effect and there are several passes."""
        traced = self.traced
        ops = list(Block((), tuple(traced.builder.ops), ()).walk())
        if any(op.kind.has("random") for op in ops):
            return True
        if self.alone and len(traced.params) == 1 and not complex_value(traced.params[0]):
            return False
        return any(op.kind.has("effect") for op in ops)

    def values(self) -> tuple[list[Value], Value]:
        """All results of the function, and what takes cotangents of its output back. It is
        done once, whatever the number of passes over it."""
        if self.swept is None:
            wrt = tuple(range(len(self.traced.params)))
            block = self.traced.block(handed_out(self.traced))
            *values, token = self.m.builder.vjp_(self.traced.values, wrt, self.count, block)
            self.swept = values, token
        return self.swept

    # -- forward --------------------------------------------------------------------------
    def by_columns(self) -> list[list[Value]]:
        """For each result a block for each input; one forward pass for each input."""
        columns = [self._column(k) for k in range(len(self.traced.values))]
        return [list(row) for row in zip(*columns, strict=True)] or [
            [] for _ in range(self.count)
        ]

    def push(self, k: int, b: Builder, t: Value) -> list[Value]:
        """The tangents of the results for the tangent ``t`` of input ``k``."""
        if self.once:
            return self._pushed(k, b, t)
        block = copied(b, self.traced.block(self.found.out.values))
        results = b.forward_(self.traced.values, [t], (k,), block)
        return list(results[self.count :])

    def _pushed(self, k: int, b: Builder, t: Value) -> list[Value]:
        """The same by the transpose of the way back, which does nothing again."""
        values, token = self.values()
        inner = b.sub()
        cotangents = [inner.param(v.type, "g") for v in values[: self.count]]
        back = inner.block(cotangents, [inner.pullback_(token, cotangents)[k]])
        zeros = [b.one("zeros_like", v) for v in values[: self.count]]
        *_, again = b.vjp_(zeros, tuple(range(self.count)), 1, back)
        return list(b.pullback_(again, [t]))

    def _column(self, k: int) -> list[Value]:
        x = self.traced.values[k]
        moved = self._each(x, partial(self.push, k))
        if complex_value(x) and not self.holomorphic:
            turned = self._each(x, partial(self.push, k), unit=1j)
            moved = [self._joined(re, im) for re, im in zip(moved, turned, strict=True)]
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
        values, _ = self.values()
        return [self._row(k, values[k]) for k in range(self.count)]

    def pull(self, k: int, b: Builder, g: Value) -> list[Value]:
        """The gradients of the inputs for the cotangent ``g`` of result ``k``."""
        values, token = self.values()
        outs = enumerate(values[: self.count])
        return list(b.pullback_(token, [g if i == k else b.undef(y.type) for i, y in outs]))

    def _row(self, k: int, y: Value) -> list[Value]:
        rows = self._each(y, partial(self.pull, k))
        if self.holomorphic:
            rows = [self.m.builder.one("conjugate", v) for v in rows]
        elif complex_value(y):
            turned = self._each(y, partial(self.pull, k), unit=1j)
            rows = [self._joined(re, im) for re, im in zip(rows, turned, strict=True)]
        if _rank(y) < 2:
            return rows
        b = self.m.builder
        shape = Expr(b, y).shape
        return [f.reshape(Expr(b, v), *shape, *Expr(b, v).shape[1:]).value for v in rows]

    # -- both -----------------------------------------------------------------------------
    def _joined(self, re: Value, im: Value) -> Value:
        """What there is for 1 and for ``1j`` as the two parts of one derivative."""
        b = self.m.builder
        return (Expr(b, re) + 1j * Expr(b, im)).value

    def _each(
        self,
        like: Value,
        make: Callable[[Builder, Value], list[Value]],
        unit: complex = 1,
    ) -> list[Value]:
        """What ``make`` gives for each basis vector, times ``unit``, of the space of
        ``like``."""
        b = self.m.builder
        if not _rank(like):
            return make(b, b.const(_number(like, unit)))
        x = Expr(b, like)
        size = lift(b, x.size)
        dtype = like.type.dtype  # type: ignore[union-attr]
        basis = Expr(b, b.op("eye", size, size, b.const(0), dtype=dtype))
        if x.ndim > 1:
            basis = f.reshape(basis, x.size, *x.shape)
        if unit != 1:
            basis = unit * basis
        return self.along(basis.value, like, make, unit)

    def along(
        self,
        basis: Value,
        like: Value,
        make: Callable[[Builder, Value], list[Value]],
        unit: complex = 0,
    ) -> list[Value]:
        """What ``make`` gives for each of a batch of vectors like ``like``: basis vectors times
        ``unit`` if that is not 0."""
        b = self.m.builder
        inner = b.sub()
        vector = inner.param(like.type, "basis")
        results = make(inner, vector)
        body = inner.block([vector], results)
        return list(b.vmap_([basis], (0,), body, (True,) * len(results), unit))

    def aux(self) -> Any:
        """The auxiliary results; what the function changes is put in place."""
        values = self._primal()
        put_in_place(self.m, self.traced, values)
        return wrapped(self.m, self.found.aux, values[self.count :])

    def _primal(self) -> list[Value]:
        """What the function hands out, if that is more than the output."""
        if self.alone:
            return []
        if self.once or self.swept is not None:
            return self.values()[0]
        block = copied(self.m.builder, self.traced.block(handed_out(self.traced)))
        return list(inline(self.m.builder, block, self.traced.values))


def copied(b: Builder, block: Block) -> Block:
    """The block again, with values of its own."""
    return copy_block(b, block, {}, lambda *_: None)


def complex_value(value: Value) -> bool:
    """Whether a value is complex."""
    return is_complex(value.type)


def _rank(value: Value) -> int:
    assert isinstance(value.type, ArrayType | ScalarType)
    return value.type.ndim


def _number(like: Value, number: complex) -> Any:
    """A number in the type of ``like``."""
    made = like.type.dtype.type(number)  # type: ignore[union-attr]
    return made.item() if isinstance(like.type, ScalarType) else made
