"""Initial value problems: SciPy's values, derivatives by adjoints and by sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import DoubleBackwardError, UnsupportedFunctionError
from symgrad.testing import check_grads

integrate = pytest.importorskip("scipy.integrate")

START = np.array([0.2, 0.4])
TIMES = np.array([0.0, 0.7, 1.5])
WEIGHTS = np.arange(6.0).reshape(3, 2) - 2


def logistic(y, t, k):
    return k * y * (1 - y) + 0.1 * np.cos(t)


def pendulum(t, y, k, c):
    return [y[1], -k[0] * np.sin(y[0]) - k[1] * y[1] + c]


def grown(y0, t, k):
    return integrate.odeint(logistic, y0, t, (k,), rtol=1e-11, atol=1e-11)


def swung(y0, k, c):
    found = integrate.solve_ivp(
        pendulum, (0.0, 1.5), y0, t_eval=TIMES[1:], args=(k, c), rtol=1e-9, atol=1e-11
    )
    return found.t, found.y


def total(y0, t, k):
    return np.sum(np.sin(grown(y0, t, k)) * WEIGHTS)


def test_values_are_scipys() -> None:
    np.testing.assert_array_equal(
        sg.compile(grown)(START, TIMES, 1.3), grown(START, TIMES, 1.3)
    )
    args = (START, np.array([1.3, 0.2]), 0.1)
    for got, expected in zip(sg.compile(swung)(*args), swung(*args), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-8)


def test_derivatives_by_start_times_and_arguments() -> None:
    check_grads(total, (START, TIMES, 1.3), order=1, rtol=1e-6, atol=1e-6)


def test_second_derivatives() -> None:
    def slope(k):
        return sg.grad(total, argnums=2)(START, TIMES, k)

    step = 1e-5
    expected = (slope(1.3 + step) - slope(1.3 - step)) / (2 * step)
    again = sg.grad(lambda k: sg.grad(total, argnums=2)(START, TIMES, k))(1.3)
    _, along = sg.jvp(lambda k: sg.grad(total, argnums=2)(START, TIMES, k), (1.3,), (1.0,))
    np.testing.assert_allclose([again, along], expected, rtol=1e-6)


def test_a_third_derivative_is_refused() -> None:
    def short(k):
        return integrate.odeint(logistic, START, TIMES[:2], (k,))[-1, 0]

    with pytest.raises(
        DoubleBackwardError, match="a first and a second derivative, no third"
    ):
        sg.grad(sg.grad(sg.grad(short)))(1.3)


def test_several_arguments_and_lists_of_slopes() -> None:
    def height(y0, k, c):
        return np.sum(swung(y0, k, c)[1] * WEIGHTS[:2])

    args = (START, np.array([1.3, 0.2]), 0.1)
    check_grads(height, args, order=1, modes=("rev",), rtol=1e-5, atol=1e-5)


def test_refusals() -> None:
    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.compile(lambda y: integrate.solve_ivp(pendulum, (0, 1), y).y)(START)
    assert "missing a required argument: 't_eval'" in caught.value.message
    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.compile(lambda y: integrate.odeint(logistic, y, TIMES, (1.0,), Dfun=logistic))(
            START
        )
    assert "is not supported with `Dfun=`; leave it out" in caught.value.message


def exploding(y, t):
    return y**2


def pole(t, y):
    return y**2


def test_no_solution_is_an_error() -> None:
    with pytest.raises(integrate.ODEintWarning, match="Excess work done"):
        sg.compile(lambda y: integrate.odeint(exploding, y, np.array([0.0, 2.0])))(
            START + 1
        )
    with pytest.raises(RuntimeError, match="solve_ivp: Required step size"):
        sg.compile(lambda y: integrate.solve_ivp(pole, (0, 2), y, t_eval=[1.0, 2.0]).y)(
            START + 1
        )
