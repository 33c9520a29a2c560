"""Calls: of ops, of builtins, of the user's functions and classes, of transforms."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

import numpy as np

from ..errors import (
    CallError,
    DTypeError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
)
from ..ir.expr import Expr
from ..ir.values import Value
from ..ops import MUTATORS, SURFACE
from ..ops.scope import RUN_WHEN_COMPILING
from ..ops.written.functions import (
    PACKAGES,
    WHEN_COMPILING,
    WRITTEN,
    WRITTEN_FOR,
    vectorized,
)
from . import (
    attributes,
    builtin_calls,
    callables,
    construct,
    inline,
    methods,
    protocols,
    ufunc_calls,
)
from .arguments.binding import flatten
from .arguments.misuse import bound, check_names, explained, required
from .control import comprehensions, folds, settling
from .control.describing import describe
from .derivatives import gradients as derivatives
from .derivatives import untracked
from .derivatives.transforming import is_transform, make_request, transformed
from .derivatives.verbs import verb_of
from .dispatch import expression, held
from .lists import arrays, growing
from .machine import Machine
from .memory import orders, outs, placing
from .memory.selected import on_each
from .memory.storage import check_writable
from .memory.writing import put_back
from .names import surroundings
from .names.captures import Found
from .names.static import certain, opened, pinned, plain, unwrap
from .names.unknown import public_name, unknown
from .requests import Request
from .rules import customs
from .unpacking import spread_items
from .values import (
    Bound,
    Closure,
    DictObject,
    Method,
    Native,
    Partial,
    Record,
    Ref,
    SetObject,
    any_runtime,
)


@expression(ast.Call)
def call(m: Machine, node: ast.Call) -> Any:
    """``f(*args, **kwargs)``, operands from left to right."""
    before, start = len(m.temps), len(m.builder.ops)
    function = held(m, node.func)
    args: list[Any] = []
    for part in node.args:
        if isinstance(part, ast.Starred):
            args += spread_items(m, part, held(m, part.value))
        elif any(function is f for f in folds.FOLDED):
            args.append(folds.argument(m, part, function))
            m.temps.append(args[-1])
        elif isinstance(part, ast.GeneratorExp) and not _is_users(function):
            _check_iterates(m, part, function)
            args.append(comprehensions.list_(m, part))
            m.temps.append(args[-1])
        else:
            args.append(held(m, part))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = held(m, keyword.value)
        _add_keyword(m, node, keyword, value, kwargs)
    result = call_any(m, node, function, tuple(args), kwargs)
    del m.temps[before:]
    return result if m.tracking else untracked.computed(m, node, result, start)


def _check_iterates(m: Machine, node: ast.expr, function: Any) -> None:
    """Refuse a generator where NumPy does not run through it."""
    of_array = isinstance(function, Method) and isinstance(function.receiver, Ref | Value)
    if of_array or isinstance(function, np.ufunc) or _module(function).startswith("numpy"):
        raise DTypeError(
            "NumPy takes a generator for a single object, not for its elements; make a list of "
            "them: `[... for ... in ...]`",
            m.span(node),
        )


def _is_users(function: Any) -> bool:
    """Whether a call may keep a generator that it is given, or leave it before its end."""
    function = function.value if isinstance(function, Found) else function
    if isinstance(function, types.FunctionType | type):
        return not _is_library(function)
    return isinstance(function, Closure | Bound | Partial | Record)


def _add_keyword(
    m: Machine, node: ast.Call, keyword: ast.keyword, value: Any, kwargs: dict[str, Any]
) -> None:
    if keyword.arg is not None:
        entries = {keyword.arg: value}
    else:
        value = opened(m, value)
        if not isinstance(value, DictObject):
            raise UnsupportedSyntaxError("`**` needs a dict here", m.span(node))
        entries = value.items
    for key in entries:
        if key in kwargs:
            raise CallError(
                f"got multiple values for keyword argument {key!r}", m.span(node)
            )
    kwargs.update(entries)


def call_any(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call any kind of abstract value."""
    f = certain(m, f, text="'NoneType' object is not callable")
    if isinstance(f, Closure):
        return inline.call_closure(m, node, f, args, kwargs)
    if isinstance(f, Bound) and is_transform(f.function):
        return transformed(m, node, f.function, pinned(m, f.receiver), args, kwargs)
    if isinstance(f, Record):
        f = attributes.get_attribute(m, node, f, "__call__")
    if isinstance(f, tuple):
        f = protocols.special(m, f, "__call__") or f
    method = _library_method(f)
    if method is not None:
        return call_static(m, node, method, args, kwargs)
    if isinstance(f, Bound) and hasattr(f.function, "__symgrad_now__"):
        return surroundings.listed(m, node, f, args, kwargs)
    if isinstance(f, Bound):
        return call_any(m, node, f.function, (f.receiver, *args), kwargs)
    if isinstance(f.value if isinstance(f, Found) else f, np.vectorize):
        f = _vectorized(m, node, f)
    if isinstance(f, Partial):
        return call_any(m, node, f.function, (*f.args, *args), {**f.kwargs, **kwargs})
    if isinstance(f, Method):
        return methods.call(m, node, f, args, kwargs)
    if isinstance(f, Native):
        return f.run(m, node, *args, **kwargs)
    if isinstance(f, Request):
        return derivatives.lower_request(m, node, f, args, kwargs)
    if isinstance(f, Ref | Value) or not callable(f.value if isinstance(f, Found) else f):
        raise UnsupportedFunctionError(
            f"{describe(f)} is called, which is not a function", m.span(node)
        )
    if hasattr(f.value if isinstance(f, Found) else f, "__symgrad_request__"):
        request = pinned(m, f).__symgrad_request__
        return derivatives.lower_request(m, node, request, args, kwargs)
    if _is_custom(f.value if isinstance(f, Found) else f):
        return customs.call_rule(m, node, pinned(m, f).__symgrad_custom__, args, kwargs)
    target = flatten(m.captures, f if isinstance(f, Found) else Found(f))
    args = (*(unwrap(m, a) for a in target.args), *args)
    if target.kwargs:
        kwargs = {
            **{k: unwrap(m, v) for k, v in target.kwargs.items() if k not in kwargs},
            **kwargs,
        }
    function = target.function.value
    if hasattr(function, "__symgrad_request__") or _is_custom(function):
        return call_any(m, node, function, args, kwargs)
    return call_static(m, node, function, args, kwargs)


