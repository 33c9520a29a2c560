"""Derivatives in derivatives: nothing of an outer one is taken for the inner one's."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import symgrad as sg


def forward(f: Any, x: Any) -> Any:
    return sg.jvp(f, (x,), (1.0,))[1]


def reverse(f: Any, x: Any) -> Any:
    return sg.grad(f)(x)


def pulled(f: Any, x: Any) -> Any:
    return sg.vjp(f, x)[1](1.0)[0]


def linear(f: Any, x: Any) -> Any:
    return sg.linearize(f, x)[1](1.0)


WAYS = (forward, reverse, pulled, linear)


@pytest.mark.parametrize("ways", [*product((forward, reverse), repeat=4)])
def test_four_levels_that_read_each_others_variables(ways: Any) -> None:
    one, two, three, four = ways

    @sg.compile
    def f(x: float, p: float, q: float) -> Any:
        def first(a: Any) -> Any:
            def second(b: Any) -> Any:
                def third(c: Any) -> Any:
                    def fourth(d: Any) -> Any:
                        return a * b * c * d

                    return a * b * c * four(fourth, 2.0)

                return a * b * three(third, q)

            return a * two(second, p)

        return one(first, x)

    # (abc)**2 by c, times ab, by b, times a, by a
    x, p, q = 0.5, 1.25, 3.0
    np.testing.assert_allclose(f(x, p, q), 24 * q * p**2 * x**3)


@pytest.mark.parametrize(("outer", "inner"), [*product(WAYS, repeat=2)])
def test_an_inner_derivative_of_what_is_constant_to_it(outer: Any, inner: Any) -> None:
    @sg.compile
    def f(x: float) -> Any:
        return outer(lambda x: x * inner(lambda y: x + y, 1.0), x)

    @sg.compile
    def g(x: float) -> Any:
        return outer(lambda x: np.sin(x) * inner(lambda y: x * y**2, x), x)

    np.testing.assert_allclose(f(1.5), 1.0)
    expected = 4 * 0.7 * np.sin(0.7) + 2 * 0.7**2 * np.cos(0.7)
    np.testing.assert_allclose(g(0.7), expected)


@pytest.mark.parametrize("ways", [*product((forward, reverse), repeat=4)])
def test_fourth_derivatives(ways: Any) -> None:
    def nested(way: Any, f: Any) -> Any:
        return lambda x: way(f, x)

    f = lambda x: np.exp(2 * x) * x  # noqa: E731
    for way in ways:
        f = nested(way, f)
    np.testing.assert_allclose(sg.compile(f)(0.3), (16 * 0.3 + 32) * np.exp(0.6))


@pytest.mark.parametrize(("outer", "inner"), [*product(WAYS, repeat=2)])
def test_in_loops_and_branches(outer: Any, inner: Any) -> None:
    @sg.compile
    def f(x: float, n: int) -> Any:
        def total(a: Any) -> Any:
            y = a
            for _ in range(n):
                slope = inner(lambda b: a * b * b, y)  # 2 a y
                y = slope if a > 0 else -slope
            return y

        return outer(total, x)

    # y = (2 a)**n a
    np.testing.assert_allclose(f(0.5, 3), 8 * 4 * 0.5**3)
    np.testing.assert_allclose(f(-0.5, 3), -8 * 4 * -(0.5**3))


@pytest.mark.parametrize("way", [forward, reverse])
def test_over_vmap(way: Any) -> None:
    xs = np.array([0.5, -1.0, 2.0])

    @sg.compile
    def f(a: float) -> Any:
        each = sg.vmap(lambda x: way(lambda b: a * b**2 * x, x))  # 2 a x**2
        return np.sum(each(xs))

    np.testing.assert_allclose(way(f, 3.0), 2 * np.sum(xs**2))
    np.testing.assert_allclose(sg.vmap(lambda a: way(f, a * a))(xs), 2 * np.sum(xs**2))


# -------------------------------------------------------------------------------- linearize
X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, 0.5, -2.0])


def looped(x: Any, n: int) -> Any:
    y = x
    for i in range(n):
        y = np.tanh(y) * x + np.exp(np.sin(y)) * i
    return {"y": y, "n": n, "first": y[0]}


def branching(x: Any) -> Any:
    if np.sum(x) > 0:
        return np.exp(x) * x, np.floor(x)
    return 2 * x, np.floor(x)


def linear_part(f: Any, *args: Any) -> str:
    """The code of the linear function."""
    from symgrad.runtime.directional import _compiled

    source = _compiled("linearize", f, None, False).lower(*args).source
    return str(source).partition("_linearize_linear(")[2]


@pytest.mark.parametrize(
    ("f", "args"), [(looped, (X, 4)), (branching, (X,)), (branching, (-X,))]
)
def test_the_linear_function_computes_nothing_again(f: Any, args: Any) -> None:
    out, along = sg.linearize(f, *args)
    zeros = (None,) * (len(args) - 1)
    expected, tangent = sg.jvp(f, args, (V, *zeros))
    found = along(V, *zeros)
    if f is looped:
        np.testing.assert_array_equal(out["y"], expected["y"])
        np.testing.assert_allclose(found["y"], tangent["y"])
        np.testing.assert_allclose(found["first"], tangent["first"])
    else:
        np.testing.assert_array_equal(out[0], expected[0])
        np.testing.assert_allclose(found[0], tangent[0])
        np.testing.assert_array_equal(found[1], 0 * X)
    code = linear_part(f, *args)
    for name in ("np.tanh(", "np.exp(", "np.sin(", "np.cos("):
        assert name not in code


def test_effects_and_draws_happen_once(capsys: Any) -> None:
    def noisy(x: Any) -> Any:
        print("once")
        if np.sum(x) > 100:
            raise ValueError("large")
        return np.sin(x) * np.random.normal(size=x.shape)

    np.random.seed(3)
    out, along = sg.linearize(noisy, X)
    np.testing.assert_allclose(along(V), out / np.sin(X) * np.cos(X) * V)
    np.testing.assert_allclose(along(2 * V), 2 * along(V))
    assert capsys.readouterr().out == "once\n"
    with pytest.raises(ValueError, match="large"):
        sg.linearize(noisy, X + 100)
    inside = sg.compile(lambda x, v: sg.linearize(noisy, x)[1](v))
    np.random.seed(3)
    np.testing.assert_allclose(inside(X, V), along(V))
    assert capsys.readouterr().out == "once\n" * 2


def test_the_linear_function_keeps_its_point() -> None:
    x = X.copy()
    _, along = sg.linearize(lambda x: x**3, x)
    x[:] = 0
    np.testing.assert_allclose(along(V), 3 * X**2 * V)


def test_arguments_with_defaults_stand_still() -> None:
    def scaled(x: Any, factor: float = 3.0) -> Any:
        return factor * np.sin(x)

    _, along = sg.linearize(scaled, X)
    np.testing.assert_allclose(along(V), 3 * np.cos(X) * V)
    assert repr(along) == "<symgrad derivative of scaled at a point>"


@pytest.mark.parametrize(
    ("tangents", "message"),
    [
        ((V, V), "takes 1 tangents, got 2"),
        ((V[:2],), r"the tangent of argument 0 of `looped1` has the shape \(2,\)"),
        ((V.astype(np.float32),), "the tangent of argument 0 of `looped1` has the dtype"),
        (([1.0],), "the tangent of argument 0 of `looped1` has to be float64"),
    ],
)
def test_tangents_have_to_fit(tangents: Any, message: str) -> None:
    def looped1(x: Any) -> Any:
        return looped(x, 2)["y"]

    _, along = sg.linearize(looped1, X)
    with pytest.raises(sg.SymgradError, match=message):
        along(*tangents)


# ------------------------------------------------------------------------------ axes of vmap
@pytest.mark.parametrize("first", [0, 1, 2, -1])
@pytest.mark.parametrize("second", [0, 1, -1])
def test_axes_nested(first: int, second: int) -> None:
    a = np.arange(24.0).reshape(2, 3, 4)

    def f(row: Any) -> Any:
        return np.cumsum(row) * row[0]

    inner = sg.vmap(f, in_axes=second, out_axes=second)
    outer = sg.vmap(inner, in_axes=first, out_axes=first)
    rest = np.moveaxis(a, first, 0)
    parts = []
    for part in rest:
        rows = [f(row) for row in np.moveaxis(part, second, 0)]
        parts.append(np.moveaxis(np.stack(rows), 0, second))
    np.testing.assert_allclose(outer(a), np.moveaxis(np.stack(parts), 0, first))


def test_axes_of_structures_nested() -> None:
    def f(p: Any, x: Any) -> Any:
        return {"s": p["w"] @ x, "t": (p["b"] * x[0], 1.0)}

    w, b = np.arange(24.0).reshape(3, 4, 2), np.arange(5.0)
    x = np.arange(40.0).reshape(5, 4, 2)
    inner = sg.vmap(
        f, in_axes=({"w": None, "b": None}, 0), out_axes={"s": 1, "t": (0, None)}
    )
    outer = sg.vmap(
        inner, in_axes=({"w": None, "b": 0}, 0), out_axes={"s": 2, "t": (1, None)}
    )
    found = outer({"w": w[:, 0], "b": b}, x)
    np.testing.assert_allclose(found["s"], np.einsum("kd,bnd->knb", w[:, 0], x))
    np.testing.assert_allclose(found["t"][0], (b[:, None] * x[..., 0]).T)
    assert found["t"][1] == 1.0
