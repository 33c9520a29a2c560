"""Statements on ints, bools, complex numbers and single precision, and what reads these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Shape, Var

if TYPE_CHECKING:
    from .programs import Program

VECTOR: Shape = ("n",)


def ints(p: Program, scope: Scope) -> Lines:
    """A Python int, by Python's rules."""
    old = [v.name for v in scope.others.values() if v.dtype == "int"]
    if old and p.e.chance(50):
        j = p.e.pick(old)
        step = p.e.pick((f"{j} += 1", f"{j} = {j} * 3 % 7", f"{j} //= 2", f"{j} = 5 - {j}"))
        return [step]
    j = p.fresh("j")
    number = p.e.make(scope, (), 1)
    value = p.e.pick((
        "q // 2", "(q * 7 - 20) % 5", "-7 // q", "len(x) - q", "q ** 2 - 4", "min(q, 2)",
        f"int({number} * 3.0)", f"round({number} * 2.0)", "int(np.sum(x > 0.5))",
        "int(np.argmax(y))", "q & 1", "1 << (q % 3)", f"math.floor({number})", "abs(2 - q)",
        f"max(q, int({number}), 1)",
    ))  # fmt: skip
    if p.e.chance(15):
        r = p.fresh("j")
        scope.others[r] = Var(r, (), "int")
        scope.others[j] = Var(j, (), "int")
        return [f"{j}, {r} = divmod({value} + 11, {p.e.pick(('3', 'q', '-4'))})"]
    scope.others[j] = Var(j, (), "int")
    return [f"{j} = {value}"]


def numbers(p: Program, scope: Scope) -> Lines:
    """Python's arithmetic on floats."""
    t = p.fresh()
    a, b = (p.e.make(scope, (), 1) for _ in range(2))
    value = p.e.pick((
        f"({a}) // 0.317", f"({a}) % 0.731", f"divmod({a}, 0.713)[1]", f"min({a}, {b}, 0.9)",
        f"max({a}, 0.123)", f"pow({a}, 2)", f"({a}) ** q", f"(2.0 + ({a}) ** 2) ** {b}",
        f"math.hypot({a}, 2.0)", f"abs({a}) * ({b})", f"round({a}, 1) * ({b})",
        f"math.exp(-({a}) ** 2)", f"({a}) / (3 + q)", f"float(np.float64({a}) * 2)",
        f"({a}) * True + ({b}) * (q > 5)", f"math.copysign(1.5, {a}) * ({b})",
    ))  # fmt: skip
    scope.variables[t] = Var(t, ())
    return [f"{t} = {value}"]


def positions(p: Program, scope: Scope) -> Lines:
    """An array of ints, all of them valid positions in a vector."""
    j, vector = p.fresh("j"), p.e.leaf(scope, VECTOR)
    value = p.e.pick((
        f"np.argsort({vector})", "np.arange(len(x))", "np.arange(len(x))[::-1]",
        "np.arange(len(x)) // 2", "np.array([0, 2, 1, 1, -1])", f"({vector} > 0.5).astype(int)",
        "np.where(y > 0.5, 1, 2)", "np.zeros(len(x), dtype=int)",
    ))  # fmt: skip
    scope.others[j] = Var(j, VECTOR, "position")
    return [f"{j} = {value}"]


def masks(p: Program, scope: Scope) -> Lines:
    """An array of bools, or a bool."""
    b = p.fresh("b")
    if p.e.chance(30):
        condition = p.e.condition(scope)
        scope.others[b] = Var(b, (), "bool")
        return [f"{b} = {condition}"]
    vector, other = (p.e.leaf(scope, VECTOR) for _ in range(2))
    old = [v.name for v in scope.others.values() if v.dtype == "bool" and v.shape]
    value = p.e.pick((
        f"{vector} > 0.4567", f"({vector} > {other}) & (x < 0.8765)", f"~({vector} < 0.3456)",
        f"np.isfinite({vector})", f"np.logical_or({vector} > 0.6543, y > x)",
        *(f"~{name}" for name in old), *(f"{name} | (x > 0.5432)" for name in old),
    ))  # fmt: skip
    scope.others[b] = Var(b, VECTOR, "bool")
    lines = [f"{b} = {value}"]
    return [*lines, f"{b}[{p.e.index(scope, 'n')}] = True"] if p.e.chance(20) else lines


def selected(p: Program, scope: Scope) -> Lines:
    """Stores by arrays of ints and of bools."""
    targets = [v.name for v in scope.of(VECTOR) if v.writable]
    masked = [v.name for v in scope.others.values() if v.dtype == "bool" and v.shape]
    placed = [v.name for v in scope.others.values() if v.dtype == "position"]
    if not targets:
        return masks(p, scope)
    t, number = p.e.pick(targets), p.e.make(scope, (), 1)
    value = p.e.make(scope, VECTOR, 1)
    options = []
    for b in masked:
        options += [
            f"{t}[{b}] = {number}", f"{t}[{b}] *= 0.5", f"{t}[{b}] = np.sin({value})[{b}]",
            f"np.copyto({t}, {value}, where={b})", f"{t}[~{b}] -= {number}",
            f"np.putmask({t}, {b}, {value})",
        ]  # fmt: skip
    for j in placed:
        options += [
            f"{t}[{j}] = np.tanh({value})", f"{t}[{j}] += {number}", f"{t}[{j}[1:]] *= 0.5",
            f"np.add.at({t}, {j}, np.tanh({value}))", f"np.put({t}, {j}, np.tanh({value}))",
            f"{t}[{j}] = {t}[{j}[::-1]]",
        ]  # fmt: skip
    return [p.e.pick(options)] if options else positions(p, scope)


