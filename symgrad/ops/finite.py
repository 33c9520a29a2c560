"""What can be told about a value's sign and finiteness when compiling.

Used by masks: ``where(mask, h, 0)`` may be written as ``h * mask``, which NumPy computes
several times faster, only where ``h`` is finite in every entry that the mask clears.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..ir.expr import Expr
from ..ir.types import ArrayType, ListType, ScalarType, is_inexact
from ..ir.values import Op, Value

BUDGET = 120
UNKNOWN, NONNEGATIVE, POSITIVE = 0, 1, 2


def finite(
    x: Expr,
    *,
    chosen: bool = False,
    beyond: Collection[Value] | None = None,
    clean: Collection[Value] = (),
    read: bool = False,
) -> bool:
    """Whether an entry can be infinite or nan only if much else is, too.

    An array of the caller's counts as finite once it has been mixed (summed, multiplied as a
    matrix): a nan in it would be everywhere. Entry by entry it may hold nan on purpose.

    Args:
        chosen: whether the program's author chose the mask that is to be put on ``x``, as in
            ``where(mask, x, y)``: then nothing that is read entry by entry is trusted. Where
            ``maximum`` made the mask, a nan would be in the result.
        beyond: adjoints that ``x`` was made of, if it was made of values that the mask is put
            on as well: mixing these along some axes may leave a nan in what the mask clears.
        clean: adjoints that ``x`` was made of and that are zero in what the mask clears; made of
            values that the mask is put on as well, as for ``beyond``.
        read: whether to trust what was not computed here, also entry by entry.
    """
    strict = beyond is not None or bool(clean)
    walk = _Walk(x.type, chosen, x.builder.mixed, strict)
    walk.beyond, walk.read = beyond or (), read
    walk.known.update({(v, mixed): True for v in clean for mixed in (False, True)})
    return walk.finite(x.value, False)


def finite_operand(x: Expr, like: Expr, *, chosen: bool) -> bool:
    """Whether a factor of a sum of products of the shape of ``like``, some of whose entries a
    mask clears, can be infinite or nan only if much else is."""
    walk = _Walk(like.type, chosen, x.builder.mixed, True)
    return walk.finite(x.value, not chosen)


class _Walk:
    """One question's budget and memory. ``mixed`` are values that have been found to be finite
    once they are mixed, whatever the question."""

    def __init__(self, like: Any, chosen: bool, mixed: set[Value], strict: bool) -> None:
        self.like = like
        self.chosen = chosen
        self.mixed = mixed
        self.strict = chosen and strict
        self.beyond: Collection[Value] = ()
        self.read = False
        self.left = BUDGET
        self.known: dict[tuple[Value, bool], bool] = {}

    def finite(self, value: Value, mixed: bool) -> bool:
        if not is_inexact(value.type):
            return True
        if mixed and value in self.mixed:
            return True
        if value in self.beyond:
            return _Walk(self.like, self.chosen, self.mixed, False).finite(value, mixed)
        key = (value, mixed)
        if key not in self.known:
            self.left -= 1
            self.known[key] = self.left > 0 and self._finite(value, mixed)
            if mixed and self.known[key]:
                self.mixed.add(value)
        return self.known[key]

    def _finite(self, value: Value, mixed: bool) -> bool:
        op = value.op
        if op is None or op.regions or not op.inputs:
            if value.is_constant:
                return bool(np.all(np.isfinite(value.constant)))
            return mixed or self.read or self._spread(value)
        if not mixed and self._doubtful(value, op):
            return False
        shown = self.read and op.kind.has(
            "singular"
        )  # nan, if not finite: the result is, too
        undefined = op.kind.has("may_be_nonfinite") and not shown
        if undefined and not _defined(op, counts=not self.chosen):
            return False
        same = any(map(op.kind.has, _ENTRY_BY_ENTRY)) or (
            self.strict and rank_of(value) > 0
        )
        return all(self.finite(v, mixed or not same) for v in op.inputs)

    def _doubtful(self, value: Value, op: Op) -> bool:
        """Whether single entries may be out of range, or be what the mask is there for."""
        if isinstance(value.type, ListType) or value.type.dtype == np.float16:  # type: ignore[union-attr]
            return True
        if op.kind.has("may_overflow") and not _at_most_zero(op.inputs[0]):
            return True
        if _high_power(op):
            return True
        return self.chosen and not op.role and not self._spread(value)

    def _spread(self, value: Value) -> bool:
        """Whether one entry of ``value`` reaches several of the result."""
        t = value.type
        if not isinstance(t, ArrayType) or not isinstance(self.like, ArrayType):
            return True
        if self.strict:
            return t.ndim == 0 < self.like.ndim
        if self.chosen and t.ndim == self.like.ndim:
            return False
        return t.ndim < self.like.ndim or any(d == 1 for d in t.shape)


def is_mixed(value: Value, budget: int = 8) -> bool:
    """Whether entries of ``value`` are made of many entries of others."""
    op = value.op
    if op is None or not budget or not op.inputs:
        return False
    if not op.regions and any(map(op.kind.has, _ENTRY_BY_ENTRY)):
        return any(is_mixed(v, budget - 1) for v in op.inputs)
    return not op.regions and is_inexact(value.type)


def rank_of(value: Value) -> int:
    """How many axes a value has."""
    return value.type.ndim if isinstance(value.type, ArrayType) else 0


_ENTRY_BY_ENTRY = ("elementwise", "moves", "joins", "view", "maybe_view")


def _high_power(op: Op) -> bool:
    if op.name != "power":
        return False
    exponent = op.inputs[1]
    return not (exponent.is_constant and np.all(np.abs(exponent.constant) <= 4))


def _at_most_zero(value: Value) -> bool:
    op = value.op
    return op is not None and op.name == "negative" and sign(op.inputs[0]) != UNKNOWN


def _defined(op: Op, *, counts: bool) -> bool:
    """Whether an op with trait ``may_be_nonfinite`` is safe with these inputs; with ``counts``
    a count is taken to be positive, as that of the entries that are the largest is but for nan."""
    if op.name == "power":
        base, exponent = op.inputs
        whole = exponent.is_constant and np.ndim(exponent.constant) == 0
        if whole and exponent.constant >= 0 and float(exponent.constant).is_integer():
            return True
        return sign(base) == POSITIVE
    return all(sign(v) == POSITIVE or counts and _is_count(v) for v in op.inputs[-1:])


def _is_count(value: Value) -> bool:
    """Whether ``value`` counts entries of an array of truth values."""
    op = value.op
    return op is not None and op.kind.has("linear") and not is_inexact(op.inputs[0].type)


def sign(value: Value, budget: int = 24) -> int:
    """``POSITIVE``, ``NONNEGATIVE`` or ``UNKNOWN``."""
    op = value.op
    t = value.type
    if op is None or budget <= 0 or not isinstance(t, ArrayType | ScalarType):
        return UNKNOWN
    if t.dtype.kind == "c":
        return UNKNOWN
    if value.is_constant:
        if not np.all(np.asarray(value.constant) >= 0):
            return UNKNOWN
        return POSITIVE if np.all(np.asarray(value.constant) > 0) else NONNEGATIVE
    kind = op.kind
    if kind.has("positive") or kind.name in ("shape", "size"):
        return POSITIVE
    if (
        kind.name == "power"
        and op.inputs[1].is_constant
        and op.inputs[1].constant in (2, 4)
    ):
        return NONNEGATIVE
    if _of_squares(op):
        return NONNEGATIVE
    if kind.has("nonnegative"):
        inner = sign(op.inputs[0], budget - 1) if kind.has("monotone") else NONNEGATIVE
        return max(inner, NONNEGATIVE)
    signs = [sign(v, budget // max(1, len(op.inputs)) - 1) for v in op.inputs]
    if kind.name == "add":
        return max(signs) if min(signs) else UNKNOWN
    if (kind.has("keeps_sign") or kind.has("moves")) and signs:
        return min(signs) if kind.has("elementwise") else signs[0]
    return UNKNOWN


def _of_squares(op: Op) -> bool:
    """Whether an op sums products of each entry with itself, as ``x * x`` and ``x @ x``, or is
    the real part of ``conjugate(z) * z``."""
    if op.name == "real":
        made = op.inputs[0].op
        return made is not None and made.name == "multiply" and _conjugates(*made.inputs)
    if len(op.inputs) != 2 or op.inputs[0] is not op.inputs[1]:
        return False
    if op.name == "multiply":
        return True
    if op.kind.letters is None:
        return False
    left, right, *_ = op.kind.letters(tuple(map(rank_of, op.inputs)), op.attrs)
    return bool(left == right)


def _conjugates(x: Value, y: Value) -> bool:
    return any(
        a.op is not None and a.op.name == "conjugate" and a.op.inputs[0] is b
        for a, b in ((x, y), (y, x))
    )


def may_be_infinite(value: Value, budget: int = 24) -> bool:
    """Whether entries may be infinite for moderate inputs: ``exp(x)`` and what grows with it."""
    op = value.op
    if op is None or op.regions or not is_inexact(value.type) or budget <= 0:
        return False
    if op.kind.has("may_overflow"):
        return not _at_most_zero(op.inputs[0])
    if not any(map(op.kind.has, _GROWING)) and op.name not in _GROWING:
        return False
    inputs = op.inputs[:1] if op.name == "divide" else op.inputs
    return any(may_be_infinite(v, budget // max(1, len(inputs)) - 1) for v in inputs)


_GROWING = (
    "additive",
    "scales",
    "moves",
    "linear",
    "power",
    "square",
    "sqrt",
    "absolute",
    "abs",
)
