"""Python's operators and builtins: values and types of any mix of operands."""

import ast
import builtins
import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

from symgrad.errors import InputTypeError, ShapeError
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.expr import Expr
from symgrad.ir.types import BOOL, FLOAT, INT, ScalarType
from symgrad.ops import TABLE
from symgrad.ops.operators import BINARY, COMPARE, UNARY
from symgrad.ops.static import NeedsStatic

from .building import surface, traced, value

FLOATS = [2.5, np.float32(1.5), np.array([1.5, -2.0]), np.array([0.5, 3.0], np.float32)]
INTS = [7, True, np.int16(3), np.array([4, 9]), np.array([1, 2], np.uint8)]
PYTHON = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
TESTED = [kind for kind in (*BINARY, *COMPARE) if kind is not ast.MatMult]


def same(got: Any, expected: Any) -> None:
    assert type(got) is type(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", TESTED, ids=lambda k: k.__name__)
def test_binary(kind: Any) -> None:
    function = {**BINARY, **COMPARE}[kind]
    operands = INTS if kind in BITS else [*FLOATS, *INTS]
    for x, y in itertools.product(operands, repeat=2):
        if kind is ast.Pow and type(x) in (int, bool) and type(y) in (int, bool):
            continue  # see below
        with np.errstate(all="ignore"):
            expected = PYTHON[kind](x, y)
            made = traced(lambda x, y: function(x.builder, x, y), x, y)
            got = value(lambda x, y: function(x.builder, x, y), x, y)
        same(got, expected)
        t = made.block.results[0].type
        assert isinstance(t, ScalarType) == (
            not isinstance(expected, np.ndarray | np.generic)
        )
        assert t.dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("x", [2.5, 3, True, np.float32(2), np.array([1.0, -2.0])])
def test_unary(x: Any) -> None:
    for kind, expected in ((ast.USub, operator.neg), (ast.UAdd, operator.pos)):
        if isinstance(x, bool):
            continue
        same(value(lambda x, k=kind: UNARY[k](x.builder, x), x), expected(x))
    if np.ndim(x) == 0:
        same(value(lambda x: UNARY[ast.Not](x.builder, x), x), not x)


def test_not_of_an_array_is_ambiguous() -> None:
    with pytest.raises(ShapeError, match=r"ambiguous; use np.any\(x\) or np.all\(x\)"):
        value(lambda x: UNARY[ast.Not](x.builder, x), np.ones(3))


def test_invert() -> None:
    x = np.array([True, False])
    same(value(lambda x: UNARY[ast.Invert](x.builder, x), x), ~x)


def test_invert_of_an_int() -> None:
    same(value(lambda x: UNARY[ast.Invert](x.builder, x), 6), -7)


def int_power(x: int, y: int) -> Any:
    builder = Builder(TABLE)
    base = Expr(builder, builder.param(INT, "x", entry=True))
    return BINARY[ast.Pow](builder, base, y).type


def test_int_powers() -> None:
    assert int_power(2, 3) == INT
    assert int_power(2, -1) == FLOAT
    assert value(lambda x: BINARY[ast.Pow](x.builder, x, -1), 2) == 0.5
    assert type(value(lambda x: BINARY[ast.Pow](x.builder, x, 3), 2)) is int


def test_int_to_an_unknown_int_has_to_be_known() -> None:
    with pytest.raises(NeedsStatic):
        value(lambda x, y: BINARY[ast.Pow](x.builder, x, y), 2, 3)


def test_lengths_are_followed_through_arithmetic() -> None:
    builder = Builder(TABLE)
    n = Expr(builder, builder.param(INT, "n", entry=True))
    assert n.value.dim is not None
    length = symbol("n", lo=None)
    assert ((n + 3) * 2 - 1).value.dim == length * 2 + 5
    assert (-n).value.dim == length * -1
    assert ((n * 4) // 2).value.dim == length * 2
    assert str(surface(max)(n, 0).value.dim) == "max(0, n)"


@pytest.mark.parametrize("bad", ["text", None, [1, 2]])
def test_operands_that_are_no_numbers(bad: Any) -> None:
    with pytest.raises(InputTypeError, match="expected numbers or arrays"):
        value(lambda x: BINARY[ast.Add](x.builder, x, bad), 1.5)


def test_a_list_beside_an_array() -> None:
    same(
        value(lambda x: BINARY[ast.Add](x.builder, x, [1, 2]), np.ones(2)),
        np.array([2.0, 3.0]),
    )


BUILTINS = [
    (abs, (-2.5,)), (abs, (-3,)), (pow, (2.0, 3)), (divmod, (7.5, 2)), (divmod, (7, -2)),
    (round, (2.5,)), (round, (7,)), (int, (2.9,)), (float, (3,)),
    (bool, (0.0,)), (complex, (2.0,)), (max, (1.5, 2.5)), (min, (1.5, 2.5, -1.0)),
    (max, (3, 5)), (math.floor, (2.5,)), (math.ceil, (2.5,)), (math.trunc, (-2.5,)),
    (math.fmod, (7.5, -2.0)), (math.remainder, (7.5, 2.0)), (math.copysign, (2.0, -1.0)),
    (math.hypot, (3.0, 4.0, 12.0)), (math.atan2, (1.0, -1.0)), (math.log, (8.0, 2)),
    (math.log1p, (0.5,)), (math.pow, (2, 0.5)), (math.degrees, (1.5,)), (math.modf, (2.75,)),
    (math.isnan, (2.5,)), (math.isfinite, (2.5,)), (math.factorial, (5,)), (math.gcd, (12, 18)),
    (math.comb, (5, 2)), (math.fabs, (-2,)), (math.exp2, (3.0,)), (math.cbrt, (27.0,)),
    (operator.mul, (2, 3.5)), (operator.truth, (2,)), (operator.not_, (2,)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), BUILTINS)
def test_builtins(function: Any, args: Any) -> None:
    got, expected = value(surface(function), *args), function(*args)
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    for x, y in zip(got, expected, strict=True):
        assert type(x) is type(y)
        assert x == pytest.approx(y, rel=1e-14)


def test_round_to_decimals() -> None:
    assert value(lambda x: surface(round)(x, 2), 2.345) == round(2.345, 2)


def test_builtins_of_sequences() -> None:
    x = np.array([1.5, 4.0, 2.5])
    assert value(surface(sum), x) == 8.0
    assert value(surface(max), x) == 4.0
    assert value(lambda a, c: surface(sum)([a, c, 2], a), 1.5, 4.0) == 9.0
    assert value(lambda a, c: surface(math.prod)([a, c], start=a), 1.5, 4.0) == 9.0
    assert value(lambda a, c: surface(math.fsum)([a, c]), 1.5, 4.0) == 5.5
    assert value(lambda a, c: surface(math.dist)([a, 0.0], [c, 6.0]), 0.0, 8.0) == 10.0


def test_python_max_of_numpy_numbers_ignores_nan_as_python_does() -> None:
    x, y = np.float64(1.0), np.float64(np.nan)
    assert value(surface(max), x, y) == builtins.max(x, y)


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (max, (np.ones(2), np.ones(2)), "np.maximum"),
        (math.sin, (np.ones(2),), "NumPy's functions take arrays"),
        (max, (np.ones((2, 2)),), "expected a sequence or an array of rank 1"),
    ],
)
def test_refusals(function: Any, args: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        value(surface(function), *args)


def test_types_of_python_numbers() -> None:
    for x, y, expected in ((True, True, INT), (2, 2.5, FLOAT)):
        assert traced(lambda x, y: x + y, x, y).block.results[0].type == expected
    assert traced(lambda x, y: x < y, 1, 2).block.results[0].type == BOOL
