"""``scipy.linalg`` with options, general eigenvalue problems, factors of matrices that are not
square; ``scipy.signal``."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ShapeError
from symgrad.ir.expr import f
from symgrad.testing import check_grads

from .building import surface, value
from .calls import Call, call, check, check_derivatives

linalg = pytest.importorskip("scipy.linalg")
signal = pytest.importorskip("scipy.signal")

from .samples_linalg import SPD, TALL, A, Q, V, W  # noqa: E402
from .samples_scipy import GENTLE  # noqa: E402

P = np.array([0.7, -1.2, 2.4, 0.5])
DOMINANT = np.array([9.7, -1.2, 2.4])
STACKS = [np.stack([x, x[::-1] ** 2 + 0.3]) for x in (W, TALL, TALL.T)]
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
    *(call(linalg.eigh, W + W.T, SPD, type=n, subset_by_index=[0, 1]) for n in (1, 2, 3)),
    call(linalg.eigh, W, SPD, lower=False, subset_by_value=[-1.0, 0.1]),
    *(call(linalg.eigh, SPD, driver=d) for d in ("ev", "evd")),
    *(call(linalg.eigh, W + W.T, SPD, driver=d) for d in ("gv", "gvd", "gvx")),
    call(linalg.eig, W, left=True), call(linalg.eig, STACKS[0], left=True),
    call(linalg.eig, W, None, True, False),
    call(linalg.pinv, TALL, atol=0.9), call(linalg.pinv, Q, atol=0.9, rtol=0.5, return_rank=True),
    call(linalg.pinv, TALL, atol=0.0), call(linalg.pinvh, SPD, atol=9.0),
    *(call(linalg.lu, x) for x in STACKS), call(linalg.lu, STACKS[1], permute_l=True),
    call(linalg.lu, STACKS[2], p_indices=True), call(linalg.lu_factor, TALL),
    *(call(linalg.lu_factor, x) for x in (A, *STACKS)),
    call(linalg.block_diag, np.stack([Q, Q**2]), np.stack([V[np.newaxis], W[:1]])),
]  # fmt: skip


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


COMPLEX = [
    call(linalg.eig, Q, left=True), call(linalg.eigvals, W, Q),
    call(linalg.eig, W + W.T, SPD), call(linalg.eig, W + W.T, SPD, left=True),
]  # fmt: skip


@pytest.mark.parametrize("given", COMPLEX, ids=str)
def test_values_and_vectors_are_complex_also_where_scipys_are_real(given: Call) -> None:
    found, expected = (
        value(given.of(surface(given.target)), *given.arrays),
        given.of(given.target)(*given.arrays),
    )
    many = isinstance(expected, tuple)
    for x, y in zip(
        found if many else [found], expected if many else [expected], strict=True
    ):
        assert x.dtype == np.complex128
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
    check(given, same_value=False)


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


def test_functions_of_vectors_of_two_matrices_that_do_not_depend_on_phases() -> None:
    def sizes(a, b):  # type: ignore[no-untyped-def]
        values, left, right = surface(linalg.eig)(a, b, left=True)
        return values, f.absolute(left), f.absolute(right)

    check_derivatives(sizes, W, Q)
    check_derivatives(sizes, W + 0.5j, Q - 0.3j * W)


@pytest.mark.parametrize("driver", ["evr", "evx"])
def test_vectors_are_those_of_the_driver(driver: str) -> None:
    # signs may change from one matrix to the next, so there are no differences
    found = value(lambda a: surface(linalg.eigh)(a, driver=driver), SPD)
    for x, y in zip(found, linalg.eigh(SPD, driver=driver), strict=True):
        np.testing.assert_array_equal(x, y)


def test_systems_solved_by_stacks_of_factors() -> None:
    def solved(a, b, turned=0):  # type: ignore[no-untyped-def]
        return linalg.lu_solve(linalg.lu_factor(a), b, turned)

    args = (STACKS[0], STACKS[0] ** 2)
    np.testing.assert_allclose(sg.compile(solved)(*args), solved(*args))
    for turned in (0, 1):
        check_grads(lambda a, b, turned=turned: solved(a, b, turned), args, order=1)
    with pytest.raises(ShapeError, match="do not fit"):
        sg.compile(solved)(STACKS[0], STACKS[0][0])


def with_estimates(a):  # type: ignore[no-untyped-def]
    return linalg.logm(a, disp=False), linalg.sqrtm(a, disp=False)


@pytest.mark.filterwarnings("ignore:The `disp` argument is deprecated")
def test_how_wrong_functions_of_matrices_may_be() -> None:
    for got, expected in zip(
        sg.compile(with_estimates)(GENTLE), with_estimates(GENTLE), strict=True
    ):
        np.testing.assert_allclose(got[0], expected[0])
        np.testing.assert_allclose(got[1], expected[1], atol=1e-13)
