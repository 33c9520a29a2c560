"""Which function lowers which kind of syntax; the modules register theirs here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import UnsupportedSyntaxError
from ..ops.raising import raised_by
from .machine import Machine, Region
from .memory.dict_views import DictView

Flow = frozenset[str]
"""How a stretch of statements can end: some of ``next``, ``return``, ``break``, ``continue``,
``raise`` (to a ``try`` further out), ``leave`` (the ``try`` around, whose ``except`` is through).
None: it always raises, and nobody catches it."""

NEXT: Flow = frozenset({"next"})


class NeverReturns(Exception):
    """A call that always raises: what follows it is not reached."""


EXPRESSIONS: dict[type[ast.expr], Callable[[Machine, Any], Any]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Machine, Any], Flow | None]] = {}


def expression(*kinds: type[ast.expr]) -> Callable[[Any], Any]:
    """Decorator: this function evaluates nodes of these kinds."""

    def register(function: Any) -> Any:
        EXPRESSIONS.update(dict.fromkeys(kinds, function))
        return function

    return register


def statement(*kinds: type[ast.stmt]) -> Callable[[Any], Any]:
    """Decorator: this function runs statements of these kinds. None means ``NEXT``."""

    def register(function: Any) -> Any:
        STATEMENTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def evaluate(m: Machine, node: ast.expr) -> Any:
    """The abstract value of an expression."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        kind = type(node).__name__
        raise UnsupportedSyntaxError(
            f"`{ast.unparse(node)}` ({kind}) cannot be compiled", m.span(node)
        )
    try:
        value = handler(m, node)
    except _RAISED as error:
        if raised_when_run(m, error):
            raise NeverReturns from None
        raise
    if m.choosing:
        from .control import settling

        settling.note(m, node, value)
    if m.tryings:
        from .control import catching

        catching.watched(m)
        catching.settle(m)
    return value.look() if isinstance(value, DictView) else value


_RAISED = (ArithmeticError, LookupError, TypeError, ValueError)
_OF_PYTHON = (
    IndexError, KeyError, OverflowError, TypeError, ValueError, ZeroDivisionError,
)  # fmt: skip


def raised_when_run(m: Machine, error: Exception) -> bool:
    """Whether what known values have raised is raised by the code, since it is not certain to be
    reached, or something is done before it."""
    if (
        type(error) not in _OF_PYTHON
        or _may_catch(m, type(error))
        or comes_first(m)
        or not all(isinstance(x, str | int | float) for x in error.args)
    ):
        return False
    m.builder.op("raise", error=type(error).__name__, args=error.args)
    return True


def _may_catch(m: Machine, error: type[Exception]) -> bool:
    """Whether an ``except`` around this is for such an error."""
    from .control import catching

    return catching.handler_of(m, error) is not None


def comes_first(m: Machine) -> bool:
    """Whether the code is certain to come to this place, and nothing that anybody sees is done
    before it: nothing is stored or printed, nothing else may raise."""
    if not m.region.certain or m.stored:
        return False
    region: Region | None = m.region
    while region is not None:
        for op in region.builder.ops:
            for inner in (op, *(i for block in op.regions for i in block.walk())):
                if inner.kind.has("effect") or raised_by(inner):
                    return False
        region = region.parent
    return True


@contextmanager
def out_of_range(m: Machine, message: str) -> Iterator[None]:
    """A wrong position in a list raises when running, where it is not certain to be reached."""
    try:
        yield
    except IndexError:
        if comes_first(m):
            raise IndexError(message) from None
        m.builder.op("raise", error="IndexError", args=(message,))
        raise NeverReturns from None


@contextmanager
def no_result(m: Machine) -> Iterator[None]:
    """Arithmetic on known numbers that has no result, such as a division by zero, raises when
    running: something before it may raise, too."""
    try:
        yield
    except ArithmeticError as error:
        m.builder.op("raise", error=type(error).__name__, args=(str(error),))
        raise NeverReturns from None


def held(m: Machine, node: ast.expr) -> Any:
    """Evaluate, and count the value as in use until the caller cuts ``m.temps`` back."""
    value = evaluate(m, node)
    m.temps.append(value)
    return value
