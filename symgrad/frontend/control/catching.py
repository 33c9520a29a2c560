"""``except``: what may be raised in a ``try`` is found out before it is done.

An operation that may raise what is caught is tried first; whether it succeeds is a value, and
what comes after it is a branch on that, whose other side is the ``except``. So nothing is raised
that is caught, and derivatives see branches. The branch is opened in the middle of an expression
and closed at the end of the block around, which is why it is kept as ``Pending``.

Where the ``try`` is in another function or around a loop, a flag says that something has been
raised, and everything up to the ``try`` is left, as by ``return``.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...errors import (
    CallError,
    IndexingError,
    ShapeError,
    SymgradError,
    UnsupportedSyntaxError,
)
from ...ir.indexing import is_basic
from ...ir.values import Op, Value
from ...ops import TABLE
from ...ops.raising import Errors, raised_by, same, tried
from ...source import Span
from ..dispatch import NEXT, Flow, NeverReturns, evaluate
from ..machine import Machine, Region
from ..names.captures import Found
from ..names.scope import Frame, loaded
from ..names.static import unwrap
from ..sources import texts
from ..values import MISSING, Poison, Scope, birth
from . import branches, conditions
from . import flow as flows

_SURE = (ArithmeticError, ImportError, LookupError)
_ERROR = "<error>"
"""Key in a try's own scope: what has been raised."""


@dataclass(frozen=True, slots=True, eq=False)
class Trying:
    """A ``try`` whose body is being lowered. ``flags`` says which ``except`` is to run, where
    that is decided inside of loops or calls."""

    node: ast.Try
    frame: Frame
    catches: tuple[Errors, ...]
    around: tuple[int, ...]
    errstates: Any
    flags: Scope
    reads: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """The rest of a block, in a branch of its own: ``otherwise`` is the other side. In the branch
    ``tested`` raises none of ``errors``."""

    outer: Region
    inner: Region
    mark: int
    condition: Value
    otherwise: Callable[[], Flow]
    node: ast.AST
    tested: Op | None
    errors: Errors

    def excludes(self, op: Op, error: type[BaseException]) -> bool:
        """Whether an operation does not raise this in the branch, since the same one did not."""
        return error in self.errors and self.tested is not None and same(self.tested, op)


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """What an ``except`` has caught: ``again`` raises it once more, ``value`` is the exception;
    ``lasting``: that can be done outside of the block where it was raised."""

    again: Callable[[Machine], None]
    value: Any
    lasting: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Jump:
    """To which ``except`` of which ``try`` an exception goes."""

    trying: Trying
    position: int
    raised: Raised


def handler_of(m: Machine, cls: type[BaseException]) -> tuple[Trying, int] | None:
    """Which ``except`` catches an exception of this class."""
    for trying in reversed(m.tryings):
        for position, classes in enumerate(trying.catches):
            if issubclass(cls, classes):
                return trying, position
    return None


# ------------------------------------------------------------------- what may be raised
def watched(m: Machine) -> None:
    """After an expression or a statement: open a branch at every new op that may raise what
    is caught."""
    region = m.region
    ops = region.builder.ops
    m.settled = min(m.settled, m.heap.mark)
    for position in range(min(region.seen, len(ops)), len(ops)):
        op = ops[position]
        if op.name == "raise":
            continue
        found = _caught(m, op)
        if found:
            _open_at(m, position, op, found)
            return
    region.seen = len(ops)
    m.settled, m.settled_at = m.heap.mark, birth()


def _caught(m: Machine, op: Op) -> dict[tuple[Trying, int], list[type[BaseException]]]:
    found: dict[tuple[Trying, int], list[type[BaseException]]] = {}
    for cls in raised_by(op):
        handler = handler_of(m, cls)
        if handler is not None and not any(p.excludes(op, cls) for p in m.pending):
            found.setdefault(handler, []).append(cls)
    return found


