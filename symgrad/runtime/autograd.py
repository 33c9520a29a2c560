"""``symgrad.autograd``: derivatives between values rather than of functions."""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedFunctionError


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradient of one value of a compiled function by others of the same function.

    It is taken when the function is compiled, from the operations between the two, so it can be
    called inside of compiled functions only. Gradients can be differentiated again.

    Args:
        outputs: a real number, or an array of one, or a sequence of values with
            ``grad_outputs``.
        inputs: values computed before, or arguments: one, or a sequence; each may be nested.
        grad_outputs: the gradient of each output, of its shape and dtype; 1 if not given.
        retain_graph, create_graph: accepted and ignored: nothing is ever freed, and the result
            can always be differentiated.
        allow_unused: whether an input may have nothing to do with the outputs: None then.
        materialize_grads: whether it may, and has a gradient of zeros then.

    Returns:
        A tuple with one gradient, like the input, for each of ``inputs``.

    Raises:
        UnusedInputError: the outputs do not depend on an input.
        NonScalarOutputError: an output is no real number and there is no ``grad_outputs``.

    Example:
        >>> @sg.compile
        ... def penalty(x):
        ...     y = np.sum(x**3)
        ...     (g,) = sg.autograd.grad(y, x)
        ...     return np.sum(g**2)
    """
    raise UnsupportedFunctionError(
        "`autograd.grad` works between two values of a compiled function, and this code is not "
        "compiled; put @sg.compile on the function, or use `sg.grad` or `sg.vjp`"
    )


vars(grad)["__symgrad_verb__"] = "autograd_grad"
