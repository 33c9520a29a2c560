"""Jacobians by few passes: the values of all columns, one pass for each of a few sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg

X = np.array([0.3, 0.7, -0.2, 1.1, 0.5, 0.9])
M = np.random.default_rng(0).uniform(0.2, 1.0, (4, 5))
W = np.random.default_rng(1).normal(size=(5, 2))


def ends(x: Any) -> Any:
    r = np.zeros_like(x)
    r[0] = x[0] - 1
    r[1:-1] = x[2:] * x[:-2]
    r[-1] = x[-1] ** 2
    return r


def heat(u: Any) -> Any:
    u = u.copy()
    for _ in range(2):
        u[1:-1, 1:-1] += (
            u[:-2, 1:-1] + u[2:, 1:-1] - 4 * u[1:-1, 1:-1] * u[1:-1, :-2] * u[1:-1, 2:]
        )
    return u


def halved(x: Any) -> Any:
    while np.sum(x) > 1:
        x = x * 0.5
    return x


def chosen(x: Any) -> Any:
    return x[1:] * x[:-1] if x[0] > 0 else x[1:] ** 2


def cubes(x: Any) -> Any:
    t = 0.0
    for i in range(x.shape[0]):
        t = t + x[i] ** 3
    return t


def longer(x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x.copy()
        x[1:] = x[1:] * x[:-1]
    return x


def mixed(x: Any) -> Any:
    return x * x[x > 0].sum()


def picked(x: Any, i: Any) -> Any:
    return x[i] * 2


def around(x: Any) -> Any:
    for _ in range(2):
        x = x + 0.1 * (np.roll(x, 1) - 2 * x + np.roll(x, -1)) * x
    return x


def around_by_ends(x: Any) -> Any:
    r = np.empty_like(x)
    r[0], r[-1] = x[-1] * x[1], x[-2] * x[0]
    r[1:-1] = x[2:] * x[:-2]
    return r


def lorenz96(x: Any) -> Any:
    return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 8


def apart(x: Any) -> Any:
    return np.roll(x, 3) * np.roll(x, -1)


def torus(x: Any) -> Any:
    return np.roll(x, 1, axis=0) * x + np.roll(x, -1, axis=1) ** 2


def joined(x: Any) -> Any:
    return np.concatenate([x[2:], x[:2]]) * np.hstack([x[-1:], x[:-1]]) - x


def gathered(x: Any) -> Any:
    i = np.arange(x.shape[0])
    y = np.empty_like(x)
    y[(i + 3) % len(x)] = x[(i + 1) % len(x)] * x[i - 1]
    return y - x[i]


def in_rounds(x: Any) -> Any:
    n, r = len(x), np.zeros_like(x)
    for i in range(n):
        r[i] += x[(i + 2) % n] * x[i - 1]
        r[(i + n - 1) % n] -= x[i]
    return r


def rows_gathered(m: Any) -> Any:
    i, j = np.arange(m.shape[0]), np.arange(m.shape[1])
    return m[(i + 1) % m.shape[0]] * m[:, j - 1]


PERIODIC = {
    "joined": (joined, X),
    "gathered": (gathered, X),
    "in rounds": (in_rounds, X),
    "rows gathered": (rows_gathered, M),
    "rolled": (lambda x: np.roll(x, 2) ** 2, X),
    "around": (around, X),
    "around by ends": (around_by_ends, X),
    "lorenz96": (lorenz96, X),
    "apart": (apart, X),
    "around, joined": (lambda x: np.sin(np.roll(x, 1)) - x[::-1][::-1] ** 2, X),
    "torus": (torus, M),
    "rows around": (lambda x: np.roll(x, 1, axis=1) * x, M),
    "rows around, apart": (lambda x: np.roll(x, 2, axis=1) * x, M),
}
FEW = {
    **PERIODIC,
    "diagonal": (np.tanh, X),
    "reversed": (lambda x: x[::-1] ** 2, X),
    "every second": (lambda x: x[::2] ** 2, X),
    "last two": (lambda x: x[-2:] ** 2, X),
    "two results": (lambda x: {"a": np.sin(x), "b": np.diff(x)}, X),
    "stacked": (lambda x: np.stack([x, x * x], axis=1), X),
    "padded": (lambda x: np.pad(x, 1) ** 2, X),
    "selected": (lambda x: np.where(x > 0, x * x, 3 * x), X),
    "second differences": (lambda x: np.diff(x, 2) ** 2, X),
    "ends": (ends, X),
    "while": (halved, X),
    "branch": (chosen, X),
    "rows": (lambda x: np.tanh(x @ W), M),
    "one a row": (lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True), M),
    "columns": (lambda x: x.sum(axis=0) ** 2, M),
    "letters": (lambda x: np.einsum("ij,jk->ki", x, W), M),
    "transposed": (lambda x: x[:, ::-1].T ** 2, M),
    "stencil": (heat, M),
}
DENSE = {
    "sum": (lambda x: x * x.sum(), X),
    "cumulative": (np.cumsum, X),
    "by data": (np.sort, X),
    "by another length": (lambda x: x[np.arange(3)] * x[(np.arange(3) + 1) % 3], X),
    "every place twice": (lambda x: x[2 * np.arange(len(x)) % len(x)] ** 2, X),
    "by a mask": (mixed, X),
    "flat": (lambda x: x.ravel() ** 2, M),
}


def leaves(tree: Any) -> list[Any]:
    return list(tree.values()) if isinstance(tree, dict) else [tree]


def by_columns(fun: Any, x: Any) -> list[Any]:
    """The Jacobian, a derivative for each entry of ``x``."""
    push = sg.compile(lambda t: sg.jvp(fun, (x,), (t,))[1])
    basis = np.eye(x.size).reshape(x.size, *x.shape)
    pushed = [leaves(push(t)) for t in basis]
    return [
        np.stack(c, axis=-1).reshape(*c[0].shape, *x.shape)
        for c in zip(*pushed, strict=True)
    ]


def passes(found: Any) -> bool:
    """Whether few passes are made: nothing has an axis for all basis vectors of its own."""
    return "np.diag(" in found.source or "# jacobian" in found.source


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("name", [*FEW, *DENSE])
def test_values(kind: Any, name: str) -> None:
    fun, x = (FEW | DENSE)[name]
    jacobian = kind(fun)
    for found, right in zip(leaves(jacobian(x)), by_columns(fun, x), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-14)
    if name in DENSE:
        assert not passes(jacobian)
    elif kind is not sg.jacrev or name not in ("every second", "last two"):
        assert passes(jacobian)


@pytest.mark.parametrize("length", [2, 3, 5])
def test_code_is_for_all_lengths(length: int) -> None:
    jacobian = sg.jacfwd(ends)
    jacobian(X)
    x = X[:length]
    [right] = by_columns(ends, x)
    np.testing.assert_allclose(jacobian(x), right, rtol=1e-14)


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize(
    "fun",
    [around, lorenz96, apart, around_by_ends, joined, gathered, in_rounds],
)
def test_periodic_code_is_for_all_lengths(kind: Any, fun: Any) -> None:
    """Shorter than the band, and with any rest when it is cut into sums."""
    jacobian = kind(fun)
    for length in range(3, 17):
        x = np.cos(np.arange(1.0, length + 1) ** 2)
        [right] = by_columns(fun, x)
        np.testing.assert_allclose(jacobian(x), right, rtol=1e-12, atol=1e-14)
    assert passes(jacobian)


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
def test_passes_of_periodic_stencils(kind: Any) -> None:
    """As many as the band is wide, and one for each entry that is left over."""
    counted: list[int] = []

    def watched(x: Any) -> Any:
        return lorenz96(x)

    for length in (8, 400, 401, 403):
        x = np.cos(np.arange(float(length)))
        text = kind(watched).lower(x).source
        scope: dict[str, Any] = {}
        exec(
            compile(text.replace("np.eye(", "_eye("), "code", "exec"),
            scope_of(scope, counted),
        )
        scope["watched_" + kind.__name__](x)
    assert counted == [4, 4, 5, 7]


def scope_of(scope: dict[str, Any], counted: list[int]) -> dict[str, Any]:
    """NumPy for generated code, and ``_eye``, which notes how many passes are asked for."""

    def eye(n: int, *rest: Any) -> Any:
        counted.append(n)
        return np.eye(n, *rest)

    scope.update(np=np, _eye=eye)
    return scope


def test_rolled_and_cut_off_by_a_number_of_the_call() -> None:
    rolled = sg.jacfwd(lambda x, k: np.roll(x, k) ** 2)
    cut = sg.jacfwd(lambda x, k: x[k:] ** 2)
    for k in (-3, 0, 2, 5):
        for jacobian, part in ((rolled, np.roll(X, k)), (cut, X[k:])):
            rows = np.roll(np.eye(6), k, axis=0) if jacobian is rolled else np.eye(6)[k:]
            np.testing.assert_array_equal(jacobian(X, k), 2 * part[:, None] * rows)
    assert passes(rolled)
    assert passes(cut)


def test_flops_do_not_grow_with_the_square() -> None:
    def counted(kind: Any, fun: Any, n: int) -> int:
        cost = kind(fun).cost(np.linspace(0.1, 0.9, n))
        return sum(n for name, n in cost.flops.items() if name != "where")

    for kind in (sg.jacfwd, sg.jacrev):
        assert counted(kind, np.tanh, 400) < 10 * 400
        assert counted(kind, lambda x: np.diff(np.sin(x)), 400) < 30 * 400
    rosenbrock = lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)  # noqa: E731
    assert counted(sg.hessian, rosenbrock, 400) < 40 * 400


def test_hessian_through_a_loop_over_entries() -> None:
    found = sg.hessian(cubes)
    np.testing.assert_allclose(found(X), np.diag(6 * X))
    assert "np.diag(" in found.source


def test_rounds_that_only_the_call_knows() -> None:
    jacobian = sg.jacfwd(longer)
    for steps in (0, 1, 3):
        [right] = by_columns(lambda x, n=steps: longer(x, n), X)
        np.testing.assert_allclose(jacobian(X, steps), right, rtol=1e-13)
    assert not passes(jacobian)


def test_indices_from_data() -> None:
    jacobian = sg.jacfwd(picked)
    for i in ([0, 1], [3, 3], [5, 0]):
        np.testing.assert_array_equal(jacobian(X, np.array(i)), 2 * np.eye(6)[i])


def test_rules_that_are_not_linear_see_one_vector_at_a_time() -> None:
    @sg.custom_vjp
    def scaled(x: Any) -> Any:
        return x * 2

    scaled.defvjp(lambda x: (x * 2, None), lambda _, g: (g / (1 + np.sqrt(np.sum(g * g))),))
    np.testing.assert_allclose(sg.jacrev(scaled)(X), np.eye(6) / 2)

    @sg.custom_vjp
    def shifted(x: Any) -> Any:
        return x * 2

    shifted.defvjp(lambda x: (x * 2, None), lambda _, g: (g + 1,))
    np.testing.assert_allclose(sg.jacrev(shifted)(X), np.eye(6) + 1)


def test_slopes_off_the_band_that_are_infinite_do_not_count() -> None:
    x = np.array([0.0, 1.0, 4.0])
    with np.errstate(divide="ignore"):
        found = sg.jacfwd(np.sqrt)(x)
    np.testing.assert_array_equal(found, np.diag([np.inf, 0.5, 0.25]))


def test_complex_and_inside_of_others() -> None:
    z = X + 1j * X[::-1]
    found = sg.jacfwd(lambda z: z**2, holomorphic=True)(z)
    np.testing.assert_allclose(found, np.diag(2 * z))
    magnitudes = sg.jacrev(lambda z: z.real**2 + z.imag**2)(z)
    np.testing.assert_allclose(magnitudes, np.diag(2 * z))

    @sg.compile
    def curvature(x: Any) -> Any:
        return np.trace(sg.hessian(lambda y: np.sum(y**4))(x))

    np.testing.assert_allclose(sg.grad(curvature)(X), 24 * X)
    third = sg.jacfwd(sg.hessian(lambda x: np.sum(x**3) / 6))(X)
    assert third.shape == (6, 6, 6)
    np.testing.assert_array_equal(np.einsum("iii->i", third), np.ones(6))
    assert np.count_nonzero(third) == 6


def in_line(x: Any) -> Any:
    y = np.reshape(x, (6,))
    return {"band": y[1:] * y[:-1], "nothing": np.ones(3), "square": y**2}


def in_rows(x: Any) -> Any:
    y = np.reshape(x, (2, 3))
    return {"all": np.tanh(y[:, ::-1]), "band": np.diff(y), "sums": y.sum(axis=1)}


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("fun", [in_line, in_rows, lambda x: np.gradient(x) ** 2])
def test_lengths_that_are_known_when_compiling(kind: Any, fun: Any) -> None:
    for block, right in zip(leaves(kind(fun)(X)), by_columns(fun, X), strict=True):
        np.testing.assert_allclose(block, right, rtol=1e-12, atol=1e-14)
