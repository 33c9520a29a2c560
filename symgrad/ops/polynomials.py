"""Polynomials: coefficients from the highest power down, as ``np.polyval`` takes them.

``np.polymul`` of coefficients that begin with zeros keeps those zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.builder import Builder
from ..ir.dims import add
from ..ir.expr import Expr, f, lift
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .composed import composed
from .contraction import conj
from .cumulative import flipped
from .indexing import getitem
from .kernels import text_of
from .linalg.factorisations import lstsq
from .linalg.kernels import _poly, _roots
from .linalg.systems import inexact
from .reshaping import moveaxis, ravel
from .rules.arguments import as_array, integer, length_of
from .static import known, need_static
from .table import op, surface


# ------------------------------------------------------------------------------- types
def _sequence(x: Expr, what: str) -> Expr:
    x = x if x.ndim else f.expand_dims(x, axes=(0,))
    if x.ndim != 1:
        raise ShapeError(f"{what} needs coefficients along one axis, got {x.type}")
    return x


def _infer_polyval(dims: Any, inputs: tuple[Value, ...]) -> Type:
    p, x = (v.type for v in inputs)
    assert isinstance(p, ArrayType) and isinstance(x, ArrayType)
    return ArrayType(np.promote_types(p.dtype, x.dtype), x.shape)


def _infer_roots(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    dtype = np.result_type(inexact(t.dtype), np.complex64)
    return ArrayType(dtype, (dims.fresh("count"),))  # NumPy leaves zeros in front out


def _infer_poly(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    assert isinstance(t, ArrayType)
    dtype = t.dtype if t.dtype.char in "fdgFDG" else np.dtype(np.float64)
    return ArrayType(dtype, (add(t.shape[0], 1),))


# ------------------------------------------------------------------------------- rules
def _counting(b: Builder, start: Any, stop: Any, step: int) -> Expr:
    ends = (length_of(b, start), length_of(b, stop), b.const(step))
    return Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))


def _derived(p: Expr) -> Expr:
    """The derivative's coefficients."""
    n = p.length(0)
    return getitem(p.builder, p, slice(None, -1)) * _counting(p.builder, n - 1, 0, -1)


def _slope(p: Expr, x: Expr) -> Expr:
    b, n = p.builder, p.length(0)
    powers = _counting(b, n - 1, 0, -1)
    if p.dtype.kind in "fc":
        powers = f.astype(powers, dtype=np.zeros(0, p.dtype).real.dtype)
    return f.polyval(getitem(b, p, slice(None, -1)) * powers, x)  # type: ignore[no-any-return]


def _polyval_p(g: Expr, p: Expr, x: Expr) -> Expr:
    powers = _counting(g.builder, p.length(0) - 1, -1, -1)
    powers = f.astype(powers, dtype=np.zeros(0, inexact(x.dtype)).real.dtype)
    rows = f.power(f.expand_dims(ravel(g.builder, x), axes=(1,)), powers)
    return conj(rows).T @ ravel(g.builder, g)


def _roots_step(p: Expr, out: Expr) -> Expr:
    """How fast the polynomial changes at its roots."""
    return -1 / _slope(p, out)


def _without_each(z: Expr, out: Expr) -> Expr:
    """Row k: the coefficients of the polynomial with all roots but number k."""
    b, n = z.builder, z.length(0)
    head = f.expand_dims(getitem(b, out, slice(None, -1)), axes=(0,))
    factor = f.expand_dims(z, axes=(1,))
    shape = (n, n)
    return f.linear_recurrence(  # type: ignore[no-any-return]
        f.broadcast_to(factor, *shape), f.broadcast_to(head, *shape), axis=1
    )


def _poly_vjp(g: Expr, z: Expr, out: Expr) -> Expr:
    return -(conj(_without_each(z, out)) @ getitem(g.builder, g, slice(1, None)))


def _poly_jvp(t: Expr, z: Expr, out: Expr) -> Expr:
    moved = -(t @ _without_each(z, out))
    first = f.zeros_like(getitem(t.builder, moved, slice(0, 1)))
    return f.concatenate(first, moved, axis=0)  # type: ignore[no-any-return]


