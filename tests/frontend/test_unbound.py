"""Variables that only some ways assign: reading them behaves as in Python."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnboundVariableError

X = np.array([-1.0, 2.0, -3.0, 4.0])


def assigned_in_a_loop(x, n):
    for i in range(n):
        y = x * 2 + i
    return np.sum(y * y)


def target_of_a_loop(x, n):
    for i in range(n):  # noqa: B007
        pass
    return x[0] * x[0] * i


def row_of_a_loop(x, n):
    for row in x[:n]:
        last = row
    return last * last


def in_a_branch_of_a_loop(x, n):
    for i in range(n):
        if x[i] > 0:
            y = x[i] * x[i]
    return y


def else_of_a_loop(x, n):
    for i in range(n):
        if x[i] > 0:
            y = x[i] * 2
            break
    else:
        y = x[0] * x[1]
    return y


def after_a_while(x, n):
    i = 0
    while i < n:
        y = x * i
        i += 1
    return np.sum(y * x)


def in_an_inner_loop(x, n):
    for i in range(n):
        for j in range(i):
            y = x * j
    return np.sum(y * x)


def read_before_it_is_assigned(x, n):
    total = 0.0
    for i in range(n):
        if i > 1:
            total += np.sum(y * x)  # noqa: F821
        if i % 2 == 1:
            y = x * i  # noqa: F841
    return total


def index_of_the_round_before(x, n):
    total = 0.0
    for i in range(n):
        if i > 0:
            total += np.sum(x[y] ** 2) * i  # noqa: F821
        y = np.array([i, i])  # noqa: F841
    return total


def on_one_branch(x, n):
    if n > 2:
        a, b = x * 2, x * 3
    if n > 1:
        return np.sum(a * b)
    return np.sum(x * x)


def deleted(x, n):
    y = x * x
    if n > 2:
        del y
    return np.sum(y)


def left_early(x, n):
    for i in range(n):
        if i == 1:
            continue
        y = x * i
        if i == 3:
            break
    return np.sum(y * x)


def on_both_branches(x, n):
    if n > 1:
        for i in range(n - 2):
            y = x * i
    else:
        y = x
    return np.sum(y * x)


def chosen_where_it_is_bound(x, n):
    if n > 1:
        y = x[0]
    elif n > 0:
        y = x[1]
    z = y if n != 0 else 1.0
    return z * x[0]


FUNCTIONS = [
    v for v in list(globals().values()) if getattr(v, "__module__", "") == __name__
]


def outcome(f, n):
    try:
        return f(X.copy(), n)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    compiled, value_and_grad = sg.compile(f), sg.value_and_grad(f)
    outcomes = [outcome(f, n) for n in range(5)]
    assert [outcome(compiled, n) for n in range(5)] == outcomes
    values = [outcome(lambda x, n: value_and_grad(x, n)[0], n) for n in range(5)]
    assert values == outcomes


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f):
    grad = sg.grad(f)
    for n in range(5):
        if isinstance(outcome(f, n), type):
            continue
        steps = 1e-6 * np.eye(len(X))
        wanted = [(f(X + h, n) - f(X - h, n)) / 2e-6 for h in steps]
        np.testing.assert_allclose(grad(X, n), wanted, atol=1e-7)


def test_what_every_round_reads_first_is_refused():
    def f(x):
        for i in range(len(x)):
            total = total + x[i]  # noqa: F821
        return total

    with pytest.raises(UnboundVariableError, match="`total` is read before") as caught:
        sg.compile(f)(X)
    assert "total = total + x[i]" in str(caught.value)


def test_the_check_is_one_line_of_the_generated_code():
    compiled = sg.compile(assigned_in_a_loop)
    compiled(X, 2)
    assert compiled.source.count("if not") == 1
    assert "    raise UnboundLocalError(" in compiled.source
