"""The word ``elementwise``: type rule, emission and both modes from one SymPy expression."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ..ir.expr import Expr, f, lift
from ..ir.opdef import OpDef
from ..ir.types import ArrayType, ScalarType, Type, is_complex
from ..ir.values import Value
from .derived import DERIVED
from .formula import formula
from .table import SURFACE, op

KINDS = ("bool", "int", "float", "complex")
PYTHON: dict[str, type] = {"int": int, "float": float, "complex": complex}


@lru_cache(maxsize=4096)
def resolve(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype of a ufunc's result; Python scalars are given by their class (weak)."""
    given = [bool if d is bool else d for d in dtypes]
    given = [np.dtype(np.bool_) if d is bool else d for d in given]
    return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[-1]


def _weak(t: Type) -> Any:
    if isinstance(t, ScalarType):
        return np.dtype(np.bool_) if t.kind == "bool" else PYTHON[t.kind]
    assert isinstance(t, ArrayType)
    return t.dtype


def ufunc_rule(ufunc: np.ufunc, scalar: str = "float") -> Callable[..., Type]:
    """The type rule of a ufunc. Of Python scalars alone, the result is a Python scalar:
    ``scalar`` is its kind, or ``"same"`` for the widest of the inputs' kinds (at least int)."""

    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        types = [v.type for v in inputs]
        if all(isinstance(t, ScalarType) for t in types):
            return ScalarType(_scalar_kind([t.kind for t in types], scalar))  # type: ignore
        dtype = resolve(ufunc, tuple(_weak(t) for t in types))
        return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore

    return infer


def _scalar_kind(kinds: list[Any], wanted: str) -> Any:
    widest = max(kinds, key=KINDS.index)
    if wanted == "same":
        return max(widest, "int", key=KINDS.index)
    if wanted == "float":
        return max(widest, "float", key=KINDS.index)
    return wanted


def elementwise(
    name: str,
    expression: str | None = None,
    *,
    inputs: str = "x",
    emit: str | None = None,
    emit_scalar: str | None = None,
    scalar: str = "float",
    derivative: Mapping[str, str] | None = None,
    traits: str = "",
    ufunc: np.ufunc | None = None,
    calls: tuple[Any, ...] | None = None,
    math_calls: tuple[Any, ...] | None = None,
    **rest: Any,
) -> OpDef:
    """One elementwise op.

    Args:
        name: the ufunc's name in NumPy.
        expression: the function in SymPy's words, in the names of ``inputs``; its derivatives
            are looked up in ``derived.py`` (made by ``python -m symgrad.ops.symbolic``).
        emit, emit_scalar: templates; ``np.name(...)`` and ``math.name(...)`` if not given.
        scalar: kind of the result for Python scalars (see ``ufunc_rule``).
        derivative: ``{input: formula}`` where SymPy's form is not good, in the names of the
            inputs, ``out`` and op names (``where``, ``cos``, ...).
        calls: the callables it stands for, ``(np.name,)`` if not given.
        math_calls: those that take and return Python scalars, ``(math.name,)`` if it exists.
    """
    names = inputs.split()
    listed = ", ".join(names)
    fn = ufunc if ufunc is not None else getattr(np, name)
    formulas = dict(derivative) if derivative is not None else dict(DERIVED.get(name, {}))
    rules = {x: formula(text, (*names, "out")) for x, text in formulas.items()}
    has_math = hasattr(math, name)
    entry = op(
        name,
        inputs,
        ufunc_rule(fn, scalar),
        emit or f"np.{name}({listed})",
        emit_scalar=emit_scalar or (f"math.{name}({listed})" if has_math else emit),
        vjp={x: _vjp(rule) for x, rule in rules.items()},
        jvp={x: _jvp(rule) for x, rule in rules.items()},
        traits=f"elementwise inplace {traits}",
        doc=expression or rest.pop("doc", ""),
        **rest,
    )
    for target in (fn,) if calls is None else calls:
        SURFACE[target] = ufunc_surface(name)
    for target in (((getattr(math, name),) if has_math else ()) if math_calls is None else math_calls):
        SURFACE[target] = math_surface(name)
    return entry


def _vjp(rule: Any) -> Callable[..., Any]:
    def vjp(g: Expr, inputs: Any, out: Expr) -> Any:
        return times(g, rule(*inputs, out), conjugate=True)

    return vjp


def _jvp(rule: Any) -> Callable[..., Any]:
    def jvp(t: Expr, inputs: Any, out: Expr) -> Any:
        return times(t, rule(*inputs, out), conjugate=False)

    return jvp


def times(x: Expr, slope: Any, *, conjugate: bool) -> Any:
    """``x * slope``; None for a zero slope. Adjoints of complex numbers conjugate the slope."""
    if isinstance(slope, int | float):
        return None if slope == 0 else x if slope == 1 else -x if slope == -1 else x * slope
    if conjugate and is_complex(slope.type):
        slope = f.conjugate(slope)
    return x * slope


def ufunc_surface(name: str) -> Callable[..., Any]:
    """The NumPy spelling: Python scalars alone give a NumPy scalar."""

    def call(b: Any, *args: Any, dtype: Any = None) -> Any:
        values = [Expr(b, lift(b, a)) for a in args]
        if all(isinstance(v.type, ScalarType) for v in values):
            values = [f.asarray(v, dtype=v.type.dtype) for v in values]
        if dtype is not None:
            values = [f.astype(v, dtype=np.dtype(dtype)) for v in values]
        return Expr(b, b.op(name, *(v.value for v in values)))

    return call


def math_surface(name: str) -> Callable[..., Any]:
    """The ``math`` spelling: Python scalars in, a Python scalar out."""

    def call(b: Any, *args: Any) -> Any:
        values = [f.item(Expr(b, lift(b, a)), kind="float") for a in args]
        return Expr(b, b.op(name, *(v.value for v in values)))

    return call
