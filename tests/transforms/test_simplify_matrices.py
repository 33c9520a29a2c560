"""Laws of products of matrices: of sums of them, with outer products, diagonals, triangles."""

from __future__ import annotations

import numpy as np
import pytest

from symgrad.ops import SURFACE
from symgrad.testing import check_grads
from symgrad.transforms.simplify import simplify

HEAD = (
    "function f(m: float64[k, n], w: float64[n, n], x: float64[n], u: float64[k], "
    "b: float64[q, k, n], p: float64[q, k]) -> 0\n  dims n != 1, k != 1, q != 1\n"
)
RNG = np.random.default_rng(0)
ARGS = (
    RNG.standard_normal((3, 4)), RNG.standard_normal((4, 4)), RNG.standard_normal(4),
    RNG.standard_normal(3), RNG.standard_normal((2, 3, 4)), RNG.standard_normal((2, 3)),
)  # fmt: skip
TYPES = {"M": "float64[k, n]", "N": "float64[n]", "K": "float64[k]", "W": "float64[n, n]"}
EYE = "_n = shape(x, axis=0) : int(n); _z = 0 : int(0)"
DIAGONAL = (
    "_n = shape(x, axis=0) : int(n); _z = 0 : int(0); _o = 1 : int(1);"
    "a = zeros_like(w) : W; i = arange(_z, _n, _o, dtype=int64) : int64[n];"
    "d = store(a, x, i, i, index=at[gather 0, gather 1]) : W;"
)
CHOL = "c = linalg_cholesky(w) : W; t = transpose(c, axes=(1, 0)) : W;"

