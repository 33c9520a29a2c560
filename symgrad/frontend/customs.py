"""Functions with a derivative rule of the user's: forward code and rule become the blocks of one
op, which ``transforms`` takes apart where a derivative passes through it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import CallError
from .inline import call_value
from .machine import Machine
from .requests import CustomRule
from .ruled import Call, active
from .static import opened, pinned
from .values import ListObject, Native, Record
from .verbs import verb

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
            args = _positional(m, rule, args, kwargs)
        return Call(m, node, rule, tuple(args)).result(rule.function)


@verb("apply")
def apply(m: Machine, node: ast.AST, cls: Any, *args: Any, **kwargs: Any) -> Any:
    """``F.apply(...)`` of a class with ``forward`` and ``backward``."""
    cls = pinned(m, cls)
    rule = CustomRule("function", cls.__name__, cls, None, cls.backward)
    forward = Native("forward", lambda m, node, *a: _run_function(m, node, cls, a))
    return call_rule(m, node, _with(rule, forward=forward), args, kwargs)


def _with(rule: CustomRule, forward: Any = None, backward: Any = None) -> CustomRule:
    return CustomRule(
        rule.kind,
        rule.name,
        rule.function,
        forward or rule.forward,
        backward or rule.backward,
        rule.nondiff,
    )


def _run_function(m: Machine, node: ast.AST, cls: Any, args: tuple[Any, ...]) -> Any:
    """``(output, context)``."""
    needs = tuple(any(active(m, a)) for a in args)
    ctx = Record(
        cls.__symgrad_context__, {**cls.__symgrad_fields__, "needs_input_grad": needs}
    )
    if cls.setup_context is None:
        return call_value(m, node, cls.forward, (ctx, *args), {}), ctx
    out = call_value(m, node, cls.forward, args, {})
    call_value(m, node, cls.setup_context, (ctx, args, out), {})
    return out, ctx


def _positional(
    m: Machine, rule: CustomRule, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Every argument by position, defaults filled in as far as needed."""
    is_function = rule.kind == "function"
    target = rule.function.forward if is_function else rule.function
    skip = int(is_function and rule.function.setup_context is None)
    listed = list(inspect.signature(target).parameters.values())[skip:]
    given, rest = list(args), dict(kwargs)
    for p in listed[len(given) :]:
        if not rest:
            break
        if p.name in rest:
            given.append(rest.pop(p.name))
        elif p.default is not p.empty:
            given.append(p.default)
        else:
            raise CallError(f"`{rule.name}` misses its argument `{p.name}`")
    if rest:
        raise CallError(f"`{rule.name}` has no argument `{next(iter(rest))}` left to give")
    return tuple(given)


def _library(
    m: Machine,
    node: ast.AST,
    rule: CustomRule,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A call of a library function for which there is a rule."""

    def plain(m: Machine, node: ast.AST, *args: Any) -> Any:
        before, m.plainly = m.plainly, m.plainly | {rule.function}
        try:
            return call_value(m, node, rule.function, args, kwargs)
        finally:
            m.plainly = before

    function = Native(rule.name, plain)
    if rule.forward is not None:
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
        "vjp", rule.name, None, Native("forward", forward), Native("backward", backward)
    )
    return Call(m, node, made, args).result(rule.function)
