"""The word ``elementwise``: type rule, emission and both modes from one SymPy expression."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..errors import DTypeError, InputTypeError, OptionError, UnsupportedFunctionError
from ..ir.expr import Expr, f, lift
from ..ir.opdef import OpDef
from ..ir.types import ArrayType, ScalarType, Type, is_complex
from ..ir.values import Value
from .derived import DERIVED
from .formula import parse, scaled
from .masks import levelled, scale_under_masks
from .rules.arguments import as_array, as_expr, dtype_of
from .static import need_static
from .table import SURFACE, TABLE, Template, op

EXPRESSIONS: dict[str, tuple[tuple[str, ...], str, Mapping[str, str]]] = {}
"""Per op: names of the inputs, SymPy expression, hand-written derivative formulas."""

KINDS = ("bool", "int", "float", "complex")
PYTHON: dict[str, type] = {"int": int, "float": float, "complex": complex}


# ------------------------------------------------------------------------------- types
@lru_cache(maxsize=4096)
def resolve(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype of a ufunc's result; Python scalars are given by their class (weak)."""
    try:
        return ufunc.resolve_dtypes((*dtypes, *[None] * ufunc.nout))[-1]
    except TypeError as error:
        raise DTypeError(str(error)) from None


def weak(t: Type) -> Any:
    """A type as NumPy's promotion takes it: the class of a Python scalar, else the dtype."""
    if isinstance(t, ScalarType):
        return PYTHON.get(t.kind, np.dtype(np.bool_))
    if not isinstance(t, ArrayType):
        raise DTypeError(f"expected an array or a number, got {t}")
    return t.dtype


def ufunc_rule(ufunc: np.ufunc, scalar: str = "float") -> Callable[..., Type]:
    """The type rule of a ufunc; ``scalar`` as in ``scalar_kind``."""

    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        types = [v.type for v in inputs]
        if all(isinstance(t, ScalarType) for t in types):
            return scalar_kind(types, scalar)
        dtype = resolve(ufunc, tuple(weak(t) for t in types))
        return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore[union-attr]

    return infer


def real_rule(name: str, ufunc: np.ufunc) -> Callable[..., Type]:
    """The type rule of ``ufunc`` for a function of real numbers that NumPy does not have."""
    rule = ufunc_rule(ufunc)

    def infer(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
        for value in inputs:
            if is_complex(value.type):
                raise DTypeError(f"`{name}` takes real numbers, got {value.type}")
        return rule(dims, inputs, **attrs)

    return infer


def scalar_kind(types: list[Any], wanted: str) -> ScalarType:
    """The type of a function of Python scalars.

    ``wanted`` is a kind, or ``"same"`` (the widest of the inputs' kinds, at least int),
    ``"any"`` (the widest), ``"float"`` (at least float), ``"real"`` (as ``"same"``, but float
    for complex numbers).
    """
    widest = max((t.kind for t in types), key=KINDS.index)
    if wanted == "any":
        return ScalarType(widest)
    if wanted == "real" and widest == "complex":
        return ScalarType("float")
    least = {"same": "int", "real": "int", "float": "float"}.get(wanted)
    return ScalarType(wanted if least is None else max(widest, least, key=KINDS.index))  # type: ignore[arg-type]


# ----------------------------------------------------------------------------- the word
def elementwise(
    name: str,
    expression: str | None = None,
    *,
    inputs: str = "x",
    emit: Template = None,
    emit_scalar: Template = None,
    scalar: str = "float",
    derivative: Mapping[str, str] | None = None,
    traits: str = "",
    ufunc: np.ufunc | None = None,
    infer: Callable[..., Type] | None = None,
    calls: tuple[Any, ...] | None = None,
    math_name: str | None = None,
    vjp: Mapping[str, Any] | None = None,
    jvp: Mapping[str, Any] | None = None,
    level: str = "",
    **rest: Any,
) -> OpDef:
    """One elementwise op.

    Args:
        name: the ufunc's name in NumPy.
        expression: the function in SymPy's words, in the names of ``inputs``; its derivatives
            are looked up in ``derived.py`` (made by ``python -m symgrad.ops.symbolic``).
        emit, emit_scalar: templates; ``np.name(...)`` and ``math.name(...)`` if not given.
        scalar: kind of the result for Python scalars (see ``scalar_kind``).
        derivative: ``{input: formula}`` where SymPy's form is not good, in the names of the
            inputs, ``out`` and op names (``where``, ``cos``, ...).
        ufunc, infer: the ufunc whose type rule holds, or a type rule.
        calls: the NumPy callables it stands for, ``(np.name,)`` if not given.
        math_name: its name in ``math``, ``name`` if not given and there is one, ``""`` for none.
        vjp, jvp: rules in place of formulas.
        level: the input in which it levels off (``-x``: downwards): slope 0 at infinity.
    """
    names, listed = inputs.split(), ", ".join(inputs.split())
    formulas = {} if vjp is not None else derivative or DERIVED.get(name, {})
    if expression is not None and vjp is None:
        EXPRESSIONS[name] = (tuple(names), expression, derivative or {})
    by_formula = partial(_rules, formulas, names, "singular" in traits.split(), level)
    fn: Any = ufunc if ufunc is not None else getattr(np, name, None)
    math_name = hasattr(math, name) * name if math_name is None else math_name
    entry = op(
        name,
        inputs,
        infer or ufunc_rule(fn, scalar),
        emit or f"np.{name}({listed})",
        emit_scalar=emit_scalar or (f"math.{math_name}({listed})" if math_name else emit),
        vjp=dict(vjp or by_formula(_vjp)),
        jvp=dict(jvp or by_formula(_jvp)),
        traits=f"elementwise {'inplace' if _one_step(emit, fn) else ''} {traits}",
        doc=rest.pop("doc", "") or expression or "",
        formulas=dict(formulas),
        **rest,
    )
    for target in (fn,) if calls is None else calls:
        SURFACE[target] = _surface_of(target, name)
    if math_name:
        SURFACE[getattr(math, math_name)] = math_surface(name)
    return entry


def _one_step(emit: Any, function: Any) -> bool:
    """Whether a template is one call with ``out=`` or one operator (it can write into an
    array)."""
    if not isinstance(emit, str):
        return emit is None and _has_out(function)
    node = ast.parse(emit, mode="eval").body
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute):
            return False  # a helper function has no out=
        plain = all(isinstance(a, ast.Name) for a in node.args)
        return plain and _has_out(getattr(np, node.func.attr, None))
    parts = list(ast.iter_child_nodes(node))
    return isinstance(node, ast.BinOp | ast.UnaryOp) and not any(
        isinstance(p, ast.BinOp | ast.Call | ast.UnaryOp) for p in parts
    )


