"""``scipy.linalg.schur``: a = z @ t @ z.H, t upper triangular, of real matrices with blocks of 2.

The vectors turn by ``z @ k`` with ``k`` skew-Hermitian, whose lower half is what keeps t in its
form: ``z.H @ da @ z - (k @ t - t @ k)`` is zero below the diagonal, and has equal numbers on the
diagonal of a block, as LAPACK's. That is one linear system (compare Anderson 2021, "The Schur
decomposition is differentiable"); the other half is minus its conjugate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import ArrayType, Type
from ...ir.values import Value
from ..kernels import text_of
from ..linalg.kernels import _schur_back, _schur_system, _schur_turn
from ..linalg.systems import dagger, inexact, square
from ..rules.arguments import as_array
from ..static import need_static
from ..table import op, surface

KERNELS = text_of(_schur_system, _schur_turn, _schur_back)


def _infer(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, Type]:
    t = square(dims, inputs[0])
    out = ArrayType(inexact(t.dtype), t.shape)
    return out, out


def _infer_pair(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t, m = (square(dims, v) for v in inputs)
    shape = dims.broadcast_shapes(t.shape, m.shape)
    return ArrayType(inexact(np.result_type(t.dtype, m.dtype)), shape)


def _formed(x: Expr, t: Expr) -> Expr:
    """The entries of ``x`` where ``t`` has its form."""
    below = f.where(f.equal(f.tril(t, -1), 0), 0, f.tril(x, -1))
    return f.triu(x, 0) + below  # type: ignore[no-any-return]


def _skew(x: Expr) -> Expr:
    return x - dagger(x)


def _swapped(k: Expr, t: Expr) -> Expr:
    return k @ t - t @ k


def _schur_vjp(g: Any, out: Any) -> Expr:
    (g_t, g_z), (t, z) = g, out
    total = f.zeros_like(t) if g_z is None else dagger(z) @ g_z
    if g_t is not None:
        g_t = _formed(g_t, t)
        total = total - _swapped(g_t, dagger(t))
    inner = f.schur_back(t, _skew(total))
    inner = inner if g_t is None else inner + g_t
    return z @ inner @ dagger(z)  # type: ignore[no-any-return]


def _schur_jvp(t: Expr, out: Any) -> tuple[Expr, Expr]:
    form, z = out
    inner = dagger(z) @ t @ z
    k = _skew(f.schur_turn(form, inner))
    return _formed(inner - _swapped(k, form), form), z @ k


def _slope(turned: Expr, weights: Expr) -> Expr:
    """The adjoint of t in the system that gave ``turned``, given the weights of its equations."""
    return -_swapped(dagger(_skew(turned)), weights)


def _schur_of(b: Builder, a: Expr, output: str) -> tuple[Expr, Expr]:
    if output in ("complex", "c") and a.dtype.kind != "c":
        a = f.astype(a, dtype=np.result_type(a.dtype, np.complex64))
    return tuple(f.scipy_schur(a))


op(
    "scipy_schur", "a", _infer, "linalg.schur(a)", vjp={"a": _schur_vjp},
    jvp={"a": _schur_jvp}, imports=("from scipy import linalg",), traits="allocates may_warn",
    batch="each", doc="Schur's triangular form and its vectors.",
    kink="forbidden for equal eigenvalues and blocks with t[0, 1] == -t[1, 0]: an error; of "
    "complex matrices functions that do not depend on the vectors' phases",
)  # fmt: skip
op(
    "schur_turn", "form m", _infer_pair, "_schur_turn(form, m)", helper=KERNELS, batch="each",
    vjp={
        "form": lambda g, form, out: _slope(out, f.schur_back(form, g)),
        "m": lambda g, form: f.schur_back(form, g),
    },
    jvp={"form": lambda t, form, out: f.schur_turn(form, -_swapped(_skew(out), t))}, linear_in="m",
    traits="allocates may_warn", doc="How vectors turn that keep Schur's form.",
)  # fmt: skip
op(
    "schur_back", "form w", _infer_pair, "_schur_back(form, w)", helper=KERNELS, batch="each",
    vjp={
        "form": lambda g, form, out: _slope(f.schur_turn(form, g), out),
        "w": lambda g, form: f.schur_turn(form, g),
    },
    jvp={"form": lambda t, form, out: f.schur_back(form, -_skew(_swapped(out, dagger(t))))},
    linear_in="w",
    traits="allocates may_warn", doc="The transpose of schur_turn.",
)  # fmt: skip


@surface(scipy.linalg.schur)
def schur(
    b: Builder, a: Any, output: Any = "real", lwork: Any = None, overwrite_a: Any = False,
    sort: Any = None, check_finite: Any = True,
) -> tuple[Expr, Expr]:  # fmt: skip
    """``scipy.linalg.schur`` in LAPACK's order of eigenvalues."""
    if need_static(sort) is not None:
        raise UnsupportedFunctionError(
            "scipy.linalg.schur is not supported with `sort=`; leave it out"
        )
    return _schur_of(b, as_array(b, a), need_static(output))
