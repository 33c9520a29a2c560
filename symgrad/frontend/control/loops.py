"""Loops: they stay loops where they can, and are unrolled where they must be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ...errors import AliasError, UnsupportedSyntaxError
from ...ir.values import Block, Value
from ...ops.static import NeedsStatic
from ...ops.written import iterating
from ..assignments import assign
from ..dispatch import NEXT, Flow, NeverReturns, evaluate, statement
from ..heap import reaches
from ..lists import growing
from ..lists.replacing import RunThrough, having, replace_rows
from ..lists.written import call
from ..machine import Machine
from ..names.lookup import Unsettled, unbound
from ..names.scope import flagged
from ..names.specialise import hangs_on_entries, origins, specialise
from ..operations import compare_values
from ..protocols import iterated
from ..unpacking import sequence
from ..values import DictObject, Iteration, ListObject, Suspended, birth
from ..values import Iterator as Iterated
from . import branches, conditions, generators, kinds, nones
from .carrying import ROUNDS, Carrying, awaiting
from .counting import Counted, arithmetic, counted
from .flow import left_for_good, run, where_run
from .rounds import one_round, unroll, unrolled
from .stepping import MOST, each, moved, one_by_one
from .widening import widen

T = TypeVar("T")
Elements = Callable[[], Iterable[Any]]
"""Begins to run through elements: each is made when it is asked for."""
FEW = 100
"""Up to so many known rounds, lists that grow have their loop unrolled."""


@statement(ast.For)
def for_(m: Machine, node: ast.For) -> Flow:
    """``for``: over arrays and ranges a loop, over what is known when compiling unrolled."""
    return over(m, node, evaluate(m, node.iter))


def over(m: Machine, node: ast.For, iterable: Any, given: Counted | None = None) -> Flow:
    """The loop over what has been evaluated; ``given`` counts over a part of it."""
    moving = False
    if isinstance(iterable, Iterated):
        from ..advancing import rest

        widen(m, node)
        iterable, given = rest(m, node, iterable)
        moving = given is not None
    iterable = iterated(m, node.iter, iterable)
    m.temps.append(iterable)
    m.frame.loops.append(node)
    m.temps[-1] = iterable = widen(m, node, iterable)
    m.running.append(iterable)
    state = m.checkpoint()
    try:
        if isinstance(iterable, Suspended):
            return after_loop(m, node, generators.consume(m, node, iterable))
        plan = given or counted(m, node.iter, iterable)
        if plan is not None and plan.rounds != 0:
            try:
                ends = _filled(m, node, plan) or _runtime_for(m, node, plan)
                if moving and moved(m, iterable, state.mark):
                    raise _run_through(m, node)
                if given is None and moved(m, iterable, state.mark):
                    m.restore(state)
                    asked = call(m, node.iter, iterating.rest, Iterated(iterable))
                    ends = generators.consume(m, node, asked)
                return after_loop(m, node, ends)
            except (NeedsStatic, Unsettled) as reason:
                m.restore(state)
                flow = _in_another_way(m, node, iterable, plan, reason, state)
                if flow is not None:
                    return after_loop(m, node, flow)
                items = _unrollable(m, plan, reason)
        else:
            items = list if plan is not None else _items(m, node, iterable)
        return after_loop(m, node, unroll(m, node, items))
    except RunThrough as changed:
        if not reaches([iterable], changed.rows):
            raise
        if given is not None:
            raise _run_through(m, node) from None
        m.restore(state)
        m.running[-1] = None
        again = having(iterable, changed.rows, replace_rows(m, node, changed.rows))
    finally:
        m.frame.loops.pop()
        m.running.pop()
        del m.temps[state.temps - 1 :]
    return over(m, node, again)


def _run_through(m: Machine, node: ast.AST) -> AliasError:
    text = "a list changes while an iterator runs through it; run through a copy of it"
    return AliasError(text, m.span(node))


def _filled(m: Machine, node: ast.For, plan: Counted) -> Flow | None:
    """The loop where it fills lists that can be arrays; None where it does not."""
    growths = growing.found(m, node, plan)
    if not growths:
        return None
    state = m.checkpoint()
    try:
        return growing.fill(m, node, plan, growths, _runtime_for)
    except Unsettled:
        m.restore(state)
        return None
    finally:
        for growth in growths:
            m.appends.pop(growth.statement, None)


def _items(m: Machine, node: ast.For, iterable: Any) -> Elements:
    if not isinstance(iterable, Iteration | ListObject | DictObject):
        listed = sequence(m, node.iter, iterable)
        if listed is not None:
            return lambda: listed
    elif one_by_one(m, node.iter, iterable).rounds is not None:
        return lambda: each(m, node.iter, iterable)
    raise UnsupportedSyntaxError(
        "this mix of arrays and lists cannot be looped over: loop over range(len(...)) and "
        "index instead",
        m.span(node.iter),
    )


def _in_another_way(
    m: Machine, node: ast.For, iterable: Any, plan: Counted, reason: Any, state: Any
) -> Flow | None:
    """A loop whose variables do not settle: with its first round before it, which is sure to be
    there where nothing may stay None, with variables that are None in some rounds, or of different
    kinds. None if nothing helps."""
    if not isinstance(reason, Unsettled):
        return None

    def again() -> Flow:
        plan = counted(m, node.iter, iterable)
        assert plan is not None
        return _runtime_for(m, node, plan)

    def nones() -> Flow | None:
        return _with_nones(m, reason, again)

    ways = [lambda: _first_apart(m, node, iterable), nones]
    if plan.rounds is None:
        ways = [*reversed(ways), partial(kinds.around, m, node, again)]
    for way in ways:
        flow = way()
        if flow is not None:
            return flow
        m.restore(state)
    return None


def _first_apart(m: Machine, node: ast.For, iterable: Any) -> Flow | None:
    """The loop with its first round before it: ``total = 0`` that becomes an array, or
    ``best = None``, settle then. None if that does not help."""
    plan = counted(m, node.iter, iterable)
    if plan is None or not isinstance(plan.step, int):
        return None
    entered = _entered(m, node, plan)
    if isinstance(entered, Value):
        text = (
            f"the loop `{m.span(node).text}` has to run at least once, because what it adds to "
            "has another type before its first round; start with an array such as np.zeros(...)"
        )
        m.builder.op("require", entered, error="ValueError", args=(text,))
    try:
        assign(m, node.target, plan.item(plan.start))
        if one_round(m, node) != NEXT:
            return None
        start = arithmetic(m, node, ast.Add, plan.start, plan.step)
        rest = replace(plan, start=start)
        return NEXT if rest.rounds == 0 else _runtime_for(m, node, rest)
    except (NeedsStatic, Unsettled):
        return None


def _unrollable(m: Machine, plan: Counted, reason: NeedsStatic | Unsettled) -> Elements:
    """The rounds of a loop that cannot stay one, as far as they are known."""
    if isinstance(reason, NeedsStatic) and all(v in m.paths for v in origins(reason.value)):
        raise reason
    if isinstance(reason, NeedsStatic) and reason.maker and hangs_on_entries(reason.value):
        raise reason
    if plan.rounds is None:
        for bound in (plan.start, plan.stop, plan.step):
            specialise(m, bound if isinstance(bound, Value) else None, by_lengths=True)
        raise reason
    if plan.rounds > MOST:
        raise reason
    indices = range(plan.start, plan.stop, plan.step)
    return lambda: map(plan.item, indices)


def _runtime_for(m: Machine, node: ast.For, plan: Counted) -> Flow:
    """A ``for`` op; how its body can end."""
    return _with_picking(m, lambda picking: _for_op(m, node, plan, picking))


def _with_picking(m: Machine, lower: Callable[[bool], T]) -> T:
    """A loop lowered; where it writes to arrays that change places, once more such that the
    running code keeps track of which is which."""
    state = m.checkpoint()
    if m.picking:
        return lower(True)
    try:
        return lower(False)
    except AliasError as error:
        m.restore(state)
        try:
            return lower(True)
        except AliasError:
            raise error from None


def _with_nones(
    m: Machine, reason: NeedsStatic | Unsettled, lower: Callable[[], T]
) -> T | None:
    """A loop in which a variable is None in some rounds only, as the running code can tell;
    None where that is not what is the matter with it."""
    if m.nones or not isinstance(reason, Unsettled) or not reason.nones:
        return None
    m.nones = True
    try:
        return lower()
    except (NeedsStatic, Unsettled):
        return None
    finally:
        m.nones = False


def _for_op(m: Machine, node: ast.For, plan: Counted, picking: bool) -> Flow:
    start, stop, step = (
        x if isinstance(x, Value) else m.builder.const(x)
        for x in (plan.start, plan.stop, plan.step)
    )
    name = node.target.id if isinstance(node.target, ast.Name) and plan.is_range else "i"
    carrying = _carrying(m, node, picking)
    carrying.may_grow = plan.rounds is None or plan.rounds > FEW

    def body(b: Any) -> tuple[list[Value], Flow]:
        index = b.index_param(_least(start, stop, step), name)
        params = carrying.enter(m, b)
        try:
            assign(m, node.target, plan.item(index))
        except NeverReturns:
            return [index, *params], frozenset()
        return [index, *params], where_run(m, partial(one_round, m, node))

    block, flow, breaks = _settle(m, node, carrying, body)
    inits = carrying.inits(m)
    results = m.builder.for_(start, stop, step, inits, block, breaks=breaks)
    carrying.finish(m, iter(results), _entered(m, node, plan) if carrying.bound else None)
    return flow


def _least(start: Value, stop: Value, step: Value) -> int | None:
    """What the index is nowhere less than, where that is known."""
    if not isinstance(step.dim, int):
        return None
    first, bound = start.dim, stop.dim
    if step.dim > 0:
        return first if isinstance(first, int) else None
    return bound + 1 if isinstance(bound, int) else None


def _carrying(m: Machine, node: ast.For | ast.While, picking: bool) -> Carrying:
    """What is carried at first; where it matters afterwards, no ``break`` has been met yet."""
    if node.orelse:
        m.heap.write(m.frame.scope, ("break", node), False)
    carrying = Carrying(node, picking=picking)
    carrying.guess(m)
    return carrying


def _entered(m: Machine, node: ast.For, plan: Counted) -> bool | Value | None:
    """Whether a loop has at least one round, where that is easily said."""
    if plan.rounds is not None:
        return plan.rounds > 0
    if not isinstance(plan.step, int):
        return None
    op = ast.Lt() if plan.step > 0 else ast.Gt()
    return conditions.truth(m, node, compare_values(m, node, op, plan.start, plan.stop))


def _settle(
    m: Machine,
    node: ast.For | ast.While,
    carrying: Carrying,
    body: Callable[[Any], tuple[list[Value], Flow]],
) -> tuple[Block, Flow, bool]:
    """Lower the body until what is carried does not change any more."""
    for _ in range(ROUNDS):
        mark, temps = m.heap.mark, len(m.temps)
        region = m.new_region()
        try:
            with awaiting(m, node) as read, m.inside(region) as b:
                params, flow = body(b)
                if carrying.grow(m, mark, flow):
                    continue
                if read:
                    raise unbound(m, read[0])
                leave = _leave(m, node, flow)
                results = carrying.leave(m)
                breaks = leave is not False
                if breaks:
                    results.insert(0, conditions.as_value(m, leave))
                return b.block(params, results), flow, breaks
        finally:
            m.heap.undo(mark)
            del m.temps[temps:]
    raise Unsettled(
        UnsupportedSyntaxError(
            "the types or shapes of this loop's variables do not settle: they change from "
            "round to round",
            m.span(node),
        )
    )


def _leave(m: Machine, node: ast.For | ast.While, flow: Flow) -> bool | Value:
    """Whether the loop is left after this round."""
    data = m.frame.scope.data
    flags = [data.get(("break", node), False)] if "break" in flow else []
    return conditions.either(m, flags + left_for_good(m, flow))


def after_loop(m: Machine, node: ast.For | ast.While, flow: Flow) -> Flow:
    """``else`` of a loop, and how the whole loop ends."""
    out = flow & {"return", "raise"}
    ends: Flow = NEXT | out
    if not node.orelse:
        return ends
    m.frame.loops.append(m.frame.loops[-2] if len(m.frame.loops) > 1 else node)
    try:
        left = escaped_loop(m, node, flow)
        if left is True:
            return ends
        if left is False:
            return run(m, node.orelse) | out
        then = branches.lower_side(m, lambda: ends)
        orelse = branches.lower_side(m, lambda: run(m, node.orelse))
        return branches.join_sides(m, node, left, then, orelse)
    finally:
        m.frame.loops.pop()


def escaped_loop(m: Machine, node: ast.For | ast.While, flow: Flow) -> bool | Value:
    """Whether the loop was left by ``break`` or ``return``."""
    data = m.frame.scope.data
    flags = [data.get(("break", node), False)] if "break" in flow else []
    return conditions.either(m, flags + left_for_good(m, flow))


# -------------------------------------------------------------------------------- while
@statement(ast.While)
def while_(m: Machine, node: ast.While) -> Flow:
    """``while``."""
    m.frame.loops.append(node)
    widen(m, node)
    state = m.checkpoint()
    try:
        first = _scratch_test(m, node)
        if first is False:
            return after_loop(m, node, NEXT)
        fixed = isinstance(first, bool) and not isinstance(node.test, ast.Constant)
        try:
            flow, endless = _runtime_while(m, node, may_grow=not fixed)
        except (NeedsStatic, Unsettled) as reason:
            m.restore(state)
            again = partial(_runtime_while, m, node, may_grow=True)
            found = _with_nones(m, reason, again)
            if found is not None:
                return _after_while(m, node, *found)
            m.restore(state)
            if not isinstance(first, bool):
                found = kinds.around(m, node, again)
                if found is None:
                    raise
                return _after_while(m, node, *found)
            try:
                tests = _tests(m, node, reason)
                return after_loop(m, node, unrolled(m, node, tests, reason))
            except Unsettled:
                m.restore(state)
                found = kinds.around(m, node, again)
                if found is not None:
                    return _after_while(m, node, *found)
                if not fixed or not isinstance(reason, Unsettled):
                    raise
                m.restore(state)
                flow, endless = _while_that_grows(m, node, state)
        return _after_while(m, node, flow, endless)
    finally:
        m.frame.loops.pop()


def _while_that_grows(m: Machine, node: ast.While, state: Any) -> tuple[Flow, bool]:
    lower = partial(_runtime_while, m, node, may_grow=True)
    try:
        return lower()
    except Unsettled as reason:
        m.restore(state)
        found = _with_nones(m, reason, lower)
        if found is None:
            raise
        return found


def _after_while(m: Machine, node: ast.While, flow: Flow, endless: bool) -> Flow:
    if not node.orelse and not flow & {"break", "return", "raise"}:
        nones.narrow(m, node.test, False)
    ends = after_loop(m, node, flow)
    return ends - NEXT if endless and "break" not in flow else ends


def _scratch_test(m: Machine, node: ast.While) -> bool | Value:
    """The test before the first round, without leaving a trace."""
    mark = m.heap.mark
    try:
        with m.inside(m.new_region()):
            return conditions.tested(m, node.test)
    except NeverReturns:
        m.heap.undo(mark)
        return conditions.tested(m, node.test)
    finally:
        m.heap.undo(mark)


def _runtime_while(m: Machine, node: ast.While, *, may_grow: bool) -> tuple[Flow, bool]:
    return _with_picking(m, lambda picking: _while_op(m, node, may_grow, picking))


def _while_op(
    m: Machine, node: ast.While, may_grow: bool, picking: bool
) -> tuple[Flow, bool]:
    carrying = _carrying(m, node, picking)
    carrying.may_grow = may_grow

    def body(b: Any) -> tuple[list[Value], Flow]:
        params = carrying.enter(m, b)
        inside = nones.behind(m, node.test, True, partial(one_round, m, node))
        return params, where_run(m, inside)

    block, flow, breaks = _settle(m, node, carrying, body)
    condition, endless = _condition(m, node, carrying)
    inits = carrying.inits(m)
    results = m.builder.while_(inits, condition, block, breaks=breaks)
    carrying.finish(m, iter(results))
    return flow, endless


def _condition(m: Machine, node: ast.While, carrying: Carrying) -> tuple[Block, bool]:
    mark = m.heap.mark
    try:
        with m.inside(m.new_region()) as b:
            params = carrying.enter(m, b)
            entered, now = m.heap.mark, birth()
            test = kinds.tested(m, node.test)
            changes = m.heap.changes(entered).values()
            if any(
                c.cell.birth < now and not flagged(c.key) and not c.narrowed
                for c in changes
            ):
                raise UnsupportedSyntaxError(
                    "the condition of a loop must not change anything; assign in the body",
                    m.span(node.test),
                )
            return b.block(params, [conditions.as_value(m, test)]), test is True
    finally:
        m.heap.undo(mark)


def _tests(m: Machine, node: ast.While, reason: NeedsStatic | Unsettled) -> Iterator[None]:
    """The tests of a loop whose test is known each time, as long as they hold."""
    for _ in range(MOST):
        test = conditions.tested(m, node.test)
        if not isinstance(test, bool):
            raise reason
        if not test:
            return
        yield
    raise reason
