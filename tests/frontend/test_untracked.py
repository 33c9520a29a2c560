"""``no_grad`` and its like: what is computed there is a constant to every derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import AliasError, CallError, InputTypeError, UnsupportedSyntaxError

X = np.array([1.0, 2.0, 3.0])


def scaled(x: Any) -> Any:
    with sg.no_grad():
        s = np.max(np.abs(x))
    return np.sum((x / s) ** 2)


def views(x: Any) -> Any:
    first = x[0]
    with sg.no_grad():
        same, rest = x[0], x[1:]
    return 10 * first + same * x[0] + np.sum(rest * x[1:])


def stored(x: Any) -> Any:
    a = x * 2
    with sg.no_grad():
        a[0] = x[1] * 5
        for _ in range(2):
            a[1] = a[1] * 3
    return np.sum(a * a)


def within(x: Any) -> Any:
    with sg.no_grad():
        with sg.enable_grad():
            y = x**2
        z = y * x
    return np.sum(y) + np.sum(z)


def within_of_numbers(x: Any) -> Any:
    with sg.no_grad():
        with sg.enable_grad():
            y = x[0] ** 2
            z = y if y > 5 else 3 * y
        w = y * x[0]
        v = x[1]
    return y + z + w + v


def control(x: Any) -> Any:
    with np.errstate(all="ignore"), sg.no_grad():
        y = x * 2 if x[0] > 0 else x * 3
        t, last = 0.0, np.zeros(3)
        for i in range(3):
            t = t + x[i] * last[i]
            last = x
    return np.sum(y * x) * t


def returned(x: Any) -> Any:
    with sg.no_grad():
        return np.sum(x**2)


@sg.no_grad()
def constant(x: Any) -> Any:
    return x**2


def decorated(x: Any) -> Any:
    return np.sum(constant(x) * x)


def enabled_in_a_branch(x: Any) -> Any:
    s, u = 3 * x[0], x[1] * 2
    with sg.no_grad():
        if x[0] > 0:
            with sg.enable_grad():
                y = x[0] ** 2
            z = y * x[0]
        else:
            y = z = x[0]
        if x[1] < 0:
            s = s * 5
        else:
            u = float(x[1])
    return y + z + s + u


def enabled_in_loops(x: Any) -> Any:
    a, s, t, i = np.zeros(3), x[0] * 0, x[1], 0
    with sg.no_grad():
        for k in range(3):
            with sg.enable_grad():
                a[k] = x[k] ** 2
                t, s = s, t + x[0]
        while i < 2:
            if i > 0:
                with sg.enable_grad():
                    s = s * x[2]
            i += 1
    return np.sum(a) + s * t


def enabled_views(x: Any) -> Any:
    older = x[1:]
    with sg.no_grad():
        for _ in range(2):
            with sg.enable_grad():
                older = older * 2
        with sg.enable_grad():
            v, first = x[1:], x[0]
        w, second = x[1:], x[0]
        for _ in range(2):
            with sg.enable_grad():
                u = x[:2]
            a = u[0]
    return np.sum(v * w) + first * second + np.sum(u) + a + np.sum(older)


def views_in_containers(x: Any) -> Any:
    with sg.no_grad():
        pair, kept, named = (x[:1], x[1:]), [x[1:]], {"first": x[0]}
    named["second"] = x[1]
    return np.sum(pair[1] * x[1:] * kept[0]) + named["first"] * named["second"]


def written_through(x: Any) -> Any:
    a = 2 * x
    with sg.no_grad():
        v = a[1:]
    v[0] = x[0]
    return np.sum(a * a) + np.sum(v)


def in_a_try(x: Any) -> Any:
    a = x[0] * x[1]
    try:
        with sg.no_grad():
            y = x[1] * x[2]
            with sg.enable_grad():
                z = y * x[2]
    except IndexError:
        return a
    return a * y + z


def left_for_an_except(x: Any) -> Any:
    try:
        with sg.no_grad():
            y = x[0] * 2
            if y > 1:
                raise ValueError
    except ValueError:
        y = x[1] ** 2
    return y * x[0]


def left_always(x: Any) -> Any:
    y = x[0] * 2
    try:
        with sg.no_grad():
            raise ValueError
    except ValueError:
        y = x[1] ** 2
    return y * x[0]


T = X[1] * X[1] + X[2] * X[2]
ENABLED = [X[2] * (X[1] + 4 * X[0]), X[0] * X[2], X[0] * (X[1] + 2 * X[0])]
CASES = [
    (scaled, 2 * X / 9),
    (views, np.array([10 + X[0], X[1], X[2]])),
    (stored, np.array([0.0, 0.0, 8 * X[2]])),
    (within, 2 * X),
    (within_of_numbers, np.array([8 * X[0], 0.0, 0.0])),
    (control, 2 * X * T),
    (returned, np.zeros(3)),
    (decorated, X**2),
    (enabled_in_a_branch, np.array([2 * X[0] + 3, 0.0, 0.0])),
    (enabled_in_loops, 2 * X + np.array(ENABLED)),
    (enabled_views, X + np.array([1.0, 5.0, 4.0])),
    (views_in_containers, np.array([0.0, X[1] ** 2 + X[0], X[2] ** 2])),
    (in_a_try, np.array([X[1] ** 2 * X[2], X[0] * X[1] * X[2], X[1] * X[2]])),
    (left_for_an_except, np.array([X[1] ** 2, 2 * X[0] * X[1], 0.0])),
    (left_always, np.array([X[1] ** 2, 2 * X[0] * X[1], 0.0])),
    (written_through, np.array([10 * X[0], 0.0, 8 * X[2]])),
]


@pytest.mark.parametrize(("fun", "expected"), CASES)
def test_derivatives(fun: Any, expected: Any) -> None:
    value, grad = sg.value_and_grad(fun)(X)
    assert value == fun(X)
    np.testing.assert_allclose(grad, expected, rtol=1e-15)
    for k, e in enumerate(np.eye(3)):
        assert sg.jvp(fun, (X,), (e,))[1] == pytest.approx(expected[k], rel=1e-15)


def test_what_is_known_when_compiling() -> None:
    def fun(x: Any, on: bool = False) -> Any:
        with sg.set_grad_enabled(on):
            y = x**2 if sg.is_grad_enabled() else x**3
        return np.sum(x * y) if sg.is_grad_enabled() else 0.0

    np.testing.assert_allclose(sg.grad(fun)(X), X**3)
    np.testing.assert_allclose(sg.grad(fun)(X, True), 3 * X**2)
    assert sg.compile(lambda x: x if sg.is_grad_enabled() else -x)(2.0) == 2.0


def test_a_derivative_inside_is_taken_and_is_a_constant() -> None:
    def fun(x: Any) -> Any:
        with sg.no_grad():
            g = sg.grad(lambda y: np.sum(y**3))(x)
        return np.sum(g * x)

    np.testing.assert_allclose(sg.grad(fun)(X), 3 * X**2)


def test_a_parameter_that_is_stored_into_is_another_point() -> None:
    w = nn.Parameter(np.array([1.0, -2.0, 3.0]))

    def halved(x: Any) -> Any:
        before = np.sum(w**2)
        with sg.no_grad():
            w[...] = w / 2
            w[0] = 7.0
        return before + np.sum(np.exp(w) * x)

    nn.backward(halved, X)
    new = np.array([7.0, -1.0, 1.5])
    np.testing.assert_array_equal(w.data, new)
    np.testing.assert_allclose(w.grad, [2.0, -4.0, 6.0] + np.exp(new) * X)


def test_a_parameter_of_rank_zero_that_is_stored_into() -> None:
    w = nn.Parameter(np.array(3.0))

    def halved(x: Any) -> Any:
        with sg.no_grad():
            w[...] = w / 2
        return np.sum(x * w**2)

    nn.backward(halved, X)
    assert (w.data, w.grad) == (1.5, 2 * 1.5 * 6)


def test_a_parameter_that_is_stored_into_for_some_data_is_refused() -> None:
    w = nn.Parameter(np.array([1.0, -2.0, 3.0]))

    def sometimes(x: Any) -> Any:
        if x[0] > 0:
            with sg.no_grad():
                w[...] = w / 2
        return np.sum(w * x)

    with pytest.raises(AliasError, match=r"`w` requires .*sg\.no_grad\(\).*branches"):
        nn.backward(sometimes, X)
    np.testing.assert_array_equal(w.data, [1.0, -2.0, 3.0])


def test_outside_of_compiled_functions() -> None:
    assert sg.is_grad_enabled()
    with sg.no_grad():
        assert not sg.is_grad_enabled()
        with sg.enable_grad():
            assert sg.is_grad_enabled()
        assert not sg.set_grad_enabled(False)(sg.is_grad_enabled)()
        np.testing.assert_array_equal(sg.grad(np.sum)(X), np.ones(3))
    assert sg.is_grad_enabled()
    assert sg.enable_grad()(lambda: 1)() == 1
    with pytest.raises(InputTypeError, match="True or False, not 1"):
        sg.set_grad_enabled(1)  # type: ignore[arg-type]


def test_refused() -> None:
    def spoken(x: Any) -> Any:
        with sg.no_grad(1):  # type: ignore[call-arg]
            return x

    def named(x: Any) -> Any:
        with sg.no_grad() as n:
            return x, n

    with pytest.raises(CallError, match="`no_grad` takes no argument"):
        sg.compile(spoken)(X)
    with pytest.raises(UnsupportedSyntaxError, match=r"with sg\.no_grad\(\)"):
        sg.compile(named)(X)