def _is_custom(f: Any) -> bool:
    """Whether ``f`` is a function with a rule of the user's."""
    return not isinstance(f, type) and hasattr(f, "__symgrad_custom__")


def _library_method(f: Any) -> Any:
    """A bound method that has a surface, such as ``scipy.stats.norm.pdf``, or None."""
    method = f.value if isinstance(f, Found) else f
    if isinstance(f, Bound) and isinstance(f.function, types.FunctionType):
        receiver = f.receiver.value if isinstance(f.receiver, Found) else f.receiver
        method = (
            types.MethodType(f.function, receiver) if _is_library(type(receiver)) else None
        )
    if not isinstance(method, types.MethodType) or not _is_library(type(method.__self__)):
        return None
    return method if method in SURFACE or method in MUTATORS else None


def call_static(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function or class that is known when compiling."""
    _check_hashable(m, node, f)
    of_library = not isinstance(f, _WRITTEN_BY_USERS) or _is_library(f)
    if of_library:
        args = tuple(_for_library(m, f, x, i) for i, x in enumerate(args))
        kwargs = {k: _for_library(m, f, x, k) for k, x in kwargs.items()}
    if getattr(f, "__objclass__", None) in _WITH_METHODS and args:
        own = attributes.get_attribute(m, node, args[0], f.__name__)
        return call_any(m, node, own, args[1:], kwargs)
    if isinstance(f, callables.GETTERS):
        return callables.getter(m, node, f).run(m, node, *args, **kwargs)
    if f in builtin_calls.BUILTINS:
        handler = builtin_calls.BUILTINS[f]
        with bound(node, m.span(node), handler, (m, node, *args), kwargs):
            handled = handler(m, node, *args, **kwargs)
        if handled is not NotImplemented:
            return handled
    known = _known(m, f, args, kwargs)
    if known is not None:
        return _executed(m, node, f, *known)
    verb = verb_of(f)
    if verb is not None:
        with m.located(node), bound(node, m.span(node), verb, (m, node, *args), kwargs):
            return verb(m, node, *args, **kwargs)
    if f in customs.RULES and f not in m.plainly:
        return customs.call_rule(m, node, customs.RULES[f], args, kwargs)
    if f in MUTATORS:
        return mutate(m, node, MUTATORS[f], args, kwargs, f)
    if of_library:
        args, kwargs = placing.arguments(f, args, kwargs)
        args, kwargs = orders.settled(m, node, f, args, kwargs)
    if ufunc_calls.is_masked(f, kwargs):
        return ufunc_calls.masked(m, node, f, args, kwargs)
    written = ufunc_calls.method(f, kwargs)
    if written is not None:
        return ufunc_calls.call_method(m, node, written, args, kwargs)
    if f is np.vectorize:
        with bound(node, m.span(node), _vectorize, (m, node, *args), kwargs):
            return _vectorize(m, node, *args, **kwargs)
    python = _written(m, f, args, kwargs)
    if python is not None:
        with explained(node, m.span(node), f, python, args, kwargs):
            return inline.call_python(m, node, python, args, kwargs, library=True)
    for wholes in (growing, arrays):
        handled = wholes.called(m, node, f, args, kwargs)
        if handled is not NotImplemented:
            return handled
    if f in SURFACE:
        return _call_surface(m, node, f, args, kwargs)
    if is_transform(f):
        return make_request(m, node, f, args, kwargs)
    if f in m.standins:
        return call_any(m, node, m.standins[f], args, kwargs)
    if not of_library:
        return _call_own(m, node, f, args, kwargs)
    receiver = next((x.value for x in args[:1] if isinstance(x, Found)), None)
    raise UnsupportedFunctionError(unknown(f, receiver), m.span(node))


def _call_own(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function or class of the user's."""
    if isinstance(f, type):
        return construct.instance(m, node, f, args, kwargs)
    return inline.call_python(m, node, f, args, kwargs, library=_is_compiled_library(f))


def _call_surface(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    check_names(node, m.span(node), f, kwargs)
    fresh = f in COPIES and kwargs.get("copy", True) is True
    return call_op(m, node, SURFACE[f], args, kwargs, target=f, fresh=fresh)


def _for_library(m: Machine, f: Any, x: Any, place: int | str) -> Any:
    """An argument of a function that is not the user's, which changes no set."""
    if isinstance(x, SetObject):
        return set(x.items)
    x = settling.option(m, f, x, place)
    return x if f in _TAKE_NONE else certain(m, x)


_WITH_METHODS = (np.ndarray, int, float, complex)
"""Classes whose methods are called of runtime values."""
_TAKE_NONE = frozenset({isinstance, bool, print, callable, slice})
_WRITTEN_BY_USERS = (types.FunctionType, type)


def _check_hashable(m: Machine, node: ast.AST, f: Any) -> None:
    try:
        hash(f)
    except TypeError:
        raise UnsupportedFunctionError(
            f"`{public_name(f)}` has no entry in the op table, and cannot have one, since it is "
            "not hashable; call it in a function of yours with `symgrad.custom_vjp`",
            m.span(node),
        ) from None


def _written(
    m: Machine, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any | None:
    """The Python that a function is written out in, perhaps for one value of an option alone."""
    if f in WRITTEN:
        return WRITTEN[f]
    if f not in WRITTEN_FOR:
        return None
    name, position, wanted, python = WRITTEN_FOR[f]
    option = kwargs.get(name, args[position] if len(args) > position else None)
    return python if option is not None and plain(m, option) == wanted else None


def _vectorize(
    m: Machine, node: ast.AST, pyfunc: Any, otypes: Any = None, doc: Any = None,
    excluded: Any = None, cache: Any = False, signature: Any = None,
) -> Partial:  # fmt: skip
    """``np.vectorize(pyfunc, otypes, excluded=..., signature=...)``."""
    kinds, text = plain(m, otypes), plain(m, signature)
    return Partial(
        vectorized,
        (
            pyfunc,
            None if kinds is None else tuple(map(np.dtype, kinds)),
            *((None, None) if text is None else map(_cores, text.split("->"))),
            frozenset(plain(m, excluded) or ()),
        ),
        {},
    )


def _cores(side: str) -> tuple[tuple[str, ...], ...]:
    """The names of the axes of each argument, or result, on a side of a signature."""
    listed = side.replace(" ", "").removeprefix("(").removesuffix(")").split("),(")
    return tuple(tuple(name for name in part.split(",") if name) for part in listed)


def _vectorized(m: Machine, node: ast.AST, f: Any) -> Partial:
    """A captured ``np.vectorize`` object."""
    made = f.value if isinstance(f, Found) else f
    pyfunc = attributes.get_attribute(m, node, f, "pyfunc")
    more = {"excluded": made.excluded, "signature": made.signature}
    return _vectorize(m, node, pyfunc, made.otypes or None, **more)


COPIES = frozenset({np.array, np.copy})
"""Calls whose result shares no memory with an argument, unless told to (``copy=None``)."""


def call_op(
    m: Machine,
    node: ast.AST,
    surface: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    target: Any = None,
    fresh: bool = False,
) -> Any:
    """A surface, which stands for calls of ``target``, with ``out=`` done here."""
    given = outs.taken(m, node, kwargs.pop("out", None))
    args = tuple(opened(m, a) for a in args)
    kwargs = {k: opened(m, v) for k, v in kwargs.items()}
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue}
    args = (*args, *required(target, args, kwargs))
    kwargs = outs.options(given, target, args, kwargs)
    result = m.call_surface(surface, node, *args, _target=target, **kwargs)
    if given is not None:
        return outs.put(m, node, given, result, target)
    return copied(m, result, args) if fresh and isinstance(result, Ref) else result


def copied(m: Machine, result: Ref, args: tuple[Any, ...]) -> Ref:
    """``result`` in memory of its own, where it would share an argument's."""
    if not any(isinstance(a, Ref) and a.storage is result.storage for a in args):
        return result
    ref = m.wrap(m.builder.op("copy", m.read(result)))
    assert isinstance(ref, Ref)
    return ref


def mutate(
    m: Machine,
    node: ast.AST,
    entry: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    called: Any = None,
) -> None:
    """A call, of ``called``, that overwrites one of its arguments."""
    position, function = entry
    args = tuple(opened(m, a) for a in args)
    target = args[position] if position < len(args) else next(iter(kwargs.values()), None)
    if not isinstance(target, Ref):
        raise UnsupportedSyntaxError(
            "only arrays of rank 1 or more can be changed in place", m.span(node)
        )

    def on(one: Ref) -> None:
        rest = (*args[:position], one, *args[position + 1 :])
        mutate(m, node, entry, rest, kwargs, called)

    if position < len(args) and on_each(m, node, target, on):
        return
    with m.located(node):
        check_writable(m, target)
        lifted = tuple(m.lift(a) for a in args)
        named = {k: m.lift(opened(m, v)) for k, v in kwargs.items()}
        with explained(node, m.span(node), called, function, lifted, named):
            new = function(m.builder, *lifted, **named)
            assert isinstance(new, Expr)
        put_back(m, target, new.value)


# ------------------------------------------------------------------------ run when compiling
_MODULES = ("math", "operator", "cmath", "itertools", "builtins", "string", "dataclasses")
_IMPURE = {
    *(print, input, open, exec, eval, compile, __import__),
    *(globals, locals, id, hash, breakpoint, setattr, delattr, next),
}


def _runs_now(f: Any) -> bool:
    if f in _IMPURE:
        return False
    if isinstance(f, np.ufunc) or f in WHEN_COMPILING:
        return True
    return f in RUN_WHEN_COMPILING or getattr(f, "__module__", None) in _MODULES


def _known(
    m: Machine, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a function that is run when compiling; None if it is not, or if they
    are not known then: what is in a container from outside may change from call to call."""
    if not _runs_now(f) or any_runtime((*args, *kwargs.values())):
        return None
    try:
        return tuple(plain(m, a) for a in args), {k: plain(m, v) for k, v in kwargs.items()}
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        return None


def _executed(
    m: Machine, node: ast.AST, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    with bound(node, m.span(node), f, args, kwargs):
        result = f(*args, **kwargs)
    if isinstance(result, np.ndarray) and result.ndim:
        return m.wrap(m.builder.const(result))
    if type(f) is type and getattr(f, "__module__", "") == "itertools":
        result = list(result)
    return m.lower(result) if isinstance(result, list | dict | set | tuple) else result


_LIBRARIES = frozenset({"numpy", "scipy", *sys.stdlib_module_names})


def _module(f: Any) -> str:
    return getattr(f, "__module__", None) or ""


def _is_library(f: Any) -> bool:
    package = _module(f).partition(".")[0]
    return package in _LIBRARIES - {"__main__"} and not _is_compiled_library(f)


def _is_compiled_library(f: Any) -> bool:
    return _module(f).startswith(PACKAGES)
