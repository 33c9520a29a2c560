"""Rules that refuse: derivatives of what is not differentiated."""

from __future__ import annotations

from typing import Any, NoReturn

from ...errors import (
    DoubleBackwardError,
    NotDifferentiableError,
    UnsupportedFunctionError,
)
from ...ir.expr import Expr


def refusal(rule: str, span: Any = None) -> DoubleBackwardError:
    """A second derivative through a rule that has only the first; the same text wherever it
    is asked for."""
    return DoubleBackwardError(
        f"there is no second derivative through `{rule}`: its gradient runs as it is and is "
        "not differentiated again, being marked with `once_differentiable` or made of calls "
        "that cannot be compiled. Write it with NumPy operations that symgrad knows, or give "
        "what it calls a rule of its own",
        span,
    )


def _refuse(x: Expr, rule: str, name: str) -> NoReturn:
    if rule:
        raise refusal(rule, x.builder.span)
    raise NotDifferentiableError(
        f"`{name}` runs as it is, so it has no derivative; give it one with `custom_vjp` or "
        "`Function`, or take it out with `stop_gradient`",
        x.builder.span,
    )


def _no_rule(x: Expr, name: str) -> NoReturn:
    raise UnsupportedFunctionError(
        f"`{name}` has neither `backward` nor `jvp`, so it has no derivative; define one of them",
        x.builder.span,
    )


def pull_first(g: Any, rule: str, name: str) -> None:
    """Refuse a pull: the rule's own words, or that there is none."""
    _refuse(g, rule, name) if rule else _no_rule(g, name)


def push_first(t: Any, rule: str, name: str) -> None:
    """Refuse a push: the rule's own words, or that there is none."""
    _refuse(t, rule, name) if rule else _no_rule(t, name)


def pull(g: Any, rule: str, name: str) -> None:
    """Refuse a pull, of any of several results."""
    _refuse(g if isinstance(g, Expr) else next(x for x in g if x is not None), rule, name)


def push(t: Any, rule: str, name: str) -> None:
    """Refuse a push."""
    _refuse(t, rule, name)


__all__ = ["pull", "pull_first", "push", "push_first", "refusal"]
