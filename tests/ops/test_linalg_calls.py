"""``np.linalg``: every call form against NumPy, in both modes, to second order."""

import numpy as np
import pytest

from symgrad.errors import ShapeError, UnsupportedFunctionError
from symgrad.ir.expr import f
from symgrad.ir.indexing import FULL, Slice

from .building import gradient, surface, value
from .calls import Call, call, check, check_derivatives
from .samples_linalg import HPD, RANK_ONE, SPD, STACK, TALL, ZTALL, A, Q, V, W, Z

L = np.linalg
LONG = np.concatenate([V, -V, V + 1, [0.3, -0.2, 1.1]])
CALLS = [
    *(call(L.norm, V, ord) for ord in (None, 0, 1, 2, 3, 1.5, -1, -2, np.inf, -np.inf)),
    *(call(L.norm, TALL, ord) for ord in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)),
    *(call(L.norm, ZTALL, ord) for ord in ("fro", "nuc", 2, 1)),
    call(L.norm, STACK, 2, axis=(1, 2)), call(L.norm, STACK, "nuc", axis=(2, 0), keepdims=True),
    call(L.norm, STACK, 1, axis=(0, 2), keepdims=True), call(L.norm, STACK, 3, axis=-1),
    call(L.norm, STACK), call(L.norm, np.array([[3, 4], [1, 2]]), 2),
    call(L.vector_norm, STACK), call(L.vector_norm, STACK, axis=(0, 2), ord=3),
    call(L.matrix_norm, STACK), call(L.matrix_norm, STACK, ord="nuc", keepdims=True),
    *(call(L.cond, Q, p) for p in (None, 2, -2, 1, np.inf, "fro")), call(L.cond, TALL),
    call(L.inv, Z), call(L.det, Z), call(L.det, STACK), call(L.slogdet, -STACK),
    call(L.solve, Q, V), call(L.solve, STACK, V), call(L.solve, Z, A.T),
    call(L.cholesky, SPD), call(L.cholesky, HPD, upper=True), call(L.cholesky, STACK[1:]),
    call(L.qr, TALL), call(L.qr, TALL, "r"), call(L.qr, TALL.T.copy(), "complete"),
    call(L.eigh, SPD, "U"), call(L.eigvalsh, HPD, "U"), call(L.eigvalsh, HPD),
    call(L.svd, Q), call(L.svd, TALL, full_matrices=False), call(L.svd, STACK, False),
    call(L.svd, ZTALL, compute_uv=False), call(L.svdvals, TALL),
    call(L.svd, SPD - 20 * np.eye(3), hermitian=True),
    call(L.pinv, TALL), call(L.pinv, TALL, rcond=1e-3), call(L.pinv, SPD, hermitian=True),
    call(L.pinv, ZTALL, rtol=1e-4),
    call(L.lstsq, TALL, LONG[:4]), call(L.lstsq, TALL.T.copy(), V[:2]),
    call(L.lstsq, TALL, TALL * TALL, 1e-3),
    call(L.matrix_rank, RANK_ONE), call(L.matrix_rank, TALL, rtol=1e-3),
    *(call(L.matrix_power, Q, n) for n in (0, 1, 3, -2)), call(L.matrix_power, STACK, 2),
    call(L.tensorinv, LONG.reshape(3, 4)[:, :3].reshape(1, 3, 3), 2),
    call(L.tensorsolve, Q.reshape(3, 1, 3), V.reshape(3, 1)),
    call(L.tensorsolve, Q.reshape(3, 3, 1), V[:, None], (0,)),
    call(L.cross, A, V), call(L.cross, Q, W, axis=0),
    call(L.matmul, STACK, V), call(L.outer, V, LONG), call(L.vecdot, A, V), call(L.trace, STACK),
    call(L.diagonal, STACK, offset=1), call(L.matrix_transpose, STACK),
    call(L.tensordot, A, TALL.T.copy(), axes=0),
]  # fmt: skip

COLUMN, ROW = (FULL, Slice(None, 1)), (Slice(None, 1), FULL)
LATER, LAST = (FULL, Slice(2, None)), (FULL, Slice(-1, None))


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