op(
    "polyval", "p x", _infer_polyval, "np.polyval(p, x)",
    vjp={"p": _polyval_p, "x": lambda g, p, x: g * conj(_slope(p, x))},
    jvp={"p": lambda t, x: f.polyval(t, x), "x": lambda t, p, x: t * _slope(p, x)},
    batch="each", doc="Values of a polynomial.",
)  # fmt: skip
op(
    "roots", "p", _infer_roots, "_roots(p)", helper=text_of(_roots),
    vjp={"p": lambda g, p, out: _polyval_p(g * conj(_roots_step(p, out)), p, out)},
    jvp={"p": lambda t, p, out: f.polyval(t, out) * _roots_step(p, out)},
    kink="inf at a multiple root", batch="each",
    doc="The roots of a polynomial, always complex.",
)  # fmt: skip
op(
    "poly", "z", _infer_poly, "_poly(z)", helper=text_of(_poly),
    vjp={"z": _poly_vjp}, jvp={"z": _poly_jvp},
    batch="each", doc="The coefficients of the polynomial with given roots.",
)  # fmt: skip


def _geometric(start: Expr, stop: Expr, num: Expr, endpoint: bool) -> Expr:
    steps = f.linspace(0.0, 1.0, num, dtype=np.dtype(float), endpoint=endpoint)
    rank = max(start.ndim, stop.ndim)
    steps = f.expand_dims(steps, axes=tuple(range(1, rank + 1))) if rank else steps
    return start * f.power(stop / start, f.astype(steps, dtype=(stop / start).dtype))  # type: ignore[no-any-return]


composed(
    "geomspace", "start stop num", "np.geomspace(start, stop, num, endpoint=endpoint)",
    _geometric, wrt="start stop", attrs={"endpoint": True},
    batch="each", doc="Numbers with equal quotients.",
)  # fmt: skip


# --------------------------------------------------------------------------- the surface
@surface(np.polyval)
def polyval(b: Builder, p: Any, x: Any) -> Expr:
    """``np.polyval``."""
    return f.polyval(_sequence(as_array(b, p), "np.polyval"), as_array(b, x))  # type: ignore[no-any-return]


def _aligned(b: Builder, a1: Any, a2: Any) -> tuple[Expr, Expr]:
    """Coefficients with zeros in front, as many as the other has."""
    p, q = (_sequence(as_array(b, a), "np.polyadd") for a in (a1, a2))
    m, n = known(p.length(0)), known(q.length(0))
    if b.dims.equal(p.dims[0], q.dims[0]):
        return p, q
    longer = max(m, n) if isinstance(m, int) and isinstance(n, int) else f.maximum(m, n)
    length = lift(b, longer)
    made = (
        f.fit_length(flipped(x, 0), Expr(b, length), axis=0)
        if known(x.length(0)) != longer
        else flipped(x, 0)
        for x in (p, q)
    )
    first, second = made
    return flipped(first, 0), flipped(second, 0)


@surface(np.polyadd)
def polyadd(b: Builder, a1: Any, a2: Any) -> Expr:
    """``np.polyadd``."""
    p, q = _aligned(b, a1, a2)
    return p + q


@surface(np.polysub)
def polysub(b: Builder, a1: Any, a2: Any) -> Expr:
    """``np.polysub``."""
    p, q = _aligned(b, a1, a2)
    return p - q


@surface(np.polymul)
def polymul(b: Builder, a1: Any, a2: Any) -> Expr:
    """``np.polymul``."""
    p, q = (_sequence(as_array(b, a), "np.polymul") for a in (a1, a2))
    return f.convolve(p, q, mode="full")  # type: ignore[no-any-return]


@surface(np.polyder)
def polyder(b: Builder, p: Any, m: Any = 1) -> Expr:
    """``np.polyder``."""
    x, count = (
        _sequence(as_array(b, p), "np.polyder"),
        integer(m, "the order of np.polyder"),
    )
    if count < 0:
        raise ShapeError(
            "np.polyder: the order must not be negative; np.polyint integrates"
        )
    for _ in range(count):
        x = _derived(x)
    return x


