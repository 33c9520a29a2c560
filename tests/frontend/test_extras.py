"""Libraries that are optional."""

import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scipy", "scipy.special"):
        monkeypatch.setitem(sys.modules, name, None)

    def loss(x):  # type: ignore[no-untyped-def]
        from scipy.special import erf

        return np.sum(erf(x))

    with pytest.raises(UnsupportedFunctionError, match=r"pip install 'symgrad\[scipy\]'"):
        sg.grad(loss)(np.ones(3))


def test_functions_of_scipy_in_compiled_code() -> None:
    special, stats = (
        pytest.importorskip("scipy.special"),
        pytest.importorskip("scipy.stats"),
    )

    def loss(x):  # type: ignore[no-untyped-def]
        return np.sum(special.erf(x)) + np.sum(stats.norm.logpdf(x, scale=2.0))

    x = np.array([0.3, -1.2])
    expected = 2 / np.sqrt(np.pi) * np.exp(-(x**2)) - x / 4
    np.testing.assert_allclose(sg.grad(loss)(x), expected)
