"""Calls of the user's own functions: lowered in place."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import SymgradError, UnsupportedFunctionError
from ..ir.structure import SIZE
from ..ir.values import Value
from ..ops.static import NeedsStatic
from .arguments.binding import bind, parameters_of, parameters_of_function
from .control.flow import run
from .dispatch import Flow, NeverReturns
from .machine import MAX_DEPTH, Machine
from .names.lookup import Unsettled
from .names.scope import RESULT, RETURNED, Frame, local_names, nonlocal_names
from .names.specialise import specialise
from .names.static import unwrap
from .recursion import stack as recursion
from .requests import SHAPES, NeedsSpecialisation
from .sources.getsource import Parsed, parse
from .sources.given import Given
from .sources.liveness import Liveness
from .values import Closure, Poison, Ref, Scope, Suspended, new_dict

LENGTHS_DEPTH = 4
"""How deep a recursion on a runtime condition may be before its arrays' lengths are asked for."""

MANY = 40
"""How many calls of itself a function may come to on runtime conditions before a loop is tried:
what calls itself twice, with a limit to the depth, would come to thousands."""


def call_value(
    m: Machine, node: ast.AST, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """The result of any callable on abstract values."""
    from .calls import call_any

    return call_any(m, node, function, tuple(args), dict(kwargs))


def call_closure(
    m: Machine, node: ast.AST, f: Closure, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function that was defined while lowering."""
    parameters = parameters_of(f.node.args)
    names = [a.arg for a in (*f.node.args.posonlyargs, *f.node.args.args)]
    defaults = dict(zip(names[len(names) - len(f.defaults) :], f.defaults, strict=True))
    defaults.update(f.keyword_defaults)
    bound = bind(
        parameters, args, kwargs, defaults.__getitem__, name=f.name, span=m.span(node)
    )
    frame = Frame(
        f.name, f.frame.source, f.frame.parsed, _scope(bound), f.frame, local_names(f.node)
    )
    frame.default = defaults.__getitem__
    frame.nonlocals = nonlocal_names(f.node)
    return enter(m, node, frame, f.node)


def call_python(
    m: Machine,
    node: ast.AST,
    function: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    parsed: Parsed | None = None,
    *,
    library: bool = False,
) -> Any:
    """A Python function with source; ``library``: it is not the user's."""
    found = _parsed(m, node, function) if parsed is None else parsed
    m.captures.code(function)

    def default(name: str) -> Any:
        return unwrap(m, m.captures.default(function, name))

    bound = bind(
        parameters_of_function(function),
        args,
        kwargs,
        default,
        name=function.__qualname__,
        span=m.span(node) if m.frames else None,
    )
    local = local_names(found.node)
    frame = Frame(found.name, found.source, found, _scope(bound), None, local)
    frame.called = m.span(node) if library else None
    frame.default = default
    frame.nonlocals = nonlocal_names(found.node)
    return enter(m, node, frame, found.node)


def _parsed(m: Machine, node: ast.AST, function: types.FunctionType) -> Parsed:
    try:
        return parse(function)
    except SymgradError as error:
        if len(m.frames) > 1 and error.span is not None:
            _tell(error, m.frames[-1], node, function.__name__)
        raise


def _tell(error: SymgradError, caller: Frame, node: ast.AST, name: str) -> None:
    """Say where the function was called that an error is in."""
    error.add_note(f"in `{name}`, called here:\n{caller.span(node).caret()}")


def _scope(bound: dict[str, Any]) -> Scope:
    return Scope({k: new_dict(v) if type(v) is dict else v for k, v in bound.items()})


def enter(m: Machine, node: ast.AST, frame: Frame, definition: Any) -> Any:
    """Run a frame's function; its result."""
    body, frame.liveness = _body(m, definition)
    if frame.liveness.yields:
        return Suspended(frame, definition, node)
    frame.region = m.region
    outer_calls = [f for f in m.frames if f.definition is definition]
    if len(outer_calls) >= LENGTHS_DEPTH and outer_calls[-1].region is not m.region:
        _ask_for_ints(m, frame)
        _ask_for_lengths(m, frame)
    frame.definition = definition
    _check_depth(m, node, frame, len(outer_calls), any(f.looped for f in outer_calls))
    if outer_calls:
        _count(m, node, frame, outer_calls[0])
        return _run(m, node, frame, body)
    return _run_outermost(m, node, frame, body)


def _run_outermost(m: Machine, node: ast.AST, frame: Frame, body: list[ast.stmt]) -> Any:
    """Run a function that may call itself: as it is, or as a loop if that has no end."""
    members = [frame]
    reason: recursion.Endless | None = None
    state = m.checkpoint()
    while True:
        try:
            if reason is None:
                return _run(m, node, frame, body)
            return _run_looped(m, node, frame, members, reason.error)
        except recursion.Endless as endless:
            known = [f.definition for f in members]
            new = [f for f in endless.members if f.definition not in known]
            if not _belongs_here(m, frame, endless):
                raise
            if not frame.looped or new:
                m.restore(state)
                frame.looped, reason = True, endless
                members += new
                continue
            failure: Exception = endless.error
        except (SymgradError, Unsettled, NeedsStatic) as error:
            if reason is None:
                raise
            failure = error
        m.restore(state)
        if not reason or not reason.ends:
            raise _ending(m, failure)
        frame.looped, frame.patient, reason, members = False, True, None, [frame]


def _ending(m: Machine, failure: Exception) -> Exception:
    """What to ask for where a function cannot run as a loop: with the lengths of arrays known, and
    loops written out, it may end when compiling."""
    if not m.captures.static_shapes:
        return NeedsSpecialisation(SHAPES)
    if isinstance(failure, SymgradError) and any(f.loops for f in m.frames):
        return Unsettled(failure)
    return failure


def _count(m: Machine, node: ast.AST, frame: Frame, outermost: Frame) -> None:
    """A loop is tried for a function that calls itself often, and not for known lengths only."""
    outermost.calls += frame.region is not outermost.region
    if outermost.calls <= MANY or outermost.patient or outermost.looped:
        return
    message = f"`{frame.name}` calls itself on conditions that are not known when compiling"
    _loop_instead(m, frame, UnsupportedFunctionError(message, m.span(node)), ends=True)


def _belongs_here(m: Machine, frame: Frame, endless: recursion.Endless) -> bool:
    """Whether a frame is the outermost of those of functions that call each other."""
    definitions = [f.definition for f in endless.members]
    outside = not any(f.definition in definitions for f in m.frames)
    return frame.definition in definitions and outside


def _check_depth(m: Machine, node: ast.AST, frame: Frame, depth: int, looped: bool) -> None:
    """Refuse, or cut, recursion that does not end when compiling; ``looped``: a function that
    is a loop already is called by one that is not part of it."""
    most = MAX_DEPTH + 8 if depth > LENGTHS_DEPTH else 2 * MAX_DEPTH + 5
    if not looped and depth < MAX_DEPTH and len(m.frames) <= most:
        return
    if depth >= MAX_DEPTH:
        _ask_for_ints(m, frame)
    message = (
        f"`{frame.name}` calls itself more than {MAX_DEPTH} times: recursion that does not end "
        "when compiling cannot be compiled; write a loop"
    )
    if depth < MAX_DEPTH:
        message = (
            f"`{frame.name}` is called inside of {len(m.frames)} calls: functions that call "
            "each other without an end when compiling cannot be compiled; write a loop"
        )
    _loop_instead(m, frame, UnsupportedFunctionError(message, m.span(node)), ends=False)


def _loop_instead(
    m: Machine, frame: Frame, error: UnsupportedFunctionError, *, ends: bool
) -> None:
    """Leave all calls of functions that call each other, for a loop."""
    last = max(
        (i for i, f in enumerate(m.frames) if f.definition is frame.definition),
        default=None,
    )
    if last is None:
        raise error
    cycle = [f for f in m.frames[last:] if f.definition is not None]
    if frame.feed is not None or any(f.feed is not None for f in cycle):
        if ends:
            return
        raise error
    raise recursion.Endless(list({f.definition: f for f in cycle}.values()), error, ends)


def _run_looped(
    m: Machine, node: ast.AST, frame: Frame, members: list[Frame], error: SymgradError
) -> Any:
    """Functions that call each other, with a stack of their own."""
    key = (frame.definition, "looped")
    found = m.bodies.get(key)
    if found is None or len(members) > 1 or frame.parent is not None:
        m.frames.append(frame)
        try:
            body, names = recursion.looped(m, members, error)
        finally:
            m.frames.pop()
        found = m.bodies[key] = (body, Liveness(body), frozenset(names))
    body, frame.liveness, added = found
    frame.local |= added
    return _run(m, node, frame, body)


def _run(m: Machine, node: ast.AST, frame: Frame, body: list[ast.stmt]) -> Any:
    frame.done = False
    frame.scope.data[RETURNED] = False
    outer, temps = m.builder.span, len(m.temps)
    m.frames.append(frame)
    try:
        flow: Flow = run(m, body)
        if "return" not in flow:
            raise NeverReturns
        result = frame.scope.data[RESULT]
        if isinstance(result, Poison):
            raise Unsettled(result.error, result.condition, held=result, of=node)
        return result
    except SymgradError as error:
        if len(m.frames) > 2 and frame.called is None and error.span is not None:
            _tell(error, m.frames[-2], node, frame.name)
        raise
    finally:
        frame.done = not frame.shared
        m.frames.pop()
        del m.temps[temps:]
        m.builder.span = outer


def run_generator(m: Machine, x: Suspended) -> Flow:
    """Run a generator from its start; how it ends."""
    frame, node = x.frame, x.call
    body, frame.liveness = _body(m, x.definition)
    frame.region, frame.definition = m.region, x.definition
    depth = sum(f.definition is x.definition for f in m.frames)
    _check_depth(m, node, frame, depth, False)
    m.heap.write(frame.scope, RETURNED, False)
    m.frames.append(frame)
    try:
        return run(m, body)
    finally:
        m.frames.pop()


def _ask_for_ints(m: Machine, frame: Frame) -> None:
    """With the ints known that it counts down, a recursion may end when compiling."""
    for value in frame.scope.data.values():
        specialise(m, value if isinstance(value, Value) else None)


def _ask_for_lengths(m: Machine, frame: Frame) -> None:
    """A recursion over ever smaller arrays ends when compiling if their lengths are known: those
    of the arguments, and the indices of the loops around the calls. Where data decides, it does
    not."""
    for x in frame.scope.data.values():
        if not isinstance(x, Ref) or all(isinstance(n, int) for n in x.type.shape):
            continue
        if not m.captures.static_shapes:
            raise NeedsSpecialisation(SHAPES)
        if any(f.loops for f in m.frames):
            raise NeedsStatic(m.builder.op(SIZE, m.read(x)))


def _body(m: Machine, definition: Any) -> tuple[list[ast.stmt], Liveness]:
    """The statements, ending in a return, and what is live between them."""
    if definition not in m.bodies:
        if isinstance(definition, ast.Lambda):
            body: list[ast.stmt] = [
                ast.copy_location(ast.Return(definition.body), definition.body)
            ]
        else:
            last = definition.body[-1]
            end = [] if isinstance(last, ast.Return) else [ast.Return(Given(None))]
            body = [*definition.body, *(_placed(e, last) for e in end)]
        m.bodies[definition] = (body, Liveness(body))
    found: tuple[list[ast.stmt], Liveness] = m.bodies[definition]
    return found


def _placed(end: ast.Return, last: ast.stmt) -> ast.Return:
    for node in ast.walk(end):
        ast.copy_location(node, last)
    return end
