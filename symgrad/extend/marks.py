"""What a function is to the compiler, where it is met in code that is being compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..ops.written.functions import WRITTEN

F = TypeVar("F", bound=Callable[..., Any])


def compiled_as(original: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: this function is compiled wherever ``original`` is called in compiled code.

    Args:
        original: a function; called outside of compiled code it stays what it is.

    >>> def describe(x):
    ...     return f"{x.shape}"
    >>> def centre(x):
    ...     return x - float(describe.__call__ is None)
    >>> @extend.compiled_as(centre)
    ... def _centre(x):
    ...     return x - np.mean(x)
    >>> sg.grad(lambda x: np.sum(centre(x) ** 2))(np.array([1.0, 3.0]))
    array([-2.,  2.])
    """

    def register(function: F) -> F:
        WRITTEN[original] = function
        return function

    return register


def outside(function: F) -> F:
    """Decorator: this function changes objects when it is called, which is refused in compiled
    code.

    >>> @extend.outside
    ... def step(model):
    ...     model.count += 1
    >>> sg.compile(lambda model: step(model))(np.zeros(2))
    Traceback (most recent call last):
        ...
    symgrad.errors.UnsupportedSyntaxError: ...
    """
    return _marked(function, "__symgrad_verb__", "outside")


def known_when_compiling(method: F) -> F:
    """Decorator of a method that says how objects hang together, such as ``parameters``: it is
    called while compiling, and again at each call of the compiled function, to see whether it
    still returns the same.

    >>> class Pair:
    ...     __symgrad_static__ = True
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    ...     @extend.known_when_compiling
    ...     def parts(self):
    ...         return [self.a, self.b]
    >>> pair = Pair(np.ones(2), np.ones(2))
    >>> sg.grad(lambda x: sum(np.sum(x * part) for part in pair.parts()))(np.zeros(2))
    array([2., 2.])
    """
    return _marked(method, "__symgrad_now__", True)


def call_with_others(function: F) -> F:
    """Decorator of a function ``(model, arrays by name, args, kwargs)``: in compiled code it is
    ``model(*args, **kwargs)`` with these arrays in place of those that are found by the methods
    ``get_parameter`` and ``get_buffer`` of ``model``. Outside of it, it has to do the same.

    >>> @extend.call_with_others
    ... def call_with(model, given, args=(), kwargs=None):
    ...     return nn.functional_call(model, given, args, kwargs)
    >>> model = nn.Linear(2, 1, bias=False)
    >>> loss = lambda w, x: np.sum(call_with(model, {"weight": w}, (x,)))
    >>> sg.grad(loss)(np.ones((1, 2)), np.array([2.0, 3.0]))
    array([[2., 3.]])
    """
    return _marked(function, "__symgrad_verb__", "functional_call")


def _marked(function: F, name: str, value: Any) -> F:
    vars(function)[name] = value
    return function


__all__ = ["call_with_others", "compiled_as", "known_when_compiling", "outside"]
