"""``jvp``, ``vjp`` and ``hvp`` met while lowering. At the top level they are requests of these
kinds.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import CallError, InputTypeError, TreeStructureError
from ...ir.types import is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, check_inputs, name_of, result_text, type_of
from ..arguments.selection import Selected, positional_names, select, with_objects
from ..machine import Machine
from ..names.specialise import need
from ..names.static import opened
from ..parts import Parts, check_known, rebuild, settled, take_apart
from ..requests import Request
from ..rules.fitting import fit
from ..values import ListObject, Native
from .gradients import LOWERED, aux_parts, gradients, name_gradients, split_aux, zeros
from .tracing import Input, Traced, commit, trace
from .verbs import verb


@dataclass(frozen=True, slots=True)
class Results:
    """What a function gave: its output and auxiliary results, as block results."""

    out: Parts
    aux: Parts

    @property
    def values(self) -> list[Value]:
        return [*self.out.values, *self.aux.values]

    @property
    def moving(self) -> list[int]:
        """Positions of the output's leaves that carry a derivative."""
        return [i for i, v in enumerate(self.out.values) if is_inexact(v.type)]


# ------------------------------------------------------------------------------- forward
@verb("jvp")
def jvp(
    m: Machine, node: ast.AST, fun: Any, primals: Any, tangents: Any, has_aux: Any = False
) -> Any:
    """``sg.jvp(fun, primals, tangents)``: ``(out, out_tangent)``, or with ``aux`` third."""
    given = _listed(m, "primals", primals)
    inputs, moved = _moved(m, fun, given, tangents)
    known = _flag(m, node, has_aux, "jvp")
    out, tangent, aux = _push(m, node, fun, given, inputs, moved, known)
    return (out, tangent, aux) if known else (out, tangent)


def _moved(
    m: Machine, fun: Any, primals: tuple[Any, ...], tangents: Any
) -> tuple[list[Input], list[Value]]:
    """The primals taken apart, and the tangents there are."""
    listed = _listed(m, "tangents", tangents)
    if len(listed) != len(primals):
        raise TreeStructureError(
            f"there are {len(primals)} primals but {len(listed)} tangents"
        )
    inputs, moved = [], []
    for chosen, t in zip(chosen_arguments(m, fun, primals), listed, strict=True):
        found = fit(m, t, chosen.value, "tangent", chosen.text)
        active = tuple(t is not None for t in found)
        inputs.append(Input(chosen, take_apart(m, chosen.value), active))
        moved += [t for t in found if t is not None]
    return inputs, moved


def _push(
    m: Machine,
    node: ast.AST,
    fun: Any,
    args: Sequence[Any],
    inputs: Sequence[Input],
    moved: Sequence[Value],
    has_aux: bool,
) -> tuple[Any, Any, Any]:
    """Output, its tangent, auxiliary results."""
    traced = _traced(m, node, fun, args, {}, inputs, has_aux)
    found = traced.outcome
    wrt = tuple(range(len(traced.params)))
    block = traced.block(handed_out(traced))
    values = m.builder.forward_(traced.values, moved, wrt, block)
    out = wrapped(m, found.out, values)
    aux = wrapped(m, found.aux, values[len(found.out.values) :])
    put_in_place(m, traced, values)
    return out, tangent_of(m, traced, values), aux


def tangent_of(m: Machine, traced: Traced[Results], values: Sequence[Value]) -> Any:
    """The output's tangent, among the results of a ``forward`` op."""
    found, count = traced.outcome, len(handed_out(traced))
    tangents = iter(values[count:])
    leaves = []
    for value in values[: len(found.out.values)]:
        if is_inexact(value.type):
            leaves.append(m.wrap(next(tangents)))
        else:
            leaves.append(zeros(m, m.wrap(value)))
    return rebuild(m, found.out, leaves)


# ------------------------------------------------------------------------------- reverse
@verb("vjp")
def vjp(m: Machine, node: ast.AST, fun: Any, *primals: Any, has_aux: Any = False) -> Any:
    """``sg.vjp(fun, *primals)``: ``(out, pullback)``, or with ``aux`` third."""
    known = _flag(m, node, has_aux, "vjp")
    out, pullback, aux = _vjp(m, node, fun, primals, known)
    return (out, pullback, aux) if known else (out, pullback)


def _vjp(
    m: Machine, node: ast.AST, fun: Any, primals: tuple[Any, ...], has_aux: bool
) -> tuple[Any, Native, Any]:
    traced = traced_call(m, node, fun, primals, has_aux)
    found, inputs = traced.outcome, _inputs(m, fun, primals)
    moving = found.moving
    values, token = swept(m, traced)
    out = wrapped(m, found.out, values)
    aux = wrapped(m, found.aux, values[len(found.out.values) :])
    put_in_place(m, traced, values)
    name = name_of(fun)

    def pullback(m: Machine, node: ast.AST, cotangent: Any) -> Any:
        with m.located(node):
            fitted = fit(m, cotangent, out, "cotangent", f"the result of `{name}`")
            cotangents = [
                g if (g := fitted[i]) is not None else _zero(m, values[i]) for i in moving
            ]
            grads = m.builder.pullback_(token, cotangents)
            name_gradients(grads, traced.params)
            return gradients(m, inputs, grads)

    return out, Native("pullback", pullback, (out, token, *primals)), aux


def swept(m: Machine, traced: Traced[Results]) -> tuple[list[Value], Value]:
    """What the block hands out, and the token of the way back from the output."""
    moving, handed = traced.outcome.moving, handed_out(traced)
    order = [*moving, *(i for i in range(len(handed)) if i not in moving)]
    block = traced.block([handed[i] for i in order])
    wrt = tuple(range(len(traced.params)))
    *results, token = m.builder.vjp_(traced.values, wrt, len(moving), block)
    return [results[order.index(i)] for i in range(len(order))], token