def _open_at(m: Machine, position: int, op: Op, found: dict[Any, Any]) -> None:
    """Move an op, and what comes after it, to a branch where it succeeds."""
    outer = m.region
    b = outer.builder
    mark = m.settled
    moved = b.ops[position:]
    made = {id(o) for o in moved}
    learnt = dict(b.bindings)
    del b.ops[position:]
    outer.seen = position
    inner_reads = {k: v for k, v in outer.reads.items() if id(v.op) in made}
    for key in inner_reads:
        del outer.reads[key]
    b.bindings = {k: v for k, v in learnt.items() if id(v[0].op) not in made}
    b.lengths = {k: v for k, v in b.lengths.items() if id(v.op) not in made}
    for (trying, number), errors in found.items():
        condition = _succeeds(m, op, tuple(errors))
        raised = Raised(partial(_again, op), _unknown(op.span))
        leave = partial(jump, m, Jump(trying, number, raised))
        open_branch(m, condition, leave, mark, op, tuple(errors))
        mark = m.heap.mark
    inner = m.region
    inner.birth = m.settled_at  # what was made along with the op is made in the branch
    rest = moved[1:] if op.name == "require" else moved
    inner.builder.ops += rest
    inner.builder.bindings |= {k: v for k, v in learnt.items() if id(v[0].op) in made}
    inner.reads.update(inner_reads)
    inner.seen = 1 if rest and rest[0] is op else 0
    watched(m)


def _succeeds(m: Machine, op: Op, errors: Errors) -> Value:
    """Whether an op raises none of these errors."""
    b = m.builder
    if op.name == "require":
        return op.inputs[0]
    kind, inputs, attrs = op.kind, op.inputs, dict(op.attrs)
    if kind.name in ("store", "add_store"):
        kind = TABLE["index" if is_basic(attrs["index"]) else "gather"]
        inputs, attrs = (inputs[0], *inputs[2:]), {"index": attrs["index"]}
    if kind.has("store") or kind.has("effect") or op.regions:
        raise UnsupportedSyntaxError(
            f"whether this raises {errors[0].__name__} cannot be found out without doing it, so it "
            "cannot be caught; test with `if` instead",
            op.span,
        )
    return b.one(tried(kind, errors), *inputs, hint="fine", **attrs)


def _again(op: Op, m: Machine) -> None:
    """Do once more what is known to raise."""
    if op.name == "require":
        m.builder.op("raise", error=op.attrs["error"], args=op.attrs["args"])
    elif op.kind.has("effect"):
        m.builder.append(op.kind, op.inputs, op.attrs)
    else:
        again = m.builder.append(op.kind, op.inputs, op.attrs)
        m.builder.op("discard", again.results[0])


def _unknown(span: Span | None) -> Poison:
    return Poison(
        UnsupportedSyntaxError(
            "what has been raised here is known at run time only: it can be raised again "
            "(`raise`), but not be read; catch without `as`",
            span,
        )
    )


# --------------------------------------------------------------------- opening, closing
def open_branch(
    m: Machine,
    condition: Value,
    otherwise: Callable[[], Flow],
    mark: int | None = None,
    tested: Op | None = None,
    errors: Errors = (),
) -> None:
    """What is lowered from now on in this block is done where ``condition`` holds, that is where
    ``tested`` raises none of ``errors``; ``mark``: the state in which the other side starts."""
    inner = m.new_region()
    start = m.heap.mark if mark is None else mark
    node = ast.copy_location(ast.Pass(), m.tryings[-1].node)
    m.pending.append(
        Pending(m.region, inner, start, condition, otherwise, node, tested, errors)
    )
    m.region = inner


def close(m: Machine, depth: int, flow: Flow, node: ast.AST | None = None) -> Flow:
    """At the end of a block: join the branches opened in it since there were ``depth``."""
    while len(m.pending) > depth:
        p = m.pending.pop()
        changes = m.heap.leave(p.mark, p.inner.birth)
        m.region = p.outer
        then = branches.Side(p.inner, flow, changes)
        orelse = branches.lower_side(m, p.otherwise)
        flow = branches.join_sides(m, node or p.node, p.condition, then, orelse)
    return flow


def not_caught() -> UnsupportedSyntaxError:
    """The refusal of a branch that is not closed in the block where it was opened."""
    return UnsupportedSyntaxError(
        "what the condition of a loop, a part behind `and` or `or`, or a function under a "
        "derivative may raise cannot be caught here: compute it in a statement of its own (`while "
        "True:` with an `if` and a `break`), or have the `try` in the function"
    )


