"""Sample inputs for ``scipy.linalg``; none without SciPy."""

from importlib.util import find_spec

import numpy as np

from symgrad.ops import SURFACE
from symgrad.testing.check_op import Sample, sample

from .samples_linalg import SPD, TALL, A, Q, V, W, Z

GENTLE = np.eye(3) + W / 8
FORM = np.array([[0.3, 1.4], [-0.6, 0.3]])
BANDS = np.array([[0.3, -0.4, 0.7, 0.2], [3.1, 2.8, 4.1, 3.3], [0.5, 0.6, -0.3, 0.9]])

SAMPLES: dict[str, list[Sample]] = {}
if find_spec("scipy") is not None:
    import scipy.linalg
    import scipy.signal

    assert (
        scipy.linalg.expm in SURFACE and scipy.signal.convolve in SURFACE
    )  # loads the entries
    SAMPLES |= {
        f"linalg_{n}": [sample(GENTLE)]
        for n in (
            "sinm",
            "cosm",
            "tanm",
            "sinhm",
            "coshm",
            "tanhm",
            "sqrtm",
            "logm",
            "signm",
        )
    }
    SAMPLES |= {
        "linalg_expm": [sample(GENTLE), sample(W), sample(Z / 4)],
        "linalg_fractional_matrix_power": [sample(GENTLE, np.float64(0.3))],
        "qr_order": [sample(A)],
        "lu_order": [sample(A)],
        "linalg_solve_sylvester": [sample(Q, TALL[:2], A.T), sample(Z, TALL[:2], A.T)],
        "linalg_solve_discrete_lyapunov": [sample(GENTLE / 2, W)],
        "linalg_lu_factor": [sample(Q), sample(W), sample(Z), sample(np.stack([W, SPD]))],
        "lu_pivots": [sample(A)],
        "linalg_eig_left": [sample(Q), sample(np.stack([W, Q])), sample(Z)],
        "linalg_eig_pair": [sample(W + W.T, SPD)],
        "linalg_eigvals_pair": [sample(W, Q), sample(Z, SPD)],
        "eigh_turns": [sample(W + W.T, SPD, Q[:, :2], subset_by_index=(0, 1))],
        "pinv_cut_at": [
            sample(Q, atol=2.5), sample(TALL, atol=0.1, rtol=0.1), sample(Z, atol=3.5),
        ],
        **{
            f"signal_{n}": [
                sample(V, A[0]), sample(V, A[0, :2], mode="same"), sample(A, TALL[:2], mode="valid")
            ]
            for n in ("convolve", "correlate")
        },
        "scipy_schur": [sample(W), sample(Q)],
        "schur_turn": [sample(FORM, W[:2, :2])],
        "schur_back": [sample(FORM, W[:2, :2])],
        "pivot_order": [
            sample(np.array([2, 1, 2], np.int32)), sample(np.array([[1, 1], [0, 1]], np.int32)),
        ],
        **{f"{n}_estimate": [sample(GENTLE)] for n in ("sqrtm", "logm")},
        "scipy_eigh": [sample(SPD[:2, :2]), sample(Q[:2, :2], lower=False)],
        "solve_triangular": [
            sample(Q, y, lower=lower, trans=trans, unit_diagonal=unit)
            for y in (V, np.stack([V, V + 1], 1))
            for lower, trans, unit in ((False, 0, False), (True, 1, True), (True, 0, False))
        ],
        "solve_banded": [
            sample(BANDS, A[0, [0, 1, 2, 0]], lower=1, upper=1),
            sample(BANDS, TALL, lower=1, upper=1),
            sample(BANDS, TALL, lower=0, upper=2), sample(BANDS[1:], TALL, lower=1, upper=0),
        ],
    }  # fmt: skip