# Each: ops before, ops after; the last result is returned.
LAWS = {
    "sum over rows": (
        "a = matmul(m, w) : M; r = sum(a, axis=(0,)) : N",
        "_0 = sum(m, axis=(0,)) : N; r = matmul(_0, w) : N",
    ),
    "sum over columns": (
        "a = matmul(m, w) : M; r = sum(a, axis=(1,)) : K",
        "_0 = sum(w, axis=(1,)) : N; r = matmul(m, _0) : K",
    ),
    "sum over all": (
        "a = matmul(m, w) : M; r = sum(a) : float64[]",
        "_0 = sum(m, axis=(0,)) : N; _1 = sum(w, axis=(1,)) : N; r = matmul(_0, _1) : float64[]",
    ),
    "sum over the rows of each": (
        "a = matmul(b, w) : float64[q, k, n]; r = sum(a, axis=(1,)) : float64[q, n]",
        "_0 = sum(b, axis=(1,), keepdims=True) : float64[q, 1, n];"
        "_1 = matmul(_0, w) : float64[q, 1, n]; r = squeeze(_1, axes=(1,)) : float64[q, n]",
    ),
    "sum over matrices and rows": (
        "a = matmul(b, w) : float64[q, k, n]; r = sum(a, axis=(0, 1)) : N",
        "_0 = sum(b, axis=(1,), keepdims=True) : float64[q, 1, n];"
        "_1 = matmul(_0, w) : float64[q, 1, n];"
        "_2 = sum(_1, axis=(0,), keepdims=True) : float64[1, 1, n];"
        "r = squeeze(_2, axes=(0, 1)) : N",
    ),
    "sum of scaled rows": (
        "e = expand_dims(u, axes=(1,)) : float64[k, 1]; a = multiply(e, m) : M;"
        "r = sum(a, axis=(0,)) : N",
        "r = matmul(u, m) : N",
    ),
    "sum of scaled rows of each": (
        "e = expand_dims(p, axes=(2,)) : float64[q, k, 1];"
        "a = multiply(b, e) : float64[q, k, n]; r = sum(a, axis=(1,)) : float64[q, n]",
        "_0 = expand_dims(p, axes=(1,)) : float64[q, 1, k];"
        "_1 = matmul(_0, b) : float64[q, 1, n]; r = squeeze(_1, axes=(1,)) : float64[q, n]",
    ),
    "sum of scaled columns": (
        "a = multiply(m, x) : M; r = sum(a, axis=(1,)) : K",
        "r = matmul(m, x) : K",
    ),
    "sum of scaled columns of each": (
        "a = multiply(x, b) : float64[q, k, n];r = sum(a, axis=(2,)) : float64[q, k]",
        "r = matmul(b, x) : float64[q, k]",
    ),
    "product with a column": (
        "e = expand_dims(x, axes=(1,)) : float64[n, 1]; a = matmul(m, e) : float64[k, 1];"
        "r = squeeze(a, axes=(1,)) : K",
        "r = matmul(m, x) : K",
    ),
    "product with a row": (
        "e = expand_dims(u, axes=(0,)) : float64[1, k]; a = matmul(e, m) : float64[1, n];"
        "r = squeeze(a, axes=(0,)) : N",
        "r = matmul(u, m) : N",
    ),
    "trace": (
        f"{EYE}; e = eye(_n, _n, _z, dtype=float64) : W; a = multiply(w, e) : W;"
        "r = sum(a) : float64[]",
        "_0 = diagonal(w) : N; r = sum(_0) : float64[]",
    ),
    "outer product on the right": (
        "e = expand_dims(x, axes=(1,)) : float64[n, 1]; a = multiply(e, x) : W;"
        "r = matmul(m, a) : M",
        "e = expand_dims(x, axes=(1,)) : float64[n, 1]; _0 = matmul(m, e) : float64[k, 1];"
        "r = multiply(_0, x) : M",
    ),
    "outer product on the left": (
        "e = expand_dims(u, axes=(1,)) : float64[k, 1]; a = multiply(e, x) : M;"
        "r = matmul(a, w) : M",
        "e = expand_dims(u, axes=(1,)) : float64[k, 1];"
        "_0 = expand_dims(x, axes=(0,)) : float64[1, n];"
        "_1 = matmul(_0, w) : float64[1, n]; r = multiply(e, _1) : M",
    ),
    "diagonal on the right": (f"{DIAGONAL} r = matmul(m, d) : M", "r = multiply(m, x) : M"),
    "diagonal on the left": (
        "d = diag(x) : W; r = matmul(d, w) : W",
        "_0 = expand_dims(x, axes=(1,)) : float64[n, 1]; r = multiply(_0, w) : W",
    ),
    "diagonal and outer product": (
        f"{DIAGONAL} e = expand_dims(x, axes=(1,)) : float64[n, 1]; v = cos(x) : N;"
        "h = multiply(e, v) : W; g = subtract(d, h) : W; r = matmul(m, g) : M",
        "e = expand_dims(x, axes=(1,)) : float64[n, 1]; v = cos(x) : N;"
        "_0 = multiply(m, x) : M; _1 = matmul(m, e) : float64[k, 1]; _2 = multiply(_1, v) : M;"
        "r = subtract(_0, _2) : M",
    ),
    "what the other triangle holds": (
        f"{CHOL} _z = 0 : int(0); a = tril(w, _z) : W; g = subtract(c, a) : W;"
        "h = matmul(t, g) : W; r = lower_half(h) : W",
        f"{CHOL} _0 = subtract(c, w) : W; _1 = matmul(t, _0) : W; r = lower_half(_1) : W",
    ),
    "sum of scaled rows, subtracted": (
        "e = expand_dims(u, axes=(1,)) : float64[k, 1]; a = multiply(e, m) : M;"
        "d = negative(a) : M; v = sum(d, axis=(0,)) : N; g = sin(d) : M; r = add(g, v) : M",
        "e = expand_dims(u, axes=(1,)) : float64[k, 1]; a = multiply(e, m) : M;"
        "d = negative(a) : M; _0 = matmul(u, m) : N; g = sin(d) : M;"
        "r = subtract(g, _0) : M",
    ),
}

