"""Stores cost what they touch: the bytes that the finished code makes and stores, counted op by op,
grow no faster than what the program writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.ir.evaluate import Watched, run
from symgrad.runtime.arguments import bound_call


def moved(f: Callable[..., Any], *args: Any) -> int:
    """The bytes of all arrays that the code of ``f`` makes, copies that it needs among them,
    and of all values that it stores."""
    total = 0

    def watch(op: Any, inputs: Any, results: Any) -> None:
        nonlocal total
        if op.kind.has("store"):
            total += np.asarray(inputs[1]).nbytes if len(inputs) > 1 else 0
        elif not op.kind.has("view") and op.name != "reshape":
            total += sum(r.nbytes for r in results if isinstance(r, np.ndarray))

    call = bound_call(f, args, {})
    final = call.made.program.final
    given = [np.copy(x) if isinstance(x, np.ndarray) else x for x in call.flat(final)]
    run(final.block, given, Watched(watch))
    return total


def one_by_one(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + np.sin(x[i])
    return np.sum(y * y)


def in_an_argument(x):
    y = x * 1.0
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
    return np.sum(y)


def through_a_slice(x):
    y = np.zeros_like(x)
    inner = y[1:][::-1]
    for i in range(len(inner)):
        inner[i] = np.sin(x[i]) * x[0]
    return np.sum(y * y)


def by_a_helper(x):
    def put(y, i, v):
        y[i] = v

    y = np.zeros_like(x)
    for i in range(len(x)):
        put(y, i, np.exp(x[i]))
    return np.sum(y * y)


def on_a_branch(x):
    y = x * 1.0
    for i in range(len(x)):
        if y[i] > 0.5:
            y[i] = y[i] * 3
        else:
            y[-1] += y[i] * y[i]
    return np.sum(y)


def through_a_reshape(x):
    y = np.zeros(2 * len(x))
    halves = y.reshape(2, -1)
    for i in range(len(x)):
        halves[0, i] = np.sin(x[i])
        if x[i] > 0.5:
            halves[1, i] = x[i] * halves[0, i]
    return np.sum(y * y)


@pytest.mark.parametrize(
    "f",
    [
        one_by_one,
        in_an_argument,
        through_a_slice,
        by_a_helper,
        on_a_branch,
        through_a_reshape,
    ],
)
@pytest.mark.parametrize("make", [sg.compile, sg.value_and_grad], ids=["there", "back"])
def test_a_cell_at_a_time(f, make):
    function = make(f)
    few, many = (moved(function, np.linspace(0.1, 1.0, n)) for n in (40, 160))
    assert many < 5 * few, (few, many)


def cells(a):
    y = np.zeros_like(a)
    for i in range(1, len(a)):
        for j in range(1, a.shape[1]):
            y[i, j] = np.tanh(y[i - 1, j] * y[i, j - 1]) + np.sin(a[i, j])
    return np.sum(y)


def cells_of_rows(a):
    y = a * 1.0
    for row in y:
        for j in range(1, len(row)):
            row[j] = row[j] * row[j - 1]
    return np.sum(y)


def cells_of_columns(a):
    y = np.zeros_like(a)
    for k, column in enumerate(y.T):
        for i in range(len(column)):
            column[i] = np.sin(a[i, k])
    return np.sum(y * y)


def through_a_transpose(a):
    y = a * 1.0
    for i in range(1, len(a)):
        for j in range(len(y.T)):
            y.T[j, i] = y.T[j, i - 1] * a.T[j, i] + y.T[0, 0]
    return np.sum(y * y)


def raveled(a):
    y = a * 1.0
    flat = y.ravel()
    for i in range(len(a)):
        for j in range(1, len(a)):
            flat[i * len(a) + j] += flat[i * len(a) + j - 1] * flat[0]
    return np.sum(y * y)


def a_transpose_of_what_does_not_change(a):
    total = 0.0
    for i in range(len(a)):
        row = np.expand_dims(a.T, 0)[0, i]
        total = total + row[0] * row[1]
    return total


@pytest.mark.parametrize(
    "f",
    [
        cells,
        cells_of_rows,
        cells_of_columns,
        through_a_transpose,
        raveled,
        a_transpose_of_what_does_not_change,
    ],
)
@pytest.mark.parametrize("make", [sg.compile, sg.value_and_grad], ids=["there", "back"])
def test_a_cell_of_a_matrix_at_a_time(f, make):
    function = make(f)
    few, many = (moved(function, np.full((n, n), 0.3)) for n in (8, 24))
    assert many <= 12 * few, (few, many)


def heat(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def burgers(u, steps):
    for _ in range(steps):
        u[1:-1] -= 0.1 * u[1:-1] * (u[1:-1] - u[:-2])
    return u


def edges(u, steps):
    for _ in range(steps):
        u[0] = u[1] * u[1]
        u[-1] = np.sin(u[-2])
    return u


def loss_of(step: Callable[..., Any]) -> Callable[..., Any]:
    def loss(u, steps):
        return np.sum(step(u * 1.0, steps) ** 2)

    return loss


def growth(step: Callable[..., Any], cells: int) -> float:
    """The bytes that one more step costs, there and back, in numbers."""
    function = sg.value_and_grad(loss_of(step))
    u = np.linspace(0.1, 1.0, cells)
    few, many = (moved(function, u, n) for n in (10, 30))
    return (many - few) / 20 / 8


def test_a_time_loop_touches_what_it_overwrites():
    assert growth(burgers, 50) < 50 * 20
    assert growth(burgers, 200) < 4.2 * growth(burgers, 50)
    assert growth(edges, 50) == growth(edges, 400)


def with_coefficients(u, steps):
    for _ in range(steps):
        u = np.tanh(u * np.sin(COEFFICIENTS)) * np.exp(COEFFICIENTS)
    return u


COEFFICIENTS = np.linspace(0.1, 1.0, 50)


def test_what_is_the_same_in_each_round_is_computed_once_and_not_kept():
    source = sg.value_and_grad(loss_of(with_coefficients)).lower(np.ones(50), 10).source
    lines = [line for line in source.split("\n") if not line.lstrip().startswith("#")]
    code = "\n".join(lines)
    assert code.count("np.sin(") == code.count("np.exp(") == 1
    assert code.count("saved") == code.count("saved[t]") + 1


def test_an_argument_is_stored_into_where_other_places_of_it_are_read():
    def f(x):
        x[0] = 5.0
        x[2] = np.sum(x)
        x[3] += x[1]

    assert "copy" not in sg.compile(f).lower(np.ones(5)).source
    mine, theirs = np.arange(5.0), np.arange(5.0)
    f(theirs)
    sg.compile(f)(mine)
    assert np.array_equal(mine, theirs)


def test_what_is_not_read_of_an_expression_in_a_loop_has_no_slope():
    def f(w, n):
        total = 0.0
        for i in range(n):
            total += np.log(w)[i]
        return total

    with np.errstate(divide="ignore"):
        for n, expected in ((0, [0.0, 0.0, 0.0]), (2, [1.0, 0.5, 0.0])):
            assert np.array_equal(sg.grad(f)(np.array([1.0, 2.0, 0.0]), n), expected)


def test_a_linear_step_keeps_nothing():
    kept = sg.value_and_grad(loss_of(heat)).lower(np.ones(50), 10).source
    assert "append" not in kept and "empty" not in kept
