"""Comprehensions: over what is known when compiling, element by element."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ..assignments import assign
from ..dispatch import evaluate, expression
from ..expressions import static_key
from ..lists import keyed
from ..machine import Machine
from ..names.lookup import Unsettled
from ..names.scope import Frame, assigned, local_names, own_name
from ..names.specialise import UnknownPositionError, specialise
from ..names.static import plain
from ..protocols import iterated
from ..requests import SHAPES, NeedsSpecialisation
from ..sources.yielding import SOURCE, as_generator
from ..unpacking import ask_for_count, sequence
from ..values import (
    DictObject,
    Iteration,
    ListObject,
    Record,
    Scope,
    Suspended,
    new_list,
    new_set,
)
from . import conditions
from .counting import counted
from .stepping import each, one_by_one


@expression(ast.ListComp)
def list_(m: Machine, node: ast.ListComp | ast.GeneratorExp) -> Any:
    """``[f(x) for x in xs]``; of a generator, what calls of the library's take of it."""
    return listed(m, node, evaluate(m, node.generators[0].iter))


@expression(ast.GeneratorExp)
def generator(m: Machine, node: ast.GeneratorExp) -> Any:
    """``(f(x) for x in xs)``, run by what loops over it."""
    if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
        return list_(m, node)
    first = iterated(m, node, evaluate(m, node.generators[0].iter))
    definition = m.bodies.get((node, "generator"))
    if definition is None:
        definition = m.bodies[node, "generator"] = as_generator(node)
    outer = m.frame
    local = local_names(definition) | {SOURCE}
    scope = Scope({SOURCE: first})
    frame = Frame("<genexpr>", outer.source, outer.parsed, scope, outer, local)
    return Suspended(frame, definition, node)


class _Unknown(UnsupportedSyntaxError):
    """Which elements there are is known at run time only; ``iterable`` is what decides it."""

    iterable: Any = None


def listed(m: Machine, node: ast.ListComp | ast.GeneratorExp, first: Any) -> Any:
    """The elements, the iterable of the first ``for`` being given."""
    items: list[Any] = []
    state = m.checkpoint()
    try:
        _run(m, node, lambda: items.append(evaluate(m, node.elt)), first)
    except _Unknown:
        m.restore(state)
        return _looped(m, node, first)
    return new_list(items)


def drained(m: Machine, node: ast.AST, x: Suspended) -> Any:
    """All that a generator yields, in a list."""
    from ..lists.calls import at

    name = own_name("item")
    item, target = ast.Name(name, ast.Load()), ast.Name(name, ast.Store())
    every = ast.ListComp(item, [ast.comprehension(target, item, [], 0)])
    return _looped(m, at(node, every), x)


def _looped(m: Machine, node: ast.ListComp | ast.GeneratorExp, first: Any) -> Any:
    """The list filled by loops."""
    from ..lists.calls import appending

    return _filled(m, node, first, [appending(node, node.elt)], new_list(()))


def _looped_dict(m: Machine, node: ast.DictComp, first: Any, made: Any) -> Any:
    """The dict filled by loops: a generator goes on when an entry is there."""
    from ..lists.calls import LIST

    entry = ast.Subscript(
        ast.Name(LIST, ast.Load()), ast.Name(_KEY, ast.Load()), ast.Store()
    )
    body: list[ast.stmt] = [
        ast.Assign([ast.Name(_KEY, ast.Store())], node.key),
        ast.Assign([entry], node.value),
    ]
    try:
        return _filled(m, node, first, body, made)
    except Unsettled:
        if m.captures.static_shapes:
            raise
        raise NeedsSpecialisation(SHAPES) from None


_KEY = own_name("key")


def _filled(m: Machine, node: Any, first: Any, body: list[ast.stmt], made: Any) -> Any:
    """What ``body`` makes of ``made`` in the loops of a comprehension."""
    from ..lists.calls import LIST, at
    from .loops import over

    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter, body, [])]
    [loop] = body
    assert isinstance(loop, ast.For)
    span = m.builder.span
    with inside(m, node, LIST, _KEY):
        m.heap.write(m.frame.scope, LIST, made)
        over(m, at(node, loop), first)
        m.builder.span = span
        return m.frame.scope.data[LIST]


