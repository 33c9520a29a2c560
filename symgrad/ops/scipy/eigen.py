"""``scipy.linalg``: eigenvalues and eigenvectors, also of two matrices.

Left vectors are right vectors of the conjugate transpose. With ``b``, values and vectors are those
of ``solve(b, a)``. What phase LAPACK gives vectors of two matrices hangs on its way there: they
have the derivative that does not turn them, exact for functions that do not depend on phases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ShapeError, UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..contraction import conj
from ..indexing import getitem
from ..kernels import text_of
from ..linalg.spectral import (
    eig,
    eig_jvp,
    eig_vjp,
    eigh_jvp,
    eigh_vjp,
    eigvals,
    eigvalsh,
    infer_eigh,
    mirrored,
)
from ..linalg.systems import LAPACK, dagger, inexact, square
from ..rules.arguments import as_array
from ..static import known, need_static
from ..table import nondiff, op
from .kernels import _eig_left, _eig_pair, _eigvals_pair, _turns
from .options import with_options

IMPORT = ("from scipy import linalg",)


# ------------------------------------------------------------------------------- types
def _infer_left(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    types = [square(dims, v) for v in inputs]
    if len(types) > 1 and any(t.ndim != 2 for t in types):
        raise ShapeError(f"scipy.linalg.eig of {', '.join(map(str, types))}: write a loop")
    dims.unify(types[0].shape[-1], types[-1].shape[-1])
    kind = np.result_type(*(inexact(t.dtype) for t in types), np.complex64)
    vectors = ArrayType(kind, types[0].shape)
    return ArrayType(kind, types[0].shape[:-1]), vectors, vectors


def _infer_values(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return _infer_left(dims, inputs)[0]


# ------------------------------------------------------------------------------- rules
def _left_vjp(g: Any, out: Any) -> Expr:
    values, left, right = out
    parts = []
    if g[0] is not None or g[2] is not None:
        parts.append(eig_vjp((g[0], g[2]), (values, right)))
    if g[1] is not None:
        parts.append(dagger(eig_vjp((None, g[1]), (conj(values), left))))
    return parts[0] + parts[1] if parts[1:] else parts[0]


def _left_jvp(t: Expr, out: Any) -> tuple[Expr, ...]:
    values, left, right = out
    moved, t_right = eig_jvp(t, (values, right))
    return moved, eig_jvp(dagger(t), (conj(values), left))[1], t_right


def _unturned(w: Expr, v: Expr) -> Expr:
    """What is left of a movement of columns of length 1 that neither stretches nor turns them."""
    return w - v * f.sum(conj(v) * w, axis=(v.ndim - 2,), keepdims=True)  # type: ignore[no-any-return]


def _solved(t: Expr, a: Expr, b: Expr, of: str) -> Expr:
    """The tangent of solve(b, a)."""
    return f.linalg_solve(b, t if of == "a" else -t @ f.linalg_solve(b, a))  # type: ignore[no-any-return]


def _solved_back(g: Expr, a: Expr, b: Expr, of: str) -> Expr:
    back: Expr = f.linalg_solve(dagger(b), g)
    return back if of == "a" else -back @ dagger(f.linalg_solve(b, a))


def _pair_vjp(g: Any, a: Expr, b: Expr, out: Any, of: str) -> Expr:
    values, left, right = out
    parts = []
    if g[0] is not None or g[2] is not None:
        back = eig_vjp((g[0], g[2]), (values, right), _unturned)
        parts.append(_solved_back(back, a, b, of))
    if g[1] is not None:
        back = eig_vjp((None, g[1]), (conj(values), left), _unturned)
        parts.append(dagger(_solved_back(back, dagger(a), dagger(b), of)))
    return parts[0] + parts[1] if parts[1:] else parts[0]


def _pair_jvp(t: Expr, a: Expr, b: Expr, out: Any, of: str) -> tuple[Expr, ...]:
    values, left, right = out
    moved, t_right = eig_jvp(_solved(t, a, b, of), (values, right), _unturned)
    turned = _solved(dagger(t), dagger(a), dagger(b), of)
    return moved, eig_jvp(turned, (conj(values), left), _unturned)[1], t_right


def _pull(of: str) -> Any:
    return lambda g, a, b, out: _pair_vjp(g, a, b, out, of)


def _push(of: str) -> Any:
    return lambda t, a, b, out: _pair_jvp(t, a, b, out, of)


def _pull_values(of: str) -> Any:
    return lambda g, a, b: _pair_vjp((g, None, None), a, b, f.linalg_eig_pair(a, b), of)


def _push_values(of: str) -> Any:
    return lambda t, a, b: _pair_jvp(t, a, b, f.linalg_eig_pair(a, b), of)[0]


EQUAL = "inf or nan for vectors of equal values"
op(
    "linalg_eig_left", "a", _infer_left, "_eig_left(a)", helper=text_of(_eig_left),
    vjp={"a": _left_vjp}, jvp={"a": _left_jvp}, imports=IMPORT, traits=LAPACK,
    batch="each", kink=EQUAL, doc="Eigenvalues, left and right eigenvectors, always complex.",
)  # fmt: skip
op(
    "linalg_eig_pair", "a b", _infer_left, "_eig_pair(a, b)", helper=text_of(_eig_pair),
    vjp={x: _pull(x) for x in "ab"}, jvp={x: _push(x) for x in "ab"},
    imports=IMPORT, traits=LAPACK, batch="each",
    kink=f"{EQUAL}; functions that do not depend on the vectors' phases",
    doc="Eigenvalues, left and right eigenvectors of two matrices, always complex.",
)  # fmt: skip
op(
    "linalg_eigvals_pair", "a b", _infer_values, "_eigvals_pair(a, b)",
    vjp={x: _pull_values(x) for x in "ab"}, jvp={x: _push_values(x) for x in "ab"},
    helper=text_of(_eigvals_pair), imports=IMPORT, traits=LAPACK, batch="each",
    doc="Eigenvalues of two matrices, always complex.",
)  # fmt: skip


# ------------------------------------------------------------------------------ general
@with_options("b", "left", "right")
def scipy_eig(
    builder: Builder, a: Any, b: Any = None, left: Any = False, right: Any = True
) -> Any:
    """``scipy.linalg.eig``."""
    wanted = (bool(need_static(left)), bool(need_static(right)))
    if not any(wanted):
        return scipy_eigvals(builder, a, b)
    if known(b) is not None:
        if not wanted[1]:
            raise UnsupportedFunctionError(
                "scipy.linalg.eig of two matrices leaves left vectors alone of any length; "
                "ask for both: right=True"
            )
        values, *both = f.linalg_eig_pair(as_array(builder, a), as_array(builder, b))
    elif wanted[0]:
        values, *both = f.linalg_eig_left(as_array(builder, a))
    else:
        values, vectors = eig(builder, a)
        both = [None, vectors]
    found = (values, *(v for v, asked in zip(both, wanted, strict=True) if asked))
    return found if values.ndim == 1 else list(found)


@with_options("b")
def scipy_eigvals(builder: Builder, a: Any, b: Any = None) -> Any:
    """``scipy.linalg.eigvals``."""
    if known(b) is None:
        return eigvals(builder, a)
    return f.linalg_eigvals_pair(as_array(builder, a), as_array(builder, b))


# ---------------------------------------------------------------------------- Hermitian
def _flagged(rule: Any, seed: str) -> Any:
    if seed == "g":
        return lambda g, out, lower: rule(g, out, "L" if lower else "U")
    return lambda t, out, lower: rule(t, out, "L" if lower else "U")


op(
    "scipy_eigh", "a", infer_eigh, "linalg.eigh(a, lower=lower, driver=driver)",
    attrs={"lower": True, "driver": None},
    vjp={"a": _flagged(eigh_vjp, "g")}, jvp={"a": _flagged(eigh_jvp, "t")}, imports=IMPORT,
    traits="allocates", batch="each",
    kink="the gradient lies in the triangle that is read; inf or nan for vectors of equal values",
    doc="Eigenvalues and eigenvectors of a Hermitian matrix, from one triangle.",
)  # fmt: skip


def _reduced(
    b: Builder, a: Any, other: Any, lower: Any, kind: int
) -> tuple[Expr, Callable[[Expr], Expr]]:
    """A Hermitian matrix with the values of the problem of ``kind`` 1, 2 or 3 for ``a`` and
    ``other``, and what takes its vectors back: by the Cholesky factor of ``other``."""
    below = need_static(lower)
    x, y = (m if below else dagger(m) for m in (as_array(b, a), as_array(b, other)))
    x, factor = mirrored(x), f.linalg_cholesky(y)
    if kind == 1:
        matrix = f.linalg_solve(factor, dagger(f.linalg_solve(factor, x)))
    else:
        matrix = dagger(factor) @ x @ factor
    if kind == 3:
        return matrix, lambda vectors: factor @ vectors
    return matrix, lambda vectors: f.linalg_solve(dagger(factor), vectors)


def _kept(b: Builder, values: Expr, index: Any, interval: Any) -> Any:
    """Which of the eigenvalues are asked for."""
    if known(index) is not None:
        first, last = need_static(index)
        return slice(first, last + 1)
    if known(interval) is not None:
        low, high = interval
        return f.logical_and(f.greater(values, low), f.less_equal(values, high))
    return None


nondiff(
    "eigh_turns", "a b vectors",
    lambda dims, inputs, **attrs: ArrayType(inputs[2].type.dtype, inputs[2].type.shape[-1:]),
    "_turns(linalg.eigh(a, b, lower=lower, type=type, subset_by_index=subset_by_index, "
    "subset_by_value=subset_by_value, driver=driver)[1], vectors)",
    attrs={
        "lower": True, "type": 1, "subset_by_index": None, "subset_by_value": None, "driver": None,
    },
    helper=text_of(_turns), imports=IMPORT, batch="each",
    doc="The signs, or phases, that a way of LAPACK's gives vectors, perhaps of some values.",
)  # fmt: skip


@with_options("b", "lower", "type", "subset_by_index", "subset_by_value")
def scipy_eigvalsh(
    builder: Builder, a: Any, b: Any = None, lower: Any = True, type: Any = 1,
    subset_by_index: Any = None, subset_by_value: Any = None,
) -> Any:  # fmt: skip
    """``scipy.linalg.eigvalsh``."""
    if known(b) is None:
        values = eigvalsh(builder, a, "L" if need_static(lower) else "U")
    else:
        matrix, _ = _reduced(builder, a, b, lower, need_static(type))
        values = eigvalsh(builder, matrix)
    kept = _kept(builder, values, subset_by_index, subset_by_value)
    return values if kept is None else getitem(builder, values, kept)


@with_options(
    "b", "lower", "eigvals_only", "type", "subset_by_index", "subset_by_value", "driver"
)
def scipy_eigh(
    builder: Builder, a: Any, b: Any = None, lower: Any = True, eigvals_only: Any = False,
    type: Any = 1, subset_by_index: Any = None, subset_by_value: Any = None,
    driver: Any = None,
) -> Any:  # fmt: skip
    """``scipy.linalg.eigh``."""
    subset = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    if need_static(eigvals_only):
        return scipy_eigvalsh(builder, a, b, lower=lower, type=type, **subset)
    options = {"lower": bool(need_static(lower)), "driver": need_static(driver)}
    if known(b) is None:
        values, vectors = f.scipy_eigh(as_array(builder, a), **options)
        return _chosen(builder, values, vectors, subset)
    kind = need_static(type)
    matrix, back = _reduced(builder, a, b, lower, kind)
    # LAPACK takes this way for two matrices, another for a subset
    values, vectors = f.scipy_eigh(matrix, lower=options["lower"], driver="evd")
    values, vectors = _chosen(builder, values, back(vectors), subset)
    numbers = {k: _numbers(v) for k, v in subset.items()}
    if any(v is not None for v in (options["driver"], *numbers.values())):
        matrices = (as_array(builder, a), as_array(builder, b))
        turns = f.eigh_turns(*matrices, vectors, type=kind, **options, **numbers)
        vectors = vectors * turns
    return values, vectors


def _chosen(
    b: Builder, values: Expr, vectors: Expr, subset: dict[str, Any]
) -> tuple[Expr, Expr]:
    """The values and vectors that are asked for."""
    kept = _kept(b, values, *subset.values())
    if kept is None:
        return values, vectors
    return getitem(b, values, kept), getitem(b, vectors, (..., kept))


def _numbers(pair: Any) -> tuple[Any, ...] | None:
    return None if known(pair) is None else tuple(need_static(x) for x in pair)
