"""Calls of library functions that do not fit: what Python says inside of symgrad, said of the
user's call."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import CallError, InternalError, SymgradError, UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.printer import to_text
from ...ir.tree import Node
from ...ir.types import Type
from ...ir.values import Function
from ...source import Span

OWN = str(Path(__file__).parents[2])
"""Where symgrad's own code lies: what happens there is told of the call that led to it."""
SPEAKING = (TypeError, ValueError)
"""Errors whose text is about a value that was given."""
FAULTS = (
    *SPEAKING,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
)
"""What Python raises where a surface was given something that it is not made for."""


@contextmanager
def explained(
    node: ast.AST,
    span: Span,
    target: Any,
    surface: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Iterator[None]:
    """Errors of ``surface(b, *args, **kwargs)``, which stands for a call of ``target``, are
    about the call.

    Raises:
        CallError: the library's own function does not take such arguments.
        UnsupportedFunctionError: it may, symgrad does not.
    """
    try:
        yield
    except (SymgradError, *FAULTS) as error:
        if _of_other_code(error, span):
            raise
        _refuse_misfit(node, span, _misfit(parameters(target), args, kwargs), error)
        if isinstance(error, InternalError):
            raise
        if isinstance(error, SymgradError) and not isinstance(error, CallError):
            if error.span is None or not error.span.source.filename.startswith(OWN):
                raise
            raise type(error)(error.message, span) from error
        raise UnsupportedFunctionError(
            f"`{ast.unparse(node)}` {_unsupported(error, surface, args, kwargs)}", span
        ) from error


@contextmanager
def bound(
    node: ast.AST,
    span: Span,
    handler: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Iterator[None]:
    """Where arguments do not go to the parameters of ``handler(*args, **kwargs)``, the error is
    about the call; any other is left as it is.

    Raises:
        CallError: they do not.
    """
    try:
        yield
    except TypeError as error:
        if not isinstance(error, SymgradError):
            _refuse_misfit(node, span, _misfit(parameters(handler), args, kwargs), error)
        raise


def check_names(node: ast.AST, span: Span, target: Any, kwargs: dict[str, Any]) -> None:
    """Refuse what a function of the library's would refuse: surfaces may take more.

    Raises:
        CallError: a keyword argument that the function does not have.
    """
    known = parameters(target) if kwargs and not isinstance(target, np.ufunc) else None
    wrong = [] if known is None else [name for name in kwargs if not _takes(known, name)]
    if wrong:
        text = f"got an unexpected keyword argument {wrong[0]!r}"
        _refuse_misfit(node, span, text, TypeError(text))


def shown(fault: Exception, builder: Builder) -> InternalError:
    """A fault of symgrad itself, with the IR that has been built so far."""
    reason = fault.message if isinstance(fault, InternalError) else f"{fault!r}"
    built = Function("lowered", builder.block((), ()), (), Node("tuple"))
    last = builder.ops[-1] if builder.ops else None
    return InternalError(
        f"{reason}\nThis is a fault of symgrad (in the front end), not of the function; please "
        f"report it with this text:\n{to_text(built, mark=last, note='the last op built')}",
        builder.span,
        shown=True,
    )


def _refuse_misfit(node: ast.AST, span: Span, wrong: str, error: Exception) -> None:
    if wrong:
        text = f"`{ast.unparse(node)}` does not fit the function: {wrong}"
        raise CallError(text, span) from error


def _of_other_code(error: Exception, span: Span) -> bool:
    """Whether an error comes from code of the user's that was run on the way."""
    notes: list[str] = getattr(error, "__notes__", [])
    return bool(notes) and notes[0] != span.caret()


def _unsupported(
    error: Exception, surface: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> str:
    own = parameters(surface)
    unknown = [k for k in kwargs if own is not None and not _takes(own, k)]
    if unknown:
        return (
            f"is not supported with {', '.join(f'`{k}=`' for k in unknown)}; leave it out"
        )
    wrong = _misfit(own, (None, *args), kwargs)
    if wrong or isinstance(error, SPEAKING) and str(error):
        return f"is called in a way that is not supported: {wrong or error}"
    given = [_kind(a) for a in args] + [f"{k}={_kind(v)}" for k, v in kwargs.items()]
    return f"is not supported with arguments like these: {', '.join(given)}"


def _takes(signature: inspect.Signature, name: str) -> bool:
    kinds = {p.kind for p in signature.parameters.values()}
    found = signature.parameters.get(name)
    by_name = found is not None and found.kind is not found.POSITIONAL_ONLY
    return by_name or inspect.Parameter.VAR_KEYWORD in kinds


def _misfit(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """Why the arguments do not go to the parameters; empty where they do."""
    if signature is None:
        return ""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return ""


@lru_cache(maxsize=1024)
def parameters(function: Any) -> inspect.Signature | None:
    """The signature; None where it is not known, as of C functions before NumPy 2.4."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def required(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Arguments without a default that are given by name, next in turn: taken from ``kwargs``
    to be given by position, since surfaces have names of their own for them."""
    known = parameters(function) if kwargs else None
    found: list[Any] = []
    for p in list(known.parameters.values())[len(args) :] if known else ():
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty:
            break
        if p.name not in kwargs:
            break
        found.append(kwargs.pop(p.name))
    return found


def _kind(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    kind = getattr(x, "type", None)
    return str(kind) if isinstance(kind, Type) else repr(x)
