"""Sparse Jacobians: the entries of the dense ones, in few passes, and never one left out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, MissingToolError, UnsupportedFunctionError

sparse = pytest.importorskip("scipy.sparse")

X = np.linspace(0.1, 1.2, 8)
M = np.random.default_rng(0).normal(size=(5, 3))
W = np.random.default_rng(1).normal(size=(3, 4))


def check(f: Any, *args: Any, make: Any = (sg.jacfwd, sg.jacrev)) -> list[int]:
    """Sparse against dense in both modes; how many passes they take."""
    passes = []
    for transform in make:
        s = transform(f, sparse=True)
        found = s(*args)
        assert isinstance(found, sparse.csr_array)
        dense = np.reshape(transform(f)(*args), found.shape)
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-13, atol=1e-13)
        passes += s.colors(*args)
    return passes


def diagonal(x: Any) -> Any:
    return np.exp(np.sin(x) * x) + np.maximum(x, 0.5)


def second_differences(x: Any) -> Any:
    return x[2:] - 2 * x[1:-1] ** 2 + x[:-2]


def stencil(x: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] * x[i] - x[i + 1]
    return y


def rows_apart(x: Any) -> Any:
    return np.tanh(x @ W)


def contracted(x: Any) -> Any:
    return np.einsum("bi,ij->bj", x, W) * 2


def rolled(x: Any) -> Any:
    return np.roll(x, 1) * x


def joined(x: Any) -> Any:
    return np.concatenate([x[::-1], np.stack([x, x], axis=1).ravel(), x[:2]])


def running(x: Any) -> Any:
    return np.cumsum(x**2)


def summed(x: Any) -> Any:
    return np.sum(x * x, axis=0, keepdims=True) * x


def normalised(x: Any) -> Any:
    return x / np.sqrt(np.sum(x**2, axis=1, keepdims=True))


def ordered(x: Any) -> Any:
    return np.sort(x * np.cos(3 * x))


def constant(x: Any) -> Any:
    return np.floor(x)


def padded(x: Any) -> Any:
    return np.pad(x, 2)[1:] * 3.0


def smoothed(x: Any) -> Any:
    return np.convolve(x, np.array([1.0, 2.0, 1.0]), "same")


def spectrum(x: Any) -> Any:
    return np.real(np.fft.fft(x)) + x


def diffused(x: Any) -> Any:
    for _ in range(3):
        x = x + 0.1 * np.pad(np.diff(x, 2), 1)
    return x


def while_large(x: Any) -> Any:
    y = x
    while np.sum(y) > 1.0:
        y = 0.5 * np.where(y > 0.2, y * y, y)
    return y


@pytest.mark.parametrize(
    ("f", "x", "most"),
    [
        (diagonal, X, 1),
        (second_differences, X, 3),
        (stencil, X, 3),
        (rows_apart, M, 4),
        (contracted, M, 4),
        (rolled, X, 2),
        (joined, X, 5),
        (running, X, 8),
        (summed, M, 5),
        (normalised, M, 3),
        (ordered, X, 1),
        (constant, X, 0),
        (padded, X, 1),
        (smoothed, X, 8),
        (spectrum, X, 8),
        (diffused, X, 7),
        (while_large, X, 1),
    ],
)
def test_entries_and_passes(f: Any, x: Any, most: int) -> None:
    assert max(check(f, x)) <= most


def test_hessians() -> None:
    def rosenbrock(x: Any) -> Any:
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    assert check(rosenbrock, X, make=(sg.hessian,)) == [3]
    assert check(lambda x: np.sum(np.sin(x) ** 2), X, make=(sg.hessian,)) == [1]
    blocks = sg.hessian(lambda x, y: np.sum(x**2 * y), (0, 1), sparse=True)(X, 2.0)
    np.testing.assert_array_equal(blocks[0][0].toarray(), 4 * np.eye(8))
    np.testing.assert_array_equal(blocks[0][1].toarray(), 2 * X[:, None])
    np.testing.assert_array_equal(blocks[1][1].toarray(), [[0.0]])


def test_structures_and_several_arguments() -> None:
    def f(p: Any, y: Any) -> Any:
        return {"a": p["u"] * 2, "b": (np.sum(p["v"]) * y, p["u"][0])}

    args = {"u": X, "v": M}, 3.0
    for transform in (sg.jacfwd, sg.jacrev):
        found = transform(f, (0, 1), sparse=True)(*args)
        dense = transform(f, (0, 1))(*args)
        for place in (lambda j: j["a"], lambda j: j["b"][0], lambda j: j["b"][1]):
            one, other = place(found), place(dense)
            for key in ("u", "v"):
                shape = one[0][key].shape
                np.testing.assert_array_equal(
                    one[0][key].toarray(), np.reshape(other[0][key], shape)
                )
            np.testing.assert_array_equal(one[1].toarray().ravel(), np.ravel(other[1]))
    by_name = sg.jacfwd(lambda x, y: x * y, argnames="y", sparse=True)(X, X)
    np.testing.assert_array_equal(by_name.toarray(), np.diag(X))


def test_indices_and_branches_of_the_data_are_followed_at_each_call() -> None:
    def f(x: Any, places: Any) -> Any:
        y = x[places] * x
        if x[0] > 0:
            y[0] = x[-1]
        return y

    s = sg.jacfwd(f, sparse=True)
    for first, places in ((1.0, np.arange(8)), (-1.0, np.arange(8)[::-1].copy())):
        x = X.copy()
        x[0] = first
        np.testing.assert_array_equal(s(x, places).toarray(), sg.jacfwd(f)(x, places))


def test_what_is_known_of_a_shape_is_kept(monkeypatch: Any) -> None:
    from symgrad.runtime.sparse import dependence

    walks: list[int] = []
    whole = dependence.dependence

    def counted(*args: Any) -> Any:
        walks.append(1)
        return whole(*args)

    monkeypatch.setattr(dependence, "dependence", counted)
    s = sg.jacfwd(second_differences, sparse=True)
    for x in (X, 2 * X, X[:6], X):
        np.testing.assert_array_equal(s(x).toarray(), sg.jacfwd(second_differences)(x))
    assert len(walks) == 2


def test_rules_of_the_users_own_count_not_the_forward_code() -> None:
    @sg.custom_vjp
    def binarised(x: Any) -> Any:
        return np.sign(x)

    binarised.defvjp(lambda x: (np.sign(x), x), lambda x, g: (g * (np.abs(x) <= 1),))
    found = sg.jacrev(lambda x: binarised(x - 0.5), sparse=True)(X)
    np.testing.assert_array_equal(found.toarray(), np.diag((np.abs(X - 0.5) <= 1) * 1.0))


def test_library_functions() -> None:
    assert check(np.sin, X) == [1, 1]


def test_draws_are_not_followed() -> None:
    def noisy(x: Any) -> Any:
        return x * np.random.normal(size=x.shape)

    s = sg.jacfwd(noisy, sparse=True)
    assert s.colors(X) == [8]
    np.random.seed(1)
    found = s(X).toarray()
    assert np.count_nonzero(found) == 8


def test_single_precision() -> None:
    x = X.astype(np.float32)
    found = sg.jacfwd(second_differences, sparse=True)(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), sg.jacfwd(second_differences)(x), rtol=1e-6)


STEPS = (
    lambda x: np.sin(x),
    lambda x: x[1:] * x[:-1],
    lambda x: np.roll(x, 2) + x,
    lambda x: np.concatenate([x[3:], x[:3] ** 2]),
    lambda x: x.reshape(2, -1).T.ravel() if x.size % 2 == 0 else x,
    lambda x: np.cumsum(x) if x.size < 5 else x[::2],
    lambda x: np.where(x > 0.3, x, x * x),
    lambda x: np.repeat(x, 2)[: x.size + 1],
    lambda x: x - np.mean(x[:2]),
    lambda x: np.outer(x[:3], x[:2]).ravel() + x[:6],
    lambda x: np.maximum(x, np.flip(x)),
)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = tuple(STEPS[k] for k in rng.integers(0, len(STEPS), 4))

    def program(x: Any) -> Any:
        for step in chosen:
            x = step(x)
        return x

    check(program, rng.uniform(0.0, 1.0, 12))


def test_large_ones_take_little() -> None:
    x = np.linspace(0.0, 1.0, 20_000)
    s = sg.jacfwd(second_differences, sparse=True)
    assert s.colors(x) == [3]
    assert s(x).nnz == 3 * (x.size - 2)


# ------------------------------------------------------------------------------------ misuse
def test_sparse_needs_scipy(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingToolError, match=r"pip install symgrad\[scipy\]"):
        sg.jacfwd(diagonal, sparse=True)


def test_sparse_has_no_auxiliary_results() -> None:
    with pytest.raises(CallError, match="has_aux=True or sparse=True"):
        sg.jacrev(lambda x: (x, x), has_aux=True, sparse=True)


def test_sparse_is_not_for_compiled_functions() -> None:
    with pytest.raises(UnsupportedFunctionError, match=r"matrices of scipy\.sparse"):
        sg.compile(lambda x: sg.jacfwd(diagonal, sparse=True)(x))(X)