STAYS = {
    "of different floats": (
        "a = astype(m, dtype=float32) : float32[k, n]; h = matmul(a, w) : M;"
        "r = sum(h, axis=(0,)) : N"
    ),
    "a product that others read": (
        "a = matmul(m, w) : M; s = sum(a, axis=(0,)) : N; r = add(a, s) : M"
    ),
    "a sum over matrices": (
        "a = matmul(b, w) : float64[q, k, n]; r = sum(a, axis=(0,)) : float64[k, n]"
    ),
    "a sum of a part of the columns": (
        "a = multiply(b, m) : float64[q, k, n]; r = sum(a, axis=(2,)) : float64[q, k]"
    ),
    "another diagonal": (
        "d = diag(x, k=1) : float64[n + 1, n + 1]; r = matmul(d, d) : float64[n + 1, n + 1]"
    ),
    "a term that is no less": (
        "e = expand_dims(x, axes=(1,)) : float64[n, 1]; h = multiply(e, x) : W;"
        "s = sin(w) : W; g = subtract(s, h) : W; r = matmul(m, g) : M"
    ),
    "the triangle that is read": (
        "c = linalg_cholesky(w) : W; _z = 0 : int(0); a = tril(w, _z) : W; h = matmul(c, a) : W;"
        "r = lower_half(h) : W"
    ),
}  # fmt: skip


def function(ops: str, role: str) -> str:
    lines = [_typed(line.strip()) for line in ops.split(";") if line.strip()]
    last = lines[-1].split(" = ")[0]
    heading = f"  -- {role}\n" if role else ""
    return HEAD + heading + "".join(f"  {line}\n" for line in lines) + f"  return {last}\n"


def _typed(line: str) -> str:
    before, _, short = line.rpartition(": ")
    return f"{before}: {TYPES.get(short, short)}"


def args() -> tuple[np.ndarray, ...]:
    m, w, *rest = ARGS
    return (m, w @ w.T + 4 * np.eye(4), *rest)


@pytest.mark.parametrize("law", LAWS)
def test_laws(check, law):
    before, after = LAWS[law]
    check(
        simplify,
        function(before, "backward"),
        function(after, "backward"),
        *args(),
        exact=False,
    )


@pytest.mark.parametrize("law", LAWS)
def test_primal_code_keeps_its_operations(check, law):
    check(simplify, function(LAWS[law][0], ""), None, *args())


@pytest.mark.parametrize("name", STAYS)
def test_what_stays(check, name):
    check(simplify, function(STAYS[name], "backward"), None, *args())


def test_a_triangle_that_the_user_solves_with_is_solved_with(check):
    linalg = pytest.importorskip("scipy.linalg")
    assert linalg.solve_triangular in SURFACE
    primal = "c = linalg_cholesky(w) : W; z = solve_triangular(c, x, lower=True) : N"
    before = (
        "i = inv_lower(c) : W; t = transpose(i, axes=(1, 0)) : W; e = expand_dims(z, axes=(1,))"
        " : float64[n, 1]; g = add(e, w) : W; a = matmul(t, g) : W; r = matmul(a, i) : W"
    )
    solve = "solve_triangular(c, {}, lower=True, trans=1, check_finite=False) : W"
    after = (
        f"e = expand_dims(z, axes=(1,)) : float64[n, 1]; g = add(e, w) : W;"
        f"solved = {solve.format('g')}; _0 = transpose(solved, axes=(1, 0)) : W;"
        f"solved.1 = {solve.format('_0')}; r = transpose(solved.1, axes=(1, 0)) : W"
    )
    texts = [
        function(primal, "").rpartition("  return")[0]
        + "  -- backward\n" + function(ops, "backward").rpartition("-- backward\n")[2]
        for ops in (before, after)
    ]  # fmt: skip
    check(simplify, *texts, *args(), exact=False)


def _solved(a, y):
    linalg = pytest.importorskip("scipy.linalg")

    def likelihood(a, y):
        chol = np.linalg.cholesky(a)
        z = linalg.solve_triangular(chol, y, lower=True)
        return 0.5 * z @ z + np.sum(np.log(np.diag(chol)))

    check_grads(likelihood, (a, y), 1)


def _thin(a, y):
    def mixed(a, y):
        outer = y[:, None] * np.tanh(y)
        rows = np.sum(a @ np.sin(outer), axis=0)
        return np.sum(outer * a, axis=1) @ rows + np.sum(a * np.eye(len(y)) @ outer)

    check_grads(mixed, (a, y), 2)


@pytest.mark.parametrize("program", [_solved, _thin])
def test_the_laws_hold_in_both_modes(program):
    _, a, y, *_ = args()
    program(a, y)
