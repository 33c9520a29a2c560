"""Statements in the forms that numerical programs have: time steps, buffers that change places,
ways out of nested blocks, state in closures and objects, derivatives in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Var, indented, writing

if TYPE_CHECKING:
    from .programs import Program

HEAD = """
class Filter:
    def __init__(self, rate):
        self.rate = rate
        self.last = 0.0
        self.seen = []

    def __call__(self, value):
        self.last = self.last + self.rate * (value - self.last)
        self.seen.append(self.last)
        return self.last


def first_above(a, bound, *, other=0.25):
    for i, e in enumerate(a):
        for j in range(i):
            if e - a[j] > bound:
                return e * a[j], i
    return other, -1


def even(t, depth):
    if depth <= 0 or t < 0.2:
        return t
    return odd(t * 0.7, depth - 1) + 0.1 * t


def odd(t, depth):
    return even(np.tanh(t), depth - 1) * t


def guarded(a, by):
    try:
        a[0] = by
        if by > 0.4321:
            return a[1] * 0.5
        a[1:] *= 0.9
    finally:
        a[-1] += 0.1 * by
    return a[0]


def halves(a, low, high):
    if high - low < 2:
        return a[low] ** 2
    middle = (low + high) // 2
    return halves(a, low, middle) + 0.5 * halves(a, middle, high)


