"""``no_grad`` and its like: parts of a function that are constants to derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, TypeVar

from ..errors import InputTypeError

ENABLED: ContextVar[bool] = ContextVar("symgrad_grad_enabled", default=True)

F = TypeVar("F", bound=Callable[..., Any])


class _Tracking:
    """What the three have in common: entering, leaving, decorating."""

    enabled: bool

    def __enter__(self) -> None:
        self._tokens: list[Token[bool]] = [
            *getattr(self, "_tokens", ()),
            ENABLED.set(self.enabled),
        ]

    def __exit__(self, *error: object) -> None:
        ENABLED.reset(self._tokens.pop())


class no_grad(_Tracking):  # noqa: N801  (used like a function)
    """What is computed in the body of ``with sg.no_grad():`` is a constant to the derivatives of
    the function around it, as if each value were passed to ``stop_gradient``. An array from before
    that is stored into keeps its derivative where nothing is stored. Also a decorator.

    A derivative that is asked for is taken wherever that is: ``no_grad`` says what it sees.
    Outside of compiled functions nothing is recorded, so there is nothing to turn off.

    Example:
        >>> def loss(x):
        ...     with sg.no_grad():
        ...         scale = np.max(np.abs(x))
        ...     return np.sum((x / scale) ** 2)
        >>> sg.grad(loss)(np.array([1.0, 2.0]))
        array([0.5, 1. ])
    """

    __symgrad_tracking__ = "no_grad"
    enabled = False

    def __call__(self, fun: F) -> F:
        @functools.wraps(fun)
        def run(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return fun(*args, **kwargs)

        return run  # type: ignore[return-value]


class enable_grad(_Tracking):  # noqa: N801  (used like a function)
    """Within ``no_grad``: derivatives are taken through the body of ``with sg.enable_grad():``,
    by what is not a constant already. Also a decorator.

    Example:
        >>> def loss(x):
        ...     with sg.no_grad():
        ...         with sg.enable_grad():
        ...             y = x**2
        ...     return y
        >>> sg.grad(loss)(3.0)
        6.0
    """

    __symgrad_tracking__ = "enable_grad"
    enabled = True

    def __call__(self, fun: F) -> F:
        @functools.wraps(fun)
        def run(*args: Any, **kwargs: Any) -> Any:
            with enable_grad():
                return fun(*args, **kwargs)

        return run  # type: ignore[return-value]


class set_grad_enabled(_Tracking):  # noqa: N801  (used like a function)
    """``enable_grad()`` or ``no_grad()``, by a value that is known when compiling.

    Args:
        mode: True or False.

    Raises:
        InputTypeError: anything else.

    Example:
        >>> def loss(x, training=False):
        ...     with sg.set_grad_enabled(training):
        ...         y = x**2
        ...     return x * y
        >>> sg.grad(loss)(3.0)
        9.0
    """

    __symgrad_tracking__ = "set_grad_enabled"

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise InputTypeError(f"`set_grad_enabled` takes True or False, not {mode!r}")
        self.enabled = mode

    def __call__(self, fun: F) -> F:
        mode = self.enabled

        @functools.wraps(fun)
        def run(*args: Any, **kwargs: Any) -> Any:
            with set_grad_enabled(mode):
                return fun(*args, **kwargs)

        return run  # type: ignore[return-value]


def is_grad_enabled() -> bool:
    """Whether the code around is not in a ``no_grad``.

    Example:
        >>> with sg.no_grad():
        ...     sg.is_grad_enabled()
        False
        >>> sg.is_grad_enabled()
        True
    """
    return ENABLED.get()


vars(is_grad_enabled)["__symgrad_verb__"] = "is_grad_enabled"

__all__ = ["enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
