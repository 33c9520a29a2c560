"""What ``simplify``'s laws are written in: a table by op, a law as text or as a function.

Text laws read ``pattern -> replacement``. Names are any value, but ``s`` and ``t`` are numbers
(0-d), ``a`` is an array with axes, ``zero`` is known to be zeros, a number is that constant.
Operands of commutative ops match in either order. A law applies only where the replacement has
exactly the op's type.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...ir.builder import Builder
from ...ir.expr import Expr, apply
from ...ir.opdef import OpDef
from ...ir.types import ArrayType, ScalarType, Type
from ...ir.values import Op, Value

BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.MatMult: "matmul",
}


@dataclass(frozen=True, slots=True)
class Site:
    """The op that a law is tried on. ``single`` tells whether a value is read once; ``params``
    are the function's, which are at hand everywhere; ``falls_short`` whether an op computes in
    whole numbers that wrap around, truth values or floats of less precision than the site."""

    builder: Builder
    kind: OpDef
    inputs: tuple[Value, ...]
    attrs: Mapping[str, Any]
    type: Type
    single: Callable[[Value], bool]
    is_zero: Callable[[Value], bool]
    params: Sequence[Value]
    falls_short: Callable[[Op], bool]

    @property
    def adjoint(self) -> bool:
        """Whether this is derivative code, where results need not keep their last bit."""
        return self.builder.role != ""

    def expr(self, value: Value) -> Expr:
        return Expr(self.builder, value)

    def exprs(self) -> tuple[Expr, ...]:
        return tuple(map(self.expr, self.inputs))

    def made_by(self, value: Value, *names: str, once: bool = False) -> Op | None:
        """The op that made ``value`` if it is called one of ``names`` and computes as the site
        does: ``-q`` of unsigned numbers is not what it is of floats."""
        op = value.op
        if op is None or op.kind.name not in names or (once and not self.single(value)):
            return None
        return None if self.falls_short(op) else op

    def at_hand(self, name: str, *inputs: Value) -> Value | None:
        """What the op of this name gives, if it has been computed already."""
        found: Value | None = self.builder.at_hand.get((name, inputs))  # type: ignore[attr-defined]
        return found

    def same(self, a: Type, b: Type) -> bool:
        return self.builder.dims.same_type(a, b)


Law = Callable[[Site], Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """A law and where it may hold: with ``adjoint`` in derivative code only, and where the
    inputs are made by all of ``needed``."""

    law: Law
    adjoint: bool
    needed: frozenset[str]


LAWS: dict[str, list[Tried]] = {}
TRAIT_LAWS: dict[str, list[Tried]] = {}


@lru_cache(maxsize=4096)
def laws_for(kind: OpDef) -> tuple[Sequence[Tried], frozenset[str]]:
    """Every law to try on an op of this kind, and the makers of inputs that any of them needs."""
    found = list(LAWS.get(kind.name, ()))
    for trait, laws in TRAIT_LAWS.items():
        if kind.has(trait):
            found += laws
    return found, frozenset().union(*(entry.needed for entry in found))


@lru_cache(maxsize=4096)
def laws_at(kind: OpDef, adjoint: bool, makers: frozenset[str]) -> Sequence[Law]:
    """The laws that may hold for an op of this kind, of whose inputs' makers ``makers`` are
    those that any law needs."""
    laws, _ = laws_for(kind)
    return [
        entry.law
        for entry in laws
        if entry.needed <= makers and (adjoint or not entry.adjoint)
    ]


def law(
    *names: str, trait: str = "", adjoint: bool = False, needed: Iterable[str] = ()
) -> Callable[[Law], Law]:
    """Decorator: a law for the ops called ``names``, or for those that have ``trait``.
    ``adjoint`` and ``needed`` as for ``Tried``."""

    def register(function: Law) -> Law:
        tried = Tried(function, adjoint, frozenset(needed))
        for name in names:
            LAWS.setdefault(name, []).append(tried)
        if trait:
            TRAIT_LAWS.setdefault(trait, []).append(tried)
        return function

    return register


def rule(text: str, *, adjoint: bool = False, once: bool = False) -> None:
    """A law as text. With ``once`` the inner ops of the pattern have no other reader."""
    left, right = (ast.parse(side.strip(), mode="eval").body for side in text.split("->"))
    pattern = _parsed(left)
    name, parts = pattern[1], pattern[2]
    replacement = _parsed(right)
    needed = {
        part[1] if part[0] == "op" else "const" for part in parts if part[0] != "name"
    }

    def apply_rule(site: Site) -> Any:
        for found in _operands(site, site.kind, parts, site.inputs, {}, once):
            return _built(site, replacement, found)
        return None

    law(name, adjoint=adjoint, needed=needed)(apply_rule)


def _parsed(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return ("name", node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return ("number", -node.operand.value)  # type: ignore[operator]
    if isinstance(node, ast.Constant):
        return ("number", node.value)
    if isinstance(node, ast.UnaryOp):
        return ("op", "negative", (_parsed(node.operand),))
    if isinstance(node, ast.BinOp):
        return ("op", BINARY[type(node.op)], (_parsed(node.left), _parsed(node.right)))
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return ("op", node.func.id, tuple(map(_parsed, node.args)))


# ------------------------------------------------------------------------------ matching
Found = dict[str, Value]


def _operands(
    site: Site, kind: OpDef, parts: Any, values: Sequence[Value], found: Found, once: bool
) -> Iterator[Found]:
    """Ways in which the operands of one op match."""
    if len(parts) != len(values):
        return
    yield from _sequence(site, parts, values, found, once)
    if kind.has("commutative") and len(values) == 2:
        yield from _sequence(site, parts, values[::-1], found, once)


def _sequence(
    site: Site, parts: Any, values: Sequence[Value], found: Found, once: bool
) -> Iterator[Found]:
    if not parts:
        yield found
        return
    for first in _value(site, parts[0], values[0], found, once):
        yield from _sequence(site, parts[1:], values[1:], first, once)


def _value(
    site: Site, part: Any, value: Value, found: Found, once: bool
) -> Iterator[Found]:
    if part[0] == "number":
        if is_number(value, part[1]):
            yield found
    elif part[0] == "name":
        if _fits(site, part[1], value, found):
            yield {**found, part[1]: value}
    else:
        op = site.made_by(value, part[1], once=once)
        if op is not None:
            yield from _operands(site, op.kind, part[2], op.inputs, found, once)


def _fits(site: Site, name: str, value: Value, found: Found) -> bool:
    if name == "zero":
        return site.is_zero(value)
    if name in ("s", "t") and rank(value) or name == "a" and not rank(value):
        return False
    return name not in found or found[name] is value


def _built(site: Site, part: Any, found: Found) -> Any:
    if part[0] == "number":
        return part[1]
    if part[0] == "name":
        return site.expr(found[part[1]])
    return apply(part[1], *(_built(site, p, found) for p in part[2]))


def scalar_constant(value: Value) -> Any:
    """A constant that is one number, else None."""
    if not value.is_constant or isinstance(value.constant, bool | np.bool_):
        return None
    constant = value.constant
    return constant if isinstance(constant, int | float | complex | np.generic) else None


def is_number(value: Value, number: float) -> bool:
    """Whether ``value`` is the constant ``number``."""
    constant = scalar_constant(value)
    return constant is not None and bool(constant == number)


def is_python(value: Value) -> bool:
    """Whether ``value`` is a Python scalar."""
    return isinstance(value.type, ScalarType)


def rank(value: Value) -> int:
    """The number of axes, 0 for scalars."""
    return value.type.ndim if isinstance(value.type, ArrayType) else 0
