"""``jacrev``, ``jacfwd``, ``hessian``: known values, structures, refusals, code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgnumsError, AuxError, InputTypeError, NonScalarOutputError

RNG = np.random.default_rng(1)
V = RNG.standard_normal(4)
M = RNG.standard_normal((2, 3))


@pytest.fixture(params=[sg.jacrev, sg.jacfwd])
def jacobian(request: pytest.FixtureRequest) -> Any:
    """Both modes."""
    return request.param


def test_known_values(jacobian: Any) -> None:
    np.testing.assert_allclose(jacobian(np.sin)(V), np.diag(np.cos(V)))
    np.testing.assert_allclose(jacobian(lambda x: M.T @ x)(V[:2]), M.T)
    np.testing.assert_allclose(jacobian(lambda x: x @ x)(V), 2 * V)
    assert jacobian(lambda x: x**3)(2.0) == 12.0
    assert jacobian(lambda x: (x**2, x))(2.0) == (4.0, 1.0)


def test_against_differences(jacobian: Any) -> None:
    def fun(m: Any) -> Any:
        return np.sin(m).T @ m

    found = jacobian(fun)(M)
    assert found.shape == (3, 3, 2, 3)
    for k in np.ndindex(M.shape):
        e = np.zeros_like(M)
        e[k] = 1e-6
        slope = (fun(M + e) - fun(M - e)) / 2e-6
        np.testing.assert_allclose(found[(..., *k)], slope, rtol=1e-6, atol=1e-8)


def test_structures(jacobian: Any) -> None:
    def fun(p: Any, x: Any) -> Any:
        return {"a": p["w"] @ x, "s": x.sum()}

    p = {"w": M, "b": np.ones(2)}
    found = jacobian(fun, argnums=(0, 1))(p, V[:3])
    shapes = {
        k: ({n: g.shape for n, g in a.items()}, b.shape) for k, (a, b) in found.items()
    }
    assert shapes == {
        "a": ({"w": (2, 2, 3), "b": (2, 2)}, (2, 3)),
        "s": ({"w": (2, 3), "b": (2,)}, (3,)),
    }
    np.testing.assert_allclose(found["a"][1], M)
    np.testing.assert_allclose(found["a"][0]["w"][0, 0], V[:3])
    assert not found["s"][0]["w"].any()
    by_name = jacobian(fun, argnames="x")(p, V[:3])
    np.testing.assert_allclose(by_name["s"], np.ones(3))


def test_auxiliary_results(jacobian: Any) -> None:
    found, aux = jacobian(lambda x: (x**2, {"sum": x.sum()}), has_aux=True)(V)
    np.testing.assert_allclose(found, np.diag(2 * V))
    assert aux["sum"] == V.sum()


def test_float32(jacobian: Any) -> None:
    assert jacobian(lambda x: x**2)(V.astype(np.float32)).dtype == np.float32


def test_empty(jacobian: Any) -> None:
    assert jacobian(lambda x: np.tanh(x))(V[:0]).shape == (0, 0)


def test_inside_compiled_functions(jacobian: Any) -> None:
    def penalty(x: Any) -> Any:
        return np.sum(jacobian(lambda z: z**3)(x) ** 2)

    np.testing.assert_allclose(sg.compile(penalty)(V), np.sum(9 * V**4))
    np.testing.assert_allclose(sg.grad(penalty)(V), 36 * V**3)


def test_nested(jacobian: Any) -> None:
    def fun(x: Any) -> Any:
        return np.sum(np.sin(x) * x[::-1])

    wanted = sg.hessian(fun)(V)
    for outer in (sg.jacrev, sg.jacfwd):
        np.testing.assert_allclose(outer(jacobian(fun))(V), wanted, rtol=1e-12)
        np.testing.assert_allclose(outer(sg.grad(fun))(V), wanted, rtol=1e-12)


# --------------------------------------------------------------------------- Hessians
def test_hessian_known_values() -> None:
    np.testing.assert_allclose(
        sg.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0])), [[6, 2], [2, 0]]
    )
    assert sg.hessian(lambda x: x**3)(2.0) == 12.0
    third = sg.hessian(sg.hessian(lambda x: np.sum(x**4)))(np.array([1.0, 2.0]))
    assert third.shape == (2, 2, 2, 2) and third.sum() == 48


def test_hessian_structures() -> None:
    found = sg.hessian(lambda a, b: np.sum(a * b) ** 2, argnums=(0, 1))(
        np.ones(2), np.ones(2)
    )
    same, mixed = np.full((2, 2), 2.0), np.full((2, 2), 2.0) + 4 * np.eye(2)
    for row, expected in zip(found, ((same, mixed), (mixed, same)), strict=True):
        np.testing.assert_allclose(row, expected)


def test_hessian_auxiliary_results() -> None:
    found, aux = sg.hessian(lambda x: (np.sum(x**3), x.sum()), has_aux=True)(V)
    np.testing.assert_allclose(found, np.diag(6 * V))
    assert aux == V.sum()


def test_hessian_of_a_regression_is_one_product() -> None:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return np.mean(np.logaddexp(0, -y * (x @ w))) + 0.005 * np.sum(w * w)

    x, y = RNG.standard_normal((9, 4)), RNG.choice([-1.0, 1.0], 9)
    compiled = sg.hessian(loss)
    found = compiled(V, x, y)
    p = 1 / (1 + np.exp(-(x @ V)))
    np.testing.assert_allclose(found, (x.T * (p * (1 - p) / 9)) @ x + 0.01 * np.eye(4))
    code = [line for line in compiled.source.splitlines() if "#" not in line]
    assert "\n".join(code).count("@") == 2  # x @ w, and (x.T * weights) @ x
    assert not any("for " in line for line in code)


# --------------------------------------------------------------------------- refusals
def test_refusals(jacobian: Any) -> None:
    with pytest.raises(NonScalarOutputError, match="needs real results"):
        jacobian(lambda x: (x > 0).sum())(V)
    with pytest.raises(NonScalarOutputError, match="returned None"):
        jacobian(lambda x: None)(V)
    with pytest.raises(InputTypeError, match="int64"):
        jacobian(lambda x: x)(np.arange(3))
    with pytest.raises(InputTypeError, match="holds a function"):
        jacobian(lambda x: lambda: x)(V)
    with pytest.raises(ArgnumsError, match="1 positional"):
        jacobian(lambda x: x, argnums=1)(V)
    with pytest.raises(AuxError, match="value, aux"):
        jacobian(lambda x: x, has_aux=True)(V)
