"""The logarithm of a sum of exponentials over axes, as ``np.logaddexp.reduce`` has it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..ir.expr import Expr, f
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .contraction import conj
from .reductions import expand
from .rules.infer import reduced_shape
from .table import op

KINK = "equal shares where all entries are -inf"


def _shares(x: Expr, out: Expr, axis: Any, keepdims: bool, power: str) -> Expr:
    """``exp(x - out)``, whose sum is 1; infinite entries that are all there is share equally,
    and nothing warns."""
    whole = expand(out, x.ndim, axis, keepdims)
    same = f.equal(x, whole)
    parts = getattr(f, power)(f.where(same, 0, x - f.where(same, 0, whole)))
    return parts / f.sum(parts, axis=axis, keepdims=True)  # type: ignore[no-any-return]


def rules(power: str) -> dict[str, Any]:
    """Those of the logarithm of a sum of ``exp`` or ``exp2``: the gradient is handed out in
    proportion to the powers, and the tangents' mean is weighed with them."""

    def vjp(g: Expr, x: Expr, out: Expr, axis: Any, keepdims: bool) -> Expr:
        shares = conj(_shares(x, out, axis, keepdims, power))
        return expand(g, x.ndim, axis, keepdims) * shares

    def jvp(t: Expr, x: Expr, out: Expr, axis: Any, keepdims: bool) -> Expr:
        shares = _shares(x, out, axis, keepdims, power)
        return f.sum(t * shares, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    return {"vjp": {"x": vjp}, "jvp": {"x": jvp}, "kink": KINK}


def _infer(
    dims: Any, inputs: tuple[Value, ...], axis: Any, keepdims: bool, ufunc: np.ufunc
) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    *_, dtype = ufunc.resolve_dtypes((t.dtype, t.dtype, None))
    return ArrayType(dtype, reduced_shape(t, axis, keepdims))


for _ufunc, _power in ((np.logaddexp, "exp"), (np.logaddexp2, "exp2")):
    _name = f"{_ufunc.__name__}_reduce"
    op(
        _name, "x", partial(_infer, ufunc=_ufunc),
        f"np.{_ufunc.__name__}.reduce(x, axis=axis, keepdims=keepdims)",
        attrs={"axis": REQUIRED, "keepdims": False},
        doc=f"np.{_ufunc.__name__} over axes.", **rules(_power),
    )  # fmt: skip
