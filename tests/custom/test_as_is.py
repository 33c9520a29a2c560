"""Rules that cannot be compiled: they run as they are, once differentiable, and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    CustomRuleError,
    DoubleBackwardError,
)

from .running import NOT_AGAIN, Sine, V, X, sine


class CompiledForward(Sine):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any = 1.0, label: Any = None) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * np.sin(x)


def test_forward_and_backward_as_they_are() -> None:
    def f(x: Any, s: Any) -> Any:
        return np.sum(V * Sine.apply(2 * x, s, label="sine") ** 2)

    def plain(x: Any, s: Any) -> Any:
        return np.sum(V * (s * np.sin(2 * x)) ** 2)

    found = sg.value_and_grad(f, argnums=(0, 1))
    value, gradients = found(X, 1.5)
    wanted, slopes = sg.value_and_grad(plain, argnums=(0, 1))(X, 1.5)
    np.testing.assert_allclose(value, wanted)
    np.testing.assert_allclose(gradients[0], slopes[0])
    np.testing.assert_allclose(gradients[1], slopes[1])
    assert "Sine_forward(" in found.source and "Sine_backward(kept" in found.source


@pytest.mark.parametrize("rule", [Sine, CompiledForward])
def test_in_loops_and_branches(rule: Any) -> None:
    def f(function: Any) -> Any:
        def run(x: Any, n: int) -> Any:
            y = x
            for i in range(n):
                y = 0.5 * function(y) + x if i % 2 == 0 else function(x) * y
            return np.sum(y)

        return run

    found = sg.grad(f(lambda x: rule.apply(x)))(X, 3)
    np.testing.assert_allclose(found, sg.grad(f(np.sin))(X, 3))


def test_per_example() -> None:
    class Declared(Sine):
        @staticmethod
        def shape(x: Any, scale: Any = 1.0, label: Any = None) -> Any:
            return sg.spec(x.shape)

    xs = np.stack([X, 2 * X])
    found = sg.vmap(sg.grad(lambda x: np.sum(Declared.apply(x))))(xs)
    np.testing.assert_allclose(found, np.cos(xs))


def test_custom_vjp_and_custom_jvp() -> None:
    by_vjp = sg.custom_vjp(sine)
    by_vjp.defvjp(lambda x: (sine(x), {"x": x}), lambda res, g: (g * sine(res["x"] + 1),))
    np.testing.assert_allclose(by_vjp(X), np.sin(X))
    np.testing.assert_allclose(sg.compile(by_vjp)(X), np.sin(X))
    found = sg.grad(lambda x: np.sum(V * by_vjp(x)))
    np.testing.assert_allclose(found(X), V * np.sin(X + 1))
    with pytest.raises(DoubleBackwardError, match=NOT_AGAIN):
        sg.hvp(lambda x: np.sum(by_vjp(x)))(V, X)
    by_jvp = sg.custom_jvp(sine)
    by_jvp.defjvps(lambda t, out, x: t * np.cos(x))
    np.testing.assert_allclose(sg.jvp(by_jvp, (X,), (V,)), (np.sin(X), V * np.cos(X)))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(V * by_jvp(x)))(X), V * np.cos(X))


def test_functions_with_rules_say_what_they_return() -> None:
    def f(x: Any) -> Any:
        if x[0] > 0.31 or x[0] < 0.29:
            raise KeyError("not for making up")
        return sine(x)

    made = sg.custom_vjp(f, shape=lambda x: sg.spec(x.shape))
    made.defvjp(lambda x: (f(x), x), lambda x, g: (g * sine(x + np.pi / 2),))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(made(x)))(X), np.cos(X))
    pushed = sg.custom_jvp(f, shape=lambda x: sg.spec(x.shape))
    pushed.defjvps(lambda t, out, x: t * np.cos(x))
    np.testing.assert_allclose(sg.jvp(pushed, (X,), (V,)), (np.sin(X), V * np.cos(X)))


# ------------------------------------------------------------------- no second derivative
class Once(sg.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @sg.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_arrays
        return 3 * x**2 * g


class OnceOutside(Once):
    backward = sg.once_differentiable(Once.__dict__["backward"])


class Constant(sg.Function):
    """Its gradient does not look at what it belongs to."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return sine(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return np.array([5.0, 6.0, 7.0])


