"""Rarer forms of calls, on arrays that show what they mean: values and both modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError
from symgrad.testing import check_grads

A = np.array([[0.3, -1.2, 2.4, 0.9], [-0.7, 1.9, -2.2, 3.1], [1.3, 0.2, -0.4, 0.6]])
C = np.sin(np.arange(24.0) ** 2).reshape(2, 3, 4)
HOLES = np.where(A > 2, np.nan, A)
V = np.array([0.4, -1.3, 2.2, 0.7, 1.1])
W = np.array([1.0, 0.5, 2.0])
S = np.float64(0.7)
F = W.astype(np.float32)
MASK = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]], bool)


def written(function: Any, shape: Any, place: int = 2, kind: Any = float) -> Any:
    """A call whose argument at ``place`` is the array that it writes into, after ``axis``."""

    def call(*args: Any) -> Any:
        out = np.zeros(shape, kind)
        function(*args[:place], out, *args[place:])
        return out * 2.0

    return call


INNER = np.vectorize(lambda x, y: x @ y, signature="(n),(n)->()")
MATVEC = np.vectorize(lambda m, v: m @ v, signature="(m, n), (n) -> (m)")
SEVERAL = np.vectorize(lambda x, y: (x * y, x + y))
LINE = np.vectorize(lambda x, p: p[0] * x + p[1] ** 2, excluded={1, "p"})

REDUCTIONS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    # ``out`` by position, and what comes after it
    (written(lambda x, out: np.max(x, 0, out), 4, 1), (A,)),
    (written(lambda x, out: x.std(0, None, out, 1), 4, 1), (A,)),
    (written(lambda x, out: np.take(x, [2, 0], 1, out), (3, 2), 1), (A,)),
    (written(lambda x, out: np.concatenate([x, x**2], 0, out), (6, 4), 1), (A,)),
    (written(lambda x, out: np.dot(x, x.T, out), (3, 3), 1), (A,)),
    (lambda x: np.std(x, 0, None, None, 1), (A,)),
    (lambda x: x.max(0, None, True), (A,)),
    (lambda x: np.add.reduce(x, 0, None, None, True), (A,)),
    # a value to begin with
    (lambda x, s: np.sum(x, axis=1, initial=s), (A, S)),
    (lambda x, s: np.prod(x, axis=0, initial=s, where=x > 0), (A, S)),
    (lambda x, s: np.max(x, axis=1, initial=s), (A, S)),
    (lambda x, s: np.min(x, initial=s), (np.zeros(0), S)),
    (lambda x, s: np.max(x, axis=1, initial=s), (np.zeros((2, 0)), S)),
    (lambda x, s: np.nanmax(x, axis=0, initial=s), (HOLES, S)),
    (lambda x, s: np.nansum(x, axis=0, initial=s, where=MASK), (HOLES, S)),
    # of some entries
    (lambda x: np.mean(x, axis=1, where=MASK, dtype=float), (A,)),
    (lambda x: np.nanmean(x, axis=1, where=MASK), (HOLES,)),
    (lambda x: np.nanstd(x, axis=1, where=MASK, ddof=1), (HOLES,)),
    (lambda x: np.nanprod(x, axis=1, where=MASK), (HOLES,)),
    # about a given mean
    (lambda x, m: np.var(x, axis=1, mean=m[:, :1]), (A, A**2)),
    (lambda x, m: np.std(x, axis=1, mean=m, ddof=1, keepdims=True), (A, A[:, :1])),
    (lambda x, m: np.nanvar(x, axis=0, mean=m), (HOLES, A[:1])),
    # weights of some axes
    (lambda x, w: np.average(x, axis=(2, 0), weights=w), (C, C[:, 0].T ** 2)),
    (lambda x, w: np.average(x, axis=1, weights=w, returned=True)[1], (A, A[0] ** 2)),
    (lambda x: np.cumulative_sum(x, include_initial=True), (S,)),
    (lambda x: x.compress([True, False, True], axis=0), (A,)),
    (lambda x: x.compress(x > 0), (V,)),
    # axes in lists and in tuples of one, and of numbers
    (lambda x: np.average(x, axis=[0]), (A,)),
    (lambda x: np.add.accumulate(x, axis=(1,)), (A,)),
    (lambda x: np.maximum.accumulate(x, axis=(1,)), (A,)),
    (lambda x: np.cumsum(x, axis=0), (S,)),
    (lambda x: np.argmax(x, axis=-1) + np.argsort(x) + x * np.sum(range(3)), (S,)),
    (lambda x: np.subtract.reduce(x, -1) + np.hypot.reduce(x) + np.power.reduce(x), (S,)),
    # of one that has no entries left out, and of the axes that there are
    (lambda x: np.divide.reduce(x, axis=()), (A,)),
]


@pytest.mark.parametrize("number", range(len(REDUCTIONS)))
def test_reduction(number: int) -> None:
    check(*REDUCTIONS[number])


def check(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    got, expected = sg.compile(function)(*args), function(*args)
    assert type(got) is type(expected) and got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
    check_grads(lambda *x: np.sum(function(*x) ** 2), args, order=1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, initial=np.float64(0.3)),
        lambda x: np.max(x, initial=np.float64(0.3)),
        lambda x: np.std(x, dtype=float),
        lambda x: np.var(x, dtype=complex),
        lambda x: np.nanstd(x, dtype=float),
        lambda x: np.nanvar(x.astype(np.float16)),
        lambda x: np.cov(x, dtype=np.float32)[()],
    ],
)
def test_dtypes_of_reductions(function: Callable[..., Any]) -> None:
    got, expected = sg.compile(function)(F), function(F)
    assert got == expected and got.dtype == expected.dtype
    moved = sg.jvp(function, (F,), (F,))[1]
    assert moved.dtype == expected.dtype
    slope = sg.vjp(function, F)[1](np.ones((), expected.dtype)[()])[0]
    assert slope.dtype == F.dtype
    np.testing.assert_allclose(np.sum(slope * F), np.real(moved), rtol=1e-2)


FORMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    # arguments that all ufuncs have
    (lambda x: np.sin(x, order="C", subok=False), (A,)),
    (lambda x: np.add(np.array([1, 2]), 1, dtype=float) * x[0, 0], (A,)),
    (lambda x: np.sign(x, casting="same_kind", where=True) * x, (A,)),
    (lambda x: np.multiply.outer(x, x, signature="dd->d"), (V,)),
    # by name, and left out by NumPy's word for that
    (lambda x: np.cross(b=x[:, 1:], a=x[:, :3]), (A,)),
    (lambda x, y: np.kron(x, b=y) * np.isclose(a=1, b=1), (V, W)),
    (lambda x: np.std(np.fix(x=x) + x, 1, keepdims=np._NoValue, mean=np._NoValue), (A,)),
    # joined, split, filled
    (lambda x, y: np.array([x, [1, 2, 3, 4, y[0]]]), (V, V**2)),
    (lambda x, y: np.pad(x, {-1: (1, 2)}, constant_values=y[:2]), (A, V)),
    (lambda x, s: np.abs(np.linspace(s, 1j * x, 3)), (S, S)),
    (lambda x: x[range(2), 1] + np.sum(x[0, 0][x[0, 0] > 0]), (A,)),
    (lambda x: np.r_[np.float32(1.5) * F, 2.5, 2] * x.astype(np.float32), (S,)),
    (lambda x, y: np.r_["0,2", x, y], (V, V**2)),
    (lambda x, y: np.r_["1,2,0", x, y], (V, V**2)),
    (lambda x, y: np.r_["-1", x, y], (A, A**2)),
    (lambda x: np.split(x, np.array([1, 3]))[1], (V,)),
    (lambda x: np.roll(x, (1, 2, 1), axis=(0, 1, 0)), (A,)),
    (lambda x: np.fft.ifftshift(x, axes=(0, 0)), (V,)),
    (lambda x: np.delete(x, []), (V,)),
    (lambda x, s: np.insert(x, [], s), (V, S)),
    (lambda x: np.take(x, [True, False, True]), (V,)),
    (lambda x: np.tril(x), (V,)),
    (lambda x: np.ascontiguousarray(x), (S,)),
    (lambda x: np.full((2, 3), x, order="F"), (W,)),
    (lambda x, v: put(x, np.putmask, x > 0, v), (V, W[:2])),
    (lambda x, v: put(x, np.fill_diagonal, v), (A, V)),
    (lambda x: np.pad(x, 2) * np.ones(()), (S,)),
    # between two ends
    (lambda x: np.logspace(x, 1.5, 4, axis=-1), (W,)),
    (lambda x, y: np.logspace(0.5, 1.5, 3, base=x, axis=1) + y, (W, S)),
    (lambda x: np.geomspace(x, 3 * x, 4), (W,)),
    (lambda x: np.geomspace(x, 3.0, 4, axis=1), (W,)),
    # products and sums
    (lambda x: np.einsum("ij->j", x, dtype=complex, casting="unsafe").real, (A,)),
    (lambda x, y: np.convolve(x, y), (V, S)),
    (lambda x: np.dot(x, 2.0), (S,)),
    # axes that are transformed twice
    (lambda x: np.fft.fft2(x, (2, 3), (0, 0)).real, (A,)),
    (lambda x: np.fft.rfft2(x, axes=(1, 1)).imag, (A,)),
    (lambda x: np.fft.irfftn(x + 1j * x**2, axes=(1, 1)), (A,)),
    # norms
    (lambda x: np.linalg.norm(x, 1), (A,)),
    (lambda x: np.linalg.norm(x, 2.5), (V,)),
    (lambda x: np.linalg.norm(x, -np.inf, axis=(2, 0), keepdims=True), (C,)),
    (lambda x: np.linalg.vector_norm(x, ord=None), (A,)),
    (lambda x: np.linalg.vector_norm(x, ord=3), (A,)),
    (lambda x: np.linalg.vector_norm(x), (S,)),
    (lambda x, y: np.polyfit(x, y, 2, cov="unscaled")[1], (V, V**2)),
    (lambda x, s: np.polyadd(x, s) + np.polymul(s, x), (V, S)),
    (lambda x, v: np.linalg.multi_dot([v, x.T, x, v]), (A, A[1])),
    # functions in a loop
    (lambda x, y: INNER(x, y), (A, A[0])),
    (lambda x, y: MATVEC(x, y), (np.stack([A, A**2]), A[:2])),
    (lambda x, y: SEVERAL(x, y)[1] * SEVERAL(y, x)[0], (A, A[0])),
    (lambda x, y: LINE(x, y), (A, V)),
    (lambda x, y: LINE(x, p=y), (A, V)),
    # the loops of ufuncs
    (lambda x, s: np.hypot.reduce(x, initial=s), (A, S)),
    (lambda x, s: np.logaddexp.reduce(x, axis=None, initial=s), (A, S)),
    (lambda x: np.arctan2.reduce(x, axis=1, initial=0.5), (A,)),
    (lambda x: np.fmax.reduce(x, axis=1, initial=-0.5, where=x > 0), (A,)),
    (lambda x: np.hypot.reduce(x, axis=(0, 1), keepdims=True, where=x > 0), (A,)),
    (lambda x, s: np.hypot.reduce(x[:, :0], axis=1, initial=s), (A, S)),
    (lambda x: x * np.hypot.reduce(np.arange(3, 6), initial=0.5), (A,)),
    (lambda x: np.full((2, 3), x, device="cpu", like=None), (S,)),
    (lambda x, y: np.linspace(x, y, 3, device="cpu"), (S, S + 1)),
    # trimmed
    (lambda x: np.trim_zeros(np.pad(x, 1)), (A,)),
    (lambda x: np.trim_zeros(np.pad(x, 2), "f", axis=(0, -1)), (C,)),
    # small singular values cut off
    (lambda x: np.linalg.pinv(x, rcond=0.5), (A,)),
    (lambda x, y: np.linalg.lstsq(x, y, rcond=0.5)[0], (A, W)),
    # other
    (lambda x: np.piecewise(x, [x < 0, x > 0], [0.5, lambda z: z**2]) * 1.0, (S,)),
    (lambda x: np.median(x, axis=1, overwrite_input=True), (A,)),
]


def put(x: Any, into: Any, *rest: Any) -> Any:
    y = x.copy()
    into(y, *rest)
    return y


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_form(number: int) -> None:
    check(*FORMS[number])


def test_a_negative_base_has_a_complex_logarithm() -> None:
    x, z = np.array([0.9, -0.5]), np.array([0.3 + 1.2j, -0.7 + 0.4j])
    moved = sg.jvp(lambda z: x**z, (z,), (np.ones(2, complex),))[1]
    np.testing.assert_allclose(moved, x**z * np.log(x.astype(complex)))
    moved = sg.jvp(lambda z: (-2.0) ** z, (z,), (np.ones(2, complex),))[1]
    np.testing.assert_allclose(moved, (-2.0) ** z * np.log(-2.0 + 0j))


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.linalg.multi_dot([x, C]), A[:, :3]),
        (lambda x: np.linalg.qr(x, mode="raw")[0], A),
        (lambda x: np.linalg.qr(x, mode="raw")[1], A[:, :2]),
        (lambda x: np.linalg.qr(x, "raw")[0], C + 0.3),
        (lambda x: np.linalg.qr(x + 1j * x**2, "raw")[0].imag, A),
    ],
)
def test_sums_in_another_order(function: Callable[..., Any], x: Any) -> None:
    np.testing.assert_allclose(sg.compile(function)(x), function(x), rtol=1e-11, atol=1e-13)
    check_grads(lambda x: np.sum(function(x) ** 2), (x,), order=1)


def test_fits_say_more() -> None:
    def fit(x: Any, y: Any) -> Any:
        coefficients, covariance = np.polyfit(x, y, 1, cov=True)
        return coefficients, covariance, *np.polyfit(x, y, 2, full=True)[1:4]

    x, y = np.array([0.4, 1.3, 2.2, 0.7, 1.15]), np.stack([V, V**2], axis=1)
    for got, expected in zip(sg.compile(fit)(x, y), fit(x, y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10)
    assert isinstance(sg.compile(fit)(x, y)[3], np.int32)
    check_grads(lambda x, y: np.sum(np.polyfit(x, y, 1, cov=True)[1] ** 2), (x, y), order=1)


def test_cross_products_in_a_plane() -> None:
    x, y = A[:, :2], A[:, 2:]
    area = x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]
    np.testing.assert_array_equal(sg.compile(lambda x, y: np.cross(x, y))(x, y), area)
    got = sg.compile(lambda x, y: np.cross(x, y))(x, A[:, 1:])
    np.testing.assert_array_equal(got, np.cross(np.pad(x, ((0, 0), (0, 1))), A[:, 1:]))


DATA: list[Callable[[Any], Any]] = [
    lambda x: np.linspace(0.3, x[0, 0] + 4, 5, dtype=int),
    lambda x: np.pad(x.astype(int), 2, "linear_ramp"),
    lambda x: np.size(x, (0, 1)) + np.bincount([], minlength=2),
]


@pytest.mark.parametrize("number", range(len(DATA)))
def test_whole_numbers(number: int) -> None:
    got, expected = sg.compile(DATA[number])(A), DATA[number](A)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype


def stored(target: Any, *args: Any, **options: Any) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        y = x.copy()
        getattr(y, target)(*args, **options)
        return y

    return call


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda x: np.sum(x, axis=[0]), "not a list"),
    (lambda x: np.sum(x, axis=True), "not a bool"),
    (lambda x: np.squeeze(x[:1], axis=[0]), "not a list"),
    (lambda x: np.linalg.norm(x, axis=[0, 1]), "not a list"),
    (lambda x: np.gradient(x, x[0]), "1 spacings for 2 axes"),
    (lambda x: np.eye(2, order="A") * x[0, 0], "order must be 'C' or 'F'"),
    (lambda x: np.sort(x, order="a"), "when the array has no fields"),
    (lambda x: np.partition(x, 1, order="a"), "when the array has no fields"),
    (lambda x: np.argpartition(x, 1, order="a"), "when the array has no fields"),
    (lambda x: x.argpartition(1, order="a"), "when the array has no fields"),
    (stored("sort", order="a"), "when the array has no fields"),
    (lambda x: np.sum(x, initial=x), "initial must be one number"),
    (lambda x: np.max(x, axis=0, where=x > 0), "needs initial="),
    (lambda x: np.std(x, ddof=1, correction=1), "two names of one argument"),
    (lambda x: np.average(x, axis=0, weights=x[0]), "weights have the shape"),
    (lambda x: np.sin(x, dtype=np.float32, casting="safe"), "casting rule 'safe'"),
    (lambda x: np.isnan(x, dtype=np.float32), "No loop matching"),
    (lambda x: np.add(x, x, order="Q"), "order must be C, F, A or K"),
    (lambda x: np.where(x > 0, x), "a condition alone, or both"),
    (lambda x: np.concatenate([x, x], dtype=int), "is not cast to int64"),
    (lambda x: np.diff(x, n=-1), "n must not be negative"),
    (lambda x: np.ediff1d(np.arange(3), to_end=x), "to_end is float64"),
    (lambda x: np.vsplit(x[0], 1), "rank 2 or more is needed"),
    (lambda x: np.array_split(x, 0), "cannot be split into 0 parts"),
    (lambda x: np.block((x, x)), "not tuples"),
    (lambda x: np.meshgrid(x, x, indexing="yx"), "is none of xy, ij"),
    (lambda x: np.linalg.outer(x, x), "takes vectors"),
    (lambda x: np.linalg.multi_dot([x]), "two arrays or more"),
    (lambda x: np.linalg.multi_dot([x, x[0], x]), "vectors at the ends"),
    (lambda x: np.clip(x, 0.5), "both ends or none"),
    (lambda x: np.clip(x, 0, 1, min=0), "not both"),
    (lambda x: round(x), "write np.round"),
    (lambda x: np.argmax(x, axis=(0, 1)), "must be an integer"),
    (lambda x: np.cumsum(x, axis=(0,)), "must be an integer"),
    (lambda x: np.take(x, [0], mode="full"), "none of raise, wrap, clip"),
    (lambda x: np.linalg.norm(x, 3), "no norm of order 3"),
    (lambda x: np.linalg.norm(x[0], "fro"), "a vector has no norm 'fro'"),
    (lambda x: np.convolve(x[0], x[0], "some"), "is none of valid, same, full"),
    (lambda x: np.cov(x, ddof=1.5), "ddof must be an integer"),
    (lambda x: np.polyder(x[0], -1), "must not be negative"),
    (lambda x: np.polyfit(x[0], x[1], -1), "must not be negative"),
    (lambda x: np.einsum("ij->j", x, dtype="f4"), "casting='unsafe' allows it"),
    (stored("sort", axis=None), "along one axis"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_as_numpy_does(number: int) -> None:
    function, message = REFUSED[number]
    with pytest.raises((TypeError, ValueError)):
        function(A)
    with pytest.raises(SymgradError, match=message):
        sg.compile(function)(A)


def test_weights_that_sum_to_zero_are_refused_by_numpy() -> None:
    with pytest.raises(ZeroDivisionError):
        sg.compile(lambda x: np.average(x, weights=x * 0))(V)


def test_refused_by_the_running_code_as_numpy_does() -> None:
    with pytest.raises(ValueError, match="infs or NaNs"):
        sg.compile(lambda x: np.asarray_chkfinite(x))(HOLES)
    with pytest.raises(ValueError, match="period must be a non-zero value"):
        sg.compile(lambda x: np.interp(x, V, V, period=0))(V)
    with pytest.raises(ValueError, match="the axis is out of bounds"):
        sg.compile(lambda x: np.apply_along_axis(np.sum, 2, x))(A)
    with pytest.raises(ValueError, match="on size 0 inputs unless `otypes` is set"):
        sg.compile(lambda x: SEVERAL(x, x))(V[:0])
    with pytest.raises(ValueError, match="as many functions as conditions"):
        sg.compile(lambda x: np.piecewise(x, [x > 0], [1, 2, 3]))(V)


TYPED = np.vectorize(lambda x: (x * 2, x.sum()), signature="(n)->(n),()", otypes="fd")


def test_empty_arrays() -> None:
    def call(x: Any) -> Any:
        return np.gradient(x, axis=()), TYPED(x), np.vectorize(np.exp, otypes="f")(x)

    (got, (whole, number), each), expected = sg.compile(call)(A[:0]), call(A[:0])
    assert got == expected[0] == ()
    for x, y in zip((whole, number, each), (*expected[1], expected[2]), strict=True):
        assert x.shape == y.shape and x.dtype == y.dtype


def test_axes_of_one_name_have_one_length() -> None:
    for function in (INNER, sg.compile(lambda x, y: INNER(x, y))):
        with pytest.raises(ValueError, match=r"do not fit|inconsistent"):
            function(A, A[0, :2])
    with pytest.raises(ValueError, match="fewer axes than the signature"):
        sg.compile(lambda x: MATVEC(x, x))(V)
    with pytest.raises(TypeError, match="wrong number of positional arguments"):
        sg.compile(lambda x: INNER(x))(V)
    with pytest.raises(ValueError, match="without identity needs initial="):
        sg.compile(lambda x: np.fmax.reduce(x, where=x > 0))(A)


@pytest.mark.parametrize("number", [float, int, complex])
def test_an_array_of_one_entry_is_no_number(number: Any) -> None:
    def stored(x: Any) -> Any:
        x[1] = x[:1]
        return x

    with pytest.raises(SymgradError, match=r"write x\.item"):
        sg.compile(lambda x: number(x[:1]))(V)
    with pytest.raises(SymgradError, match=r"into one entry; write value\.item"):
        sg.compile(stored)(V)


def test_matrices_of_np_are_refused() -> None:
    with pytest.raises(SymgradError, match=r"would make an np\.matrix"):
        sg.compile(lambda x: np.r_["r", x])(V)


def test_a_complex_mean_of_real_numbers_is_refused() -> None:
    with pytest.raises(SymgradError, match="a complex mean of real numbers"):
        sg.compile(lambda x: np.var(x, mean=1j * np.ones(())))(V)


def filled(x: Any) -> Any:
    y = x.copy()
    z = np.nan_to_num(y, copy=False, nan=2.0)
    z[0, 0] = 5 * x[0, 1]
    return y * np.nan_to_num(x)


def test_nan_to_num_in_place() -> None:
    check(filled, (HOLES,))
    whole = np.array([1, 2])
    assert np.array_equal(
        sg.compile(lambda n: np.nan_to_num(n, False) * 2)(whole), whole * 2
    )


def two_results(x: Any) -> Any:
    whole, part = np.empty_like(x), np.empty_like(x)
    np.modf(x * 3, part, whole)
    np.divmod(x * 10, 3.0, out=(x, part))
    quotient, rest = np.divmod(x, 2.0, out=(None, whole))
    return whole * 2 + part, quotient, rest


def test_out_of_functions_with_two_results() -> None:
    mine, theirs = V.copy(), V.copy()
    for found, expected in zip(
        (*sg.compile(two_results)(mine), mine),
        (*two_results(theirs), theirs),
        strict=True,
    ):
        assert np.array_equal(found, expected)
    check_grads(lambda x: np.sum(two_results(x * 1.0)[0] ** 2), (V,), order=1)
    with pytest.raises(SymgradError, match="one entry for each result"):
        sg.compile(lambda x: np.divmod(x, 2.0, out=(x, x, x)))(V)


PRODUCTS = [
    lambda x, y: np.dot(x, y),
    lambda x, y: x.dot(y[0]),
    lambda x, y: np.dot(x[0, 0], y),
    lambda x, y: np.inner(x, y.swapaxes(1, 2)),
    lambda x, y: np.einsum("ijk->", x),
    lambda x, y: np.einsum("ijk->ki" if x.ndim > 2 else "ij->j", x),
]


@pytest.mark.parametrize("number", range(len(PRODUCTS)))
def test_sums_of_products_add_up_in_numpys_order(number: int) -> None:
    rng = np.random.default_rng(number)
    x, y = rng.standard_normal((3, 4, 17)), rng.standard_normal((2, 17, 6))
    np.testing.assert_array_equal(
        sg.compile(PRODUCTS[number])(x, y), PRODUCTS[number](x, y)
    )
    check_grads(PRODUCTS[number], (x[:2, :2, :3], y[:, :3, :2]), order=1)
