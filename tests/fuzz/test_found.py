"""Programs in which the generator found faults, cut down to what matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symgrad as sg

from . import checking


def undefined_after_a_return(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """The adjoint of ``t`` starts as zeros like it, also where it was never made."""
    if s + 1 > 0.4321:
        return m[-1, m.shape[1] - 1] ** 2
    t = np.full((m.shape[1],), s)
    return np.sum(np.sin(t))


def saved_on_one_branch_twice(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What an inner gradient keeps on a list is not kept in an array by the outer one."""
    v = x * 1.5
    for _ in range(len(x)):
        if np.sum(v) < 0.623:
            v[1:] = np.tanh(np.sin(np.full((len(x) - 1,), s)) * v[1:])
        else:
            v = v * 0.5
    return np.sum(np.sin(v))


def adjoint_as_given(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """``_unbroadcast`` hands on what it gets: the captured array must stay as it is."""
    w = m + s
    if s > 5.0:
        w[:, 1] = np.tanh(x)
    x[1:] *= 0.75
    return np.sum(np.sin(x)) + np.sum(np.sin(w))


def long_statement(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """Parts that get names of their own are assigned in the order they need each other."""
    v = x * 1.5
    w = m + s
    if not s > 0.77:
        w[:, 0] += np.tanh(np.cumsum(np.clip(v, -8.25, 9.5)) * 0.25)
    return np.sum(np.sin(w))


def kept_on_one_branch_then_pushed_forward(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """The tangent of what a branch leaves undefined is undefined."""

    def inner(p: Any) -> Any:
        t = m[:, 0] * 1.0
        if not s > 0.77:
            t[0] = np.tanh(s)
        elif np.sum(p) < 2.123:
            t[-1] = np.tanh(s + p[0])
        else:
            t[1:] = np.tanh(p[:-1] / (3.0 + np.tanh(np.full((len(x) - 1,), 1.5))))
        return np.sum(np.tanh(p) * p) + np.sum(t**2)

    return np.sum(np.sin(sg.grad(inner)(x * x * 0.25)))


def long_constants(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """A statement of constants only gets under 88 columns too."""
    for _ in range(q):
        if s > 0.5:
            np.add.at(x, np.array([0, 1, 1]), np.cos(-0.75))
    return np.sum(np.sin(x))


def three_saved_numbers(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """A backward loop over several lists stays under 88 columns."""
    v = x * 1.5
    for i in range(m.shape[1]):
        v[0] = np.tanh(s if i % 2 == 0 else np.sqrt(1.0 + s**2)) * np.tanh(s * i)
        for _ in range(2):
            s = np.sin(s) * np.tanh(s) * np.exp(s)
    return np.sum(np.sin(v)) + s


def a_list_after_a_return(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """Zeros like a list of a branch are made where no adjoint comes in."""
    i = -1
    while i < 2 and not s > 0.77:
        i += 1
        if i > 1 and q > 5:
            return s
    c = []
    for _ in range(len(x)):
        c.append(np.full((3,), s) * 1.0)
        c[-1] = c[0] * 0.5
    t = np.sum(np.stack(c)) if len(c) > 0 else 0.5
    return np.sin(t)


def indices_of_constants(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """Arrays of constants are lists between brackets, so that lines stay short."""
    w = m + s
    for i in range(q):
        if s > 0.5 and i > 0:
            for _ in range(2):
                if np.sum(w) > 0.25:
                    w[[0, 2, 1], [1, 0, 2]] = np.tanh(np.cos(w[[1, 2], [0, 0]][0]) * s)
    return np.sum(np.sin(w))


def mask_of_rows(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """A mask of the first axis stands for all of each row that it names."""
    w = np.tanh(m + s)
    w[x > 0.5] = s
    v = np.zeros_like(m)
    v[y > 0.4] = w[y > 0.4] * m[y > 0.4]
    return np.sum(np.sin(w) * w[:, :1]) + np.sum(np.sin(v))


def a_length_of_an_inner_gradient(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What is found equal inside a gradient is checked there, where the lengths are known."""

    def inner(p: Any) -> Any:
        t = m[:, 1] * 1.0
        for _ in range(q - 5):
            t = y * 1.0
        t[1:] += np.tanh(p)[:-1]
        return np.sum(t**2)

    return np.sum(sg.grad(inner)(x * s))


def reshaped_after_a_branch(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What is stored into a reshape of one of two arrays is stored into that array."""
    v = x * 1.5
    w = np.tanh(m)
    if np.sum(y) > 0.1:
        v = np.sin(y)
        w = m * 2.0
    v.reshape(1, -1)[0, 1:3] *= s
    w.reshape(-1)[4] *= s
    u = v.ravel()
    u[0] += w[1, 1]
    return np.sum(v * x) + np.sum(w * w)


def masks_of_an_inner_gradient(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What an adjoint's own mask clears is cleared at every order."""

    def inner(p: Any) -> Any:
        t = np.where(x > 0.45, p, 0.5)
        return np.sum(t**2) * np.sin(p)

    return np.sin(sg.grad(inner)(s))


def a_product_of_elements(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """Whether what a list holds is finite is not known."""
    c = []
    for _ in range(len(x)):
        c.append(np.arctan(np.sin(np.full((m.shape[1],), s))))
        if len(c) > 2:
            c.append(c.pop() * c.pop(0))
    t = np.sum(np.stack(c)) if len(c) > 0 else 0.5
    for e in c:
        t = t + np.sum(e * e)
    data = x
    if not s > 0.77:
        data = np.sin(x)
    return math.sin(t) + np.sum(data * x)


def a_list_longer_than_its_line(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """A statement that changes a list names it twice, and stays under 88 columns."""
    if np.logaddexp(s, s) > 5.0:
        return s
    c = []
    for _ in range(len(x)):
        c.append(np.tanh(np.sin(s)) - np.tanh(x[len(x) - 1]) ** 2)
    c.insert(0, c[2])
    t = np.sum(c.pop(1)) + len(c)
    full = np.full((len(x),), t) * np.arange(1)[0]
    if q > 5:
        full = np.sin(np.full((len(x),), s))
    return math.sin(t) + np.sum(np.sin(full))


def a_solution_on_one_branch(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What counts of the adjoint of a vector that is solved for is found, as of a matrix."""
    v = x * 1.5
    t = 0.5
    for i in range(len(x)):
        if np.sin(v[i]) > 0.6:
            t = v[i] * v[0]
            break
    if q > 2:
        b = v[:, None] * y - 0.1 * np.outer(x, v)
        b[np.diag_indices(len(x))] += 30.0
        v[:] = np.linalg.solve(b, v)
    return np.sum(np.sin(v)) + math.sin(t)


def copied_where_undefined(x: Any, y: Any, m: Any, s: float, q: int) -> Any:
    """What a branch has replaced is copied ahead of a loop that changes it, on every way."""
    a, b, kept = x * 1.5, x * 2.0, []
    for _ in range(3):
        for k in range(len(x)):
            b[k] = np.tanh(b[k - 1] * s) + 0.2
        kept.append(b)
        if s > 0.5:
            b = np.sin(x) * a + 0.1 * s
        s = np.tanh(a @ y) - 0.9
    return s + np.sum(a * b) + sum(np.sum(v * v) for v in kept)


PROGRAMS = [
    undefined_after_a_return,
    saved_on_one_branch_twice,
    adjoint_as_given,
    long_statement,
    kept_on_one_branch_then_pushed_forward,
    long_constants,
    three_saved_numbers,
    a_list_after_a_return,
    indices_of_constants,
    mask_of_rows,
    a_length_of_an_inner_gradient,
    reshaped_after_a_branch,
    masks_of_an_inner_gradient,
    a_product_of_elements,
    a_list_longer_than_its_line,
    a_solution_on_one_branch,
    copied_where_undefined,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_found(f: Any) -> None:
    args = checking.arguments()
    checking.check_value(f, args)
    checking.check_gradient(f, args)
    checking.check_second(f, args)


def test_the_diagonal_by_einsum_is_memory_of_its_own() -> None:
    def f(a: Any) -> Any:
        d = np.einsum("ii->i", a) * 1.0
        return np.sum(d * np.einsum("ii->i", a))

    a = np.arange(9.0).reshape(3, 3)
    kept = a.copy()
    grad = sg.grad(f)(a)
    assert np.array_equal(a, kept)
    assert np.array_equal(grad, np.diag(2 * np.diag(a)))


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_what_an_inner_loop_cannot_settle_is_not_lost(count: int) -> None:
    """Of another dtype, and of another length, after the first round."""

    def f(x: Any) -> Any:
        t = np.full((6,), 0.3)
        for _ in range(len(x)):
            for _ in range(len(x)):
                t = x * 2
        return np.sum(t)

    x = np.linspace(0, 1, count).astype(np.float32)
    found, wanted = sg.compile(f)(x), f(x)
    assert found == wanted
    assert type(found) is type(wanted)
    assert np.array_equal(sg.grad(f)(x), np.full(count, 2.0))
