"""Comparisons, logic and bits, ``where``, maxima and minima, clipping."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import CallError, ShapeError
from ..ir import dims as lengths
from ..ir.expr import Expr, f
from ..ir.types import BOOL, ArrayType, ScalarType, Type
from ..ir.values import Value
from .arithmetic import length_rule
from .elementwise import elementwise, refuse, refuse_where, scalar_kind, weak
from .masks import scale_under_masks, select
from .rules import batching as batching
from .rules.arguments import as_array, as_expr
from .static import need_static
from .table import SURFACE, method, nondiff, op, surface

# ------------------------------------------------------------------------- comparisons
_ORDER = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_EQUALITY = {"equal": "==", "not_equal": "!="}
for _name, _sign in (_ORDER | _EQUALITY).items():
    elementwise(
        _name, inputs="x y", emit=f"x {_sign} y", scalar="bool", traits="nondiff cheap",
        doc=f"x {_sign} y",
    )  # fmt: skip
for _name, _text in {
    "isnan": "nan", "isinf": "infinite", "isfinite": "neither nan nor infinite",
}.items():  # fmt: skip
    elementwise(_name, scalar="bool", traits="nondiff", doc=f"Where x is {_text}.")
elementwise("signbit", scalar="bool", traits="nondiff", doc="Where the sign is minus.",
            emit_scalar="math.copysign(1, x) < 0")  # fmt: skip

# ------------------------------------------------------------------------ logic and bits
for _name, _word in {"logical_and": "and", "logical_or": "or"}.items():
    elementwise(
        _name, inputs="x y", scalar="bool", emit_scalar=f"bool(x {_word} y)",
        traits="nondiff commutative", doc=f"x {_word} y",
    )  # fmt: skip
elementwise("logical_xor", inputs="x y", scalar="bool", emit_scalar="bool(x) != bool(y)",
            traits="nondiff commutative", doc="Exactly one of x and y.")  # fmt: skip
elementwise(
    "logical_not", scalar="bool", emit_scalar="not x", traits="nondiff", doc="not x"
)
for _name, _sign in {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}.items():
    elementwise(
        _name, inputs="x y", emit=f"x {_sign} y", scalar="any", traits="nondiff commutative",
        doc=f"x {_sign} y",
    )  # fmt: skip
for _name, _sign in {"left_shift": "<<", "right_shift": ">>"}.items():
    elementwise(
        _name, inputs="x y", emit=f"x {_sign} y", scalar="same", traits="nondiff",
        doc=f"x {_sign} y",
    )  # fmt: skip
elementwise("invert", emit="~x", scalar="same", traits="nondiff", doc="~x")


def _infer_truth(dims: Any, inputs: tuple[Value, ...]) -> Type:
    t = inputs[0].type
    if isinstance(t, ArrayType) and any(d != 1 for d in t.shape):
        raise ShapeError(
            f"the truth value of an array ({t}) is ambiguous; use np.any(x) or np.all(x)"
        )
    return BOOL


nondiff(
    "not",
    "x",
    _infer_truth,
    "not x",
    traits="cheap",
    batch=batching.truth,
    doc="not x, of one truth value",
)


# ---------------------------------------------------------------------------- closeness
_CLOSE = {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False}


def _infer_truth_of_two(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return BOOL


def _infer_close(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    shapes = [v.type.shape for v in inputs]  # type: ignore[union-attr]
    return ArrayType(np.dtype(np.bool_), dims.broadcast_shapes(*shapes))


nondiff(
    "isclose", "x y", _infer_close,
    "np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)", attrs=_CLOSE,
    batch="broadcast", doc="Where x and y are nearly equal.",
)  # fmt: skip
nondiff(
    "allclose", "x y", _infer_truth_of_two,
    "np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)", attrs=_CLOSE,
    batch=batching.allclose, doc="Whether x and y are nearly equal.",
)  # fmt: skip
nondiff("array_equal", "x y", _infer_truth_of_two,
        "np.array_equal(x, y, equal_nan=equal_nan)", attrs={"equal_nan": False},
        batch=batching.array_equal,
        doc="Whether x and y have the same shape and entries.")  # fmt: skip
nondiff(
    "math_isclose", "x y", _infer_truth_of_two,
    "math.isclose(x, y, rel_tol=rel_tol, abs_tol=abs_tol)",
    attrs={"rel_tol": 1e-09, "abs_tol": 0.0}, doc="Whether two numbers are nearly equal.",
)  # fmt: skip


def _close(name: str) -> Any:
    def call(b: Any, x: Any, y: Any, **options: Any) -> Any:
        known = {key: need_static(value) for key, value in options.items()}
        return getattr(f, name)(as_expr(b, x), as_expr(b, y), **known)

    return call


for _name in ("isclose", "allclose", "array_equal"):
    SURFACE[getattr(np, _name)] = _close(_name)
SURFACE[math.isclose] = _close("math_isclose")


# -------------------------------------------------------------------------------- where
def _infer_where(dims: Any, inputs: tuple[Value, ...]) -> Type:
    types = [v.type for v in inputs]
    if all(isinstance(t, ScalarType) for t in types):
        return scalar_kind(types[1:], "any")
    dtype = np.result_type(*(example(t) for t in types[1:]))
    return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore[union-attr]


def example(t: Type) -> Any:
    """What stands for a type in NumPy's promotion of values: a weak 0, or the dtype."""
    kind = weak(t)
    return kind(0) if isinstance(kind, type) else kind


