"""Hooks of modules: order, arguments, what may be replaced, what is refused; no cost when there
are none. Uncompiled where that is possible, compiled, and differentiated."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import HookError

X = np.array([1.0, 2.0])


class Times(nn.Module):
    """``w * x``."""

    def __init__(self, k: float) -> None:
        super().__init__()
        self.w = nn.Parameter(np.array([k, k]))

    def forward(self, x: Any) -> Any:
        return self.w * x


class Parent(nn.Module):
    """Two of them, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Times(2.0), Times(3.0)

    def forward(self, x: Any) -> Any:
        return self.b(self.a(x))


class Pair(nn.Module):
    """Two arrays in, two out, and options."""

    def forward(self, x: Any, y: Any, times: Any = 1.0) -> Any:
        return x * y * times, y


def total(module: nn.Module) -> Callable[[Any], Any]:
    """The sum of what ``module`` makes of an array."""
    return lambda x: np.sum(module(x))


def watched() -> tuple[Parent, list[Any]]:
    """A parent of which everything is noted."""
    parent, seen = Parent(), []
    for name, module in (("P", parent), ("a", parent.a), ("b", parent.b)):
        module.register_forward_pre_hook(
            lambda m, args, name=name: seen.append("pre " + name)
        )
        module.register_forward_hook(
            lambda m, args, out, name=name: seen.append("post " + name)
        )

        def before(m: Any, go: Any, name: str = name) -> None:
            seen.append(("bpre " + name, [None if g is None else g.tolist() for g in go]))

        def after(m: Any, gi: Any, go: Any, name: str = name) -> None:
            plain = [[None if g is None else g.tolist() for g in each] for each in (gi, go)]
            seen.append(("bpost " + name, *plain))

        module.register_full_backward_pre_hook(before)
        module.register_backward_hook(after)
    return parent, seen


FORWARD = ["pre P", "pre a", "post a", "pre b", "post b", "post P"]


def test_order_of_forward_hooks() -> None:
    parent, seen = watched()
    parent(X)
    assert seen == FORWARD
    compiled = sg.compile(total(parent))
    for _ in range(2):
        seen.clear()
        assert compiled(X) == 18
        assert seen == FORWARD
    seen.clear()
    parent.forward(X)
    assert seen == FORWARD[1:-1]


def test_order_with_a_gradient_by_the_input() -> None:
    parent, seen = watched()
    np.testing.assert_array_equal(sg.grad(total(parent))(X), 6)
    ones, threes, sixes = [1.0, 1.0], [3.0, 3.0], [6.0, 6.0]
    assert seen == [
        *FORWARD,
        ("bpre P", [ones]),
        ("bpre b", [ones]),
        ("bpost b", [threes], [ones]),
        ("bpre a", [threes]),
        ("bpost a", [sixes], [threes]),
        ("bpost P", [sixes], [ones]),
    ]


def test_inputs_without_gradient() -> None:
    parent, seen = watched()
    nn.backward(total(parent), X)
    assert seen[6:] == [
        ("bpre P", [[1.0, 1.0]]),
        ("bpost P", [None], [[1.0, 1.0]]),
        ("bpre b", [[1.0, 1.0]]),
        ("bpost b", [[3.0, 3.0]], [[1.0, 1.0]]),
        ("bpre a", [[3.0, 3.0]]),
        ("bpost a", [None], [[3.0, 3.0]]),
    ]
    np.testing.assert_array_equal(parent.a.w.grad, 3 * X)


@pytest.mark.parametrize("moving", [False, True])
def test_order_of_hooks_of_parameters(moving: bool) -> None:
    """As PyTorch runs them."""
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)
    seen: list[str] = []
    for name, module in (("a", first), ("b", second)):
        module.register_full_backward_pre_hook(
            lambda m, go, n=name: seen.append("bpre " + n)
        )
        module.register_full_backward_hook(
            lambda m, gi, go, n=name: seen.append("bpost " + n)
        )
        for key, p in module.named_parameters(name):
            p.register_hook(lambda g, key=key: seen.append(key))
            p.register_post_accumulate_grad_hook(lambda p, key=key: seen.append(key + "+"))
    shift = nn.Parameter(np.zeros((5, 3), np.float32), requires_grad=moving)
    nn.backward(
        lambda x: np.sum(second(first(x + shift)) ** 2), np.ones((5, 3), np.float32)
    )
    mine = ["a.bias", "a.bias+", "a.weight", "a.weight+"]
    assert seen == [
        *("bpre b", "b.bias", "b.bias+", "b.weight", "b.weight+", "bpost b", "bpre a"),
        *((*mine, "bpost a") if moving else ("bpost a", *mine)),
    ]


def test_hooks_of_a_parameter_that_is_used_again_and_again() -> None:
    """They run once, when the gradient is complete, wherever it comes from."""
    w, seen = nn.Parameter(np.array([2.0, 3.0])), []

    def hook(g: Any) -> None:
        seen.append(g.tolist())
        g *= 10  # which is its own

    w.register_hook(hook)

    def loss(x: Any, n: int) -> Any:
        y = w * x
        for _ in range(n):
            y = y + w
        if y[0] > 0:
            y = y * w
        slope = sg.grad(lambda x: np.sum(w * x**2))(x)
        return np.sum(y) + np.sum(slope)

    nn.backward(loss, X, 3)
    by_hand = 2 * X * w.data + 2 * 3 * w.data + 2 * X
    assert seen == [by_hand.tolist()]
    np.testing.assert_array_equal(w.grad, 10 * by_hand)
    w.grad = None
    nn.value_and_grad(nn.ParameterList([w]), loss)(X, 3)
    assert len(seen) == 1


