"""What PyTorch's ``Function`` and ``ctx`` do, point by point, quirks aside."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, CustomRuleError, UnsupportedFunctionError
from symgrad.testing import check_grads

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])


def rule(**members: Any) -> Any:
    """A class with these static methods; by default twice the argument."""
    usual: dict[str, Any] = {
        "forward": lambda ctx, x: x * 2.0,
        "backward": lambda ctx, g: g * 2.0,
    }
    made = {k: staticmethod(v) for k, v in {**usual, **members}.items() if v is not None}
    return type("Rule", (sg.Function,), made)


def slope(made: Any, *more: Any, x: Any = X) -> Any:
    return sg.grad(lambda x: np.sum(made.apply(x, *more)))(x)


def refused(made: Any, match: str, *more: Any, x: Any = X) -> CustomRuleError:
    with pytest.raises(CustomRuleError, match=match) as e:
        slope(made, *more, x=x)
    return e.value


# ------------------------------------------------------------------------------- names
def test_vjp_is_another_name_for_backward() -> None:
    np.testing.assert_array_equal(slope(rule(backward=None, vjp=lambda ctx, g: 3 * g)), 3)
    refused(rule(vjp=lambda ctx, g: g), "`Rule` defines `backward` and `vjp`")


def test_without_a_rule_there_is_a_value_but_no_derivative() -> None:
    made = rule(backward=None)
    np.testing.assert_array_equal(sg.compile(lambda x: made.apply(x))(X), X * 2)
    with pytest.raises(UnsupportedFunctionError, match="`Rule` has neither `backward` nor"):
        slope(made)
    with pytest.raises(UnsupportedFunctionError, match="`Rule` has neither"):
        sg.jvp(lambda x: made.apply(x), (X,), (V,))


def test_too_many_arguments() -> None:
    with pytest.raises(CallError, match=r"`Rule.forward` takes 1 arguments, got 2"):
        slope(rule(), 1.0)
    with pytest.raises(TypeError):
        rule().apply(X, 1.0)


def test_optional_keyword_and_other_arguments() -> None:
    def forward(ctx: Any, x: Any, scale: Any = 1) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * np.exp(-x)

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_arrays
        return -g * ctx.scale * np.exp(-x), None

    made = rule(forward=forward, backward=backward)
    for call, wanted in (
        (lambda x: made.apply(x), -0.740818),
        (lambda x: made.apply(x, 4), -2.963273),
        (lambda x: made.apply(x, scale=4), -2.963273),
    ):
        np.testing.assert_allclose(sg.grad(call)(0.3), wanted, rtol=1e-6)
        np.testing.assert_allclose(sg.jvp(call, (0.3,), (1.0,))[1], wanted, rtol=1e-6)
    first = rule(forward=lambda ctx, a, b: a * b, backward=lambda ctx, g: (None, 7.0 * g))
    g_a, g_b = sg.grad(lambda a, b: np.sum(first.apply(a, b)), argnums=(0, 1))(X, V)
    np.testing.assert_array_equal(g_a, np.zeros(3))
    np.testing.assert_array_equal(g_b, np.full(3, 7.0))


# ---------------------------------------------------------------------- gradients returned
def test_number_of_gradients() -> None:
    two = {"forward": lambda ctx, x, y: x * y}
    text = "`Rule.backward` returned 1 gradient, `Rule.forward` takes 2 inputs"
    refused(rule(**two, backward=lambda ctx, g: g), text, V)
    refused(
        rule(backward=lambda ctx, g: (g, g)), "returned 2 gradients, .* takes 1 input\n"
    )
    np.testing.assert_array_equal(slope(rule(backward=lambda ctx, g: (g, None, None))), 1)
    refused(
        rule(backward=lambda ctx, g: [g]), "`Rule.backward` returned a list; return a t"
    )
    refused(rule(backward=lambda ctx, g: "g"), "of argument 0 .* not 'g'")


def test_values_of_gradients() -> None:
    np.testing.assert_array_equal(slope(rule(backward=lambda ctx, g: None)), np.zeros(3))
    shapes = r"argument 0 \(`x`\) has the shape \(2, 3\), not \(x_0,\)"
    assert refused(rule(backward=lambda ctx, g: np.ones((2, 3))), shapes).index == 0
    assert refused(rule(backward=lambda ctx, g: 1.0), r"has the shape \(\), not").index == 0
    single = rule(backward=lambda ctx, g: g.astype(np.float32))
    assert refused(single, "has the dtype float32, not float64").index == 0
    text = rule(forward=lambda ctx, x, name: x * 1.0, backward=lambda ctx, g: (g, g))
    found = refused(text, "gradient for argument 1 .*, which has none; return None", "name")
    assert found.index == 1


@pytest.mark.parametrize("as_is", [False, True])
def test_gradients_of_integers(as_is: bool) -> None:
    """As in PyTorch: refused for Python's integers, dropped for those in an array."""

    def backward(ctx, g):
        if as_is:
            eval("1")
        return g, 1.0

    whole = rule(forward=lambda ctx, x, n: x * 2.0, backward=backward)
    for n in (3, True):
        found = refused(whole, "gradient for argument 1 .*, which has none; return None", n)
        assert found.index == 1
    for n in (np.arange(3), np.int64(3), 2.5):
        np.testing.assert_array_equal(slope(whole, n), 1)


