"""Passes one after another on random programs: the results stay, to the last bit where the
program is the user's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.evaluate import evaluate
from symgrad.ir.expr import Expr, apply, f
from symgrad.ir.indexing import Operand, Slice
from symgrad.ir.parser import parse
from symgrad.ir.printer import to_text
from symgrad.ir.types import BOOL, INT, ArrayType
from symgrad.ir.values import Argument, Function
from symgrad.ir.verify import verify
from symgrad.ops import TABLE
from symgrad.transforms.cse import cse
from symgrad.transforms.dce import dce
from symgrad.transforms.fold import fold
from symgrad.transforms.licm import licm
from symgrad.transforms.simplify import simplify

PASSES = [fold, simplify, cse, dce, licm]
VECTOR = ArrayType(np.dtype(np.float64), (symbol("n", not_one=True),))
PART = (Slice(1, 4),)


class Program:
    """A random program over vectors, with branches, loops, stores and masks."""

    def __init__(self, seed: int, role: str) -> None:
        self.random = random.Random(seed)
        b = Builder(TABLE)
        self.x = b.param(VECTOR, "x", entry=True)
        self.y = b.param(VECTOR, "y", entry=True)
        self.k = b.param(INT, "k", entry=True)
        self.c = b.param(BOOL, "c", entry=True)
        b.role = role
        values = self.ops(b, [self.x, self.y], 40, 2)
        results = self.random.sample(values, 3)
        params = [self.x, self.y, self.k, self.c]
        arguments = tuple(Argument(p.name, p) for p in params)
        self.function = Function("f", b.block(params, results), arguments, 0)

    def ops(self, b, values, count, depth):
        values = list(values)
        for _ in range(count):
            p, q = (Expr(b, self.random.choice(values[-3:])) for _ in range(2))
            kinds = len(self.plain(p, q)) + (3 if depth else 0)
            kind = self.random.randrange(kinds)
            if kind < len(self.plain(p, q)):
                values.append(self.plain(p, q)[kind]().value)
            else:
                values += self.control(b, values, kind % 3, depth - 1)
        return values

    def plain(self, p, q):
        b, number = p.builder, self.random.choice([0, 1, 2, -1, 0.5, -3.0])
        return [
            lambda: p * q,
            lambda: p + q,
            lambda: p - q,
            lambda: -p,
            lambda: number * p,
            lambda: p / 4,
            lambda: f.tanh(p),
            lambda: p + f.zeros_like(q),
            lambda: f.where(f.less(p, q), p, 0) * q,
            lambda: f.where(f.less(p, q), q, p),
            lambda: f.broadcast_to(f.sum(q), *p.shape) * p,
            lambda: f.sum(p) * q,
            lambda: apply("store", p, number, index=PART),
            lambda: apply("add_store", p, apply("index", q, index=PART), index=PART),
            lambda: apply("store", p, apply("index", p, index=PART), index=PART),
            lambda: apply(
                "add_store",
                apply("store", p, 0, index=PART),
                apply("index", q, index=PART),
                index=PART,
            ),
            lambda: apply("store", p, number, Expr(b, b.const(2)), index=(Operand(0),)),
            lambda: f.astype(p, dtype=np.dtype(np.float32)) + q,
        ]

    def control(self, b, values, kind, depth):
        if kind == 0:
            blocks = []
            for _ in range(2):
                inner = b.sub()
                made = self.ops(inner, values, 4, depth)
                blocks.append(inner.block([], [made[-1], self.random.choice(made)]))
            return b.if_(Expr(b, self.c).value, *blocks)
        inner = b.sub()
        init = [self.random.choice(values) for _ in range(3)]
        if kind == 1:
            zero, one = b.const(0), b.const(1)
            index = inner.index_param(0)
            carried = [inner.param(VECTOR, name) for name in "abd"]
            made = self.ops(inner, [*values[-2:], *carried], 5, depth)
            results = [made[-1], made[-2], self.random.choice(carried)]
            return b.for_(zero, self.k, one, init, inner.block([index, *carried], results))
        count = b.const(0)
        test = b.sub()
        tested = [test.param(INT, "i"), *(test.param(VECTOR, n) for n in "pqr")]
        more = test.op("less", tested[0], self.k)
        carried = [inner.param(INT, "j"), *(inner.param(VECTOR, n) for n in "stu")]
        made = self.ops(inner, [*values[-2:], *carried[1:]], 5, depth)
        following = inner.op("add", carried[0], inner.const(1))
        results = [following, made[-1], made[-2], self.random.choice(carried[1:])]
        out = b.while_(
            [count, *init], test.block(tested, [more]), inner.block(carried, results)
        )
        return out[1:]


@pytest.mark.parametrize("role", ["", "backward"])
@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed, role):
    program = Program(seed, role)
    function = program.function
    verify(function)
    assert to_text(parse(to_text(function), TABLE)) == to_text(function)
    rng = np.random.default_rng(seed)
    calls = [
        (rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 5), k, c)
        for k, c in ((0, True), (2, False), (3, True))
    ]
    with np.errstate(all="ignore"):
        expected = [evaluate(function, args) for args in calls]
    for step in program.random.choices(PASSES, k=7):
        function = step(function)
        verify(function)
        with np.errstate(all="ignore"):
            found = [evaluate(function, args) for args in calls]
        for want, have in zip(expected, found, strict=True):
            for a, b in zip(want, have, strict=True):
                same(a, b, exact=role == "", step=step.__name__)


def same(a, b, *, exact, step):
    assert a.dtype == b.dtype, step
    if exact:
        np.testing.assert_array_equal(a, b, err_msg=step)
    elif np.all(np.isfinite(a)) and np.max(np.abs(a), initial=0) < 1e6:
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=step)
