"""SciPy: every call form against SciPy, in both modes, to second order."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from symgrad.errors import NotDifferentiableError, UnsupportedFunctionError

from .building import gradient, surface, value
from .calls import Call, call, check, check_derivatives

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")

from .samples_linalg import SPD, TALL, A, Q, V, W  # noqa: E402
from .samples_scipy import BANDS, GENTLE  # noqa: E402

P = np.array([0.7, -1.2, 2.4, 0.5])
DOMINANT = np.array([9.7, -1.2, 2.4, 0.5])
X = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
CALLS = [
    call(special.logsumexp, A), call(special.logsumexp, A, axis=1, keepdims=True),
    call(special.logsumexp, A, 0, V**2), call(special.logsumexp, A, b=2.0),
    call(special.softmax, A), call(special.softmax, A, axis=-1), call(special.log_softmax, A, 0),
    call(special.polygamma, 0, X), call(special.polygamma, 2, X), call(special.psi, X),
    call(special.multigammaln, X + 2, 3), call(special.jn, 2, X), call(special.iv, 1.5, X),
    call(special.expit, np.float64(0.3)), call(special.loggamma, X),
    call(special.xlogy, X, 2.0),
    call(linalg.solve, Q, V), call(linalg.solve, Q, A.T, transposed=True),
    *(call(linalg.solve, SPD, V, assume_a=k, lower=low) for k in ("pos", "sym") for low in (0, 1)),
    call(linalg.solve, Q, V, assume_a="lower triangular"), call(linalg.inv, Q), call(linalg.det, Q),
    call(linalg.solve_triangular, Q, V, "T", lower=True), call(linalg.cholesky, SPD),
    call(linalg.cholesky, SPD, lower=True), call(linalg.svd, Q), call(linalg.svdvals, TALL),
    call(linalg.svd, TALL, full_matrices=False, check_finite=False),
    call(linalg.norm, V, 3), call(linalg.norm, TALL, "nuc"), call(linalg.pinv, TALL),
    call(linalg.pinvh, SPD, lower=False), call(linalg.eigvalsh, SPD, lower=False),
    call(linalg.eigh, SPD, eigvals_only=True), call(linalg.eig, W), call(linalg.eigvals, W),
    call(linalg.qr, TALL, mode="economic"), call(linalg.qr, TALL.T.copy()), call(linalg.polar, Q),
    call(linalg.lstsq, TALL, P), call(linalg.lstsq, TALL, TALL * TALL),
    call(linalg.polar, W, "left"), call(linalg.lu, Q), call(linalg.lu, W, True),
    call(linalg.lu, W, p_indices=True), call(linalg.lu_factor, W),
    call(linalg.toeplitz, P), call(linalg.toeplitz, P, V), call(linalg.toeplitz, P + 1j),
    call(linalg.hankel, P), call(linalg.hankel, P, V), call(linalg.circulant, P),
    call(linalg.companion, P), call(linalg.block_diag, A, V, Q), call(linalg.khatri_rao, A, W),
    call(linalg.matmul_toeplitz, P, TALL), call(linalg.solve_toeplitz, DOMINANT, P),
    call(linalg.solve_circulant, DOMINANT, P),
    call(linalg.solve_banded, (1, 1), BANDS, P), call(linalg.solve_banded, (0, 2), BANDS, TALL),
    call(linalg.expm, W), call(linalg.sqrtm, GENTLE), call(linalg.logm, GENTLE),
    call(linalg.solve_sylvester, Q, W, SPD),
    call(linalg.solve_continuous_lyapunov, Q, W), call(linalg.solve_discrete_lyapunov, W / 4, Q),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


@pytest.mark.parametrize("lower", [False, True])
def test_solving_with_factors(lower: bool) -> None:
    def solved(a: Any, y: Any) -> Any:
        factor = surface(linalg.cho_factor)(a, lower=lower)
        both = surface(linalg.lu_factor)(a)
        turned = surface(linalg.lu_solve)(both, y, trans=1)
        return (
            surface(linalg.cho_solve)(factor, y),
            surface(linalg.lu_solve)(both, y),
            turned,
        )

    for found in value(solved, SPD, V):
        np.testing.assert_allclose(found, np.linalg.solve(SPD, V))
    check_derivatives(solved, SPD, V)
    np.testing.assert_allclose(
        value(lambda a: surface(linalg.cho_factor)(a, lower=lower)[0], SPD),
        linalg.cho_factor(SPD, lower=lower)[0],
    )


def test_logsumexp_at_infinity() -> None:
    total = surface(special.logsumexp)
    nothing = -np.inf
    for x, expected in (
        ([nothing, 0.0, 0.0], [0, 0.5, 0.5]),
        ([nothing, nothing], [0.5, 0.5]),
        ([nothing, 800.0], [0, 1]),
        ([np.inf, 3.0], [1, 0]),
    ):
        np.testing.assert_allclose(gradient(total, np.array(x)), expected)


EXTREME = [
    ("log_ndtr", -40.0), ("log_ndtr", -1e3), ("erfcx", 30.0), ("erfcx", 51.0), ("erfcx", 1e8),
    ("log_expit", -800.0),
    ("expit", 40.0), ("gammaln", 1e8), ("digamma", 1e-5), ("ndtri_exp", -50.0),
    ("i0e", 700.0), ("xlog1py", 1e-12),
]  # fmt: skip


@pytest.mark.parametrize(("name", "at"), EXTREME)
def test_slopes_at_extreme_arguments(name: str, at: float) -> None:
    import mpmath as mp

    mp.mp.dps = 60
    truth = {
        "log_ndtr": lambda x: mp.log(mp.ncdf(x)),
        "erfcx": lambda x: mp.hyperu(0.5, 0.5, x * x) / mp.sqrt(mp.pi),
        "log_expit": lambda x: -mp.log(1 + mp.exp(-x)), "expit": lambda x: 1 / (1 + mp.exp(-x)),
        "gammaln": mp.loggamma, "digamma": mp.digamma,
        "ndtri_exp": lambda y: mp.findroot(lambda x: mp.log(mp.ncdf(x)) - y, -9.67),
        "i0e": lambda x: mp.besseli(0, x) * mp.exp(-x), "xlog1py": lambda x: x * mp.log1p(x),
    }[name]  # fmt: skip
    target = surface(getattr(special, name))
    one = (lambda x: target(x, x)) if name == "xlog1py" else target
    got = gradient(one, np.float64(at))
    np.testing.assert_allclose(got, float(mp.diff(truth, mp.mpf(at))), rtol=1e-9)


def test_what_a_user_registers_holds() -> None:
    text = (
        "import scipy.special as s\nimport symgrad\nfrom symgrad.ops import SURFACE\n"
        "SURFACE[s.erf] = 'mine'\nassert s.gamma in SURFACE\nassert SURFACE[s.erf] == 'mine'"
    )
    subprocess.run([sys.executable, "-c", text], check=True)


def test_arguments_without_a_closed_form_are_refused() -> None:
    with pytest.raises(NotDifferentiableError, match="with respect to `a`"):
        gradient(lambda a: surface(special.gammainc)(a, 0.5), np.float64(2.0))
    assert gradient(lambda x: surface(special.gammainc)(2.5, x), np.float64(0.5)) > 0


def test_refused() -> None:
    for call_, text in (
        (lambda x: surface(special.xlogy)(x, x, x), "known with 2 arguments, got 3"),
        (lambda x: surface(linalg.qr)(x, mode="raw"), "mode='raw'"),
        (lambda x: surface(linalg.solve)(x, x, assume_a="nope"), "assume_a='nope'"),
    ):
        with pytest.raises(UnsupportedFunctionError, match=text):
            value(call_, Q)


def test_a_complex_root_of_a_real_matrix_is_an_error() -> None:
    with pytest.raises(ValueError, match="pass the matrix as complex"):
        value(surface(linalg.sqrtm), np.diag([-1.0, 2.0]))


def test_symgrad_does_not_import_scipy() -> None:
    text = "import sys, symgrad; sys.exit('scipy' in sys.modules or 'sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0
