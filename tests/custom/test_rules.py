"""custom_vjp, custom_jvp, def_rule, elementwise: both modes, higher orders, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    ArgnumsError,
    CustomRuleError,
    DoubleBackwardError,
    InputTypeError,
)
from symgrad.testing import check_grads

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])


# ----------------------------------------------------------------------------- custom_vjp
@sg.custom_vjp
def clipped(x: Any, limit: Any) -> Any:
    return x * 1.0


clipped.defvjp(
    lambda x, limit: (x * 1.0, limit),
    lambda limit, g: (np.clip(g, -limit, limit), None),
)


@sg.custom_vjp
def product(p: Any, k: float) -> Any:
    return {"y": p["a"] * p["b"] * k}


product.defvjp(
    lambda p, k: ({"y": p["a"] * p["b"] * k}, (p, k)),
    lambda res, g: (
        {"a": g["y"] * res[0]["b"] * res[1], "b": g["y"] * res[0]["a"] * res[1]},
        np.sum(g["y"] * res[0]["a"] * res[0]["b"]),
    ),
)


def test_the_rule_takes_the_place_of_the_derivative() -> None:
    grad = sg.grad(lambda x: np.sum(clipped(x, 0.5) ** 2))
    np.testing.assert_allclose(grad(X), [0.5, -0.5, 0.5])
    assert "np.clip(2 * x, -0.5, 0.5)" in grad.source
    np.testing.assert_array_equal(clipped(X, 0.5), X)


@sg.custom_vjp
def again(x: Any, k: Any = 2.0, unused: Any = None) -> Any:
    return np.sum(np.exp(k * x))


again.defvjp(
    lambda x, k=2.0, unused=None: (again(x, k), (x, np.exp(k * x) + 0 * again(x, k), k)),
    lambda kept, g: (g * kept[1] * kept[2], g * np.sum(kept[1] * kept[0]), None),
)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("last", ["forward", "reverse"])
def test_a_rule_that_calls_its_own_function(order: int, last: str) -> None:
    def f(x: Any) -> Any:
        return again(x)

    for _ in range(order - 1):
        f = sg.grad(f)
    derivative = sg.grad(f) if last == "reverse" else lambda x: sg.jvp(f, (x,), (1.0,))[1]
    assert derivative(0.3) == pytest.approx(2.0**order * np.exp(0.6))


def test_the_gradients_of_arguments_left_at_their_defaults_are_left() -> None:
    for f in (lambda x: again(x), lambda x: again(x, 3.0), lambda x: again(k=x[0], x=x)):
        check_grads(f, (X,), order=2)


def applied(function: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = function(x)
    return x


def test_a_rule_with_derivatives_and_loops_in_it_is_linear() -> None:
    rule = sg.custom_vjp(applied, nondiff_argnums=(0, 2))
    rule.defvjp(
        lambda f, x, n: (applied(f, x, n), x),
        lambda f, n, x, g: sg.vjp(lambda z: applied(f, z, n), x)[1](g),
    )
    check_grads(lambda x: np.sum(rule(np.sin, x, 3)), (X,), order=2)
    check_grads(lambda x, n: np.sum(rule(np.tanh, x, n)), (X, 3), order=2)

    def bwd(limit: Any, g: Any) -> tuple[Any, None]:
        while g[0] > limit:
            g = g / 2
        return g, None

    halved = sg.custom_vjp(lambda x, limit: x)
    halved.defvjp(lambda x, limit: (x, limit), bwd)
    with pytest.raises(CustomRuleError, match="needs its rule to be linear"):
        sg.jvp(halved, (X, 1.0), (V, 0.0))


def test_a_right_rule_passes_every_check() -> None:
    def f(a: Any, b: Any, k: Any) -> Any:
        return np.sum(np.sin(product({"a": a, "b": b}, k)["y"]))

    check_grads(f, (X, V, np.float64(1.5)), order=2)


def test_nondiff_argnums_come_first_in_the_backward() -> None:
    power = sg.custom_vjp(lambda x, n: x**n, nondiff_argnums=(1,))
    power.defvjp(lambda x, n: (x**n, x), lambda n, x, g: (g * n * x ** (n - 1),))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(power(x, 3)))(X), 3 * X**2)


def test_where_nothing_is_differentiated_the_function_itself_runs() -> None:
    f = sg.custom_vjp(lambda x: np.sin(x))
    f.defvjp(lambda x: (np.sin(x), np.cos(x)), lambda c, g: (g * c,))
    plain = sg.compile(lambda x: f(x))
    np.testing.assert_array_equal(plain(X), np.sin(X))
    assert "np.cos" not in plain.source


def test_a_rule_may_call_its_own_function() -> None:
    @sg.custom_vjp
    def exp(x: Any) -> Any:
        return np.exp(x)

    exp.defvjp(lambda x: (exp(x), x), lambda x, g: (g * exp(x),))
    f: Any = exp
    for _ in range(3):
        f = sg.grad(f)
        np.testing.assert_allclose(f(0.7), np.exp(0.7))
    for _ in range(2):  # transforms around the call say how far the rule has to go
        f = sg.grad(f)
    np.testing.assert_allclose(f(0.7), np.exp(0.7))


class Exp(sg.Function):
    orders = 1

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.exp(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * Exp.apply(ctx.saved_arrays[0])


def second(x: Any) -> Any:
    (first,) = sg.autograd.grad(Exp.apply(x), (x,))
    return sg.autograd.grad(first, (x,))[0]


def test_by_autograd_grad_it_goes_as_far_as_the_class_says() -> None:
    with pytest.raises(DoubleBackwardError, match="nest `grad` in place of"):
        sg.compile(second)(0.7)
    np.testing.assert_allclose(sg.grad(sg.grad(lambda x: Exp.apply(x)))(0.7), np.exp(0.7))


def test_the_rule_holds_in_loops_and_branches() -> None:
    sine = sg.custom_vjp(lambda x: np.sin(x))
    sine.defvjp(lambda x: (np.sin(x), np.cos(x) + 0.0), lambda c, g: (g * c,))

    def f(function: Any) -> Any:
        def run(x: Any, n: int) -> Any:
            y = x
            for i in range(n):
                y = function(y) * x if i % 2 == 0 else function(y + x)
            return np.sum(y)

        return run

    np.testing.assert_allclose(sg.grad(f(sine))(X, 5), sg.grad(f(np.sin))(X, 5))
    np.testing.assert_allclose(sg.hvp(f(sine))(V, X, 5), sg.hvp(f(np.sin))(V, X, 5))


def test_forward_mode_is_the_transpose_of_a_linear_rule() -> None:
    f = sg.custom_vjp(lambda x: np.sin(x))
    f.defvjp(lambda x: (np.sin(x), x), lambda x, g: (g * 7.0,))
    np.testing.assert_allclose(sg.jvp(f, (X,), (V,))[1], 7.0 * V)


def test_forward_mode_through_a_rule_that_is_not_linear_is_refused() -> None:
    with pytest.raises(CustomRuleError, match="forward mode through `clipped` needs") as e:
        sg.jvp(lambda x: clipped(x, 0.5), (X,), (V,))
    assert "^" in str(e.value)


# ----------------------------------------------------------------------------- custom_jvp
@sg.custom_jvp
def smooth_abs(x: Any, scale: Any) -> Any:
    return np.abs(x) * scale


@smooth_abs.defjvp
def _(primals: Any, tangents: Any) -> Any:
    x, scale = primals
    t, t_scale = tangents
    return smooth_abs(x, scale), np.tanh(x) * t * scale + np.abs(x) * t_scale


def test_custom_jvp_in_both_modes() -> None:
    tangent = sg.jvp(smooth_abs, (X, 2.0), (V, 1.0))[1]
    np.testing.assert_allclose(tangent, np.tanh(X) * V * 2 + np.abs(X))
    g_x, g_s = sg.grad(lambda x, s: np.sum(V * smooth_abs(x, s)), argnums=(0, 1))(X, 2.0)
    np.testing.assert_allclose(g_x, np.tanh(X) * V * 2)
    np.testing.assert_allclose(g_s, np.sum(np.abs(X) * V))


def test_custom_jvp_at_second_order() -> None:
    def f(x: Any) -> Any:
        return np.sum(smooth_abs(x, 2.0))

    wanted = 2 * V / np.cosh(X) ** 2
    np.testing.assert_allclose(sg.hvp(f)(V, X), wanted)
    twice = sg.grad(lambda x: np.sum(sg.grad(f)(x) * V))(X)
    np.testing.assert_allclose(twice, wanted)


def test_defjvps() -> None:
    f = sg.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, out, x, y: t * y, None)
    np.testing.assert_allclose(sg.jvp(f, (X, V), (V, X))[1], V * V)
    np.testing.assert_allclose(sg.grad(lambda y: np.sum(f(X, y)))(V), np.zeros(3))


def test_reverse_mode_through_a_jvp_that_is_not_linear_is_refused() -> None:
    f = sg.custom_jvp(lambda x: x * 1.0)
    f.defjvp(lambda primals, ts: (primals[0], np.sin(ts[0])))
    np.testing.assert_allclose(sg.jvp(f, (X,), (V,))[1], np.sin(V))
    with pytest.raises(CustomRuleError, match="linear in the tangents"):
        sg.grad(lambda x: np.sum(f(x)))(X)


# ------------------------------------------------------------------------------- refusals
def with_rule(fwd: Any, bwd: Any) -> Any:
    def h(x: Any, y: Any) -> Any:
        return x * y

    made = sg.custom_vjp(h)
    made.defvjp(fwd, bwd)
    return sg.grad(lambda x: np.sum(made(x, V)))


def test_wrong_returns_are_refused_by_name() -> None:
    def fwd(x: Any, y: Any) -> Any:
        return x * y, (x, y)

    cases = [
        (lambda res, g: (g,), "vjp of `h` returned 1 gradient, there are 2 arguments"),
        (lambda res, g: g, "has to return a tuple"),
        (lambda res, g: (g[:2], g), "argument 0 (`x`) has the shape (2,), not (x_0,)"),
        (lambda res, g: (np.sum(g), g), "has the shape (), not"),
        (lambda res, g: (g, g.astype(np.float32)), "(`y`) has the dtype float32"),
        (lambda res, g: ([g], g), "not a list of 1"),
        (lambda res, g: ("g", g), "not 'g'"),
    ]
    for bwd, text in cases:
        with pytest.raises(CustomRuleError) as e:
            with_rule(fwd, bwd)(X)
        assert text in str(e.value)
    with pytest.raises(CustomRuleError) as e:
        with_rule(fwd, lambda res, g: (g, g[:1]))(X)
    assert e.value.index == 1


def test_the_forward_rule_has_to_fit_the_function() -> None:
    def bwd(res: Any, g: Any) -> Any:
        return None, None

    with pytest.raises(CustomRuleError, match="has to return \\(output, what to save\\)"):
        with_rule(lambda x, y: x * y, bwd)(X)
    with pytest.raises(CustomRuleError, match="the function itself float64"):
        with_rule(lambda x, y: (np.sum(x), ()), bwd)(X)


def test_what_is_read_from_outside_cannot_be_differentiated() -> None:
    scaled = sg.custom_vjp(lambda x, w: x * w, nondiff_argnums=(1,))
    scaled.defvjp(lambda x, w: (x * w, w), lambda w, res, g: (g * w,))
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(scaled(x, V)))(X), V)
    with pytest.raises(CustomRuleError, match=r"reads `w` from outside.*as an argument"):
        sg.grad(lambda w: np.sum(scaled(X, w)))(V)


def test_a_function_without_its_rule() -> None:
    f = sg.custom_vjp(lambda x: x)
    with pytest.raises(CustomRuleError, match="has no rule yet"):
        f(1.0)
    with pytest.raises(InputTypeError, match="custom_jvp` needs a function"):
        sg.custom_jvp(3)
    with pytest.raises(ArgnumsError, match="nondiff_argnums"):
        sg.custom_vjp(lambda x: x, nondiff_argnums=("x",))
    with pytest.raises(CustomRuleError, match="goes without"):
        sg.custom_jvp(lambda x: x, nondiff_argnums=(0,)).defjvps(None)
    with pytest.raises(CustomRuleError, match="for one argument"):
        sg.custom_jvp(lambda x: x).defjvps(None)


# ----------------------------------------------------------------------- library functions
def test_def_rule() -> None:
    """Rules that are given later hold for what has been compiled before, too."""
    from symgrad.frontend.rules.customs import RULES
    from symgrad.runtime.dispatch import forget_all

    root = sg.grad(lambda x: np.sum(np.cbrt(x)))
    np.testing.assert_allclose(root(np.ones(3)), np.full(3, 1 / 3))
    try:
        sg.def_rule(np.cbrt, vjp=lambda g, out, x: 10 * g)
        sg.def_rule(np.expm1, jvp=lambda xs, ts: (np.expm1(xs[0]), 20 * ts[0]))
        np.testing.assert_allclose(root(X), 10 * np.ones(3))
        np.testing.assert_allclose(sg.jvp(np.cbrt, (X,), (V,)), (np.cbrt(X), 10 * V))
        np.testing.assert_allclose(
            sg.grad(lambda x: np.sum(np.expm1(x)))(X), np.full(3, 20.0)
        )
        sg.def_rule(
            np.cbrt,
            vjp=lambda g, out, x: 30 * g,
            jvp=lambda xs, ts: (np.cbrt(xs[0]), 40 * ts[0] * xs[0]),
        )
        np.testing.assert_array_equal(
            sg.grad(lambda x: np.sum(np.cbrt(x)))(X), np.full(3, 30.0)
        )
        np.testing.assert_allclose(sg.jvp(np.cbrt, (X,), (V,)), (np.cbrt(X), 40 * V * X))
    finally:
        RULES.clear()
        forget_all()
    with pytest.raises(CustomRuleError, match="give `vjp` or `jvp`"):
        sg.def_rule(np.cbrt)
    with pytest.raises(InputTypeError, match="`def_rule` needs a function, not int"):
        sg.def_rule(3, vjp=lambda g, out, x: g)  # type: ignore[arg-type]


def test_def_rule_of_a_function_that_is_not_known() -> None:
    from symgrad.frontend.rules.customs import RULES

    special = pytest.importorskip("scipy.special")
    x, n = np.array([0.5, 1.5]), 2
    assert special.spherical_jn not in RULES

    def vjp(g: Any, out: Any, n: int, x: Any) -> Any:
        return None, g * (special.spherical_jn(n - 1, x) - (n + 1) / x * out)

    def f(x: Any) -> Any:
        return np.sum(special.spherical_jn(n, x) ** 2)

    slope = special.spherical_jn(n, x, derivative=True)
    try:
        sg.def_rule(special.spherical_jn, vjp=vjp, shape=lambda n, x: sg.spec(x.shape))
        wanted = 2 * special.spherical_jn(n, x) * slope
        np.testing.assert_allclose(sg.grad(f)(x), wanted)
        sg.def_rule(
            special.spherical_jn,
            jvp=lambda xs, ts: (xs[1], ts[1] * xs[1]),
        )
        np.testing.assert_allclose(
            sg.jvp(lambda x: special.spherical_jn(n, x), (x,), (V[:2],)),
            (special.spherical_jn(n, x), V[:2] * x),
        )
    finally:
        RULES.clear()


def test_elementwise(monkeypatch: pytest.MonkeyPatch) -> None:
    special = pytest.importorskip("scipy.special")
    import sympy as sp

    from symgrad.ops import SURFACE

    for function in (special.dawsn, special.boxcox1p):  # other tests want their own rules
        monkeypatch.setitem(SURFACE, function, SURFACE[function])
    before = sg.grad(lambda x: np.sum(special.dawsn(x)))
    before(X)
    sg.elementwise(special.dawsn, "3")
    np.testing.assert_array_equal(before(X), np.full_like(X, 3.0))
    sg.elementwise(special.dawsn, "1 - 2*x*out")
    f = sg.compile(lambda x: special.dawsn(x))
    np.testing.assert_allclose(f(X), special.dawsn(X))
    check_grads(lambda x: np.sum(special.dawsn(x) * V), (X,), order=2)
    x, y = sp.symbols("x y")
    sg.elementwise(special.boxcox1p, {"x": (1 + x) ** (y - 1)}, inputs="x y")
    grad = sg.grad(lambda x: np.sum(special.boxcox1p(x, 0.5)))
    np.testing.assert_allclose(grad(X**2), (1 + X**2) ** -0.5)


def test_elementwise_refuses() -> None:
    with pytest.raises(CustomRuleError, match="'z' in the derivative is no input"):
        sg.elementwise(np.cbrt, "z")
    with pytest.raises(CustomRuleError, match="there is no input 'y'"):
        sg.elementwise(np.cbrt, {"y": "1"})
    with pytest.raises(CustomRuleError, match="cannot be imported by its name"):
        sg.elementwise(lambda x: x, "1")
