"""``grad`` and ``value_and_grad`` met while lowering: the function becomes a block, the
transform an op that is expanded later. At the top level it is no different.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import AliasError, AuxError, UnsupportedFunctionError, UnsupportedSyntaxError
from ..ir.types import ScalarType
from ..ir.values import Value
from .captures import Found
from .dispatch import NeverReturns
from .getsource import heed
from .inline import call_value
from .leaftypes import (
    as_value,
    check_inputs,
    check_scalar,
    is_real,
    name_of,
    result_text,
    type_of,
)
from .machine import Machine, Region
from .parts import Parts, rebuild, take_apart
from .requests import Request
from .selection import Selected, select
from .values import Ref, Storage


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
    if request.kind not in ("grad", "value_and_grad"):
        raise UnsupportedFunctionError(
            f"`{request.kind}` cannot be used inside a compiled function yet; use `grad` or "
            "`value_and_grad`",
            m.span(node),
        )
    with m.located(node):
        return _Derivative(m, node, request).result(list(args), dict(kwargs))


@dataclass(slots=True)
class _Outcome:
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

    def result(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Gradients, with value and auxiliary results where asked for."""
        m, request = self.m, self.request
        chosen, single = select(m, request, args, kwargs)
        parts = [take_apart(m, c.value) for c in chosen]
        for c, p in zip(chosen, parts, strict=True):
            check_inputs(c, p, allow_int=request.option("allow_int", False))
        active = [leaf for p in parts for leaf in p.leaves if is_real(type_of(leaf))]
        inputs = [as_value(m, leaf) for leaf in active]
        region = m.new_region()
        region.always = True
        params = [
            region.builder.param(type_of(leaf), self._param_name(leaf, chosen))
            for leaf in active
        ]
        mark = m.heap.mark
        given = tuple(args), dict(kwargs)
        try:
            outcome = self._run(region, chosen, parts, params, args, kwargs)
        except NeverReturns:
            # The region is not used: the call itself, which raises, takes its place.
            m.heap.undo(mark)
            call_value(m, self.node, request.fun, *given)
            raise
        m.heap.undo(mark)
        m.builder.dims.learn(region.builder.dims)
        block = region.builder.block(params, [outcome.value, *outcome.aux.values])
        results = m.builder.reverse_(inputs, tuple(range(len(params))), block)
        gradients = self._gradients(parts, params, results[len(results) - len(params) :])
        aux = rebuild(
            m, outcome.aux, [m.wrap(v) for v in results[1 : 1 + len(outcome.aux.values)]]
        )
        return self._assembled(
            m.wrap(results[0]), aux, gradients[0] if single else gradients
        )

    def _assembled(self, value: Any, aux: Any, gradients: Any) -> Any:
        has_aux = self.request.option("has_aux", False)
        if self.request.kind == "grad":
            return (gradients, aux) if has_aux else gradients
        return ((value, aux) if has_aux else value, gradients)

    # -- arguments --------------------------------------------------------------------------
    def _param_name(self, leaf: Any, chosen: Sequence[Selected]) -> str:
        known = leaf.storage.name if isinstance(leaf, Ref) else getattr(leaf, "name", "")
        return known or (chosen[0].name if len(chosen) == 1 else "")

    # -- the function -----------------------------------------------------------------------
    def _run(
        self,
        region: Region,
        chosen: Sequence[Selected],
        parts: Sequence[Parts],
        params: Sequence[Value],
        args: list[Any],
        kwargs: dict[str, Any],
    ) -> _Outcome:
        """Lower the call inside ``region``; arrays it is given are its own."""
        m = self.m
        mark = m.heap.mark
        own = _Copies(m)
        with m.inside(region):
            fresh = iter(params)
            for c, p in zip(chosen, parts, strict=True):
                leaves = [
                    own.parameter(leaf, next(fresh)) if is_real(type_of(leaf)) else leaf
                    for leaf in p.leaves
                ]
                _put(args, kwargs, c, rebuild(m, p, leaves))
            skip = {c.key for c in chosen}
            inner_args = tuple(
                a if i in skip else own.argument(a) for i, a in enumerate(args)
            )
            inner_kwargs = {
                k: a if k in skip else own.argument(a) for k, a in kwargs.items()
            }
            given = call_value(m, self.node, self.request.fun, inner_args, inner_kwargs)
            own.check(self.name)
            self._check_unchanged(region, mark)
            return self._outcome(given)

    def _check_unchanged(self, region: Region, mark: int) -> None:
        for change in self.m.heap.changes(mark).values():
            cell = change.cell
            if cell.birth < region.birth and change.before is not change.after:
                what = " a list, dict or object"
                if isinstance(cell, Storage):
                    what = f" the array{_named(self.m, cell)}"
                raise UnsupportedSyntaxError(
                    f"`{self.name}` changes{what} from outside while it is differentiated; "
                    "return the new value instead (with has_aux=True)"
                )

    def _outcome(self, given: Any) -> _Outcome:
        m = self.m
        aux: Any = ()
        if self.request.option("has_aux", False):
            if not isinstance(given, tuple) or len(given) != 2:
                raise AuxError(
                    f"with has_aux=True `{self.name}` has to return (value, aux), got "
                    f"{result_text(given)}"
                )
            given, aux = given
        value = self._scalar(given)
        parts = take_apart(m, aux)
        if parts.opaque is not None:
            raise AuxError(
                f"the auxiliary result of `{self.name}` holds {parts.opaque}; return arrays, "
                "numbers and containers of them"
            )
        parts.values = [as_value(m, leaf) for leaf in parts.leaves]
        return _Outcome(value, parts)

    def _scalar(self, given: Any) -> Value:
        has_aux = self.request.option("has_aux", False)
        check_scalar(self.request.kind, self.name, given, has_aux=has_aux)
        return as_value(self.m, given)

    # -- results ----------------------------------------------------------------------------
    def _gradients(
        self, parts: Sequence[Parts], params: Sequence[Value], grads: Sequence[Value]
    ) -> tuple[Any, ...]:
        """One structure per chosen argument, like the argument; integers get zeros."""
        m = self.m
        for param, g in zip(params, grads, strict=True):
            g.name = f"g_{param.name}" if param.name else ""
        incoming = iter(grads)
        trees = []
        for p in parts:
            leaves = [
                m.wrap(next(incoming)) if is_real(type_of(leaf)) else self._zeros(leaf)
                for leaf in p.leaves
            ]
            trees.append(rebuild(m, p, leaves))
        return tuple(trees)

    def _zeros(self, leaf: Any) -> Any:
        if isinstance(leaf, Ref):
            return self.m.wrap(self.m.builder.op("zeros_like", self.m.read(leaf)))
        kind = type_of(leaf)
        return 0 if isinstance(kind, ScalarType) else kind.dtype.type(0)  # type: ignore[union-attr]


