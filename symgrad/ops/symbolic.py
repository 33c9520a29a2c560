"""From SymPy to derivative formulas. Imported only where a new derivative has to be found.

``python -m symgrad.ops.symbolic`` writes ``derived.py`` anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

OPS = {
    "Abs": "absolute", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2",
}  # fmt: skip
"""SymPy's names of functions that NumPy calls differently."""

OUT = sp.Symbol("out")
LARGEST = sp.Float("1e308")
POINTS = tuple(map(sp.Float, (-700, -40, -1.3, -0.4, 0.3, 0.7, 1.9, 40, 700)))


class _Printer(StrPrinter):  # type: ignore[misc]
    """Formulas in op names, numbers as floats where they are not rational."""

    def _print_Function(self, expr: Any) -> str:
        name = OPS.get(expr.func.__name__, expr.func.__name__)
        return f"{name}({', '.join(self._print(a) for a in expr.args)})"

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Abs(self, expr: Any) -> str:
        return f"absolute({self._print(expr.args[0])})"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, exponent = expr.as_base_exp()
        if exponent == sp.Rational(1, 2):
            return f"sqrt({self._print(base)})"
        if exponent == sp.Rational(-1, 2):
            return f"1 / sqrt({self._print(base)})"
        if exponent.is_negative:
            return f"1 / {self.parenthesize(base**-exponent, PRECEDENCE['Pow'])}"
        return f"{self.parenthesize(base, PRECEDENCE['Pow'])}**{self._print(exponent)}"

    def _print_Mul(self, expr: Any) -> str:
        sign, rest = ("-", -expr) if expr.could_extract_minus_sign() else ("", expr)
        above, below = sp.fraction(rest)
        if below == 1:
            factors = sp.Mul.make_args(above)
            return sign + " * ".join(
                self.parenthesize(x, PRECEDENCE["Mul"]) for x in factors
            )
        top = self.parenthesize(above, PRECEDENCE["Mul"])
        strict = PRECEDENCE["Pow"] if below.is_Mul else PRECEDENCE["Mul"]
        return f"{sign}{top} / {self.parenthesize(below, strict)}"


def parse(text: str, names: Iterable[str]) -> Any:
    """An expression in the names of an op's inputs."""
    return sp.sympify(text, locals={n: sp.Symbol(n, real=True) for n in names})


def derivative(text: str, names: tuple[str, ...], by: str) -> str:
    """The derivative by ``by`` as a formula, in terms of ``out`` where that is cheaper."""
    expression = parse(text, names)
    x = sp.Symbol(by, real=True)
    raw = sp.diff(expression, x)
    candidates = []
    for slope in (raw, sp.simplify(raw)):
        rewritten = _in_terms_of_result(slope, expression, x)
        candidates += [slope, *(c for c in rewritten if _agrees(c, raw, expression, x))]
    return formula(min(candidates, key=cost))


def _in_terms_of_result(slope: Any, expression: Any, x: Any) -> list[Any]:
    """The slope rewritten with ``out`` for the expression, in the ways that suggest
    themselves: as it stands, and with the input replaced by the inverse function."""
    y = sp.Dummy("y", real=True)
    found = [slope.subs(expression, y)]
    found += [
        sp.simplify(slope.subs(x, inverse)) for inverse in _inverses(expression, x, y)
    ]
    return [c.subs(y, OUT) for c in found if c.has(y)]


def _agrees(candidate: Any, slope: Any, expression: Any, x: Any) -> bool:
    """Whether a rewritten slope, in float64, has the slope's value: inverses have branches,
    and squares overflow."""
    if len(expression.free_symbols) > 1:
        return True
    numeric = sp.lambdify([x, OUT], candidate, "numpy")
    for point in POINTS:
        exact, out = (e.subs(x, point).evalf(30) for e in (slope, expression))
        if (
            not (exact.is_Float and out.is_Float)
            or abs(exact) > LARGEST
            or abs(out) > LARGEST
        ):
            continue
        with np.errstate(all="ignore"):
            value = float(numeric(np.float64(point), np.float64(out)))
        if not abs(value - float(exact)) <= 1e-9 * abs(float(exact)) + 1e-12:
            return False
    return True


def _inverses(expression: Any, x: Any, y: Any) -> list[Any]:
    if len(expression.free_symbols) > 1:
        return []
    try:
        return [s for s in sp.solve(expression - y, x) if s.free_symbols <= {y}]
    except NotImplementedError:
        return []


def cost(expression: Any) -> tuple[int, int, str]:
    """What a formula costs to compute: functions most, then roots, then the rest."""
    functions = len(expression.atoms(sp.Function))
    roots = sum(not p.exp.is_integer for p in expression.atoms(sp.Pow))
    return (3 * functions + roots, int(sp.count_ops(expression)), str(expression))


def formula(expression: Any) -> str:
    """The expression in the words of ``formula.py``."""
    numbers = {
        a: sp.Float(a.evalf(17), 17)
        for a in expression.atoms(sp.log, sp.NumberSymbol)
        if a.is_number
    }
    return str(_Printer().doprint(expression.subs(numbers)))


def derive_all() -> dict[str, dict[str, str]]:
    """Formulas for every op that is defined by an expression and has none by hand."""
    from .elementwise import EXPRESSIONS

    found = {}
    for name, (inputs, text, given) in EXPRESSIONS.items():
        if not given:
            found[name] = {x: derivative(text, inputs, x) for x in inputs}
    return found


def write(path: Path) -> None:
    """Write ``derived.py``."""
    lines = [
        '"""Elementwise derivatives found by SymPy; '
        'made by ``python -m symgrad.ops.symbolic``."""',
        "",
        "DERIVED: dict[str, dict[str, str]] = {",
    ]
    for name, formulas in derive_all().items():
        listed = ", ".join(f'"{x}": "{text}"' for x, text in formulas.items())
        lines.append(f'    "{name}": {{{listed}}},')
    path.write_text("\n".join([*lines, "}", ""]))


if __name__ == "__main__":
    import symgrad.ops  # noqa: F401

    write(Path(__file__).with_name("derived.py"))
