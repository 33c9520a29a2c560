"""``with sg.insert_grad_of(x) as dx``: code of the user's in the backward."""

from __future__ import annotations

import io
import pdb
import sys
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    CallError,
    CustomRuleError,
    DoubleBackwardError,
    NotDifferentiableError,
    UnsupportedSyntaxError,
)

X = np.array([0.3, -1.2, 2.0])
LOG: list[Any] = []


def watched(x: Any, w: Any) -> Any:
    h = np.tanh(x * w)
    with sg.insert_grad_of(h) as dh:
        print("gradient", np.sum(dh))
        assert np.all(np.isfinite(dh)), "not finite"
    return np.sum(h**2)


def plain(x: Any, w: Any) -> Any:
    return np.sum(np.tanh(x * w) ** 2)


def test_prints_and_asserts_in_the_backward(capsys: pytest.CaptureFixture[str]) -> None:
    grad = sg.grad(watched, argnums=(0, 1))
    for found, wanted in zip(
        grad(X, 2.0), sg.grad(plain, argnums=(0, 1))(X, 2.0), strict=True
    ):
        np.testing.assert_allclose(found, wanted)
    assert capsys.readouterr().out == f"gradient {np.sum(2 * np.tanh(2 * X))}\n"
    assert grad.source.index("print") > grad.source.index("h = np.tanh")
    with pytest.raises(AssertionError, match="not finite"):
        grad(np.array([np.nan]), 2.0)


def test_without_a_gradient_it_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    compiled = sg.compile(watched)
    x = X.copy()
    np.testing.assert_allclose(compiled(x, 2.0), plain(X, 2.0))
    assert "print" not in compiled.source
    np.testing.assert_allclose(
        sg.jvp(watched, (X, 2.0), (X, 1.0)), sg.jvp(plain, (X, 2.0), (X, 1.0))
    )
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(x, X)
    with pytest.raises(
        CallError, match="puts code into a backward, which a plain call has not"
    ):
        watched(X, 2.0)


def test_second_order() -> None:
    np.testing.assert_allclose(sg.hvp(watched)(X, X, 2.0), sg.hvp(plain)(X, X, 2.0))


def test_the_gradient_may_be_another() -> None:
    def f(x: Any, limit: float) -> Any:
        y = x**3
        with sg.insert_grad_of(y) as dy:
            dy = np.clip(dy, -limit, limit)
            dy[0] = 7.0
        return np.sum(y**2)

    wanted = np.clip(2 * X**3, -1, 1) * 3 * X**2
    wanted[0] = 7 * 3 * X[0] ** 2
    np.testing.assert_allclose(sg.grad(f)(X, 1.0), wanted)


def test_of_a_number_in_a_loop() -> None:
    def f(x: float, n: int) -> float:
        y = x
        for i in range(n):
            y = y * x
            with sg.insert_grad_of(y) as dy:
                dy = dy * (i + 1)
        return y

    # y_n = x^(n+1); by hand: the factor of round i reaches what came before it.
    assert np.isclose(sg.grad(f)(2.0, 1), 4.0)
    assert np.isclose(sg.grad(f)(2.0, 2), 8 + 8 + 8)


def test_code_that_cannot_be_compiled_runs_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    LOG.clear()
    scale = 3.0

    def f(x: Any) -> Any:
        h = np.sin(x)
        with sg.insert_grad_of(h) as dh:
            LOG.append((dh.copy(), h[0], scale))
            print(f"{dh.shape!r:>5}")
        return np.sum(h**2)

    grad = sg.grad(f)
    np.testing.assert_allclose(grad(X), np.sin(2 * X))
    np.testing.assert_allclose(LOG[0][0], 2 * np.sin(X))
    assert LOG[0][1:] == (np.sin(0.3), 3.0)
    assert capsys.readouterr().out == " (3,)\n"
    assert "    inserted(g_h, h)\n" in grad.source
    np.testing.assert_allclose(sg.hvp(f)(X, X), X * 2 * np.cos(2 * X))


def test_a_gradient_changed_by_code_that_runs_as_it_is() -> None:
    made: dict[str, Any] = {}
    exec("def without_source(g): return g", made)
    without_source = made["without_source"]

    def f(x: Any) -> Any:
        h = np.sin(x)
        with sg.insert_grad_of(h) as dh:
            dh = 2 * without_source(dh)
        return np.sum(h**2)

    np.testing.assert_allclose(sg.grad(f)(X), 2 * np.sin(2 * X))
    with pytest.raises(
        (DoubleBackwardError, NotDifferentiableError), match="runs as it is"
    ):
        sg.hvp(f)(X, X)

    def wrong(x: Any) -> Any:
        with sg.insert_grad_of(x) as dx:
            dx = without_source(dx)[:1]
        return np.sum(x**2)

    with pytest.raises(
        CustomRuleError, match=r"the gradient has the shape \(1,\), not \(3,\)"
    ):
        sg.grad(wrong)(X)


