"""Complex arguments: gradients of real results, and derivatives of holomorphic functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, InputTypeError, NonScalarOutputError

Z = np.array([0.3 + 0.4j, -1.2 + 0.1j, 0.5 - 0.7j])
X = np.array([0.3, 0.7, -0.2])
W = np.random.default_rng(0).normal(size=(3, 3, 2)) @ np.array([1, 1j])


def measured(f: Any, z: Any) -> Any:
    """dL/dRe + i dL/dIm by differences."""
    g = np.zeros_like(z)
    for i in np.ndindex(z.shape):
        d = np.zeros_like(z)
        d[i] = 1e-6
        along = (f(z + d) - f(z - d)) / 2e-6
        across = (f(z + 1j * d) - f(z - 1j * d)) / 2e-6
        g[i] = along + 1j * across
    return g


def power(z: Any) -> Any:
    return np.sum(np.abs(np.sin(z) @ W) ** 2)


def phases(z: Any) -> Any:
    return np.sum(np.angle(z) * np.real(z) + np.imag(z**2) * np.abs(z))


def stored(z: Any) -> Any:
    y = np.zeros_like(z)
    for i in range(len(z)):
        y[i] = z[i] * z[i - 1] + (2j if z[i].real > 0 else 1.0)
    return np.sum(np.abs(y) ** 2)


def gathered(z: Any) -> Any:
    return np.sum(np.abs(z[np.array([0, 2, 2, 1])]) ** 2 * np.arange(4))


def transformed(z: Any) -> Any:
    return np.sum(np.abs(np.fft.fft(z, 4)) ** 2 * np.array([1.0, 2.0, 0.5, 3.0]))


def contracted(z: Any) -> Any:
    return np.real(np.einsum("i,ij,j->", z, W, np.conj(z)))


FUNCTIONS = [power, phases, stored, gathered, transformed, contracted]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_gradient_points_up(f: Any) -> None:
    g = sg.grad(f)(Z)
    assert g.dtype == np.complex128
    np.testing.assert_allclose(g, measured(f, Z), rtol=1e-7, atol=1e-7)
    assert f(Z - 1e-4 * g) < f(Z)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_both_modes_and_second_order(f: Any) -> None:
    v = np.array([1 + 1j, 0.5, 2j])
    g = sg.grad(f)
    _, t = sg.jvp(f, (Z,), (v,))
    np.testing.assert_allclose(t, np.sum(np.real(np.conj(g(Z)) * v)))
    slopes = (g(Z + 1e-6 * v) - g(Z - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(sg.hvp(f)(v, Z), slopes, rtol=1e-6, atol=1e-6)
    back = sg.grad(lambda z: np.sum(np.real(np.conj(sg.grad(f)(z)) * v)))(Z)
    np.testing.assert_allclose(back, slopes, rtol=1e-6, atol=1e-6)


def test_real_arguments_have_real_gradients() -> None:
    def f(x: Any, z: Any) -> Any:
        return np.sum(np.abs(np.exp(1j * x) * z + x) ** 2)

    g_x, g_z = sg.grad(f, (0, 1))(X, Z)
    assert g_x.dtype == np.float64
    assert g_z.dtype == np.complex128
    _, t = sg.jvp(f, (X, Z), (X, None))
    np.testing.assert_allclose(t, np.sum(g_x * X))
    assert type(sg.grad(lambda x: np.real(np.exp(1j * x) * x))(2.0)) is float
    assert isinstance(sg.grad(lambda z: abs(z) ** 2)(1 + 2j), complex)
    einsum = sg.grad(lambda x: np.real(np.einsum("ii,j->", x, Z)))(np.ones((3, 3)))
    np.testing.assert_allclose(einsum, np.eye(3) * np.sum(Z).real)


# ------------------------------------------------------------------------------- holomorphic
def test_holomorphic_gradients() -> None:
    def f(z: Any, w: Any) -> Any:
        return z**3 * np.exp(z) * w

    z, w = 0.3 + 0.4j, 1.0 - 2.0j
    g, h = sg.grad(f, (0, 1), holomorphic=True)(z, w)
    np.testing.assert_allclose(g, (3 * z**2 + z**3) * np.exp(z) * w)
    np.testing.assert_allclose(h, z**3 * np.exp(z))
    value, again = sg.value_and_grad(f, holomorphic=True)(z, w)
    assert (value, again) == (f(z, w), g)
    second = sg.grad(sg.grad(np.sin, holomorphic=True), holomorphic=True)
    np.testing.assert_allclose(second(z), -np.sin(z))


@pytest.mark.parametrize("transform", [sg.jacfwd, sg.jacrev])
def test_holomorphic_jacobians(transform: Any) -> None:
    found = transform(lambda z: np.sin(z) @ W, holomorphic=True)(Z)
    np.testing.assert_allclose(found, (np.cos(Z)[:, None] * W).T)


def test_holomorphic_hessians() -> None:
    found = sg.hessian(lambda z: np.sum(z**3) + z[0] * z[1], holomorphic=True)(Z)
    expected = np.diag(6 * Z)
    expected[0, 1] = expected[1, 0] = 1
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("transform", [sg.jacfwd, sg.jacrev])
def test_jacobians_from_and_to_complex_numbers(transform: Any) -> None:
    def down(z: Any) -> Any:
        return np.abs(z) ** 2 * np.real(z[::-1])

    found = transform(down)(Z)
    for k in range(3):
        slopes = measured(lambda z, k=k: down(z)[k], Z)
        np.testing.assert_allclose(found[k], slopes, rtol=1e-6, atol=1e-7)
    up = transform(lambda x: np.exp(1j * x) * x)(X)
    np.testing.assert_allclose(up, np.diag((1 + 1j * X) * np.exp(1j * X)), atol=1e-15)
    number = transform(lambda x: np.exp(1j * x))(0.5)
    np.testing.assert_allclose(number, 1j * np.exp(0.5j))


# ------------------------------------------------------------------------------------ numbers
def test_pythons_complex_numbers_take_numpys_floats() -> None:
    for f in (
        lambda a: 1j * a, lambda a: 1j + a, lambda a: 1j - a, lambda a: 1j / a,
        lambda a: 1j**a, lambda a: a * 1j, lambda a: (1j * a) * np.float32(2),
    ):  # fmt: skip
        for a in (np.float64(3.0), np.float32(3.0), np.array(3.0)):
            got, expected = sg.compile(f)(a), f(a)
            assert type(got) is type(expected)
            assert got == expected


# ------------------------------------------------------------------------------------- misuse
def test_holomorphic_functions_are_of_and_to_complex_numbers() -> None:
    with pytest.raises(InputTypeError, match=r"convert with astype\(complex\)"):
        sg.grad(np.sin, holomorphic=True)(2.0)
    with pytest.raises(
        NonScalarOutputError, match="holomorphic=True needs a complex result"
    ):
        sg.grad(np.abs, holomorphic=True)(1j)
    with pytest.raises(NonScalarOutputError, match="or pass holomorphic=True"):
        sg.grad(np.sin)(1j)
    with pytest.raises(NonScalarOutputError, match="complex results with holomorphic=True"):
        sg.jacrev(np.abs, holomorphic=True)(Z)


@pytest.mark.parametrize("transform", [sg.jacfwd, sg.jacrev, sg.hessian])
def test_complex_by_complex_is_refused(transform: Any) -> None:
    with pytest.raises(NonScalarOutputError, match="only if it is holomorphic"):
        transform(power if transform is sg.hessian else np.conj)(Z)


def test_sparse_jacobians_are_real() -> None:
    pytest.importorskip("scipy")
    with pytest.raises(InputTypeError, match="sparse Jacobians are of real numbers"):
        sg.jacfwd(np.abs, sparse=True)(Z)
    with pytest.raises(CallError, match="holomorphic=True or sparse=True"):
        sg.jacfwd(np.sin, sparse=True, holomorphic=True)