@pytest.mark.parametrize("rule", [Sine, CompiledForward, Once, OnceOutside, Constant])
def test_the_second_derivative_is_refused_in_one_way(rule: Any) -> None:
    def f(x: Any) -> Any:
        return np.sum(rule.apply(x))

    def of_factor(w: Any) -> Any:
        return np.sum(sg.grad(lambda x: np.sum(w * rule.apply(x)))(X))

    assert sg.grad(f)(X).shape == (3,)
    texts = set()
    for second in (
        lambda: sg.grad(lambda x: np.sum(sg.grad(f)(x)))(X),
        lambda: sg.hvp(f)(V, X),
        lambda: sg.hessian(f)(X),
        lambda: sg.jvp(sg.grad(f), (X,), (V,)),
        lambda: sg.grad(of_factor)(V),
        lambda: sg.vjp(sg.grad(f), X),
    ):
        with pytest.raises(DoubleBackwardError, match=NOT_AGAIN) as e:
            second()
        texts.add(e.value.message)
    assert len(texts) == 1


def test_forward_mode_needs_a_rule() -> None:
    for rule in (Sine, Once):
        with pytest.raises(
            CustomRuleError, match="needs a rule for it: its reverse rule run"
        ):
            sg.jvp(lambda x, rule=rule: rule.apply(x), (X,), (V,))


def test_once_differentiable_rules_of_functions() -> None:
    f = sg.custom_vjp(lambda x: x**3)
    f.defvjp(lambda x: (x**3, x), sg.once_differentiable(lambda x, g: (3 * x**2 * g,)))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(f(x)))(X), 3 * X**2)
    with pytest.raises(DoubleBackwardError, match=NOT_AGAIN):
        sg.hvp(lambda x: np.sum(f(x)))(V, X)


def test_once_differentiable_needs_a_function() -> None:
    with pytest.raises(sg.errors.InputTypeError, match="needs a function, not int"):
        sg.once_differentiable(3)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------- jvp
class WithTangent(Sine):
    @staticmethod
    def jvp(ctx: Any, t: Any, t_scale: Any = None, t_label: Any = None) -> Any:
        (x,) = ctx.saved_arrays
        assert t_label is None
        moved = 0.0 if t_scale is None else t_scale * sine(x)
        return ctx.scale * t * sine(x + np.pi / 2) + moved


def test_jvp_as_it_is() -> None:
    def f(x: Any) -> Any:
        return WithTangent.apply(x, 2.0, "label")

    out, t = sg.jvp(f, (X,), (V,))
    np.testing.assert_allclose(out, 2 * np.sin(X))
    np.testing.assert_allclose(t, 2 * V * np.cos(X))
    t = sg.jvp(lambda x, s: WithTangent.apply(x, s), (X, 2.0), (V, 3.0))[1]
    np.testing.assert_allclose(t, 2 * V * np.cos(X) + 3 * np.sin(X))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(f(x)))(X), 2 * np.cos(X))
    with pytest.raises(DoubleBackwardError, match=NOT_AGAIN):
        sg.hvp(lambda x: np.sum(f(x)))(V, X)


class Raises(sg.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.sum(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise KeyError("mine")

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        raise LookupError("no tangent")


def test_what_a_rule_raises_comes_through() -> None:
    x = np.array([1.0, 2.0])
    assert sg.compile(lambda x: Raises.apply(x))(x) == 3.0
    out, pullback = sg.vjp(Raises.apply, x)
    assert out == 3.0
    for call in (lambda: pullback(1.0), lambda: sg.grad(Raises.apply)(x)):
        with pytest.raises(KeyError, match="mine"):
            call()
    with pytest.raises(LookupError, match="no tangent"):
        sg.jvp(Raises.apply, (x,), (x,))


def test_a_forward_rule_that_always_raises() -> None:
    @sg.custom_jvp
    def double(x: Any) -> Any:
        return x * 2

    def rule(primals: Any, tangents: Any) -> Any:
        raise ValueError("no")

    double.defjvp(rule)
    with pytest.raises(CustomRuleError, match="the rule of `double` always raises"):
        sg.jvp(double, (1.0,), (1.0,))