def settle(m: Machine) -> None:
    """After an expression in which a call, a loop or a part may have left for a ``try``: go on
    in a branch where none has."""
    trying = m.tryings[-1]
    key = ("leave", trying.node)
    left = m.frame.scope.data.get(key, False) if m.frame is trying.frame else False
    flags = [(t.flags, k) for t in m.tryings for k in range(len(t.catches))]
    raised = [(cell, k) for cell, k in flags if cell.data[k] is not False]
    if left is False and not raised:
        return
    truths = [cell.data[k] for cell, k in raised]
    gone = conditions.either(m, truths if left is False else [left, *truths])
    if not isinstance(gone, Value):
        raise NeverReturns
    ways = ({"leave"} if left is not False else set()) | ({"raise"} if raised else set())
    fine = conditions.negate(m, gone)
    assert isinstance(fine, Value)
    open_branch(m, fine, lambda: frozenset(ways))
    for cell, k in raised:
        m.heap.write(cell, k, False)
    if left is not False:
        m.heap.write(m.frame.scope, key, False)


@contextmanager
def set_aside(m: Machine) -> Iterator[None]:
    """A ``finally`` is run on the way to an ``except`` as if nothing had been raised."""
    flags = [(t.flags, k, x) for t in m.tryings for k, x in t.flags.data.items()]
    held = [(cell, k, x) for cell, k, x in flags if isinstance(k, int) and x is not False]
    for cell, k, _ in held:
        m.heap.write(cell, k, False)
    yield
    for cell, k, x in held:
        m.heap.write(cell, k, x)


# ------------------------------------------------------------------------------- jumping
def _around(frame: Frame) -> tuple[int, ...]:
    """In how many loops and other blocks the code stands that an ``except`` further out is not
    in."""
    return len(frame.loops), len(frame.finals), frame.switches


def jump(m: Machine, to: Jump) -> Flow:
    """Go to an ``except``; how the code that raises ends."""
    trying = to.trying
    here = (
        m.frame is trying.frame
        and m.tryings[-1] is trying
        and _around(m.frame) == trying.around
    )
    if not here:
        m.heap.write(trying.flags, to.position, True)
        m.heap.write(trying.flags, _ERROR, to.raised if to.raised.lasting else None)
        return frozenset({"raise"})
    depth = len(m.pending)
    with _muted(m):
        flow = close(m, depth, handle(m, trying, to.position, to.raised))
    if "next" in flow:
        m.heap.write(m.frame.scope, ("leave", trying.node), True)
        flow = flow - NEXT | {"leave"}
    return flow


def handle(m: Machine, trying: Trying, position: int, raised: Any) -> Flow:
    """The body of an ``except``."""
    from ..names.lookup import bind

    handler = trying.node.handlers[position]
    m.handling.append(raised)
    outer, m.errstates = m.errstates, trying.errstates
    try:
        if handler.name:
            value = (
                raised.value if isinstance(raised, Raised) else _unknown(m.span(handler))
            )
            bind(m, handler.name, value)
        flow = flows.run(m, handler.body)
        if handler.name and "next" in flow:
            m.heap.write(m.frame.scope, handler.name, MISSING)
        return flow
    finally:
        m.handling.pop()
        m.errstates = outer


def stopped(m: Machine) -> Flow:
    """How code ends that is known to raise: caught, or not."""
    ops = m.builder.ops
    last = ops[-1] if ops else None
    if last is not None and last.name == "raise":
        cls = class_of(m, last)
        found = None if cls is None else handler_of(m, cls)
        if cls is None or found is None:
            return frozenset()
        ops.pop()
        return jump(
            m, Jump(*found, Raised(partial(_again, last), _exception(m, last, cls)))
        )
    if any(x is True for t in m.tryings for x in t.flags.data.values()):
        return frozenset({"raise"})
    left = m.frame.scope.data.get(("leave", m.tryings[-1].node), False)
    return frozenset({"leave"}) if left is True else frozenset()


def class_of(m: Machine, op: Op) -> type[BaseException] | None:
    """The class that a ``raise`` raises."""
    name = op.attrs["error"]
    return getattr(builtins, name, None) if name else m.raises.get(op.inputs[0])


def _exception(m: Machine, op: Op, cls: type[BaseException]) -> Any:
    """What a ``raise`` raises, where its class does nothing of its own with what it is given."""
    args = op.attrs["args"]
    if not any(isinstance(a, tuple) for a in args):
        return cls(*args)
    known = texts.error(cls, m.raises[op.results[0]])
    return _unknown(op.span) if known is None else known


