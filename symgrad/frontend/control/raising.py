"""``assert``, ``raise``, ``print`` and ``try``/``finally``: effects that stay where they are."""

from __future__ import annotations

import ast
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ...ops.effects import is_builtin_error
from ..dispatch import NEXT, Flow, evaluate, statement
from ..machine import Machine
from ..names.captures import Found
from ..names.specialise import need
from ..names.static import unwrap
from ..sources.texts import LITERAL, message, shown
from ..values import Cell
from . import catching, conditions, finals, telling
from .flow import run


@statement(ast.Assert)
def assert_(m: Machine, node: ast.Assert) -> Flow | None:
    """``assert``: static ones are decided now, others when running."""
    test = conditions.tested(m, node.test)
    if test is True:
        return None
    if test is False:
        _raise(m, node, AssertionError, [evaluate(m, node.msg)] if node.msg else [])
        return frozenset()
    args = _known(m, node.msg)
    if args is not None:
        m.builder.op("require", test, error="AssertionError", args=args)
        return None
    return _asserted(m, node, test)


def _known(m: Machine, message: ast.expr | None) -> tuple[Any, ...] | None:
    """The message of an ``assert`` where it is known now; None where it has to be made."""
    if message is None:
        return ()
    if isinstance(message, ast.Constant) and type(message.value) in LITERAL:
        return (message.value,)
    return None


def _asserted(m: Machine, node: ast.Assert, test: Value) -> Flow:
    """A branch: the message is made if the assertion fails only."""
    from . import branches

    def fails() -> Flow:
        _raise(m, node, AssertionError, [evaluate(m, node.msg)] if node.msg else [])
        return frozenset()

    failed = conditions.negate(m, test)
    assert isinstance(failed, Value)
    then = branches.lower_side(m, fails)
    orelse = branches.lower_side(m, lambda: NEXT)
    return branches.join_sides(m, node, failed, then, orelse)


@statement(ast.Raise)
def raise_(m: Machine, node: ast.Raise) -> Flow:
    """``raise`` of a builtin error or of one of the user's."""
    error, args = node.exc, []
    if error is None:
        return _raise_again(m, node)
    if isinstance(error, ast.Call):
        if error.keywords or any(isinstance(a, ast.Starred) for a in error.args):
            raise UnsupportedSyntaxError(
                "an exception is made of positional arguments here", m.span(node)
            )
        args, error = error.args, error.func
    found = unwrap(m, evaluate(m, error))
    if isinstance(found, Found):
        found = found.value
    if not isinstance(found, type) or not issubclass(found, BaseException):
        raise UnsupportedSyntaxError(
            f"`{ast.unparse(error)}` is no class of exceptions; raise one, such as "
            'ValueError("...")',
            m.span(node),
        )
    _raise(m, node, found, [evaluate(m, a) for a in args])
    return frozenset()


def _raise_again(m: Machine, node: ast.Raise) -> Flow:
    """``raise`` in an ``except``."""
    raised = m.handling[-1] if m.handling else None
    if not isinstance(raised, catching.Raised):
        raise UnsupportedSyntaxError(
            "`raise` without an exception has to stand in an `except` that says which one it is; "
            "name the error",
            m.span(node),
        )
    raised.again(m)
    return frozenset()


def _raise(m: Machine, node: ast.AST, cls: type, messages: list[Any]) -> None:
    """The op."""
    m.builder.span = m.span(node)
    values: list[Value] = []
    if not is_builtin_error(cls):
        values.append(m.captures.callee(cls, cls.__name__))
        m.raises[values[0]] = cls
    args = []
    for x in messages:
        entry, inserted = message(m, node, x)
        values += inserted
        args.append(entry)
    name = cls.__name__ if is_builtin_error(cls) else ""
    made = m.builder.op("raise", *values, error=name, args=tuple(args))
    m.raises[made] = tuple(messages)


# --------------------------------------------------------------------------------- finally
@statement(ast.Try)
def try_(m: Machine, node: ast.Try) -> Flow:
    """``try``/``finally``: what is in ``finally`` runs at the end, whatever the way out; where
    the code raises, as it is."""
    if not node.finalbody:
        return catching.body(m, node)
    telling.check_finally(m, node)
    watch = finals.begin(m, node)
    m.frame.finals.append(node)
    flow: Flow = frozenset()
    depth = len(m.pending)
    try:
        flow = catching.close(m, depth, catching.body(m, node))
    finally:
        m.frame.finals.pop()
        if watch is not None:
            finals.end(m, watch, reached=bool(flow))
    if not flow:
        return flow
    with catching.set_aside(m):
        last = run(m, node.finalbody)
    return flow if "next" in last else last


# ----------------------------------------------------------------------------------- print
def print_(
    m: Machine, node: ast.AST, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """``print``: of runtime values and of what is known when compiling."""
    parts: list[Any] = []
    values: list[Value] = []
    for x in args:
        text = shown(m, node, x, "") if isinstance(x, Cell) else NotImplemented
        entry, inserted = message(m, node, x if text is NotImplemented else text)
        parts.append(entry if isinstance(entry, tuple) else str(entry))
        values += inserted
    options = {k: need(m, node, v, f"`{k}` of print") for k, v in kwargs.items()}
    if set(options) - {"sep", "end", "flush"}:
        raise UnsupportedSyntaxError("print takes sep, end and flush here", m.span(node))
    m.builder.op("print", *values, parts=tuple(parts), options=tuple(options.items()))
