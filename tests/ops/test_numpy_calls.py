"""NumPy's functions in every form of call: the compiled value is NumPy's, derivatives agree."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ShapeError, UnsupportedFunctionError
from symgrad.testing import check_grads

A = np.array([[0.3, -1.2, 2.4, 0.9], [-0.7, 1.9, -2.2, 3.1]])
V = np.array([0.4, -1.3, 2.2, 0.7, 1.1])
W = np.array([1.0, 0.5])
X = np.array([0.1, 0.5, 0.7, 1.2])
HALVED = np.vectorize(lambda a, b: a * b if a > b else a - b)


def masked_out(x: Any) -> Any:
    out = np.zeros_like(x)
    np.log(x, out=out, where=x > 0)
    np.divide(1.0, x, out, where=x > 1)
    return out


def summed_into(x: Any) -> Any:
    out = np.zeros(len(x))
    np.sum(x, axis=1, out=out, where=x > 0)
    return out


def by_position(x: Any) -> Any:
    out = np.zeros_like(x)
    np.exp(x, out)
    return out


def two_results(x: Any) -> Any:
    a, b = np.empty_like(x), np.empty_like(x)
    np.modf(x, out=(a, b))
    return a * b + np.divmod(x, 0.37, out=(None, b))[0] + b


def changed(name: str, *rest: Any) -> Callable[..., Any]:
    def call(x: Any, v: Any) -> Any:
        y = x.copy()
        getattr(np, name)(y, *rest, v)
        return y

    return call


def put_mask(x: Any, v: Any) -> Any:
    y = x.copy()
    np.putmask(y, x > 0, v)
    np.place(y, x < -1, v)
    y.put([1, -2], v)
    return y


def at(x: Any, v: Any) -> Any:
    y = x.copy()
    np.multiply.at(y, [0, 0, 1], v)
    np.exp.at(y, [2])
    return y


def diagonals(x: Any) -> Any:
    y = np.tile(x, (6, 1))
    np.fill_diagonal(y, 0.5, wrap=True)
    z = np.stack([np.diag(x), np.diag(x)])
    np.fill_diagonal(z, 3.0)
    return y[:2] + z[0]


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    # taken out, put between, put together
    (lambda x: np.delete(x, 2), (V,)),
    (lambda x: np.delete(x, [0, 2], axis=1), (A,)),
    (lambda x: np.delete(x, slice(1, 3), axis=1), (A,)),
    (lambda x, v: np.insert(x, 2, v), (V, W)),
    (lambda x: np.insert(x, [0, 2], 7.0, axis=1), (A,)),
    (lambda x, v: np.insert(x, 1, v, axis=1), (A, W)),
    (lambda x, v: np.insert(x, 1, v, axis=0), (A, A[0])),
    (lambda x: np.resize(x, (3, 4)), (V,)),
    (lambda x: np.block([[x, 2 * x], [x + 1, x]]), (A,)),
    (lambda x, y: np.block([x, y, 1.5]), (V, W)),
    (lambda x, y: np.r_[0:1:3j, x, 1.0, y, 0:3], (V, W)),
    (lambda x, y: np.c_[x, y], (V, V + 1)),
    (lambda x: np.trim_zeros(np.where(x < 0, 0, x)), (A[0],)),
    (put_mask, (A[:, :2] + 0, W)),
    (diagonals, (W,)),
    # along an axis
    (lambda x: np.diff(x, n=2, prepend=0.0, append=x[:, :1]), (A,)),
    (lambda x: np.ediff1d(x, to_begin=1.0, to_end=[2.0, 3.0]), (A,)),
    (lambda x, y: np.trapezoid(x, y), (A, A[0])),
    (lambda x: np.trapezoid(x, dx=0.5, axis=0), (A,)),
    (lambda x: np.gradient(x)[0], (A,)),
    (lambda x, y: np.gradient(x, y, axis=1), (A, X)),
    (lambda x: np.interp(x, [0.0, 1, 2], [1.0, 3, 2], period=2.5), (A,)),
    (lambda x: np.nancumsum(x, axis=1), (A,)),
    (lambda x: np.linspace(x, x + 1, 4, axis=1), (V,)),
    # choice
    (lambda x: np.select([x > 1, x > 0], [x**2, np.sin(x)], -1.0), (A,)),
    (lambda x: np.choose(np.array([0, 1, 0, 1, 0]), [x, x**2]), (V,)),
    (lambda x: np.take(x, [0, 5, -1], mode="wrap"), (V,)),
    (lambda x: np.take(x, [0, 5, 9], mode="clip"), (V,)),
    (lambda x: np.piecewise(x, [x < 0, x > 1], [lambda z: z**2, np.sin, 0.5]), (A,)),
    (lambda x: np.piecewise(x, [x < 0, x > 1], [np.sin, lambda z: z]), (A,)),
    # functions of functions
    (lambda x: np.apply_along_axis(lambda r: np.sort(r) * r[0], 0, x), (A,)),
    (lambda x: np.apply_over_axes(np.sum, x, [0, 1]), (A,)),
    (lambda x: np.fromfunction(lambda i, j: x[0] * i + j, (2, 3)), (V,)),
    (lambda x: HALVED(x, 0.55), (A,)),
    (lambda x: np.vectorize(lambda a: a**2, otypes=[float])(x), (A,)),
    # statistics
    (lambda x, y: np.corrcoef(x, y), (V, V**2)),
    (lambda x: np.cov(x, bias=True), (A,)),
    (lambda x, q: np.quantile(x, q), (A, 0.31)),
    (lambda x: np.percentile(x, [20, 50], axis=1, keepdims=True), (A,)),
    (lambda x: np.histogram(x, bins=3)[1], (V,)),
    (lambda x, w: np.histogram(x, bins=3, weights=w, density=True)[0], (V, V**2)),
    (lambda x: np.bincount(x > 1, x), (V,)),
    (lambda x: np.linalg.matrix_power(x, 3), (A[:, ::3] + 0.37,)),
    (lambda x: np.average(x, axis=1, weights=x**2, returned=True)[1], (A,)),
    (lambda x: np.mean(x, axis=1, where=x > 0), (A,)),
    (lambda x: np.max(x, axis=1, where=x < 2, initial=-9.0), (A,)),
    (lambda x: x.std(axis=1, where=x < 2), (A,)),
    # products
    (lambda x, y: np.cross(x, y, axisa=0, axisc=0), (A[:, :3].T.copy(), A[:, 1:])),
    (lambda x: np.kaiser(6, x), (2.5,)),
    # ufuncs
    (masked_out, (A,)),
    (by_position, (A,)),
    (two_results, (A,)),
    (lambda x: np.add(x[0], 1, out=np.empty((2, 4))), (A,)),
    (lambda x: x.item(5) * x.item(0, 1) + x.item((1, -1)), (A,)),
    (summed_into, (A,)),
    (at, (V, V[:3] + 1)),
    (lambda x: np.subtract.accumulate(x, axis=1), (A,)),
    (lambda x: np.logaddexp.accumulate(x), (V,)),
    (lambda x: np.add.reduceat(x, [0, 2, 1]), (V,)),
    (lambda x: np.minimum.reduce([x, x**2, 1 - x]), (A,)),
    (lambda x: np.arctan2.outer(x, x + 1), (V,)),
    (lambda x: np.nan_to_num(x, nan=1.0, posinf=3.0), (A,)),
    # padding
    (lambda x: np.pad(x, 1, mode="linear_ramp", end_values=2.0), (A,)),
    (lambda x: np.pad(x, ((1, 0), (0, 2)), mode="mean"), (A,)),
    (lambda x: np.pad(x, 2, mode="median", stat_length=2), (A,)),
    (lambda x: np.pad(x, 1, constant_values=((1, 2), (3, 4))), (A,)),
    (lambda x: np.pad(x, ((1, 6), (0, 2)), mode="reflect", reflect_type="odd"), (A,)),
    (lambda x: np.pad(x, ((0, 3), (9, 2)), mode="symmetric", reflect_type="odd"), (A,)),
    # histograms, quantiles
    (lambda x, w: np.histogramdd((x[0], x[1]), (2, 3), weights=w)[0], (A, X)),
    (lambda x, w: np.histogramdd(x.T, 2, weights=w, density=True)[0], (A, X)),
    (lambda x, w: np.histogram2d(x[0], x[1], [X, 2], weights=w)[0], (A, X)),
    (lambda x: np.histogramdd(x.T, (2, 3))[1][1], (A,)),
    (lambda x: np.quantile(x, [[0.2, 0.3], [0.4, 0.9]], axis=1, keepdims=True), (A,)),
    (
        lambda x, w: np.quantile(
            x, [0.0, 0.4, 1.0], axis=1, weights=w, method="inverted_cdf"
        ),
        (A, X),
    ),
    (
        lambda x, w: np.nanpercentile(
            x, 30, axis=1, weights=w * np.ones(x.shape), method="inverted_cdf"
        ),
        (A, X),
    ),
    # polynomials
    (lambda u, v: np.polydiv(u, v)[0], (V, X)),
    (lambda u, v: np.polydiv(u, v)[1], (V, X[:2])),
    (lambda u, v: np.polydiv(u, v)[1], (X[:2], V)),
    # vectors and matrices along given axes
    (
        lambda x, y: np.matmul(x, y, axes=[(1, 0), (-2, -1), (-1, -2)]),
        (A.T.copy(), A.T + 1),
    ),
    (lambda x, y: np.matmul(x, y, axes=[(0,), (0,), ()]), (V, V + 1)),
    (lambda x, y: np.vecdot(x, y, axis=0, keepdims=True), (A, A**2)),
    (lambda x, y: np.vecdot(x, y, axis=0), (A, np.stack([A, A**2], axis=1))),
    (lambda x, y: np.vecdot(x, y, axes=[0, 1]), (A, A.T.copy())),
    (lambda x, y: np.matvec(x, y, axes=[(0, 1), 0, 0]), (A.T.copy(), W)),
    # options that are numbers of the call
    (lambda x, d: np.std(x, axis=1, ddof=d), (A, 1.5)),
    (lambda x, d: np.linalg.norm(x, ord=2 * d), (V, 1.5)),
    (lambda x, d: np.unwrap(5 * x, discont=d), (V, 4.0)),
    (
        lambda x, d: np.nan_to_num(x, nan=d, posinf=2 * d),
        (np.array([1, np.nan, 2, np.inf]), 4.0),
    ),
    (lambda x, d: np.mgrid[0 : len(x) : d] * x[0], (V, 1.5)),
    # sets
    (lambda x: np.unique(x[:, [0, 1, 0]], axis=1), (A,)),
    (lambda x: np.unique(np.stack([x, x, 2 * x]), axis=0, return_index=True)[0], (V,)),
    (lambda x: np.unique_counts(x).values, (A,)),
    (lambda x: np.unique(x, equal_nan=False), (A,)),
    (lambda x, y: np.union1d(x, y), (A, V)),
    (lambda x: np.unique_inverse(x).values, (A,)),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_value_and_derivatives(number: int) -> None:
    function, args = CALLS[number]
    expected, got = function(*args), sg.compile(function)(*args)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(got, expected)
    check_grads(lambda *x: np.sum(function(*x) ** 2), args, order=1)


DATA: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: np.argpartition(x, 2, axis=None), (A,)),
    (lambda x, e: np.digitize(x, e, right=True), (A, X)),
    (lambda x, e: np.isin(x, e, invert=True), (A, X)),
    (lambda x, y: np.lexsort((x, y)), (V, V**2)),
    (lambda x: np.histogram(x, bins=3, range=(0.0, 2.0)), (A,)),
    (lambda x, y: np.histogram2d(x, y, bins=(2, 3)), (V, V**2)),
    (lambda x: np.histogram2d(x[0], x[1], X), (A,)),
    (lambda x: np.histogramdd(x.T, 3, range=((-1, 1), (-2, 4)))[0], (A,)),
    (lambda u, v: np.polydiv(u, v), (np.polymul(V, X), V)),
    (lambda u, v: np.polydiv(u, v), (np.array([1, 2, 3]), np.array([2, 1]))),
    (lambda x: np.zeros(2, np.result_type(x, 1.0, np.float32)), (A.astype(np.float32),)),
    (lambda x: np.unravel_index(np.argmax(x), x.shape), (A,)),
    (lambda x: np.tril_indices_from(x), (A,)),
    (lambda x: np.mask_indices(2, np.triu, 0), (A,)),
    (lambda x: np.unique(x, return_index=True, return_counts=True), (A,)),
    (lambda x: np.frexp(x), (A,)),
    (lambda x, y: np.setxor1d(x, y), (A, A[0])),
    (lambda x: np.any(x > 1, axis=0, where=x < 2), (A,)),
    (lambda x: np.arange(len(x), dtype=float), (V,)),
    (lambda x: np.array_equal(x, x * np.nan, equal_nan=True), (V,)),
    (lambda x: np.unique(x, axis=0, return_inverse=True, return_counts=True), (A > 0,)),
    (
        lambda x: np.unique(x, return_counts=True, equal_nan=False),
        (np.array([1, np.nan, np.nan]),),
    ),
    (lambda x, y: np.intersect1d(x, y, return_indices=True), (V, V[::-1][:3])),
    (lambda x, y: np.isin(x, y, kind="sort"), (V, V[:2])),
    (
        lambda x: np.nanmedian(x, axis=0),
        (np.where(A[:, :3] > 2, np.nan, A[:, :3]) * (1 + 2j),),
    ),
    (lambda x, y: (y in x, 3.5 in x, x * 2 if 0.4 in x else x), (V, 2.2)),
]


@pytest.mark.parametrize("number", range(len(DATA)))
def test_data(number: int) -> None:
    function, args = DATA[number]
    got, expected = sg.compile(function)(*args), function(*args)
    many = isinstance(expected, tuple)
    for x, y in zip(got if many else [got], expected if many else [expected], strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_array_equal(x, y)


def test_where_hides_what_is_not_computed() -> None:
    def loss(x: Any) -> Any:
        return np.sum(np.sqrt(x, out=np.zeros_like(x), where=x > 0))

    np.testing.assert_array_equal(sg.grad(loss)(np.array([-1.0, 0.0, 4.0])), [0, 0, 0.25])


def test_lengths_that_have_to_be_known_are_found_by_specialising() -> None:
    first = sg.compile(lambda x: np.stack([row[0] for row in np.unstack(x)]))
    np.testing.assert_array_equal(first(A), A[:, 0])
    np.testing.assert_array_equal(first(A.T), A[0])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.real_if_close(x * 1j), "is known at run time only; use x.real"),
        (lambda x: np.histogram(x, bins="auto"), "depends on the data"),
        (lambda x: np.pad(x, 2, mode="reflect", reflect_type="no"), "none of even, odd"),
        (lambda x: np.quantile(x, 0.5, method="best"), "has no method 'best'"),
        (lambda x: x.mean(initial=2.0), "is not supported with `initial=`"),
        (lambda x: np.gradient(x, edge_order=3), "edge_order=1 or 2"),
    ],
)
def test_refusals(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.compile(function)(A)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, 0, out=np.empty((2, 4))),
        lambda x: np.max(x, 1, out=np.empty(1)),
        lambda x: np.take(x, [0, 1], out=np.empty((3, 2))),
        lambda x: np.dot(x, x.T, out=np.empty((3, 2, 2))),
        lambda x: np.concatenate([x, x], out=np.empty((1, 4, 4))),
        lambda x: np.add.reduce(x, out=np.empty((2, 4))),
        lambda x: np.argmax(x, 0, out=np.empty((2, 4), int)),
        lambda x: x.sum(0, out=np.empty((2, 4))),
    ],
)
def test_out_has_the_shape_of_the_result(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="ut"):
        function(A)
    with pytest.raises(ShapeError):
        sg.compile(function)(A)
