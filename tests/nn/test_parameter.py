"""``Parameter``: an array in a box, its gradient, its hooks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.errors import GradientError

X = np.arange(6.0).reshape(2, 3)


def test_shares_memory_with_its_data() -> None:
    p = nn.Parameter(X)
    assert p.data is X
    assert (p.shape, p.dtype, p.ndim, p.size, len(p)) == ((2, 3), X.dtype, 2, 6, 2)
    assert nn.Parameter(p).data is X
    assert nn.Parameter(np.float32(2)).data.dtype == np.float32


@pytest.mark.parametrize("bad", [[1.0, 2.0], 3.0, None])
def test_data_has_to_be_an_array(bad: Any) -> None:
    with pytest.raises(TypeError, match="a parameter holds an array, not"):
        nn.Parameter(bad)
    with pytest.raises(TypeError, match=r"pass np\.array"):
        nn.Parameter(X).data = bad


def test_integers_require_no_gradient() -> None:
    with pytest.raises(GradientError, match="int64 cannot require a gradient"):
        nn.Parameter(np.arange(3))
    frozen = nn.Parameter(np.arange(3), requires_grad=False)
    with pytest.raises(GradientError, match="convert it with astype"):
        frozen.requires_grad = True


def test_frozen_in_place() -> None:
    p = nn.Parameter(np.ones((2, 3)))
    assert p.requires_grad_(False) is p
    assert not p.requires_grad
    assert p.requires_grad_().requires_grad
    assert p.numel() == 6


def test_is_an_array_to_uncompiled_code() -> None:
    p = nn.Parameter(X.copy())
    for made, wanted in (
        (p + 1, X + 1), (1 - p, 1 - X), (p * p, X * X), (2 / (p + 1), 2 / (X + 1)),
        (p @ X.T, X @ X.T), (X @ p.T, X @ X.T), (-p, -X), (abs(p), X), (p**2, X**2),
        (p // 2, X // 2), (5 % (p + 1), 5 % (X + 1)), (p > 2, X > 2), (p == p, X == X),
        (np.tanh(p), np.tanh(X)), (np.concatenate([p, X]), np.concatenate([X, X])),
        (p[1, :2], X[1, :2]), (p.reshape(3, 2), X.reshape(3, 2)), (p.sum(), X.sum()),
        (list(p)[1], X[1]), (np.asarray(p, dtype=np.float32), X.astype(np.float32)),
    ):  # fmt: skip
        np.testing.assert_array_equal(made, wanted)
    assert float(nn.Parameter(np.array(2.5))) == 2.5
    assert int(nn.Parameter(np.array([2.5])[0])) == 2
    assert bool(nn.Parameter(np.array(0.0))) is False


def test_changes_in_place_keep_the_array() -> None:
    p = nn.Parameter(np.ones(3))
    data = p.data
    p += 1
    p *= 2
    p[0] = 9
    assert p.data is data
    np.testing.assert_array_equal(data, [9, 4, 4])
    with pytest.raises(AttributeError, match="_nothing"):
        p._nothing  # noqa: B018


def test_gradient_is_checked() -> None:
    p = nn.Parameter(X)
    with pytest.raises(TypeError, match="an array or None, not list"):
        p.grad = [1.0]  # type: ignore[assignment]
    with pytest.raises(GradientError, match=r"shape \(2, 3\).*cannot have shape \(3,\)"):
        p.grad = np.ones(3)
    with pytest.raises(GradientError, match="dtype float32"):
        p.grad = X.astype(np.float32)
    with pytest.raises(GradientError, match="cannot be a read-only array"):
        p.grad = np.broadcast_to(1.0, (2, 3))
    p.grad = X
    assert p.grad is X
    p.grad = None
    assert p.grad is None


def test_gradient_of_rank_0_is_scaled() -> None:
    p = nn.Parameter(np.array(2.0))
    p.accumulate(np.array(3.0))
    p.grad = p.grad * 0.5  # a NumPy scalar
    p.accumulate(np.array(1.0))
    assert isinstance(p.grad, np.ndarray)
    assert p.grad == 2.5


def test_second_gradient_is_added_in_place() -> None:
    p = nn.Parameter(X)
    p.accumulate(np.ones((2, 3)))
    first = p.grad
    p.accumulate(np.ones((2, 3)))
    assert p.grad is first
    np.testing.assert_array_equal(first, 2)
    with pytest.raises(GradientError, match="cannot have shape"):
        p.accumulate(np.ones(2))


def test_copies_have_the_gradient_and_no_hooks() -> None:
    p = nn.Parameter(X.copy(), name="w")
    p.grad = np.ones((2, 3))
    p.register_hook(lambda g: g)
    for other in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert (other.name, other._hooks) == ("w", None)
        np.testing.assert_array_equal(other.data, X)
        np.testing.assert_array_equal(other.grad, 1)
        assert other.data is not p.data
    assert p._hooks is not None


def test_text() -> None:
    assert repr(nn.Parameter(np.ones(2))) == (
        "Parameter (shape (2,), float64):\narray([1., 1.])"
    )
    frozen = nn.Parameter(np.ones(1), requires_grad=False, name="w")
    assert repr(frozen).startswith("Parameter 'w' (requires_grad=False, shape (1,)")


def test_hooks_have_to_be_callable() -> None:
    p = nn.Parameter(X)
    for register in (p.register_hook, p.register_post_accumulate_grad_hook):
        with pytest.raises(TypeError, match="a hook has to be callable, not int"):
            register(3)
    with pytest.raises(GradientError, match="requires none never runs"):
        nn.Parameter(X, requires_grad=False).register_hook(lambda g: g)


def test_handles() -> None:
    p = nn.Parameter(X)
    with p.register_hook(lambda g: g):
        other = p.register_post_accumulate_grad_hook(lambda p: None)
    assert p._hooks is not None
    other.remove()
    other.remove()
    assert p._hooks is None
    handle = nn.Parameter(X).register_hook(lambda g: g)
    handle.remove()
