"""Laws of quotients in derivative code: shares of a whole, as softmax makes them."""

from __future__ import annotations

from typing import Any

from ..ir.types import is_complex, is_inexact
from ._laws import Site, law, rule

rule("x / a - y / a -> (x - y) / a", adjoint=True, once=True)
rule("x / a + y / a -> (x + y) / a", adjoint=True, once=True)
rule("x / a * a -> x", adjoint=True)  # the square of a root is smooth at 0


@law("multiply", adjoint=True)
def quotient_at_hand(site: Site) -> Any:
    """``x / s * e`` is ``x * p`` where the user's code has ``p = e / s`` already."""
    if not is_inexact(site.type) or is_complex(site.type):
        return None
    for quotient, e in (site.inputs, site.inputs[::-1]):
        op = site.made_by(quotient, "divide", once=True)
        p = None if op is None else site.builder.quotients.get((e, op.inputs[1]))  # type: ignore[attr-defined]
        if op is not None and p is not None and p.op.role == "" != op.role:
            return site.expr(op.inputs[0]) * site.expr(p)
    return None
