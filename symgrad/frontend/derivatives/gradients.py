"""``grad`` and ``value_and_grad`` met while lowering: the function becomes a block, the
transform an op that is expanded later. At the top level it is no different.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import AuxError, UnsupportedFunctionError
from ...ir.types import ScalarType, is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import (
    as_value,
    check_inputs,
    check_scalar,
    name_of,
    result_text,
    type_of,
)
from ..arguments.selection import select
from ..inline import call_value
from ..machine import Machine
from ..parts import Parts, rebuild, settled, take_apart
from ..requests import Request
from ..sources.getsource import heed
from ..values import Ref
from .strictness import check_smooth, warn_of_constant
from .tracing import Input, commit, trace

LOWERED: dict[
    str, Callable[[Machine, ast.AST, Request, list[Any], dict[str, Any]], Any]
] = {}
"""How requests of further kinds are lowered; the modules register theirs here."""

ORDERS = {"vmap": 0, "checkpoint": 0, "compressed": 0, "hessian": 2, "hvp": 2}
"""How many derivatives a request takes, if not one."""


def lower_request(
    m: Machine,
    node: ast.AST,
    request: Request,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """The abstract value of ``request`` called with abstract arguments.

    Raises:
        ArgnumsError, InputTypeError, NonScalarOutputError, AuxError: at ``node``.
    """
    if request.kind == "compile":
        heed(request)
        return call_value(m, node, request.fun, tuple(args), dict(kwargs))
    with m.located(node), _deeper(m, ORDERS.get(request.kind, 1)):
        if request.kind in ("grad", "value_and_grad"):
            return _Derivative(m, node, request).result(args, kwargs)
        if request.kind in LOWERED:
            return LOWERED[request.kind](m, node, request, list(args), dict(kwargs))
    raise UnsupportedFunctionError(
        f"`{request.kind}` cannot be used inside a compiled function yet; use `grad` or "
        "`value_and_grad`",
        m.span(node),
    )


@contextmanager
def _deeper(m: Machine, orders: int) -> Iterator[None]:
    """Inside, that many more derivatives are taken of what is lowered."""
    m.orders += orders
    try:
        yield
    finally:
        m.orders -= orders


@dataclass(slots=True)
class Outcome:
    """What the function gave: its value and auxiliary results, as block results."""

    value: Value
    aux: Parts


class _Derivative:
    """One call of a gradient function."""

    def __init__(self, m: Machine, node: ast.AST, request: Request) -> None:
        self.m = m
        self.node = node
        self.request = request
        self.name = name_of(request.fun)
        self.holomorphic: bool = request.option("holomorphic", False)

    def result(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Gradients, with value and auxiliary results where asked for."""
        m, request = self.m, self.request
        chosen, single = select(m, request, args, kwargs)
        inputs = []
        for c in chosen:
            parts = take_apart(m, c.value)
            optional = request.kind in ("grad", "value_and_grad")
            allow_int = request.option("allow_int", False) if optional else None
            check_inputs(c, parts, allow_int=allow_int, holomorphic=self.holomorphic)
            active = tuple(is_inexact(type_of(leaf)) for leaf in parts.leaves)
            inputs.append(Input(c, parts, active))
        traced = trace(
            m, self.node, request.fun, args, kwargs, inputs, self._outcome, stores=True
        )
        outcome, count = traced.outcome, len(traced.params)
        stored = traced.changes
        block = traced.block([outcome.value, *outcome.aux.values, *stored])
        texts = [i.chosen.text for i in inputs for _ in i.leaves]
        if request.option("strict", False):
            check_smooth(self.name, block, list(zip(traced.params, texts, strict=True)))
        else:
            warn_of_constant(self.name, block, texts, m.span(self.node))
        results = m.builder.reverse_(
            traced.values, tuple(range(count)), block, self._heading()
        )
        grads = results[len(results) - count :]
        if self.holomorphic:
            grads = tuple(m.builder.one("conjugate", g) for g in grads)
        name_gradients(grads, traced.params)
        found = gradients(m, inputs, grads)
        after = 1 + len(outcome.aux.values)
        commit(m, traced, results[after : after + len(stored)])
        aux = rebuild(
            m, outcome.aux, [m.wrap(v) for v in results[1 : 1 + len(outcome.aux.values)]]
        )
        return self._assembled(m.wrap(results[0]), aux, found[0] if single else found)

    def _heading(self) -> str:
        """What stands above the code of a gradient that the user's code asks for."""
        if not isinstance(self.node, ast.Call):
            return ""
        return f"grad of {self.name}" if self.name.isidentifier() else "grad"

    def _assembled(self, value: Any, aux: Any, found: Any) -> Any:
        has_aux = self.request.option("has_aux", False)
        if self.request.kind == "grad":
            return (found, aux) if has_aux else found
        return ((value, aux) if has_aux else value, found)

    def _outcome(self, given: Any) -> Outcome:
        aux: Any = ()
        if self.request.option("has_aux", False):
            given, aux = split_aux(self.name, given)
        value = self._scalar(given)
        return Outcome(value, aux_parts(self.m, self.name, aux))

    def _scalar(self, given: Any) -> Value:
        has_aux = self.request.option("has_aux", False)
        check_scalar(
            self.request.kind,
            self.name,
            given,
            has_aux=has_aux,
            holomorphic=self.holomorphic,
        )
        return as_value(self.m, given)


def split_aux(name: str, given: Any) -> tuple[Any, Any]:
    """The pair that a function with ``has_aux=True`` returned.

    Raises:
        AuxError: it is no pair.
    """
    if not isinstance(given, tuple) or len(given) != 2:
        raise AuxError(
            f"with has_aux=True `{name}` has to return (value, aux), got {result_text(given)}"
        )
    return given


def aux_parts(m: Machine, name: str, aux: Any) -> Parts:
    """Auxiliary results with their values.

    Raises:
        AuxError: there is something in them that cannot leave a block.
    """
    parts = settled(m, aux)
    if parts.opaque is not None:
        raise AuxError(
            f"the auxiliary result of `{name}` holds {parts.opaque}; return arrays, "
            "numbers and containers of them"
        )
    parts.values = [as_value(m, leaf) for leaf in parts.leaves]
    return parts


def name_gradients(grads: Sequence[Value], params: Sequence[Value]) -> None:
    """``g_x`` for the gradient of ``x``."""
    for param, g in zip(params, grads, strict=True):
        g.name = f"g_{param.name}" if param.name else ""


def gradients(
    m: Machine, inputs: Sequence[Input], grads: Sequence[Value]
) -> tuple[Any, ...]:
    """One structure per input, like the input; leaves that do not count get zeros."""
    incoming = iter(grads)
    trees = []
    for i in inputs:
        leaves = [
            m.wrap(next(incoming)) if on else zeros(m, leaf)
            for leaf, on in zip(i.parts.leaves, i.active, strict=True)
        ]
        trees.append(rebuild(m, i.parts, leaves))
    return tuple(trees)


def zeros(m: Machine, leaf: Any) -> Any:
    """Zeros like a leaf."""
    if isinstance(leaf, Ref):
        return m.wrap(m.builder.op("zeros_like", m.read(leaf)))
    kind = type_of(leaf)
    return kind.dtype.type(0).item() if isinstance(kind, ScalarType) else kind.dtype.type(0)  # type: ignore[union-attr]
