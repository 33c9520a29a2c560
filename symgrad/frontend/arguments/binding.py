"""Which argument goes to which parameter, as Python decides it, for any kind of value."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import CallError
from ...source import Span
from ..names.captures import Captures, Found
from ..requests import Place

Kind = Literal[
    "positional_only",
    "positional_or_keyword",
    "var_positional",
    "keyword_only",
    "var_keyword",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature."""

    name: str
    kind: Kind
    has_default: bool = False


Parameters = tuple[Parameter, ...]


def parameters_of(arguments: ast.arguments) -> Parameters:
    """The parameters of a definition, in order."""
    listed: list[Parameter] = []
    first_default = (
        len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    )
    for position, a in enumerate((*arguments.posonlyargs, *arguments.args)):
        kind: Kind = "positional_or_keyword"
        if position < len(arguments.posonlyargs):
            kind = "positional_only"
        listed.append(Parameter(a.arg, kind, position >= first_default))
    if arguments.vararg is not None:
        listed.append(Parameter(arguments.vararg.arg, "var_positional"))
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        listed.append(Parameter(a.arg, "keyword_only", default is not None))
    if arguments.kwarg is not None:
        listed.append(Parameter(arguments.kwarg.arg, "var_keyword"))
    return tuple(listed)


def parameters_of_function(function: types.FunctionType) -> Parameters:
    """The parameters of a function object, whose defaults may differ from its text's."""
    code, bare = function.__code__, _without_wrapping(function)
    listed = []
    for p in inspect.signature(bare, follow_wrapped=False).parameters.values():
        kind: Any = p.kind.name.lower()
        listed.append(Parameter(p.name, kind, p.default is not p.empty))
    assert len(listed) >= code.co_argcount
    return tuple(listed)


def _without_wrapping(function: types.FunctionType) -> types.FunctionType:
    if not hasattr(function, "__signature__"):
        return function
    bare = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return bare


def bind(
    parameters: Parameters,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    default: Callable[[str], Any],
    *,
    name: str,
    span: Span | None = None,
) -> dict[str, Any]:
    """The value of each parameter by name; ``*args`` as a tuple, ``**kwargs`` as a dict.

    Args:
        default: gives the default value of a parameter that has one.
        name: the function's name, for messages.

    Raises:
        CallError: the arguments do not fit; the text is Python's.
    """
    values: dict[str, Any] = {}
    positional = [p for p in parameters if p.kind.startswith("positional")]
    for parameter, arg in zip(positional, args, strict=False):
        values[parameter.name] = arg
    extra = tuple(args[len(positional) :])
    star = _only(parameters, "var_positional")
    rest = _bind_keywords(parameters, kwargs, values, name, span)
    if extra and star is None:
        raise CallError(f"{name}() {_too_many(positional, args)}", span)
    missing = [
        p for p in parameters if p.name not in values and not p.kind.startswith("var")
    ]
    for parameter in missing:
        if parameter.has_default:
            values[parameter.name] = default(parameter.name)
    for kinds, word in (("positional", "positional"), ("keyword_only", "keyword-only")):
        absent = [p.name for p in missing if p.kind.startswith(kinds) and not p.has_default]
        if absent:
            raise CallError(f"{name}() {_missing(absent, word)}", span)
    if star is not None:
        values[star.name] = extra
    double_star = _only(parameters, "var_keyword")
    if double_star is not None:
        values[double_star.name] = rest
    return {p.name: values[p.name] for p in parameters}


def _bind_keywords(
    parameters: Parameters,
    kwargs: Mapping[str, Any],
    values: dict[str, Any],
    name: str,
    span: Span | None,
) -> dict[str, Any]:
    """Put keyword arguments where they belong; what is left goes to ``**kwargs``."""
    allowed = {p.name for p in parameters if p.kind in _KEYWORDS}
    collects = _only(parameters, "var_keyword") is not None
    rest = {}
    for key, value in kwargs.items():
        if key in allowed and key in values:
            raise CallError(f"{name}() got multiple values for argument '{key}'", span)
        if key in allowed:
            values[key] = value
        elif collects:
            rest[key] = value
        else:
            raise CallError(f"{name}() {_unexpected(parameters, kwargs, key)}", span)
    return rest


def _unexpected(parameters: Parameters, kwargs: Mapping[str, Any], key: str) -> str:
    hidden = [
        p.name for p in parameters if p.kind == "positional_only" and p.name in kwargs
    ]
    if not hidden:
        return f"got an unexpected keyword argument '{key}'"
    listed = ", ".join(hidden)
    return f"got some positional-only arguments passed as keyword arguments: '{listed}'"


_KEYWORDS = ("positional_or_keyword", "keyword_only")


def _only(parameters: Parameters, kind: Kind) -> Parameter | None:
    return next((p for p in parameters if p.kind == kind), None)


def _too_many(positional: Sequence[Parameter], args: Sequence[Any]) -> str:
    most = len(positional)
    least = sum(not p.has_default for p in positional)
    takes = str(most) if least == most else f"from {least} to {most}"
    plural = "" if takes == "1" else "s"
    given = len(args)
    return (
        f"takes {takes} positional argument{plural} but {given} "
        f"{'was' if given == 1 else 'were'} given"
    )


def _missing(names: Sequence[str], word: str) -> str:
    quoted = [f"'{n}'" for n in names]
    listed = quoted[0]
    if len(quoted) == 2:
        listed = " and ".join(quoted)
    elif len(quoted) > 2:
        listed = f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
    plural = "" if len(names) == 1 else "s"
    return f"missing {len(names)} required {word} argument{plural}: {listed}"


@dataclass(frozen=True, slots=True)
class Target:
    """What a callable comes down to: a function and the arguments already given to it.

    ``function`` holds a Python function, a class, a transform, or a callable without source.
    """

    function: Found
    args: tuple[Found, ...] = ()
    kwargs: Mapping[str, Found] | None = None


def flatten(captures: Captures, found: Found) -> Target:
    """Take bound methods, partials, cached functions and callable objects apart."""
    args: tuple[Found, ...] = ()
    kwargs: dict[str, Found] = {}
    while True:
        inner = found.value
        if isinstance(inner, types.MethodType):
            found, receiver = captures.bound_method(found)
            args = (receiver, *args)
        elif isinstance(inner, functools.partial):
            found, first, named = captures.parts(found)
            args, kwargs = (*first, *args), {**named, **kwargs}
        elif isinstance(inner, staticmethod):
            found = Found(inner.__func__)
        elif _is_cached(inner):
            captures.read(found)
            found = Found(inner.__wrapped__)
        elif _is_callable_object(inner):
            if found.place is None:  # what is in it may change all the same
                found = Found(inner, Place(inner))
            captures.read(found)
            # Python looks on the class, whatever the instance has.
            cls = Found(
                type(inner), found.place.type() if found.place is not None else None
            )
            found, args = captures.attribute(cls, "__call__").found, (found, *args)
        else:
            captures.read(found)
            return Target(found, args, kwargs)


def _is_cached(x: Any) -> bool:
    return (
        hasattr(x, "cache_info") and hasattr(x, "__wrapped__") and not isinstance(x, type)
    )


def _is_callable_object(x: Any) -> bool:
    if isinstance(x, type | types.FunctionType) or hasattr(x, "__symgrad_request__"):
        return False
    call = inspect.getattr_static(type(x), "__call__", None)
    return isinstance(call, types.FunctionType)


__all__ = [
    "Parameter",
    "Parameters",
    "Target",
    "bind",
    "flatten",
    "parameters_of",
    "parameters_of_function",
]
