"""Jacobians of which a few combinations of rows or columns are wanted, each of them told by a
vector; what sparse Jacobians are made of.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from ...errors import InputTypeError
from ...ir.types import is_complex
from ..arguments.leaftypes import as_value, name_of
from ..machine import Machine
from ..parts import rebuild
from ..requests import Request
from .gradients import LOWERED
from .jacobian_blocks import JacobianBlocks
from .jacobians import differentiated, like_inputs


def lower_compressed(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The Jacobian times vectors like one leaf of the arguments, for which the result has the
    function's structure; in reverse mode, times vectors like one leaf of the result, from the
    left, for which it has that of the arguments. The vectors come first among ``args``."""
    vectors, *rest = args
    inputs, single, traced = differentiated(m, node, request, rest, kwargs)
    blocks = JacobianBlocks(m, traced)
    if any(is_complex(v.type) for v in (*traced.params, *traced.outcome.out.values)):
        raise InputTypeError(
            f"sparse Jacobians are of real numbers, and `{name_of(request.fun)}` has complex "
            "ones; differentiate real and imaginary parts, or leave out sparse=True"
        )
    seeds, k = as_value(m, vectors), request.option("leaf")
    reverse = request.option("reverse")
    like = traced.outcome.out.values[k] if reverse else traced.params[k]
    make = partial(blocks.pull if reverse else blocks.push, k)
    batched = request.option("batched")
    values = blocks.along(seeds, like, make) if batched else make(m.builder, seeds)
    if reverse:
        return like_inputs(m, inputs, single, values)
    return rebuild(m, traced.outcome.out, [m.wrap(v) for v in values])


LOWERED["compressed"] = lower_compressed