@surface(np.polyint)
def polyint(b: Builder, p: Any, m: Any = 1, k: Any = None) -> Expr:
    """``np.polyint``."""
    x, count = (
        _sequence(as_array(b, p), "np.polyint"),
        integer(m, "the order of np.polyint"),
    )
    constants = [0] * count if k is None else k if isinstance(k, list | tuple) else [k]
    for i in range(count):
        constant = constants[i if len(constants) > 1 else 0]
        x = x / _counting(b, x.length(0), 0, -1)
        last = f.astype(f.reshape(as_array(b, constant), 1), dtype=x.dtype)
        x = f.concatenate(x, last, axis=0)
    return x


@surface(np.roots)
def roots(b: Builder, p: Any) -> Expr:
    """``np.roots``; the result is complex even if all roots are real."""
    return f.roots(_sequence(as_array(b, p), "np.roots"))  # type: ignore[no-any-return]


@surface(np.poly)
def poly(b: Builder, seq_of_zeros: Any) -> Expr:
    """``np.poly``, of roots or of a matrix."""
    x = as_array(b, seq_of_zeros)
    if x.ndim == 2:
        made = f.poly(f.linalg_eigvals(x))
        return made if x.dtype.kind == "c" else f.real(made)  # type: ignore[no-any-return]
    return f.poly(_sequence(x, "np.poly"))  # type: ignore[no-any-return]


@surface(np.polyfit)
def polyfit(
    b: Builder, x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None,
    cov: Any = False,
) -> Any:  # fmt: skip
    """``np.polyfit``."""
    at, values = as_array(b, x) + 0.0, as_array(b, y) + 0.0
    order = integer(deg, "the degree of np.polyfit") + 1
    if order < 1:
        raise ShapeError("np.polyfit: the degree must not be negative")
    rows = f.vander(at, order)
    if w is not None:
        weight = as_array(b, w)
        rows = rows * f.expand_dims(weight, axes=(1,))
        values = values * (f.expand_dims(weight, axes=(1,)) if values.ndim > 1 else weight)
    scale, cut = f.norm(rows, axis=(0,)), need_static(rcond)
    if cut is None:
        n = known(at.length(0))
        cut = n * float(np.finfo(at.dtype).eps) if isinstance(n, int) else None
    rows = rows / scale
    solution, *rest = lstsq(b, rows, values, cut)
    found = solution / (f.expand_dims(scale, axes=(1,)) if values.ndim > 1 else scale)
    if need_static(full):
        eps = float(np.finfo(at.dtype).eps)
        return (found, *rest, at.length(0) * eps if cut is None else cut)
    how = need_static(cov)
    return (found, _spread(rows, scale, values, solution, how)) if how else found


def _spread(rows: Expr, scale: Expr, values: Expr, solution: Expr, how: Any) -> Any:
    """The covariance of coefficients, scaled by the squares that are left."""
    base = f.linalg_inv(rows.T @ rows) / (f.expand_dims(scale, axes=(1,)) * scale)
    several = values.ndim > 1
    base = f.expand_dims(base, axes=(2,)) if several else base
    if how == "unscaled":
        return base * 1 if several else base
    squares = f.sum(f.square(f.absolute(values - rows @ solution)), axis=(0,))
    return base * (squares / (rows.length(0) - rows.length(1)))


@surface(np.geomspace)
def geomspace(
    b: Builder, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None,
    axis: Any = 0,
) -> Expr:  # fmt: skip
    """``np.geomspace``."""
    ends = [as_array(b, x) for x in (start, stop)]
    ends = [x if x.dtype.kind in "fc" else f.astype(x, dtype=np.dtype(float)) for x in ends]
    count = Expr(b, length_of(b, num))
    out = f.geomspace(*ends, count, endpoint=bool(need_static(endpoint)))
    place = need_static(axis)
    out = moveaxis(b, out, 0, place) if place else out
    return out if dtype is None else f.astype(out, dtype=np.dtype(need_static(dtype)))  # type: ignore[no-any-return]