def test_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        h = np.sin(x)
        with sg.insert_grad_of(h) as dh:  # noqa: F841
            breakpoint()
        return np.sum(h**2)

    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("up 0\np dh.shape\np h[0] < 1\nc\n"), stdout=out)
    monkeypatch.setattr(sys, "breakpointhook", lambda: debugger.set_trace(sys._getframe(1)))
    np.testing.assert_allclose(sg.grad(f)(X), np.sin(2 * X))
    assert "(3,)" in out.getvalue() and "test_inserts.py" in out.getvalue()


def test_refusals() -> None:
    def of_expression(x: Any) -> Any:
        with sg.insert_grad_of(x * 2) as d:
            print(d)
        return np.sum(x)

    def of_integer(x: Any) -> Any:
        n = np.argmax(x)
        with sg.insert_grad_of(n) as d:
            print(d)
        return np.sum(x)

    def of_two(x: Any) -> Any:
        with sg.insert_grad_of(x, x) as d:  # type: ignore[call-arg]
            print(d)
        return np.sum(x)

    def leaves(x: Any) -> Any:
        with sg.insert_grad_of(x) as d:
            if np.sum(d) > 0:
                return np.sum(x)
        return np.sum(x)

    def wrong(x: Any) -> Any:
        with sg.insert_grad_of(x) as d:
            d = np.sum(d)
        return np.sum(x)

    def none(x: Any) -> Any:
        with sg.insert_grad_of(x) as d:
            d = None  # noqa: F841
        return np.sum(x)

    def changes(x: Any) -> Any:
        h = np.sin(x)
        with sg.insert_grad_of(h) as d:
            LOG.append(np.sum(d))
            h[0] = 0.0
        return np.sum(h)

    def writes(x: Any) -> Any:
        h = np.sin(x)
        with sg.insert_grad_of(h) as d:
            h += d
        return np.sum(h)

    cases = [
        (changes, UnsupportedSyntaxError, "changes `h`, which is not the gradient"),
        (writes, UnsupportedSyntaxError, "changes `h`, which is not the gradient"),
        (of_expression, UnsupportedSyntaxError, r"takes a variable: give `x \* 2` a name"),
        (of_integer, CallError, "takes an array or number of floats, not int64"),
        (of_two, CallError, "takes one variable, in a `with` of its own"),
        (leaves, UnsupportedSyntaxError, "is left by `return`; it is run in"),
        (wrong, CustomRuleError, r"gradient of `d` has the shape \(\), not"),
        (none, CustomRuleError, "leaves `d` without a gradient; assign zeros"),
    ]
    for f, error, match in cases:
        with pytest.raises(error, match=match):
            sg.grad(f)(X)


def stopping(x: Any) -> Any:
    h = np.sin(x)
    pair = [h, 3.0 * x[0]]
    sg.set_trace(h)
    return np.sum(h**2) + pair[1]


def test_set_trace_sees_the_gradient_and_the_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.StringIO()
    typed = io.StringIO("p dh.shape\np pair[1] - 3 * x[0]\np h.shape\nl\nc\n")
    debugger = pdb.Pdb(stdin=typed, stdout=out)
    monkeypatch.setattr(sys, "breakpointhook", lambda: debugger.set_trace(sys._getframe(1)))
    sg.grad(stopping)(X)
    text = out.getvalue()
    assert text.count("(3,)") == 2 and "0.0" in text
    assert "->\t    sg.set_trace(h)" in text
    assert sg.compile(stopping)(X) == pytest.approx(np.sum(np.sin(X) ** 2) + 3 * X[0])


def test_set_trace_refuses() -> None:
    def of_expression(x: Any) -> Any:
        sg.set_trace(x * 2)
        return np.sum(x)

    def of_nothing(x: Any) -> Any:
        sg.set_trace()  # type: ignore[call-arg]
        return np.sum(x)

    def of_integer(x: Any) -> Any:
        n = np.argmax(x)
        sg.set_trace(n)
        return np.sum(x)

    with pytest.raises(UnsupportedSyntaxError, match="`set_trace` takes a variable: give"):
        sg.grad(of_expression)(X)
    with pytest.raises(CallError, match="`set_trace` takes one variable"):
        sg.grad(of_nothing)(X)
    with pytest.raises(CallError, match="`set_trace` takes an array or number of floats"):
        sg.grad(of_integer)(X)
    with pytest.raises(CallError, match="stops in a backward, which a plain call has not"):
        stopping(X)
