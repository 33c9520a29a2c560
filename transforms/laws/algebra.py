"""Laws of arithmetic, selection and casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.expr import f
from ...ir.types import ArrayType, ScalarType, is_complex
from ...ir.values import Value
from ...ops.rules.loose import is_loose
from .words import Site, is_number, is_python, law, rank, rule, scalar_constant

# ------------------------------------------------- exact, so in the user's code as well
rule("x * 1 -> x")
rule("x / 1 -> x")
rule("x * -1 -> -x")
rule("x ** 1 -> x")
rule("-(-x) -> x")
rule("x + (-y) -> x - y")
rule("x - (-y) -> x + y")
rule("positive(x) -> x")
rule("logical_not(logical_not(x)) -> x")
rule("where(c, x, x) -> x")
rule("where(c, where(c, x, y), z) -> where(c, x, z)")
rule("where(c, x, where(c, y, z)) -> where(c, x, z)")
rule("where(logical_not(c), x, y) -> where(c, y, x)")
rule("logical_and(x, x) -> x")
rule("logical_or(x, x) -> x")
rule("absolute(absolute(x)) -> absolute(x)")
rule("absolute(-x) -> absolute(x)")
rule("absolute(x) * absolute(x) -> x * x")  # of real numbers: smooth at 0
rule("absolute(x) ** 2 -> x ** 2")
rule("square(absolute(x)) -> square(x)")


@law("matmul", "tensordot", "einsum")
def sum_of_squared_sizes(site: Site) -> Any:
    """As ``absolute(x) * absolute(x)``, entry by entry."""
    sizes = [site.made_by(v, "absolute", "fabs") for v in site.inputs]
    parts = [op.inputs[0] for op in sizes if op is not None]
    if not len(parts) == len(sizes) == 2 or parts[0] is not parts[1]:
        return None
    if is_complex(parts[0].type) or site.kind.letters is None:
        return None
    left, right, *_ = site.kind.letters(tuple(map(rank, parts)), site.attrs)
    return site.builder.op(site.kind, *parts, **site.attrs) if left == right else None


rule("maximum(x, x) -> x")
rule("minimum(x, x) -> x")

# ------------------------------------------------------------------ in derivative code
rule("x + zero -> x", adjoint=True)
rule("x - zero -> x", adjoint=True)
rule("zero - x -> -x", adjoint=True)
rule("x + x -> 2 * x", adjoint=True)
rule("(-x) * y -> -(x * y)", adjoint=True, once=True)
rule("(-x) / y -> -(x / y)", adjoint=True, once=True)
rule("x / (-y) -> -(x / y)", adjoint=True, once=True)
rule("-(x - y) -> y - x", adjoint=True, once=True)
rule("-x - y -> -(x + y)", adjoint=True, once=True)
rule("x * (1 / a) -> x / a", adjoint=True, once=True)
rule("s * (1 / t) -> s / t", adjoint=True, once=True)
rule("x * reciprocal(a) -> x / a", adjoint=True, once=True)
rule("x / (1 / y) -> x * y", adjoint=True, once=True)

# ------------------------------------- in derivative code: one matrix product less
rule("x @ y + x @ z -> x @ (y + z)", adjoint=True, once=True)
rule("x @ y - x @ z -> x @ (y - z)", adjoint=True, once=True)
rule("x @ z + y @ z -> (x + y) @ z", adjoint=True, once=True)
rule("x @ z - y @ z -> (x - y) @ z", adjoint=True, once=True)
rule("(p + x @ y) + x @ z -> p + x @ (y + z)", adjoint=True, once=True)
rule("(p + x @ y) - x @ z -> p + x @ (y - z)", adjoint=True, once=True)
rule("(p - x @ y) + x @ z -> p + x @ (z - y)", adjoint=True, once=True)
rule("(p - x @ y) - x @ z -> p - x @ (y + z)", adjoint=True, once=True)

# ------------------------------------- in derivative code: one product less
rule("x * a + y * a -> (x + y) * a", adjoint=True, once=True)
rule("x * a - y * a -> (x - y) * a", adjoint=True, once=True)
rule("s * x + s * y -> s * (x + y)", adjoint=True, once=True)
rule("s * x - s * y -> s * (x - y)", adjoint=True, once=True)

# ------------------------------------------------- masks last: what is off is a hard zero
rule("where(c, g, zero) * d -> where(c, g * d, 0)", adjoint=True)
rule("where(c, zero, g) * d -> where(c, 0, g * d)", adjoint=True)
rule("where(c, g, zero) / d -> where(c, g / d, 0)", adjoint=True)
rule("where(c, zero, g) / d -> where(c, 0, g / d)", adjoint=True)
rule("-where(c, g, zero) -> where(c, -g, 0)", adjoint=True)
rule("-where(c, zero, g) -> where(c, 0, -g)", adjoint=True)
rule("where(c, x, zero) + where(c, zero, y) -> where(c, x, y)", adjoint=True)
rule("where(c, x, y) + where(c, zero, z) -> where(c, x, y + z)", adjoint=True, once=True)
rule("where(c, x, y) + where(c, z, zero) -> where(c, x + z, y)", adjoint=True, once=True)
rule("where(not_equal(x, zero), x, zero) -> x", adjoint=True)
rule("logical_or(c, logical_and(logical_not(c), d)) -> logical_or(c, d)", adjoint=True)
rule("logical_or(equal(x, y), greater(x, y)) -> greater_equal(x, y)", adjoint=True)
rule("logical_or(equal(x, y), less(x, y)) -> less_equal(x, y)", adjoint=True)
rule("where(c, x, zero) + where(c, y, zero) -> where(c, x + y, 0)", adjoint=True, once=True)
rule("where(c, zero, x) + where(c, zero, y) -> where(c, 0, x + y)", adjoint=True, once=True)


@law("subtract", adjoint=True)
def subtract_negative_multiple(site: Site) -> Any:
    """x - c * y with c < 0 is x + (-c) * y; likewise x + c * y is x - (-c) * y."""
    return _signs_apart(site, f.add)


@law("add", adjoint=True)
def add_negative_multiple(site: Site) -> Any:
    """x + c * y with c < 0 is x - (-c) * y."""
    return _signs_apart(site, f.subtract)


@law("add", adjoint=True)
def add_negative_number(site: Site) -> Any:
    """-2 + x is x - 2."""
    for c, x in (site.inputs, site.inputs[::-1]):
        constant = scalar_constant(c)
        if isinstance(constant, int | float) and constant < 0 and not x.is_constant:
            return f.subtract(site.expr(x), site.expr(site.builder.const(-constant)))
    return None


def _signs_apart(site: Site, combine: Any) -> Any:
    x, scaled = site.inputs
    op = site.made_by(scaled, "multiply", once=True)
    if op is None:
        return None
    for c, y in (op.inputs, op.inputs[::-1]):
        constant = scalar_constant(c)
        if constant is not None and not isinstance(constant, complex) and constant < 0:
            return combine(
                site.expr(x),
                f.multiply(site.expr(site.builder.const(-constant)), site.expr(y)),
            )
    return None


@law("falling_sigmoid", adjoint=True)
def softplus_at_hand(site: Site) -> Any:
    """``exp(-logaddexp(0, x))`` where the user's code has that logarithm already."""
    known = site.at_hand("logaddexp", *site.inputs)
    op = None if known is None else site.made_by(known, "logaddexp")
    if known is None or op is None or not is_number(op.inputs[0], 0):
        return None
    return f.exp(-site.expr(known)) if site.same(known.type, site.type) else None


