"""``scipy.linalg`` with options, general eigenvalue problems, factors of matrices that are not
square; ``scipy.signal``."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

from .building import surface, value
from .calls import Call, call, check, check_derivatives

linalg = pytest.importorskip("scipy.linalg")
signal = pytest.importorskip("scipy.signal")

from .samples_linalg import SPD, TALL, A, Q, V, W  # noqa: E402
from .samples_scipy import GENTLE  # noqa: E402

P = np.array([0.7, -1.2, 2.4, 0.5])
DOMINANT = np.array([9.7, -1.2, 2.4])
KINDS = ("diagonal", "tridiagonal", "banded", "upper triangular", "her")
CALLS = [
    *(call(linalg.solve, SPD, V, assume_a=kind) for kind in KINDS),
    call(linalg.inv, SPD, assume_a="pos"), call(linalg.inv, Q, False, False),
    call(linalg.inv, Q, assume_a="lower triangular"), call(linalg.det, Q, False, True),
    call(linalg.eigvalsh, W + W.T, SPD), call(linalg.eigh, W, SPD, lower=False),
    call(linalg.eigh, SPD, driver="ev", eigvals_only=True), call(linalg.eig, W, right=False),
    call(linalg.lu, TALL), call(linalg.lu, A), call(linalg.lu, TALL, permute_l=True),
    call(linalg.qr, TALL, pivoting=True, mode="economic"), call(linalg.qr, Q, pivoting=True),
    call(linalg.fractional_matrix_power, W, 2), call(linalg.eigh, W, SPD),
    call(linalg.pinv, TALL, rtol=1e-3), call(linalg.pinv, TALL, return_rank=True),
    *(call(linalg.eigh, W + W.T, SPD, type=n) for n in (2, 3)),
    call(linalg.eigvalsh, W + W.T, SPD, type=2, subset_by_index=[1, 2]),
    call(linalg.eigh, SPD, subset_by_index=[0, 1]),
    call(linalg.eigh, SPD, subset_by_value=(0.5, 100.0), eigvals_only=True),
    call(linalg.solve_triangular, np.stack([SPD, 2 * SPD]), np.stack([Q, Q**2])),
    call(linalg.solve_triangular, np.stack([SPD, 2 * SPD]), Q, trans=1, lower=True),
    call(linalg.block_diag, np.stack([Q, Q**2]), np.stack([V[np.newaxis], W[:1]])),
]  # fmt: skip


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


BANDS = np.array([[0.3, -0.4 + 0.2j, 0.7j, 0.2], [3.1 + 1j, 2.8, 4.1, 3.3 - 1j]])


@pytest.mark.parametrize("lower", [False, True])
def test_the_imaginary_part_of_the_diagonal_is_not_read(lower: bool) -> None:
    def solved(ab):  # type: ignore[no-untyped-def]
        return linalg.solveh_banded(ab, P, lower=lower)

    def total(ab):  # type: ignore[no-untyped-def]
        return np.sum(np.real(solved(ab)) * P + np.imag(solved(ab)))

    bands = BANDS[::-1].copy() if lower else BANDS
    np.testing.assert_allclose(sg.compile(solved)(bands), solved(bands))
    gradient = sg.grad(total)(bands)
    np.testing.assert_array_equal(gradient[0 if lower else 1].imag, 0)
    step = 1e-6 * (A[0, 0] + 1j) * np.ones((2, 4))
    by_step = (total(bands + step) - total(bands - step)) / 2
    np.testing.assert_allclose(
        np.sum(np.real(np.conj(gradient) * step)), by_step, rtol=1e-6
    )


def raised(a, power):  # type: ignore[no-untyped-def]
    return np.sum(np.real(linalg.fractional_matrix_power(a, power)) * W)


def test_the_power_of_a_matrix_has_a_derivative() -> None:
    check_grads(raised, (GENTLE, 0.3), order=2)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution(mode: str) -> None:
    for target in (signal.convolve, signal.correlate):
        check(call(target, P, DOMINANT, mode))
        check(call(target, DOMINANT, P, mode))  # the longer one may come second
        check(call(target, Q, A[:, :2].copy(), mode))


def test_convolution_of_complex_numbers() -> None:
    z = P + 1j * P[::-1]
    for target in (signal.convolve, signal.correlate):
        np.testing.assert_array_equal(value(surface(target), P, z), target(P, z))
        check_derivatives(surface(target), P, z)


def several(x, y):  # type: ignore[no-untyped-def]
    return signal.convolve(x, y, "same", "fft"), signal.correlate(x, y, method="direct")


def test_convolution_is_scipys_to_the_last_bit() -> None:
    for got, expected in zip(sg.compile(several)(Q, W), several(Q, W), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_what_hangs_on_the_way_of_lapack_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="subset of vectors"):
        value(lambda a, b: surface(linalg.eigh)(a, b, subset_by_index=[0, 1]), W, SPD)
    with pytest.raises(NotImplementedError, match="leave `atol=` out"):
        value(lambda a: surface(linalg.pinv)(a, atol=1e-3), W)
