"""``sg.Function``: context, optional arguments, marks, orders, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, CustomRuleError
from symgrad.testing import check_grads

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])


class Scaled(sg.Function):
    """x * scale + bias, with defaults and a wrong gradient that can be told."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any = 2.0, bias: Any = None) -> Any:
        ctx.save_for_backward(x, scale)
        ctx.factor = 3.0
        y = x * scale
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, scale = ctx.saved_tensors
        g_bias = g if ctx.needs_input_grad[2:] == (True,) else None
        return ctx.factor * g * scale, np.sum(g * x), g_bias


def test_arguments_by_position_keyword_and_default() -> None:
    def f(x: Any, s: Any, b: Any) -> Any:
        return np.sum(Scaled.apply(x, s, bias=b) + Scaled.apply(x, bias=None, scale=s))

    g_x, g_s, g_b = sg.grad(f, argnums=(0, 1, 2))(X, 4.0, V)
    np.testing.assert_allclose(g_x, np.full(3, 24.0))
    np.testing.assert_allclose(g_s, 2 * np.sum(X))
    np.testing.assert_allclose(g_b, np.ones(3))
    np.testing.assert_allclose(Scaled.apply(X), 2 * X)
    with pytest.raises(CallError, match="no argument `wrong`"):
        sg.compile(lambda x: Scaled.apply(x, wrong=1))(X)


class Saved(sg.Function):
    """exp(2x) * x by way of an intermediate that is saved."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        e = np.exp(x)
        ctx.square = e * e
        ctx.x = x
        return ctx.square * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * (ctx.square + 2 * ctx.square * ctx.x)


def test_saved_intermediates_are_differentiated_at_second_order() -> None:
    check_grads(lambda x: np.sum(V * Saved.apply(x)), (X,), order=2)


def test_in_a_loop() -> None:
    def f(function: Any) -> Any:
        def run(x: Any, n: int) -> Any:
            y = x
            for _ in range(n):
                y = np.sin(0.1 * function(y)) + x
            return np.sum(y)

        return run

    plain = f(lambda x: np.exp(2 * x) * x)
    ruled = f(Saved.apply)
    np.testing.assert_allclose(sg.grad(ruled)(X, 3), sg.grad(plain)(X, 3))
    np.testing.assert_allclose(sg.hvp(ruled)(V, X, 3), sg.hvp(plain)(V, X, 3))


class SortedWithOrder(sg.Function):
    """Set up apart; the second output carries no derivative."""

    @staticmethod
    def forward(x: Any) -> Any:
        order = np.argsort(x)
        return x[order], order, x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output[1])
        ctx.mark_non_differentiable(output[1], output[2])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, g: Any, g_order: Any, g_double: Any) -> Any:
        assert g_order is None
        assert g_double is None
        (order,) = ctx.saved_arrays
        g_x = np.zeros_like(g)
        g_x[order] = g
        return g_x, None, None


def test_setup_context_and_outputs_without_derivative() -> None:
    def f(x: Any) -> Any:
        y, order, double = SortedWithOrder.apply(x)
        return np.sum(y * V) + np.sum(double) + np.sum(order)

    np.testing.assert_allclose(sg.grad(f)(X), V[np.argsort(np.argsort(X))])
    np.testing.assert_array_equal(SortedWithOrder.apply(X)[1], np.argsort(X))


def test_a_gradient_that_is_not_needed_costs_nothing() -> None:
    class Two(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_arrays
            return g * y, g * np.exp(x)

    grad = sg.grad(lambda x, y: np.sum(Two.apply(x, y)))
    np.testing.assert_allclose(grad(X, V), V)
    assert "exp" not in grad.source


def refused(function: Any, match: str) -> CustomRuleError:
    with pytest.raises(CustomRuleError, match=match) as e:
        sg.grad(lambda x: np.sum(function.apply(x)))(X)
    return e.value


def test_refusals() -> None:
    class Bad(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any = None) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

    refused(Bad, r"`Bad.backward` returned 2 gradients, `Bad.forward` takes 1 input\b")
    with pytest.raises(CustomRuleError, match=r"argument 1 (.*), which has none"):
        sg.grad(lambda x: np.sum(Bad.apply(x, None)))(X)

    class Shape(Bad):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return np.sum(g, keepdims=True)

    assert refused(Shape, r"argument 0 .* has the shape \(1,\), not").index == 0

    class Twice(Bad):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any = None) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_backward(x)
            return x * 2

    refused(Twice, "saves for its backward twice")
    with pytest.raises(CustomRuleError, match=r"call `Bad.apply\(...\)`"):
        Bad()

    class Named(Bad):
        @staticmethod
        def forward(ctx: Any, x: Any, *, y: Any = None) -> Any:
            return x * 2

    with pytest.raises(
        CallError, match="takes `y` by keyword only, and gradients are given"
    ):
        sg.grad(lambda x: np.sum(Named.apply(x, y=2.0)))(X)
