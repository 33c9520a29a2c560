"""Sample inputs for matrices: inverses, factors, eigenvalues."""

import numpy as np

from symgrad.testing.check_op import Sample, sample

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
Q = np.array([[3.1, 0.4, -0.7], [0.2, 2.5, 0.6], [-0.5, 0.3, 4.2]])
W = np.array([[0.4, 1.3, -0.2], [-1.1, 0.7, 0.9], [0.6, -0.8, 1.5]])
Z = Q + 1j * W
SPD = Q @ Q.T
HPD = Z @ Z.conj().T
V = np.array([0.4, -1.3, 2.2])
STACK = np.stack([Q, SPD])
TALL = np.array([[1.3, 0.2], [-0.4, 2.1], [0.9, -0.8], [0.5, 1.7]])
ZTALL = TALL + 1j * TALL[::-1]
RANK_ONE = np.outer(V, V + 1)

SAMPLES: dict[str, list[Sample]] = {
    "linalg_inv": [sample(Q), sample(STACK), sample(Z)],
    "inv_lower": [sample(np.tril(Q)), sample(np.tril(STACK)), sample(np.tril(Z))],
    "lower_half": [sample(Q), sample(STACK), sample(Z)],
    "linalg_det": [sample(Q), sample(STACK), sample(Z), sample(RANK_ONE)],
    "cofactors": [sample(Q), sample(STACK), sample(Z)],
    "cofactor_slope": [sample(Q, W), sample(Z, W + 0j), sample(RANK_ONE, W, Q)],
    "linalg_slogdet": [sample(Q), sample(-STACK), sample(Z)],
    "linalg_solve": [sample(Q, V), sample(Q, A.T), sample(STACK, A.T), sample(Z, V)],
    "linalg_cholesky": [
        sample(SPD), sample(np.stack([SPD, SPD + np.eye(3)])), sample(HPD),
    ],
    "linalg_qr": [
        sample(Q), sample(TALL), sample(TALL.T), sample(ZTALL), sample(Z), sample(ZTALL.T),
        sample(STACK), sample(TALL.T, mode="complete"), sample(Q, mode="complete"),
    ],
    "linalg_multi_dot": [sample(A, Q, V), sample(V, W, Q, V), sample(A, Z, SPD)],
    "linalg_pinv": [sample(Q), sample(TALL), sample(TALL.T), sample(ZTALL)],
    "linalg_lstsq": [
        sample(TALL, TALL[:, 0] + 0.3), sample(TALL, TALL * TALL), sample(TALL.T, V[:2]),
        sample(ZTALL, TALL[:, 0]),
    ],
    "pinv_cut": [
        sample(Q, rcond=0.6), sample(TALL, rcond=0.1), sample(TALL.T, rcond=0.99),
        sample(ZTALL, rcond=0.9), sample(STACK, rcond=0.6),
    ],
    "lstsq_cut": [sample(TALL, TALL[:, 0] + 0.3, rcond=0.99), sample(Q, A.T, rcond=0.6)],
    "norm_order": [
        sample(V, order=3, axis=(0,)), sample(TALL, order=-1.5, axis=(1,), keepdims=True),
        sample(ZTALL, order=0.5, axis=(0,)),
    ],
    "vector_norm": [
        sample(TALL, order=3, axis=(0, 1)), sample(STACK, order=1.5, axis=(0, 2), keepdims=True),
    ],
    "linalg_matrix_rank": [sample(Q), sample(RANK_ONE), sample(TALL, tol=0.1)],
    "linalg_eigh": [sample(SPD), sample(np.stack([SPD, SPD + np.diag(V)])), sample(Q, UPLO="U")],
    "linalg_eigvalsh": [sample(SPD), sample(HPD), sample(HPD, UPLO="U")],
    "linalg_eig": [sample(Q), sample(W), sample(Z), sample(np.stack([Q, W]))],
    "linalg_eigvals": [sample(Q), sample(W), sample(Z)],
    "linalg_svd": [
        sample(Q), sample(TALL, full_matrices=False), sample(TALL.T, full_matrices=False),
        sample(STACK),
    ],
    "linalg_svdvals": [sample(Q), sample(TALL), sample(ZTALL)],
}  # fmt: skip
