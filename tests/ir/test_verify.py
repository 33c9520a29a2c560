"""What the verifier finds, and how it says so."""

from __future__ import annotations

import pytest

from symgrad.errors import InternalError
from symgrad.ir.builder import Builder
from symgrad.ir.parser import parse
from symgrad.ir.types import FLOAT
from symgrad.ir.values import Argument, Block, Function
from symgrad.ir.verify import verify
from symgrad.ops import TABLE

HEAD = "function f(x: float64[n], y: float64[m], c: bool, k: int(k)) -> 0\n"
HEAD += "  dims n != 1, m != 1, k any\n"
BOUNDS = "  _0 = 0 : int(0)\n  _1 = 1 : int(1)\n"

WELL_FORMED = [
    "z = add(x, y) : float64[n]\n  w = add(z, x) : float64[m]\n  return w",
    BOUNDS.strip()
    + "\n  z = for(_0, k, _1, x) : float64[n]\n    do(i: int, a: float64[n])\n"
    "      b = add(a, x) : float64[n]\n      yield b\n  return z",
    "z = if(c) : float64[n]\n    then()\n      yield x\n    else()\n"
    "      u = undef(type=type float) : float\n      yield u\n  return z",
    "z = while(x) : float64[n]\n    test(a: float64[n])\n      yield c\n"
    "    do(b: float64[n])\n      yield c, b\n  return z".replace(
        "while(x)", "while(x, breaks=True)"
    ),
    "m = less(x, y) : bool[n]\n  p = gather(x, m, index=at[mask 0]) : float64[count]\n"
    "  q = gather(x, m, index=at[mask 0]) : float64[other]\n"
    "  r = add(p, q) : float64[count]\n  return r",
    "z = negative(x) : float64[m]\n  return z",
    "s = sum(x) : float64[]\n  v, g = reverse(x, wrt=(0,)) : float64[], float64[n]\n"
    "    of(a: float64[n])\n      t = sum(a) : float64[]\n      yield t\n  return g",
]

MALFORMED = [
    ("z = sum(x) : float64[n]\n  return z", "type float64[n], inferred float64[]"),
    ("z = negative(x) : float64[n + 1]\n  return z", "type float64[n + 1], inferred float64[n]"),
    ("z = negative(x) : float64[1]\n  return z", "type float64[1], inferred float64[n]"),
    ("z = negative(x) : float32[n]\n  return z", "type float32[n], inferred float64[n]"),
    ("z = add(x) : float64[n]\n  return z", "1 inputs, add takes 2"),
    ("z = tanh(x, y) : float64[n]\n  return z", "2 inputs, tanh takes 1"),
    ("z = transpose(x) : float64[n]\n  return z", "attribute 'axes' is missing"),
    ("z = if(x) : float64[n]\n    then()\n      yield x\n    else()\n      yield x\n  return z",
     "is no bool"),
    ("z = if(c) : float64[n]\n    then()\n      yield x\n    else()\n      yield c\n  return z",
     "where float64[n] is expected"),
    ("z = if(c) : float64[n]\n    then()\n      yield x\n    else()\n      yield x, x\n  return z",
     "2 values, not 1"),
    ("z = if(c) : float64[n]\n    then()\n      yield x\n  return z", "1 regions, not 2"),
    ("z = for(k, k, c, x) : float64[n]\n    do(i: int, a: float64[n])\n      yield a\n  return z",
     "start, stop and step have to be ints"),
    ("z = for(k, k, k, x) : float64[n]\n    do(a: float64[n])\n      yield a\n  return z",
     "the first parameter has to be the index"),
    ("z = for(k, k, k, x) : float64[n]\n    do(i: int, a: float64[n])\n      yield k\n  return z",
     "where float64[n] is expected"),
    ("z = for(k, k, k, x, breaks=True) : float64[n]\n    do(i: int, a: float64[n])\n"
     "      yield a\n  return z", "1 results, not 2"),
    ("z = while(x) : float64[n]\n    test(a: float64[n])\n      yield a\n"
     "    do(b: float64[n])\n      yield b\n  return z", "is no bool"),
    ("v, g = reverse(c, wrt=(0,)) : float64[], bool\n    of(a: bool)\n"
     "      t = sum(x) : float64[]\n      yield t\n  return g", "no real parameter"),
    ("v = reverse(x, wrt=()) : int\n    of(a: float64[n])\n      yield k\n  return v",
     "the first result has to be the value"),
]  # fmt: skip


@pytest.mark.parametrize("body", WELL_FORMED)
def test_well_formed(body):
    verify(parse(f"{HEAD}  {body}\n", TABLE))


@pytest.mark.parametrize(("body", "reason"), MALFORMED)
def test_malformed(body, reason):
    with pytest.raises(InternalError) as caught:
        verify(parse(f"{HEAD}  {body}\n", TABLE))
    text = str(caught.value)
    assert text.startswith("malformed IR: ")
    assert reason in text.splitlines()[0]
    arrow = next(line for line in text.splitlines() if "^^^" in line)
    assert reason in arrow


def scalar_function(block: Block) -> Function:
    return Function("f", block, (Argument("x", block.params[0]),), 0)


def test_a_value_read_before_its_definition():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    y = b.op("negative", x, hint="y")
    z = b.op("negative", y, hint="z")
    with pytest.raises(InternalError, match="<y: float> is read before its definition"):
        verify(scalar_function(Block((x,), tuple(reversed(b.ops)), (z,))))


def test_a_value_read_outside_its_region():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    inner = b.sub()
    y = inner.op("negative", x, hint="y")
    condition = b.op("less", x, b.const(0.0))
    b.if_(condition, inner.block([], [y]), b.sub().block([], [x]))
    with pytest.raises(InternalError, match="<y: float> is read outside its region"):
        verify(scalar_function(b.block([x], [y])))


def test_an_op_that_stands_twice():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    y = b.op("negative", x, hint="y")
    with pytest.raises(InternalError, match="<y: float> is defined twice"):
        verify(scalar_function(Block((x,), (*b.ops, *b.ops), (y,))))


def test_mutates_has_to_name_a_result():
    b = Builder(TABLE)
    x = b.param(FLOAT, "x", entry=True)
    function = Function("f", b.block([x], [x]), (Argument("x", x),), 0, mutates=((0, 1),))
    with pytest.raises(InternalError, match="mutates names no parameter 0, result 1"):
        verify(function)
