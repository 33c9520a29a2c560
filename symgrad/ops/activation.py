"""Activation functions that NumPy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from .elementwise import elementwise, real_rule, ufunc_surface
from .kernels import _erf, _erfc_far, _horner, _sigmoid, text_of
from .masks import scale_under_masks, select
from .slopes import slope


def _where_positive(g: Expr, out: Expr) -> Any:
    return scale_under_masks(g, lambda h, out: select(f.greater(out, 0), h), (out,))


elementwise(
    "relu", ufunc=np.positive, emit="np.maximum(x, 0)", emit_scalar="max(x, 0.0)", calls=(),
    vjp={"x": _where_positive}, jvp={"x": lambda t, out: select(f.greater(out, 0), t)},
    traits="cheap inplace selects keeps_nan", kink="0 at 0", doc="The positive part.",
)  # fmt: skip
elementwise(
    "logistic", ufunc=np.exp, infer=real_rule("sigmoid", np.exp), emit="_sigmoid(x)",
    calls=(), helper=text_of(_sigmoid),
    derivative={"x": "logistic_slope(x)"}, level="x",
    doc="1 / (1 + exp(-x)) without overflow.",
)  # fmt: skip
slope(
    "logistic_slope", "logistic(x) * logistic(-x)", "-out * tanh(0.5 * x)", level="x",
    expression="exp(x) / (1 + exp(x))**2", emit="_sigmoid(x) * _sigmoid(-x)",
    infer=real_rule("sigmoid", np.exp), helper=text_of(_sigmoid), traits="positive",
)  # fmt: skip
for _name, _emit in (("erf", "_erf(x)"), ("one_plus_erf", "_erf(x, 1)")):
    elementwise(
        _name, ufunc=np.exp, infer=real_rule(_name, np.exp), emit=_emit, calls=(),
        helper=text_of(_horner, _erfc_far, _erf),
        derivative={"x": "1.1283791670955126 * exp(-(x * x))"}, level="x",
        doc="The error function, or 1 plus it.",
    )  # fmt: skip

relu, sigmoid, erf, one_plus_erf = map(
    ufunc_surface, ("relu", "logistic", "erf", "one_plus_erf")
)