@law("multiply", adjoint=True)
def constant_first(site: Site) -> Any:
    """x * 4 is 4 * x."""
    x, c = site.inputs
    if scalar_constant(c) is None or not rank(x):
        return None
    return f.multiply(site.expr(c), site.expr(x))


@law("copy")
def copy_of_value(site: Site) -> Any:
    """Values do not change, so a copy is the value (``simplify`` keeps those that are written
    over or handed out)."""
    return site.inputs[0]


# ---------------------------------------------------------------- numbers among arrays
@law(trait="elementwise")
def plain_numbers(site: Site) -> Any:
    """A NumPy scalar made from a Python number is that number where an array decides the
    dtype anyway, also one that multiplies another; in derivative code 2.0 is 2."""
    if len(site.inputs) < 2 or (all(map(is_python, site.inputs)) and not site.adjoint):
        return None
    for position, value in enumerate(site.inputs):
        for plain in _plainer(site, value):
            trial = list(site.inputs)
            trial[position] = plain
            found = site.kind.infer(site.builder.dims, tuple(trial), **site.attrs)
            if found == site.type:
                return site.builder.op(site.kind, *trial, **site.attrs)
    return None


def _plainer(site: Site, value: Value) -> list[Value]:
    constant = scalar_constant(value)
    if isinstance(constant, np.generic) and constant.dtype.char in "efdFDlqi":
        return [site.builder.const(_whole(site, constant.item()))]
    if (
        isinstance(constant, float)
        and site.adjoint
        and _whole(site, constant) is not constant
    ):
        return [site.builder.const(int(constant))]
    op = site.made_by(value, "asarray")
    if (
        op is not None
        and is_python(op.inputs[0])
        and _keeps(op.inputs[0], op.attrs["dtype"])
    ):
        return [op.inputs[0]]
    return _plain_product(site, value) if site.adjoint and not rank(value) else []


