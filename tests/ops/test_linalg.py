"""Linear algebra: singular matrices, the zero vector, SciPy's entries, what is refused."""

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import DTypeError, ShapeError, SymgradError, UnsupportedFunctionError
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.expr import Expr, f
from symgrad.ir.types import INT, ArrayType
from symgrad.ops import METHODS, MUTATORS, SURFACE, TABLE
from symgrad.ops.static import NeedsStatic, need_static
from symgrad.testing.check_op import check_op, sample

from .building import gradient, surface, value

Q = np.array([[3.1, 0.4, -0.7], [0.2, 2.5, 0.6], [-0.5, 0.3, 4.2]])
V = np.array([0.4, -1.3, 2.2])
norm = surface(np.linalg.norm)


def test_det_of_a_singular_matrix_has_the_adjugate_as_its_gradient() -> None:
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    g = gradient(surface(np.linalg.det), a)
    np.testing.assert_allclose(g, [[4, -2], [-2, 1]], atol=1e-14)


def test_the_norm_at_the_zero_vector() -> None:
    zero = np.zeros(3)
    np.testing.assert_array_equal(gradient(norm, zero), zero)
    np.testing.assert_array_equal(gradient(lambda x: norm(x) ** 2, zero), zero)
    np.testing.assert_allclose(gradient(lambda x: norm(x) ** 2, V), 2 * V)


def test_cholesky_reads_the_lower_triangle() -> None:
    spd = Q @ Q.T
    g = gradient(lambda a: f.sum(surface(np.linalg.cholesky)(a)), spd)
    np.testing.assert_array_equal(np.triu(g, 1), 0)
    assert np.all(g[np.tril_indices(3)] != 0)


def test_the_inverse_of_large_triangles() -> None:
    rng = np.random.default_rng(0)
    a = np.tril(rng.standard_normal((2, 90, 90))) / 10 + 3 * np.eye(90)
    np.testing.assert_allclose(value(f.inv_lower, a), np.linalg.inv(a), atol=1e-12)


def test_solve_triangular() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    assert linalg.solve_triangular in SURFACE
    check_op(
        "solve_triangular",
        *(
            sample(Q, y, lower=lower, trans=trans, unit_diagonal=unit)
            for y in (V, np.stack([V, V + 1], 1))
            for lower in (False, True)
            for trans in (0, 1)
            for unit in (False, True)
        ),
    )
    lower = value(lambda a: surface(linalg.cholesky)(a, lower=True), Q @ Q.T)
    np.testing.assert_allclose(lower, np.linalg.cholesky(Q @ Q.T))


def matrix(b: Builder, *shape: Any) -> Expr:
    return Expr(b, b.param(ArrayType(np.dtype(float), shape), "x", entry=True))