"""


def _target(p: Program, scope: Scope) -> str:
    found = [v.name for v in scope.of(("n",)) if v.writable]
    return str(p.e.pick(found)) if found else ""


def stepping(p: Program, scope: Scope) -> Lines:
    """Steps in time, with arrays that change places or are overwritten in part."""
    a, b, i, j = _target(p, scope), p.fresh("b"), p.fresh("i"), p.fresh("j")
    number, row = p.e.make(scope, (), 1), p.fresh("r")
    if not a:
        return p.assign(scope)
    made = p.e.pick(writing(scope, "w", (
        [f"{b} = np.zeros_like({a})", f"for {i} in range(q):",
         f"    {b}[1:-1] = 0.5 * ({a}[2:] + {a}[:-2])", f"    {a}, {b} = {b}, {a}"],
        [f"{b} = [{a}, np.sin({a})]", f"for {i} in range(4):",
         f"    {b}[{i} % 2][:] = 0.5 * {b}[({i} + 1) % 2] + 0.1 * ({number})"],
        [f"{b} = np.zeros((q + 1, len(x)))", f"{b}[0] = {a}", f"for {i} in range(q):",
         f"    {b}[{i} + 1] = np.tanh({b}[{i}]) + 0.1 * ({number})", f"{a}[:] = {b}[-1]"],
        [f"for {i} in range(2):", f"    {b} = w.copy()",
         f"    for {j} in range(1, w.shape[1] - 1):",
         f"        w[1:-1, {j}] = 0.25 * ({b}[2:, {j}] + {b}[:-2, {j}] + {b}[1:-1, {j} - 1])"],
        [f"for {i} in range(len(x) - 1):",
         f"    {a}[{i}], {a}[{i} + 1] = {a}[{i} + 1] * 0.5, {a}[{i}]"],
        [f"for {row} in w:", f"    {row} /= 1.0 + np.sum({row} * {row})"],
        [f"{b} = {a}[:, None] * y - 0.1 * np.outer(x, {a})",
         f"{b}[np.diag_indices(len(x))] += 30.0", f"{a}[:] = np.linalg.solve({b}, {a})"],
        [f"np.add.at({a}, np.arange(len(x)) // 2, np.sin(y) * 0.5)",
         f"np.subtract.at({a}, [0, 0], {number})"],
        [f"np.multiply({a}, 0.5, out={a}, where=x > 0.4321)", f"np.maximum({a}, -0.9, out={a})"],
        [f"np.cumsum({a} * 0.3, out={a})", f"np.dot(m, y[:3], out={a}[:])"],
    )))  # fmt: skip
    return list(made)


def leaving(p: Program, scope: Scope) -> Lines:
    """Ways out of nested loops, through ``try`` and ``else``."""
    i, j, t = p.fresh("i"), p.fresh("j"), p.fresh()
    inner = scope.copy()
    inner.indices |= {i: "n", j: "k"}
    first, second = p.e.condition(inner), p.e.condition(inner)
    number, a = p.e.make(inner, (), 1), _target(p, scope)
    way = p.e.pick(("break", "continue", f"return {number}"))
    if not a:
        return p.assign(scope)
    scope.variables[t] = Var(t, ())
    return [f"{t} = 0.5", *p.e.pick((
        [f"for {i} in range(len(x)):", "    try:", f"        if {first.replace(j, '1')}:",
         f"            {way.replace(j, '1')}", f"        {t} = {t} + 0.1 * {a}[{i}]",
         "    finally:", f"        {t} = {t} * 0.9"],
        [f"for {i} in range(len(x)):", f"    for {j} in range(m.shape[1]):",
         f"        if {first}:", "            break",
         f"        {t} = {t} + m[{i}, {j}] * ({number})", "    else:", "        continue",
         f"    if {second.replace(j, '0')}:", "        break"],
        [f"{i} = 0", f"while {i} < len(x) - 1:", f"    {i} += 1", f"    {j} = 0",
         f"    while {j} < 2 and {first}:", f"        {j} += 1",
         f"        {t} = {t} * 0.5 + {a}[{i}]", f"        if {t} > 1.2345:", f"            {way}"],
        [f"{t} = guarded({a}, {number.replace(i, '0').replace(j, '0')})"],
        [f"{t}, {i} = first_above({a}, 0.1234)", f"{t} = {t} + 0.1 * {i}"],
        [f"{t} = first_above(np.sin({a}), 0.0512, other={t})[0]"],
        [f"{t} = even({a}[0] * {a}[0] + 0.3, q)"], [f"{t} = halves({a}, 0, len(x))"],
    ))]  # fmt: skip


def stateful(p: Program, scope: Scope) -> Lines:
    """State in closures, objects, dicts and lists of tuples."""
    f, t, i = p.fresh("f"), p.fresh(), p.fresh("i")
    a, number = _target(p, scope), p.e.make(scope, (), 1)
    if not a:
        return p.assign(scope)
    scope.variables[t] = Var(t, ())
    return list(p.e.pick((
        [f"{t} = 0.3", f"def {f}(by):", f"    nonlocal {t}", f"    {t} = {t} * 0.5 + by",
         f"    {a}[1] *= 0.9", "    return by * by", "",
         f"for {i} in range(q):", f"    {t} = {t} + {f}({number})"],
        [f"{f} = Filter(0.25)", f"for {i} in {a}:", f"    {f}({i})",
         f"{t} = {f}.last + {f}.seen[1] * ({number})"],
        [f"{f} = {{'a': {a}, 'total': 0.0}}", f"for {i} in range(len(x)):",
         f"    if {f}['a'][{i}] > 0.2345:", f"        {f}['total'] += {f}['a'][{i}] * ({number})",
         f"{t} = {f}['total']"],
        [f"{f} = [(e, e * e) for e in {a} if e > 0.3456]",
         f"{t} = sum(u * w_ for u, w_ in {f}) + ({number})"],
        [f"{f} = []", f"for {i} in range(len(x)):", f"    {f}.append(({a}[{i}], {i}))",
         f"{t} = sum(u * k for u, k in {f})"],
        [f"{f} = {{k: {a} * k for k in (1, 2)}}", f"{f}[2][0] = {number}",
         f"{t} = sum(np.sum(e) * k for k, e in {f}.items())"],
        [f"{t} = max((e for e in {a}), default=0.0) + min({a}[0], {a}[1], {number})"],
        [f"{t} = ({number}) if any(e > 0.7654 for e in {a}) else {a}[0] * 0.5"],
    )))  # fmt: skip


def derived(p: Program, scope: Scope) -> Lines:
    """Derivatives other than ``grad`` in the middle of a program."""
    f, t = p.fresh("f"), p.fresh()
    a, number = p.e.leaf(scope, ("n",)), p.e.make(scope, (), 1)
    scope.variables[t] = Var(t, ())
    body = p.e.pick((
        ["total = 0.0", "for e in p:",
         "    total = total + np.sin(e) * e if e > 0.4321 else total * 0.9"],
        ["c = p * x", "c[1:] += c[:-1] * 0.5", f"total = np.sum(c ** 2) * ({number})"],
        ["total = np.sum(np.tanh(m.T @ p) ** 2) + p[0] * p[-1]"],
    ))  # fmt: skip
    use = p.e.pick((
        f"sg.jvp({f}, (1.0 * {a},), (y,))[1]",
        f"np.sum(sg.vjp({f}, 1.0 * {a})[1](0.5)[0] * y)",
        f"np.sum(sg.hvp({f})(y, 1.0 * {a}))",
        f"np.sum(sg.hessian({f})(1.0 * {a})[0])",
        f"np.sum(sg.vmap({f})(np.stack([x, 1.0 * {a}])))",
        f"np.sum(sg.vmap(sg.grad({f}))(np.stack([x, 1.0 * {a}])) * y)",
        f"sg.linearize({f}, 1.0 * {a})[1](y)",
    ))  # fmt: skip
    return [f"def {f}(p):", *indented([*body, "return total"]), "", f"{t} = {use}"]


STATEMENTS = (stepping, stepping, leaving, stateful, derived)

__all__ = ["HEAD", "STATEMENTS"]
