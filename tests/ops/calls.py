"""Calls of NumPy's and SciPy's functions: value against the library, both modes, two orders."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgrad.ir.evaluate import evaluate
from symgrad.testing.derived import Code, wrt_of
from symgrad.testing.single_op import differences, dot, inexact_results

from .building import surface, traced, value


@dataclass(frozen=True)
class Call:
    """A call; arrays and NumPy numbers are what is differentiated, the rest is static."""

    target: Any
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def arrays(self) -> list[Any]:
        return [x for x in self.args if _is_array(x)]

    def __str__(self) -> str:
        shown = [str(np.shape(x)) if _is_array(x) else repr(x) for x in self.args]
        shown += [f"{k}={v!r}" for k, v in self.options.items()]
        return f"{getattr(self.target, '__name__', self.target)}({', '.join(shown)})"

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function`` of the arrays alone."""

        def call(*arrays: Any) -> Any:
            given = iter(arrays)
            args = [next(given) if _is_array(x) else x for x in self.args]
            return function(*args, **self.options)

        return call


def call(target: Any, *args: Any, **options: Any) -> Call:
    return Call(target, args, options)


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic)


def check(
    given: Call, *, same_value: bool = True, order: int = 2, tol: float = 1e-5
) -> None:
    """The surface gives what the library gives; its derivatives are those of differences."""
    function = given.of(surface(given.target))
    if same_value:
        expected = given.of(given.target)(*given.arrays)
        many = expected if isinstance(expected, tuple | list) else [expected]
        got = value(function, *given.arrays)
        for x, y in zip(got if len(many) > 1 else [got], many, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12, err_msg=str(given))
            assert np.asarray(y).dtype.kind == "i" or np.asarray(x).dtype == y.dtype, given
    check_derivatives(function, *given.arrays, order=order, tol=tol, what=str(given))


def check_derivatives(
    function: Callable[..., Any],
    *arrays: Any,
    order: int = 2,
    tol: float = 1e-5,
    what: str = "",
) -> None:
    """Both modes of a function of expressions, and both modes of those."""
    derivatives_agree(Code(traced(function, *arrays)), list(arrays), order, tol, what)


def derivatives_agree(
    code: Code, values: list[Any], order: int, tol: float, what: str
) -> None:
    rng = np.random.default_rng(0)
    made = code.plain
    tangents = [_like(rng, values[i]) for i in wrt_of(made)]
    weights = [_like(rng, r) for r in inexact_results(made, values)]
    moved = evaluate(code.forward.plain, [*values, *tangents])
    for got, expected in zip(moved, differences(made, values, tangents), strict=True):
        np.testing.assert_allclose(got, expected, rtol=tol, atol=tol, err_msg=f"{what} jvp")
    gradients = evaluate(code.reverse.plain, [*values, *weights])
    there = sum(dot(w, t) for w, t in zip(weights, moved, strict=True))
    back = sum(dot(g, t) for g, t in zip(gradients, tangents, strict=True))
    np.testing.assert_allclose(back, there, rtol=tol, atol=tol, err_msg=f"{what} vjp")
    if order > 1:
        forward, reverse = code.forward, code.reverse
        derivatives_agree(forward, [*values, *tangents], order - 1, tol, f"{what} forward,")
        derivatives_agree(reverse, [*values, *weights], order - 1, tol, f"{what} reverse,")


def _like(rng: np.random.Generator, x: Any) -> Any:
    made = rng.uniform(0.5, 1.5, np.shape(x)) * rng.choice([-1, 1], np.shape(x))
    if np.asarray(x).dtype.kind == "c":
        made = made + 1j * rng.uniform(-1, 1, np.shape(x))
    return np.asarray(made, np.asarray(x).dtype)[()]