REFUSED: list[tuple[Any, Any, type[SymgradError], str]] = [
    (np.linalg.inv, (2, 3), ShapeError, "square matrix"),
    (np.linalg.det, (2,), ShapeError, "a matrix is needed"),
    (lambda b, x: x @ matrix(b, 4, 2), (2, 3), ShapeError, "lengths 3 and 4"),
    (lambda b, x: x @ 2.0, (2, 3), ShapeError, "rank 1 or more"),
    (lambda b, x: SURFACE[np.reshape](b, x, (4, 2)), (2, 3), ShapeError, "cannot be reshaped"),
    (lambda b, x: SURFACE[np.reshape](b, x, (4, -1)), (2, 3), ShapeError, "be reshaped"),
    (lambda b, x: SURFACE[np.reshape](b, x, (-1, -1)), (2, 3), ShapeError, "only one length"),
    (lambda b, x: SURFACE[np.squeeze](b, x, 0), (2, 3), ShapeError, "only 1 can be squeezed"),
    (lambda b, x: SURFACE[np.broadcast_to](b, x, (3,)), (2, 3), ShapeError, "broadcast to"),
    (lambda b, x: SURFACE[np.transpose](b, x, (0, 0)), (2, 3), ShapeError, "one axis twice"),
    (lambda b, x: SURFACE[np.moveaxis](b, x, 2, 0), (2, 3), ShapeError, "axis 2 is out of"),
    (lambda b, x: SURFACE[np.sum](b, x, 2), (2, 3), ShapeError, "axis 2 is out of"),
    (lambda b, x: SURFACE[np.split](b, x, 2), (3, 3), ShapeError, "into 2 equal parts"),
    (
        lambda b, x: SURFACE[np.concatenate](b, [x, matrix(b, 2, 4)]),
        (2, 3), ShapeError, "cannot be joined: lengths 3 and 4",
    ),
    (
        lambda b, x: SURFACE[np.stack](b, [x, matrix(b, 3)]),
        (2, 3), ShapeError, "cannot be stacked",
    ),
    (lambda b, x: SURFACE[np.concatenate](b, [1.0, x]), (2,), ShapeError, "0-d arrays"),
    (lambda b, x: SURFACE[np.einsum](b, "ij,jk", x, x), (2, 3), ShapeError, "lengths 3 and 2"),
    (lambda b, x: SURFACE[np.einsum](b, "ij,ij", x, x.T), (2, 3), ShapeError, "axis 'i'"),
    (lambda b, x: SURFACE[np.einsum](b, "ijk", x), (2, 3), ShapeError, "does not fit rank 2"),
    (lambda b, x: SURFACE[np.array](b, [[1.0, x], [x]]), (), ShapeError, "differ in length"),
    (lambda b, x: SURFACE[np.bincount](b, x), (3,), DTypeError, "needs integers"),
    (lambda b, x: METHODS["view"](b, x, int), (3,), UnsupportedFunctionError, "astype"),
    (lambda b, x: METHODS["item"](b, x), (3,), ShapeError, "it has 3 entries"),
    (lambda b, x: SURFACE[np.zeros](b, 2.5), (3,), DTypeError, "a length must be an integer"),
    (lambda b, x: MUTATORS[np.copyto][1](b, x, 1j), (3,), DTypeError, "cannot be put into"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number: int) -> None:
    call, shape, error, text = REFUSED[number]
    b = Builder(TABLE)
    build = SURFACE.get(call, call)
    with pytest.raises(error, match=text):
        build(b, matrix(b, *shape))


def test_an_unknown_axis_asks_for_its_value() -> None:
    b = Builder(TABLE)
    x = matrix(b, symbol("n"), 3)
    k = Expr(b, b.param(INT, "k", entry=True))
    with pytest.raises(NeedsStatic) as caught:
        SURFACE[np.stack](b, [x, x], axis=k)
    assert caught.value.value is k.value
    assert need_static((x.length(1), [2])) == (3, [2])


OF_VALUES = {
    "eigvalsh": lambda a: np.sum(np.linalg.eigvalsh(a) ** 2),
    "eigh": lambda a: np.sum(np.linalg.eigh(a)[0] ** 2),
    "svd": lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2),
}


@pytest.mark.parametrize("name", OF_VALUES)
@pytest.mark.parametrize("gap", [0.0, 1e-8, 0.5])
def test_second_derivatives_are_right_or_nan_where_values_are_equal(
    name: str, gap: float
) -> None:
    """Values that are equal but for rounding are equal: a quotient by their distance is any
    number."""
    function, rng = OF_VALUES[name], np.random.default_rng(1)
    q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    a = q @ np.diag([1, 1 + gap, 2, 3]) @ q.T
    a, t = (a + a.T) / 2, rng.normal(size=(4, 4))
    t = t + t.T
    first = (sg.grad(function), lambda a: sg.jvp(function, (a,), (t,))[1])
    with np.errstate(all="ignore"):
        found = [
            np.sum(t * sg.jvp(first[0], (a,), (t,))[1]),
            np.sum(t * sg.grad(lambda a: np.sum(t * first[0](a)))(a)),
            np.sum(t * sg.grad(first[1])(a)),
            sg.jvp(first[1], (a,), (t,))[1],
        ]
    expected = np.full(4, 2 * np.sum(t * t))
    if gap:
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    else:
        assert not np.any(np.isfinite(found))


