"""jvp, vjp, linearize, hvp: at the top level and inside compiled functions, nested, refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    AuxError,
    CallError,
    DTypeError,
    InputTypeError,
    ShapeError,
    TreeStructureError,
)

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])


def smooth(x: Any) -> Any:
    return np.sin(x) * x


def slope(x: Any) -> Any:
    return np.cos(x) * x + np.sin(x)


def curvature(x: Any) -> Any:
    return 2 * np.cos(x) - x * np.sin(x)


def total(x: Any) -> Any:
    return np.sum(smooth(x))


def code(f: Any) -> str:
    """The generated code without its comments."""
    return "\n".join(x for x in f.source.splitlines() if not x.strip().startswith("#"))


def looped(x: Any, n: int) -> Any:
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return y


# ------------------------------------------------------------------------------------ jvp
def test_jvp_of_a_library_function() -> None:
    assert sg.jvp(np.sin, (0.0,), (2.0,)) == (0.0, 2.0)


def test_jvp_gives_value_and_tangent() -> None:
    out, tangent = sg.jvp(smooth, (X,), (V,))
    np.testing.assert_allclose(out, smooth(X))
    np.testing.assert_allclose(tangent, slope(X) * V)


def test_jvp_inside_and_outside_agree() -> None:
    inside = sg.compile(lambda x, v: sg.jvp(smooth, (x,), (v,)))
    for a, b in zip(inside(X, V), sg.jvp(smooth, [X], [V]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_whole_numbers_are_the_functions_own() -> None:
    def f(x: Any, k: Any) -> Any:
        k[0] += 1
        k *= 2
        return np.sum(x[k] ** 2)

    x, k = np.arange(5.0), np.array([0, 1])
    assert sg.jvp(f, (x, k), (x, None)) == (8.0, 16.0)
    value, pull = sg.vjp(f, x, k)
    np.testing.assert_array_equal(pull(value)[0], [0, 0, 64, 0, 0])
    np.testing.assert_array_equal(k, [0, 1])


def test_jvp_of_nested_structures_with_aux_and_integers() -> None:
    def f(p: Any, n: int) -> Any:
        return {"y": p["a"] * p["b"] ** n, "n": n}, p["a"] + 1

    out, tangent, aux = sg.jvp(
        f, ({"a": X, "b": 2.0}, 3), ({"b": 1.0, "a": None}, None), has_aux=True
    )
    np.testing.assert_allclose(out["y"], X * 8)
    np.testing.assert_allclose(tangent["y"], X * 12)
    assert (out["n"], tangent["n"]) == (3, 0)
    np.testing.assert_allclose(aux, X + 1)


def test_jvp_of_value_and_grad_is_a_hessian_vector_product() -> None:
    @sg.compile
    def both(x: Any, v: Any) -> Any:
        (value, _), (_, hv) = sg.jvp(sg.value_and_grad(total), (x,), (v,))
        return value, hv

    value, hv = both(X, V)
    np.testing.assert_allclose(value, total(X))
    np.testing.assert_allclose(hv, curvature(X) * V)


def test_jvp_of_complex_numbers() -> None:
    out, tangent = sg.jvp(lambda z: z**2, (1 + 2j,), (1j,))
    assert (out, tangent) == ((1 + 2j) ** 2, 2j * (1 + 2j))


def test_perturbations_are_not_confused() -> None:
    # d/dx (x * d/dy (x + y)) = 1, not 2.
    def f(x: Any) -> Any:
        return x * sg.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert sg.jvp(f, (3.0,), (1.0,))[1] == 1.0
    assert sg.grad(f)(3.0) == 1.0
    assert sg.grad(lambda x: x * sg.grad(lambda y: x + y)(1.0))(3.0) == 1.0
    assert sg.jvp(lambda x: x * sg.grad(lambda y: x * y)(1.0), (3.0,), (1.0,))[1] == 6.0


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "word"),
    [
        ((X,), (V, V), TreeStructureError, "1 primals but 2 tangents"),
        (X, (V,), InputTypeError, r"such as \(x,\)"),
        ((X,), (V[:2],), ShapeError, "tangent of argument 0 (`x`) has the shape"),
        ((X,), (V[:, None],), ShapeError, "has the shape"),
        ((X,), (V.astype(np.float32),), DTypeError, "float32, not float64"),
        ((X,), (np.ones(3, int),), DTypeError, "int64, not float64"),
        ((X,), ((V,),), TreeStructureError, "not a tuple of 1"),
        (((X, X),), (V,), TreeStructureError, "has to be a tuple of 2"),
        (({"a": X},), ({"b": V},), TreeStructureError, "the keys ['a']"),
    ],
)
def test_jvp_refuses(primals: Any, tangents: Any, error: type, word: str) -> None:
    import re

    pattern = word if "\\" in word else re.escape(word)
    with pytest.raises(error, match=pattern):
        sg.jvp(lambda x: x, primals, tangents)


# ------------------------------------------------------------------------------------ vjp
def test_vjp_pulls_back_any_number_of_times() -> None:
    out, pullback = sg.vjp(smooth, X)
    np.testing.assert_allclose(out, smooth(X))
    for scale in (1.0, -3.0):
        [g] = pullback(scale * V)
        np.testing.assert_allclose(g, scale * slope(X) * V)


def test_vjp_keeps_to_the_arguments_it_was_given() -> None:
    x = X.copy()
    _, pullback = sg.vjp(smooth, x)
    x[:] = 7.0
    np.testing.assert_allclose(pullback(V)[0], slope(X) * V)


SCALE = [3.0]


def test_vjp_leaves_defaults_alone() -> None:
    def scaled(x: Any, s: float = 3.0) -> Any:
        return x * s, s

    def pulled(x: Any, *more: float) -> Any:
        return sg.vjp(scaled, x, *more)[1]((x, 1.0))

    for call in (pulled, sg.compile(pulled)):
        [by_x] = call(np.ones(2))
        np.testing.assert_array_equal(by_x, [3.0, 3.0])
        assert len(call(np.ones(2), 2.0)) == 2


def test_a_pullback_belongs_to_the_call_it_comes_from() -> None:
    def f(x: Any, bound: float) -> Any:
        y = x * SCALE[0]
        while np.sum(y) < bound:
            y = y * (1 + np.sin(y) ** 2) + x * x
        return y

    out, pullback = sg.vjp(f, X, 20.0)
    before = pullback(V)[0]
    SCALE[0] = 100.0
    out[:] = 0.0
    np.testing.assert_array_equal(pullback(V)[0], before)
    SCALE[0] = 3.0
    step = 1e-6
    for i, d in enumerate(np.eye(3) * step):
        wanted = V @ (f(X + d, 20.0) - f(X - d, 20.0)) / (2 * step)
        np.testing.assert_allclose(before[i], wanted, rtol=1e-6)


def test_vjp_of_the_identity_shares_no_memory() -> None:
    x = X.copy()
    out, pullback = sg.vjp(lambda x: x, x)
    out[:] = 7.0
    [g] = pullback(V)
    g[:] = 7.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(V, [1.0, 0.5, -2.0])
    assert "pullback of" in repr(pullback)


def test_vjp_of_structures_with_aux() -> None:
    def f(p: Any, k: int, s: float) -> Any:
        return (p["a"] * s, {"n": k}), s

    out, pullback, aux = sg.vjp(f, {"a": X}, 2, 4.0, has_aux=True)
    np.testing.assert_allclose(out[0], 4 * X)
    assert (out[1], aux) == ({"n": 2}, 4.0)
    g_p, g_k, g_s = pullback((V, None))
    np.testing.assert_allclose(g_p["a"], 4 * V)
    np.testing.assert_allclose(g_s, V @ X)
    assert g_k == 0
    assert isinstance(g_s, float)


def test_vjp_inside_computes_the_primal_once() -> None:
    @sg.compile
    def f(x: Any, g: Any, n: int) -> Any:
        out, pullback = sg.vjp(lambda x: looped(x, n), x)
        [a] = pullback(g)
        [b] = pullback(2 * g)
        return out, a, b

    out, a, b = f(X, V, 4)
    np.testing.assert_allclose(out, looped(X, 4))
    step = 1e-6
    wanted = V * (looped(X + step, 4) - looped(X - step, 4)) / (2 * step)
    np.testing.assert_allclose(a, wanted, rtol=1e-7)
    np.testing.assert_allclose(b, 2 * wanted, rtol=1e-7)
    assert code(f).count("np.sin(") == 1


def test_vjp_is_differentiated_again() -> None:
    def penalty(x: Any) -> Any:
        _, pullback = sg.vjp(smooth, x)
        [g] = pullback(np.ones_like(x))
        return np.sum(g**2)

    np.testing.assert_allclose(sg.grad(penalty)(X), 2 * slope(X) * curvature(X))
    tangent = sg.jvp(penalty, (X,), (V,))[1]
    np.testing.assert_allclose(tangent, 2 * slope(X) * curvature(X) @ V)


def test_a_pullback_is_differentiated_by_its_cotangent() -> None:
    @sg.compile
    def f(x: Any, g: Any) -> Any:
        _, pullback = sg.vjp(smooth, x)
        return sg.grad(lambda g: np.sum(pullback(g)[0] ** 2))(g)

    np.testing.assert_allclose(f(X, V), 2 * slope(X) ** 2 * V)


def test_a_pullback_in_a_loop() -> None:
    @sg.compile
    def f(x: Any, g: Any, n: int) -> Any:
        _, pullback = sg.vjp(smooth, x)
        for _ in range(n):
            [g] = pullback(g)
        return g

    np.testing.assert_allclose(f(X, V, 3), slope(X) ** 3 * V)
    by_x = sg.grad(lambda x: np.sum(f(x, V, 3)))(X)
    np.testing.assert_allclose(by_x, 3 * slope(X) ** 2 * curvature(X) * V)


def test_vjp_of_a_gradient_nests_to_order_four() -> None:
    def f(x: float) -> Any:
        return np.sin(2 * x)

    def derivative(g: Any) -> Any:
        return lambda x: sg.vjp(g, x)[1](1.0)[0]

    for g, wanted in [
        (derivative(sg.grad(f)), -4 * np.sin(2 * 0.7)),
        (sg.grad(derivative(sg.grad(f))), -8 * np.cos(2 * 0.7)),
        (derivative(derivative(derivative(derivative(f)))), 16 * np.sin(2 * 0.7)),
    ]:
        np.testing.assert_allclose(sg.compile(g)(0.7), wanted)


@pytest.mark.parametrize(
    ("cotangent", "error", "word"),
    [
        (V[:2], ShapeError, "cotangent of the result of `smooth` has the shape"),
        (V.astype(np.float32), DTypeError, "float32"),
        ([V], TreeStructureError, "not a list of 1"),
    ],
)
def test_a_pullback_refuses(cotangent: Any, error: type, word: str) -> None:
    _, pullback = sg.vjp(smooth, X)
    with pytest.raises(error, match=word):
        pullback(cotangent)


def test_a_pullback_cannot_be_returned() -> None:
    with pytest.raises(SyntaxError, match="holds a function"):
        sg.compile(lambda x: sg.vjp(smooth, x))(X)


def test_has_aux_needs_a_pair() -> None:
    with pytest.raises(AuxError, match="has to return"):
        sg.vjp(smooth, X, has_aux=True)[1](V)
    with pytest.raises(InputTypeError, match="`jvp` needs a function"):
        sg.jvp(3, (X,), (V,))


# ------------------------------------------------------------------------ linearize and hvp
def test_linearize() -> None:
    out, linear = sg.linearize(lambda x, y: x * y, X, 2.0)
    np.testing.assert_allclose(out, 2 * X)
    np.testing.assert_allclose(linear(V, 3.0), 2 * V + 3 * X)
    np.testing.assert_allclose(linear(None, 1.0), X)


def test_linearize_inside() -> None:
    @sg.compile
    def f(x: Any, v: Any) -> Any:
        out, linear = sg.linearize(smooth, x)
        return out, linear(v), linear(2 * v)

    out, a, b = f(X, V)
    np.testing.assert_allclose(out, smooth(X))
    np.testing.assert_allclose(a, slope(X) * V)
    np.testing.assert_allclose(b, 2 * slope(X) * V)
    assert code(f).count("np.sin(") == 1
    with pytest.raises(CallError, match="takes 1 tangents, got 2"):
        sg.compile(lambda x: sg.linearize(smooth, x)[1](x, x))(X)


def test_hvp() -> None:
    np.testing.assert_allclose(sg.hvp(total)(V, X), curvature(X) * V)
    inside = sg.compile(lambda x, v: sg.hvp(total)(v, x))
    np.testing.assert_allclose(inside(X, V), curvature(X) * V)


def test_hvp_by_several_arguments_and_by_name() -> None:
    def f(v: Any, y: Any, *, scale: float = 1.0) -> Any:
        return scale * np.sum(v**2 * y)

    a, b = sg.hvp(f, argnums=(0, 1))((V, V), X, X)
    np.testing.assert_allclose(a, 2 * X * V + 2 * X * V)
    np.testing.assert_allclose(b, 2 * X * V)
    by_name = sg.hvp(f, argnames="v")
    np.testing.assert_allclose(by_name(V, X, X, scale=3.0), 6 * X * V)
    assert by_name.source.startswith("def f_hvp(v_, v, y, *, scale)")


def test_hvp_refuses_a_vector_that_does_not_fit() -> None:
    with pytest.raises(ShapeError, match="vector of argument 0"):
        sg.hvp(total)(V[:2], X)
    with pytest.raises(TreeStructureError, match="1 parts for 2"):
        sg.hvp(lambda x, y: np.sum(x * y), argnums=(0, 1))((V,), X, X)
