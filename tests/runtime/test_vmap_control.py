"""``sg.vmap`` over loops and branches, and in any nesting with derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnknownLengthError, UnsupportedFunctionError
from tests.runtime.batched import (
    RNG,
    X,
    check,
    collatz,
    falling,
    guarded,
    leaves_early,
    logarithm,
    newton,
    overwritten_while,
    recurrence,
    slopes,
    stable,
    stored,
    summed_until,
    two_ways,
)


def test_ways_apart() -> None:
    assert "np.where" in check(two_ways, X)
    check(recurrence, X)
    check(summed_until, X)
    check(stored, X)
    check(falling, X, np.array([0, 1, 4, 3]))
    check(collatz, np.array([1, 7, 27, 6]))
    assert "for example in range" in check(overwritten_while, X)


def apart_and_read(v: Any) -> Any:
    z = np.log(v) if v[0] > 0 else np.exp(v) / v
    return z[1] * z[0]


def test_entries_of_what_was_made_apart() -> None:
    """A branch that not all examples may take fills rows of an array, which is then read."""
    x = np.array([[0.37, 0.52, 0.81], [-0.3, 0.2, -0.4], [1.5, 0.2, 0.3]])
    check(apart_and_read, x)
    slope = sg.grad(apart_and_read)
    np.testing.assert_allclose(sg.vmap(slope)(x), np.stack([slope(v) for v in x]))


def test_other_examples_neither_warn_nor_fail() -> None:
    check(logarithm, np.array([-1.0, 2.0, 3.0]))
    check(stable, np.array([-1000.0, 0.0, 1000.0]))
    check(guarded, np.array([0, 5, 6, 9]))
    check(leaves_early, X)
    check(newton, np.array([1.0, 2.0, 9.0, 50.0]))


def test_what_data_shapes() -> None:
    check(lambda v: v[v > 0].sum(), X)
    check(lambda v: len(np.unique(np.round(v))), X)


def test_effects(capsys: pytest.CaptureFixture[str]) -> None:
    def shows(v: Any) -> Any:
        print("v", v)
        return v * 2

    sg.vmap(shows)(np.array([1.0, 2.0]))
    assert capsys.readouterr().out == "v 1.0\nv 2.0\n"

    def asserts(v: Any) -> Any:
        assert v > 0
        return v

    check(asserts, np.array([1.0, 2.0]))
    with pytest.raises(AssertionError):
        sg.vmap(asserts)(np.array([1.0, -2.0]))

    def raises(v: Any) -> Any:
        if v < 0:
            raise ValueError("negative")
        return np.sqrt(v)

    check(raises, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="negative"):
        sg.vmap(raises)(np.array([1.0, -2.0]))


# ---------------------------------------------------------------------------- nesting
NUMBERS = {
    "recurrence": recurrence,
    "two_ways": lambda v: np.sum(two_ways(v) ** 2),
    "stored": lambda v: np.sum(stored(v) ** 2),
    "solve": lambda v: np.sum(np.linalg.solve(np.outer(v, v) + np.eye(5), v)),
    "gather": lambda v: np.sum(v[np.array([0, 0, 2])] ** 3),
    "mask": lambda v: np.sum(v[v > 0] ** 2),
    "extremes": lambda v: np.max(v) * np.min(v),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_nesting_with_derivatives(name: str) -> None:
    fun = NUMBERS[name]
    each = sg.vmap(sg.grad(fun))(X)
    np.testing.assert_allclose(
        each, np.stack([slopes(fun, v) for v in X]), rtol=1e-5, atol=1e-6
    )
    whole = sg.grad(lambda x: np.sum(sg.vmap(fun)(x) ** 2))(X)
    values = np.array([fun(v) for v in X])
    np.testing.assert_allclose(whole, 2 * values[:, None] * each, rtol=1e-9, atol=1e-12)
    hessians = sg.vmap(sg.hessian(fun))(X)
    np.testing.assert_allclose(hessians[1], sg.hessian(fun)(X[1]), rtol=1e-9, atol=1e-12)


def test_derivative_of_an_iteration() -> None:
    x = np.array([1.5, 2.0, 9.0])
    wanted = 0.5 / np.sqrt(x)
    np.testing.assert_allclose(sg.vmap(sg.grad(newton))(x), wanted)
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(sg.vmap(newton)(x)))(x), wanted)


def test_captured_variables() -> None:
    def loss(w: Any) -> Any:
        return np.sum(sg.vmap(lambda r: np.tanh(w @ r))(X) ** 2)

    w = RNG.standard_normal((3, 5))
    wanted = slopes(lambda w: np.sum(np.tanh(X @ w.T) ** 2), w)
    np.testing.assert_allclose(sg.grad(loss)(w), wanted, rtol=1e-5, atol=1e-6)


def test_recurrent_network_stays_a_loop_over_time() -> None:
    def loss(w: Any, xs: Any) -> Any:
        h = np.zeros(3)
        for t in range(xs.shape[0]):
            h = np.tanh(w @ h + xs[t])
        return np.sum(h**2)

    w, xs = RNG.standard_normal((3, 3)), RNG.standard_normal((4, 6, 3))
    batched = sg.vmap(sg.grad(loss), (None, 0))
    np.testing.assert_allclose(
        batched(w, xs), np.stack([sg.grad(loss)(w, x) for x in xs]), rtol=1e-10
    )
    assert "range(xs.shape[1])" in batched.source
    assert "example" not in batched.source


def test_directional_derivatives() -> None:
    cubes = sg.vmap(lambda r: sg.vjp(lambda z: np.sum(z**3), r)[1](1.0)[0])
    np.testing.assert_allclose(cubes(X), 3 * X**2)
    columns = sg.vmap(lambda t: sg.jvp(lambda z: z**2, (X[0],), (t,))[1])
    np.testing.assert_allclose(columns(np.eye(5)), np.diag(2 * X[0]))


def test_pullback_of_a_basis() -> None:
    def rows(v: Any) -> Any:
        _, pull = sg.vjp(lambda z: z**2 + z[0], v)
        return sg.vmap(pull)(np.eye(5))[0]

    wanted = np.diag(2 * X[0])
    wanted[:, 0] += 1
    np.testing.assert_allclose(sg.compile(rows)(X[0]), wanted)


def test_examples_that_are_stacked_beside_an_array_of_their_shape():
    """How a stack lies in memory is not how its examples do."""

    def loss(x):
        y = x
        for _ in range(3):
            y = np.log(y) * 0.5 + x
        return np.sum(y)

    x = np.linspace(1.0, 2.0, 5)
    each = sg.compile(lambda x: sg.vmap(lambda a: sg.grad(loss)(a))(np.stack([x, x])))
    assert np.allclose(each(x), sg.grad(loss)(x))


def settled(matrix: Any, x: Any) -> Any:
    while np.abs(x).max() > 1e-2:
        x = np.tanh(matrix @ x)
    return x


def test_lengths_of_the_call_say_what_all_examples_have() -> None:
    """``matrix @ x`` has the length of ``x`` only where the matrix is square."""
    matrix = np.array([[0.3, 0.1], [0.2, 0.4]])
    xs = RNG.normal(size=(3, 2))
    found = sg.vmap(settled, in_axes=(None, 0))(matrix, xs)
    np.testing.assert_allclose(found, [settled(matrix, x) for x in xs], rtol=1e-14)
    slopes = sg.vmap(sg.jacfwd(lambda x: settled(matrix, x)))(xs)
    expected = [sg.jacfwd(lambda x: settled(matrix, x))(x) for x in xs]
    np.testing.assert_allclose(slopes, expected, rtol=1e-12)


def selected(x: Any) -> Any:
    return x[x > 0]


def test_lengths_that_data_decide_are_refused() -> None:
    with pytest.raises(UnsupportedFunctionError, match="another shape for each example"):
        sg.vmap(selected)(RNG.normal(size=(3, 2)))


def left_at(x: Any, n: int) -> Any:
    for i in range(n):
        scaled = x * (i + 0.5)
        if np.sum(scaled) > 2.0:
            break
    return np.sum(np.sin(scaled)) + math.sin(i * 0.1)


def found_at(x: Any, n: int) -> Any:
    i = 0
    while i < n:
        entry = np.sin(x[i])
        i += 1
        if entry > 0.4:
            break
    return np.sin(entry)


def found_twice(x: Any, n: int) -> Any:
    for k in range(2):
        for i in range(n):
            entry = np.tanh(x[i] * (k + 1))
            if entry > 0.3:
                break
    return np.sin(entry) * i


def counted(x: Any, n: int) -> Any:
    for i in range(int(np.sum(x > 0.4)) + 1):
        last = np.sum(np.sqrt(x * (i + 1.0)))
    return np.sin(last) + i * n


def logarithm_found(x: Any, n: int) -> Any:
    for i in range(n):
        if x[i] > 0.3:
            found = np.log(x[i])
            break
    else:
        found = 1.0
    return np.sin(found)


ASSIGNED_INSIDE = (left_at, found_at, found_twice, logarithm_found)


@pytest.mark.parametrize("function", [*ASSIGNED_INSIDE, counted])
def test_what_is_assigned_only_in_a_loop_that_examples_leave_apart(function: Any) -> None:
    """Before the first round there is nothing to keep of an example that is done."""
    xs = np.arange(15.0).reshape(3, 5) / 10 + 0.01
    found = sg.vmap(function, in_axes=(0, None))(xs, 4)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [function(x, 4) for x in xs], rtol=1e-14)


@pytest.mark.parametrize("function", ASSIGNED_INSIDE)
def test_slopes_of_what_is_assigned_only_in_a_loop_that_examples_leave_apart(
    function: Any,
) -> None:
    xs = np.arange(15.0).reshape(3, 5) / 10 + 0.01
    slopes = sg.vmap(sg.grad(function), in_axes=(0, None))(xs, 4)
    expected = [sg.grad(function)(x, 4) for x in xs]
    np.testing.assert_allclose(slopes, expected, rtol=1e-13)


def part_left_at(x: Any, n: int) -> Any:
    for i in range(n):
        part = x[i:] * 0.5
        if np.sum(part) > 1.0:
            break
    return np.sum(part)


def test_parts_that_differ_in_length_when_examples_leave_apart_are_refused() -> None:
    with pytest.raises(UnknownLengthError, match="another shape for each example"):
        sg.vmap(part_left_at, in_axes=(0, None))(np.ones((3, 5)), 4)


def repeated(x: Any, n: int) -> Any:
    s = x
    for _ in range(n):
        s = np.sin(s) * x
    return np.sum(s)


def repeated_within(x: Any, n: int) -> Any:
    a = np.zeros((5, 3))
    for i in range(n):
        for j in range(i + n):
            a[i] = np.sin(a[i] + x * j)
        if a[i, 0] > 0.5:
            x = x * a[i]
    return np.sum(a * x)


def as_often_as_the_data_say(x: Any, n: int) -> Any:
    s = x
    for _ in range(int(np.floor(np.sum(x)))):
        s = s * x + 0.1
    return np.sum(s) * n


def left_by_the_data(x: Any, n: int) -> Any:
    s = x
    for _ in range(30):
        s = s * 1.2 + 0.1 * x**2
        if np.sum(s) > 8:
            break
    return np.sum(s * s) * n


@pytest.mark.parametrize(
    "function", [repeated, repeated_within, as_often_as_the_data_say, left_by_the_data]
)
@pytest.mark.parametrize("order", [1, 2])
def test_loops_that_keep_arrays_for_each_example_as_long_as_it_goes(
    function: Any, order: int
) -> None:
    first = sg.grad(function)
    second = sg.grad(lambda z, n: np.sum(sg.grad(function)(z, n) ** 2))
    slope = first if order == 1 else second

    xs = np.abs(np.random.default_rng(0).standard_normal((4, 3))) + 0.2
    ns = np.array([1, 3, 0, 2])
    found = sg.vmap(slope)(xs, ns)
    np.testing.assert_allclose(
        found, [slope(x, int(n)) for x, n in zip(xs, ns, strict=True)]
    )
    if order == 1:

        def joint(xs: Any) -> Any:
            return np.sum(sg.vmap(sg.grad(function))(xs, ns) ** 2)

        wanted = [second(x, int(n)) for x, n in zip(xs, ns, strict=True)]
        np.testing.assert_allclose(sg.grad(joint)(xs), wanted)
