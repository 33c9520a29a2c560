"""``sg.vmap``: axes and structures, control flow, nesting with derivatives, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    InputTypeError,
    ShapeError,
    TreeStructureError,
    UnsupportedFunctionError,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 5))
TABLE = RNG.standard_normal(6)


def check(fun: Callable[..., Any], *args: Any, rtol: float = 1e-12) -> str:
    """All examples at once give what one after the other gives; the code for them."""
    batched = sg.vmap(fun)
    wanted = np.stack([np.asarray(fun(*rows)) for rows in zip(*args, strict=True)])
    got = batched(*args)
    np.testing.assert_allclose(got, wanted, rtol=rtol)
    assert got.dtype == wanted.dtype
    return batched.source


def slopes(fun: Callable[[Any], Any], x: Any, eps: float = 1e-6) -> Any:
    """Central differences."""
    g = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[k] = eps
        g[k] = (fun(x + e) - fun(x - e)) / (2 * eps)
    return g


# ---------------------------------------------------------------------- straight code
def softmax(v: Any) -> Any:
    e = np.exp(v - v.max())
    return e / e.sum()


def moved(v: Any) -> Any:
    return np.outer(v, v).T[1:, ::-1].reshape(-1)[::2]


def weighed(v: Any) -> Any:
    return v * 0.5 + float(v[0])


def test_straight_code() -> None:
    check(softmax, X)
    check(moved, X)
    check(np.sin, X)
    check(np.linalg.inv, np.stack([np.eye(3), 2 * np.eye(3)]))
    check(sg.compile(softmax), X)
    check(lambda v: np.cumsum(np.sort(v))[np.argsort(v)], X)
    check(lambda v, i: v[i], X, np.array([0, 4, 2, -1]))
    check(lambda v, w: v @ w, X, X)


def test_python_numbers_stay_weak() -> None:
    check(weighed, X.astype(np.float32), rtol=1e-6)


def test_shared_arguments_give_one_product() -> None:
    layer = sg.vmap(lambda w, x: np.tanh(x @ w), in_axes=(None, 0))
    w = RNG.standard_normal((5, 2))
    np.testing.assert_allclose(layer(w, X), np.tanh(X @ w))
    assert "return np.tanh(x @ w)" in layer.source


def test_axes_and_structures() -> None:
    def fun(p: Any, x: Any) -> Any:
        return {"y": p["w"] @ x + p["b"], "n": (x.sum(), 1.0)}

    p = {"w": RNG.standard_normal((2, 5)), "b": np.ones(2)}
    batched = sg.vmap(fun, in_axes=(None, 1), out_axes={"y": -1, "n": (0, None)})
    got = batched(p, X.T)
    np.testing.assert_allclose(got["y"], p["w"] @ X.T + 1)
    np.testing.assert_allclose(got["n"][0], X.sum(1))
    assert got["n"][1] == 1.0
    nested = {"w": 0, "b": None}
    stacked = {"w": np.stack([p["w"]] * 4), "b": p["b"]}
    got = sg.vmap(fun, in_axes=(nested, 0))(stacked, X)
    np.testing.assert_allclose(got["y"], X @ p["w"].T + 1)


def test_keywords_are_batched() -> None:
    np.testing.assert_array_equal(
        sg.vmap(lambda x, y: x + y)(np.ones(3), y=np.arange(3.0)), [1, 2, 3]
    )


def test_nested_batches() -> None:
    outer = sg.vmap(sg.vmap(lambda a, b: a * b, (None, 0)), (0, None))
    np.testing.assert_array_equal(outer(X[0], X[1]), np.outer(X[0], X[1]))


@pytest.mark.parametrize("count", [0, 1])
def test_few_examples(count: int) -> None:
    x = np.ones((count, 3))
    np.testing.assert_array_equal(sg.vmap(lambda v: v.sum() * v)(x), 3 * x)
    np.testing.assert_array_equal(sg.vmap(first_power)(x[:, 0]), x[:, 0])


def test_arguments_are_left_alone() -> None:
    def overwrites(v: Any) -> Any:
        v[0] = 7.0
        return v * 2

    x = X.copy()
    got = sg.vmap(overwrites)(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(got[:, 0], 14)


# ----------------------------------------------------------------------- control flow
def first_power(v: Any) -> Any:
    while v > 1:
        v = v / 2
    return v


def two_ways(v: Any) -> Any:
    if v.sum() > 0:
        return np.tanh(v)
    return v * 2


def logarithm(v: Any) -> Any:
    if v > 0:
        return np.log(v)
    return v


def stable(v: Any) -> Any:
    if v > 0:
        return 1 / (1 + np.exp(-v))
    e = np.exp(v)
    return e / (1 + e)


def guarded(i: Any) -> Any:
    if i < 6:
        return TABLE[i]
    return 0.0


def recurrence(v: Any) -> Any:
    s = 0.0
    for i in range(len(v)):
        s = s * 0.5 + np.sin(v[i]) * s + v[i]
    return s


def leaves_early(v: Any) -> Any:
    for i in range(len(v)):
        if v[i] > 0.5:
            return v[i] * 2
        if v[i] < -1:
            return np.log(-v[i])
    return 0.0


def summed_until(v: Any) -> Any:
    s = 0.0
    for i in range(len(v)):
        if s > 1:
            break
        s += abs(v[i])
    return s


def newton(a: Any) -> Any:
    y = a
    while abs(y * y - a) > 1e-12:
        y = 0.5 * (y + a / y)
    return y


def collatz(n: Any) -> Any:
    c = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        c += 1
    return c


def falling(v: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n, -1, -1):
        s = s * 0.5 + v[i]
        if s > 1:
            break
    return s


def stored(v: Any) -> Any:
    out = np.zeros_like(v)
    for i in range(1, len(v)):
        out[i] = out[i - 1] + v[i] * v[0]
    if v[0] > 0:
        out[1] = 7.0
    return out


def overwritten_while(v: Any) -> Any:
    out = np.zeros_like(v)
    i = 0
    while i < len(v) and v[i] < 1:
        out[i] = v[i] ** 2
        i += 1
    return out


def test_ways_apart() -> None:
    assert "np.where" in check(two_ways, X)
    check(recurrence, X)
    check(summed_until, X)
    check(stored, X)
    check(falling, X, np.array([0, 1, 4, 3]))
    check(collatz, np.array([1, 7, 27, 6]))
    assert "for example in range" in check(overwritten_while, X)


def test_other_examples_neither_warn_nor_fail() -> None:
    check(logarithm, np.array([-1.0, 2.0, 3.0]))
    check(stable, np.array([-1000.0, 0.0, 1000.0]))
    check(guarded, np.array([0, 5, 6, 9]))
    check(leaves_early, X)
    check(newton, np.array([1.0, 2.0, 9.0, 50.0]))


def test_what_data_shapes() -> None:
    check(lambda v: v[v > 0].sum(), X)
    check(lambda v: len(np.unique(np.round(v))), X)


def test_effects(capsys: pytest.CaptureFixture[str]) -> None:
    def shows(v: Any) -> Any:
        print("v", v)
        return v * 2

    sg.vmap(shows)(np.array([1.0, 2.0]))
    assert capsys.readouterr().out == "v 1.0\nv 2.0\n"

    def asserts(v: Any) -> Any:
        assert v > 0
        return v

    check(asserts, np.array([1.0, 2.0]))
    with pytest.raises(AssertionError):
        sg.vmap(asserts)(np.array([1.0, -2.0]))

    def raises(v: Any) -> Any:
        if v < 0:
            raise ValueError("negative")
        return np.sqrt(v)

    check(raises, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="negative"):
        sg.vmap(raises)(np.array([1.0, -2.0]))


# ---------------------------------------------------------------------------- nesting
NUMBERS = {
    "recurrence": recurrence,
    "two_ways": lambda v: np.sum(two_ways(v) ** 2),
    "stored": lambda v: np.sum(stored(v) ** 2),
    "solve": lambda v: np.sum(np.linalg.solve(np.outer(v, v) + np.eye(5), v)),
    "gather": lambda v: np.sum(v[np.array([0, 0, 2])] ** 3),
    "mask": lambda v: np.sum(v[v > 0] ** 2),
    "extremes": lambda v: np.max(v) * np.min(v),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_nesting_with_derivatives(name: str) -> None:
    fun = NUMBERS[name]
    each = sg.vmap(sg.grad(fun))(X)
    np.testing.assert_allclose(
        each, np.stack([slopes(fun, v) for v in X]), rtol=1e-5, atol=1e-6
    )
    whole = sg.grad(lambda x: np.sum(sg.vmap(fun)(x) ** 2))(X)
    values = np.array([fun(v) for v in X])
    np.testing.assert_allclose(whole, 2 * values[:, None] * each, rtol=1e-9, atol=1e-12)
    hessians = sg.vmap(sg.hessian(fun))(X)
    np.testing.assert_allclose(hessians[1], sg.hessian(fun)(X[1]), rtol=1e-9, atol=1e-12)


def test_derivative_of_an_iteration() -> None:
    x = np.array([1.5, 2.0, 9.0])
    wanted = 0.5 / np.sqrt(x)
    np.testing.assert_allclose(sg.vmap(sg.grad(newton))(x), wanted)
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(sg.vmap(newton)(x)))(x), wanted)


def test_captured_variables() -> None:
    def loss(w: Any) -> Any:
        return np.sum(sg.vmap(lambda r: np.tanh(w @ r))(X) ** 2)

    w = RNG.standard_normal((3, 5))
    wanted = slopes(lambda w: np.sum(np.tanh(X @ w.T) ** 2), w)
    np.testing.assert_allclose(sg.grad(loss)(w), wanted, rtol=1e-5, atol=1e-6)


def test_recurrent_network_stays_a_loop_over_time() -> None:
    def loss(w: Any, xs: Any) -> Any:
        h = np.zeros(3)
        for t in range(xs.shape[0]):
            h = np.tanh(w @ h + xs[t])
        return np.sum(h**2)

    w, xs = RNG.standard_normal((3, 3)), RNG.standard_normal((4, 6, 3))
    batched = sg.vmap(sg.grad(loss), (None, 0))
    np.testing.assert_allclose(
        batched(w, xs), np.stack([sg.grad(loss)(w, x) for x in xs]), rtol=1e-10
    )
    assert "range(xs.shape[1])" in batched.source
    assert "example" not in batched.source


def test_directional_derivatives() -> None:
    cubes = sg.vmap(lambda r: sg.vjp(lambda z: np.sum(z**3), r)[1](1.0)[0])
    np.testing.assert_allclose(cubes(X), 3 * X**2)
    columns = sg.vmap(lambda t: sg.jvp(lambda z: z**2, (X[0],), (t,))[1])
    np.testing.assert_allclose(columns(np.eye(5)), np.diag(2 * X[0]))


def test_pullback_of_a_basis() -> None:
    def rows(v: Any) -> Any:
        _, pull = sg.vjp(lambda z: z**2 + z[0], v)
        return sg.vmap(pull)(np.eye(5))[0]

    wanted = np.diag(2 * X[0])
    wanted[:, 0] += 1
    np.testing.assert_allclose(sg.compile(rows)(X[0]), wanted)


# --------------------------------------------------------------------------- refusals
def test_lengths_that_disagree() -> None:
    with pytest.raises(ShapeError, match=r"3 examples.*4"):
        sg.vmap(lambda a, b: a + b)(np.ones(3), np.ones(4))


@pytest.mark.parametrize(
    ("error", "text", "options", "args"),
    [
        (InputTypeError, "no axis 0 to batch over", {}, (1.0,)),
        (ShapeError, "no axis 2", {"in_axes": 2}, (np.ones((2, 3)),)),
        (InputTypeError, "nothing to batch over", {"in_axes": None}, (np.ones(2),)),
        (ShapeError, "differs between examples", {"out_axes": None}, (np.ones(2),)),
        (ShapeError, "out_axes says 3", {"out_axes": 3}, (np.ones(2),)),
        (TreeStructureError, "2 entries.*1 positional", {"in_axes": (0, 0)}, (np.ones(2),)),
        (
            TreeStructureError,
            "same structure",
            {"in_axes": ((0, 0),)},
            ({"a": np.ones(2)},),
        ),
    ],
)
def test_axes_that_do_not_fit(
    error: type[Exception], text: str, options: dict[str, Any], args: tuple[Any, ...]
) -> None:
    with pytest.raises(error, match=text):
        sg.vmap(lambda x: x, **options)(*args)


def test_axes_of_other_kinds() -> None:
    with pytest.raises(InputTypeError, match="integers and None"):
        sg.vmap(lambda x: x, in_axes="rows")


def test_results_of_different_shapes() -> None:
    with pytest.raises(UnsupportedFunctionError, match="another shape for each example"):
        sg.vmap(lambda v: v[v > 0])(X)


def test_a_function_as_result() -> None:
    with pytest.raises(InputTypeError, match="holds a function"):
        sg.vmap(lambda v: lambda: v)(X)
