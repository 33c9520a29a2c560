"""Field cases that are told as a recipe: rules with optional arguments, hooks."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import CustomRuleError, HookError


# --------------------------------------------------- optional, keyword, none for the first
class Decay(sg.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any = 1) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * np.exp(-x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return -g * ctx.scale * np.exp(-x), None


class Second(sg.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a)
        return a * b

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return None, g * ctx.saved_arrays[0]


def test_optional_and_keyword_arguments() -> None:
    calls = [
        lambda x: Decay.apply(x),
        lambda x: Decay.apply(x, 4),
        lambda x: Decay.apply(x, scale=4),
    ]
    for call, slope in zip(calls, (-0.740818, -2.963273, -2.963273), strict=True):
        assert sg.grad(call)(0.3) == pytest.approx(slope, rel=1e-6)
        assert sg.grad(sg.grad(call))(0.3) == pytest.approx(-slope, rel=1e-6)


def test_none_for_the_first_argument() -> None:
    assert sg.grad(Second.apply, argnums=(0, 1))(3.0, 5.0) == (0.0, 3.0)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda g: g, "returned 1 gradient.* takes 2 inputs"),
        (lambda g: (g, g, g), "returned 3 gradients.* takes 2 inputs"),
        (
            lambda g: (np.ones(3) * g, None),
            r"the gradient of argument 0 \(`a`\) has the shape \(3,\), not \(\)",
        ),
    ],
)
def test_wrong_gradients_name_the_rule(returned: Any, words: str) -> None:
    class Wrong(sg.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return returned(g)

    with pytest.raises(CustomRuleError, match=rf"`Wrong\.backward`.*{words}"):
        sg.grad(Wrong.apply, argnums=(0, 1))(3.0, 5.0)


# --------------------------------------------------------------------------------- hooks
class Squared(nn.Module):
    def forward(self, x: Any, y: Any) -> Any:
        return np.mean((x - y) ** 2)


def test_a_backward_hook_and_a_second_derivative() -> None:
    x, y = np.array([2.0]), np.array([0.5])
    plain, hooked, fired = Squared(), Squared(), []
    hooked.register_full_backward_hook(lambda module, g_in, g_out: fired.append(1))
    for model in (plain, hooked):
        first = sg.grad(lambda x, model=model: model(x, y))
        np.testing.assert_array_equal(first(x), [3.0])
        fired.clear()
        second = sg.grad(lambda x, first=first: np.sum(first(x)))
        np.testing.assert_array_equal(second(x), [2.0])
    assert (
        len(fired) == 2
    )  # once in each pass back through the module, as docs/design.md says


def test_forward_hooks_run_for_calls_of_modules(tmp_path: Any) -> None:
    seen: list[str] = []
    inner = nn.Linear(2, 2)
    outer = nn.Sequential(inner)
    handles = [
        m.register_forward_hook(lambda module, args, out, name=name: seen.append(name))
        for name, m in (("inner", inner), ("outer", outer))
    ]
    x = np.ones((1, 2))
    outer(x)
    assert seen == ["inner", "outer"]
    seen.clear()
    outer.forward(x)
    assert seen == ["inner"]
    seen.clear()
    for handle in handles:
        handle.remove()
    again = nn.Sequential(nn.Linear(2, 2))
    sg.save(outer.state_dict(), tmp_path / "state")
    again.load_state_dict(sg.load(tmp_path / "state"))
    for model in (outer, copy.deepcopy(outer), again):
        model(x)
    assert not seen


def test_a_hook_with_the_wrong_number_of_results_names_the_module() -> None:
    model = nn.Linear(2, 2)
    model.register_full_backward_hook(lambda module, g_in, g_out: (g_in[0], g_in[0]))
    with pytest.raises(HookError, match="Linear"):
        sg.grad(lambda x: np.sum(model(x)))(np.ones((1, 2)))
