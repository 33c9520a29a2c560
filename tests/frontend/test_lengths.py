"""Lengths that do not fit are an error where, and only where, the code that needs them runs."""

import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike


def in_a_loop(x, y, n):
    total = 0.0
    for _ in range(n):
        total = total + np.sum(x + y)
    return total


def on_a_branch(x, y, n):
    if n > 0:
        return np.sum(x + y)
    return np.sum(x) + np.sum(y)


def in_a_conditional_expression(x, y, n):
    return np.sum(x + y) if n > 0 else np.sum(x) + np.sum(y)


def in_a_while(x, y, n):
    i, total = 0, 0.0
    while i < n:
        total = total + x @ y
        i += 1
    return total


def behind_an_and(x, y, n):
    if n > 0 and np.sum(x + y) > 1e9:
        return np.sum(y)
    return np.sum(x)


def by_the_round(x, y, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum(x[:i] + y[i:])
    return total


def into_one(x, y, n):
    part = y[:1] * 1.0
    part += x[: n // 3]
    part[:1] *= x[: n // 3]
    return np.sum(part)


FUNCTIONS = [
    v for v in list(globals().values()) if getattr(v, "__module__", "") == __name__
]


def outcome(f, *args):
    try:
        with warnings.catch_warnings():  # where the lengths never fit, no round has a slope
            warnings.simplefilter("ignore", sg.errors.ConstantOutputWarning)
            return f(*args)
    except ValueError:
        return ValueError


@pytest.mark.parametrize("lengths", [(4, 4), (4, 5), (1, 5)])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_numpy(f, lengths):
    x, y = (np.arange(1.0, n + 1) for n in lengths)
    compiled, grad = sg.compile(f), sg.value_and_grad(f, (0, 1))
    for n in (0, 3):
        wanted = outcome(f, x, y, n)
        assert outcome(compiled, x, y, n) == wanted
        found = outcome(grad, x, y, n)
        assert (found if found is ValueError else found[0]) == wanted


MASKED = [
    lambda A, x, y: np.sum(A[:, x > 0] @ x[y > 0]),
    lambda A, x, y: np.sum(np.stack([x[x > 0], x[y > 0]])),
    lambda A, x, y: np.sum(np.concatenate([A[:, x > 0], A[:, y > 0]])),
]


@pytest.mark.parametrize("f", MASKED)
def test_of_what_data_decides(f):
    A, x = np.arange(12.0).reshape(3, 4), np.arange(1.0, 5.0)
    grad = sg.grad(f, (0, 1))
    sg.testing.check_grads(lambda A, x: f(A, x, x), (A, x))
    with pytest.raises(ValueError, match=r"fit together|must match|same shape"):
        grad(A, x, x - 3)


def test_only_what_numpy_does_not_check():
    def f(a, v, n):
        for _ in range(n):
            v = a @ v
        return v

    compiled = sg.compile(f)
    compiled(np.eye(3), np.ones(3), 2)
    assert "raise" not in compiled.source


MIXING = np.arange(9.0).reshape(3, 3) / 9


def test_a_captured_matrix_that_only_a_loop_reads():
    def forwards(x):
        for _ in range(3):
            x = np.tanh(MIXING @ x)
        return np.sum(x)

    x = np.array([0.3, 0.5, 0.7])
    steps = 1e-6 * np.eye(3)
    slopes = [(forwards(x + e) - forwards(x - e)) / 2e-6 for e in steps]
    for f in (forwards, sg.checkpoint(forwards)):
        np.testing.assert_allclose(sg.grad(f)(x), slopes, rtol=1e-8)
    with pytest.raises(ValueError, match="fit"):
        sg.grad(forwards)(np.ones(4))


SHAPES = [
    lambda x: np.sum(x.reshape((1, 4) if x[0] > 0 else (4, 1)) * x),
    lambda x: np.sum(x[:, None] * x.reshape((1, 4) if x[0] > 0 else (4, 1)) ** 2),
    lambda x: np.sum((np.zeros((2, 3) if x[0] > 0 else 4) + x[0]) ** 2),
]


@pytest.mark.parametrize("f", SHAPES)
def test_shapes_chosen_at_run_time(f):
    for x in (np.array([0.3, 1.2, -0.7, 2.0]), np.array([-0.3, 1.2, 0.7, 2.0])):
        alike(f, x)
        check_grads(f, (x,), order=1)