def complexes(p: Program, scope: Scope) -> Lines:
    """Complex arrays and numbers on the way."""
    old = [v for v in scope.others.values() if v.dtype == "complex"]
    if old and p.e.chance(60):
        z = p.e.pick(old)
        return [p.e.pick(_changes(p, scope, z))]
    name, shape = p.fresh("z"), p.e.pick((VECTOR, ("k",), ()))
    a, b = (p.e.make(scope, shape, 1) for _ in range(2))
    number = f"complex({a}, {b})" if not shape else f"({a}).astype(complex)"
    value = p.e.pick(
        (f"{a} + 1j * ({b})", f"np.exp(1j * ({a}))", f"(2j - {a}) * ({b})", number)
    )
    scope.others[name] = Var(name, shape, "complex")
    return [
        f"{name} = {value} + 0j * {p.e.leaf(scope, shape)}"
        if shape
        else f"{name} = {value}"
    ]


def _changes(p: Program, scope: Scope, z: Var) -> list[str]:
    real = p.e.make(scope, z.shape, 1)
    changes = [
        f"{z.name} = {z.name} * 0.5j + {real}",
        f"{z.name} = {z.name} / (3.0 + abs({z.name}))",
        f"{z.name} = {z.name}.conjugate() * np.tanh({real})",
    ]
    if z.shape:
        at = p.e.index(scope, z.shape[0])
        changes += [
            f"{z.name}[{at}] = {p.e.make(scope, (), 1)} * 1j",
            f"{z.name}[1:] *= {z.name}[:-1]",
            f"{z.name}.real[{at}] = 0.5",
            f"{z.name}[::-1] -= 1j * np.cos({real})",
            f"{z.name}.imag *= 0.5",
        ]
    return changes


def singles(p: Program, scope: Scope) -> Lines:
    """Arrays of float32, and of ints into which floats are stored."""
    old = [v for v in scope.others.values() if v.dtype in ("single", "whole")]
    if old and p.e.chance(60):
        r = p.e.pick(old)
        value = p.e.make(scope, r.shape, 1)
        at = p.e.index(scope, "n")
        options = [f"{r.name}[{at}] = {p.e.make(scope, (), 1)}", f"{r.name}[:] = {value}"]
        if r.dtype == "single":
            options += [
                f"{r.name} *= 2", f"{r.name} += np.tanh({value})", f"{r.name}[1:] -= {r.name}[:-1]",
                f"{r.name} = {r.name} * np.float32(0.5) + 1",
            ]  # fmt: skip
        return [p.e.pick(options)]
    name, value = p.fresh("r"), p.e.make(scope, VECTOR, 1)
    kind = p.e.pick(("single", "single", "whole")) if p.single else "whole"
    made = {
        "single": ("np.zeros(len(x), np.float32)", f"np.asarray({value}, dtype=np.float32)",
                   f"({value}).astype('f4')"),
        "whole": ("np.zeros(len(x), dtype=np.int64)", "np.full(len(x), 2)",
                  f"(3.0 * ({value})).astype(int)"),
    }  # fmt: skip
    scope.others[name] = Var(name, VECTOR, kind)
    return [f"{name} = {p.e.pick(made[kind])}"]


def small(p: Program, scope: Scope) -> Lines:
    """Arrays of ints that wrap, as pixels and labels are kept."""
    old = [v for v in scope.others.values() if v.dtype == "small"]
    if old and p.e.chance(50):
        r = p.e.pick(old).name
        vector = p.e.leaf(scope, VECTOR)
        return [p.e.pick((
            f"{r} += 1", f"{r} = {r} * 3", f"{r}[{p.e.index(scope, 'n')}] = 100", f"{r} *= {r}",
            f"{r} = {r} + ({vector} > 0.5)", f"{r}[1:] -= {r}[:-1]", f"{r} = np.maximum({r}, 9)",
            f"{r}[{vector} > 0.6] = 3", f"{r} = {r}[::-1]",
        ))]  # fmt: skip
    name, vector = p.fresh("w"), p.e.leaf(scope, VECTOR)
    dtype = p.e.pick(("np.uint8", "np.int8", "np.int16", "np.uint16", "np.int32"))
    scope.others[name] = Var(name, VECTOR, "small")
    value = p.e.pick((
        f"np.array([100, 3, 77, 0, 127], dtype={dtype})", f"np.full(len(x), 100, {dtype})",
        f"np.argsort({vector}).astype({dtype})", f"({vector} > 0.5).astype({dtype})",
        f"np.arange(len(x), dtype={dtype}) * 60", f"(100 * np.cos({vector}) ** 2).astype({dtype})",
    ))  # fmt: skip
    return [f"{name} = {value}"]


STATEMENTS = (
    ints,
    numbers,
    positions,
    masks,
    selected,
    selected,
    complexes,
    singles,
    small,
)


def result(v: Var) -> str:
    """A number that depends on all of a variable of another dtype."""
    match v.dtype:
        case "complex":
            total = f"{v.name}.real * 0.3 + {v.name}.imag ** 2"
            return f"np.sum({total})" if v.shape else f"({total})"
        case "int":
            return f"0.1 * {v.name}"
        case "single":
            return f"np.sum(np.sin({v.name}))"
        case _:
            return f"0.1 * np.sum({v.name})"


__all__ = ["STATEMENTS", "result"]