def test_multi_dot() -> None:
    multi_dot = surface(L.multi_dot)
    check_derivatives(lambda x, y, v: multi_dot([x, y, v]), A, Q, V)
    check_derivatives(lambda x, y: multi_dot([x, y, y]), A, Q)


def test_eig_is_complex_whatever_the_values_are() -> None:
    for a in (Q, W, Z, SPD):
        values, vectors = value(surface(L.eig), a)
        assert values.dtype == vectors.dtype == np.complex128
        np.testing.assert_allclose(values, L.eig(a)[0])
        np.testing.assert_allclose(value(surface(L.eigvals), a), L.eigvals(a))


@pytest.mark.parametrize("a", [TALL, ZTALL, ZTALL.T.copy(), Z], ids=lambda a: str(a.shape))
@pytest.mark.parametrize("full", [False, True])
def test_functions_of_singular_vectors_that_do_not_depend_on_phases(a, full) -> None:  # type: ignore[no-untyped-def]
    def pair(x):  # type: ignore[no-untyped-def]
        u, s, vh = surface(L.svd)(x, full_matrices=full)
        first = [f.index(v, index=i) for v, i in ((u, COLUMN), (vh, ROW))]
        return first[0] @ first[1], f.sin(s)

    check_derivatives(pair, a)


def test_the_complement_in_a_full_set_of_vectors() -> None:
    def projectors(x):  # type: ignore[no-untyped-def]
        u, _, vh = surface(L.svd)(x)
        q, _ = surface(L.qr)(x, "complete")
        rest = [f.index(v, index=LATER) for v in (u, q, f.conjugate(vh).mT)]
        return [v @ f.conjugate(v).mT for v in rest]

    for a in (TALL, ZTALL, TALL.T.copy(), ZTALL.T.copy()):
        check_derivatives(projectors, a)


def test_eigh_of_complex_matrices() -> None:
    def projector(x):  # type: ignore[no-untyped-def]
        values, vectors = surface(L.eigh)(x)
        v = f.index(vectors, index=COLUMN)
        return v @ f.conjugate(v).mT, f.sin(values)

    check_derivatives(projector, HPD)


def test_functions_of_equal_eigenvalues_alone_are_exact() -> None:
    twice = np.diag([2.0, 2.0, 5.0])
    log = lambda x: f.sum(f.log(surface(L.eigvalsh)(x)))  # noqa: E731
    np.testing.assert_allclose(gradient(log, twice), np.diag([0.5, 0.5, 0.2]))
    nuclear = lambda x: surface(L.norm)(x, "nuc")  # noqa: E731
    np.testing.assert_allclose(gradient(nuclear, twice), np.eye(3), atol=1e-12)


def test_a_vector_is_exact_where_only_other_values_are_equal() -> None:
    twice = np.diag([2.0, 2.0, 5.0])
    last = lambda x: f.sum(f.index(surface(L.eigh)(x)[1], index=LAST))  # noqa: E731
    np.testing.assert_allclose(
        gradient(last, twice), [[0, 0, 0], [0, 0, 0], [1 / 3, 1 / 3, 0]]
    )
    first = lambda x: f.sum(f.index(surface(L.eigh)(x)[1], index=COLUMN))  # noqa: E731
    with np.errstate(all="ignore"):
        assert not np.all(np.isfinite(gradient(first, twice)))


def test_norms_at_the_zero_vector() -> None:
    for ord in (1, 2, 3, 1.5):
        g = gradient(lambda x, ord=ord: surface(L.norm)(x, ord), np.zeros(3))
        np.testing.assert_array_equal(g, np.zeros(3))


def test_second_derivative_of_a_singular_determinant() -> None:
    check_derivatives(surface(L.det), np.diag([2.0, 0.0, 3.0]))
    check_derivatives(surface(L.det), RANK_ONE + 0.0j)


def test_refused() -> None:
    for target, args, text in (
        (L.qr, ("economic",), "has no mode 'economic'"),
        (L.norm, (5,), "no norm of order 5"),
    ):
        with pytest.raises((UnsupportedFunctionError, ShapeError), match=text):
            value(lambda x, t=target, a=args: surface(t)(x, *a), Q)
    with pytest.raises(ShapeError, match="no norm 'fro'"):
        value(lambda x: surface(L.norm)(x, "fro"), V)
