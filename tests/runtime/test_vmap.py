"""``sg.vmap``: axes and structures, straight code, refusals."""

from __future__ import annotations

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
from tests.runtime.batched import RNG, X, check, first_power


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


def test_defaults_are_the_same_for_every_example() -> None:
    def scaled(v: Any, w: Any, n: int = 3, unit: Any = None) -> Any:
        return np.sum(v**n) * w

    got = sg.vmap(scaled, in_axes=(0, None))(X, 2.0)
    np.testing.assert_allclose(got, 2 * np.sum(X**3, axis=1))
    np.testing.assert_allclose(sg.vmap(scaled)(X, X[:, 0]), X[:, 0] * np.sum(X**3, axis=1))
    by_rows = sg.vmap(sg.grad(scaled), in_axes=(0, None))(X, 2.0, 2)
    np.testing.assert_allclose(by_rows, 4 * X)

    def by_name(v: Any, *, k: float = 2.0, w: Any = None) -> Any:
        return v[0] * k if w is None else v[0] * w

    np.testing.assert_allclose(sg.vmap(by_name)(X), 2 * X[:, 0])
    np.testing.assert_allclose(sg.vmap(by_name)(X, w=X[:, 1]), X[:, 0] * X[:, 1])
    with pytest.raises(TreeStructureError, match=r"2 entries.*4 positional"):
        sg.vmap(scaled, in_axes=(0, None))(X, 2.0, np.ones(4))


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
