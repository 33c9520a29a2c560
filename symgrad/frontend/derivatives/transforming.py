"""``sg.grad(f, ...)`` met while lowering: checked by the real thing, kept as a request.

A function with the attribute ``__symgrad_transform__`` makes a transform of its first argument:
an object with a ``__symgrad_request__``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import CallError, UnsupportedSyntaxError
from ..machine import Machine
from ..names.specialise import need
from ..requests import Request


def is_transform(function: Any) -> bool:
    """Whether ``function`` makes transforms: ``sg.grad``, ``sg.compile``."""
    return getattr(function, "__symgrad_transform__", False) is True


def request_of(x: Any) -> Request | None:
    """The request that ``x`` is: met while lowering, or a compiled function of the user's."""
    if isinstance(x, Request):
        return x
    found = None if isinstance(x, type) else getattr(x, "__symgrad_request__", None)
    return found if isinstance(found, Request) else None


def make_request(
    m: Machine,
    node: ast.AST,
    transform: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Request:
    """What ``transform(*args, **kwargs)`` asks for, of a function that is being lowered.

    Raises:
        SymgradError: what the transform itself says about its options, at ``node``.
    """
    name = transform.__name__
    if not args and "fun" not in kwargs:
        raise UnsupportedSyntaxError(
            f"`{name}` needs its function here; pass it as the first argument", m.span(node)
        )
    function = args[0] if args else kwargs["fun"]
    rest = [need(m, node, a, f"an option of `{name}`") for a in args[1:]]
    options = {
        key: need(m, node, value, f"the option `{key}` of `{name}`")
        for key, value in kwargs.items()
        if key != "fun"
    }
    with m.located(node):
        try:
            made = transform(_placeholder, *rest, **options)
        except TypeError as error:
            if hasattr(error, "span"):
                raise
            raise CallError(str(error)) from None
    request: Request = made.__symgrad_request__
    return Request(request.kind, function, request.options)


def transformed(
    m: Machine,
    node: ast.AST,
    method: Any,
    compiled: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """``compiled.grad(...)``: a method of a compiled function that makes a transform of it."""
    what = f"an option of `.{method.__name__}`"
    known = [need(m, node, a, what) for a in args]
    named = {key: need(m, node, value, what) for key, value in kwargs.items()}
    with m.located(node):
        return method(compiled, *known, **named)


def _placeholder(*args: Any, **kwargs: Any) -> Any:
    """Stands for the function while the transform checks its options."""


__all__ = ["is_transform", "make_request", "request_of", "transformed"]
