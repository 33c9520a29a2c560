"""checkpoint: the same derivatives to the last bit, with less memory and more arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, InputTypeError, UnsupportedFunctionError
from symgrad.testing import check_grads
from tests.transforms.checkpointing import V, W, X, code, gradients, peak, same

policies = sg.checkpoint_policies


def layer(x: Any, w: Any) -> Any:
    h = np.tanh(x @ w)
    return np.sin(h) * h + x


def branching(x: Any, w: Any) -> Any:
    y = x
    for _ in range(3):
        if np.sum(y) > 0:
            y = np.sin(y @ w)
        else:
            y = y * 2.0 + np.cos(y)
    return y


# ------------------------------------------------------------------------------ straight code
@pytest.mark.parametrize("f", [layer, branching])
@pytest.mark.parametrize("layers", [1, 3])
def test_gradients_are_the_same_to_the_last_bit(f: Any, layers: int) -> None:
    c = sg.checkpoint(f)

    def plain(x: Any, w: Any) -> Any:
        for _ in range(layers):
            x = f(x, w)
        return x

    def remade(x: Any, w: Any) -> Any:
        for _ in range(layers):
            x = c(x, w)
        return x

    same(gradients(remade, X, W), gradients(plain, X, W))


def test_values_and_the_spelling_as_a_decorator() -> None:
    @sg.remat
    def f(x: Any) -> Any:
        return {"y": np.sin(x), "n": 3}

    @sg.checkpoint(policy=policies.dots_saveable)
    def g(x: Any) -> Any:
        return np.sin(x)

    out = f(V)
    np.testing.assert_array_equal(out["y"], np.sin(V))
    assert out["n"] == 3
    np.testing.assert_array_equal(g(V), np.sin(V))


def test_what_is_computed_again_is_not_merged_with_what_was() -> None:
    c = sg.checkpoint(layer)
    f = sg.grad(lambda x, w: np.sum(c(c(x, w), w) ** 2))
    f(X, W)
    assert code(f).count("np.tanh(") == 4
    plain = sg.grad(lambda x, w: np.sum(layer(layer(x, w), w) ** 2))
    plain(X, W)
    assert code(plain).count("np.tanh(") == 2


def test_without_a_derivative_nothing_is_done_twice() -> None:
    f = sg.compile(lambda x, w: np.sum(sg.checkpoint(layer)(x, w)))
    f(X, W)
    assert code(f).count("np.tanh(") == 1
    assert "del " not in code(f)


def test_a_pullback_computes_again() -> None:
    c = sg.checkpoint(layer)
    out, pullback = sg.vjp(lambda x, w: c(c(x, w), w), X, W)
    for scale in (1.0, 2.0):
        _, expected = sg.vjp(lambda x, w: layer(layer(x, w), w), X, W)
        same(pullback(scale * out), expected(scale * out))


def chain(f: Any, x: Any) -> Any:
    for _ in range(6):
        x = f(x)
    return np.sum(x)


def long(x: Any) -> Any:
    return np.tanh(np.sin(np.exp(np.cos(x) * x) * 0.1) * x) * np.sqrt(1.0 + x * x)


def test_memory_is_given_up() -> None:
    x = np.linspace(0.1, 1.0, 20_000)
    c = sg.checkpoint(long)
    plain = sg.grad(lambda x: chain(long, x))
    remade = sg.grad(lambda x: chain(c, x))
    np.testing.assert_array_equal(remade(x), plain(x))
    assert peak(plain, x) > 40 * x.nbytes
    assert peak(remade, x) < 24 * x.nbytes


def test_in_a_loop_only_the_arguments_are_kept() -> None:
    c = sg.checkpoint(layer)

    def loss(x: Any, w: Any, n: int) -> Any:
        for _ in range(n):
            x = c(x, w)
        return np.sum(x)

    f = sg.grad(loss, (0, 1))

    def plain(x: Any, w: Any, n: int) -> Any:
        for _ in range(n):
            x = layer(x, w)
        return np.sum(x)

    same(f(X, W, 4), sg.grad(plain, (0, 1))(X, W, 4))
    assert code(f).count("np.empty(") == 1
    assert code(f).count("np.tanh(") == 2


def test_nested() -> None:
    inner = sg.checkpoint(layer)
    outer = sg.checkpoint(lambda x, w: np.cos(inner(np.sin(x), w)))
    same(
        gradients(lambda x, w: outer(x, w) * x, X, W),
        gradients(lambda x, w: np.cos(layer(np.sin(x), w)) * x, X, W),
    )


def test_captured_values_get_gradients() -> None:
    def loss(a: Any, x: Any) -> Any:
        return np.sum(sg.checkpoint(lambda y: np.sin(a * y) * a)(x) ** 2)

    def plain(a: Any, x: Any) -> Any:
        return np.sum((np.sin(a * x) * a) ** 2)

    same(sg.grad(loss, (0, 1))(0.7, V), sg.grad(plain, (0, 1))(0.7, V))


# --------------------------------------------------------------------- orders, modes, batches
def test_higher_order_and_forward_mode() -> None:
    c = sg.checkpoint(lambda x: np.sum(np.sin(x) * np.exp(x) * x))
    check_grads(c, (V,), order=2)
    third = sg.grad(lambda x: np.sum(sg.grad(lambda x: np.sum(sg.grad(c)(x) * x))(x)))
    check_grads(lambda x: np.sum(third(x)), (V,), order=1)


def test_the_second_derivative_computes_again_too() -> None:
    c = sg.checkpoint(lambda x: np.exp(np.sin(x)))
    plain = sg.hvp(lambda x: np.sum(np.exp(np.sin(x)) ** 2))
    remade = sg.hvp(lambda x: np.sum(c(x) ** 2))
    np.testing.assert_allclose(remade(V, V), plain(V, V), rtol=1e-14)
    assert code(remade).count("np.exp(") == 2
    assert code(plain).count("np.exp(") == 1


def test_under_vmap() -> None:
    c = sg.checkpoint(layer)
    batch = np.stack([X, 2 * X])
    f = sg.vmap(sg.grad(lambda x, w: np.sum(c(x, w) ** 2)), in_axes=(0, None))
    g = sg.vmap(sg.grad(lambda x, w: np.sum(layer(x, w) ** 2)), in_axes=(0, None))
    np.testing.assert_allclose(f(batch, W), g(batch, W), rtol=1e-14)
    outside = sg.grad(lambda w: np.sum(sg.vmap(lambda x: c(x, w))(batch) ** 2))
    inside = sg.grad(lambda w: np.sum(sg.vmap(lambda x: layer(x, w))(batch) ** 2))
    np.testing.assert_allclose(outside(W), inside(W), rtol=1e-13)


# ----------------------------------------------------------------------------------- policies
def times(policy: Any, what: str) -> int:
    """How often the gradient's code has ``what``."""

    def f(x: Any, w: Any) -> Any:
        h = sg.checkpoint_name(np.exp(x @ w), "hidden")
        return np.cos(np.tanh(h)) * x

    c = sg.checkpoint(f, policy=policy)
    g = sg.grad(lambda x, w: np.sum(c(c(x, w), w) ** 2))
    plain = sg.grad(lambda x, w: np.sum(f(f(x, w), w) ** 2))
    np.testing.assert_array_equal(g(X, W), plain(X, W))
    return code(g).count(what)