def _has_out(function: Any) -> bool:
    if isinstance(function, np.ufunc) or not callable(function):
        return isinstance(function, np.ufunc)
    return "out" in inspect.signature(function).parameters


def _rules(
    formulas: Mapping[str, str],
    names: list[str],
    singular: bool,
    level: str,
    made: Callable[..., Any],
) -> dict[str, Any]:
    """A rule by ``made`` for each formula."""
    ends = {level.removeprefix("-"): level}
    return {
        x: made(parse(text), names, singular, ends.get(x, ""))
        for x, text in formulas.items()
    }


def _vjp(
    rule: Any, names: list[str], singular: bool, level: str = ""
) -> Callable[..., Any]:
    def vjp(g: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        def scale(h: Expr, *values: Expr) -> Any:
            *read, result = values
            scaled = apply_slope(
                rule, names, h, tuple(read), result, singular, conjugate=True
            )
            return _levelled(scaled, h, result, names, tuple(read), level)

        return scale_under_masks(g, scale, (*inputs, out))

    return vjp


def _jvp(
    rule: Any, names: list[str], singular: bool, level: str = ""
) -> Callable[..., Any]:
    def jvp(t: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        scaled = apply_slope(rule, names, t, inputs, out, singular, conjugate=False)
        return _levelled(scaled, None, out, names, inputs, level)

    return jvp


def _levelled(
    result: Any,
    g: Expr | None,
    out: Expr,
    names: list[str],
    inputs: tuple[Expr, ...],
    level: str,
) -> Any:
    if not level:
        return result
    place = names.index(level.removeprefix("-"))
    others = (*inputs[:place], *inputs[place + 1 :])
    return levelled(result, g, inputs[place], out, others, below=level.startswith("-"))


def apply_slope(
    rule: Any,
    names: list[str],
    x: Expr,
    inputs: tuple[Expr, ...],
    out: Expr,
    singular: bool,
    *,
    conjugate: bool,
) -> Any:
    """``x`` times a formula's value. Python numbers raise where NumPy's give inf, so a slope
    that may be singular is computed by NumPy's."""

    def product(h: Expr, *values: Expr) -> Any:
        named = dict(zip((*names, "out"), values, strict=True))
        return scaled(rule, h, named, conjugate=conjugate)

    return in_numpy(product, x, (*inputs, out)) if singular else product(x, *inputs, out)


def in_numpy(function: Callable[..., Any], x: Expr, values: tuple[Expr, ...]) -> Any:
    """``function(x, *values)``; if all are Python scalars, computed by NumPy's scalars."""
    kinds = {v.type.kind for v in (x, *values) if isinstance(v.type, ScalarType)}
    if not all(isinstance(v.type, ScalarType) for v in (x, *values)):
        return function(x, *values)
    result = function(x, *(f.asarray(v, dtype=v.dtype) for v in values))
    if result is None or isinstance(result.type, ScalarType):
        return result
    return f.item(result, kind="complex" if "complex" in kinds else "float")


# ---------------------------------------------------------------------------- surfaces
def _surface_of(target: Any, name: str) -> Callable[..., Any]:
    plain = ufunc_surface(name)
    is_ufunc = isinstance(target, np.ufunc)
    return with_options(target, shown(name), plain) if is_ufunc else plain


def ufunc_surface(name: str) -> Callable[..., Any]:
    """The NumPy spelling: Python scalars alone give a NumPy scalar."""

    def call(b: Any, *args: Any, **options: Any) -> Any:
        refuse(shown(name), options)
        wanted = len(TABLE[name].inputs)
        if len(args) != wanted:
            raise UnsupportedFunctionError(
                f"{shown(name)} is known with {wanted} arguments, got {len(args)}"
            )
        return Expr(b, b.op(name, *(v.value for v in strengthened(b, args))))

    return call


def shown(name: str) -> str:
    """The library's name of an op."""
    prefix = "special_"
    if name.startswith(prefix):
        return f"scipy.special.{name.removeprefix(prefix)}"
    return f"np.{name}"


def with_options(ufunc: Any, what: str, surface: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc's surface with the arguments that all ufuncs have; the order in memory and
    subclasses of arrays have no meaning here."""

    def call(
        b: Any,
        *args: Any,
        where: Any = True,
        dtype: Any = None,
        signature: Any = None,
        sig: Any = None,
        casting: Any = "same_kind",
        order: Any = "K",
        subok: Any = True,
        **rest: Any,
    ) -> Any:
        refuse_where(what, where)
        if need_static(order) not in ("C", "F", "A", "K"):
            raise OptionError(f"{what}: order must be C, F, A or K, got {order!r}")
        wanted = _loop(
            ufunc, need_static(dtype), need_static(sig if signature is None else signature)
        )
        if wanted is None and need_static(casting) != "same_kind":
            wanted = (None,) * (ufunc.nin + ufunc.nout)
        if wanted is not None:
            args = _cast(ufunc, strengthened(b, args), wanted, need_static(casting))
        return surface(b, *args, **rest)

    call.__wrapped__ = surface  # type: ignore[attr-defined]
    return call


def _loop(ufunc: Any, dtype: Any, signature: Any) -> Any:
    """The loop asked for: a dtype or None for each operand; None for NumPy's choice."""
    if signature is None:
        return (
            None if dtype is None else (None,) * ufunc.nin + (dtype_of(dtype),) * ufunc.nout
        )
    if isinstance(signature, str):
        signature = [c for c in signature if c not in "->"]
    if not isinstance(signature, tuple | list):
        signature = (None,) * ufunc.nin + (signature,)
    return tuple(None if c is None else dtype_of(c) for c in signature)


def _cast(ufunc: Any, values: list[Expr], wanted: Any, casting: Any) -> Any:
    """The operands in the dtypes of that loop."""
    given = (*(weak(v.type) for v in values), *[None] * ufunc.nout)
    try:
        found = ufunc.resolve_dtypes(given, signature=wanted, casting=casting)
    except TypeError as error:
        raise DTypeError(f"np.{ufunc.__name__}: {error}") from None
    arrays = (as_array(v.builder, v) for v in values)
    pairs = zip(arrays, found, strict=False)
    return [x if x.dtype == t else f.astype(x, dtype=t) for x, t in pairs]


def strengthened(b: Any, args: Any) -> list[Expr]:
    """Arguments of a NumPy function: lists become arrays, and Python scalars NumPy's unless
    an array among them decides the dtype."""
    values = [as_expr(b, a) for a in args]
    if all(isinstance(v.type, ScalarType) for v in values):
        values = [as_array(b, v) for v in values]
    return values


def refuse_where(what: str, where: Any) -> None:
    """Refuse a mask that leaves entries of a new array undefined.

    Raises:
        UnsupportedFunctionError: with what to write instead.
    """
    if where is not True:
        raise UnsupportedFunctionError(
            f"{what} with `where=` leaves entries of its result undefined; give `out=` too, or "
            "write np.where(mask, ..., ...)"
        )


def refuse(what: str, options: Mapping[str, Any], **defaults: Any) -> None:
    """Refuse keyword arguments that are not implemented, unless they have their defaults.

    Raises:
        UnsupportedFunctionError: naming the argument.
    """
    for key, value in options.items():
        if key not in defaults:
            raise UnsupportedFunctionError(f"{what} has no argument `{key}`")
        if isinstance(value, Expr) or value is not defaults[key] and value != defaults[key]:
            raise UnsupportedFunctionError(
                f"{what} is not supported with `{key}=`; leave it out"
            )


def math_surface(name: str) -> Callable[..., Any]:
    """The ``math`` spelling: Python scalars in, a Python scalar out."""

    def call(b: Any, *args: Any) -> Any:
        values = [python_scalar(b, a, f"math.{name}", "int") for a in args]
        return Expr(b, b.op(name, *(v.value for v in values)))

    return call


def python_scalar(b: Any, x: Any, what: str, whole: str = "float") -> Expr:
    """A real number as ``math`` takes it; ``whole`` is what NumPy's integers become.

    Raises:
        InputTypeError: an array, or a complex number.
    """
    value = Expr(b, lift(b, x))
    t = value.type
    if not isinstance(t, ScalarType | ArrayType) or t.ndim or t.dtype.kind == "c":
        raise InputTypeError(
            f"{what} takes a real number, got {t}; NumPy's functions take arrays"
        )
    if isinstance(t, ScalarType):
        return value
    kind = whole if t.dtype.kind in "biu" else "float"
    return f.item(value, kind=kind)  # type: ignore[no-any-return]
