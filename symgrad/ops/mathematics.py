"""Functions of Python's ``math`` that NumPy has not, or not with the same results."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type
from ..ir.values import Value
from . import trigonometric, whole  # noqa: F401  (hypot, gcd and lcm of two)
from .elementwise import elementwise, python_scalar
from .kernels import _on_each, _polygamma, text_of
from .operators import BINARY
from .roots import per_root
from .table import SURFACE, nondiff, op, surface


def _infer_real(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    """A Python float of Python numbers; arrays stand for many of them."""
    shapes = [v.type.shape for v in inputs if isinstance(v.type, ArrayType)]
    if not shapes:
        return ScalarType("float")
    return ArrayType(ScalarType("float").dtype, dims.broadcast_shapes(*shapes))


def _of_float(name: str, op_name: str = "") -> Any:
    def call(b: Any, *args: Any) -> Any:
        values = [python_scalar(b, a, f"math.{name}") for a in args]
        floats = [v if v.type.kind == "float" else f.item(v, kind="float") for v in values]
        return getattr(f, op_name or f"math_{name}")(*floats)

    return call


# -------------------------------------------------------------------------- gamma and erfc
elementwise(
    "math_polygamma", infer=_infer_real, emit="_on_each(_polygamma, x, n)",
    emit_scalar="_polygamma(x, n)", helper=text_of(_polygamma, _on_each), calls=(),
    math_name="", attrs={"n": 0},
    vjp={"x": lambda g, x, n: g * f.math_polygamma(x, n=n + 1)},
    jvp={"x": lambda t, x, n: t * f.math_polygamma(x, n=n + 1)},
    doc="The derivative number n of the logarithmic derivative of the gamma function.",
)  # fmt: skip
for _name, _slope, _text in (
    ("gamma", "out * math_polygamma(x)", "The gamma function."),
    ("lgamma", "math_polygamma(x)", "The logarithm of the absolute gamma function."),
    (
        "erfc",
        f"{-2 / math.sqrt(math.pi)} * exp(-(x * x))",
        "1 minus the error function, exact where that is small.",
    ),
):
    elementwise(
        f"math_{_name}", infer=_infer_real, emit=f"_on_each(math.{_name}, x)",
        emit_scalar=f"math.{_name}(x)", helper=text_of(_on_each), calls=(), math_name="",
        derivative={"x": _slope}, doc=_text,
    )  # fmt: skip
    SURFACE[getattr(math, _name)] = _of_float(_name)


# ---------------------------------------------------------------------- parts of a number
elementwise(
    "math_mantissa", infer=_infer_real, emit="np.frexp(x)[0]", emit_scalar="math.frexp(x)[0]",
    calls=(), math_name="",
    vjp={"x": lambda g, x: f.ldexp(g, -f.math_exponent(x))},
    jvp={"x": lambda t, x: f.ldexp(t, -f.math_exponent(x))},
    kink="constant exponent", doc="A number without its power of 2, 0.5 to 1.",
)  # fmt: skip
elementwise(
    "math_exponent", emit="np.frexp(x)[1]", emit_scalar="math.frexp(x)[1]", calls=(),
    infer=lambda dims, inputs: (
        ArrayType(ScalarType("int").dtype, inputs[0].type.shape)
        if isinstance(inputs[0].type, ArrayType)
        else ScalarType("int")
    ),
    math_name="", traits="nondiff", doc="The power of 2 in a number.",
)  # fmt: skip
elementwise(
    "math_ulp", infer=_infer_real, emit="np.spacing(np.abs(x))", emit_scalar="math.ulp(x)",
    calls=(), math_name="", traits="nondiff", kink="0 everywhere",
    doc="The value of a float's last bit.",
)  # fmt: skip
SURFACE[math.ulp] = _of_float("ulp")


@surface(math.frexp)
def _frexp(b: Any, x: Any) -> Any:
    value = f.item(python_scalar(b, x, "math.frexp"), kind="float")
    return f.math_mantissa(value), f.math_exponent(value)


# ------------------------------------------------------------------------- whole numbers
def _integers(name: str, inputs: str) -> None:
    listed = ", ".join(inputs.split())
    nondiff(
        f"math_{name}", inputs, lambda dims, inputs: ScalarType("int"),
        f"math.{name}({listed})", batch="each", doc=f"math.{name} of integers.",
    )  # fmt: skip

    def call(b: Any, *args: Any) -> Any:
        values = (python_scalar(b, a, f"math.{name}", "int") for a in args)
        return getattr(f, f"math_{name}")(*values)

    SURFACE[getattr(math, name)] = call


_integers("factorial", "x")
_integers("isqrt", "x")
_integers("comb", "x y")
_integers("perm", "x y")


def _of_many(name: str, neutral: int) -> None:
    two = SURFACE[getattr(math, name)]

    def call(b: Any, *args: Any) -> Any:
        if len(args) < 2:
            return two(b, neutral, *args) if args else neutral
        return reduce(lambda x, y: two(b, x, y), args)

    SURFACE[getattr(math, name)] = call


_of_many("gcd", 0)
_of_many("lcm", 1)
_perm = SURFACE[math.perm]
SURFACE[math.perm] = lambda b, n, k=None: (
    SURFACE[math.factorial](b, n) if k is None else _perm(b, n, k)
)


# ------------------------------------------------------------------------- of sequences
@surface(math.prod)
def _prod(b: Any, iterable: Any, *, start: Any = 1) -> Any:
    if isinstance(iterable, Expr):
        return BINARY[ast.Mult](b, start, f.prod(iterable, axis=(0,)))
    return reduce(lambda x, y: BINARY[ast.Mult](b, x, y), list(iterable), start)


op(
    "math_fsum",
    "*values",
    lambda dims, inputs: ScalarType("float"),
    lambda inputs, attrs: ast.Call(
        ast.Attribute(ast.Name("math"), "fsum"), [ast.Tuple(inputs)], []
    ),
    vjp={"values": lambda g: g},
    jvp={"values": lambda t: t},
    batch=lambda values: reduce(operator.add, values),
    doc="math.fsum of Python floats: exact until it is rounded.",
)
op(
    "math_fsum_all", "x", lambda dims, inputs: ScalarType("float"), "math.fsum(x)",
    vjp={"x": lambda g, x: f.full_like(x, g)},
    jvp={"x": lambda t: f.item(f.sum(t, axis=(0,)), kind="float")},
    batch="each", doc="math.fsum of an array: exact until it is rounded.",
)  # fmt: skip


@surface(math.fsum)
def _fsum(b: Any, seq: Any) -> Any:
    if isinstance(seq, Expr):
        return f.math_fsum_all(_rank_1("math.fsum", seq))
    values = [SURFACE[builtins.float](b, v) for v in seq]
    if not any(isinstance(v, Expr) for v in values):
        return math.fsum(values)
    return f.math_fsum(*values)


def _rank_1(what: str, x: Expr) -> Expr:
    if x.ndim != 1:
        raise InputTypeError(f"{what} takes numbers in a sequence, got {x.type}")
    return x


op(
    "math_hypot_all", "x", lambda dims, inputs: ScalarType("float"), "math.hypot(*x)",
    vjp={"x": lambda g, x, out: per_root(g, out) * x},
    jvp={"x": lambda t, x, out: f.item(f.share(f.sum(x * t, axis=(0,)), out), kind="float")},
    batch="each", doc="math.hypot of the entries of an array.",
    kink="0 at 0, where second derivatives are inf or nan",
)  # fmt: skip


@surface(math.hypot)
def _hypot(b: Any, *coordinates: Any) -> Any:
    values = [python_scalar(b, a, "math.hypot") for a in coordinates]
    if len(values) < 3:
        return f.absolute(values[0]) if len(values) == 1 else f.hypot(*values)
    return f.math_hypot_all(SURFACE[np.array](b, [f.item(v, kind="float") for v in values]))


op(
    "math_dist", "x y", lambda dims, inputs: ScalarType("float"), "math.dist(x, y)",
    vjp={
        "x": lambda g, x, y, out: per_root(g, out) * (x - y),
        "y": lambda g, x, y, out: per_root(g, out) * (y - x),
    },
    jvp=lambda x, y, t_x, t_y, out: f.item(
        f.share(f.sum((x - y) * _difference(x, t_x, t_y), axis=(0,)), out), kind="float"
    ),
    batch="each", doc="math.dist of two arrays.",
    kink="0 where both are one point, where second derivatives are inf or nan",
)  # fmt: skip


def _difference(x: Expr, t_x: Any, t_y: Any) -> Any:
    zero = f.zeros_like(x)
    return (zero if t_x is None else t_x) - (zero if t_y is None else t_y)


@surface(math.dist)
def _dist(b: Any, p: Any, q: Any) -> Any:
    if isinstance(p, Expr) and isinstance(q, Expr):
        return f.math_dist(_rank_1("math.dist", p), _rank_1("math.dist", q))
    points: list[Sequence[Any]] = [_listed(p), _listed(q)]
    if len(points[0]) != len(points[1]):
        raise ValueError("both points must have the same number of dimensions")
    pairs = zip(*points, strict=True)
    parts = [SURFACE[builtins.float](b, BINARY[ast.Sub](b, x, y)) for x, y in pairs]
    return SURFACE[math.hypot](b, *parts)


def _listed(x: Any) -> Sequence[Any]:
    if isinstance(x, Expr):
        raise InputTypeError("math.dist takes two tuples or two arrays")
    return list(x)


# ------------------------------------------------------------------- newer than Python 3.11
if hasattr(math, "fma"):
    elementwise(
        "math_fma", infer=_infer_real, inputs="x y z", emit="x * y + z",
        emit_scalar="math.fma(x, y, z)", calls=(), math_name="",
        derivative={"x": "y", "y": "x", "z": "1"}, doc="x * y + z, rounded once.",
    )  # fmt: skip
    SURFACE[math.fma] = _of_float("fma")
if hasattr(math, "sumprod"):
    op(
        "math_sumprod", "x y", lambda dims, inputs: ScalarType("float"),
        "math.sumprod(x, y)", vjp={"x": lambda g, y: y * g, "y": lambda g, x: x * g},
        jvp=lambda x, y, t_x, t_y: sum(
            f.item(f.sum(a * t, axis=(0,)), kind="float")
            for a, t in ((y, t_x), (x, t_y))
            if t is not None
        ),
        batch="each", doc="math.sumprod of two arrays of floats.",
    )  # fmt: skip

    @surface(math.sumprod)
    def _sumprod(b: Any, p: Any, q: Any) -> Any:
        for x in (p, q):
            if not isinstance(x, Expr) or x.dtype.kind != "f":
                raise InputTypeError("math.sumprod takes two arrays of floats here")
        return f.math_sumprod(_rank_1("math.sumprod", p), _rank_1("math.sumprod", q))