# ------------------------------------------------------------------------------ outputs
def test_structure_of_outputs() -> None:
    one = rule(forward=lambda ctx, x: (x * 2,))
    out = sg.compile(lambda x: one.apply(x))(X)
    assert type(out) is tuple and len(out) == 1
    np.testing.assert_array_equal(sg.grad(lambda x: np.sum(one.apply(x)[0]))(X), 2)
    refused(rule(forward=lambda ctx, x: [x * 2]), "`Rule.forward` returned a list; return")
    pair = namedtuple("pair", "a b")
    named = rule(
        forward=lambda ctx, x: pair(x * 1.0, "text"), backward=lambda ctx, g, _: 5 * g
    )
    np.testing.assert_array_equal(sg.grad(lambda x: np.sum(named.apply(x).a))(X), 5)
    nothing = rule(forward=lambda ctx, x: None)
    assert sg.compile(lambda x: nothing.apply(x))(X) is None
    same = rule(forward=lambda ctx, x: x)
    np.testing.assert_array_equal(slope(same), 2)


def test_outputs_of_integers_have_no_derivative() -> None:
    def backward(ctx: Any, g: Any, g_order: Any) -> Any:
        assert g_order.dtype == np.int64
        return g + g_order

    made = rule(forward=lambda ctx, x: (x * 1.0, np.argsort(x)), backward=backward)

    def f(x: Any) -> Any:
        y, order = made.apply(x)
        return np.sum(y * V) + np.sum(order)

    np.testing.assert_array_equal(sg.grad(f)(X), V)


# -------------------------------------------------------------------------------- context
def test_what_may_be_saved() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, None, 2.0)
        return x * 2.0

    def backward(ctx: Any, g: Any) -> Any:
        x, nothing, two = ctx.saved_tensors
        assert nothing is None
        return g * two + 0 * x

    np.testing.assert_array_equal(slope(rule(forward=forward, backward=backward)), 2)

    def wrong(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, (x, x))
        return x * 2.0

    found = refused(
        rule(forward=wrong), "save_for_backward keeps arrays, numbers and None, arg"
    )
    assert found.index == 1


