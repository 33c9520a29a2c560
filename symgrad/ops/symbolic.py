"""From SymPy to derivative formulas. Imported only where a new derivative has to be found.

``python -m symgrad.ops.symbolic`` writes ``derived.py`` anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

OPS = {
    "Abs": "absolute", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2",
}  # fmt: skip
"""SymPy's names of functions that NumPy calls differently."""
FUNCTIONS = {*OPS, "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sign"}

OUT = sp.Symbol("out")
SIMPLE = 8
"""Operations in a derivative that is not worth simplifying."""


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
        strict = PRECEDENCE["Pow"]
        return f"{self.parenthesize(base, strict)}**{self.parenthesize(exponent, strict)}"

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
    raw = sp.diff(expression, sp.Symbol(by, real=True))
    slopes = [raw, sp.simplify(raw)] if sp.count_ops(raw) > SIMPLE else [raw]
    candidates = [c for slope in slopes for c in (slope, *_by_result(slope, expression))]
    known = [c for c in candidates if has_ops(c)]
    if not known:
        raise ValueError(
            f"the derivative of {text} by {by} is {raw}, which has no op for it"
        )
    return formula(min(known, key=cost))


def _by_result(slope: Any, expression: Any) -> list[Any]:
    """The slope rewritten with ``out`` where the expression stands in it, or a function or
    root that the expression is a constant times, plus a constant."""
    found = [slope.subs(expression, OUT)]
    for part in slope.atoms(sp.Function, sp.Pow):
        place = sp.Dummy()
        rest = expression.subs(part, place)
        factor = rest.diff(place)
        if factor.is_number and factor != 0 and (rest - factor * place).is_number:
            found.append(slope.subs(part, (OUT - (rest - factor * place)) / factor))
    return [c for c in found if c.has(OUT)]


def has_ops(expression: Any) -> bool:
    """Whether every function in an expression is an op."""
    names = {function.func.__name__ for function in expression.atoms(sp.Function)}
    return names <= FUNCTIONS


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
