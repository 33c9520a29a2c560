"""Whether what a surface builds moves with its arguments: found out by building it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.types import ArrayType, is_inexact
from ..ir.values import Value
from .table import TABLE


def moves(surface: Callable[..., Any]) -> bool | None:
    """Whether a real result of the surface has a derivative by a real argument; None where no
    arguments that are tried fit it."""
    fits = False
    for number in range(len(_arguments(Builder(TABLE)))):
        builder = Builder(TABLE)
        try:
            result = surface(builder, *_arguments(builder)[number])
        except Exception:  # whatever says that these arguments do not fit
            continue
        fits = True
        if any(_depends(e.value) for e in _leaves(result)):
            return True
    return False if fits else None


def _arguments(b: Builder) -> list[tuple[Any, ...]]:
    """Arguments of all sorts: matrices, vectors, numbers, positions, shapes, lists."""

    def array(*shape: int, dtype: type = float) -> Expr:
        return Expr(b, b.param(ArrayType(np.dtype(dtype), shape), "x", entry=True))

    m, n, v, w, s, i = (
        array(3, 3),
        array(3, 3),
        array(3),
        array(3),
        array(),
        array(3, dtype=int),
    )
    return [
        (m,), (v,), (s,), (i,), (3,), ((3,),), ([m, n],), (m.shape,), (m, n), (v, w), (m, v),
        (m, 1), (v, 1), (m, i), (v, i), (3, s), ((3,), s), (m, (3, 3)), (3, 3), (m, 0),
        (m, (1, 0)), (m, float), (array(3, 3, 3), 3), (3, np.tril), ((i, i), (3, 3)),
        (v, v, w), (m > 0, m, n), (m, 0, 1), (v, i, w), (m, 1, 0), (m, (0,), (1,)),
        ("ij,jk", m, n), (m > 0, 3, m), (v, w, 1), ([m > 0], [m]),
    ]  # fmt: skip


def _leaves(x: Any) -> Iterator[Expr]:
    if isinstance(x, Expr):
        yield x
    elif isinstance(x, tuple | list):
        for item in x:
            yield from _leaves(item)


def _depends(result: Value) -> bool:
    """Whether there is a way from a parameter to ``result`` by derivatives of the table."""
    seen, todo = set(), [result]
    while todo:
        value = todo.pop()
        if value in seen or not is_inexact(value.type):
            continue
        seen.add(value)
        if value.op is None:
            return True
        kind = value.op.kind
        names = [name.removeprefix("*") for name in kind.inputs]
        for position, read in enumerate(value.op.inputs):
            if names[min(position, len(names) - 1)] in kind.vjp:
                todo.append(read)
    return False
