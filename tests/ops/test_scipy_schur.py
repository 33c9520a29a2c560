"""``scipy.linalg.schur`` of real and complex matrices, with blocks and without."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError
from symgrad.testing import check_grads

from .building import surface, value
from .calls import call, check

linalg = pytest.importorskip("scipy.linalg")

REAL = np.array([[1.0, 0.4, -0.7], [0.1, 2.5, 0.3], [0.2, -0.1, -1.0]])
TURNING = np.array([[0.5, 1.4, -0.7], [-1.1, 0.4, 0.3], [0.2, -0.1, -1.0]])


@pytest.mark.parametrize("a", [REAL, TURNING], ids=["real eigenvalues", "a pair"])
def test_real_form(a: np.ndarray) -> None:
    check(call(linalg.schur, a))


WEIGHTS = np.arange(9.0).reshape(3, 3)


def size(real, imaginary):  # type: ignore[no-untyped-def]
    form, vectors = linalg.schur(real + 1j * imaginary)
    return np.sum(np.abs(form) * WEIGHTS) + np.sum(np.abs(vectors) * WEIGHTS.T)


def size_of_real(a):  # type: ignore[no-untyped-def]
    form, vectors = linalg.schur(a, output="complex")
    return np.sum(np.abs(form) * WEIGHTS) + np.sum(np.abs(vectors) * WEIGHTS.T)


@pytest.mark.parametrize("a", [REAL, TURNING])
def test_complex_form_up_to_phases(a: np.ndarray) -> None:
    check_grads(size_of_real, (a,), order=2, atol=1e-4, rtol=1e-4)
    check_grads(size, (a, REAL @ TURNING), order=2, atol=1e-4, rtol=1e-4)


def test_many_matrices() -> None:
    both = np.stack([REAL, TURNING])
    got = sg.vmap(linalg.schur)(both)
    for i in range(2):
        for x, y in zip(got, linalg.schur(both[i]), strict=True):
            np.testing.assert_array_equal(x[i], y)


def test_what_mathematics_forbids_is_an_error() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        sg.grad(lambda a: linalg.schur(a)[1][0, 0])(np.eye(3))
    with pytest.raises(UnsupportedFunctionError, match="`sort=`"):
        value(lambda a: surface(linalg.schur)(a, sort="lhp"), REAL)
