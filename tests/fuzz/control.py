"""Small programs of nothing but numbers and control flow: loops over ranges in both directions,
ways out of them, conditions on indices, counters and floats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .expressions import DRAW, Lines, indented

HEAD = "import math\nimport numpy as np\n\n\n"
ITERABLES = (
    "range(3)", "range(n)", "range(2, -1, -1)", "range(n - 1, -1, -1)", "range(1, n + 1)",
    "range(0, 5, 2)", "range(4, 0, -2)", "reversed(range(4))", "range(-2, 2)", "(0, 2, 1)",
    "[n, 1]",
)  # fmt: skip
COMPARED = ("<", ">", "<=", ">=", "==", "!=")


@dataclass
class Control:
    """Draws a module with ``f(s, n, x)``: a number, an int, three numbers in an array."""

    draw: DRAW
    ints: list[str] = field(default_factory=lambda: ["n", "i1", "i2"])
    floats: list[str] = field(default_factory=lambda: ["s", "f1", "f2"])
    names: int = 0

    def pick(self, options: Any) -> Any:
        return options[self.draw(len(options))]

    def text(self) -> str:
        """The module."""
        lines = [f"{i} = {self.pick(('0', '1', '-1', '3'))}" for i in self.ints[1:]]
        lines += [
            f"{f} = {self.pick(('0.0', 's', '1.0', 's * 0.5'))}" for f in self.floats[1:]
        ]
        for _ in range(2 + self.draw(3)):
            lines += self.block(0, False)
        lines.append("return s + f1 + f2 + 0.01 * i1 + 0.01 * i2")
        return HEAD + "\n".join(["def f(s, n, x):", *indented(lines)]) + "\n"

    # -- statements -------------------------------------------------------------------------
    def block(self, depth: int, looped: bool) -> Lines:
        """One to three statements."""
        lines: Lines = []
        for _ in range(1 + self.draw(3)):
            kind = self.draw(20)
            if kind < 4:
                lines.append(
                    f"{self.pick(('i1', 'i2'))} {self.pick(('=', '+=', '-='))} {self.whole()}"
                )
            elif kind < 9 or depth > 2:
                way = self.pick(("=", "+=", "-=", "*="))
                lines.append(f"{self.pick(('f1', 'f2'))} {way} {self.number()}")
            elif kind < 13:
                lines += self.branch(depth, looped)
            elif kind < 17 and depth < 2:
                lines += self.loop(depth, looped)
            elif looped:
                return [*lines, self.pick(("break", "continue"))]
            elif depth and self.draw(3) == 2:
                return [*lines, f"return {self.number()}"]
        return lines or ["pass"]

    def branch(self, depth: int, looped: bool) -> Lines:
        """``if``, perhaps with ``elif`` and ``else``."""
        lines = [f"if {self.condition()}:", *indented(self.block(depth + 1, looped))]
        if self.draw(3) == 2:
            lines += [f"elif {self.condition()}:", *indented(self.block(depth + 1, looped))]
        if self.draw(2):
            lines += ["else:", *indented(self.block(depth + 1, looped))]
        return lines

    def loop(self, depth: int, looped: bool) -> Lines:
        """A ``for``, or a ``while`` that counts down."""
        self.names += 1
        if self.draw(4) == 3:
            k = f"w{self.names}"
            start = [f"{k} = {self.draw(4)}", f"while {k} > 0 and {self.condition()}:"]
            head, first = start, [f"{k} -= 1"]
        else:
            k = f"k{self.names}"
            head, first = [f"for {k} in {self.pick(ITERABLES)}:"], []
        self.ints.append(k)
        body = self.block(depth + 1, True)
        self.ints.remove(k)
        lines = [*head, *indented([*first, *body])]
        if self.draw(5) == 4:
            lines += ["else:", *indented(self.block(depth + 1, looped))]
        return lines

    # -- expressions ------------------------------------------------------------------------
    def whole(self, depth: int = 0) -> str:
        """A whole number."""
        kind = self.draw(16) if depth < 2 else self.draw(8)
        if kind < 5:
            return str(self.pick(self.ints))
        if kind < 8:
            return str(self.draw(8) - 3)
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        return str(self.pick((
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} // 2)", f"({a} % -3)",
            f"min({a}, {b})", f"abs({a})", f"({a} if {self.condition(depth + 1)} else {b})",
        )))  # fmt: skip

    def number(self, depth: int = 0) -> str:
        """A number that derivatives are taken of."""
        kind = self.draw(14) if depth < 2 else self.draw(8)
        if kind < 5:
            return str(self.pick(self.floats))
        if kind < 8:
            return str(self.pick(("0.5", "-0.25", "x[0]", "x[n % 3]")))
        a, b = self.number(depth + 1), self.number(depth + 1)
        return str(self.pick((
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"math.tanh({a})", f"max({a}, 0.2)",
            f"({self.whole(depth + 1)} * 0.1)", f"({a} if {self.condition(depth + 1)} else {b})",
        )))  # fmt: skip

    def condition(self, depth: int = 0) -> str:
        """Something true or false."""
        kind = self.draw(12) if depth < 2 else self.draw(8)
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        if kind < 6:
            return f"{a} {self.pick(COMPARED)} {b}"
        if kind < 8:
            return f"{self.number(depth + 1)} > {self.pick(('0.31', '0.72', '-0.1'))}"
        return str(self.pick((
            f"({self.condition(depth + 1)} and {self.condition(depth + 1)})",
            f"({self.condition(depth + 1)} or {self.condition(depth + 1)})",
            f"not {self.condition(depth + 1)}", f"{a} < {b} <= n", f"{a} in (1, {b})",
        )))  # fmt: skip


__all__ = ["Control"]
