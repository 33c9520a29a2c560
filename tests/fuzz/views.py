"""Statements that make views of every kind, and that write through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import Lines, Scope, Shape, Var

if TYPE_CHECKING:
    from .programs import Program

OF_VECTOR: tuple[tuple[str, Shape], ...] = (
    ("{}[::2]", ("(n + 1) // 2",)), ("{}[1::2]", ("n // 2",)), ("{}[:0:-1]", ("n - 1",)),
    ("{}[-1:0:-2]", ("n // 2",)), ("{}.reshape(1, -1)", ("1", "n")),
    ("{}.reshape(-1, 1)", ("n", "1")), ("np.squeeze({}[:, None])", ("n",)),
    ("np.asarray({})", ("n",)), ("np.atleast_2d({})", ("1", "n")), ("{}[:][::-1]", ("n",)),
    ("np.expand_dims({}, 0)[0]", ("n",)), ("np.flip({})", ("n",)), ("{}.ravel()", ("n",)),
    ("np.split({}, [2])[1]", ("n - 2",)), ("{}.T", ("n",)),
)  # fmt: skip
OF_MATRIX: tuple[tuple[str, Shape], ...] = (
    ("{}.T", ("k", "n")), ("np.swapaxes({}, 0, 1)[::-1]", ("k", "n")),
    ("{}.reshape(-1)", ("n * k",)), ("{}.ravel()[::2]", ("(n * k + 1) // 2",)),
    ("{}[1:-1, ::2]", ("n - 2", "(k + 1) // 2")), ("{}[::-1, ::-1]", ("n", "k")),
    ("np.moveaxis({}, 0, 1)[1]", ("n",)), ("{}.transpose(1, 0)[-1]", ("n",)),
    ("{}[:, None, :][:, 0]", ("n", "k")), ("np.diagonal({}[:3])", ("k",)),
    ("np.einsum('ii->i', {}[1:4])", ("k",)), ("{}.reshape(m.shape[1], len(x))", ("k", "n")),
    ("{}.T.ravel()", ("n * k",)), ("np.rot90({})", ("k", "n")), ("{}.diagonal(-1)", ("k",)),
    ("np.vsplit({}, [2])[0][1]", ("k",)), ("{}.T.reshape(-1)[:len(x)]", ("n",)),
)  # fmt: skip
READ_ONLY = ("np.diagonal", ".diagonal")


def view(p: Program, scope: Scope) -> Lines:
    """A name for part of an array, in another order."""
    base = p.e.pick(
        [v for v in scope.variables.values() if v.shape in (("n",), ("n", "k"))]
    )
    how, shape = p.e.pick(OF_VECTOR if len(base.shape) == 1 else OF_MATRIX)
    name = p.fresh("u")
    writable = base.writable and not any(word in how for word in READ_ONLY)
    scope.variables[name] = Var(name, shape, writable=writable)
    return [f"{name} = {how.format(base.name)}"]


def through(p: Program, scope: Scope) -> Lines:
    """A store through a view that has no name."""
    targets = [v for v in scope.variables.values() if v.writable and len(v.shape) in (1, 2)]
    targets = [v for v in targets if v.shape in (("n",), ("n", "k"))]
    if not targets:
        return view(p, scope)
    base = p.e.pick(targets)
    number = p.e.make(scope, (), 1)
    vector = p.e.make(scope, ("n",), 1)
    name = base.name
    options = [f"{name}.flat[1:4] = {number}", f"{name}[...] *= np.tanh({number})",
               f"{name}.fill({number})", f"{name}.flat[-1] = {number}"]  # fmt: skip
    if len(base.shape) == 1:
        options += [
            f"{name}[1:][::-1] = np.tanh({vector})[1:]", f"{name}[::2][0] += {number}",
            f"{name}[1:] = {name}[:-1]", f"{name}[:-1] += {name}[1:]",
            f"{name}.reshape(1, -1)[0, 1:3] *= {number}", f"{name}.sort()",
            f"{name}[:, None][1] = {number}", f"{name}[1:-1] = ({name}[2:] + {name}[:-2]) / 2",
            f"{name}[:] = np.roll({name}, 1)", f"np.clip({name}, -0.51, 0.77, out={name})",
        ]  # fmt: skip
    else:
        options += [
            f"{name}.T[0] = np.tanh({vector})", f"{name}.T[1][::-1] *= {number}",
            f"np.fill_diagonal({name}, {number})", f"{name}[1:][0] = {name}[0]",
            f"{name}.ravel()[2:5] += {number}", f"{name}.reshape(-1)[::4] = {number}",
            f"{name}[1:, 1:] -= 0.5 * {name}[:-1, :-1]", f"{name}[[0, 2], [1, 0]] = {number}",
            f"{name}[[1, 2]] = {name}[[2, 1]]", f"{name}[:, [0, -1]] *= 0.5",
            f"{name}[np.arange(3), np.arange(3)] += {number}", f"{name}.sort(axis=0)",
            f"{name}[x > 0.5] = {number}", f"{name}[x > 0.5, 1] *= 0.5",
        ]  # fmt: skip
    return [p.e.pick(options)]


def spread(p: Program, scope: Scope) -> Lines:
    """Views that show one entry several times."""
    t, vector = p.fresh(), p.e.leaf(scope, ("n",))
    scope.variables[t] = Var(t, ())
    value = p.e.pick((
        f"np.sum(np.broadcast_to({vector}, (3, len(x))) * np.arange(3.0)[:, None])",
        f"np.sum(np.lib.stride_tricks.sliding_window_view({vector}, 2).prod(axis=1))",
        f"sum(r * r for r in {vector})", f"max(abs(r) for r in {vector})",
        f"np.sum(np.outer({vector}, y) * np.eye(len(x)))",
        f"np.array([r ** 2 for r in {vector} if r > 0.4321]).sum()",
        f"np.sum(np.diff({vector}) ** 2)", f"np.prod(1.0 + 0.1 * np.sort({vector}))",
        f"np.sum(np.tile({vector}, 2)[1:-1])", f"np.sum(np.repeat({vector}, 2) * 0.5)",
        f"np.max({vector}) - np.min({vector})", f"np.linalg.norm({vector} + 20.0)",
        f"np.sum(np.einsum('i,ij->j', {vector}, m))", f"np.dot({vector}, x) + np.var({vector})",
        f"np.sum(np.stack([{vector}, x])[:, 1])", f"np.sum(np.pad({vector}, 1)[:-1])",
    ))  # fmt: skip
    return [f"{t} = {value}"]


STATEMENTS = (view, view, through, through, spread)

__all__ = ["STATEMENTS"]
