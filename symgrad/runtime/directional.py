"""Derivatives along a direction: ``jvp``, ``vjp``, ``linearize``, ``hvp``.

Each works where it is called. At the top level it compiles the function on its first call with
arguments of a kind; the code is kept for as long as the same function object is passed.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ..errors import InputTypeError
from .api import Argnames, Argnums, derivative_options, make
from .compiled import CompiledFunction

KEPT = 128
"""How many functions the verbs keep code for."""


def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The value of ``fun`` and its derivative along a direction.

    Args:
        fun: any function; its result may be nested.
        primals: a tuple of its arguments.
        tangents: a tuple like ``primals``, with the same structures, shapes and dtypes. None
            in any place is a zero tangent; integers have none.
        has_aux: ``fun`` returns ``(out, aux)``.

    Returns:
        ``(out, out_tangent)``, or ``(out, out_tangent, aux)``; the tangent is like ``out``.

    Raises:
        TreeStructureError, ShapeError, DTypeError: a tangent does not fit its primal.

    Example:
        >>> sg.jvp(np.sin, (0.0,), (2.0,))
        (np.float64(0.0), np.float64(2.0))
    """
    compiled = _compiled("jvp", fun, ("primals", "tangents"), bool(has_aux))
    result: tuple[Any, ...] = compiled(
        _tuple("primals", primals), _tuple("tangents", tangents)
    )
    return result


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of ``fun`` and the function that takes a cotangent back to the arguments.

    The way back shares all that the way there computed. At the top level there are two
    functions for that, the first of which returns what is saved for the second.

    Args:
        fun: any function; its result may be nested.
        primals: its arguments.
        has_aux: ``fun`` returns ``(out, aux)``.

    Returns:
        ``(out, pullback)``, or ``(out, pullback, aux)``. ``pullback(cotangent)``, which may be
        called any number of times, takes something like ``out`` (None in any place is zero)
        and returns a tuple with a gradient for each argument.

    Raises:
        TreeStructureError, ShapeError, DTypeError: the cotangent does not fit the result.

    Example:
        >>> out, pullback = sg.vjp(lambda x: x**2, np.array([1.0, 3.0]))
        >>> pullback(np.array([1.0, 10.0]))
        (array([ 2., 60.]),)
    """
    out, pullback, *aux = _compiled("vjp", fun, None, bool(has_aux))(*primals)
    return out, dataclasses.replace(pullback, count=len(primals)), *aux


def linearize(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``fun``, and its derivative there as a linear function of tangents, which
    computes again nothing of what ``fun`` does.

    Returns:
        ``(out, linear)``; ``linear(*tangents)`` gives the tangent of ``out``.

    Example:
        >>> out, linear = sg.linearize(lambda x: x**2, 3.0)
        >>> linear(1.0)
        6.0
    """
    out, linear = _compiled("linearize", fun, None, False)(*primals)
    return out, dataclasses.replace(linear, count=len(primals))


def hvp(
    fun: Callable[..., Any], argnums: Argnums = 0, *, argnames: Argnames = None
) -> CompiledFunction:
    """The function ``g(v, *args)`` that multiplies the Hessian of ``fun`` by ``v``.

    The Hessian itself is never made: forward mode over reverse mode costs a few times as much
    as ``fun``.

    Args:
        fun: a function with one real number as its result.
        argnums: the arguments to differentiate by; with a tuple of them ``v`` is a tuple too.
        argnames: the same by name.

    Example:
        >>> sg.hvp(lambda x: np.sum(x**3))(np.array([1.0, 0.0]), np.array([2.0, 5.0]))
        array([12.,  0.])
    """
    options = derivative_options("hvp", argnums, argnames)
    return make("hvp", fun, {**options, "parameters": (_free_name(fun), ...)})


def stop_gradient(tree: Any) -> Any:
    """``tree`` itself, to every derivative a constant; integers and the like pass through.

    Example:
        >>> sg.grad(lambda x: x * sg.stop_gradient(x))(3.0)
        3.0
    """
    return tree


def _free_name(fun: Any) -> str:
    """``v``, or what is not yet a parameter's name."""
    try:
        taken = inspect.signature(fun).parameters
    except (ValueError, TypeError):
        return "v"
    name = "v"
    while name in taken:
        name += "_"
    return name


def _tuple(what: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, tuple | list):
        raise InputTypeError(
            f"{what} has to be a tuple with one entry for each argument, such as (x,), not "
            f"{type(given).__name__}"
        )
    return tuple(given)


def _compiled(
    kind: str, fun: Any, parameters: tuple[str, ...] | None, has_aux: bool
) -> CompiledFunction:
    if not callable(fun):
        raise InputTypeError(
            f"`{kind}` needs a function, not {type(fun).__name__}: {fun!r:.60}"
        )
    if kind == "compile" and isinstance(fun, CompiledFunction):
        return fun
    try:
        return _kept(kind, fun, parameters, has_aux)
    except TypeError:  # not hashable
        return _made(kind, fun, parameters, has_aux)


def _made(
    kind: str, fun: Any, parameters: tuple[str, ...] | None, has_aux: bool
) -> CompiledFunction:
    options: dict[str, Any] = {"has_aux": has_aux} if has_aux else {}
    if parameters is not None:
        options["parameters"] = parameters
    return CompiledFunction(kind, fun, tuple(options.items()))


_kept = lru_cache(maxsize=KEPT)(_made)

for _verb in (jvp, vjp, linearize, stop_gradient):
    # Marks them for the front end, which meets them in functions that it compiles.
    vars(_verb)["__symgrad_verb__"] = _verb.__name__
vars(hvp)["__symgrad_transform__"] = True