def _plain_product(site: Site, value: Value) -> list[Value]:
    """``-n`` for ``np.float64(-1.0) * n``."""
    op = site.made_by(value, "multiply", once=True)
    if op is None or is_python(value):
        return []
    for c, s in (op.inputs, op.inputs[::-1]):
        constant = scalar_constant(c)
        if (
            isinstance(constant, np.generic)
            and constant.dtype.char in "fd"
            and is_python(s)
        ):
            number = site.builder.const(_whole(site, constant.item()))
            return [site.builder.op("multiply", number, s)]
    return []


def _whole(site: Site, number: Any) -> Any:
    """2.0 as 2 in derivative code; not -0.0, which is no int."""
    if not site.adjoint or not isinstance(number, float) or not number.is_integer():
        return number
    plain = abs(number) < 2**31 and (number != 0 or np.copysign(1, number) > 0)
    return int(number) if plain else number


def _keeps(value: Value, dtype: Any) -> bool:
    """Whether the Python scalar's own dtype is ``dtype``, so that nothing was rounded."""
    assert isinstance(value.type, ScalarType)
    return bool(value.type.dtype == np.dtype(dtype))


@law("multiply", adjoint=True)
def one_that_sets_the_dtype(site: Site) -> Any:
    """np.float64(1) times a Python number is that number as a NumPy scalar."""
    for one, s in (site.inputs, site.inputs[::-1]):
        if is_python(s) and not is_python(one) and is_number(one, 1):
            return f.asarray(site.expr(s), dtype=one.type.dtype)  # type: ignore[union-attr]
    return None


# ----------------------------------------------------------------------------------- casts
@law("joined", "astype", "asarray", "item")
def cast_of_nothing(site: Site) -> Any:
    """A cast of what is undefined, and not read, is neither."""
    nothing = site.made_by(site.inputs[0], "undef")
    return None if nothing is None else site.builder.undef(site.type)


@law("astype", "asarray")
def cast_of_same(site: Site) -> Any:
    """A cast to the type it has."""
    [x] = site.inputs
    return x if x.type == site.type and not is_loose(x) else None


@law("astype", "asarray")
def cast_of_cast(site: Site) -> Any:
    """A cast of a cast that lost nothing."""
    [x] = site.inputs
    op = site.made_by(x, "astype", "asarray")
    if op is None or not isinstance(op.inputs[0].type, ArrayType):
        return None
    source, between = op.inputs[0].type.dtype, op.attrs["dtype"]
    if not np.can_cast(source, between, "safe"):
        return None
    inner = site.expr(op.inputs[0])
    cast = f.astype if inner.ndim else f.asarray
    return cast(inner, dtype=site.attrs["dtype"])


@law("asarray")
def array_of_item(site: Site) -> Any:
    """A NumPy scalar made a Python scalar and back."""
    op = site.made_by(site.inputs[0], "item")
    return op.inputs[0] if op is not None and op.inputs[0].type == site.type else None


@law("item")
def item_of_array(site: Site) -> Any:
    """A Python scalar made a NumPy scalar and back, or none to begin with."""
    [x] = site.inputs
    op = site.made_by(x, "asarray", "item")
    inner = x if op is None else op.inputs[0]
    return inner if inner.type == site.type and not is_loose(inner) else None


@law("conjugate", "real")
def real_part_of_real(site: Site) -> Any:
    """Real numbers are their own real part and conjugate."""
    [x] = site.inputs
    return x if x.type == site.type and not is_complex(site.type) else None
