"""Statements on lists, dataclasses, closures, and helpers that change what they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Var, indented, writing

if TYPE_CHECKING:
    from .programs import Program

HEAD = """
SCALE = 0.75
WEIGHTS = np.linspace(0.2, 0.9, 5)


@dataclass
class Box:
    data: np.ndarray
    weight: float = 0.5


def shift(a, b, by):
    a[1:] += by * b[:-1]


def exchange(a, b):
    kept = a.copy()
    a[:] = b
    b[:] = kept


def relax(a, steps=2):
    for i in range(steps):
        if a[i] > 0.5:
            a[i] *= 0.5
            continue
        a[i + 1:] -= 0.25 * a[i]
    return a[::-1]


def nested(a, depth):
    if depth <= 0:
        return np.sum(a * WEIGHTS[:len(a)])
    a[0] = np.tanh(a[0]) * SCALE
    return nested(a, depth - 1) * 0.5


def peaks(a, bound, step=0.5):
    last = 0.0
    for i, e in enumerate(a):
        if e < bound:
            continue
        if e > 3.0:
            return
        yield i, e * step + last
        last = e
    yield -1, last * step


def halved(t, depth):
    try:
        while t > 0.2 and depth > 0:
            yield t
            t, depth = t * 0.5, depth - 1
    finally:
        pass


def until(t):
    if t < 0.25:
        return t
    return until(t * 0.5) + 0.1 * t


