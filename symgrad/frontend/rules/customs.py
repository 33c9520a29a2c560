"""Functions with a derivative rule of the user's: forward code and rule become the blocks of one
op, which ``transforms`` takes apart where a derivative passes through it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...errors import CallError
from ..inline import call_value
from ..machine import Machine
from ..names.static import opened
from ..requests import CustomRule
from ..values import ListObject, Native
from .asis import attempt, forward_as_is, ordinary
from .ruled import Call

RULES: dict[Any, CustomRule] = {}
"""Rules for library functions, by the function."""


def call_rule(
    m: Machine,
    node: ast.AST,
    rule: CustomRule,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """A call of a function with a rule.

    Raises:
        CustomRuleError: the rule does not return what it should.
    """
    with m.located(node):
        if rule.kind == "numpy":
            return _library(m, node, rule, tuple(args), dict(kwargs))
        if kwargs:
            args = by_position(m, rule, args, kwargs)
        return Call(m, node, rule, tuple(args)).result(rule.function)


def by_position(
    m: Machine, rule: CustomRule, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Every argument by position, defaults filled in as far as needed."""
    is_function = rule.kind == "function"
    function = rule.function
    target = function.__symgrad_forward__() if is_function else function
    skip = int(is_function and rule.function.setup_context is None)
    listed = list(inspect.signature(target).parameters.values())[skip:]
    given, rest = list(args), dict(kwargs)
    if len(given) > len(listed) and all(p.kind is not p.VAR_POSITIONAL for p in listed):
        name = f"{rule.name}.forward" if is_function else rule.name
        raise CallError(f"`{name}` takes {len(listed)} arguments, got {len(given)}")
    for p in listed[len(given) :]:
        if not rest:
            break
        if p.kind is p.KEYWORD_ONLY and p.name in rest:
            raise CallError(
                f"`{rule.name}` takes `{p.name}` by keyword only, and gradients are given by "
                "position; let it be taken by position too"
            )
        if p.name in rest:
            given.append(rest.pop(p.name))
        elif p.default is not p.empty:
            given.append(p.default)
        else:
            raise CallError(f"`{rule.name}` misses its argument `{p.name}`")
    if rest:
        raise CallError(f"`{rule.name}` has no argument `{next(iter(rest))}` left to give")
    return tuple(given)


def _alone(function: Any, options: Mapping[str, Any], *args: Any) -> tuple[Any, None]:
    """A library function as forward code that saves nothing."""
    return function(*args, **options), None


def _library(
    m: Machine,
    node: ast.AST,
    rule: CustomRule,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A call of a library function for which there is a rule."""

    def known(m: Machine, node: ast.AST, *args: Any) -> Any:
        before, m.plainly = m.plainly, m.plainly | {rule.function}
        try:
            return call_value(m, node, rule.function, args, kwargs)
        finally:
            m.plainly = before

    def plain(m: Machine, node: ast.AST, *args: Any) -> Any:
        def as_is(reason: Exception) -> Any:
            options = {k: ordinary(m, v, reason) for k, v in kwargs.items()}
            run = partial(_alone, rule.function, options)
            return forward_as_is(
                m, node, rule.name, run, args, reason, rule.shape, saves=False
            ).out

        return attempt(m, f"`{rule.name}`", lambda: known(m, node, *args), as_is)

    function = Native(rule.name, plain)
    if rule.backward is None:
        made = CustomRule("jvp", rule.name, function, rule.forward)
        return Call(m, node, made, args).result(rule.function)

    def forward(m: Machine, node: ast.AST, *args: Any) -> Any:
        out = plain(m, node, *args)
        return out, (out, args)

    def backward(m: Machine, node: ast.AST, residuals: Any, g: Any) -> Any:
        out, args = residuals
        found = call_value(m, node, rule.backward, (g, out, *args), kwargs)
        return found if isinstance(opened(m, found), tuple | ListObject) else (found,)

    made = CustomRule(
        "vjp",
        rule.name,
        None,
        Native("forward", forward),
        Native("backward", backward),
        tangent=rule.forward,
    )
    return Call(m, node, made, args).result(rule.function)
