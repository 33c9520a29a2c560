"""Ops that say something to the passes and are gone before code is written."""

from __future__ import annotations

from typing import Any

from ..ir.types import Type
from ..ir.values import Value
from .table import linear, nondiff, op


def _same(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return inputs[0].type


def _same_named(dims: Any, inputs: tuple[Value, ...], name: str, kept: bool) -> Type:
    return inputs[0].type


nondiff(
    "stop_gradient",
    "x",
    _same,
    "x",
    traits="view cheap marker",
    put=lambda base, new: new,
    doc="The same value, a constant to every derivative.",
)

linear(
    "named",
    "x",
    _same_named,
    "x",
    attrs={"name": "", "kept": False},
    transpose={"x": lambda g: g},
    traits="view cheap marker",
    put=lambda base, new, name, kept: new,
    doc="The same value, under a name for the policies of `checkpoint`; or one that is kept.",
)

op(
    "replacing",
    "x old",
    _same,
    "x",
    vjp={"old": lambda g: g},
    jvp={"old": lambda t: t},
    traits="elementwise cheap marker",
    doc="x, which has taken the place of `old`: a derivative by that is one by x.",
)