"""


def helped(p: Program, scope: Scope) -> Lines:
    """Helpers that change their arguments; one array, or two views of it, may come twice."""
    found = [v.name for v in scope.of(("n",)) if v.writable]
    if not found:
        return p.assign(scope)
    a, b = p.e.pick(found), p.e.pick(found)
    t, number = p.fresh(), p.e.make(scope, (), 1)
    reads = p.e.leaf(scope, ("n",))
    lines = p.e.pick(writing(scope, "w", (
        [f"shift({a}, {b}, {number})"], [f"shift({a}, {reads}, 0.5)"],
        [f"shift({a}, {a}[::-1], 0.25)"], [f"exchange({a}, {b})"],
        [f"exchange({a}[:2], {a}[3:])"], [f"shift(w[:, 0], w.T[1], {number})"],
        ["exchange(w[0], w[-1])"], [f"shift(w[1], w[2], np.tanh({number}))"],
        [f"{t} = np.sum(relax({a}) * x)"], [f"{t} = relax({a}, q)[1]"],
        [f"{t} = nested({a}, 2)"], [f"{t} = nested({a}[1:], q)"],
        [f"{t} = until(1.0 + np.tanh({number}))"],
    )))  # fmt: skip
    if lines[0].startswith(t):
        scope.variables[t] = Var(t, ())
    return list(lines)


def boxed(p: Program, scope: Scope) -> Lines:
    """Arrays in a dataclass, a dict or a tuple, changed there."""
    found = [v.name for v in scope.of(("n",)) if v.writable]
    if not found:
        return p.assign(scope)
    a, b, t = p.fresh("e"), p.e.pick(found), p.fresh()
    number, vector = p.e.make(scope, (), 1), p.e.make(scope, ("n",), 1)
    condition = p.e.condition(scope)
    scope.variables[t] = Var(t, ())
    return list(p.e.pick((
        [f"{a} = Box({b})", f"{a}.data[1:] *= {a}.weight", f"{a}.weight += {number}",
         f"{t} = np.sum({a}.data) * {a}.weight"],
        [f"{a} = Box({b}, {number})", f"if {condition}:",
         f"    {a}.data = np.sin({vector})", f"{t} = np.sum({a}.data * x) + {a}.weight"],
        [f"{a} = {{'u': {b}, 'p': ({number}, q)}}", f"{a}['u'][0] = {a}['p'][0]",
         f"{a}['u'] = {a}['u'] * 0.5", f"{t} = sum(np.sum({a}[name]) for name in {a})"],
        [f"{a} = ({b}, y)", f"{a}[0][-1] = {number}", f"{t} = sum(np.sum(e * e) for e in {a})"],
        [f"{a} = [{b}, {vector} * 1.0]", f"for e in {a}:", "    e *= 0.5",
         f"{t} = np.sum({a}[q % 2])"],
        [f"{a}, *rest = {b}[0], {number}, q", f"{t} = {a} * sum(rest)"],
    )))  # fmt: skip


def closed(p: Program, scope: Scope) -> Lines:
    """Functions inside, which read and change what is around them."""
    f, t, number = p.fresh("f"), p.fresh(), p.e.make(scope, (), 1)
    a = p.e.pick([v.name for v in scope.of(("n",)) if v.writable] or ["v"])
    scope.variables[t] = Var(t, ())
    return list(p.e.pick((
        [f"def {f}(i, by=0.5):", f"    {a}[i] += by * {number}", f"    return {a}[i - 1]", "",
         f"{t} = {f}(1) + {f}(2, by=1.5)"],
        [f"{t} = {number}", f"def {f}():", f"    return {t} * 0.5 + {a}[0]", "",
         "for _ in range(q):", f"    {t} = {f}()"],
        [f"{f} = lambda p, *more: np.tanh(p) * {number} + sum(more)",
         f"{t} = {f}({a}[0]) + {f}({a}[1], 0.5, {a}[2])"],
        [f"{t} = sum(p * {number} for p in {a})"],
        [f"{f} = [lambda p, i=i: p * (i + 1) for i in range(3)]", f"{t} = {f}[q % 3]({number})"],
    )))  # fmt: skip


def listing(p: Program, scope: Scope) -> Lines:
    """A list made in a loop, changed and read in other ways than ``filled`` does."""
    c, i, t = p.fresh("c"), p.fresh("i"), p.fresh()
    inner = scope.copy()
    inner.indices[i] = "n"
    shape = p.e.pick(((), ("k",)))
    item = f"{p.e.make(inner, shape)} * 1.0"
    scope.variables[t] = Var(t, ())
    use = p.e.pick((
        [f"{c}[1] = {c}[-1] * 0.5", f"{t} = np.sum({c}[1] + {c}[0])"],
        [f"{t} = 0.0", f"while len({c}) > 1:", f"    {t} = {t} * 0.5 + np.sum({c}.pop())"],
        [f"{t} = np.sum(np.array({c}[1:]) - np.array({c}[:-1]))"],
        [f"{c}.reverse()", f"{t} = np.sum({c}[0] * {c}[1])"],
        [f"{t} = sum(np.sum(e) * j for j, e in enumerate({c}))"],
        [f"{c}.insert(0, {c}[2])", f"{t} = np.sum({c}.pop(1)) + len({c})"],
        [f"{t} = np.sum(np.stack({c}, axis=-1) * y)"],
        [f"{c}.extend([{c}[0], {c}[1]])", f"{t} = np.sum(np.stack({c})[len(x) - 1:])"],
        [f"{t} = np.sum(np.array([np.sum(e) for e in {c}]))"],
    ))  # fmt: skip
    return [f"{c} = []", f"for {i} in range(len(x)):", f"    {c}.append({item})", *use]


def yielded(p: Program, scope: Scope) -> Lines:
    """Generators and iterators, looped over, left early, moved on by hand."""
    t, i, e, a = p.fresh(), p.fresh("i"), p.fresh("e"), p.e.leaf(scope, ("n",))
    inner = scope.copy()
    inner.variables[e] = Var(e, ())
    body, condition = p.body(inner), p.e.condition(inner)
    number, bound = p.e.make(scope, (), 1), p.e.pick(("0.2", "0.45", "s"))
    stores = [v.name for v in scope.of(("n",)) if v.writable]
    store = f"{p.e.pick(stores)}[{i}] = {e} * 0.5" if stores else "pass"
    scope.variables[t] = Var(t, ())
    return list(p.e.pick((
        [f"{t} = 0.25", f"for {i}, {e} in peaks({a}, {bound}):", *indented(body),
         f"    {t} = {t} * 0.5 + {e}"],
        [f"{t} = 0.25", f"for {i}, {e} in peaks({a}, {bound}):", f"    {t} += {e} * {number}",
         f"    if {condition}:", "        break", "else:", f"    {t} = {t} * 0.5"],
        [f"for {i}, {e} in peaks({a}, {bound}):", f"    {store}", f"{t} = {e}"],
        [f"{t} = sum({e} * 0.5 for {i}, {e} in peaks({a}, {bound}, {number}))"],
        [f"{t} = sum(np.tanh({e}) for {e} in halved(1.0 + np.tanh({number}), q))"],
        [f"{t} = max([{e} for {e} in halved(1.0 + np.tanh({number}), 3)] + [0.1])"],
        [f"{t} = sum(list(halved({number} ** 2 + 0.3, q + 1))) + {number}"],
        [f"{i} = iter({a})", f"{t} = next({i}) * 0.5", f"for {e} in {i}:", *indented(body),
         f"    {t} = {t} * 0.5 + {e}"],
        [f"{i} = iter([{number}, s, 0.5])", f"{t} = next({i}) - next({i}) * next({i}, 1.0)"],
    )))  # fmt: skip


def chained(p: Program, scope: Scope) -> Lines:
    """Many branches one after the other, in each other, or out of a loop."""
    t, f, number = p.fresh(), p.fresh("f"), p.e.make(scope, (), 1)
    bounds = [round(0.1 * k - 0.3137, 4) for k in range(p.e.pick((3, 11, 14)))]
    scope.variables[t] = Var(t, ())
    head = f"{t} = np.tanh({number})"
    kind = p.e.draw(3)
    if kind == 0:
        tests = [f"if {t} < {b}: {t} = {t} * {k + 1}.0 + s" for k, b in enumerate(bounds)]
        return [head, tests[0], *(f"el{test}" for test in tests[1:])]
    if kind == 1:
        rows = [f"    if a < {b}: return a * {k + 1}.0 + n" for k, b in enumerate(bounds)]
        rows = [line for row in rows for line in (row, "    n, a = n + 1, a * 0.99")]
        return [f"def {f}(a, n=0):", *rows, "    return a * n", "", head, f"{t} = {f}({t})"]
    rounds = [f"    {t} = {f}({t}) * 0.9 + 0.1", f"    if {t} > 0.8765: break"]
    return [
        head,
        f"for {f} in [np.sin, np.cos, np.tanh, abs] * {len(bounds) // 3}:",
        *rounds,
    ]


STATEMENTS = (helped, helped, boxed, closed, listing, yielded, chained)

__all__ = ["HEAD", "STATEMENTS"]
