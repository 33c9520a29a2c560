"""``insert_grad_of``: code of the user's in the backward."""

from __future__ import annotations

from typing import Any

from ..errors import CallError


class insert_grad_of:  # noqa: N801  (used like a function)
    """Put the body of a ``with`` statement into the backward, where the gradient of ``x`` is
    complete: to print it, assert something about it, clip it, or stop there with
    ``breakpoint()``.

    Where no gradient is taken the body is not run. Every backward that passes ``x`` runs it: where
    a gradient is differentiated in reverse mode, that of the second derivative, too. It sees the
    local variables of the function around it. If it assigns to ``dx``, that is what the gradient
    is from there on. It is compiled like any code; what cannot be compiled runs as it is, and if
    that assigns to ``dx`` there is no second derivative.

    Args:
        x: a variable that holds an array or a number of floats.

    Raises:
        CallError: outside of a compiled function, where there is no backward.

    Example:
        >>> def loss(w, x):
        ...     h = np.tanh(x @ w)
        ...     with sg.insert_grad_of(h) as dh:
        ...         print("largest gradient", np.max(np.abs(dh)))
        ...         dh = np.clip(dh, -1, 1)
        ...     return np.sum(h**2)
    """

    __symgrad_insert__ = True

    def __init__(self, x: Any) -> None:
        self.x = x

    def __enter__(self) -> Any:
        raise CallError(
            "`insert_grad_of` puts code into a backward, which a plain call has not: call the "
            "function through `sg.compile`, `sg.grad` or another transform"
        )

    def __exit__(self, *error: object) -> None:
        return None


def set_trace(x: Any) -> None:
    """Stop in the debugger in the backward, where the gradient of ``x`` is complete: short for
    ``with sg.insert_grad_of(x) as dx: breakpoint()``.

    The debugger shows this line of the function, with the gradient (``dh`` for a variable ``h``)
    and the variables that the function had here.

    Args:
        x: a variable that holds an array or a number of floats.

    Raises:
        CallError: outside of a compiled function, where there is no backward.

    Example:
        >>> def loss(w, x):
        ...     h = np.tanh(x @ w)
        ...     sg.set_trace(h)
        ...     return np.sum(h**2)
    """
    raise CallError(
        "`set_trace` stops in a backward, which a plain call has not: call the function through "
        "`sg.compile`, `sg.grad` or another transform"
    )


vars(set_trace)["__symgrad_trace__"] = True


__all__ = ["insert_grad_of", "set_trace"]
