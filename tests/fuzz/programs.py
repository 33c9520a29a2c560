"""Whole functions as text: statements of every supported kind, nested."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from . import flow, forms, kinds, objects, recurrences, views
from .expressions import DRAW, Expressions, Lines, Scope, Shape, Var, indented

SHAPES: tuple[Shape, ...] = (("n",), ("n", "k"), ("k",), (), ("n - 1",))
HEAD = """import math
from dataclasses import dataclass

import numpy as np

import symgrad as sg
"""


class Program:
    """Draws one module with ``f(x, y, m, s, q)``: vectors, a matrix, a number, an int."""

    def __init__(
        self, draw: DRAW, writes_arguments: bool = False, single: bool = False
    ) -> None:
        self.e = Expressions(draw)
        self.count = 0
        self.loops = 0
        self.writes_arguments = writes_arguments
        self.single = single
        self.helpers: Lines = []
        self.depth = 0

    def text(self) -> str:
        scope = Scope()
        for name, shape in (("x", ("n",)), ("y", ("n",)), ("m", ("n", "k")), ("s", ())):
            scope.variables[name] = Var(name, shape, writable=self.writes_arguments)
        for _ in range(self.e.draw(3)):
            self.helper(scope)
        body = ["v = x * 1.5", "w = m + s"]
        scope.variables["v"] = Var("v", ("n",))
        scope.variables["w"] = Var("w", ("n", "k"))
        body += self.block(scope, 2 + self.e.draw(6))
        body.append(f"return {self.result(scope)}")
        lines = [*self.helpers, "def f(x, y, m, s, q):", *indented(body)]
        return HEAD + objects.HEAD + forms.HEAD + "\n".join(lines) + "\n"

    def result(self, scope: Scope) -> str:
        parts = [
            f"np.sum(np.sin({v.name}))" if v.shape else f"math.sin({v.name})"
            for v in scope.variables.values()
        ]
        parts += [kinds.result(v) for v in scope.others.values()]
        parts += [f"sum([np.sum(e) for e in {name}])" for name in scope.lists]
        return " + ".join(parts)

    def fresh(self, stem: str = "t") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # -- helpers ------------------------------------------------------------------------
    def helper(self, scope: Scope) -> None:
        name = f"h{len(scope.helpers)}"
        inner = scope.copy()
        inner.variables = {
            "x": Var("x", ("n",)),
            "y": Var("y", ("n",)),
            "m": Var("m", ("n", "k")),
            "s": Var("s", ()),
        }
        inner.helpers = []
        shape = self.e.pick(SHAPES[:4])
        lines: Lines = []
        if self.e.chance(50):
            at = self.e.index(inner, "n")
            lines.append(f"x[{at}] = {self.e.make(inner, (), 1)}")
        if self.e.chance(40):
            lines.append(f"if {self.e.condition(inner)}:")
            lines.append(f"    return {self.e.make(inner, shape)}")
        if self.e.chance(30):
            lines.append(f"x *= {self.e.make(inner, (), 1)}")
        lines.append(f"return {self.e.make(inner, shape)}")
        self.helpers += [f"def {name}(x, y, m, s, q=3):", *indented(lines), "", ""]
        scope.helpers.append((name, shape))

    # -- statements ---------------------------------------------------------------------
    def block(self, scope: Scope, count: int) -> Lines:
        lines: Lines = []
        for _ in range(count):
            lines += self.statement(scope)
        return lines or ["pass"]

    def statement(self, scope: Scope) -> Lines:
        found: list[Callable[[Scope], Lines]] = [
            self.assign, self.assign, self.augment, self.store, self.store, self.view,
            self.alias, self.call, self.mutator, self.listed, self.pair, self.inner_grad,
            self.select, self.filled, self.shared, self.cast,
        ]  # fmt: skip
        for room in (kinds, views, flow, objects, forms, recurrences):
            found += [partial(kind, self) for kind in room.STATEMENTS]
        if self.depth < 3:
            found += [self.branch, self.branch, self.loop, self.loop, self.whiles]
            found += [partial(kind, self) for kind in flow.NESTED]
        if self.loops:
            found += [self.leave, self.early]
        found.append(self.early)
        return self.e.pick(found)(scope)

    def target(self, scope: Scope, shape: Shape) -> str:
        old = [v.name for v in scope.of(shape) if v.writable and v.name not in "xym"]
        if old and self.e.chance(60):
            return str(self.e.pick(old))
        return self.fresh()

    def assign(self, scope: Scope) -> Lines:
        shape = self.e.pick(SHAPES)
        value = self.e.make(scope, shape)
        name = self.target(scope, shape)
        if shape:
            value = f"{value} * 1.0" if value.isidentifier() else value
        scope.variables[name] = Var(name, shape)
        return [f"{name} = {value}"]

    def augment(self, scope: Scope) -> Lines:
        v = self.writable(scope, scalars=True)
        if v is None:
            return self.assign(scope)
        sign = self.e.pick(("+=", "-=", "*="))
        value = self.e.make(scope, self.e.pick((v.shape, ())), 2)
        return [f"{v.name} {sign} {f'np.tanh({value})' if sign == '*=' else value}"]

    def writable(self, scope: Scope, scalars: bool = False) -> Var | None:
        found = [v for v in scope.variables.values() if v.writable and (v.shape or scalars)]
        found = [v for v in found if v.shape or v.name != "s"]
        return self.e.pick(found) if found else None

    def store(self, scope: Scope) -> Lines:
        v = self.writable(scope)
        if v is None:
            return self.assign(scope)
        sign = self.e.pick(("=", "=", "+=", "*=", "-="))
        first = v.shape[0]
        options: list[tuple[str, Shape]] = [(self.e.index(scope, first), v.shape[1:])]
        if len(v.shape) == 1 and first == "n":
            options += [
                ("1:", ("n - 1",)), (":-1", ("n - 1",)), ("::-1", ("n",)), ("::2", ()),
                (":", ("n",)), ("[0, 2, 0]", ()), (f"{v.name} > 0.5", ()), ("...", ()),
                (f"{self.e.index(scope, first)}:", ()),
            ]  # fmt: skip
        elif len(v.shape) == 2:
            options += [
                (f":, {self.e.index(scope, v.shape[1])}", (first,)),
                (f"{self.e.index(scope, first)}, {self.e.index(scope, v.shape[1])}", ()),
                ("::-1, 1", (first,)), (":, ::-1", v.shape), ("1:-1, 1:", ()),
                (f"{v.name} > 0.6", ()),
            ]  # fmt: skip
        at, shape = self.e.pick(options)
        value = self.e.make(scope, shape)
        return [f"{v.name}[{at}] {sign} np.tanh({value})"]

    def view(self, scope: Scope) -> Lines:
        base = self.e.pick([v for v in scope.variables.values() if v.shape])
        options: list[tuple[str, Shape]] = [("[::-1]", base.shape), ("[...]", base.shape)]
        if base.shape == ("n",):
            options += [
                ("[1:]", ("n - 1",)),
                ("[:-1]", ("n - 1",)),
                ("[:, None]", ("n", "1")),
            ]
        if base.shape == ("n", "k"):
            options += [
                (f"[{self.e.index(scope, 'n')}]", ("k",)), (".T[0]", ("n",)),
                (f"[:, {self.e.index(scope, 'k')}]", ("n",)), (".T.T", ("n", "k")),
                (".reshape(m.shape)", ("n", "k")),
            ]  # fmt: skip
        how, shape = self.e.pick(options)
        name = self.fresh("u")
        scope.variables[name] = Var(name, shape, writable=base.writable)
        return [f"{name} = {base.name}{how}"]

    def alias(self, scope: Scope) -> Lines:
        base = self.e.pick(list(scope.variables.values()))
        name = self.fresh("a")
        scope.variables[name] = Var(name, base.shape, writable=base.writable)
        return [f"{name} = {base.name}"]

    def call(self, scope: Scope) -> Lines:
        if not scope.helpers:
            return self.assign(scope)
        name, shape = self.e.pick(scope.helpers)
        vectors = [v.name for v in scope.of(("n",)) if v.writable]
        first = self.e.pick(vectors) if vectors else "x.copy()"
        args = [first, *(self.e.make(scope, s, 1) for s in (("n",), ("n", "k"), ()))]
        made = self.target(scope, shape)
        # what a helper returns may be a view of an argument
        scope.variables[made] = Var(made, shape)
        ending = " * 1.0" if self.e.chance(60) else ""
        return [
            f"{made} = {name}({', '.join(args)}, {self.e.pick(('q', '2', 'q + 1'))}){ending}"
        ]

    def mutator(self, scope: Scope) -> Lines:
        v = self.writable(scope)
        if v is None:
            return self.assign(scope)
        value = self.e.make(scope, v.shape, 1)
        number = self.e.make(scope, (), 1)
        options = [
            f"{v.name}.fill({number})",
            f"np.copyto({v.name}, {value})",
            f"np.add({v.name}, {value}, out={v.name})",
            f"np.sin({value}, out={v.name})",
            f"np.multiply({v.name}[::-1], 0.5, out={v.name})",
        ]
        if v.shape == ("n",):
            options.append(f"np.add.at({v.name}, np.array([0, 1, 1]), {number})")
            options.append(f"{v.name}[0], {v.name}[1] = {v.name}[1], {v.name}[0]")
        return [str(self.e.pick(options))]

    def listed(self, scope: Scope) -> Lines:
        if scope.lists and self.e.chance(80):
            name = self.e.pick(sorted(scope.lists))
            shape = scope.lists[name]
            if self.e.chance(50):
                return [f"{name}.append({self.e.make(scope, shape)})"]
            made = self.fresh()
            scope.variables[made] = Var(made, shape)
            return [f"{made} = {name}[{self.e.pick(('-1', '0'))}]"]
        name, shape = self.fresh("c"), self.e.pick((("n",), (), ("k",)))
        lines = [f"{name} = [{self.e.make(scope, shape)}]"]
        scope.lists[name] = shape
        return lines

    def pair(self, scope: Scope) -> Lines:
        shape = self.e.pick(SHAPES[:3])
        names = [v.name for v in scope.of(shape) if v.writable]
        if len(names) > 1 and self.e.chance(60):
            a, b = names[0], self.e.pick(names[1:])
            return [f"{a}, {b} = {b}, {a}"]
        name = self.fresh("d")
        made = self.fresh()
        inside = self.e.make(scope, ())
        lines = [
            f'{name} = {{"a": {self.e.make(scope, shape)}, "b": ({inside}, {inside})}}',
            f'{name}["a"] = {name}["a"] * {name}["b"][0]',
            f'{made} = np.sum({name}["a"]) + {name}["b"][1]',
        ]
        scope.variables[made] = Var(made, ())
        return lines

    def select(self, scope: Scope) -> Lines:
        """One of two arrays, which may then be written to."""
        shape = self.e.pick(SHAPES[:3])
        found = [v for v in scope.of(shape) if v.writable]
        if len(found) < 2:
            return self.alias(scope)
        a, b = found[0], self.e.pick(found[1:])
        name = self.fresh("w")
        scope.variables[name] = Var(name, shape)
        if self.e.chance(50):
            return [f"{name} = {a.name} if {self.e.condition(scope)} else {b.name}"]
        return [
            f"{name} = {a.name}",
            f"if {self.e.condition(scope)}:",
            f"    {name} = {b.name}{self.e.pick(('', '[::-1]', ' * 1.5'))}",
        ]

    def filled(self, scope: Scope) -> Lines:
        """A list of a length that hangs on the data."""
        name, i, made = self.fresh("c"), self.fresh("i"), self.fresh()
        shape = self.e.pick(((), (), ("k",)))
        inner = scope.copy()
        inner.indices[i] = "n"
        item = self.e.make(inner, shape, 2)
        append = f"{name}.append({item} * 1.0)"
        body = self.e.pick((
            [append],
            [f"if {self.e.condition(inner)}:", f"    {append}"],
            [append, f"if len({name}) > 2:", f"    {name}.append({name}.pop() * {name}.pop(0))"],
            [append, f"{name}[-1] = {name}[0] * 0.5"],
        ))  # fmt: skip
        scope.variables[made] = Var(made, ())
        total = f"np.sum(np.array({name}))" if not shape else f"np.sum(np.stack({name}))"
        return [
            f"{name} = []",
            f"for {i} in range(len(x)):",
            *indented(body),
            f"{made} = {total} if len({name}) > 0 else 0.5",
            f"for {i} in {name}:",
            f"    {made} = {made} + np.sum({i} * {i})",
        ]

    def shared(self, scope: Scope) -> Lines:
        """An argument passed twice, or with a view of itself."""
        vectors = [v for v in scope.of(("n",)) if v.writable]
        if not vectors:
            return self.assign(scope)
        name = self.e.pick(vectors).name
        return self.e.pick((
            [f"np.add({name}, {name}[::-1], out={name})"],
            [f"{name}[1:] += {name}[:-1]"],
            [f"{name}[:] = {name}[::-1] * 0.5"],
            [f"np.maximum({name}, x * 0.9, out={name})"],
            [f"{name}[1:], {name}[:-1] = {name}[:-1] * 1.0, {name}[1:] * 0.5"],
        ))  # fmt: skip

    def cast(self, scope: Scope) -> Lines:
        """Single precision and integers between."""
        shape = self.e.pick(SHAPES[:3])
        name = self.fresh()
        value = self.e.make(scope, shape)
        how = self.e.pick(
            (
                ".astype(np.float64)",
                " * np.float64(0.5)",
                " * np.int64(2)",
                " * np.arange(1)[0]",
            )
        )
        scope.variables[name] = Var(name, shape)
        return [f"{name} = np.asarray({value}){how}"]

    def inner_grad(self, scope: Scope) -> Lines:
        if self.depth > 2:
            return self.assign(scope)
        inner, shape = scope.copy(), self.e.pick((("n",), ("k",), ()))
        function, p = self.fresh("g"), self.fresh("p")
        inner.variables[p] = Var(p, shape, writable=False)
        inner.variables = {
            k: Var(v.name, v.shape, writable=False) for k, v in inner.variables.items()
        }
        inner.lists = {}
        body: Lines = []
        made = self.fresh("l")
        body.append(f"{made} = {self.e.make(inner, ('n',))} * 1.0")
        inner.variables[made] = Var(made, ("n",))
        self.depth += 2
        for _ in range(self.e.draw(3)):
            body += self.statement_inside(inner)
        self.depth -= 2
        end = f"np.tanh({p})" if not shape else f"np.sum(np.tanh({p}) * {p})"
        body.append(f"return {end} + np.sum({made} ** 2) * {self.e.make(inner, ())}")
        result = self.target(scope, shape)
        at = self.e.make(scope, shape, 1)
        at = f"1.0 * ({at})" if shape else f"float({at})"  # which may be of ints
        scope.variables[result] = Var(result, shape)
        return [
            f"def {function}({p}):",
            *indented(body),
            "",
            f"{result} = sg.grad({function})({at})",
        ]

    def statement_inside(self, scope: Scope) -> Lines:
        loops, self.loops = self.loops, 0
        kinds = [self.assign_new, self.augment, self.store, self.loop, self.branch]
        lines = self.e.pick(kinds)(scope)
        self.loops = loops
        return lines

    def assign_new(self, scope: Scope) -> Lines:
        shape = self.e.pick(SHAPES)
        name = self.fresh()
        lines = [f"{name} = {self.e.make(scope, shape)} * 1.0"]
        scope.variables[name] = Var(name, shape)
        return lines

    # -- control flow -------------------------------------------------------------------
    def branch(self, scope: Scope) -> Lines:
        self.depth += 1
        lines = [f"if {self.e.condition(scope)}:"]
        lines += indented(self.block(scope.copy(), 1 + self.e.draw(2)))
        if self.e.chance(30):
            lines.append(f"elif {self.e.condition(scope)}:")
            lines += indented(self.block(scope.copy(), 1 + self.e.draw(2)))
        if self.e.chance(60):
            lines.append("else:")
            lines += indented(self.block(scope.copy(), 1 + self.e.draw(2)))
        self.depth -= 1
        return lines

    def loop(self, scope: Scope) -> Lines:
        inner, i = scope.copy(), self.fresh("i")
        options: list[tuple[str, str]] = [
            ("range(3)", "k"), ("range(len(x))", "n"), ("range(q)", "q"),
            ("range(1, len(x))", "n"), ("range(len(x) - 1, -1, -1)", "n"),
            ("range(m.shape[1])", "k"), ("reversed(range(2))", "k"), ("range(q - 5)", "k"),
            ("(0, 2)", "k"), ("range(0, len(x), 2)", "n"),
        ]  # fmt: skip
        kind = self.e.draw(14)
        if kind < len(options):
            what, below = options[kind]
            head = f"for {i} in {what}:"
            inner.indices[i] = below
        else:
            head = self.over_array(scope, inner, i, kind)
        return [head, *indented(self.body(inner))]

    def over_array(self, scope: Scope, inner: Scope, i: str, kind: int) -> str:
        row = self.fresh("r")
        vector = self.e.leaf(scope, ("n",))
        found = self.e.pick(scope.of(("n", "k")))
        matrix = found.name
        if kind % 4 == 0:
            inner.variables[row] = Var(row, ("k",), writable=found.writable)
            return f"for {row} in {matrix}:"
        if kind % 4 == 1:
            inner.variables[row] = Var(row, ())
            inner.indices[i] = "n"
            return f"for {i}, {row} in enumerate({vector}):"
        if kind % 4 == 2:
            inner.variables[row], inner.variables[i] = Var(row, ()), Var(i, ())
            return f"for {row}, {i} in zip({vector}, y):"
        inner.variables[row] = Var(row, ("k",), writable=False)
        inner.indices[i] = "n"
        return f"for {i}, {row} in zip(range(len(x)), m):"

    def body(self, inner: Scope) -> Lines:
        self.depth += 1
        self.loops += 1
        lines = self.block(inner, 1 + self.e.draw(3))
        self.depth -= 1
        self.loops -= 1
        return lines

    def whiles(self, scope: Scope) -> Lines:
        i = self.fresh("i")
        inner = scope.copy()
        inner.indices[i] = "k"
        condition = self.e.pick(("", f" and {self.e.condition(scope)}"))
        lines = self.body(inner)
        return [
            f"{i} = -1",
            f"while {i} < {self.e.pick(('2', '1', 'q - 2'))}{condition}:",
            f"    {i} += 1",
            *indented(lines),
            *(["else:", "    v = v * 2.0"] if self.e.chance(15) else []),
        ]

    def leave(self, scope: Scope) -> Lines:
        word = self.e.pick(("break", "continue"))
        return [f"if {self.e.condition(scope)}:", f"    {word}"]

    def early(self, scope: Scope) -> Lines:
        if not self.e.chance(50):
            return self.assign(scope)
        return [f"if {self.e.condition(scope)}:", f"    return {self.e.make(scope, ())}"]
