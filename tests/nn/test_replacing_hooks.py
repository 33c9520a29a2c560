"""Hooks of modules that replace values, and gradients: what derivatives see of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import HookError

from .test_hooks import Pair, Parent, Times, total

X = np.array([1.0, 2.0])


# ---------------------------------------------------------------------- replacing, forward
def test_arguments_are_replaced() -> None:
    module = Times(2.0)
    module.register_forward_pre_hook(lambda m, args: args[0] * 10)
    module.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    for call in (module, sg.compile(lambda x: module(x))):
        np.testing.assert_array_equal(call(X), 2 * (10 * X + 1))
    np.testing.assert_array_equal(sg.grad(total(module))(X), 20)
    nn.backward(total(module), X)
    np.testing.assert_array_equal(module.w.grad, 10 * X + 1)


def test_outputs_are_replaced_and_later_hooks_see_it() -> None:
    module, seen = Times(2.0), []
    module.register_forward_hook(lambda m, args, out: m.w * out)
    module.register_forward_hook(lambda m, args, out: seen.append(np.array(out)))
    for call in (module, sg.compile(lambda x: module(x))):
        np.testing.assert_array_equal(call(X), 4 * X)
        np.testing.assert_array_equal(seen.pop(), 4 * X)
    nn.backward(total(module), X)
    np.testing.assert_array_equal(module.w.grad, 4 * X)


def test_hooks_that_are_compiled_functions_or_methods() -> None:
    class Counts:
        def __init__(self) -> None:
            self.count = 0

        def hook(self, module: Any, args: Any, out: Any) -> None:
            self.count += 1

    counts, module = Counts(), Times(2.0)
    module.register_forward_hook(sg.compile(lambda m, args, out: out**2))
    module.register_forward_hook(counts.hook)
    np.testing.assert_array_equal(module(X), 4 * X**2)
    nn.backward(total(module), X)
    np.testing.assert_array_equal(module.w.grad, 4 * X**2)
    assert counts.count == 2


def test_keyword_arguments() -> None:
    pair, seen = Pair(), []
    pair.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"times": kwargs["times"] + 1}), with_kwargs=True
    )
    pair.register_forward_pre_hook(lambda m, args: seen.append(len(args)))
    pair.register_forward_hook(
        lambda m, args, kwargs, out: seen.append(float(kwargs["times"])), with_kwargs=True
    )
    for call in (pair, sg.compile(lambda x, y, times: pair(x, y, times=times))):
        out, _ = call(X, X, times=2.0)
        np.testing.assert_array_equal(out, 3 * X * X)
    assert seen == [2, 3.0, 2, 3.0]
    pair.register_forward_pre_hook(lambda m, args, kwargs: 5, with_kwargs=True)
    for call in (pair, sg.compile(lambda x, y, times: pair(x, y, times=times))):
        with pytest.raises(HookError, match=r"of Pair.*return None or \(args, kwargs\)"):
            call(X, X, times=2.0)


def impure(factor: float, seen: list[Any]) -> Callable[..., Any]:
    """A hook that replaces the output and does what cannot be compiled."""

    def hook(module: Any, args: Any, out: Any) -> Any:
        seen.insert(0, 1)
        return out * factor

    return hook


def test_replacing_as_it_is() -> None:
    module, seen = Times(2.0), []
    module.register_forward_hook(impure(5.0, seen))
    compiled = sg.compile(lambda x: module(x))
    np.testing.assert_array_equal(compiled(X), 10 * X)
    np.testing.assert_array_equal(compiled(X), 10 * X)
    assert len(seen) == 2
    for derivative in (
        lambda: nn.backward(total(module), X),
        lambda: sg.grad(total(module))(X),
        lambda: sg.jvp(total(module), (X,), (X,)),
    ):
        with pytest.raises(HookError, match="a forward hook of Times returned something"):
            derivative()
    assert module.w.grad is None


def test_replacing_by_another_kind_of_thing() -> None:
    compiled = sg.compile(lambda module, x: module(x))
    for bad, text in (
        (lambda out: out.astype(np.float32), r"returned float32\[2\] as value 0"),
        (
            lambda out: out[:1],
            r"returned float64\[1\] as value 0, in place of float64\[2\]",
        ),
        (lambda out: (out, out), "returned a tuple of 2"),
    ):
        module, hook = Times(2.0), impure(1.0, [])
        module.register_forward_hook(
            lambda m, args, out, hook=hook, bad=bad: bad(hook(m, args, out))
        )
        with pytest.raises(HookError, match=text):
            compiled(module, X)


def test_returning_what_it_was_given_is_no_replacement() -> None:
    module, seen = Times(2.0), []

    def hook(m: Any, args: Any, out: Any) -> Any:
        seen.insert(0, out)
        return out

    module.register_forward_hook(hook)
    nn.backward(total(module), X)
    np.testing.assert_array_equal(module.w.grad, X)
    assert len(seen) == 1


# --------------------------------------------------------------------- replacing, backward
def test_gradients_are_replaced() -> None:
    parent = Parent()
    parent.b.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    parent.b.register_full_backward_pre_hook(lambda m, go: (go[0] * 100,))
    nn.backward(total(parent), X)
    np.testing.assert_array_equal(parent.a.w.grad, 3000 * X)
    np.testing.assert_array_equal(parent.b.w.grad, 200 * X)
    np.testing.assert_array_equal(sg.grad(total(parent))(X), 6000)
    with parent.b.register_full_backward_hook(lambda m, gi, go: (None,)):
        np.testing.assert_array_equal(sg.grad(total(parent))(X), 0)


def test_several_inputs_and_outputs() -> None:
    pair, seen = Pair(), []

    def after(m: Any, gi: Any, go: Any) -> Any:
        seen.append((gi, go))
        return None

    pair.register_full_backward_hook(after)

    def loss(x: Any, y: Any) -> Any:
        first, second = pair(x, y, times=2.0)
        return np.sum(first) + 3 * np.sum(second)

    sg.grad(loss, argnums=(0, 1))(X, X + 1)
    [((by_x, by_y), (first, second))] = seen
    np.testing.assert_array_equal(by_x, 2 * (X + 1))
    np.testing.assert_array_equal(by_y, 2 * X + 3)
    np.testing.assert_array_equal(first, 1)
    np.testing.assert_array_equal(second, 3)
    sg.grad(lambda x, k: np.sum(pair(x, k)[0]))(X, 2.0)
    assert seen[1][0][1] is None


def test_wrong_numbers_of_gradients_name_the_module() -> None:
    after, before = "register_full_backward_hook", "register_full_backward_pre_hook"
    for register, bad, text in (
        (after, lambda m, gi, go: (), "backward hook.*tuple of 1, not one of 0"),
        (before, lambda m, go: go[0], "backward pre-hook.*tuple of 1, not a ndarray"),
    ):
        module = Times(2.0)
        getattr(module, register)(bad)
        with pytest.raises(HookError, match=f"a {text}") as caught:
            sg.grad(total(module))(X)
        assert "of Times" in str(caught.value)


def test_replaced_gradients_are_differentiated() -> None:
    """Numbers are PyTorch's, where a hook is not called again in the second derivative."""

    class Cube(nn.Module):
        def forward(self, x: Any) -> Any:
            return x**3

    cube = Cube()
    cube.register_full_backward_hook(lambda m, gi, go: (2 * gi[0],))
    for second in (sg.grad(sg.grad(cube)), sg.hessian(cube)):
        assert (sg.grad(cube)(2.0), second(2.0)) == (24.0, 24.0)
    assert "cube_backward_hook" not in sg.grad(cube).lower(2.0).source
    assert sg.jvp(cube, (2.0,), (1.0,)) == (8.0, 12.0)
    slope = sg.vmap(sg.grad(cube))(X)
    np.testing.assert_array_equal(slope, 6 * X**2)


