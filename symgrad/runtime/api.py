"""The verbs: ``compile``, ``grad``, ``value_and_grad``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, overload

from ..errors import ArgnumsError, InputTypeError
from .compiled import CompiledFunction

Argnums = int | Sequence[int]
Argnames = str | Sequence[str] | None


@overload
def compile(
    fun: Callable[..., Any],
    *,
    static_argnums: Argnums = ...,
    static_argnames: str | Sequence[str] = ...,
    source: str | None = ...,
    name: str | None = ...,
    check_source: bool = ...,
    debug: bool | str = ...,
) -> CompiledFunction: ...


@overload
def compile(
    fun: None = None,
    *,
    static_argnums: Argnums = ...,
    static_argnames: str | Sequence[str] = ...,
    source: str | None = ...,
    name: str | None = ...,
    check_source: bool = ...,
    debug: bool | str = ...,
) -> Callable[[Callable[..., Any]], CompiledFunction]: ...


def compile(
    fun: Callable[..., Any] | None = None,
    *,
    static_argnums: Argnums = (),
    static_argnames: str | Sequence[str] = (),
    source: str | None = None,
    name: str | None = None,
    check_source: bool = True,
    debug: bool | str = False,
) -> Any:
    """Compile a NumPy function; also a decorator, with or without arguments.

    Args:
        fun: the function.
        static_argnums: positions of arguments that are known when compiling: for each value
            there is a specialisation of its own. What has to be static is found out without
            this; it saves finding out.
        static_argnames: the same by name.
        source: the function's text, where it cannot be found.
        name: what to call the function in the generated code.
        check_source: whether to compare the text found with the code that runs.
        debug: True: verify the IR after every pass. ``"file"``: write the generated code to a
            file in ``SYMGRAD_DUMP_DIR`` (or the directory for temporary files), where debuggers
            can set breakpoints and coverage can see it.

    Example:
        >>> @sg.compile
        ... def loss(x):
        ...     return np.sum(x**2)
        >>> loss(np.arange(3.0))
        np.float64(5.0)
        >>> print(loss.source.splitlines()[0])
        def loss(x):
    """
    if name is not None and not name.isidentifier():
        raise InputTypeError(f"name={name!r} cannot be a function's name")
    if debug not in (True, False, "file"):
        raise InputTypeError(f'debug is True, False or "file", not {debug!r}')
    options = {
        "static_argnums": positions(static_argnums, "static_argnums"),
        "static_argnames": _names(static_argnames, "static_argnames") or (),
        "source": source,
        "name": name,
        "check_source": check_source,
        "debug": debug,
    }
    if fun is None:
        return lambda function: make("compile", function, options)
    return make("compile", fun, options)


def grad(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
    allow_int: bool = False,
    holomorphic: bool = False,
    strict: bool = False,
    **unknown: Any,
) -> CompiledFunction:
    """The function that computes the gradient of ``fun``.

    Args:
        fun: a function with one real number as its result.
        argnums: which arguments, by position among those given (negative: from the last
            given); a tuple gives a tuple of gradients. A gradient
            has the structure of its argument.
        has_aux: ``fun`` returns ``(value, aux)``; the result is ``(gradient, aux)``.
        argnames: which arguments, by name (instead of ``argnums``).
        allow_int: accept arguments of integers, whose gradient is zero.
        holomorphic: ``fun`` is a holomorphic function of complex numbers; the result is its
            complex derivative. Without this, ``fun`` has a real result, and its gradient by a
            complex argument is ``dL/dRe + 1j * dL/dIm``, the direction of steepest ascent.
        strict: a gradient that is zero because the result does not depend on the argument, or only
            through operations without a derivative (casts to integers, comparisons, ``argsort``),
            is a ``NotDifferentiableError``.

    Example:
        >>> sg.grad(lambda x, y: np.sum(x * y))(np.ones(2), np.array([3.0, 4.0]))
        array([3., 4.])
        >>> sg.grad(lambda x, y: np.sum(x * y), argnums=(0, 1))(2.0, 3.0)
        (3.0, 2.0)
    """
    given = {"allow_int": allow_int, "holomorphic": holomorphic, "strict": strict}
    return _derivative("grad", fun, argnums, has_aux, argnames, given, unknown)


def value_and_grad(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
    allow_int: bool = False,
    holomorphic: bool = False,
    strict: bool = False,
    **unknown: Any,
) -> CompiledFunction:
    """The function that computes ``(value, gradient)`` of ``fun``; arguments as in ``grad``.

    With ``has_aux`` the result is ``((value, aux), gradient)``.

    Example:
        >>> sg.value_and_grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
        (np.float64(5.0), array([2., 4.]))
    """
    given = {"allow_int": allow_int, "holomorphic": holomorphic, "strict": strict}
    return _derivative("value_and_grad", fun, argnums, has_aux, argnames, given, unknown)


def _derivative(
    kind: str,
    fun: Any,
    argnums: Any,
    has_aux: bool,
    argnames: Argnames,
    given: dict[str, bool],
    unknown: dict[str, Any],
) -> CompiledFunction:
    if unknown:
        wrong = next(iter(unknown))
        advice = "; it is called `argnums`" if wrong in ("argnum", "wrt", "nums") else ""
        raise ArgnumsError(f"`{kind}` has no argument `{wrong}`{advice}")
    options = derivative_options(kind, argnums, argnames)
    flags = {name: bool(flag) for name, flag in {"has_aux": has_aux, **given}.items()}
    return make(kind, fun, {**options, **flags})


def derivative_options(kind: str, argnums: Any, argnames: Argnames) -> dict[str, Any]:
    """The options that say which arguments to differentiate by, checked."""
    many = isinstance(argnums, Sequence)
    listed = positions(argnums, "argnums")
    names = _names(argnames, "argnames")
    if names is not None and argnums != 0:
        raise ArgnumsError(
            f"`{kind}` takes argnums or argnames, not both: name all arguments in argnames"
        )
    if many and not listed and names is None:
        raise ArgnumsError("argnums is empty: name at least one argument")
    return {
        "argnums": listed if many else listed[0],
        "argnames": argnames if isinstance(argnames, str) else names,
    }


def positions(given: Any, option: str) -> tuple[int, ...]:
    """Positions of arguments, checked.

    Raises:
        ArgnumsError: they are none, or name an argument twice.
    """
    many = isinstance(given, Sequence) and not isinstance(given, str)
    listed = tuple(given) if many else (given,)
    try:
        found = tuple(map(operator.index, listed))
    except TypeError:
        found = ()
    if len(found) < len(listed) or any(isinstance(number, bool) for number in listed):
        raise ArgnumsError(f"{option} must be an int or a tuple of ints, not {given!r}")
    if len(set(found)) < len(found):
        raise ArgnumsError(f"{option}={given!r} names an argument twice")
    return found


def _names(given: Any, option: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    listed = (given,) if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not all(isinstance(n, str) for n in listed):
        raise ArgnumsError(f"{option} must be a name or a tuple of names, not {given!r}")
    if len(set(listed)) < len(listed):
        raise ArgnumsError(f"{option}={given!r} names an argument twice")
    return tuple(listed)


def make(kind: str, fun: Any, options: dict[str, Any]) -> CompiledFunction:
    """The transform ``kind`` of ``fun``."""
    if not callable(fun):
        raise InputTypeError(
            f"`{kind}` needs a function, not {type(fun).__name__}: {fun!r:.60}"
        )
    return CompiledFunction(kind, fun, tuple(options.items()))


for _verb in (compile, grad, value_and_grad):
    # Marks them for the front end, which meets them in functions that it compiles.
    setattr(_verb, "__symgrad_transform__", True)  # noqa: B010


# Inside a function that is being compiled these verbs are met as values: the front end knows
# them by this mark.
for _verb in (compile, grad, value_and_grad):
    vars(_verb)["__symgrad_transform__"] = True
