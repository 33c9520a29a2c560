"""Roots and fixed points: SciPy's values, derivatives by the implicit function theorem."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError
from symgrad.testing import check_grads

optimize = pytest.importorskip("scipy.optimize")

A = np.array([0.5, 0.8])


def cosine(x, a):
    return a * np.cos(x)


def system(x, a, b):
    return [x[0] + a * x[1] - b, x[1] ** 3 + x[0] - a]


def fixed(a):
    return optimize.fixed_point(cosine, np.ones(2), (a,), xtol=1e-13)


def solved(a, b):
    return optimize.root(system, [1.0, 1.0], (a, b), tol=1e-12).x


def test_values_are_scipys() -> None:
    np.testing.assert_array_equal(sg.compile(fixed)(A), fixed(A))
    np.testing.assert_array_equal(sg.compile(solved)(1.2, 0.7), solved(1.2, 0.7))


def test_derivatives_in_both_modes_and_twice() -> None:
    check_grads(lambda a: np.sum(fixed(a) ** 2), (A,), order=2)
    check_grads(lambda a, b: np.sum(np.sin(solved(a, b))), (1.2, 0.7), order=2)


def cube(x, a):
    return x**3 - a


def flat(x, a):
    return x - np.tanh(a)


def above(x, a):
    return x**2 + a


def test_a_third_derivative() -> None:
    def root(a):
        return optimize.root(cube, [1.0], (a,), tol=1e-13).x[0]

    third = sg.grad(sg.grad(sg.grad(root)))(2.0)
    np.testing.assert_allclose(third, 10 / 27 * 2.0 ** (-8 / 3), rtol=1e-8)


def test_the_start_has_no_gradient() -> None:
    def root(start, a):
        return np.sum(optimize.root(flat, start, (a,)).x)

    by_start, by_a = sg.grad(root, (0, 1))(np.zeros(2), A)
    np.testing.assert_array_equal(by_start, 0)
    np.testing.assert_allclose(by_a, 1 / np.cosh(A) ** 2)


def test_no_root_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="root: "):
        sg.compile(lambda a: optimize.root(above, 1.0, (a,)).x)(1.0)


def test_options_that_are_not_supported() -> None:
    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.compile(lambda a: optimize.root(cosine, A, (a,), jac=True).x)(A)
    assert "is not supported with `jac=`; leave it out" in caught.value.message
    assert caught.value.lineno is not None


def test_functions_that_exist_while_compiling_only() -> None:
    def solve(a):
        def inside(x):
            return x - a

        return optimize.root(inside, a).x

    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.compile(solve)(A)
    assert caught.value.message == (
        "SciPy's solver is not compiled; it would run as it is, but is given a function or an "
        "object that exists while compiling only: define that outside of what is compiled, and "
        "pass what it reads as arguments"
    )
    assert caught.value.lineno == solve.__code__.co_firstlineno + 4
