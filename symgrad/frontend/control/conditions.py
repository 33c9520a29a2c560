"""Truth: of static objects now, of runtime values as a value; ``and``, ``or``, ``not``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from ...errors import ShapeError, UnsupportedSyntaxError
from ...ir.expr import Expr, apply
from ...ir.types import BOOL, ArrayType, ScalarType
from ...ir.values import Op, Value
from .. import protocols
from ..dispatch import NeverReturns, evaluate, expression
from ..lists import calls as list_calls
from ..machine import Machine, Region
from ..memory.storage import load_item
from ..names.captures import Found, is_container
from ..names.static import opened
from ..values import (
    DictObject,
    ListObject,
    Maybe,
    Range,
    Record,
    Ref,
    Rows,
    SetObject,
    is_long,
)
from . import branches, nones, ranges


def truth(m: Machine, node: ast.AST, x: Any) -> bool | Value:
    """Whether ``x`` counts as true: a static bool, or a runtime one."""
    if isinstance(x, Found):
        x = m.captures.inner(x)
    if isinstance(x, Found) and is_container(x.value):
        x = opened(m, x)
    if isinstance(x, Maybe):
        return nones.true(m, node, x)
    if isinstance(x, Rows):
        x = list_calls.listed(m, x)
    if is_long(x):
        return list_calls.is_positive(m, node, x)  # type: ignore[no-any-return]
    if isinstance(x, Ref):
        return _array_truth(m, node, x)
    if isinstance(x, Value):
        x = m.wrap(x)
    if isinstance(x, Value):
        return _scalar_truth(m, node, x)
    if isinstance(x, ListObject | DictObject | SetObject):
        return bool(x.items)
    if isinstance(x, Range):
        return truth(m, node, ranges.length(m, node, x))
    if isinstance(x, Record):
        for name in ("__bool__", "__len__"):
            answer = protocols.call_special(m, node, x, name)
            if answer is not NotImplemented:
                return truth(m, node, answer)
        return True
    if isinstance(x, Found):
        cls = type(x.value)
        if not hasattr(cls, "__bool__") and not hasattr(cls, "__len__"):
            return True  # as the code relies on the class, whatever the object is
        m.captures.pin_state(x)
        return bool(x.value)
    return bool(x)


def tested(m: Machine, node: ast.expr) -> bool | Value:
    """Whether an expression counts as true, where nothing but that is asked of it: what
    ``and`` and ``or`` return need not be of one type."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return negate(m, tested(m, node.operand))
    if isinstance(node, ast.BoolOp):
        return _tested_chain(m, node, node.values, isinstance(node.op, ast.And))
    return truth(m, node, evaluate(m, node))


def _tested_chain(
    m: Machine, node: ast.BoolOp, parts: list[ast.expr], is_and: bool
) -> bool | Value:
    before = nones.seen(m, parts[0])
    first = tested(m, parts[0])
    if len(parts) == 1:
        return first
    if isinstance(first, bool):
        return _tested_chain(m, node, parts[1:], is_and) if first is is_and else first

    def rest() -> bool | Value:
        return _tested_chain(m, node, parts[1:], is_and)

    behind = nones.behind(m, parts[0], is_and, rest, before)
    found = truth(m, node, both(m, node, first, first, behind, is_and))
    return _decided(found, first, is_and)


def _decided(found: bool | Value, first: Value, is_and: bool) -> bool | Value:
    """A chain whose rest is known when compiling: that decides, or does not matter."""
    op = found.op if isinstance(found, Value) else None
    if op is None or not op.name.startswith("logical_") or op.inputs[:1] != (first,):
        return found
    rest = op.inputs[1].op if len(op.inputs) > 1 else None
    if rest is None or rest.name != "const":
        return found
    return first if bool(rest.attrs["value"]) is is_and else not is_and


def _scalar_truth(m: Machine, node: ast.AST, x: Value) -> Value:
    if not isinstance(x.type, ArrayType | ScalarType):
        raise UnsupportedSyntaxError(f"{x.type} has no truth value here", m.span(node))
    if x.type == BOOL or x.type.dtype.kind == "b":
        return x
    zero = 0 if x.type.dtype.kind in "iu" else 0.0
    return apply("not_equal", Expr(m.builder, x), zero).value  # type: ignore[no-any-return]


