"""Rules that run as they are: what they return is checked when they run."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    CustomRuleError,
    DoubleBackwardError,
    NotDifferentiableError,
    UnsupportedFunctionError,
)

from .running import NOT_AGAIN, Sine, V, X, sine
from .test_as_is import CompiledForward


# ------------------------------------------------------------------------- when it runs
class Odd(sg.Function):
    """Misbehaves as it is told."""

    gradients: Any = None
    outputs: Any = staticmethod(lambda x: x * 1.0)

    @classmethod
    def forward(cls, ctx: Any, x: Any, y: Any = None) -> Any:
        eval("None")
        return cls.outputs(x)

    @classmethod
    def backward(cls, ctx: Any, g: Any) -> Any:
        return cls.gradients


def fails(gradients: Any, match: str, *more: Any) -> CustomRuleError:
    rule = type("Odd", (Odd,), {"gradients": gradients})
    with pytest.raises(CustomRuleError, match=match) as e:
        sg.grad(lambda x: np.sum(rule.apply(x, *more)))(X)  # type: ignore[attr-defined]
    return e.value


def test_wrong_gradients_are_refused_when_they_come() -> None:
    np.testing.assert_array_equal(sg.grad(lambda x: np.sum(Odd.apply(x)))(X), np.zeros(3))
    assert (
        fails(np.ones((1, 3)), r"`Odd.backward`.*argument 0.*\(1, 3\), not \(3,\)").index
        == 0
    )
    assert fails(np.ones(3, "f4"), "has the dtype float32, not float64").index == 0
    assert fails(1.0, "of argument 0 .* is a float, not float64 with 1 axes").index == 0
    assert (
        fails((V, V), "`Odd.backward` returned 2 gradients, `Odd.forward` takes 1 in").index
        is None
    )
    fails([V], "`Odd.backward` returned a list; return a tuple")
    fails((V,), "returned 1 gradient, `Odd.forward` takes 2 inputs", 2.0)
    assert fails((V, V), r"gradient for argument 1 .*, which has none", "text").index == 1
    assert (
        fails((V, V), r"gradient of argument 1 .* is float64\[3\]", {"a": 1.0}).index == 1
    )


def test_wrong_outputs_are_refused_when_they_come() -> None:
    def run(outputs: Any, x: Any = X) -> Any:
        rule: Any = type("Odd", (Odd,), {"outputs": staticmethod(outputs)})
        return sg.compile(lambda x: rule.apply(x))(x)

    def small(x: Any) -> bool:
        return bool(x.size < 4)

    np.testing.assert_allclose(run(lambda x: (x, np.sum(x)))[0], X)
    cases = [
        (lambda x: (x, x) if small(x) else x, "of another structure"),
        (
            lambda x: x.astype("f4") if small(x) else x,
            "result 0 of `Odd` has the dtype float32",
        ),
        (lambda x: x[:, None] if small(x) else x, r"shape \(3, 1\), not \(any,\)"),
        (lambda x: 1.0 if small(x) else x, "is a float, not float64 with 1 axes"),
        (lambda x: "no" if small(x) else 1.0, "of another structure"),
        (lambda x: [x], "`Odd.forward` returned a list; return a tuple of arrays"),
    ]
    for outputs, text in cases:
        with pytest.raises(CustomRuleError, match=text):
            run(outputs)


def test_wrong_returns_of_rules_of_functions() -> None:
    def gradient(fwd: Any, bwd: Any, match: str, x: Any = X) -> None:
        made = sg.custom_vjp(lambda x: x * 1.0)
        made.defvjp(fwd, bwd)
        with pytest.raises(CustomRuleError, match=match):
            sg.grad(lambda x: np.sum(made(x)))(x)

    def late(x: Any) -> Any:
        return (eval("x"), None) if x.size > 3 else eval("x")

    def fwd(x: Any) -> Any:
        return eval("x * 1.0"), x

    def back(g: Any) -> Any:
        return eval("g")

    pair = r"has to return \(output, what to save\), got float64\[4\]"
    gradient(lambda x: eval("x"), lambda x, g: (g,), pair)
    gradient(late, lambda x, g: (g,), r"has to return .* got float64\[3\]")
    gradient(
        fwd, lambda x, g: back(g), "has to return a tuple with a gradient for each arg"
    )
    gradient(fwd, lambda x, g: back([g]), "returned a list; return a tuple")
    gradient(fwd, lambda x, g: back((np.ones(2),)), "is float64.*, not a Python float", 2.0)


def test_jvp_alone_as_it_is_is_for_forward_mode() -> None:
    class Alone(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return sine(x)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            (x,) = ctx.saved_arrays
            return t * sine(x + np.pi / 2)

    np.testing.assert_allclose(
        sg.jvp(lambda x: Alone.apply(x), (X,), (V,))[1], V * np.cos(X)
    )
    with pytest.raises(
        CustomRuleError, match="reverse mode through `Alone` needs a rule for"
    ):
        sg.grad(lambda x: np.sum(Alone.apply(x)))(X)
    with pytest.raises(DoubleBackwardError, match=NOT_AGAIN):
        sg.jvp(lambda x: sg.jvp(lambda x: Alone.apply(x), (x,), (V,))[1], (X,), (V,))


def test_no_rule_at_all() -> None:
    class Plain(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return sine(x)

    np.testing.assert_allclose(sg.compile(lambda x: Plain.apply(x))(X), np.sin(X))
    with pytest.raises(UnsupportedFunctionError, match="neither `backward` nor `jvp`"):
        sg.grad(lambda x: np.sum(Plain.apply(x)))(X)
    with pytest.raises(
        NotDifferentiableError, match="`Plain_forward` runs as it is, so it"
    ):
        sg.jvp(lambda x: Plain.apply(x), (X,), (V,))


def test_wrong_marks() -> None:
    class Marks(Sine):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_non_differentiable(x + 1)
            return sine(x)

    with pytest.raises(
        CustomRuleError, match=r"argument 0 of mark_non_diff.* is no output"
    ):
        sg.compile(lambda x: Marks.apply(x))(X)


def test_lengths_may_have_to_go_together() -> None:
    class Product(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return eval("x * y", {"x": x, "y": y})

        @staticmethod
        def shape(x: Any, y: Any) -> Any:
            return sg.spec(np.broadcast_shapes(x.shape, y.shape))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_arrays
            return g * y, g * x

    class Long(Product):
        """Needs more entries than the first arrays that are made up have."""

        shape = None

        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            if 3 < len(x) < 20:
                raise ValueError("more of them")
            return eval("1.0") * x * y[0]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    found = sg.grad(lambda x, y: np.sum(Product.apply(x, y)), argnums=(0, 1))(X, V)
    np.testing.assert_allclose(found, (V, X))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(Long.apply(x, V)))(X), np.ones(3))


def test_wrong_tangents_are_refused_when_they_come() -> None:
    def tangent(given: Any, match: str) -> None:
        class Tangent(Sine):
            @staticmethod
            def jvp(ctx: Any, t: Any) -> Any:
                eval("None")
                return given

        with pytest.raises(CustomRuleError, match=match):
            sg.jvp(lambda x: Tangent.apply(x), (X,), (V,))

    tangent((V, V), "`Tangent.jvp` returned 2 tangents for 1 outputs")
    tangent(V[:2], r"tangent of output 0 has the shape \(2,\), not \(3,\)")

    class Zero(Sine):
        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return eval("None")

    np.testing.assert_array_equal(
        sg.jvp(lambda x: Zero.apply(x), (X,), (V,))[1], np.zeros(3)
    )


def test_what_forward_returns_cannot_be_found_out() -> None:
    class Picky(Sine):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            if x[0] != 0.3:
                raise KeyError("not like this")
            return sine(x)

    with pytest.raises(CustomRuleError, match="gives KeyError: 'not like this'"):
        sg.compile(lambda x: Picky.apply(x))(X)

    class Declared(Picky):
        @staticmethod
        def shape(x: Any) -> Any:
            return sg.spec(x.shape)

    np.testing.assert_allclose(sg.compile(lambda x: Declared.apply(x))(X), np.sin(X))


def test_a_backward_may_change_what_it_is_given() -> None:
    class Changes(Sine):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_arrays
            g *= sine(x + np.pi / 2)
            x *= 0
            return g, None, None

    class Half(Changes):
        @staticmethod
        def forward(ctx: Any, x: Any, scale: Any = 1.0, label: Any = None) -> Any:
            ctx.save_for_backward(x)
            return np.sin(x)

    def f(function: Any) -> Any:
        def run(x: Any) -> Any:
            h = x * 2
            y = function(h)
            return np.sum(y * V + h**2 * y)

        return run

    wanted = sg.grad(f(np.sin))(X)
    for rule in (Changes, Half):
        x = X.copy()
        np.testing.assert_allclose(
            sg.grad(f(lambda h, rule=rule: rule.apply(h)))(x), wanted
        )
        np.testing.assert_array_equal(x, X)


def test_no_changes_in_place() -> None:
    class Changes(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x *= 2
            return sine(x)

    with pytest.raises(
        CustomRuleError, match="changes an argument in place and cannot be com"
    ):
        sg.compile(lambda x: Changes.apply(x))(X.copy())

    class Marks(Changes):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return sine(x)

    with pytest.raises(CustomRuleError, match="marks an argument as dirty, and cannot be"):
        sg.compile(lambda x: Marks.apply(x))(X.copy())


def test_marks_and_silent_cotangents() -> None:
    class Two(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            other = x + 1
            ctx.mark_non_differentiable(other)
            ctx.set_materialize_grads(False)
            return sine(x), other

        @staticmethod
        def backward(ctx: Any, g: Any, g_other: Any) -> Any:
            assert g_other is None
            return g * 2

    def f(x: Any) -> Any:
        y, other = Two.apply(x)
        return np.sum(V * y) + np.sum(other)

    np.testing.assert_allclose(sg.grad(f)(X), 2 * V)


def test_exceptions_of_the_rule_come_through() -> None:
    class Raises(Sine):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            class MineError(Exception):
                pass

            raise MineError("mine")

    with pytest.raises(Exception, match="mine") as e:
        sg.grad(lambda x: np.sum(Raises.apply(x)))(X)
    assert type(e.value).__name__ == "MineError"


def test_what_runs_as_it_is_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "symgrad"):
        sg.grad(lambda x: np.sum(CompiledForward.apply(x)))(X)
    assert "`CompiledForward.backward` runs as it is: `builtins" in caplog.text or (
        "`CompiledForward.backward` runs as it is: `eval`" in caplog.text
    )


def test_rules_are_made_outside() -> None:
    def f(x: Any) -> Any:
        rule = sg.custom_vjp(sine)
        return np.sum(rule(x))

    with pytest.raises(
        UnsupportedFunctionError, match="`custom_vjp` is called inside a func"
    ):
        sg.grad(f)(X)
