"""Refusals of the op table's surfaces: ufuncs, reductions, products, linear algebra, signals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad.errors import (
    CallError,
    DTypeError,
    InputTypeError,
    ShapeError,
    SymgradError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
)

from .refusing import refused

Row = tuple[Callable[..., Any], type[SymgradError], str]

UFUNCS: list[Row] = [
    (
        lambda x: np.isclose(x, x, nothing=1),
        CallError,
        "unexpected keyword argument 'nothing'",
    ),
    (lambda x: math.atan2(1.0) + x, CallError, "missing a required argument"),
    (lambda x: np.bitwise_and(x, x), DTypeError, "bitwise_and"),
    (lambda x: np.sin(x, dtype="f4", casting="safe"), DTypeError, "np.sin: .*rule .safe."),
    (
        lambda x: np.sin(x, where=x > 0),
        UnsupportedFunctionError,
        "`where=` leaves entries of",
    ),
    (
        lambda x: np.float_power(x, 2, where=x > 0),
        UnsupportedFunctionError,
        "give `out=` too",
    ),
    (lambda x: np.sin(x, dtype=x), UnsupportedSyntaxError, "known at run time only"),
    (lambda x: np.sin(x, dtype="nope"), DTypeError, "data type 'nope' not understood"),
    (lambda x: math.sin(x), InputTypeError, "math.sin takes a real number, got float64"),
    (lambda x: x + {}, InputTypeError, "`\\+` of a dict: expected numbers or arrays"),
    (lambda s: np.stack([s, s])[:, :, 0] + np.ones(4), ShapeError, "cannot be broadcast"),
    (lambda x: np.real_if_close(x * 1j), UnsupportedFunctionError, "use x.real"),
    (lambda x: 1 if x else 2, UnsupportedSyntaxError, "truth value of an array"),
    (lambda x: max(x, x), InputTypeError, r"max\(\) of arrays is ambiguous; np.maximum"),
    (lambda x: max([]) + x, InputTypeError, r"max\(\) of an empty sequence"),
    (lambda t: max(np.sin(t)), InputTypeError, "expected a sequence or an array of rank 1"),
    (lambda s: math.fsum(s), InputTypeError, "math.fsum takes numbers in a sequence"),
]

REDUCTIONS: list[Row] = [
    (lambda x: x.mean(initial=1.0), UnsupportedFunctionError, "with `initial=`"),
    (lambda x: np.max(x, where=x > 0), InputTypeError, "np.max with where= needs initial="),
    (lambda z: np.sum(z, nothing=1), CallError, "unexpected keyword argument 'nothing'"),
    (lambda z: np.max(z, dtype=float), CallError, "unexpected keyword argument 'dtype'"),
    (lambda x: np.quantile(x, 0.5, method="nope"), UnsupportedFunctionError, "no method 'nope'"),
    (lambda z: np.quantile(z, 0.5), DTypeError, "np.quantile takes real numbers, got complex"),
    (lambda x: np.gradient(x, 1.0, 2.0, 3.0), ShapeError, "3 spacings for 2 axes"),
    (lambda x: np.gradient(x, edge_order=3), UnsupportedFunctionError, "edge_order=1 or 2"),
    (lambda x: np.cumulative_sum(x), ShapeError, "np.cumulative_sum needs an axis for"),
    (lambda w, t: np.histogram_bin_edges(w, bins="auto"), UnsupportedFunctionError,
     "bins='auto' depends on the data"),
    (lambda w: np.histogram2d(w, w, bins=[2, "auto"]), UnsupportedFunctionError,
     "bins='auto' depends on the data"),
    (lambda x: np.histogramdd((x[0], x[1]), bins=(2, 3, 4)), ShapeError,
     "in 2 axes takes as many bins and ranges, got 3 and 2"),
    (lambda w: np.quantile(w, 0.3, weights=w), UnsupportedFunctionError,
     "weights with method='inverted_cdf' only, not 'linear'"),
    (lambda x, w: np.quantile(x, 0.3, weights=w, method="inverted_cdf"), ShapeError,
     "give one axis, and a weight for each of its entries"),
    (lambda x: np.pad(x, 1, mode="reflect", reflect_type="no"), UnsupportedFunctionError,
     "reflect_type='no' is none of even, odd"),
]  # fmt: skip

RANDOM: list[Row] = [
    (lambda x: np.random.default_rng(0).normal(nothing=1), CallError, "'nothing'"),
    (lambda t: np.unravel_index(t, (2, 2)), DTypeError, "np.unravel_index needs integers"),
]  # fmt: skip

PRODUCTS: list[Row] = [
    (lambda x, t: x @ np.sin(t), ShapeError, "matmul needs arrays of rank 1 or more"),
    (lambda x: x @ np.ones(3), ShapeError, "lengths .* are summed over together"),
    (lambda x, w: np.tensordot(x, w, axes=([0, 1], [0])), ShapeError, "do not pair up"),
    (lambda x, w: np.einsum("ij,j->i", x), ShapeError, "2 terms for 1 arrays"),
    (lambda w: np.einsum("ij->i", w), ShapeError, "'ij' does not fit rank 1"),
    (lambda x: np.einsum("ij,jk,kl", np.ones((2, 3)), np.ones((4, 2)), x), ShapeError,
     "the axis 'j' has lengths 3 and 4"),
    (lambda w: np.cross(w[:4], w[:4]), ShapeError, "vectors with three entries"),
    (lambda x, w: np.convolve(x, w), ShapeError, "np.convolve needs two arrays with one axis"),
    (lambda x: np.polyval(x, 1.0), ShapeError, "needs coefficients along one axis"),
]  # fmt: skip

MATRICES: list[Row] = [
    (lambda w: np.linalg.inv(w), ShapeError, "a matrix is needed, got float64"),
    (lambda x: np.linalg.inv(np.ones((2, 3))), ShapeError, "a square matrix is needed"),
    (lambda s: np.linalg.solve(s, np.ones(7)), ShapeError, "do not fit"),
    (
        lambda x: np.linalg.qr(x, mode="thin"),
        UnsupportedFunctionError,
        "has no mode 'thin'",
    ),
    (
        lambda w: np.linalg.norm(w, ord="fro"),
        ShapeError,
        "a vector has no norm",
    ),
    (lambda x: np.linalg.norm(x, ord=5), ShapeError, "no norm of order 5"),
    (lambda s: np.linalg.norm(np.stack([s]), ord=2), ShapeError, "needs one axis or two"),
    (lambda x: np.fft.fft(x, norm="nope"), ShapeError, "norm='nope' is none of"),
    (lambda x: np.fft.fft2(x, s=(2, 2, 2)), ShapeError, "do not fit axes"),
]


@pytest.mark.parametrize(
    ("function", "error", "words"), [*UFUNCS, *REDUCTIONS, *PRODUCTS, *MATRICES, *RANDOM]
)
def test_refusal(function: Any, error: Any, words: str) -> None:
    refused(function, error, words)
