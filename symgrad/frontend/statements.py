"""The simple statements."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError
from .assignments import delete
from .control import kinds
from .control.flow import run
from .control.generators import yield_
from .dispatch import Flow, evaluate, statement
from .expressions import closure
from .inline import call_value
from .machine import Machine
from .names.lookup import bind
from .names.scope import RESULT, RETURNED
from .names.specialise import need
from .names.static import pinned
from .values import Ref


@statement(ast.Expr)
def expression_statement(m: Machine, node: ast.Expr) -> Flow | None:
    """An expression for its effect, which may be that it raises, ``sg.set_trace(x)``;
    docstrings do nothing."""
    if isinstance(node.value, ast.Constant):
        return None
    from .rules.inserts import insert, traced

    if isinstance(node.value, ast.Yield):
        return yield_(m, node, node.value)
    stop = traced(m, node)
    if stop is not None:
        return insert(m, stop, stop.items[0].context_expr)  # type: ignore[arg-type]
    _discard(m, evaluate(m, node.value))
    return None


def _discard(m: Machine, found: Any) -> None:
    """Keep what has been computed only because it may raise."""
    for x in found if isinstance(found, tuple) else (found,):
        made = x.storage.current.op if isinstance(x, Ref) and not x.path else None
        if made is not None and made.kind.has("may_warn") and made.kind.has("allocates"):
            m.builder.op("discard", made.results[0])
            return


@statement(ast.Pass, ast.Nonlocal, ast.Global)
def nothing(m: Machine, node: ast.stmt) -> None:
    """``pass``, and what says something of names."""


@statement(ast.Return)
def return_(m: Machine, node: ast.Return) -> Flow:
    """``return``: the result is kept among the variables, to be joined like them."""
    value = None if node.value is None else kinds.evaluated(m, node.value)
    m.heap.write(m.frame.scope, RESULT, value)
    m.heap.write(m.frame.scope, RETURNED, True)
    if m.frame.feed is not None:
        m.frame.feed.ends = True
    return frozenset({"return"})


@statement(ast.Break)
def break_(m: Machine, node: ast.Break) -> Flow:
    """``break``."""
    m.heap.write(m.frame.scope, ("break", m.frame.loops[-1]), True)
    return frozenset({"break"})


@statement(ast.Continue)
def continue_(m: Machine, node: ast.Continue) -> Flow:
    """``continue``."""
    m.heap.write(m.frame.scope, ("continue", m.frame.loops[-1]), True)
    return frozenset({"continue"})


@statement(ast.FunctionDef)
def function(m: Machine, node: ast.FunctionDef) -> None:
    """A nested function; its decorators are called as Python does."""
    decorators = [evaluate(m, d) for d in node.decorator_list]
    value: Any = closure(m, node)
    for decorator, at in zip(
        reversed(decorators), reversed(node.decorator_list), strict=True
    ):
        value = call_value(m, at, decorator, (value,), {})
    bind(m, node.name, value)


@statement(ast.Delete)
def del_(m: Machine, node: ast.Delete) -> None:
    """``del name``."""
    for target in node.targets:
        delete(m, target)


@statement(ast.With)
def with_(m: Machine, node: ast.With) -> Flow:
    """``with np.errstate(...)``, which the places of the operations in it remember,
    ``with sg.no_grad()`` and its like, and ``with sg.insert_grad_of(x) as dx``."""
    from .rules.inserts import insert, insertion

    call = insertion(m, node)
    if call is not None:
        return insert(m, node, call)
    outer = m.errstates
    try:
        return _entered(m, node, list(node.items))
    finally:
        m.errstates = outer
        m.builder.span = m.span(node)


def _entered(m: Machine, node: ast.With, items: list[ast.withitem]) -> Flow:
    """The body in these surroundings."""
    from .derivatives.untracked import tracked, tracking

    if not items:
        return run(m, node.body)
    first, *rest = items
    on = tracking(m, first.context_expr)
    if on is not None:
        return tracked(m, node, on, lambda: _entered(m, node, rest))
    m.errstates = (*m.errstates, _errstate(m, first.context_expr))
    return _entered(m, node, rest)


def _errstate(m: Machine, call: Any) -> tuple[tuple[str, str], ...]:
    """The arguments of ``np.errstate(...)``."""
    function = pinned(m, evaluate(m, call.func))
    options = [(k.arg, need(m, k.value, evaluate(m, k.value), "it")) for k in call.keywords]
    known = all(k in _KINDS and v in _WAYS for k, v in options)
    if function is not np.errstate or call.args or not known:
        raise UnsupportedFunctionError(
            "`with np.errstate(...)` takes all, divide, over, under, invalid as 'ignore', "
            "'warn', 'raise' or 'print'",
            m.span(call),
        )
    return tuple(options)


_KINDS = ("all", "divide", "over", "under", "invalid")
_WAYS = ("ignore", "warn", "raise", "print")


EXTRAS = {"scipy": "SciPy", "numba": "numba"}
"""Libraries that are extras of the package."""


def _imported(m: Machine, node: ast.AST, name: str, package: str | None = None) -> Any:
    """A module; one that an extra installs is asked for by that extra's name."""
    import importlib

    try:
        return importlib.import_module(name, package)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        caught = any(issubclass(type(error), c) for t in m.tryings for c in t.catches)
        if library not in EXTRAS or caught:
            raise
        raise UnsupportedFunctionError(
            f"this needs {EXTRAS[library]}, which is not installed: "
            f"pip install 'symgrad[{library}]'",
            m.span(node),
        ) from None


@statement(ast.Import)
def import_(m: Machine, node: ast.Import) -> None:
    """``import a.b as c``, done when compiling."""
    for alias in node.names:
        module = _imported(m, node, alias.name)
        if alias.asname is None:
            module = _imported(m, node, alias.name.partition(".")[0])
        bind(m, alias.asname or alias.name.partition(".")[0], module)


@statement(ast.ImportFrom)
def import_from(m: Machine, node: ast.ImportFrom) -> None:
    """``from a import b``, done when compiling."""
    package = m.frame.parsed.globals.get("__package__") if m.frame.parsed else None
    module = _imported(m, node, "." * node.level + (node.module or ""), package)
    for alias in node.names:
        try:
            value = getattr(module, alias.name)
        except AttributeError:
            value = _imported(m, node, f"{module.__name__}.{alias.name}")
        bind(m, alias.asname or alias.name, value)
