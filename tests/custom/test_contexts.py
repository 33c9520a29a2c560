"""Contexts of ``sg.Function``: what is saved is there while the rule runs, and is what it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SavedValueError, UnsupportedFunctionError

X = np.array([1.0, 3.0])
KEPT: dict[str, Any] = {}
TABLE = np.array([2.0, 5.0])


class Square(sg.Function):
    """Runs as it is: the bytes of an array are nothing that is compiled."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        keep("forward", ctx)
        ctx.save_for_backward(x)
        return np.frombuffer((x * x).tobytes())

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        keep("backward", ctx)
        (x,) = ctx.saved_tensors
        return np.frombuffer((2 * x * g).tobytes())


def keep(name: str, ctx: Any) -> None:
    vars(Square)["kept"][name] = ctx


Square.kept = KEPT  # type: ignore[attr-defined]


class Scaled(sg.Function):
    """Saves an array that others may change."""

    @staticmethod
    def shape(x: Any) -> Any:
        return sg.spec(x.shape)

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(None, TABLE)
        return np.frombuffer((x * TABLE).tobytes())

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return np.frombuffer((g * ctx.saved_arrays[1]).tobytes())

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        return np.frombuffer((t * ctx.saved_arrays[1]).tobytes())


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_a_context_is_open_as_long_as_its_rule_runs(name: str) -> None:
    out, pullback = sg.vjp(Square.apply, X)
    np.testing.assert_array_equal(out, X * X)
    for g in (1.0, 2.0):
        np.testing.assert_array_equal(pullback(np.full(2, g))[0], 2 * X * g)
    for field in ("saved_arrays", "saved_tensors"):
        with pytest.raises(
            SavedValueError, match="`Square` has returned, and what its context"
        ):
            getattr(KEPT[name], field)
    assert KEPT[name].needs_input_grad == (True,)


def test_a_plain_call_keeps_nothing() -> None:
    np.testing.assert_array_equal(Square.apply(X), X * X)
    with pytest.raises(SavedValueError, match=r"read `ctx\.saved_arrays` in backward"):
        KEPT["forward"].saved_arrays  # noqa: B018


def test_a_saved_array_that_changes_is_noticed() -> None:
    with sg.config(debug=True):
        _, pullback = sg.vjp(lambda x: Scaled.apply(x), X)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], TABLE)
    before = TABLE.copy()
    TABLE[0] = 7.0
    try:
        with pytest.raises(
            SavedValueError, match=r"`Scaled`: array 1 of those saved .* copy"
        ):
            pullback(np.ones(2))
    finally:
        TABLE[:] = before
    np.testing.assert_array_equal(pullback(np.ones(2))[0], TABLE)
    np.testing.assert_array_equal(sg.jvp(Scaled.apply, (X,), (X,))[1], X * TABLE)


def test_forward_that_changes_what_is_read_when_compiling() -> None:
    log: list[Any] = []

    class Logged(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            log.insert(0, 1)
            return np.frombuffer(x.tobytes())

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    def loss(x: Any) -> Any:
        return np.sum(Logged.apply(x)) * len(log)

    with pytest.raises(UnsupportedFunctionError, match=r"was tried out.*`shape\(\*args\)`"):
        sg.grad(loss)(X)
