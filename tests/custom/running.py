"""Something that cannot be compiled, and a rule about it."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

import symgrad as sg

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])
NOT_AGAIN = (
    r"no second derivative through `\S+`: its gradient runs as it is and is not differ"
)


def sine(x: Any) -> Any:
    """Something that cannot be compiled."""
    if x.size == 0:
        raise ValueError("nothing there")
    return np.array(
        [eval("cmath.sin(complex(v)).real", {"cmath": cmath, "v": v}) for v in x]
    )


class Sine(sg.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any = 1.0, label: Any = None) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * sine(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_arrays
        g_scale = np.sum(g * sine(x)) if ctx.needs_input_grad[1:2] == (True,) else None
        return ctx.scale * g * sine(x + np.pi / 2), g_scale, None
