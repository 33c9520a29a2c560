"""Refusals of SciPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    CallError,
    DTypeError,
    NotDifferentiableError,
    ShapeError,
    UnsupportedFunctionError,
)

from .refusing import I, W, refused

linalg = pytest.importorskip("scipy.linalg")
signal = pytest.importorskip("scipy.signal")
special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda x: linalg.solve_triangular(x[:, 0], x), ShapeError, "needs a matrix and a vector"),
        (lambda s: linalg.solve_triangular(s, np.ones(7)), ShapeError, "do not fit"),
        (lambda s: linalg.solve(s, s, assume_a="nope"), UnsupportedFunctionError,
         "not supported with assume_a='nope'; leave it out"),
        (lambda s: linalg.eig(s, homogeneous_eigvals=True), UnsupportedFunctionError,
         "with `homogeneous_eigvals=`; leave it out"),
        (lambda s: linalg.eig(s, s, True, False), UnsupportedFunctionError, "ask for both"),
        (lambda s: linalg.eig(np.stack([s, s]), s, left=True), ShapeError, "write a loop"),
        (lambda s: linalg.inv(s, assume_a="banded"), UnsupportedFunctionError,
         "inv is not supported with assume_a='banded'; leave it out"),
        (lambda s: linalg.svd(s, nothing=1), CallError, "nothing"),
        (lambda s: linalg.toeplitz(s), ShapeError, "one vector is needed"),
        (lambda s: linalg.qr(s, mode="raw"), UnsupportedFunctionError, "with mode='raw' gives"),
        (lambda s: linalg.signm(s, disp=False), UnsupportedFunctionError,
         "with disp=False gives an estimate for some matrices alone"),
        (lambda x, w: signal.convolve(x, w), ShapeError, "convolve of .*mode='full'"),
        (lambda x: special.xlogy(x), CallError, "missing a required argument: 'x2'"),
        (lambda z: special.gammaln(z), DTypeError, "scipy.special.gammaln does not take complex"),
        (lambda x: special.erf(x, dtype="f4", casting="safe"), DTypeError, "rule 'safe'"),
        (lambda x: stats.norm.pdf(x, nothing=1), UnsupportedFunctionError, "norm takes x, loc"),
        (lambda w: stats.multivariate_normal.logpdf(w, w, 1.0, allow_singular=True),
         UnsupportedFunctionError, "allow_singular=True; its density"),
        (lambda w: linalg.expm(), CallError, "missing a required argument"),
    ],
)  # fmt: skip
def test_refusal(function: Any, error: Any, words: str) -> None:
    refused(function, error, words)


def test_a_derivative_without_a_closed_form() -> None:
    words = "jv has no derivative in closed form with respect to `v`; stop the gradient"
    with pytest.raises(NotDifferentiableError, match=words) as caught:
        sg.grad(lambda v: special.jv(v[0], 1.3))(W)
    assert caught.value.lineno is not None
    assert np.all(np.isfinite(special.jv(I, W)))