def test_no_cost_without_hooks() -> None:
    parent = Parent()
    loss = total(parent)
    compiled = nn.compiled_backward(loss)
    nn.backward(loss, X)
    bare = compiled.source
    assert "forward_hook" not in bare
    seen: list[Any] = []
    handle = parent.a.register_forward_hook(lambda m, args, out: seen.append(out.sum()))
    nn.backward(loss, X)
    assert "append_to_seen(" in compiled.source
    assert seen == [6.0]
    handle.remove()
    nn.backward(loss, X)
    assert seen == [6.0]
    assert compiled.lower(X).source == bare


def test_removed_hooks_are_not_in_copies() -> None:
    module, seen = Times(2.0), []
    kept = module.register_forward_hook(lambda m, args, out: seen.append(1))
    module.register_forward_hook(lambda m, args, out: seen.append(2))
    kept.remove()
    other = copy.deepcopy(module)
    other(X)
    sg.compile(lambda x: other(x))(X)
    assert seen == [2, 2]


def test_prepending() -> None:
    module, seen = Times(2.0), []
    module.register_forward_hook(lambda m, args, out: seen.append(1))
    module.register_forward_hook(lambda m, args, out: seen.append(2), prepend=True)
    module.register_full_backward_hook(lambda m, gi, go: seen.append(3))
    module.register_full_backward_hook(lambda m, gi, go: seen.append(4), prepend=True)
    nn.backward(total(module), X)
    assert seen == [2, 1, 4, 3]


def test_hooks_cannot_write_to_what_they_are_shown() -> None:
    module = Times(2.0)

    def hook(m: Any, args: Any, out: Any) -> None:
        [each.fill(0) for each in (out,)]

    module.register_forward_hook(hook)
    with pytest.raises(ValueError, match="read-only"):
        nn.backward(total(module), X)


def test_hooks_run_if_forward_raises() -> None:
    class Fails(nn.Module):
        def forward(self, x: Any) -> Any:
            raise KeyError("no")

    module, seen = Fails(), []
    module.register_forward_hook(lambda m, args, out: seen.append(1))
    module.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(KeyError):
        module(X)
    assert seen == [None]


def test_hooks_run_if_compiled_forward_raises() -> None:
    class Inverse(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(np.eye(2))

        def forward(self, x: Any) -> Any:
            return np.sum(np.linalg.inv(x @ self.w))

    inner, seen = Inverse(), []
    outer = nn.Sequential(nn.Identity(), inner)
    for name, module in (("outer", outer), ("identity", outer[0]), ("inner", inner)):

        def note(m: Any, args: Any, out: Any, name: str = name) -> None:
            seen.append((name, args[0].shape, None if out is None else np.shape(out)))

        module.register_forward_hook(note, always_call=True)
    for call in (outer, sg.compile(lambda x: outer(x)), lambda x: nn.backward(outer, x)):
        seen.clear()
        with pytest.raises(np.linalg.LinAlgError):
            call(np.zeros((2, 2)))
        assert seen == [
            ("identity", (2, 2), (2, 2)), ("inner", (2, 2), None), ("outer", (2, 2), None)
        ]  # fmt: skip
        seen.clear()
        call(np.eye(2))
        assert [name for name, _, _ in seen] == ["identity", "inner", "outer"]
        assert seen[-1][-1] == ()


# -------------------------------------------------------------------------------- backward
def test_outputs_that_backward_hooks_cannot_see() -> None:
    class Named(nn.Module):
        def forward(self, x: Any) -> Any:
            return {"x": x}

    module = Named()
    module.register_full_backward_hook(lambda m, gi, go: None)
    with pytest.raises(TypeError, match="Named has backward hooks: its output"):
        sg.grad(lambda x: np.sum(module(x)["x"]))(X)


def test_second_derivatives_and_how_often_hooks_run() -> None:
    class Square(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return (x - y) ** 2

    module, count = Square(), []

    def f(x: Any) -> Any:
        return module(x, 0.5)

    plain = (sg.grad(f)(2.0), sg.grad(sg.grad(f))(2.0), sg.hessian(f)(2.0))
    module.register_full_backward_hook(lambda m, gi, go: count.append(1))
    assert sg.grad(f)(2.0) == plain[0] == 3.0
    assert len(count) == 1
    assert sg.grad(sg.grad(f))(2.0) == plain[1] == 2.0
    assert len(count) == 3
    assert sg.hessian(f)(2.0) == plain[2] == 2.0
    assert len(count) == 4
    module.register_full_backward_hook(lambda m, gi, go: (2 * gi[0], None))
    assert sg.grad(f)(2.0) == 6.0
    with pytest.raises(HookError, match="backward hook of Square returned something"):
        sg.grad(sg.grad(f))(2.0)


def test_hooks_in_a_loop() -> None:
    module, seen = Times(2.0), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0][0], go[0][0])))

    def loss(x: Any, n: int) -> Any:
        for _ in range(n):
            x = module(x)
        return np.sum(x)

    np.testing.assert_array_equal(sg.grad(loss)(X, 3), 8)
    assert seen == [(2, 1), (4, 2), (8, 4)]


def test_each_call_of_a_module_has_its_own_gradients() -> None:
    module, seen = Times(2.0), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0][0], go[0][0])))
    sg.grad(lambda x: np.sum(module(x) + 5 * module(3 * x)))(X)
    assert sorted(seen) == [(2, 1), (10, 5)]


def test_hooks_have_to_be_callable() -> None:
    for name in (
        "register_forward_pre_hook", "register_forward_hook", "register_backward_hook",
        "register_full_backward_pre_hook", "register_full_backward_hook",
    ):  # fmt: skip
        with pytest.raises(TypeError, match="a hook has to be callable, not str"):
            getattr(nn.Module(), name)("x")