def _where_jvp(t_x: Any, t_y: Any, condition: Expr) -> Any:
    if t_y is None:
        return select(condition, t_x, beyond=())
    if t_x is None:
        return select(condition, t_y, keep=False, beyond=())
    return f.where(condition, t_x, t_y)


op(
    "where", "condition x y", _infer_where, "np.where(condition, x, y)",
    emit_scalar="x if condition else y",
    vjp={
        "x": lambda g, condition: select(condition, g),
        "y": lambda g, condition: select(condition, g, keep=False),
    },
    jvp=_where_jvp, traits="elementwise additive selects",
    kink="hard zero for what was not selected",
    doc="x where the condition holds, else y.",
)  # fmt: skip


@surface(np.where)
def _where(b: Any, condition: Any, *args: Any) -> Any:
    if not args:
        return SURFACE[np.nonzero](b, condition)
    if len(args) != 2:
        raise ShapeError("np.where takes a condition alone, or both x and y")
    c = as_array(b, condition)
    if c.dtype.kind != "b":
        c = f.not_equal(c, 0)
    return f.where(c, *(as_expr(b, a) for a in args))


# ------------------------------------------------------------------------ larger, smaller
def _share(sharper: str) -> dict[str, Any]:
    """Rules of maximum (``greater``) and minimum (``less``): half to each at a tie."""

    def part(g: Expr, x: Expr, y: Expr) -> Any:
        won, tied = getattr(f, sharper)(x, y), f.equal(x, y)
        whole = select(won, g)
        if whole.value.op is not None and whole.value.op.name == "multiply":
            return whole + 0.5 * g * tied
        return f.where(tied, 0.5 * g, whole)

    def rule(g: Expr, x: Expr, y: Expr) -> Any:
        if x.value is y.value:
            return 0.5 * g
        return scale_under_masks(g, part, (x, y))

    return {
        "x": lambda g, x, y: rule(g, x, y),
        "y": lambda g, x, y: rule(g, y, x),
    }


def _forward(rules: dict[str, Any]) -> dict[str, Any]:
    def jvp(name: str) -> Any:
        return lambda t, x, y: rules[name](t, x, y)

    return {name: jvp(name) for name in rules}


for _name, _sharper, _dim in (
    ("maximum", "greater", lengths.maximum),
    ("minimum", "less", lengths.minimum),
):
    _rules = _share(_sharper)
    elementwise(
        _name, inputs="x y", emit_scalar=f"{_name[:3]}(x, y)", scalar="same", vjp=_rules,
        jvp=_forward(_rules), dim=length_rule(_dim), traits="commutative selects keeps_nan",
        kink="half to each at a tie", doc=f"The {'larg' if _name == 'maximum' else 'small'}er.",
    )  # fmt: skip
