"""What is returned where the derivative is not unique, or hidden behind a mask."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import special

import symgrad as sg

from .building import gradient, surface, total

F = sg.nn.functional
INF, NAN = np.inf, np.nan


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """NumPy's warnings about values that are masked are not the point here."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def arr(*x: float) -> Any:
    return np.array(x, float)


ONE = {
    "abs at 0": (surface(np.abs), arr(-2, 0, -0.0, 3), arr(-1, 0, 0, 1)),
    "sqrt at 0": (surface(np.sqrt), arr(0, 4), arr(INF, 0.25)),
    "sqrt(x)**2 at 0": (lambda x: surface(np.sqrt)(x) ** 2, arr(0, 4), arr(1, 1)),
    "norm at 0": (lambda x: surface(np.sqrt)(surface(np.sum)(x**2)), arr(0, 0), arr(0, 0)),
    "norm squared": (lambda x: surface(np.sum)(x * x) ** 0.5, arr(3, 4), arr(0.6, 0.8)),
    "var**0.5": (lambda x: surface(np.var)(x) ** 0.5, arr(2, 2), arr(0, 0)),
    "sqrt(1 + x**2)": (lambda x: surface(np.sqrt)(1 + x**2), arr(0, 0), arr(0, 0)),
    "sqrt(x**2)": (lambda x: surface(np.sqrt)(x**2), arr(-2, 0), arr(-1, 0)),
    "maximum of itself": (lambda x: surface(np.maximum)(x, x), arr(1, 2), arr(1, 1)),
    "maximum with 0": (lambda x: surface(np.maximum)(x, 0), arr(-1, 0, 2), arr(0, 0.5, 1)),
    "minimum with 0": (lambda x: surface(np.minimum)(x, 0), arr(-1, 0, 2), arr(1, 0.5, 0)),
    "clip on a bound": (
        lambda x: surface(np.clip)(x, 0, 1), arr(-1, 0, 0.5, 1, 2), arr(0, 1, 1, 1, 0),
    ),
    "max shared": (lambda x: surface(np.max)(x), arr(1, 3, 3, 2), arr(0, 0.5, 0.5, 0)),
    "min shared": (lambda x: surface(np.min)(x), arr(1, 3, 1, 2), arr(0.5, 0, 0.5, 0)),
    "x**0 at 0": (lambda x: x**0, arr(0, 2), arr(0, 0)),
    "x**1 at 0": (lambda x: x**1, arr(0, 2), arr(1, 1)),
    "x**2 of negative": (lambda x: x**2, arr(0, -3), arr(0, -6)),
    "x**3 of negative": (lambda x: x**3, arr(0, -3), arr(0, 27)),
    "x**0.5 at 0": (lambda x: x**0.5, arr(0, 4), arr(INF, 0.25)),
    "2.0**x": (lambda x: 2.0**x, arr(0, 1), math.log(2) * arr(1, 2)),
    "0**x": (lambda x: 0.0**x, arr(1, 2), arr(0, 0)),
    "prod, one zero": (lambda x: surface(np.prod)(x), arr(4, 0, 5), arr(0, 20, 0)),
    "prod, two zeros": (lambda x: surface(np.prod)(x), arr(4, 0, 0), arr(0, 0, 0)),
    "cumprod, zeros": (
        lambda x: surface(np.cumprod)(x) * arr(1, 10, 100, 1000), arr(3, 0, 0, 2),
        arr(1, 30, 0, 0),
    ),
    "std of equals": (lambda x: surface(np.std)(x), arr(2, 2, 2), arr(0, 0, 0)),
    "floor": (surface(np.floor), arr(0.5, 1), arr(0, 0)),
    "sign": (surface(np.sign), arr(-1, 0), arr(0, 0)),
    "x // 2": (lambda x: x // 2, arr(0.5, 4), arr(0, 0)),
    "x % 2": (lambda x: x % 2, arr(0.5, -3.5), arr(1, 1)),
    "7 % x": (lambda x: surface(np.remainder)(7.0, x), arr(2, -2), arr(-3, 4)),
    "fmod(7, x)": (lambda x: surface(np.fmod)(7.0, x), arr(2, -2), arr(-3, 3)),
    "fmax and nan": (lambda x: surface(np.fmax)(x, arr(1, NAN, 0)), arr(NAN, 2, 0), arr(0, 1, 0.5)),
    "hypot at 0": (lambda x: surface(np.hypot)(x, 0.0), arr(0, -2), arr(0, -1)),
    "arctan2 at 0": (lambda x: surface(np.arctan2)(x, 0.0), arr(0, 2), arr(0, 0)),
    "arctan2 on an axis": (lambda x: surface(np.arctan2)(x, -2.0), arr(0), arr(-0.5)),
    "arctan2 of tiny": (lambda x: surface(np.arctan2)(x, 1e-200), arr(0), arr(1e200)),
    "logaddexp at -inf": (
        lambda x: surface(np.logaddexp)(x, arr(0, -INF, -INF)), arr(-INF, -INF, 1), arr(0, 0.5, 1),
    ),
    "logaddexp far out": (lambda x: surface(np.logaddexp)(0, x), arr(-1e4, 1e4), arr(0, 1)),
    "nan_to_num": (surface(np.nan_to_num), arr(NAN, 1, INF), arr(0, 1, 0)),
    "nansum": (lambda x: surface(np.nansum)(x), arr(NAN, 1), arr(0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_gradient(name: str) -> None:
    function, x, expected = ONE[name]
    np.testing.assert_allclose(gradient(total(function), x), expected, rtol=1e-12)


def test_ties_between_two_arrays_are_halved() -> None:
    x, y = arr(1, 2, 3), arr(3, 2, 1)
    g_x, g_y = gradient(total(surface(np.maximum)), x, y, wrt=(0, 1))
    np.testing.assert_array_equal(g_x, [0, 0.5, 1])
    np.testing.assert_array_equal(g_y, [1, 0.5, 0])


def test_clipped_goes_to_the_active_bound() -> None:
    x, low, high = arr(-1, 0, 0.5, 1, 2), np.zeros(5), np.ones(5)
    found = gradient(total(surface(np.clip)), x, low, high, wrt=(0, 1, 2))
    np.testing.assert_array_equal(
        found, [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    )


def test_power_by_exponent_never_takes_the_logarithm_of_what_is_not_positive() -> None:
    x, y = arr(0, -2, 3), arr(2, 3, 2)
    found = gradient(total(lambda x, y: x**y), x, y, wrt=(1,))
    np.testing.assert_allclose(found, [0, 0, 9 * np.log(3)])


def test_power_with_exponents_given_at_run_time() -> None:
    x, y = arr(0, 0, 0, -2), arr(0, 1, 2, 3)
    found = gradient(total(lambda x, y: x**y), x, y)
    np.testing.assert_array_equal(found, [0, 1, 0, 12])


def test_abs_of_complex_zero() -> None:
    found = gradient(total(surface(np.abs)), np.array([0j, 3 + 4j]))
    np.testing.assert_allclose(found, [0, 0.6 + 0.8j])


def test_gradient_of_a_real_function_of_a_complex_number_points_up() -> None:
    z = np.array([1 + 2j])
    found = gradient(total(lambda z: surface(np.real)(z * surface(np.conj)(z))), z)
    np.testing.assert_allclose(found, 2 * z)


# ---------------------------------------------------------------------- masks come last
where, sqrt, log, exp = map(surface, (np.where, np.sqrt, np.log, np.exp))
MASKED = {
    "sqrt of negative": (lambda x: where(x > 1, 2 * x, sqrt(1 - x)), arr(3, 0), arr(2, -0.5)),
    "log of zero": (lambda x: where(x > 0, log(x), 0.0), arr(0, 2), arr(0, 0.5)),
    "quotient": (lambda x: where(x > 0, 3.0 / x, 0.0) * arr(5, 7), arr(0, 1), arr(0, -21)),
    "chain": (lambda x: where(x > 0, sqrt(log(x) ** 2 + 1 / x), 0), arr(0, 1), arr(0, -0.5)),
    "overflow": (lambda x: where(x < 10, exp(x), 0), arr(1e4, 0), arr(0, 1)),
    "nan in the data": (
        lambda x: where(np.isnan(arr(NAN, 1)), 0, (x - arr(NAN, 1)) ** 2), arr(1, 3), arr(0, 4),
    ),
    "behind maximum": (lambda x: sqrt(surface(np.maximum)(x, 0)), arr(-1, 4), arr(0, 0.25)),
    "behind clip": (lambda x: sqrt(surface(np.clip)(x, 0, 9)), arr(-1, 4), arr(0, 0.25)),
}  # fmt: skip


@pytest.mark.parametrize("name", MASKED)
def test_unselected_is_a_hard_zero(name: str) -> None:
    function, x, expected = MASKED[name]
    np.testing.assert_allclose(gradient(total(function), x), expected, rtol=1e-12)


# ------------------------------------------------------------------------ Python numbers
PYTHON = {
    "sqrt": (surface(math.sqrt), 0.0, INF),
    "asin": (surface(math.asin), 1.0, INF),
    "x**0.5": (lambda x: x**0.5, 0.0, INF),
    "sqrt(x)**2": (lambda x: surface(math.sqrt)(x) ** 2, 0.0, 1.0),
    "sqrt(x * x)": (lambda x: surface(math.sqrt)(x * x), 0.0, 0.0),
    "x**2": (lambda x: x**2, 0.0, 0.0),
    "atan far out": (surface(math.atan), 1e200, 0.0),
    "abs": (surface(abs), 0.0, 0.0),
    "max": (lambda x: surface(max)(x, 0.0), 0.0, 0.5),
    "hypot": (lambda x: surface(math.hypot)(x, 0.0), 0.0, 0.0),
    "log": (lambda x: surface(math.log)(x, 2), 4.0, 0.25 / math.log(2)),
}


@pytest.mark.parametrize("name", PYTHON)
def test_python_numbers_do_not_raise(name: str) -> None:
    function, x, expected = PYTHON[name]
    found = gradient(function, x)
    assert type(found) is float
    assert found == pytest.approx(expected)


def test_counts_do_not_overflow_in_float16() -> None:
    x = np.ones(70_000, np.float16)
    for function in (np.max, np.mean):
        found = gradient(lambda x, f=function: surface(f)(x) * 65504, x)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found, 65504 / 70_000, rtol=1e-2)


def test_the_square_of_a_root_is_smooth_in_forward_mode_too() -> None:
    x, t = np.array([0.0, 4.0]), np.array([1.0, 2.0])
    for square in (lambda x: np.sqrt(x) ** 2, lambda x: (x**0.5) ** 2):
        np.testing.assert_array_equal(sg.jvp(square, (x,), (t,))[1], t)


def test_a_quotient_keeps_the_shape_of_what_it_was_divided_by() -> None:
    v = np.array([1.0, 2.0, 3.0])
    moved = sg.jvp(lambda s: s / v * v, (np.float64(2.0),), (np.float64(1.0),))[1]
    np.testing.assert_array_equal(moved, np.ones(3))


@pytest.mark.parametrize("x", [1e200, -1e200, 1e-200, 0.0, 800.0])
def test_the_slope_of_arcsinh_is_exact_where_the_square_overflows(x: float) -> None:
    for derivative in (sg.grad, sg.jacfwd):
        assert derivative(lambda x: np.arcsinh(x))(x) == pytest.approx(
            1 / np.hypot(x, 1), rel=1e-15, abs=0
        )


def test_the_slope_of_arcsinh_of_a_complex_number() -> None:
    z = 0.3 + 0.2j
    found = sg.grad(lambda z: np.arcsinh(z), holomorphic=True)(z)
    assert found == pytest.approx(1 / np.sqrt(1 + z * z))


Z = arr(0, 4)
SMOOTH = {
    "root times itself": (lambda x: np.sqrt(x) * np.sqrt(x), arr(1, 1), arr(0, 0)),
    "root to the third": (lambda x: np.sqrt(x) ** 3, arr(0, 3), None),
    "root to the fourth": (lambda x: np.sqrt(x) ** 4, arr(0, 8), arr(2, 2)),
    "three times a root squared": (lambda x: 3 * np.sqrt(x) * np.sqrt(x), arr(3, 3), arr(0, 0)),
    "x times its root": (lambda x: x * np.sqrt(x), arr(0, 3), None),
    "power 0.5": (lambda x: x**0.5 * x**0.5, arr(1, 1), arr(0, 0)),
    "cube of a cube root": (lambda x: np.cbrt(x) ** 3, arr(1, 1), arr(0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_powers_of_roots_are_smooth(name: str) -> None:
    function, first, second = SMOOTH[name]
    for derivative in (sg.jacrev, sg.jacfwd):
        np.testing.assert_allclose(derivative(function)(Z), np.diag(first), rtol=1e-14)
    moved = sg.jvp(function, (Z,), (np.ones(2),))[1]
    np.testing.assert_allclose(moved, first, rtol=1e-14)
    if second is not None:
        found = sg.hessian(lambda x: np.sum(function(x)))(Z)
        np.testing.assert_allclose(found, np.diag(second), atol=1e-14)


NORMS: dict[str, Callable[[Any], Any]] = {
    "norm": np.linalg.norm,
    "of a complex vector": lambda x: np.linalg.norm(x * 1j),
    "root of a sum of squares": lambda x: np.sqrt(np.sum(x * x)),
    "root of x @ x": lambda x: np.sqrt(x @ x),
    "root of two squares": lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2),
    "root of sizes": lambda x: np.sqrt(np.sum((np.conj(1j * x) * (1j * x)).real)),
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "math.hypot": lambda x: math.hypot(x[0], x[1], 0.0),
    "math.dist": lambda x: math.dist(x, np.zeros(2)),
    "std": lambda x: np.std(np.concatenate((x, -x))) * 2**0.5,
    "nanstd": lambda x: np.nanstd(np.concatenate((x, -x))) * 2**0.5,
}
ORDERS = tuple(itertools.product((sg.jacfwd, sg.jacrev), repeat=2))


@pytest.mark.parametrize("name", NORMS)
def test_squares_of_norms_are_smooth(name: str) -> None:
    def square(x: Any) -> Any:
        return NORMS[name](x) ** 2

    x = np.zeros(2)
    np.testing.assert_array_equal(sg.grad(square)(x), x)
    for outer, inner in ORDERS:
        np.testing.assert_allclose(outer(inner(square))(x), 2 * np.eye(2), rtol=1e-14)


@pytest.mark.parametrize("name", NORMS)
def test_second_derivatives_of_norms_at_the_kink_are_not_finite(name: str) -> None:
    """A slope of 0 is a convention, which says nothing about the next derivative: the
    second one of cos(norm(x)) is -1."""

    def smooth(x: Any) -> Any:
        return np.cos(NORMS[name](x))

    for function, orders in ((NORMS[name], ORDERS[:1]), (smooth, ORDERS)):
        for outer, inner in orders:
            found = outer(inner(function))(np.zeros(2))
            assert not np.any(np.isfinite(np.diagonal(found)))


SIZES = {
    "power": lambda x: np.sum(np.abs(x) ** 2),
    "square": lambda x: np.sum(np.square(np.abs(x))),
    "product": lambda x: np.sum(np.abs(x) * 1 * np.abs(x)),
    "fabs": lambda x: np.sum(np.fabs(x) ** 2),
    "of a complex number": lambda x: np.sum(np.abs(x * 1j) ** 2),
    "spectrum": lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2) / 2,
    "dot": lambda x: np.dot(np.abs(x), np.abs(x)),
    "einsum": lambda x: np.einsum("ij,ij->", np.abs(x[None]), np.abs(x[None])),
    "branch": lambda x: np.sum(np.where(np.abs(x) < 1, np.abs(x) ** 2, np.abs(x))),
}


@pytest.mark.parametrize("name", SIZES)
def test_squares_of_sizes_are_smooth(name: str) -> None:
    for outer, inner in itertools.product((sg.jacfwd, sg.jacrev), repeat=2):
        found = outer(inner(SIZES[name]))(np.zeros(2))
        np.testing.assert_allclose(found, 2 * np.eye(2), atol=1e-14)


def test_rows_of_zeros_leave_the_others_alone() -> None:
    """Of the second derivative, as of one that a tangent does not move."""
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    weights = np.array([1.0, 2.0])
    for function in (
        lambda x: np.sum(np.linalg.norm(x, axis=1)),
        lambda x: np.sum(np.sqrt(np.sum(x**2 * weights, axis=1))),
        lambda x: np.sum(np.std(np.concatenate((x, -x), axis=1), axis=1)),
    ):
        found = sg.hessian(function)(x)
        alone = sg.hessian(lambda x, of=function: of(x[1:]))(x)
        np.testing.assert_allclose(found[1], alone[1], rtol=1e-14)
        np.testing.assert_array_equal(found[0, :, 1], 0)


def test_what_is_at_the_kink_of_hypot_and_does_not_move_counts_for_nothing() -> None:
    def moved(x: Any) -> Any:
        return sg.jvp(sg.grad(lambda x: np.sum(np.hypot(x, 0 * x))), (x,), (x,))[1]

    np.testing.assert_array_equal(moved(np.array([0.0, 2.0])), [0, 0])


def test_the_square_of_a_standard_deviation_is_smooth() -> None:
    x = np.full(3, 7.0)
    expected = 2 / 3 * (np.eye(3) - 1 / 3)
    for function in (lambda x: np.std(x) ** 2, lambda x: np.var(x) ** 0.5 * np.std(x)):
        np.testing.assert_array_equal(sg.grad(function)(x), 0 * x)
    np.testing.assert_allclose(
        sg.hessian(lambda x: np.std(x) ** 2)(x), expected, atol=1e-15
    )


@pytest.mark.parametrize(
    "product", [np.dot, np.inner, np.vdot, np.matmul, lambda x, y: np.einsum("i,i->", x, y)]
)
def test_the_root_of_a_product_with_itself_is_a_norm(product: Any) -> None:
    for x in (np.zeros(3), np.array([3.0, 0.0, 4.0])):
        found = sg.grad(lambda x: np.sqrt(product(x, x)))(x)
        np.testing.assert_allclose(found, x / 5, rtol=1e-15)


STEEP = {
    "sqrt": (np.sqrt, 0.0, INF), "cbrt": (np.cbrt, 0.0, INF), "arcsin": (np.arcsin, 1.0, INF),
    "arccos": (np.arccos, 1.0, -INF), "arccosh": (np.arccosh, 1.0, INF),
    "power": (lambda x: x**0.3, 0.0, INF), "half": (lambda x: x**0.5, 0.0, INF),
}  # fmt: skip


@pytest.mark.parametrize("name", STEEP)
def test_what_does_not_move_has_no_tangent_even_where_the_slope_is_infinite(
    name: str,
) -> None:
    function, at, slope = STEEP[name]
    moved = sg.jvp(function, (np.array([at, at]),), (np.array([0.0, 1.0]),))[1]
    np.testing.assert_array_equal(moved, [0, slope])
    again = sg.jvp(
        lambda x: sg.jvp(function, (x,), (np.zeros(2),))[1],
        (np.full(2, at),),
        (np.zeros(2),),
    )[1]
    np.testing.assert_array_equal(again, [0, 0])


@pytest.mark.parametrize("slopes", [sg.grad, sg.jacfwd])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.exp(np.logaddexp(x, arr(-INF, 2, -INF)))),
        lambda x: np.exp(np.logaddexp.reduce(x)),
        lambda x: np.sum(np.exp2(np.logaddexp2.accumulate(x))),
    ],
)
def test_probabilities_of_0_are_taken_as_logarithms_without_a_warning(
    function: Any, slopes: Any
) -> None:
    x = arr(-INF, -INF, 1)
    with np.errstate(all="raise"):
        found = slopes(function)(x)
    assert found[:2].tolist() == [0, 0]
    assert np.isfinite(found).all()


def test_what_is_nowhere_probable_is_shared() -> None:
    x = arr(-INF, -INF, -INF, -INF)
    assert sg.grad(np.logaddexp.reduce)(x).tolist() == [0.25] * 4


@pytest.mark.parametrize("outer", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("inner", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("order", [0.5, 1.2, 1.5])
def test_norms_of_low_order_are_level_in_an_entry_that_is_zero(
    order: float, inner: Any, outer: Any
) -> None:
    """And right in the others, whose second derivatives are finite."""
    found = outer(inner(lambda x: np.linalg.norm(x, order)))(np.array([0.0, 2.0, 3.0]))
    others = outer(inner(lambda x: np.linalg.norm(x, order)))(np.array([2.0, 3.0]))
    np.testing.assert_allclose(found[1:, 1:], others, rtol=1e-12)
    assert not np.any(found[0]) and not np.any(found[:, 0])


@pytest.mark.parametrize(
    ("function", "x", "y", "mixed"),
    [
        (np.logaddexp, 1.0, 1.0, -0.25),
        (np.logaddexp2, 2.0, 2.0, -0.25 * np.log(2)),
        (np.logaddexp, -INF, -INF, 0),
        (np.power, 2.0, 0.0, 0.5),
        (np.float_power, 4.0, 0.0, 0.25),
        (np.power, 0.0, 0.0, 0),
        (special.xlogy, 0.0, 2.0, 0.5),
        (special.xlog1py, 0.0, 1.0, 0.5),
        (special.xlogy, 0.0, 0.0, INF),
        (special.xlog1py, 0.0, -1.0, INF),
    ],
)
def test_slopes_that_are_special_at_a_point_have_slopes_there(
    function: Any, x: float, y: float, mixed: float
) -> None:
    """What a rule writes instead of 0 / 0 or inf - inf is for that alone."""

    def summed(x: Any, y: Any) -> Any:
        return np.sum(function(x, y))

    at = arr(x), arr(y)
    for outer in (sg.jacfwd, sg.jacrev):
        found = outer(sg.grad(summed, 1), 0)(*at)
        np.testing.assert_allclose(found, [[mixed]], rtol=1e-12)
    if mixed:
        np.testing.assert_allclose(
            sg.jacfwd(sg.grad(summed, 0), 1)(*at), [[mixed]], rtol=1e-12
        )


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (lambda x: np.tanh(x[0]), 18.0, 8.9e-16),
        (lambda x: np.tanh(x[0]), 20.0, 0),
        (lambda x: F.gelu(x[0], "tanh"), -9.0, 0),
        (lambda x: special.softmax(x)[0], 40.0, 0),
        (lambda x: special.log_softmax(x)[0], 40.0, 0),
        (lambda x: F.softmax(x)[0], 40.0, 0),
        (lambda x: F.log_softmax(x)[0], 40.0, 0),
        (lambda x: 1e9 * sg.grad(np.linalg.norm)(x)[0], 1e9, 0),
    ],
)
def test_slopes_that_are_differences_from_one_are_right_to_its_last_bit(
    function: Any, x: float, expected: float
) -> None:
    """As the entries' lines say: absolutely, so 0 where the true slope is less than that."""
    at = np.array([x, 0.0, -1.0])
    forward = sg.jvp(function, (at,), (np.eye(3)[0],))[1]
    for found in (sg.grad(function)(at)[0], forward):
        assert abs(found - expected) <= 2e-16
