"""Loops that carry several numbers or arrays, each made from the others and from arguments, as
simulations and controllers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Var, indented

if TYPE_CHECKING:
    from .programs import Program


def coupled(p: Program, scope: Scope) -> Lines:
    """States that are moved one after the other, with sums of what has been on the way."""
    shapes = [p.e.pick(((), (), ("n",))) for _ in range(2 + p.e.draw(2))]
    states = [Var(p.fresh(), shape) for shape in shapes]
    lines = [f"{v.name} = {_start(p, v)}" for v in states]
    inner = scope.copy()
    for v in states:
        inner.variables[v.name] = Var(v.name, v.shape, writable=False)
    body: Lines = []
    for _ in range(2 + p.e.draw(3)):
        body += _moved(p, inner, states)
    for v in states:
        scope.variables[v.name] = v
    head = p.e.pick(("range(q)", "range(3)", "range(len(x))"))
    return [*lines, f"for {p.fresh('i')} in {head}:", *indented(body)]


def _start(p: Program, v: Var) -> str:
    if v.shape:
        return str(p.e.pick(("np.zeros_like(x)", "x * 1.0", "s * y")))
    return str(p.e.pick(("0.0", "1.0", "s", "x[0]")))


def _moved(p: Program, scope: Scope, states: list[Var]) -> Lines:
    """One state after a step; or a name for something that the others read."""
    if p.e.chance(25):
        t = p.fresh()
        scope.variables[t] = Var(t, (), writable=False)
        return [f"{t} = 1.0 - {_of(p, p.e.pick(states), ())}"]
    v = p.e.pick(states)
    terms = [_of(p, p.e.pick(states), v.shape) for _ in range(1 + p.e.draw(2))]
    scales = [p.e.pick(("s", "0.1", "s * 0.5", "0.3", "-0.2")) for _ in terms]
    step = " + ".join(f"{a} * {b}" for a, b in zip(scales, terms, strict=True))
    if p.e.chance(40):
        step += f" + 0.1 * {p.e.make(scope, v.shape, 1)}"
    if p.e.chance(30):
        return [f"{v.name} = 0.5 * {v.name} + {step}"]
    return [f"{v.name} {p.e.pick(('+=', '-='))} {step}"]


def _of(p: Program, v: Var, shape: tuple[str, ...]) -> str:
    """A state where something of this shape is needed."""
    if v.shape and not shape:
        return f"np.mean({v.name})"
    return str(p.e.pick((v.name, v.name, f"(1.0 - {v.name})", f"np.sin({v.name})")))


STATEMENTS = (coupled, coupled)

__all__ = ["STATEMENTS"]
