"""What is None on some ways only: tests for that, and what is known behind them.

``best = None`` before a loop, ``y = None`` before a ``try``: afterwards the name holds a
``Maybe``. Behind ``if best is None`` the name is what the test has found it to be. That is
written into the variable, as what it is anyway, so no branch has to hand it out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..machine import Machine
from ..names.captures import Found
from ..names.static import certain
from ..values import Cell, DictObject, Maybe, Ref
from . import conditions

Seen = dict[ast.expr, Any]
"""What the expressions that a test is about held before it."""


def seen(m: Machine, test: ast.expr) -> Seen:
    """What is to be looked at before a test that may change what it is about."""
    targets = [t for outcome in (True, False) for t, _ in _found(test, outcome)]
    return {t: _content(place) for t in targets if (place := _place(m, t)) is not None}


def narrow(m: Machine, test: ast.expr, outcome: bool, before: Seen | None = None) -> None:
    """Note what follows from a test that has come out like this; of what the test itself has
    changed since ``before`` nothing does, but for a name that it assigns and does no more."""
    for target, present in _found(test, outcome):
        place = _place(m, target)
        if place is None:
            continue
        cell, key, entry = place
        held = _content(place)
        same = before is None or before.get(target) is held
        if not isinstance(held, Maybe) or not (same or _assigns_only(test)):
            continue
        new = held.value if present else None
        new = new if entry is None else {**cell.data[key], entry: new}
        m.heap.write(cell, key, new, narrowed=True)


def _found(test: ast.expr, outcome: bool) -> Iterator[tuple[ast.expr, bool]]:
    """What a test says: expressions, and whether they are something else than None."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            yield from _found(operand, not outcome)
        case ast.BoolOp(op, parts) if isinstance(op, ast.And) is outcome:
            for part in parts:
                yield from _found(part, outcome)
        case ast.Compare(left, [ast.Is() | ast.Eq()], [ast.Constant(None)]):
            yield _named(left), not outcome
        case ast.Compare(left, [ast.IsNot() | ast.NotEq()], [ast.Constant(None)]):
            yield _named(left), outcome
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.NamedExpr() if outcome:
            yield _named(test), True


def _assigns_only(test: ast.expr) -> bool:
    """Whether the last thing that a test does is to assign what it is about."""
    while isinstance(test, ast.UnaryOp):
        test = test.operand
    return isinstance(test.left if isinstance(test, ast.Compare) else test, ast.NamedExpr)


def _content(place: tuple[Cell, Any, Any]) -> Any:
    cell, key, entry = place
    return cell.data[key] if entry is None else cell.data[key].get(entry)


def _named(node: ast.expr) -> ast.expr:
    return node.target if isinstance(node, ast.NamedExpr) else node


def _place(m: Machine, node: ast.expr) -> tuple[Cell, Any, Any] | None:
    """The cell in which an expression finds its value, the key there, and for an entry of a dict
    its own key."""
    match node:
        case ast.Name(name):
            frame = m.frame
            while name not in frame.local:
                if frame.parent is None:
                    return None
                frame = frame.parent
            return (frame.scope, name, None) if name in frame.scope.data else None
        case ast.Attribute(ast.Name() as owner, name):
            cell = _held(m, owner)
            if isinstance(cell, Found):
                cell = m.fields.get(id(cell.value))
            known = isinstance(cell, Cell) and not isinstance(cell, DictObject)
            return (cell, name, None) if known and name in cell.data else None
        case ast.Subscript(ast.Name() as owner, ast.Constant(key)):
            cell = _held(m, owner)
            return (cell, "items", key) if isinstance(cell, DictObject) else None
    return None


def _held(m: Machine, node: ast.Name) -> Any:
    place = _place(m, node)
    return None if place is None else place[0].data[place[1]]


def compared(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Any:
    """``is`` and ``==``, and their contraries, of what may be None; ``NotImplemented`` where
    that does not matter."""
    if not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return NotImplemented
    if not isinstance(x, Maybe) and not isinstance(y, Maybe):
        return NotImplemented
    maybe, other = (x, y) if isinstance(x, Maybe) else (y, x)
    equal: bool | Value
    if other is None:
        equal = conditions.negate(m, maybe.present)
        if isinstance(op, ast.Eq | ast.NotEq) and isinstance(maybe.value, Ref):
            raise UnsupportedSyntaxError(
                "this compares an array entry by entry, where it is not None; write `is None`",
                m.span(node),
            )
    else:
        equal = _same(m, node, op, maybe, other)
    positive = isinstance(op, ast.Is | ast.Eq)
    found = equal if positive else conditions.negate(m, equal)
    return m.wrap(found) if isinstance(found, Value) else found


def _same(m: Machine, node: ast.AST, op: ast.cmpop, maybe: Maybe, other: Any) -> Any:
    """Whether what may be None is, or equals, something that is not."""
    from ..operations import compare_values

    kind = ast.Eq() if isinstance(op, ast.Eq | ast.NotEq) else ast.Is()
    if (
        isinstance(other, Maybe)
        or isinstance(maybe.value, Ref)
        and isinstance(kind, ast.Eq)
    ):
        return compare_values(m, node, kind, certain(m, maybe), certain(m, other))

    def rest() -> Any:
        return compare_values(m, node, kind, maybe.value, other)

    both = conditions.both(m, node, maybe.present, maybe.present, rest, True)
    return conditions.truth(m, node, both)


def true(m: Machine, node: ast.AST, x: Maybe) -> bool | Value:
    """Whether what may be None counts as true."""

    def rest() -> bool | Value:
        return conditions.truth(m, node, x.value)

    both = conditions.both(m, node, x.present, x.present, rest, True)
    return conditions.truth(m, node, both)


def behind(
    m: Machine,
    test: ast.expr,
    outcome: bool,
    run: Callable[[], Any],
    before: Seen | None = None,
) -> Callable[[], Any]:
    """``run`` where a test has come out like this."""

    def narrowed() -> Any:
        narrow(m, test, outcome, before)
        return run()

    return narrowed


__all__ = ["Seen", "behind", "compared", "narrow", "seen", "true"]