def test_marks() -> None:
    def foreign(ctx: Any, x: Any) -> Any:
        y = x * 2.0
        ctx.mark_non_differentiable(y, x + 1)
        return y

    assert (
        refused(rule(forward=foreign), "argument 1 of mark_non_diff.* is no output").index
        == 1
    )

    def text(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable("x")
        return x * 2.0

    assert refused(rule(forward=text), "argument 0 of mark_non_diff").index == 0


def test_dirty_arguments_are_the_callers() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x.copy())
        x *= x
        ctx.mark_dirty(x)
        return x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_arrays
        return 2 * g * x

    made = rule(forward=forward, backward=backward)

    def f(x: Any) -> Any:
        y = x + 1
        view = y[1:]
        out = made.apply(y)
        return np.sum(out * y) + np.sum(view)

    def plain(x: Any) -> Any:
        y = (x + 1) ** 2
        return np.sum(y * y) + np.sum(y[1:])

    np.testing.assert_allclose(sg.compile(f)(X), f(X.copy()))
    np.testing.assert_allclose(sg.grad(f)(X), sg.grad(plain)(X))
    check_grads(f, (X,), order=2)
    x = X.copy()
    sg.compile(lambda x: made.apply(x))(x)
    np.testing.assert_allclose(x, X**2)


def test_wrong_dirt() -> None:
    def unmarked(ctx: Any, x: Any) -> Any:
        x += 1
        return x

    def lost(ctx: Any, x: Any) -> Any:
        x += 1
        ctx.mark_dirty(x)
        return x * 2

    def other(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_dirty(y)
        return y

    cases = [
        (
            unmarked,
            "`Rule.forward` changes its argument 0 in place; say so with ctx.mark_dirty",
        ),
        (lost, "`Rule.forward` marks its argument 0 as dirty, but does not return it"),
        (other, "argument 0 of mark_dirty is no array passed to forward"),
    ]
    for forward, text in cases:
        assert refused(rule(forward=forward), text, x=X.copy()).index == 0


# ------------------------------------------------------------------------------------ jvp
class Cube(sg.Function):
    """Both rules, not the same, so that they can be told apart."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any = None) -> Any:
        ctx.save_for_backward(x, np.sin(x))
        return x**3, x * 2

    @staticmethod
    def backward(ctx: Any, g: Any, g_double: Any) -> Any:
        x, _ = ctx.saved_arrays
        return 3 * x**2 * g + 2 * g_double, None

    @staticmethod
    def jvp(ctx: Any, t: Any, t_scale: Any = None) -> Any:
        x, sine = ctx.saved_arrays
        assert t_scale is None
        return 10 * x**2 * t + sine * t, 2 * t


def test_jvp_beside_backward() -> None:
    def f(x: Any) -> Any:
        y, double = Cube.apply(x, None)
        return y + double

    out, t = sg.jvp(f, (X,), (V,))
    np.testing.assert_allclose(out, X**3 + 2 * X)
    np.testing.assert_allclose(t, (10 * X**2 + np.sin(X) + 2) * V)
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(f(x)))(X), 3 * X**2 + 2)
    second = sg.jvp(lambda x: sg.jvp(f, (x,), (V,))[1], (X,), (V,))[1]
    np.testing.assert_allclose(second, (20 * X + np.cos(X)) * V * V)
    np.testing.assert_allclose(sg.hvp(lambda x: np.sum(f(x)))(V, X), 6 * X * V)


def test_jvp_alone_serves_both_modes() -> None:
    class Alone(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, n: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.n = n
            return x**n

        @staticmethod
        def jvp(ctx: Any, t: Any, t_n: Any) -> Any:
            (x,) = ctx.saved_arrays
            assert t_n is None
            return ctx.n * x ** (ctx.n - 1) * t

    check_grads(lambda x: np.sum(V * Alone.apply(x, 3)), (X,), order=2)


def test_wrong_tangents() -> None:
    def tangent(jvp: Any, match: str) -> None:
        made = rule(jvp=jvp)
        with pytest.raises(CustomRuleError, match=match):
            sg.jvp(lambda x: made.apply(x), (X,), (V,))

    tangent(
        lambda ctx, t: (t, t), "`Rule.jvp`: the tangent of the result of `Rule` has to be"
    )
    tangent(lambda ctx, t: t[:2], r"has the shape \(2,\), not")
    tangent(lambda ctx, t: t.astype("f4"), "has the dtype float32, not float64")