def _array_truth(m: Machine, node: ast.AST, x: Ref) -> bool | Value:
    lengths = [m.builder.dims.canonical(d) for d in x.type.shape]
    if all(n == 1 for n in lengths):
        return truth(m, node, load_item(m, node, x, (0,) * len(lengths)))
    raise UnsupportedSyntaxError(
        "the truth value of an array with more than one element is ambiguous; use a.any() or "
        "a.all()",
        m.span(node),
    )


def as_value(m: Machine, x: bool | Value) -> Value:
    """A truth as a runtime value."""
    return x if isinstance(x, Value) else m.builder.const(x)


def negate(m: Machine, x: bool | Value) -> bool | Value:
    """``not x``."""
    if isinstance(x, bool):
        return not x
    return apply("logical_not", Expr(m.builder, x)).value  # type: ignore[no-any-return]


def either(m: Machine, truths: list[bool | Value]) -> bool | Value:
    """Whether any of several flags is set."""
    if any(t is True for t in truths):
        return True
    runtime = [t for t in truths if isinstance(t, Value)]
    if not runtime:
        return False
    total = Expr(m.builder, runtime[0])
    for other in runtime[1:]:
        total = apply("logical_or", total, Expr(m.builder, other))
    return total.value


def all_of(m: Machine, truths: Iterable[tuple[Value, bool]]) -> Value:
    """Whether every one of some flags is as it is said to be."""
    first, *others = (
        Expr(m.builder, as_value(m, truth if way else negate(m, truth)))
        for truth, way in truths
    )
    for other in others:
        first = apply("logical_and", first, other)
    return first.value


@expression(ast.BoolOp)
def bool_op(m: Machine, node: ast.BoolOp) -> Any:
    """``a and b``, ``a or b``."""
    return _chain(m, node, list(node.values), isinstance(node.op, ast.And))


def _chain(m: Machine, node: ast.BoolOp, parts: list[ast.expr], is_and: bool) -> Any:
    before = nones.seen(m, parts[0])
    first = evaluate(m, parts[0])
    if len(parts) == 1:
        return first
    test = truth(m, parts[0], first)
    if isinstance(test, bool):
        return _chain(m, node, parts[1:], is_and) if test is is_and else first
    if isinstance(first, Maybe) and not is_and:
        first = first.value  # None is not true
    more = partial(_chain, m, node, parts[1:], is_and)
    rest = nones.behind(m, parts[0], is_and, more, before)
    return both(m, node, first, test, rest, is_and)


def both(
    m: Machine, node: ast.AST, first: Any, test: Value, rest: Any, is_and: bool
) -> Any:
    """``first and rest()`` where the truth of ``first`` is a runtime value."""
    region = m.new_region()
    mark = m.heap.mark
    second: Any = None
    with m.inside(region), suppress(NeverReturns, ShapeError):
        second = rest()
    if m.heap.mark == mark and _is_bool(first) and _is_bool(second) and _harmless(region):
        for op in region.builder.ops:
            m.builder.ops.append(op)
            for value in op.results:
                m.builder.bind(value)
        name = "logical_and" if is_and else "logical_or"
        values = [Expr(m.builder, as_value(m, v)) for v in (first, second)]
        return m.wrap(apply(name, *values).value)
    m.heap.undo(mark)
    if is_and:
        return branches.choose(m, node, test, rest, lambda: first)
    return branches.choose(m, node, test, lambda: first, rest)


def _is_bool(x: Any) -> bool:
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | ScalarType) and x.type.dtype.kind == "b"
    return isinstance(x, bool)


def _harmless(region: Region) -> bool:
    """Whether all that was computed may be computed in any case: it cannot raise."""
    return not any(_may_raise(op) for op in region.builder.ops)


def _may_raise(op: Op) -> bool:
    kind = op.kind
    if op.regions or kind.has("effect") or kind.has("random") or kind.has("store"):
        return True
    if kind.name in ("index", "gather") or kind.has("gives") or kind.has("list"):
        return True
    scalars = bool(op.inputs) and all(isinstance(v.type, ScalarType) for v in op.inputs)
    return scalars and kind.has("elementwise") and kind.name not in _TOTAL


_TOTAL = frozenset(
    """add subtract multiply negative absolute less less_equal greater greater_equal equal
    not_equal logical_and logical_or logical_not maximum minimum""".split()
)