class _Copies:
    """Arrays as the differentiated function gets them: what it stores there stays inside."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.shared: dict[Storage, Ref] = {}
        self.made: list[tuple[Storage, Ref, Value]] = []
        self.active: dict[Storage, int] = {}

    def parameter(self, leaf: Any, value: Value) -> Any:
        """The block's parameter in place of an argument."""
        if not isinstance(leaf, Ref):
            return self.m.wrap(value)
        self.active[leaf.storage] = self.active.get(leaf.storage, 0) + 1
        return self._new(leaf.storage, value)

    def argument(self, x: Any) -> Any:
        """Any other argument: views of one array stay views of one array."""
        if isinstance(x, Found):
            return x
        parts = take_apart(self.m, x)
        if parts.opaque is not None or not any(
            isinstance(leaf, Ref) for leaf in parts.leaves
        ):
            return x
        return rebuild(self.m, parts, [self._copied(leaf) for leaf in parts.leaves])

    def _copied(self, leaf: Any) -> Any:
        if not isinstance(leaf, Ref):
            return leaf
        if leaf.storage not in self.shared:
            self.shared[leaf.storage] = self._new(leaf.storage, leaf.storage.current)
        return Ref(self.shared[leaf.storage].storage, leaf.type, leaf.path)

    def _new(self, original: Storage, value: Value) -> Ref:
        made = self.m.new_storage(value, "fresh", original.name)
        self.made.append((original, made, value))
        return made

    def check(self, name: str) -> None:
        """Refuse stores into an array that was passed twice and is differentiated."""
        for original, made, value in self.made:
            if made.storage in self.m.stored:
                self.m.stored.add(original)
            twice = self.active.get(original, 0) + (original in self.shared) > 1
            if twice and made.storage.current is not value:
                raise AliasError(
                    f"`{name}` stores into the array{_named(self.m, original)}, which is passed "
                    "to it twice; pass a copy"
                )


def _put(args: list[Any], kwargs: dict[str, Any], chosen: Selected, value: Any) -> None:
    if isinstance(chosen.key, int):
        args[chosen.key] = value
    else:
        kwargs[chosen.key] = value


def _named(m: Machine, storage: Storage) -> str:
    """What the user calls an array."""
    for frame in reversed(m.frames):
        for name, value in frame.scope.data.items():
            if (
                isinstance(value, Ref)
                and value.storage is storage
                and isinstance(name, str)
            ):
                return f" `{name}`"
    return f" `{storage.name}`" if storage.name else ""
