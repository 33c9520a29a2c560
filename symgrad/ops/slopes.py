"""Slopes with names: ops of their own until all derivatives are taken, and written out then.

The next derivative of such a slope is a formula, too. What the product and chain rules make of a
slope that is written out may cancel: the slope of ``s * (1 - s)`` by them is a difference of what
is nearly equal where ``s`` is a half, and ``infinity * 0`` far out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import elementwise, ufunc_rule
from .formula import build, parse
from .guards import WRITTEN


def slope(
    name: str,
    written: str,
    derivative: str | dict[str, str],
    *,
    inputs: str = "x",
    traits: str = "",
    ufunc: np.ufunc = np.arctan,
    **rest: Any,
) -> None:
    """One slope.

    Args:
        written: what it stands for, a formula in the names of ``inputs`` and of ops.
        derivative: its own slope, or one for each input.
        ufunc: whose type rule holds, unless there is ``infer``; the others as in
            ``elementwise``.
    """
    names, node = inputs.split(), parse(written)
    given = {names[0]: derivative} if isinstance(derivative, str) else derivative
    rest.setdefault("infer", ufunc_rule(ufunc))
    elementwise(
        name, inputs=inputs, derivative=given, traits=f"marker slope {traits}", calls=(),
        math_name="", **rest,
    )  # fmt: skip
    WRITTEN[name] = lambda *values: build(node, dict(zip(names, values, strict=True)))


__all__ = ["slope"]
