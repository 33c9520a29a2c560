"""The list of what is supported: made from the table, complete, and written down."""

import importlib.metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from symgrad.cli import main
from symgrad.ops import SURFACE
from symgrad.ops.coverage import counts, entries, page, told
from symgrad.ops.probing import moves
from symgrad.ops.scope import OUT_OF_SCOPE

ENTRIES = {e.name: e for e in entries()}
PAGE = Path(__file__).parents[2] / "docs" / "ops.md"


def test_every_public_name_is_supported_or_left_out_for_a_reason() -> None:
    assert [e.name for e in ENTRIES.values() if e.status == "missing"] == []
    assert all(e.reason for e in ENTRIES.values() if e.status == "out of scope")


def test_what_is_left_out_is_not_there() -> None:
    left = {n for names in OUT_OF_SCOPE.values() for n in names.split()}
    there = {n.rpartition(".")[2] for n, e in ENTRIES.items()
             if e.status in ("supported", "no gradient", "when compiling")}  # fmt: skip
    assert left & there == set()


def _version(package: str) -> str:
    found = importlib.metadata.version(package) if find_spec(package) else ""
    return ".".join(found.split(".")[:2])


@pytest.mark.skipif(
    (_version("numpy"), _version("scipy")) != ("2.4", "1.17"),
    reason="the page is of NumPy 2.4 and SciPy 1.17",
)
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m symgrad ops --markdown > docs/ops.md"


def test_status_modes_and_kinks_come_from_the_table() -> None:
    assert ENTRIES["numpy.sin"].modes == "forward, reverse"
    assert ENTRIES["numpy.argsort"].status == "no gradient"
    assert ENTRIES["numpy.maximum"].kink == "half to each at a tie"
    assert ENTRIES["numpy.finfo"].status == "when compiling"
    assert ENTRIES["numpy.savetxt"].reason == "reads or writes files"
    assert counts(list(ENTRIES.values()))["supported"] > 300


SCIPY = """
special: beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc gammaincc gammaln
special: i0 i1 iv ive j0 j1 jn logit logsumexp multigammaln polygamma psi rgamma y0 y1 yn xlogy
special: xlog1py entr rel_entr kl_div log_softmax softmax erfcx ndtr log_ndtr zeta
linalg: block_diag cho_factor cho_solve cholesky circulant companion coshm cosm det eig eigh eigvals
linalg: eigvalsh expm fractional_matrix_power hankel inv khatri_rao logm lstsq lu lu_factor lu_solve
linalg: matmul_toeplitz norm pinv pinvh polar qr schur signm sinhm sinm solve solve_banded
linalg: solve_circulant solve_continuous_lyapunov solve_discrete_lyapunov solve_sylvester
linalg: solve_toeplitz solve_triangular solveh_banded sqrtm svd svdvals tanhm tanm toeplitz
stats: beta.cdf beta.logpdf beta.pdf chi2.cdf chi2.logpdf chi2.pdf dirichlet.logpdf dirichlet.pdf
stats: gamma.cdf gamma.logpdf gamma.pdf multivariate_normal.entropy multivariate_normal.logpdf
stats: multivariate_normal.pdf norm.cdf norm.logcdf norm.logpdf norm.logsf norm.pdf norm.sf
stats: poisson.cdf poisson.logpmf poisson.pmf t.cdf t.logcdf t.logpdf t.pdf
signal: convolve
integrate: odeint solve_ivp
optimize: root fixed_point
"""


@pytest.mark.skipif(find_spec("scipy") is None, reason="SciPy is not there")
def test_scipy_is_listed_with_modes_and_conventions() -> None:
    for line in SCIPY.strip().splitlines():
        module, names = line.split(": ")
        for name in names.split():
            assert ENTRIES[f"scipy.{module}.{name}"].modes == "forward, reverse", name
    assert ENTRIES["scipy.special.gammasgn"].status == "no gradient"
    assert ENTRIES["scipy.special.xlogy"].kink == "x = 0: 0 to y"
    assert ENTRIES["scipy.special.gammainc"].note == "none by `a`"
    assert (
        ENTRIES["scipy.linalg.det"].kink == "of a singular matrix the adjugate's transpose"
    )


def test_whether_there_is_a_gradient_is_found_out() -> None:
    def status(*names: str) -> set[str]:
        return {ENTRIES[n].status for n in names}

    assert status("numpy.unique", "numpy.random.permutation", "Generator.permuted") == {
        "supported"
    }
    assert status("numpy.eye", "numpy.around", "numpy.unravel_index", "ndarray.ndim") == {
        "no gradient"
    }
    assert ENTRIES["ufunc.accumulate"].note.startswith("in one call for add, maximum")
    assert ENTRIES["numpy.random.normal"].note == "drawn in order"
    assert moves(lambda b, *args: 1 / 0) is None


def test_every_surface_has_been_tried() -> None:
    assert [t for t in SURFACE if moves(SURFACE[t]) is None and _of_numpy(t)] == []


def _of_numpy(target: object) -> bool:
    return any(
        getattr(m, getattr(target, "__name__", ""), None) is target for m in (np, np.linalg)
    )


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "np.median"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("numpy.median: supported; forward, reverse; at kinks: ")
    assert main(["ops", "medain"]) == 1
    assert "no public function 'medain'; near: median" in capsys.readouterr().err
    assert main(["ops", "--markdown"]) == 0
    assert capsys.readouterr().out == page()
    assert told().splitlines()[-1].endswith("when compiling")
