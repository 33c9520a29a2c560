"""Expressions of a wanted shape and dtype, drawn from what is in scope.

Shapes are written with the lengths' names: ``("n",)``, ``("n", "k")``, ``("n - 1",)``. All
functions are smooth and bounded on what they get, so that finite differences mean something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[str, ...]
Lines = list[str]
DRAW = Callable[[int], int]


@dataclass(frozen=True)
class Var:
    """A variable: its shape, its dtype, whether it may be written through."""

    name: str
    shape: Shape
    dtype: str = "f8"
    writable: bool = True


@dataclass
class Scope:
    """What can be named where the next expression goes."""

    variables: dict[str, Var] = field(default_factory=dict)
    indices: dict[str, str] = field(default_factory=dict)  # name -> the length it is below
    lists: dict[str, Shape] = field(default_factory=dict)
    helpers: list[tuple[str, Shape]] = field(default_factory=list)
    others: dict[str, Var] = field(default_factory=dict)  # not of float64
    sometimes: dict[str, Var] = field(default_factory=dict)  # flag -> what it says is bound

    def copy(self) -> Scope:
        return Scope(
            dict(self.variables),
            dict(self.indices),
            dict(self.lists),
            self.helpers,
            dict(self.others),
            dict(self.sometimes),
        )

    def of(self, shape: Shape, dtype: str | None = None) -> list[Var]:
        return [
            v
            for v in self.variables.values()
            if v.shape == shape and (dtype is None or v.dtype == dtype)
        ]


SMOOTH = (
    "np.sin({})", "np.tanh({})", "np.cos({})", "np.exp(np.tanh({}))", "({}) ** 2 * 0.25",
    "np.sqrt(1.0 + ({}) ** 2)", "1.0 / (2.0 + np.sin({}))", "np.log1p(np.tanh({}) ** 2)",
    "-({})", "np.arctan({})", "2 * np.tanh({})", "np.square(np.sin({}))",
    "np.clip({}, -8.25, 9.5)", "np.where(np.isnan({0}), 0.0, np.sin({0}))",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * np.sin({})", "np.tanh({}) * {}", "np.sin({}) * np.cos({})",
    "({}) / (3.0 + np.tanh({}))", "np.hypot({}, {} + 20.0)", "np.add({}, {})",
    "np.logaddexp({}, {})", "np.tanh({}) - np.tanh({}) ** 2",
)  # fmt: skip
SCALAR = ("math.sin({})", "float({}) * 0.5", "abs({} + 30.0)", "math.tanh({}) + 0.1")
REDUCED = ("np.sum({})", "np.mean({})", "({}).sum()", "np.sum(np.tanh({}) ** 2)")


class Expressions:
    """Draws expressions; ``draw(n)`` gives a number below n, small ones are the simplest."""

    def __init__(self, draw: DRAW, mixed: bool = False) -> None:
        self.draw = draw
        self.mixed = mixed

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.draw(len(options))]

    def chance(self, percent: int) -> bool:
        return self.draw(100) >= 100 - percent

    def number(self) -> str:
        return self.pick(("0.5", "1.5", "-0.75", "2.0", "0.3", "1", "2"))

    def make(self, scope: Scope, shape: Shape, depth: int = 2) -> str:
        """An expression of float64 and this shape."""
        if depth <= 0 or self.chance(25):
            return self.leaf(scope, shape)
        kind = self.draw(14)
        if kind > 11 and any(v.shape == shape for v in scope.others.values()):
            return self.other(scope, shape, depth - 1)
        if kind < 4:
            return str(self.pick(SMOOTH).format(self.make(scope, shape, depth - 1)))
        if kind < 8:
            a, b = (self.make(scope, s, depth - 1) for s in self.pair(shape))
            return "(" + self.pick(BINARY).format(a, b) + ")"
        if not shape:
            return self.scalar(scope, depth)
        return self.array(scope, shape, depth)

    def pair(self, shape: Shape) -> tuple[Shape, Shape]:
        """Two shapes that broadcast to this one."""
        smaller: list[Shape] = [shape, ()]
        if len(shape) == 2:
            smaller += [shape[1:], (shape[0], "1"), ("1", shape[1])]
        other = self.pick(smaller)
        return (shape, other) if self.chance(50) else (other, shape)

    def other(self, scope: Scope, shape: Shape, depth: int) -> str:
        """A value of another dtype, as float64."""
        v = self.pick([v for v in scope.others.values() if v.shape == shape])
        name = v.name
        match v.dtype:
            case "bool":
                a, b = (self.make(scope, shape, depth) for _ in range(2))
                chosen = (
                    f"np.where({name}, {a}, {b})" if shape else f"({a} if {name} else {b})"
                )
                factors = (f"({name} * {a})", f"({b} - {name} * {a})", f"(0.5 * {name})")
                if shape:
                    factors += (f"(({a} > 0.3) * {b} + {name} * {a})", f"({a} * ~{name})")
                return str(self.pick((chosen, *factors)))
            case "small":
                a, b = (self.make(scope, shape, depth) for _ in range(2))
                return str(self.pick((
                    f"({name} * 0.01)", f"(0.01 * ({name} * {a}))", f"({a} / (1.0 + {name} / 50))",
                    f"(({name} * {a} - {name} * {b}) / 64)", f"({name} % 3 * {a})",
                    f"(({name} > 60) * {a} + {name} // 64 * {b})",
                )))  # fmt: skip
            case "position":
                vector = self.leaf(scope, ("n",))
                return str(self.pick((f"{vector}[{name}]", f"np.take(y, {name})")))
            case "complex":
                absolute = "abs" if not shape else "np.abs"
                parts = (
                    f"{name}.real",
                    f"{name}.imag",
                    f"({name} * {name}.conjugate()).real",
                )
                return str(self.pick((*parts, f"{absolute}({name} + 20.0)")))
            case "single":
                return f"{name}.astype(np.float64)"
            case _:
                return str(self.pick((f"(0.1 * {name})", f"(2.0 - {name})")))

    def leaf(self, scope: Scope, shape: Shape) -> str:
        found = [v.name for v in scope.of(shape)]
        if self.mixed:
            return self.mixed_leaf(scope, shape)
        if not shape:
            return str(self.pick([*found, self.number()]))
        if found and self.chance(90):
            return str(self.pick(found))
        if shape == ("n", "1"):
            return self.leaf(scope, ("n",)) + "[:, None]"
        if shape == ("1", "k"):
            return "m[:1]"
        lengths = ", ".join(self.length(s) for s in shape)
        tail = "," if len(shape) == 1 else ""
        return f"np.full(({lengths}{tail}), {self.leaf(scope, ())})"

    def mixed_leaf(self, scope: Scope, shape: Shape) -> str:
        name = self.pick([v.name for v in scope.of(shape)] or [self.number()])
        return str(name)

    def length(self, symbol: str) -> str:
        spelled = {"n": "len(x)", "k": "m.shape[1]"}
        return re.sub("[nk]", lambda found: spelled[found[0]], symbol)

    def index(self, scope: Scope, length: str) -> str:
        options = [name for name, below in scope.indices.items() if below == length]
        options += ["0", "-1", "1"]
        options += [f"{self.length(length)} - 1"]
        ints = [v.name for v in scope.others.values() if v.dtype == "int"]
        options += [f"{j} % ({self.length(length)})" for j in ints]
        return str(self.pick(options))

    def scalar(self, scope: Scope, depth: int) -> str:
        kind = self.draw(6)
        vectors = [v for v in scope.variables.values() if len(v.shape) == 1]
        matrices = [v for v in scope.variables.values() if len(v.shape) == 2]
        if kind == 0 and scope.indices:
            return f"0.1 * {self.pick(sorted(scope.indices))}"
        if kind == 1 and vectors:
            v = self.pick(vectors)
            return f"{v.name}[{self.index(scope, v.shape[0])}]"
        if kind == 2 and matrices:
            v = self.pick(matrices)
            at = ", ".join(self.index(scope, s) for s in v.shape)
            return f"{v.name}[{at}]"
        if kind == 3:
            return str(self.pick(SCALAR).format(self.make(scope, (), depth - 1)))
        if kind == 4:
            inner = self.make(scope, (), depth - 1)
            return f"({inner} if {self.condition(scope)} else {self.make(scope, (), 1)})"
        shape = self.pick((("n",), ("n", "k"), ("k",)))
        return str(self.pick(REDUCED).format(self.make(scope, shape, depth - 1)))

    def array(self, scope: Scope, shape: Shape, depth: int) -> str:
        smaller = depth - 1
        if len(shape) == 2 and shape == ("n", "k"):
            options = [
                lambda: f"np.outer({self.make(scope, ('n',), smaller)}, m[0])",
                lambda: f"{self.leaf(scope, shape)}[::-1]",
                lambda: f"np.cumsum({self.make(scope, shape, smaller)}, axis=0) * 0.5",
                lambda: f"np.where(m > 0.4, {self.make(scope, shape, smaller)}, 0.25)",
                lambda: f"({self.leaf(scope, ('n', 'k'))}.T * 1.5).T",
            ]
            return str(self.pick(options)())
        if shape == ("k",):
            options = [
                lambda: f"({self.make(scope, ('n',), smaller)} @ m) * 0.25",
                lambda: f"{self.leaf(scope, ('n', 'k'))}[{self.index(scope, 'n')}]",
                lambda: f"np.sum({self.make(scope, ('n', 'k'), smaller)}, axis=0)",
            ]
            return str(self.pick(options)())
        if shape == ("n",):
            options = [
                lambda: f"(m @ {self.make(scope, ('k',), smaller)}) * 0.25",
                lambda: f"{self.leaf(scope, ('n', 'k'))}[:, {self.index(scope, 'k')}]",
                lambda: f"np.mean({self.make(scope, ('n', 'k'), smaller)}, axis=1)",
                lambda: f"np.cumsum({self.make(scope, shape, smaller)}) * 0.25",
                lambda: f"{self.leaf(scope, shape)}[::-1]",
                lambda: f"np.where(x > 0.45, {self.make(scope, shape, smaller)}, y)",
                lambda: f"np.concatenate([{self.leaf(scope, shape)}[1:], x[:1]])",
            ]
            return str(self.pick(options)())
        if shape == ("n - 1",):
            side = self.pick(("[1:]", "[:-1]"))
            return f"({self.make(scope, ('n',), smaller)}){side}"
        return self.leaf(scope, shape)

    def condition(self, scope: Scope) -> str:
        options = [
            lambda: f"{self.make(scope, (), 1)} > 0.4321",
            lambda: "q > 2",
            lambda: f"np.sum({self.leaf(scope, ('n',))}) < {self.number()} + 0.123",
            lambda: f"s > 0.31 and {self.make(scope, (), 1)} < 1.7654",
            lambda: "not s > 0.77",
            lambda: f"0.2345 < {self.make(scope, (), 1)} < 2.3456",
        ]
        for name in scope.indices:
            options.append(lambda name=name: f"{name} % 2 == 0")
            options.append(lambda name=name: f"{name} > 1")
        for v in scope.others.values():
            if v.dtype in ("bool", "int") and not v.shape:
                options.append(
                    lambda v=v: f"not {v.name}" if v.dtype == "bool" else f"{v.name} > 1"
                )
        return str(self.pick(options)())


def indented(lines: Lines) -> Lines:
    return [f"    {line}" if line else "" for line in lines]


def writing(scope: Scope, name: str, options: Sequence[Lines]) -> Sequence[Lines]:
    """Those of the options that may stand where ``name`` perhaps must not be written to."""
    v = scope.variables.get(name)
    if v is not None and v.writable:
        return options
    return [o for o in options if not re.search(rf"\b{name}\b", "\n".join(o))]
