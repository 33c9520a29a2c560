"""Calls inside of expressions, as statements before them: ``x = a[0] + f(y)`` is
``t = a[0]; r = f(y); x = t + r``, in the order in which Python evaluates it; parts that may not
be evaluated become branches."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from ..sources.given import Given
from .nodes import Again, Elsewhere, assign, method, name, placed, touches

Lifted = tuple[list[ast.stmt], ast.expr]
Refuse = Callable[[ast.AST, str], Exception]


class Lift:
    """Takes expressions apart.

    Args:
        fresh: makes the name of a new variable.
        refuse: the error for what cannot be taken apart.
    """

    def __init__(self, fresh: Callable[[str], str], refuse: Refuse) -> None:
        self.fresh = fresh
        self.refuse = refuse

    @classmethod
    def apart(
        cls, e: ast.expr, part: ast.AST, fresh: Callable[[str], str]
    ) -> Lifted | None:
        """``e`` with one part of it computed ahead; None where that cannot be."""

        def refuse(node: ast.AST, where: str) -> Exception:
            return _NotApart(where)

        marked = copy.deepcopy(e, {id(part): Again([copy.deepcopy(part)])})
        try:
            made, rest = cls(fresh, refuse).expression(marked)
        except _NotApart:
            return None
        back = _PutBack()
        return [placed(back.visit(s), e) for s in made], placed(back.visit(rest), e)

    def expression(self, e: ast.expr) -> Lifted:
        """Statements to run first, and the expression without calls."""
        if not touches(e):
            return [], e
        special = getattr(self, f"_{type(e).__name__.lower()}", None)
        if special is not None:
            found: Lifted = special(e)
            return found
        if isinstance(e, ast.Lambda | ast.DictComp | ast.Yield | ast.YieldFrom):
            raise self.refuse(e, "inside a function or a dict that is made on the way")
        return self._operands(e)

    def _operands(self, e: Any) -> Lifted:
        """Operands from left to right; those before a call are kept in variables."""
        e = copy.copy(e)
        slots = _slots(e)
        renames = any(isinstance(n, ast.NamedExpr) for n in ast.walk(e))
        last = max(i for i, (_, _, child) in enumerate(slots) if touches(child))
        before: list[ast.stmt] = []
        for i, (field, position, child) in enumerate(slots):
            if i > last:
                break
            made, value = self.expression(child)
            before += made
            if i < last and (renames or not _lasting(value)):
                kept = self.fresh("operand")
                before.append(assign(kept, value))
                value = name(kept)
            if position is None:
                setattr(e, field, value)
            else:
                items = list(getattr(e, field))
                items[position] = value
                setattr(e, field, items)
        return before, e

    def _starred(self, e: ast.Starred) -> Lifted:
        made, value = self.expression(e.value)
        return made, ast.Starred(value, e.ctx)

    def _keyword(self, e: Any) -> Any:
        made, value = self.expression(e.value)
        return made, ast.keyword(e.arg, value)

    def _again(self, e: Again) -> Lifted:
        before, call = self._operands(e) if any(map(touches, e.args)) else ([], e)
        kept = self.fresh("call")
        before.append(assign(kept, call))
        return before, name(kept)

    def _call(self, e: ast.Call) -> Lifted:
        if len(e.args) == 1 and isinstance(e.args[0], ast.GeneratorExp):
            return self._consumed(e, e.args[0])
        return self._operands(e)

    def _consumed(self, e: ast.Call, comp: ast.GeneratorExp) -> Lifted:
        """A call that works off a generator; ``any`` and ``all`` stop where it is decided."""
        called = e.func.id if isinstance(e.func, ast.Name) else ""
        made, items = self._loops(comp, called if called in ("any", "all") else "")
        e = copy.copy(e)
        e.args = [items]
        more, rest = self.expression(e)
        return [*made, *more], rest

    def _listcomp(self, e: ast.ListComp) -> Lifted:
        return self._loops(e, "")

    def _generatorexp(self, e: ast.GeneratorExp) -> Lifted:
        return self._loops(e, "")

    def _setcomp(self, e: ast.SetComp) -> Lifted:
        made, items = self._loops(e, "")
        return made, ast.Call(Given(set), [items], [])

    def _loops(self, e: Any, until: str) -> Lifted:
        """A list filled by loops; up to the first element that is true (``any``) or not."""
        e = _with_own_names(e, self.fresh)
        if not until and _is_written_out(e):
            return self._written_out(e)
        filled = self.fresh("items")
        body: list[ast.stmt] = [ast.Expr(method(filled, "append", e.elt))]
        if until and len(e.generators) == 1:
            item = self.fresh("item")
            test: ast.expr = name(item)
            test = test if until == "any" else ast.UnaryOp(ast.Not(), test)
            body = [
                assign(item, e.elt),
                ast.Expr(method(filled, "append", name(item))),
                ast.If(test, [ast.Break()], []),
            ]
        for g in reversed(e.generators):
            for test in reversed(g.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(g.target, g.iter, body, [])]
        return [assign(filled, ast.List([], ast.Load())), *body], name(filled)

    def _written_out(self, e: Any) -> Lifted:
        """The elements for the few written ones of the iterable, one by one."""
        [g] = e.generators
        before: list[ast.stmt] = []
        items: list[ast.expr] = []
        for value in g.iter.elts:
            kept = self.fresh("item")
            before.append(ast.Assign([copy.deepcopy(g.target)], value))
            before.append(assign(kept, copy.deepcopy(e.elt)))
            items.append(name(kept))
        return before, ast.List(items, ast.Load())

    def _ifexp(self, e: ast.IfExp) -> Lifted:
        kept = self.fresh("choice")
        sides = [[assign(kept, value)] for value in (e.body, e.orelse)]
        return [ast.If(e.test, sides[0], sides[1])], name(kept)

    def _boolop(self, e: ast.BoolOp) -> Lifted:
        kept = self.fresh("truth")
        body: list[ast.stmt] = []
        for value in reversed(e.values):
            if not body:
                body = [assign(kept, value)]
                continue
            test: ast.expr = name(kept)
            test = test if isinstance(e.op, ast.And) else ast.UnaryOp(ast.Not(), test)
            body = [assign(kept, value), ast.If(test, body, [])]
        return body, name(kept)

    def _compare(self, e: ast.Compare) -> Lifted:
        if len(e.ops) == 1:
            return self._operands(e)
        left, middle = self.fresh("operand"), self.fresh("operand")
        kept = self.fresh("truth")
        first = ast.Compare(name(left), e.ops[:1], [name(middle)])
        rest = ast.Compare(name(middle), e.ops[1:], e.comparators[1:])
        return [
            assign(left, e.left),
            assign(middle, e.comparators[0]),
            assign(kept, first),
            ast.If(name(kept), [assign(kept, rest)], []),
        ], name(kept)

    def _namedexpr(self, e: ast.NamedExpr) -> Lifted:
        made, value = self.expression(e.value)
        return [*made, ast.Assign([e.target], value)], name(e.target.id)


class _NotApart(Exception):
    """An expression cannot be taken apart."""


class _PutBack(ast.NodeTransformer):
    """Puts back what has been marked."""

    def visit_Again(self, node: Again) -> ast.expr:
        """The one thing that is marked."""
        return node.args[0]


def _slots(e: ast.AST) -> list[tuple[str, int | None, Any]]:
    """The expressions in ``e`` as they are evaluated: field, position in it, expression."""
    if isinstance(e, ast.Dict):
        pairs = zip(e.keys, e.values, strict=True)
        return [
            (field, i, part)
            for i, pair in enumerate(pairs)
            for field, part in zip(("keys", "values"), pair, strict=True)
            if part is not None
        ]
    found: list[tuple[str, int | None, Any]] = []
    for field, value in ast.iter_fields(e):
        if isinstance(value, ast.expr):
            found.append((field, None, value))
        elif isinstance(value, list):
            kinds = (ast.expr, ast.keyword)
            found += [(field, i, v) for i, v in enumerate(value) if isinstance(v, kinds)]
    return found


def _lasting(e: Any) -> bool:
    """Whether it makes no difference if ``e`` is evaluated later."""
    if isinstance(e, ast.Attribute | ast.keyword | ast.Starred):
        return _lasting(e.value)
    if isinstance(e, ast.Slice | ast.JoinedStr):
        return False
    return not isinstance(e, ast.expr) or isinstance(
        e, ast.Name | ast.Constant | Elsewhere | Given
    )


def _is_written_out(e: Any) -> bool:
    """Whether a comprehension is over a list or tuple that is written there."""
    one = e.generators[0]
    displayed = isinstance(one.iter, ast.List | ast.Tuple)
    return displayed and len(e.generators) == 1 and not one.ifs


def _with_own_names(e: Any, fresh: Callable[[str], str]) -> Any:
    """A comprehension with new names for its variables."""
    own = {
        n.id for g in e.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
    }
    new = {old: fresh(old) for old in sorted(own)}
    e = copy.deepcopy(e)
    for n in ast.walk(e):
        if isinstance(n, ast.Name) and n.id in new:
            n.id = new[n.id]
    return e
