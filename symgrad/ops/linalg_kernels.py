"""Functions for linear algebra that emitted code brings along (see ``kernels.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def _cofactors(a: Array) -> Array:
    """det(a) * inv(a).T, also where a is singular (complex numbers: no conjugate)."""
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
    return np.poly(z).astype(np.result_type(z.dtype, np.float64), copy=False)


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
    order = np.arange(len(piv))
    for i, j in enumerate(piv):
        order[[i, j]] = order[[j, i]]
    return order
