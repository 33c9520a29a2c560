"""What values and gradients pass on their way: Python functions that are called as they are.

These are for code that is compiled, where ``frontend/rules/taps.py`` takes over; uncompiled they do
what can be done without a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def new_call(cls: Callable[[], Any]) -> Any:
    """``cls()``, each time the code runs.

    >>> extend.new_call(dict)
    {}
    """
    return cls()


def enter(function: Callable[..., Any], known: tuple[Any, ...], *observed: Any) -> None:
    """From here to the next ``leave``, call ``function(*known, *observed)`` if the code raises:
    compiled code only.

    >>> def failed(a):
    ...     print("there is no inverse of", a)
    >>> @sg.compile
    ... def inverse(a):
    ...     extend.enter(failed, (), a)
    ...     out = np.linalg.inv(a)
    ...     extend.leave()
    ...     return out
    >>> try:
    ...     inverse(np.zeros((1, 1)))
    ... except np.linalg.LinAlgError as error:
    ...     print(error)
    there is no inverse of [[0.]]
    Singular matrix
    """


def leave() -> None:
    """The end of the stretch that the last ``enter`` began.

    >>> extend.leave()
    """


def tap(
    title: str,
    function: Callable[..., Any],
    known: tuple[Any, ...],
    passed: Any,
    *observed: Any,
    compiled: bool = False,
) -> Any:
    """``passed``, or what ``function(*known, *observed, passed)`` returns if not None.

    Args:
        title: whose function it is, for messages.
        function: called when the code runs.
        known: arguments that are known when compiling.
        passed: any structure of arrays; what takes its place has to be like it.
        observed: further arguments.
        compiled: compile the function, if it can be; only then are there derivatives through
            what it returns.

    Raises:
        HookError: (when the code runs) the function returns something of another structure,
            or something at all where a derivative is taken through it.

    >>> def look(label, y):
    ...     print(label, y)
    >>> @sg.grad
    ... def loss(x):
    ...     y = extend.tap("a look", look, ("y =",), x**2)
    ...     return np.sum(y)
    >>> loss(np.array([1.0, 3.0]))
    y = [1. 9.]
    array([2., 6.])
    """
    found = function(*known, *observed, passed)
    return passed if found is None else found


def bent_call(
    function: Callable[..., Any],
    after: Callable[..., Any],
    before: Callable[..., Any],
    known: tuple[Any, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any] | None:
    """``(function(*args, **kwargs),)``, with the gradients of its results and arguments becoming
    others by compiled code; None where that cannot be: compiled code only.

    Args:
        after: ``after(*known, grads)`` gives what the gradients by the results become.
        before: ``before(*known, grads, those)`` likewise for those by the arguments.

    >>> def halved(grads):
    ...     return (grads[0] / 2,)
    >>> def same(grads, those):
    ...     return grads
    >>> @sg.grad
    ... def loss(x):
    ...     found = extend.bent_call(np.sum, halved, same, (), (x,), {})
    ...     return found[0]
    >>> loss(np.ones(2))
    array([0.5, 0.5])
    """
    return None


def tap_gradients(
    title: str,
    function: Callable[..., Any],
    known: tuple[Any, ...],
    call: Any,
    passed: tuple[Any, ...],
    watched: tuple[Any, ...] = (),
) -> tuple[Any, ...]:
    """``passed``, whose gradients pass through ``function(*known, call, flows, gradients)``.

    Args:
        call: an object made by ``new_call``.
        passed: a tuple; parts that are no arrays of floats have the gradient None.
        watched: a tuple; ``flows`` says of each part whether it has a gradient.

    >>> def look(call, flows, grads):
    ...     print(grads)
    >>> @sg.grad
    ... def loss(x):
    ...     call = extend.new_call(dict)
    ...     (x,) = extend.tap_gradients("a look", look, (), call, (x,))
    ...     return np.sum(x**2)
    >>> loss(np.array([1.0, 3.0]))
    (array([2., 6.]),)
    array([2., 6.])
    """
    return passed


for _verb in (new_call, enter, leave, tap, bent_call, tap_gradients):
    # Marks them for the front end, which meets them in functions that it compiles.
    vars(_verb)["__symgrad_verb__"] = _verb.__name__