def _zero(m: Machine, like: Value) -> Value:
    return as_value(m, zeros(m, m.wrap(like)))


# ------------------------------------------------------------------------- at the top level
def _request_jvp(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    return jvp(m, node, request.fun, *args, has_aux=request.option("has_aux", False))


def _request_vjp(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Output, auxiliary results, and the gradients for cotangents that come later: the
    function's last parameters."""
    has_aux = bool(request.option("has_aux", False))
    out, pullback, aux = _vjp(m, node, request.fun, tuple(args), has_aux)
    parts = take_apart(m, out)
    check_known("vjp", name_of(request.fun), parts)
    leaves: list[Any] = []
    for leaf in parts.leaves:
        kind = type_of(leaf)
        if is_inexact(kind):
            m.late.append(m.builder.param(kind, "g"))
            leaves.append(m.wrap(m.late[-1]))
        else:
            leaves.append(None)
    grads = pullback.run(m, node, rebuild(m, parts, leaves))
    return (out, aux, grads) if has_aux else (out, grads)


def _request_hvp(
    m: Machine, node: ast.AST, request: Request, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The Hessian times ``v``, forward over reverse."""
    name = name_of(request.fun)
    if not args:
        raise CallError(
            f"the function of `hvp` is called with v and the arguments of `{name}`"
        )
    v, *rest = args
    chosen, single = select(m, request, rest, kwargs)
    for c in chosen:
        check_inputs(c, take_apart(m, c.value))
    vs = (v,) if single else _listed(m, "v", v)
    if len(vs) != len(chosen):
        raise TreeStructureError(f"v has {len(vs)} parts for {len(chosen)} arguments")
    inputs: list[Input] = []
    moved: list[Value] = []
    for c, t in zip(chosen, vs, strict=True):
        found = fit(m, t, c.value, "vector", c.text)
        inputs.append(Input(c, take_apart(m, c.value), tuple(t is not None for t in found)))
        moved += [t for t in found if t is not None]
    grad = Request("grad", request.fun, request.options)
    traced = _traced(m, node, grad, rest, kwargs, inputs, False)
    block = traced.block(handed_out(traced))
    wrt = tuple(range(len(traced.params)))
    values = m.builder.forward_(traced.values, moved, wrt, block)
    put_in_place(m, traced, values)
    return tangent_of(m, traced, values)


LOWERED.update(
    jvp=_request_jvp,
    vjp=_request_vjp,
    hvp=_request_hvp,
)


# --------------------------------------------------------------------------------- shared
def traced_call(
    m: Machine, node: ast.AST, fun: Any, primals: tuple[Any, ...], has_aux: bool
) -> Traced[Results]:
    """The function with every real or complex number in its arguments as a parameter."""
    return _traced(m, node, fun, primals, {}, _inputs(m, fun, primals), has_aux)


def _traced(
    m: Machine,
    node: ast.AST,
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    inputs: Sequence[Input],
    has_aux: bool,
) -> Traced[Results]:
    def finish(given: Any) -> Results:
        return _results(m, fun, given, has_aux)

    return trace(m, node, fun, args, kwargs, inputs, finish, stores=True)


def handed_out(traced: Traced[Results]) -> list[Value]:
    """What a block has to hand out: output, auxiliary results, and what it changes."""
    return [*traced.outcome.values, *traced.changes]


def put_in_place(m: Machine, traced: Traced[Results], values: Sequence[Value]) -> None:
    """Make the block's changes, found among the values that it handed out."""
    first = len(traced.outcome.values)
    commit(m, traced, values[first : first + len(traced.changes)])


def _inputs(m: Machine, fun: Any, primals: tuple[Any, ...]) -> list[Input]:
    return [
        Input(c, take_apart(m, c.value), active_leaves(m, c.value))
        for c in chosen_arguments(m, fun, primals)
    ]


def active_leaves(m: Machine, x: Any) -> tuple[bool, ...]:
    """Which leaves of an argument have a tangent."""
    return tuple(is_inexact(type_of(leaf)) for leaf in take_apart(m, x).leaves)


def chosen_arguments(m: Machine, fun: Any, primals: tuple[Any, ...]) -> list[Selected]:
    """All of the arguments, with their names."""
    names = positional_names(m, fun)
    padded = [*names, *[""] * len(primals)]
    return [Selected(i, padded[i], with_objects(m, x)) for i, x in enumerate(primals)]


def _results(m: Machine, fun: Any, given: Any, has_aux: bool) -> Results:
    name = name_of(fun)
    aux: Any = ()
    if has_aux:
        given, aux = split_aux(name, given)
    out = settled(m, given)
    if out.opaque is not None:
        raise InputTypeError(
            f"the result of `{name}` holds {out.opaque}; return arrays, numbers and "
            "containers of them"
        )
    out.values = [as_value(m, leaf) for leaf in out.leaves]
    return Results(out, aux_parts(m, name, aux))


def wrapped(m: Machine, parts: Parts, values: Sequence[Value]) -> Any:
    """A structure with the first of ``values`` as its leaves."""
    count = len(parts.leaves)
    return rebuild(m, parts, [m.wrap(v) for v in values[:count]])


def _listed(m: Machine, what: str, given: Any) -> tuple[Any, ...]:
    given = opened(m, given)
    if isinstance(given, ListObject):
        return given.items
    if type(given) is not tuple:
        raise InputTypeError(
            f"{what} has to be a tuple with one entry for each argument, such as (x,), not "
            f"{result_text(given)}"
        )
    return given


def _flag(m: Machine, node: ast.AST, has_aux: Any, name: str) -> bool:
    return bool(need(m, node, has_aux, f"the option `has_aux` of `{name}`"))
