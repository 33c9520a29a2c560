"""stop_gradient, and autograd.grad between two values of one function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    InputTypeError,
    NonScalarOutputError,
    UnsupportedFunctionError,
    UnusedInputError,
)

X = np.array([0.3, -1.2, 2.0])


# --------------------------------------------------------------------------- stop_gradient
def test_stop_gradient_is_a_constant_to_every_derivative() -> None:
    def f(x: Any) -> Any:
        return np.sum(x**2 * sg.stop_gradient({"a": np.sin(x), "n": 3})["a"])

    np.testing.assert_allclose(sg.grad(f)(X), 2 * X * np.sin(X))
    np.testing.assert_allclose(sg.hvp(f)(np.ones(3), X), 2 * np.sin(X))
    np.testing.assert_allclose(sg.jvp(f, (X,), (X,))[1], np.sum(2 * X**2 * np.sin(X)))
    assert sg.grad(lambda x: x * sg.stop_gradient(x))(3.0) == 3.0


def test_stop_gradient_leaves_nothing_in_the_code() -> None:
    f = sg.compile(lambda x: sg.stop_gradient(x) * 2.0)
    np.testing.assert_array_equal(f(X), X * 2)
    assert "return x * 2.0" in f.source


def test_stop_gradient_is_the_same_array() -> None:
    def f(x: Any) -> Any:
        y = sg.stop_gradient(x)
        y[0] = 5.0
        return x[0] + y[1]

    assert f(X.copy()) == sg.compile(f)(X.copy()) == 3.8
    tree = {"a": X}
    assert sg.stop_gradient(tree) is tree


# --------------------------------------------------------------------------- autograd.grad
@sg.compile
def penalty(x: Any, w: Any) -> Any:
    h = np.sin(x * w)
    g_x, g_h = sg.autograd.grad(np.sum(h**3), [x, h])
    return np.sum(g_x**2), g_x, g_h


def test_grad_of_an_input_and_of_what_is_computed_from_it() -> None:
    _, g_x, g_h = penalty(X, 2.0)
    np.testing.assert_allclose(g_h, 3 * np.sin(2 * X) ** 2)
    np.testing.assert_allclose(g_x, 6 * np.sin(2 * X) ** 2 * np.cos(2 * X))


def test_grad_is_differentiated_again() -> None:
    found = sg.grad(lambda x: penalty(x, 2.0)[0])(X)
    step = 1e-6
    for i, d in enumerate(np.eye(3) * step):
        wanted = (penalty(X + d, 2.0)[0] - penalty(X - d, 2.0)[0]) / (2 * step)
        np.testing.assert_allclose(found[i], wanted, rtol=1e-7)


def test_grad_of_grad_in_one_function() -> None:
    @sg.compile
    def f(x: Any) -> Any:
        (g,) = sg.autograd.grad(np.sum(x**4), x, create_graph=True)
        (h,) = sg.autograd.grad(np.sum(g * x), x)
        return h

    np.testing.assert_allclose(f(X), 16 * X**3)


def test_grad_outputs_and_nested_inputs() -> None:
    @sg.compile
    def f(p: Any, c: Any) -> Any:
        y = p["a"] * p["b"]
        return sg.autograd.grad([y, y], (p, c), grad_outputs=[c, c], allow_unused=True)

    g, unused = f({"a": X, "b": 2.0}, X)
    np.testing.assert_allclose(g["a"], 4 * X)
    np.testing.assert_allclose(g["b"], 2 * X @ X)
    assert unused is None


def test_zeros_for_what_is_not_used_and_arrays_of_one_number() -> None:
    @sg.compile
    def f(x: Any, p: Any) -> Any:
        y = np.sum(x**2, keepdims=True)
        return sg.autograd.grad(y, (x, p, y * 2), materialize_grads=True)

    by_x, by_p, later = f(X, {"a": 2.0, "b": X})
    np.testing.assert_allclose(by_x, 2 * X)
    assert (by_p["a"], later) == (0.0, np.zeros(1))
    np.testing.assert_array_equal(by_p["b"], np.zeros(3))


def test_grad_through_a_loop() -> None:
    @sg.compile
    def f(x: Any, n: int) -> Any:
        y = x
        for _ in range(n):
            y = y * x
        return sg.autograd.grad(np.sum(y), x)[0]

    np.testing.assert_allclose(f(X, 3), 4 * X**3)


def test_what_comes_from_the_round_before_is_refused() -> None:
    @sg.compile
    def f(x: Any, n: int) -> Any:
        y = x
        total = np.zeros_like(x)
        for _ in range(n):
            y = y * x
            total = total + sg.autograd.grad(np.sum(y), x)[0]
        return total

    with pytest.raises(UnsupportedFunctionError, match=r"from the round before \(`y`\)"):
        f(X, 3)


def refused(function: Any) -> Any:
    return sg.compile(function)(X)


def test_refusals() -> None:
    grad = sg.autograd.grad
    with pytest.raises(UnusedInputError, match=r"do not depend on input 0 \(`x`\)"):
        refused(lambda x: grad(np.sum(np.floor(x)), x))
    with pytest.raises(NonScalarOutputError, match="output 0 is float64"):
        refused(lambda x: grad(x * 2, x))
    with pytest.raises(InputTypeError, match="1 outputs, but 2 grad_outputs"):
        refused(lambda x: grad(x * 2, x, grad_outputs=(x, x)))
    with pytest.raises(InputTypeError, match="not a Python float"):
        refused(lambda x: grad(2.0, x))
    with pytest.raises(InputTypeError, match="input 0 of `autograd"):
        refused(lambda x: grad(np.sum(x), 1.0))
    with pytest.raises(UnsupportedFunctionError, match="this code is not compiled"):
        grad(1.0, 2.0)
