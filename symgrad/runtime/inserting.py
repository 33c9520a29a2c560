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


__all__ = ["insert_grad_of"]
