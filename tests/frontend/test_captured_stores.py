"""Stores into captured arrays: compiled code changes what the original would change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError, IndexingError, ShapeError

X = np.array([1.0, 2.0, 3.0])


class Store:
    """What functions change from outside; a new one for each test."""

    def __init__(self) -> None:
        self.total = np.zeros(3)
        self.count = np.array(0)


def test_part_and_whole_and_rank_zero() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        s.total[1] = x[0]
        s.total += x
        s.total[...] = s.total * 2
        s.count[...] += 1
        return s.total[1] + s.count

    assert f(X) == 7.0
    np.testing.assert_array_equal(s.total, [2, 6, 6])
    assert f(X) == 2 * (1 + 2) + 2
    np.testing.assert_array_equal(s.total, [6, 6, 18])
    assert s.count == 2
    assert s.count.dtype == np.array(0).dtype


def test_rank_zero_is_changed_in_a_branch_and_in_a_loop() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        if x[0] > 0:
            s.count[...] = 5
        for v in x:
            if v > 1:
                s.count[()] += 1
        return s.count + 0

    assert f(X) == 7
    assert f(-X) == 7
    assert s.count == 7


def test_a_gradient_inside_stores_once() -> None:
    s = Store()

    def inner(x: Any) -> Any:
        s.total += x
        s.count[...] += 1
        return np.sum(x**2)

    @sg.compile
    def f(x: Any) -> Any:
        return sg.grad(inner)(x) + s.total

    np.testing.assert_array_equal(f(X), 3 * X)
    np.testing.assert_array_equal(s.total, X)
    assert s.count == 1


V = np.array([1.0, -2.0, 0.5])


def total(f: Any) -> Any:
    return lambda x: np.sum(f(x))


def aux(f: Any) -> Any:
    return lambda x: (f(x), np.max(x))


TRANSFORMS: dict[str, Any] = {
    "grad": lambda f: sg.grad(total(f))(X),
    "value_and_grad": lambda f: sg.value_and_grad(total(f))(X),
    "jvp": lambda f: sg.jvp(f, (X,), (V,)),
    "vjp": lambda f: sg.vjp(f, X)[1](V),
    "linearize": lambda f: sg.linearize(f, X)[1](V),
    "hvp": lambda f: sg.hvp(total(f))(V, X),
    "jacrev": lambda f: sg.jacrev(f)(X),
    "jacfwd": lambda f: sg.jacfwd(f)(X),
    "jacfwd with aux": lambda f: sg.jacfwd(aux(f), has_aux=True)(X),
    "hessian": lambda f: sg.hessian(total(f))(X),
    "grad of grad": lambda f: sg.grad(lambda x: np.sum(sg.grad(total(f))(x) ** 2))(X),
    "grad of jvp": lambda f: sg.grad(lambda x: np.sum(sg.jvp(f, (x,), (V,))[1]))(X),
    "grad of checkpoint": lambda f: sg.grad(lambda x: np.sum(sg.checkpoint(f)(x)))(X),
    "jvp inside": lambda f: sg.compile(lambda x: sg.jvp(f, (x,), (V,)))(X),
    "vjp inside": lambda f: sg.compile(lambda x: sg.vjp(f, x)[1](V))(X),
    "linearize inside": lambda f: sg.compile(lambda x: sg.linearize(f, x)[1](V))(X),
    "jacrev inside": lambda f: sg.compile(lambda x: sg.jacrev(f)(x))(X),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_derivatives_change_what_a_plain_run_changes_once(transform: Any) -> None:
    old = np.array([0.5, -1.0, 2.0])

    def plain(x: Any, held: Any) -> Any:
        y = x * x * held  # whose derivative reads what is overwritten
        held[...] = 0.5 * held + x
        held[0] += y[1]
        return y * held * x

    def f(x: Any) -> Any:
        s.count[...] += 1
        return plain(x, s.total)

    s = Store()
    s.total[...] = old
    expected = transform(lambda x: plain(x, old.copy()))
    found = transform(f)
    for a, b in zip(sg.tree.leaves(found), sg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b)
    left = old.copy()
    plain(X, left)
    np.testing.assert_allclose(s.total, left)
    assert s.count == 1


def test_a_pullback_called_twice_changes_nothing_again() -> None:
    s = Store()

    def f(x: Any) -> Any:
        s.total += x
        return x * s.total

    _, pull = sg.vjp(f, X)
    (first,), (second,) = pull(V), pull(V)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(s.total, X)


def test_a_batch_is_refused() -> None:
    s = Store()

    def f(x: Any) -> Any:
        s.total[0] = x
        return x

    with pytest.raises(
        AliasError, match=r"`total` is captured .* several examples at"
    ) as caught:
        sg.vmap(f)(X)
    assert caught.value.span is not None
    assert "s.total[0] = " in caught.value.span.text
    with pytest.raises(AliasError, match="several examples at once"):
        sg.jacrev(lambda x: f(x[0]) * x, sparse=True)(X)


def test_a_number_is_not_changed_in_a_batch() -> None:
    s = Store()

    def f(x: Any) -> Any:
        s.count[...] += 1
        return x

    with pytest.raises(AliasError, match=r"`count` is captured .* `eval\(\)`"):
        sg.vmap(f)(X)


def test_memory_that_is_an_argument_too_is_refused() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        s.total += 1.0
        return x * 2

    np.testing.assert_array_equal(f(X), 2 * X)
    with pytest.raises(AliasError, match="`f` stores into `total`, which shares memory"):
        f(s.total[:2])


def test_rank_zero_under_another_name() -> None:
    s = Store()

    @sg.compile
    def f(x: Any) -> Any:
        count = s.count
        s.count[...] += 1
        return x + count

    np.testing.assert_array_equal(f(X), X + 1)
    assert s.count == 1

    @sg.compile
    def back(x: Any) -> Any:
        s.count[...] += 1
        return s.count

    with pytest.raises(
        AliasError, match="`count` of rank 0 is changed and returned"
    ) as caught:
        back(X)
    assert caught.value.span is not None


def test_rank_zero_takes_one_number() -> None:
    s = Store()

    @sg.compile
    def index(x: Any) -> Any:
        s.count[0] = 1
        return x

    @sg.compile
    def shape(x: Any) -> Any:
        s.count[...] = x
        return x

    with pytest.raises(IndexingError, match="rank 0, 1 were indexed"):
        index(X)
    with pytest.raises(ShapeError, match="does not fit into 0 axes"):
        shape(X)