def test_policies() -> None:
    assert times(None, "@ w") == times(policies.nothing_saveable, "@ w")
    # Twice on the way there, and twice again.
    assert times(None, "np.exp(") == 4
    assert times(policies.everything_saveable, "np.exp(") == 2
    assert times(policies.dots_saveable, "@ w") < times(None, "@ w")
    assert times(policies.dots_saveable, "np.exp(") == 4
    named = policies.save_only_these_names("hidden")
    assert times(named, "np.exp(") == 2
    assert times(named, "np.tanh(") == 4
    assert times(policies.save_only_these_names("other"), "np.exp(") == 4


def test_a_policy_of_ones_own_sees_operations() -> None:
    seen: list[Any] = []

    def policy(op: Any) -> bool:
        seen.append(op)
        return bool(op.name == "tanh")

    assert times(policy, "np.tanh(") == 2
    [product, *_] = [op for op in seen if op.name == "matmul"]
    assert product.dtype == "float64"
    assert len(product.shape) == 2
    assert "contraction" in product.traits
    assert {op.label for op in seen} == {"", "hidden"}


# ------------------------------------------------------------------------- effects and draws
def test_effects_happen_once(capsys: Any) -> None:
    @sg.checkpoint
    def f(x: Any) -> Any:
        print("once")
        if np.sum(x) > -100:
            print("once more")
        return np.sin(x) * x

    sg.grad(lambda x: np.sum(f(x)))(V)
    assert capsys.readouterr().out == "once\nonce more\n"


def test_draws_are_kept() -> None:
    def noisy(x: Any) -> Any:
        return np.sin(x * np.random.normal(size=x.shape)) * x

    c = sg.checkpoint(noisy)
    found = []
    for f in (c, noisy):
        np.random.seed(4)
        found.append(sg.grad(lambda x, f=f: np.sum(f(f(x))))(V))
    np.testing.assert_array_equal(*found)


def test_draws_in_a_loop_are_refused() -> None:
    def noisy(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x * np.random.normal()
        return x

    with pytest.raises(UnsupportedFunctionError, match="draws random numbers in a loop"):
        sg.checkpoint(noisy)(V, 3)


def test_errors_are_raised_once() -> None:
    @sg.checkpoint
    def f(x: Any) -> Any:
        if np.sum(x) > 100:
            raise ValueError("large")
        y = x.copy()
        y[0] = np.sin(y[1])
        return np.exp(y)

    g = sg.grad(lambda x: np.sum(f(f(x))))
    plain = sg.grad(lambda x: np.sum(f.__wrapped__(f.__wrapped__(x))))
    np.testing.assert_array_equal(g(0.1 * V), plain(0.1 * V))
    with pytest.raises(ValueError, match="large"):
        g(V + 100)


# ------------------------------------------------------------------------------------ misuse
def test_policy_or_budget() -> None:
    with pytest.raises(CallError, match="not both"):
        sg.checkpoint(layer, budget=2, policy=policies.dots_saveable)
    with pytest.raises(InputTypeError, match="policy has to be a function"):
        sg.checkpoint(layer, policy="dots")  # type: ignore[call-overload]


def test_results_have_to_be_arrays() -> None:
    with pytest.raises(InputTypeError, match="holds a function"):
        sg.compile(lambda x: sg.checkpoint(lambda y: lambda: y)(x)())(V)


def test_lists_from_outside_are_not_changed() -> None:
    def f(x: Any) -> Any:
        seen = []

        def note(y: Any) -> Any:
            seen.append(y)
            return y

        return np.sum(sg.checkpoint(note)(x)) + len(seen)

    with pytest.raises(Exception, match="changes a list, dict or object from outside"):
        sg.grad(f)(V.copy())
