"""``jacrev``, ``jacfwd`` and ``hessian`` met while lowering: one pass forward or backward for a
batch of basis vectors.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...errors import InputTypeError, NonScalarOutputError
from ...ir.types import is_complex, is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, check_inputs, name_of, result_text, type_of
from ..arguments.selection import select
from ..machine import Machine
from ..parts import Parts, check_known, rebuild, take_apart
from ..requests import Request
from .directional import Results
from .gradients import LOWERED, aux_parts, split_aux
from .jacobian_blocks import JacobianBlocks, complex_value
from .tracing import Input, Traced, trace


def lower_jacobian(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The Jacobian: for each leaf of the result a structure like the chosen arguments.

    Raises:
        ArgnumsError, InputTypeError, AuxError: as for ``grad``.
        NonScalarOutputError: results that are no real numbers.
    """
    has_aux = request.option("has_aux", False)
    inputs, single, traced = differentiated(m, node, request, args, kwargs)
    made = JacobianBlocks(m, traced, request.option("holomorphic", False))
    blocks = made.by_rows() if request.kind == "jacrev" else made.by_columns()
    trees = [like_inputs(m, inputs, single, row) for row in blocks]
    jacobian = rebuild(m, traced.outcome.out, trees)
    aux = made.aux()
    return (jacobian, aux) if has_aux else jacobian


def like_inputs(
    m: Machine, inputs: Sequence[Input], single: bool, values: Sequence[Value]
) -> Any:
    """A structure like the chosen arguments, with these values as its leaves."""
    entries = iter(values)
    trees = tuple(
        rebuild(m, i.parts, [m.wrap(next(entries)) for _ in i.parts.leaves]) for i in inputs
    )
    return trees[0] if single else trees


def differentiated(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Input], bool, Traced[Results]]:
    """The function's call in a block of its own: the arguments to differentiate by, whether it
    is one rather than a tuple, and the block with the results."""
    name, has_aux = name_of(request.fun), request.option("has_aux", False)
    holomorphic = request.option("holomorphic", False)
    chosen, single = select(m, request, args, kwargs)
    inputs = []
    for c in chosen:
        parts = take_apart(m, c.value)
        check_inputs(c, parts, holomorphic=holomorphic)
        inputs.append(Input(c, parts, (True,) * len(parts.leaves)))

    def finish(given: Any) -> Results:
        aux: Any = ()
        if has_aux:
            given, aux = split_aux(name, given)
        out = take_apart(m, given)
        check_known(request.kind, name, out)
        _check_results(request.kind, name, given, out, holomorphic)
        out.values = [as_value(m, leaf) for leaf in out.leaves]
        return Results(out, aux_parts(m, name, aux))

    traced = trace(m, node, request.fun, args, kwargs, inputs, finish, stores=True)
    if not holomorphic:
        _refuse_complex_by_complex(request.kind, name, traced)
    return inputs, single, traced


def _refuse_complex_by_complex(kind: str, name: str, traced: Traced[Results]) -> None:
    out = traced.outcome.out.values
    if any(map(complex_value, out)) and any(map(complex_value, traced.params)):
        raise NonScalarOutputError(
            f"`{kind}` of `{name}`, which has a complex result by a complex argument: there is "
            "one derivative only if it is holomorphic, then pass holomorphic=True; else "
            "differentiate its real and its imaginary part"
        )


def lower_hessian(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Forward mode over reverse mode."""
    inner = Request("jacrev", request.fun, request.options)
    outer = Request("jacfwd", inner, request.options)
    return lower_jacobian(m, node, outer, args, kwargs)


LOWERED.update(jacrev=lower_jacobian, jacfwd=lower_jacobian, hessian=lower_hessian)


def _check_results(kind: str, name: str, given: Any, out: Parts, holomorphic: bool) -> None:
    if out.opaque is not None:
        raise InputTypeError(
            f"the result of `{name}` holds {out.opaque}; return arrays, numbers and containers "
            "of them"
        )
    if not out.leaves and not out.is_container:
        raise NonScalarOutputError(
            f"`{kind}` needs arrays or numbers, `{name}` returned {result_text(given)}"
        )
    for leaf, place in zip(out.leaves, out.places, strict=True):
        found = type_of(leaf)
        if not (is_complex(found) if holomorphic else is_inexact(found)):
            needs = (
                "complex results with holomorphic=True" if holomorphic else "real results"
            )
            raise NonScalarOutputError(
                f"`{kind}` needs {needs}, `{name}` returned {result_text(leaf)}"
                f"{f' at {place}' if place else ''}; return "
                f"{'complex numbers' if holomorphic else 'floats'}, or leave it out with "
                "has_aux=True"
            )
