"""``gradcheck`` and ``gradgradcheck``: what is right passes, what is wrong is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import GradcheckError, InputTypeError, SymgradError, SymgradWarning
from symgrad.testing import gradcheck, gradgradcheck

X = np.array([0.3, 1.0, -2.0])


def two(x: Any, n: int, y: float) -> Any:
    return np.sin(x) * y**n, np.sum(x) * y, n


def wrong(factor: Any) -> Any:
    """A function whose gradient is off by a factor."""
    made = sg.custom_vjp(lambda x: np.sin(x))
    made.defvjp(lambda x: (np.sin(x), x), lambda x, g: (factor * g * np.cos(x),))
    return made


@pytest.mark.parametrize("fast", [False, True])
def test_right_derivatives(fast: bool) -> None:
    inputs = (X, 2, 1.5)
    assert gradcheck(two, inputs, check_forward_ad=True, fast_mode=fast)
    assert gradcheck(sg.compile(two), inputs, check_grad_dtypes=True, fast_mode=fast)
    assert gradgradcheck(two, inputs, check_fwd_over_rev=True, fast_mode=fast)
    assert gradgradcheck(np.sin, X, gen_non_contig_grad_outputs=True, fast_mode=fast)
    assert gradgradcheck(np.sin, X, np.ones(3), fast_mode=fast)


def test_batched() -> None:
    assert gradcheck(lambda x: np.sin(x) * 2, X, check_batched_grad=True)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert gradcheck(lambda x: np.sin(x) * 2, X, **options)
    assert gradcheck(two, (X, 2, 1.5), **options)


def test_batched_tangents_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    vmap = sg.vmap
    monkeypatch.setattr(
        "symgrad.testing._further.vmap", lambda fun: lambda rows: 2 * vmap(fun)(rows)
    )
    with pytest.raises(GradcheckError, match="tangents of result 0 by input 0 under vmap"):
        gradcheck(np.sin, X, check_forward_ad=True, check_batched_forward_grad=True)
    with pytest.raises(ValueError, match="goes with check_forward_ad"):
        gradcheck(np.sin, X, check_batched_forward_grad=True)


@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_gradient(fast: bool) -> None:
    f = wrong(1.1)
    with pytest.raises(GradcheckError) as e:
        gradcheck(f, X, fast_mode=fast)
    for text in (
        "result 0 by input 0",
        "backward",
        "expected",
        "got",
        "atol=1e-05, rtol=0.001",
    ):
        assert text in str(e.value)
    if not fast:
        assert "entry 0 of the result, 0 of the input: expected 0.9553364" in str(e.value)
    assert not gradcheck(f, X, fast_mode=fast, raise_exception=False)
    with pytest.raises(AssertionError):
        gradcheck(f, X, fast_mode=fast)
    assert gradcheck(wrong(1.0), X, fast_mode=fast)


def test_a_wrong_tangent() -> None:
    f = sg.custom_jvp(lambda x: np.sin(x))
    f.defjvps(lambda t, out, x: 2 * t)
    with pytest.raises(GradcheckError, match="forward mode"):
        gradcheck(f, X, check_forward_ad=True, check_backward_ad=False)


def test_a_wrong_second_derivative() -> None:
    f = sg.custom_vjp(lambda x: np.sin(x))
    f.defvjp(lambda x: (np.sin(x), x), lambda x, g: (g * np.cos(sg.stop_gradient(x)),))
    assert gradcheck(f, X)
    with pytest.raises(GradcheckError, match="is not what"):
        gradgradcheck(f, X)
    assert not gradgradcheck(f, X, raise_exception=False)


def test_nan_is_never_right() -> None:
    f = sg.custom_vjp(lambda x: np.sin(x))
    f.defvjp(lambda x: (np.sin(x), x), lambda x, g: (g * np.nan,))
    with pytest.raises(GradcheckError, match="got nan"):
        gradcheck(f, X)


def test_gradients_that_change_from_run_to_run() -> None:
    class Noisy(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            eval("None")
            return g * (1 + 1e-9 * np.random.default_rng().random())

    with pytest.raises(GradcheckError, match="two runs of the backward give different"):
        gradcheck(lambda x: Noisy.apply(x), X)
    assert gradcheck(lambda x: Noisy.apply(x), X, nondet_tol=1e-6)


def test_a_cotangent_of_none() -> None:
    class Silent(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1.0, x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g + 2 * h

    assert gradcheck(lambda x: Silent.apply(x), X, check_undefined_grad=True)


def test_what_cannot_be_checked() -> None:
    with pytest.raises(ValueError, match="none of the inputs is a float"):
        gradcheck(lambda n: n, (3,))
    with pytest.raises(ValueError, match="no result is a float"):
        gradcheck(lambda x: x > 0, X)
    with pytest.raises(
        ValueError, match="both check_forward_ad and check_backward_ad are off"
    ):
        gradcheck(np.sin, X, check_backward_ad=False)
    with pytest.raises(InputTypeError, match="input 1 is complex"):
        gradcheck(lambda x, z: x, (X, 1j))
    with pytest.raises(SymgradError, match="input 0 has entries that share memory"):
        gradcheck(np.sin, np.broadcast_to(np.float64(1.0), (3,)))
    with pytest.warns(
        SymgradWarning, match="input 0 is float32; differences are too coarse"
    ):
        gradcheck(np.sin, X.astype(np.float32), eps=1e-2, atol=1e-2)
    with pytest.raises(ValueError, match="2 grad_outputs for 1 results"):
        gradgradcheck(np.sin, X, (X, X))
