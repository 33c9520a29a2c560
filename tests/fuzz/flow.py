"""Statements about which statements run: names bound on some paths, ``else``, ``match``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Var, indented

if TYPE_CHECKING:
    from .programs import Program


def sometimes(p: Program, scope: Scope) -> Lines:
    """A name that is bound only where a flag is set, or read wherever it is."""
    if scope.sometimes and p.e.chance(70):
        flag, v = p.e.pick(sorted(scope.sometimes.items()))
        t = p.fresh()
        read = f"{t} = np.sum({v.name} * 0.5)"
        scope.variables[t] = Var(t, ())
        if p.e.chance(15):
            return [read]
        return [f"{t} = 0.25", f"if {flag}:", f"    {read}"]
    flag, name, shape = p.fresh("b"), p.fresh("o"), p.e.pick((("n",), (), ("n", "k")))
    scope.sometimes[flag] = Var(name, shape)
    value = f"{p.e.make(scope, shape)} * 1.0"
    if p.e.chance(30):
        return [
            f"{flag} = False",
            f"for {p.fresh('i')} in range(q - {p.e.draw(2)}):",
            f"    if {p.e.condition(scope)}:",
            f"        {flag} = True",
            f"        {name} = {value}",
        ]
    return [f"{flag} = {p.e.condition(scope)}", f"if {flag}:", f"    {name} = {value}"]


def counted(p: Program, scope: Scope) -> Lines:
    """A loop with an ``else``, whose variable is read afterwards."""
    i, t = p.fresh("i"), p.fresh()
    inner = scope.copy()
    inner.indices[i] = "k"
    body = [*p.body(inner), f"if {p.e.condition(inner)}:", "    break"]
    lines = [
        f"for {i} in {p.e.pick(('range(3)', 'range(q)', 'range(2, -1, -1)'))}:",
        *indented(body),
        "else:",
        *indented(p.block(scope.copy(), 1)),
        f"{t} = {i} * 0.1",
    ]
    scope.variables[t] = Var(t, ())
    return lines


def triangle(p: Program, scope: Scope) -> Lines:
    """Loops over ranges that depend on the outer one, with slices of growing length."""
    v = p.e.pick([v for v in scope.of(("n",)) if v.writable] or [Var("v", ("n",))])
    i, j, number = p.fresh("i"), p.fresh("j"), p.e.make(scope, (), 1)
    made = p.e.pick((
        [f"for {j} in range({i}):", f"    {v.name}[{i}] += 0.1 * {v.name}[{j}] * y[{i} - {j}]"],
        [f"{v.name}[{i}] = np.tanh(np.dot({v.name}[:{i}], y[:{i}]))"],
        [f"{v.name}[:{i}] += 0.1 * {v.name}[:{i}][::-1]"],
        [f"for {j} in range({i}, len(x)):", f"    if x[{j}] > 0.5432:", "        continue",
         f"    {v.name}[{j}] *= {v.name}[{i}] * 0.3 + 0.5"],
        [f"{v.name}[{i}:] -= 0.1 * y[:len(x) - {i}] * ({number})"],
    ))  # fmt: skip
    head = p.e.pick(("range(len(x))", "range(1, len(x))", "range(len(x) - 1, -1, -1)"))
    return [f"for {i} in {head}:", *indented(made)]


def matched(p: Program, scope: Scope) -> Lines:
    """``match`` on a number that is known at run time."""
    subject = p.e.pick(("q % 3", "q", f"int({p.e.make(scope, (), 1)} > 0.5)"))
    lines = [f"match {subject}:"]
    for case in p.e.pick((("0", "1 | 2", "_"), ("0", "_"), ("3", "0 if s > 0.5", "1"))):
        lines += [f"    case {case}:", *indented(indented(p.block(scope.copy(), 1)))]
    return lines


def around(p: Program, scope: Scope) -> Lines:
    """``try`` and ``finally``, ``with``, ``assert``, an exception that is not raised."""
    t = p.fresh()
    value = p.e.make(scope, ())
    lines = p.e.pick((
        [f"{t} = 0.5", "try:", f"    {t} = {value}", "finally:", f"    v *= 1.0 + 0.1 * {t}"],
        ["with np.errstate(divide='ignore'):", f"    {t} = np.sum(1.0 / (v * v + 1.0)) + {value}"],
        [f"{t} = {value}", f"assert {t} < 1e9, 'too large'"],
        ["if not np.sum(x) < 1e6:", "    raise ValueError('the sum is too large')",
         f"{t} = {value}"],
        [f"if ({t} := {value}) > 0.4321:", f"    v *= {t}"],
    ))  # fmt: skip
    scope.variables[t] = Var(t, ())
    return lines


def searching(p: Program, scope: Scope) -> Lines:
    """``while True`` until the values say so."""
    t, number = p.fresh(), p.e.make(scope, (), 1)
    inner = scope.copy()
    inner.variables[t] = Var(t, (), writable=False)
    p.depth += 1
    body = p.block(inner, 1)
    p.depth -= 1
    scope.variables[t] = Var(t, ())
    loop = p.e.pick(("while True:", f"while {t} > -50.0 or {p.e.condition(scope)}:"))
    leave = [f"{t} = {t} * 0.5", f"if {t} < 0.3 + 0.001 * np.sum(x):", "    break"]
    return [
        f"{t} = 1.0 + np.tanh({number})",
        loop,
        *indented([*body, *leave] if p.e.chance(50) else [*leave, *body]),
    ]


STATEMENTS = (sometimes, sometimes, triangle, around)
NESTED = (counted, matched, searching)

__all__ = ["NESTED", "STATEMENTS"]
