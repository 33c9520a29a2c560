"""The op table and the words that make its entries.

``TABLE`` maps op names to entries. ``SURFACE`` maps Python callables (``np.sum``,
``math.sin``) to functions ``surface(b, *args, **kwargs)`` that build IR: ``b`` is the builder,
arguments are static Python objects or ``Expr`` in any nesting, and the result likewise.
``METHODS`` and ``ATTRIBUTES`` do the same for ndarray methods and attributes; there the array
is the first argument after ``b``. ``MUTATORS`` has the calls that overwrite an argument, by
callable or method name: the position of that argument, and a surface that gives its new value.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, Signature
from typing import Any

from ..ir.expr import f
from ..ir.opdef import OpDef, Rule
from ..ir.structure import template

Surface = Callable[..., Any]


class Surfaces(dict[Any, Surface]):
    """Surfaces by callable. Entries for an optional library are made when it is asked for
    something after the library has been imported."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, str] = {}

    def _load(self) -> None:
        ready = [name for name in self.waiting if sys.modules.get(name) is not None]
        for module in [self.waiting.pop(name) for name in ready]:
            import_module(module, __package__)

    def __contains__(self, target: object) -> bool:
        self._load()
        return super().__contains__(target)

    def __setitem__(self, target: Any, surface: Surface) -> None:
        self._load()  # what is set later holds
        super().__setitem__(target, surface)

    def __missing__(self, target: Any) -> Surface:
        if target not in self:
            raise KeyError(target)
        return self[target]


TABLE: dict[str, OpDef] = {}
SURFACE = Surfaces()
METHODS: dict[str, Surface] = {}
ATTRIBUTES: dict[str, Surface] = {}
MUTATORS: dict[Any, tuple[int, Surface]] = {}
GENERATOR: dict[str, Surface] = {}
"""Surfaces of methods of random generators: ``surface(b, generator, *args, **kwargs)``."""

Template = str | Callable[..., ast.expr] | None


def _parsed(emit: Template) -> Any:
    return template(emit) if isinstance(emit, str) else emit


def define(entry: OpDef) -> OpDef:
    """Add an entry to the table."""
    if entry.name in TABLE:
        raise ValueError(f"op {entry.name!r} is defined twice")
    TABLE[entry.name] = entry
    return entry


def op(
    name: str,
    inputs: str,
    infer: Callable[..., Any],
    emit: Template,
    *,
    attrs: Mapping[str, Any] | None = None,
    vjp: Mapping[str, Rule] | None = None,
    jvp: Mapping[str, Rule] | Rule | None = None,
    linear_in: str = "",
    traits: str = "",
    shape_only: str = "",
    as_given: str = "",
    **rest: Any,
) -> OpDef:
    """An op with everything written out; ``inputs``, ``linear_in``, ``traits``, ``shape_only``,
    ``as_given`` are words separated by blanks.

    Args:
        linear_in: inputs in which the op is linear while the others stand still: the tangent of
            the result is the op with the input's tangent in its place.
    """
    for x in linear_in.split():
        jvp = {**(jvp or {}), x: _in_place(name, tuple(attrs or ()))}  # type: ignore[dict-item]
    entry = OpDef(
        name=name,
        inputs=tuple(inputs.split()),
        attrs=attrs or {},
        infer=infer,
        emit=_parsed(emit),
        emit_scalar=_parsed(rest.pop("emit_scalar", None)),
        vjp=vjp or {},
        jvp=jvp,
        traits=frozenset(traits.split()),
        shape_only=frozenset(shape_only.split()),
        as_given=frozenset(as_given.split()),
        **rest,
    )
    return define(entry)


def linear(
    name: str,
    inputs: str,
    infer: Callable[..., Any],
    emit: Template,
    *,
    transpose: Mapping[str, Rule],
    traits: str = "",
    **rest: Any,
) -> OpDef:
    """An op jointly linear in the inputs named by ``transpose``: the tangent of the result is
    the op applied to the tangents, the adjoint of each input is its transpose rule."""
    return op(name, inputs, infer, emit, vjp=transpose, traits=f"linear {traits}", **rest)


def bilinear(
    name: str,
    inputs: str,
    infer: Callable[..., Any],
    emit: Template,
    *,
    transpose: Mapping[str, Rule],
    **rest: Any,
) -> OpDef:
    """An op linear in each of the inputs named by ``transpose`` while the others stand still; in
    each of any number of them where it is the variadic one."""
    alone = " ".join(transpose)
    return op(name, inputs, infer, emit, vjp=transpose, linear_in=alone, **rest)


def _in_place(name: str, attrs: tuple[str, ...]) -> Rule:
    def rule(t: Any, inputs: tuple[Any, ...], position: int, **given: Any) -> Any:
        operands = (*inputs[:position], t, *inputs[position + 1 :])
        return getattr(f, name)(*operands, **given)

    keyword = Parameter.KEYWORD_ONLY
    parameters = [Parameter(k, keyword) for k in ("t", "inputs", "position", *attrs)]
    rule.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return rule


def nondiff(
    name: str, inputs: str, infer: Callable[..., Any], emit: Template, **rest: Any
) -> OpDef:
    """An op whose derivative is zero wherever it exists, or whose result is not a real."""
    traits = f"nondiff {rest.pop('traits', '')}"
    return op(name, inputs, infer, emit, traits=traits, **rest)


def surface(*callables: Any) -> Callable[[Surface], Surface]:
    """Decorator: this function builds the IR for calls of ``callables``."""

    def register(function: Surface) -> Surface:
        for target in callables:
            SURFACE[target] = function
        return function

    return register


def method(*names: str) -> Callable[[Surface], Surface]:
    """Decorator: this function builds the IR for ndarray methods called ``names``."""

    def register(function: Surface) -> Surface:
        for name in names:
            METHODS[name] = function
        return function

    return register


def attribute(*names: str) -> Callable[[Surface], Surface]:
    """Decorator: this function gives the value of ndarray attributes called ``names``."""

    def register(function: Surface) -> Surface:
        for name in names:
            ATTRIBUTES[name] = function
        return function

    return register


def mutator(*targets: Any, position: int = 0) -> Callable[[Surface], Surface]:
    """Decorator: this function gives the new value of the argument at ``position``, which
    calls of ``targets`` (callables or method names) overwrite."""

    def register(function: Surface) -> Surface:
        for target in targets:
            MUTATORS[target] = (position, function)
        return function

    return register
