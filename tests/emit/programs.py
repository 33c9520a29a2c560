"""Random programs: arrays and parts of them, stores, loops, branches, lists."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from symgrad.ir.builder import Builder
from symgrad.ir.indexing import Slice
from symgrad.ir.tree import Node
from symgrad.ir.types import FLOAT, INT, ArrayType, ListType
from symgrad.ir.values import Argument, Function, Value
from symgrad.ops import TABLE

FULL = ArrayType(np.dtype(float), (6,))
PART = ArrayType(np.dtype(float), (5,))
SLICES = ((Slice(1, None),), (Slice(None, -1),))
NAMES = ("", "", "u", "v", "x", "g_x")


class Maker:
    """Makes one function from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def function(self) -> Function:
        """A function of two arrays, a float and an int."""
        rng = self.rng
        b = Builder(TABLE)
        x, y = (b.param(FULL, name, entry=True) for name in ("x", "y"))
        s, n = b.param(FLOAT, "s", entry=True), b.param(INT, "n", entry=True)
        full, part = [x, y], []
        self.steps(b, full, part, [s], n, rng.randint(4, 12), 0)
        results = [self.pick(full) for _ in range(rng.randint(1, 3))]
        results += [self.pick(part)] if part and rng.random() < 0.4 else []
        mutates: tuple[tuple[int, int], ...] = ()
        if rng.random() < 0.3:
            final = rng.choice([v for v in full if v is not y])
            mutates = ((0, len(results)),)
            results.append(final)
        block = b.block([x, y, s, n], results)
        notes = {"derivative": True} if rng.random() < 0.5 and not mutates else {}
        arguments = tuple(Argument(p.name, p) for p in block.params)
        returns = Node("tuple", tuple(range(len(results) - len(mutates))))
        return Function("f", block, arguments, returns, mutates=mutates, notes=notes)

    def pick(self, values: list[Value]) -> Value:
        """A value, recent ones rather than old ones."""
        recent = values[-3:] if self.rng.random() < 0.6 else values
        return self.rng.choice(recent)

    def named(self, value: Value) -> Value:
        value.name = self.rng.choice(NAMES)
        return value

    def steps(
        self,
        b: Builder,
        full: list[Value],
        part: list[Value],
        scalars: list[Value],
        n: Value,
        count: int,
        depth: int,
    ) -> None:
        """Append ``count`` random steps; new values go to the lists."""
        for _ in range(count):
            kind = self.rng.choice(
                ["calc"] * 5
                + ["part"] * 3
                + ["store"] * 4
                + ["item", "if", "for", "for", "while", "lists"]
            )
            if depth > 1 and kind in ("if", "for", "while", "lists"):
                kind = "store"
            getattr(self, kind)(b, full, part, scalars, n, depth)

    def calc(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        pool = part if part and self.rng.random() < 0.4 else full
        kind = self.rng.choice(
            ["add", "subtract", "multiply", "tanh", "negative", "scale", "flip", "spread"]
        )
        if kind == "flip":
            full.append(
                self.named(b.op("index", self.pick(full), index=(Slice(None, None, -1),)))
            )
            return
        if kind == "spread":
            item = b.op("index", self.pick(full), index=(self.rng.randint(0, 5),))
            full.append(self.named(b.op("broadcast_to", item, b.const(6))))
            return
        if kind == "scale":
            made = b.op("multiply", self.pick(scalars), self.pick(pool))
        elif kind in ("tanh", "negative"):
            made = b.op(kind, self.pick(pool))
        else:
            made = b.op(kind, self.pick(pool), self.pick(pool))
        pool.append(self.named(made))

    def part(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        part.append(
            self.named(b.op("index", self.pick(full), index=self.rng.choice(SLICES)))
        )

    def store(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        kind = self.rng.choice(["store", "add_store"])
        source = self.pick(part) if part and self.rng.random() < 0.7 else self.pick(scalars)
        made = b.op(kind, self.pick(full), source, index=self.rng.choice(SLICES))
        full.append(self.named(made))

    def item(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        made = b.op("index", self.pick(full), index=(self.rng.randint(0, 5),))
        scalars.append(self.named(b.op("tanh", made)))

    def if_(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        condition = b.op("less", self.pick(scalars), b.const(0.1))
        blocks = []
        for _ in range(2):
            inner = b.sub()
            f, p, s = list(full), list(part), list(scalars)
            self.steps(inner, f, p, s, n, self.rng.randint(0, 3), depth + 1)
            blocks.append(inner.block([], [self.pick(f), self.pick(f), self.pick(s)]))
        kinds = [r.type for r in blocks[0].results]
        if kinds != [r.type for r in blocks[1].results]:
            return
        *arrays, scalar = b.if_(condition, *blocks)
        full.extend(map(self.named, arrays))
        scalars.append(self.named(scalar))

    def for_(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        zero, one = b.const(0), b.const(1)
        count = self.rng.randint(1, 3)
        inits = [self.pick(full) for _ in range(count)]
        inner = b.sub()
        index = inner.index_param(0, "i")
        params = [self.named(Value(FULL)) for _ in inits]
        f, p, s = [*full, *params], list(part), list(scalars)
        self.steps(inner, f, p, s, n, self.rng.randint(1, 5), depth + 1)
        following = [self.pick(f) for _ in params]
        results: list[Value] = following
        breaks = self.rng.random() < 0.3
        if breaks:
            stop = inner.op("less", self.pick(s), inner.const(-0.2))
            results = [stop, *following]
        body = inner.block([index, *params], results)
        full.extend(map(self.named, b.for_(zero, n, one, inits, body, breaks=breaks)))

    def while_(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        """A loop with a counter of its own."""
        inits = [self.pick(full) for _ in range(self.rng.randint(1, 2))]
        test, inner = b.sub(), b.sub()
        outer = [self.named(Value(FULL)) for _ in inits]
        params = [self.named(Value(FULL)) for _ in inits]
        counts = [Value(INT, "count"), Value(INT, "count")]
        limit = n
        if self.rng.random() < 0.5:
            limit = test.op("minimum", n, test.const(2))
        condition = test.block([counts[0], *outer], [test.op("less", counts[0], limit)])
        f, p, s = [*full, *params], list(part), list(scalars)
        self.steps(inner, f, p, s, n, self.rng.randint(1, 4), depth + 1)
        following = [self.pick(f) for _ in params]
        count = inner.op("add", counts[1], inner.const(1))
        body = inner.block([counts[1], *params], [count, *following])
        _, *results = b.while_([b.const(0), *inits], condition, body)
        full.extend(map(self.named, results))

    def lists(
        self, b: Builder, full: Any, part: Any, scalars: Any, n: Value, depth: int
    ) -> None:
        """Something saved in each round of a loop, and read again backwards."""
        zero, one = b.const(0), b.const(1)
        kind = ListType(FULL)
        first = b.sub()
        index, xs, x = first.index_param(0, "i"), Value(kind, "saved"), Value(FULL, "x")
        f = [*full, x]
        self.steps(
            first, f, list(part), list(scalars), n, self.rng.randint(1, 3), depth + 1
        )
        pushed = first.op("list_push", xs, self.pick(f))
        self.steps(
            first, f, list(part), list(scalars), n, self.rng.randint(0, 2), depth + 1
        )
        body = first.block([index, xs, x], [pushed, self.pick(f)])
        saved, out = b.for_(
            zero, n, one, [b.op("list_new", type=kind), self.pick(full)], body
        )
        second = b.sub()
        index, xs, g = (
            second.index_param(0, "i"),
            Value(kind, "saved"),
            Value(FULL, "g_x"),
        )
        rest, x = second.op("list_pop", xs)
        f = [*full, x, g]
        self.steps(
            second, f, list(part), list(scalars), n, self.rng.randint(1, 4), depth + 1
        )
        body = second.block([index, xs, g], [rest, self.pick(f)])
        _, result = b.for_(zero, n, one, [saved, self.pick(full)], body)
        full.extend([self.named(out), self.named(result)])


setattr(Maker, "if", Maker.if_)
setattr(Maker, "for", Maker.for_)
setattr(Maker, "while", Maker.while_)
