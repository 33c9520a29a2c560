"""Functions for linear algebra that emitted code brings along (see ``kernels.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def _lower_half(x: Array) -> Array:
    """The lower triangle of each matrix, with half of the diagonal."""
    out = np.tril(x)
    diagonal = np.einsum("...ii->...i", out)
    diagonal /= 2
    return out


def _inv_lower(a: Array) -> Array:
    """The inverse of lower triangular matrices, half by half."""
    n = a.shape[-1]
    if n <= 40:
        return np.linalg.inv(a)
    k = n // 2
    out = np.zeros(a.shape, a.dtype)
    first = out[..., :k, :k] = _inv_lower(a[..., :k, :k])
    last = out[..., k:, k:] = _inv_lower(a[..., k:, k:])
    out[..., k:, :k] = -last @ (a[..., k:, :k] @ first)
    return out


def _undefined(a: Array) -> Array:
    """Which matrices hold inf or nan: no singular values are found for them."""
    return np.logical_not(np.isfinite(a).all(axis=(-2, -1), keepdims=True))


def _cofactors(a: Array) -> Array:
    """det(a) * inv(a).T, also where a is singular (complex numbers: no conjugate)."""
    bad = _undefined(a)
    if bad.any():
        return np.where(bad, np.nan, _cofactors(np.where(bad, 0, a)))
    u, s, vh = np.linalg.svd(a)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., np.newaxis, :]).prod(
        axis=-1
    )
    turn = np.linalg.det(u) * np.linalg.det(vh)
    out = (u * others[..., np.newaxis, :] @ vh).conj()
    return turn[..., np.newaxis, np.newaxis] * out  # type: ignore[no-any-return]


def _cofactor_slope(a: Array, t: Array, *more: Array) -> Array:
    """The derivative of _cofactors along t (and further directions), also where a is
    singular. Along a line cofactors are a polynomial: its values around a circle give the
    coefficient that is asked for."""
    if more:
        *rest, u = more
        n = max(a.shape[-1] - 1, 2)
        size, long = (np.linalg.norm(x, axis=(-2, -1), keepdims=True) for x in (a, u))
        radius = np.where(size * long == 0, 1, size) / np.where(size * long == 0, 1, long)
        out = np.zeros((), np.result_type(a, t, *more))
        for turn in np.exp(2j * np.pi * np.arange(n) / n):
            z = radius * turn
            out = out + _cofactor_slope(a + z * u, t, *rest) / (n * z)
        real = not any(map(np.iscomplexobj, (a, t, *more)))
        return out.real if real else out
    bad = _undefined(a)
    if bad.any():
        return np.where(bad, np.nan, _cofactor_slope(np.where(bad, 0, a), t))
    u, s, vh = np.linalg.svd(a)
    unit = np.eye(s.shape[-1], dtype=bool)
    left_out = unit[:, np.newaxis] | unit
    others = np.where(left_out, 1, s[..., np.newaxis, np.newaxis, :]).prod(axis=-1)
    others = np.where(unit, 0, others)
    m = (u.mT.conj() @ t @ vh.mT.conj()).mT
    moved = others @ np.diagonal(m, axis1=-2, axis2=-1)[..., np.newaxis]
    out = u.conj() @ (unit * moved - others * m) @ vh.conj()
    turn = np.linalg.det(u) * np.linalg.det(vh)
    return turn[..., np.newaxis, np.newaxis] * out  # type: ignore[no-any-return]


def _eig(a: Array) -> tuple[Array, Array]:
    """np.linalg.eig, complex whatever the eigenvalues are."""
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind, copy=False), vectors.astype(kind, copy=False)


def _eigvals(a: Array) -> Array:
    """np.linalg.eigvals, complex whatever the eigenvalues are."""
    kind = np.result_type(a.dtype, np.complex64)
    return np.linalg.eigvals(a).astype(kind, copy=False)


def _fit(x: Array, n: int, axis: int) -> Array:
    """x cut or filled with zeros to length n along an axis."""
    here = (slice(None),) * axis
    if n <= x.shape[axis]:
        return x[(*here, slice(0, n))]
    out = np.zeros((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype)
    out[(*here, slice(0, x.shape[axis]))] = x
    return out


def _roots(p: Array) -> Array:
    """np.roots, complex whatever the roots are."""
    return np.roots(p).astype(np.result_type(p.dtype, np.complex64), copy=False)


def _poly(z: Array) -> Array:
    """np.poly of roots, complex if they are."""
    kind = z.dtype if z.dtype.char in "fdgFDG" else np.float64
    return np.atleast_1d(np.poly(z)).astype(kind, copy=False)


def _like(x: Array, a: Array) -> Array:
    """x in the dtype of a; where that is real, so must x be."""
    if np.iscomplexobj(x) and not np.iscomplexobj(a):
        tiny = 100 * np.finfo(x.dtype).eps ** 0.5 * np.max(np.abs(x), initial=0)
        if np.all(np.abs(x.imag) <= tiny):
            return x.real
        raise ValueError("the result is complex: pass the matrix as complex numbers")
    return x.astype(np.result_type(a.dtype, np.float32), copy=False)


def _order(piv: Array) -> Array:
    """The order of rows after the exchanges of linalg.lu_factor."""
    if piv.ndim > 1:
        return np.vectorize(_order, signature="(n)->(n)")(piv)  # type: ignore[no-any-return]
    order = np.arange(len(piv))
    for i, j in enumerate(piv):
        order[[i, j]] = order[[j, i]]
    return order


def _schur_system(t: Array) -> tuple[Array, Array, Array, Array]:
    """Of scipy.linalg.schur: what a turn k of the vectors, given below its diagonal, adds to the
    entries of t that stay zero, and to the difference on the diagonal of each block."""
    i, j = np.tril_indices(len(t), -1)
    block = t[i, j] != 0

    def added(a: Array, b: Array) -> Array:
        a, b = a[:, np.newaxis], b[:, np.newaxis]
        first = np.where(a == i, t[j, b], 0) - np.where(b == j, t[a, i], 0)
        return first - np.where(a == j, t[i, b], 0) + np.where(b == i, t[a, j], 0)

    turned = np.where(block[:, np.newaxis], added(i, i) - added(j, j), added(i, j))
    return i, j, block, turned


def _schur_turn(t: Array, m: Array) -> Array:
    """Below its diagonal the turn k for which m - (k @ t - t @ k) has the form of t."""
    if t.ndim > 2 or m.ndim > 2:
        return np.vectorize(_schur_turn, signature="(n,n),(n,n)->(n,n)")(t, m)  # type: ignore[no-any-return]
    i, j, block, turned = _schur_system(t)
    out = np.zeros(m.shape, np.result_type(t, m))
    out[i, j] = np.linalg.solve(turned, np.where(block, m[i, i] - m[j, j], m[i, j]))
    return out


def _schur_back(t: Array, w: Array) -> Array:
    """The transpose of _schur_turn: a matrix that weights m as w weights the turn."""
    if t.ndim > 2 or w.ndim > 2:
        return np.vectorize(_schur_back, signature="(n,n),(n,n)->(n,n)")(t, w)  # type: ignore[no-any-return]
    i, j, block, turned = _schur_system(t)
    weights = np.linalg.solve(turned.conj().T, w[i, j])
    out = np.zeros(w.shape, np.result_type(t, w))
    out[i, j] = np.where(block, 0, weights)
    for places, sign in ((i, 1), (j, -1)):
        np.add.at(out, (places, places), np.where(block, sign * weights, 0))
    return out