def test_replaced_gradients_in_a_network() -> None:
    rng = np.random.default_rng(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * np.sum(go[0]),))
    net[2].register_full_backward_pre_hook(lambda m, go: (0.3 * go[0] ** 2,))
    net[2].register_full_backward_hook(lambda m, gi, go: None)
    gradient = sg.grad(lambda x: np.sum(net(x) ** 2))
    x, d = rng.normal(size=(2, 2, 3))
    hessian, step = sg.jacrev(gradient)(x), 1e-6
    there, back = gradient(x + step * d), gradient(x - step * d)
    np.testing.assert_allclose(
        np.sum(hessian * d, axis=(-2, -1)), (there - back) / (2 * step), atol=1e-6
    )
    np.testing.assert_allclose(sg.jacfwd(gradient)(x), hessian, atol=1e-12)
    nn.backward(lambda x: np.sum(gradient(x) ** 2), x)
    w = net[0].weight

    def penalty(value: Any) -> float:
        old = w.data[1, 2]
        w.data[1, 2] = value
        found = float(np.sum(gradient(x) ** 2))
        w.data[1, 2] = old
        return found

    at = w.data[1, 2]
    slope = (penalty(at + step) - penalty(at - step)) / (2 * step)
    np.testing.assert_allclose(w.grad[1, 2], slope, atol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_replaced_gradients_in_loops_and_branches(n: int) -> None:
    module = Times(2.0)
    module.register_full_backward_hook(lambda m, gi, go: (gi[0] + go[0],))

    def loss(x: Any, n: int) -> Any:
        for _ in range(n):
            x = module(x) if x[0] > 0 else x
        return np.sum(x)

    np.testing.assert_array_equal(sg.grad(loss)(X, n), 3.0**n)


def test_replacing_hooks_that_read_more_than_gradients_run_as_they_are() -> None:
    class Square(nn.Module):
        def forward(self, x: Any) -> Any:
            return x**2

    module, scale = Square(), np.array([10.0, 100.0])
    module.register_full_backward_hook(lambda m, gi, go: (gi[0] * scale,))
    np.testing.assert_array_equal(sg.grad(total(module))(X), 2 * X * scale)
    assert "square_backward_hook(" in sg.grad(total(module)).lower(X).source
    with pytest.raises(HookError, match="through which a derivative is taken"):
        sg.grad(lambda x: np.sum(sg.grad(total(module))(x)))(X)


@pytest.mark.parametrize("factor", [1, 10])
def test_without_gradients_by_inputs_hooks_run_when_those_by_outputs_are_there(
    factor: int,
) -> None:
    first, second, seen = Times(2.0), Times(3.0), []
    first.register_full_backward_pre_hook(lambda m, go: (factor * go[0],))

    def look(module: Any, gi: Any, go: Any) -> Any:
        seen.append((gi, go[0].tolist()))
        return gi

    first.register_full_backward_hook(look)
    nn.backward(lambda x: np.sum(second(first(x))), X)
    assert seen == [((None,), [3.0 * factor] * 2)]
    np.testing.assert_array_equal(first.w.grad, 3.0 * factor * X)