def known(m: Machine, error: Exception) -> Flow | None:
    """What code run when compiling has raised: how the code ends if that is caught. What an
    ``except Exception`` would take may as well be about the compiler, so such errors go on if
    they are not sure to be Python's."""
    if isinstance(error, IndexingError):
        error = IndexError(error.message)
    elif isinstance(error, CallError | ShapeError):
        error = (TypeError if isinstance(error, CallError) else ValueError)(error.message)
    elif isinstance(error, SymgradError | TypeError):
        return None
    found = handler_of(m, type(error))
    if found is None:
        return None
    trying, position = found
    broad = (
        Exception in trying.catches[position] or BaseException in trying.catches[position]
    )
    if broad and not isinstance(error, _SURE):
        return None
    return jump(
        m, Jump(trying, position, Raised(partial(_raise_known, error), error, True))
    )


def _raise_known(error: Exception, m: Machine) -> None:
    raise error


# ------------------------------------------------------------------------------ statements
def body(m: Machine, node: ast.Try) -> Flow:
    """The body of a ``try`` with what its ``except`` and ``else`` do."""
    if not node.handlers:
        return flows.run(m, node.body)
    frame = m.frame
    flags = Scope(dict.fromkeys(range(len(node.handlers)), False))
    catches = tuple(_classes(m, h) for h in node.handlers)
    trying = Trying(node, frame, catches, _around(frame), m.errstates, flags, _reads(node))
    m.heap.write(frame.scope, ("leave", node), False)
    depth, m.settled, m.settled_at = len(m.pending), m.heap.mark, birth()
    m.region.seen = len(m.builder.ops)
    m.tryings.append(trying)
    frame.tryings.append(trying)
    try:
        flow = flows.run(m, node.body)
        flow = close(m, depth, _orelse(m, node, flow), node)
    finally:
        frame.tryings.remove(trying)
        m.tryings.remove(trying)
    if "leave" in flow:
        flow = flow - {"leave"} | NEXT
    return _flagged(m, trying, flow)


def _orelse(m: Machine, node: ast.Try, flow: Flow) -> Flow:
    """``else``: what it raises is not caught here."""
    if not node.orelse or "next" not in flow:
        return flow
    left = flows.escaped(m, flow - NEXT) if flow != NEXT else False
    with _muted(m):
        if not isinstance(left, Value):
            return flow - NEXT if left else flows.run(m, node.orelse)
        then = branches.lower_side(m, lambda: flow - NEXT)
        orelse = branches.lower_side(m, lambda: flows.run(m, node.orelse))
        return branches.join_sides(m, node.orelse[-1], left, then, orelse)


@contextmanager
def _muted(m: Machine) -> Iterator[None]:
    """The innermost ``try`` catches nothing: its ``except`` or ``else`` is being lowered. It is
    there still, so that what it leaves by is not taken for the way out of one further out."""
    trying = m.tryings[-1]
    m.tryings[-1] = replace(trying, catches=(), flags=Scope({}))
    try:
        yield
    finally:
        m.tryings[-1] = trying


def _flagged(m: Machine, trying: Trying, flow: Flow) -> Flow:
    """After the body: what has been raised inside of loops and calls."""
    if "raise" not in flow:
        return flow
    found = (f for t in m.tryings for f in t.flags.data.values())
    others = [f for f in found if isinstance(f, bool | Value)]
    rest = flow - {"raise"}
    if conditions.either(m, [f for f in others if f is not False]) is not False:
        rest |= {"raise"}
    for position in range(len(trying.catches)):
        raised = trying.flags.data[position]
        if raised is False:
            continue
        error = trying.flags.data.get(_ERROR)
        run = partial(handle, m, trying, position, error)
        if raised is True:
            return run()
        then = branches.lower_side(m, run)
        orelse = branches.lower_side(m, partial(frozenset[str], rest))
        rest = branches.join_sides(m, trying.node, raised, then, orelse)
    return rest


def _classes(m: Machine, handler: ast.ExceptHandler) -> Errors:
    """The classes that an ``except`` catches."""
    if handler.type is None:
        return (BaseException,)
    found = unwrap(m, evaluate(m, handler.type))
    listed = found if isinstance(found, tuple) else (found,)
    classes = tuple(x.value if isinstance(x, Found) else x for x in listed)
    if not all(isinstance(c, type) and issubclass(c, BaseException) for c in classes):
        raise UnsupportedSyntaxError(
            f"`{ast.unparse(handler.type)}` is no class of exceptions", m.span(handler.type)
        )
    return classes


def _reads(node: ast.Try) -> frozenset[str]:
    parts = [*node.handlers, *node.orelse]
    return frozenset().union(*(loaded(p) for p in parts))


__all__ = [
    "Trying",
    "body",
    "close",
    "handler_of",
    "jump",
    "known",
    "settle",
    "stopped",
    "watched",
]