@expression(ast.SetComp)
def set_(m: Machine, node: ast.SetComp) -> Any:
    """``{f(x) for x in xs}`` of static values."""
    items: set[Any] = set()

    def add() -> None:
        try:
            items.add(plain(m, evaluate(m, node.elt)))
        except LookupError:
            raise UnsupportedSyntaxError(
                "a set of runtime values cannot be compiled; use a list", m.span(node)
            ) from None

    _run_static(m, node, add, evaluate(m, node.generators[0].iter))
    return new_set(items)


@expression(ast.DictComp)
def dict_(m: Machine, node: ast.DictComp) -> Any:
    """``{k: f(k) for k in ks}`` with static keys."""
    items: dict[Any, Any] = {}
    first = iterated(m, node, evaluate(m, node.generators[0].iter))
    made = keyed.made(m, node, {})
    if isinstance(first, Suspended) or isinstance(made, Record):
        return _looped_dict(m, node, first, made)

    def add() -> None:
        with keyed.needed_by(m, made):
            key = static_key(m, node.key, evaluate(m, node.key))
        items[key] = evaluate(m, node.value)

    with keyed.needed_by(m, made):
        _run_static(m, node, add, first)
    return keyed.made(m, node, items)


@contextmanager
def inside(m: Machine, node: Any, *own: str) -> Iterator[None]:
    """With the variables of a comprehension in sight, and ``own`` ones."""
    names = set(own)
    for generator in node.generators:
        assigned(generator.target, names)
    outer = m.frame
    frame = Frame(
        outer.name, outer.source, outer.parsed, Scope({}), outer, frozenset(names)
    )
    m.frames.append(frame)
    try:
        yield
    finally:
        m.frames.pop()


def _run(m: Machine, node: Any, add: Callable[[], None], first: Any) -> None:
    with inside(m, node):
        _level(m, node.generators, 0, first, add)


def _run_static(
    m: Machine, node: ast.SetComp | ast.DictComp, add: Callable[[], None], first: Any
) -> None:
    """Where no loop can fill what the comprehension makes."""
    try:
        _run(m, node, add, first)
    except _Unknown as unknown:
        ask_for_count(m, unknown.iterable)
        raise UnknownPositionError(unknown.message, unknown.span) from None


def _level(
    m: Machine,
    generators: list[ast.comprehension],
    position: int,
    first: Any,
    add: Callable[[], None],
) -> None:
    if position == len(generators):
        add()
        return
    generator = generators[position]
    iterable = first if position == 0 else evaluate(m, generator.iter)
    for item in _items(m, generator.iter, iterable):
        assign(m, generator.target, item)
        if all(_static_test(m, test) for test in generator.ifs):
            _level(m, generators, position + 1, None, add)


def _items(m: Machine, node: ast.expr, iterable: Any) -> Iterable[Any]:
    iterable = iterated(m, node, iterable)
    plan = counted(m, node, iterable)
    if plan is not None:
        if plan.rounds is not None:
            return map(plan.item, range(plan.start, plan.stop, plan.step))
        for bound in (plan.start, plan.stop, plan.step):
            specialise(m, bound if isinstance(bound, Value) else None)
    items: Iterable[Any] | None = None
    if plan is None and isinstance(iterable, Iteration | ListObject | DictObject):
        known = one_by_one(m, node, iterable).rounds is not None
        items = each(m, node, iterable) if known else None
    elif plan is None and not isinstance(iterable, Suspended):
        items = sequence(m, node, iterable)
    if items is None:
        unknown = _Unknown(
            "the number of elements is known at run time only: compute on the whole array, or "
            "fill an array in a loop",
            m.span(node),
        )
        unknown.iterable = iterable
        raise unknown
    return items


def _static_test(m: Machine, node: ast.expr) -> bool:
    test = conditions.tested(m, node)
    if isinstance(test, Value):
        raise _Unknown(
            "which elements there are must be known when compiling; use a mask on an array",
            m.span(node),
        )
    return test