for _name, _sign in {"fmax": ">", "fmin": "<"}.items():
    elementwise(
        _name, inputs="x y", scalar="same", traits="commutative selects",
        kink="half to each at a tie", emit_scalar=f"float(np.{_name}(x, y))",
        derivative={
            "x": f"where(x == y, 0.5, where(logical_or(x {_sign} y, isnan(y)), 1, 0))",
            "y": f"where(x == y, 0.5, where(logical_or(y {_sign} x, isnan(x)), 1, 0))",
        },
        doc=f"{_name}: nan only where both are nan.",
    )  # fmt: skip

# ------------------------------------------------------------------------------- clipping
_OUTSIDE = "0 to x outside, 1 on a bound"


def _infer_clip(dims: Any, inputs: tuple[Value, ...]) -> Type:
    types = [v.type for v in inputs]
    dtype = np.result_type(*(example(t) for t in types))
    return ArrayType(dtype, dims.broadcast_shapes(*(t.shape for t in types)))  # type: ignore[union-attr]


elementwise(
    "clip", inputs="x low high", infer=_infer_clip, calls=(), kink=_OUTSIDE,
    traits="selects keeps_nan", derivative={
        "x": "where(logical_and(x >= low, x <= high), 1, 0)",
        "low": "where(logical_and(x < low, low <= high), 1, 0)",
        "high": "where(logical_or(x > high, low > high), 1, 0)",
    },
    doc="x, at least low and at most high.",
)  # fmt: skip
elementwise(
    "clip_low", inputs="x low", infer=_infer_clip, emit="np.clip(x, low, None)", calls=(),
    traits="selects keeps_nan",
    derivative={"x": "where(x >= low, 1, 0)", "low": "where(x < low, 1, 0)"}, kink=_OUTSIDE,
    doc="x, at least low.",
)  # fmt: skip
elementwise(
    "clip_high", inputs="x high", infer=_infer_clip, emit="np.clip(x, None, high)", calls=(),
    traits="selects keeps_nan",
    derivative={"x": "where(x <= high, 1, 0)", "high": "where(x > high, 1, 0)"}, kink=_OUTSIDE,
    doc="x, at most high.",
)  # fmt: skip


_LEFT_OUT = object()


@surface(np.clip)
def _np_clip(
    b: Any, a: Any, a_min: Any = _LEFT_OUT, a_max: Any = _LEFT_OUT, **options: Any
) -> Expr:
    given = (a_min is not _LEFT_OUT, a_max is not _LEFT_OUT)
    if given == (False, False):
        return _clip(b, a, **options)  # type: ignore[no-any-return]
    if not all(given):
        raise CallError("np.clip takes both ends or none by position; one by min= or max=")
    if "min" in options or "max" in options:
        raise CallError("np.clip takes the ends by position or as min= and max=, not both")
    return _clip(b, a, a_min, a_max, **options)  # type: ignore[no-any-return]


@method("clip")
def _clip(b: Any, a: Any, a_min: Any = None, a_max: Any = None, **options: Any) -> Expr:
    low, high = options.pop("min", a_min), options.pop("max", a_max)
    wanted = options.pop("dtype", None)
    refuse_where("np.clip", options.pop("where", True))
    for unused in (
        "order",
        "subok",
        "casting",
    ):  # of memory, of classes, of a dtype's choice
        options.pop(unused, None)
    refuse("np.clip", options)
    x = as_array(b, a)
    if wanted is not None:
        x = f.astype(x, dtype=np.dtype(need_static(wanted)))
    if low is None and high is None:
        return f.positive(x)  # type: ignore[no-any-return]
    if low is None:
        return f.clip_high(x, as_expr(b, high))  # type: ignore[no-any-return]
    if high is None:
        return f.clip_low(x, as_expr(b, low))  # type: ignore[no-any-return]
    return f.clip(x, as_expr(b, low), as_expr(b, high))  # type: ignore[no-any-return]
