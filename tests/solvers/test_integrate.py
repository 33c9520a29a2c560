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


def grown_short(k):
    return integrate.odeint(rise, np.ones(1), TIMES[:2], (k,), rtol=1e-10, atol=1e-10)[
        -1, 0
    ]


def rise(y, t, k):
    return k * y


@pytest.mark.parametrize("function", [grown_short, sg.compile(grown_short)])
def test_second_derivatives_are_checked_as_those_of_any_function(function) -> None:
    check_grads(function, (1.3,), modes=("rev",), rtol=1e-5, atol=1e-5)


def test_a_third_derivative() -> None:
    third = sg.grad(sg.grad(sg.grad(grown_short)))(1.3)
    np.testing.assert_allclose(third, 0.7**3 * np.exp(1.3 * 0.7), rtol=1e-7)


def seconds(k):
    (first,) = sg.autograd.grad(grown_short(k), (k,))
    return sg.autograd.grad(first, (k,))[0]


def test_higher_orders_are_for_nested_transforms() -> None:
    with pytest.raises(DoubleBackwardError, match="nest `grad` in place of"):
        sg.compile(seconds)(1.3)


def own_steps(y0, k, end):
    found = integrate.solve_ivp(
        pendulum, (0.1, end), y0, "DOP853", args=(k, 0.1), rtol=1e-8, max_step=0.4
    )
    assert found.success
    return found.t, found.y


def at_the_end(y0, k, end):
    times, states = own_steps(y0, k, end)
    return times[-1] + states[0, -1] + 2 * states[1, -1]


def test_the_steps_of_the_solver() -> None:
    args = (START, np.array([1.3, 0.2]), 0.9)
    for got, expected in zip(sg.compile(own_steps)(*args), own_steps(*args), strict=True):
        np.testing.assert_array_equal(got, expected)
    by_k, by_end = sg.grad(at_the_end, (1, 2))(*args)
    step = 1e-4
    by_step = at_the_end(START, args[1], 0.9 + step) - at_the_end(
        START, args[1], 0.9 - step
    )
    np.testing.assert_allclose(by_end, by_step / (2 * step), rtol=1e-5)
    _, along = sg.jvp(at_the_end, args, (np.zeros(2), np.ones(2), 1.0))
    np.testing.assert_allclose(along, np.sum(by_k) + by_end, rtol=1e-5)


def beyond(y0):
    return integrate.solve_ivp(
        pendulum, (0, 2.0), y0, t_eval=[0, 0.7], args=([1.3, 0.2], 0.1)
    ).y


def test_it_is_solved_beyond_the_last_time_as_scipy_does() -> None:
    np.testing.assert_array_equal(sg.compile(beyond)(START), beyond(START))
    by_start = sg.jacrev(beyond)(START)
    np.testing.assert_allclose(by_start[:, 0], np.eye(2))
    np.testing.assert_allclose(by_start, sg.jacfwd(beyond)(START), rtol=1e-2)


def test_several_arguments_and_lists_of_slopes() -> None:
    def height(y0, k, c):
        return np.sum(swung(y0, k, c)[1] * WEIGHTS[:2])

    args = (START, np.array([1.3, 0.2]), 0.1)
    check_grads(height, args, order=1, modes=("rev",), rtol=1e-5, atol=1e-5)


def solved_with(y, options):
    return integrate.solve_ivp(pendulum, (0, 1), y, **options).y


def test_refusals() -> None:
    for name, given in (("events", pendulum), ("dense_output", True), ("first_step", 0.1)):
        with pytest.raises(UnsupportedFunctionError) as caught:
            sg.compile(solved_with)(START, {name: given})
        assert f"is not supported with `{name}=`; leave it out" in caught.value.message
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
