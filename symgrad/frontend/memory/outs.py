"""``out=``: the array that takes the place of a call's result."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...errors import CallError, DTypeError, ShapeError, UnsupportedSyntaxError
from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value
from ..machine import Machine
from ..requests import NeedsSpecialisation
from ..values import Ref
from .lying import reasons, ref_lie
from .storage import overwrite
from .strides import contiguous

ADDING = frozenset(
    "sum prod cumsum cumprod nansum nanprod nancumsum nancumprod trace reduce accumulate "
    "reduceat cumulative_sum cumulative_prod mean nanmean".split()
)
"""What NumPy computes in the dtype of ``out`` where that is wider and no dtype is given."""
CASTING = frozenset(
    "clip concatenate stack max min amax amin nanmax nanmin choose any all ptp outer cross "
    "argmax argmin real_if_close".split()
)
"""What NumPy computes as if there were no ``out``, and casts then."""
TWICE = frozenset(
    "mean nanmean std var nanstd nanvar percentile quantile nanpercentile nanquantile "
    "einsum dot".split()
)
"""What NumPy rounds more than once, or not at all, where ``out`` is narrower."""

Out = Ref | tuple[Ref | None, ...] | None


def taken(m: Machine, node: ast.AST, out: Any) -> Out:
    """``out=`` as it is given; of a tuple of one array that array.

    Raises:
        UnsupportedSyntaxError: it is no array of rank 1 or more.
    """
    if isinstance(out, tuple) and len(out) == 1:
        [out] = out
    for one in out if isinstance(out, tuple) else (out,):
        if one is not None and not isinstance(one, Ref):
            raise UnsupportedSyntaxError(
                "`out=` needs an array of rank 1 or more", m.span(node)
            )
    return out  # type: ignore[no-any-return]


def options(out: Out, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The options of a call with ``out``: NumPy adds and multiplies in the dtype of that."""
    named = isinstance(out, Ref) and getattr(target, "__name__", "") in ADDING
    if not named or len(args) > 2 or kwargs.get("dtype") is not None:
        return kwargs
    first, wanted = getattr(args[0], "type", None), out.type.dtype  # type: ignore[union-attr]
    if not isinstance(first, ArrayType) or np.promote_types(first.dtype, wanted) != wanted:
        return kwargs
    return kwargs if first.dtype == wanted else {**kwargs, "dtype": wanted}


def put(m: Machine, node: ast.AST, out: Out, result: Any, target: Any) -> Any:
    """What a call returns, of whose result ``out`` takes the place."""
    if not isinstance(out, tuple):
        return _put_one(m, node, out, result, target)
    if not isinstance(result, tuple) or len(result) != len(out):
        raise CallError(
            "`out` has to have one entry for each result of the function", m.span(node)
        )
    pairs = zip(out, result, strict=True)
    return tuple(_put_one(m, node, one, part, target) for one, part in pairs)


def _put_one(m: Machine, node: ast.AST, out: Ref | None, result: Any, target: Any) -> Any:
    """Only elementwise functions repeat their result over ``out``."""
    if out is None:
        return result
    ufunc = getattr(target, "__self__", None) if _is_outer(target) else target
    repeats = isinstance(ufunc, np.ufunc) or target in (np.outer, np.clip, np.ndarray.clip)
    made = result.type if isinstance(result, Ref | Value) else None
    if not repeats and isinstance(made, ArrayType | ScalarType):
        with m.located(node):
            _check_fits(m, out, made, getattr(target, "__name__", ""))
    if target in (np.dot, np.ndarray.dot):
        _check_in_one_piece(m, node, out)
    overwrite(m, node, out, result)
    return out


def _check_fits(m: Machine, out: Ref, made: ArrayType | ScalarType, name: str) -> None:
    given, due = out.type.shape, made.shape
    if len(given) != len(due):
        raise ShapeError(f"`out` is {out.type}, the result {made}")
    for p, q in zip(given, due, strict=True):
        m.builder.dims.unify(p, q)
    if _differs(made.dtype, out.type.dtype, name):
        raise DTypeError(
            f"`out` is {out.type.dtype}, the result {made.dtype}: an array of that dtype can be "
            f"the `out` of `{name}`"
        )


def _differs(made: np.dtype[Any], out: np.dtype[Any], name: str) -> bool:
    """Whether what is written is more, or other, than the result cast to the dtype of ``out``."""
    if name == "dot":
        return made != out
    if made.kind not in "fc":
        return False
    bits = made.type(0).real.itemsize, out.type(0).real.itemsize
    if bits[0] < bits[1]:
        return name not in ADDING | CASTING
    return bits[0] > bits[1] and name in TWICE


def _check_in_one_piece(m: Machine, node: ast.AST, out: Ref) -> None:
    """NumPy's ``dot`` writes into what lies in C order only."""
    shape = tuple(m.builder.dims.canonical(n) for n in out.type.shape)
    whole = contiguous(ref_lie(m, out).strides, shape)
    if whole is None and (paths := reasons(m, m.read(out))):
        raise NeedsSpecialisation(*paths)
    if whole is False:
        raise ShapeError(
            "`out` of np.dot has to lie in C order without gaps, as NumPy has it; write "
            "np.matmul(..., out=...)",
            m.span(node),
        )


def _is_outer(target: Any) -> bool:
    return getattr(target, "__name__", "") == "outer" and target is not np.outer