OF_VECTORS = {
    "eigh": lambda a: np.abs(np.linalg.eigh(a + np.conj(a).T)[1][0]) ** 2 @ np.arange(4.0),
    "eig": lambda a: np.abs(np.linalg.eig(a)[1][0]) ** 2 @ np.arange(4.0),
    "svd": lambda a: np.abs(np.linalg.svd(a)[0][0]) ** 2 @ np.arange(4.0),
}


@pytest.mark.parametrize("name", OF_VECTORS)
@pytest.mark.parametrize("kind", [np.float64, np.complex128])
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_vectors_have_the_derivative_of_their_scale(
    name: str, kind: type, scale: float
) -> None:
    """Neither squares of values nor what counts as equal over- or underflows."""
    function, rng = OF_VECTORS[name], np.random.default_rng(3)
    a, t = rng.normal(size=(2, 4, 4))
    if kind is np.complex128:
        a, t = a + 1j * rng.normal(size=(4, 4)), t + 0j
    np.testing.assert_allclose(
        sg.grad(function)(a * scale) * scale, sg.grad(function)(a), rtol=1e-6, atol=1e-9
    )
    moved, expected = (sg.jvp(function, (a * k,), (t * k,))[1] for k in (scale, 1.0))
    np.testing.assert_allclose(moved, expected, rtol=1e-6)


REBUILT = {
    "eigh": lambda w, v: (v * w) @ v.T,
    "eig": lambda w, v: ((v * w) @ np.linalg.inv(v)).real,
    "svd": lambda u, s, v: (u * s) @ v,
}


@pytest.mark.parametrize("name", REBUILT)
def test_a_quotient_by_no_distance_is_not_differentiated_as_if_there_were_one(
    name: str,
) -> None:
    """At a minimum nothing is divided by the distance of equal values, but its slope is."""
    a, t = np.diag([1.0, 1.0, 2.0]), np.random.default_rng(0).normal(size=(3, 3))

    def loss(x: Any) -> Any:
        made = REBUILT[name](*getattr(np.linalg, name)(x))
        return np.sum((made - np.diag([1.0, 1.0, 2.0])) ** 2)

    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(sg.grad(loss)(a), np.zeros((3, 3)))
        assert not np.isfinite(sg.grad(lambda x: np.sum(t * sg.grad(loss)(x)))(a)[1, 0])


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("least", [1e-6, 0.0])
def test_vectors_of_square_matrices_with_small_values(full: bool, least: float) -> None:
    """Nothing is outside of the vectors' span, so nothing is divided by a value alone."""
    rng = np.random.default_rng(5)
    (q, _), (p, _) = (np.linalg.qr(rng.normal(size=(3, 3))) for _ in range(2))
    t, w = rng.normal(size=(2, 3, 3))
    a = (q * [3.0, 2.0, least]) @ p.T

    def polar(x: Any) -> Any:
        u, _, vh = np.linalg.svd(x, full_matrices=full)
        return np.sum(w * (u @ vh) ** 2)

    def slope(x: Any) -> float:
        """By the differential of the polar factor, whose divisors are sums of values."""
        u, s, vh = np.linalg.svd(x)
        m = u.T @ t @ vh.T
        return float(
            np.sum(2 * w * (u @ vh) * (u @ ((m - m.T) / (s[:, None] + s + np.eye(3))) @ vh))
        )

    along = lambda x: sg.jvp(polar, (x,), (t,))[1]  # noqa: E731
    assert np.isclose(np.sum(sg.grad(polar)(a) * t), slope(a), rtol=1e-12)
    assert np.isclose(along(a), slope(a), rtol=1e-12)
    if least:
        expected = (slope(a + 1e-7 * t) - slope(a - 1e-7 * t)) / 2e-7
        for moved in (sg.jvp(along, (a,), (t,))[1], np.sum(sg.grad(along)(a) * t)):
            assert np.isclose(moved, expected, rtol=1e-6)
