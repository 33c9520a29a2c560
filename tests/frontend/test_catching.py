"""``except``: what is caught, what has been done before it, and derivatives on both ways."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.catching import (
    CASES,
    FINE,
    LONG,
    SINGULAR,
    X,
    division,
    of_math,
    returns_in_both,
)
from tests.frontend.outcomes import alike

NAMES = [f"{f.__name__}{n}" for n, (f, *_) in enumerate(CASES)]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_like_python(case):
    f, *args = case
    with np.errstate(all="ignore"):
        alike(f, *args)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_derivatives(case):
    """Those by the vectors and numbers: the matrices are where a factor begins to exist."""
    f, *args = case
    wanted = [i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.ndim == 1]
    if any(np.any(args[i] == 0) for i in wanted):
        return  # another way is taken right beside

    def total(*values):
        full = list(args)
        for i, value in zip(wanted, values, strict=True):
            full[i] = value * 1.0
        return np.sum(f(*full) ** 2)

    try:
        total(*(args[i] for i in wanted))
    except Exception:
        return
    check_grads(total, tuple(args[i] for i in wanted))


def test_derivatives_of_numbers():
    check_grads(division, (1.0, 2.0))
    check_grads(lambda a: division(a, 0.0), (1.0,))
    check_grads(lambda a: of_math(a, -2.0) * a, (1.0,))


def test_examples_go_their_own_ways():
    several = np.stack([FINE, SINGULAR, FINE * 3])
    f = sg.vmap(returns_in_both, in_axes=(0, None))
    assert np.allclose(f(several, X), [returns_in_both(a, X) for a in several])


def test_the_message_of_what_numpy_raises():
    def f(a, x):
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError as error:
            print(error)
            return x

    with pytest.raises(
        UnsupportedSyntaxError, match="known at run time only: it can be rai"
    ):
        sg.compile(f)(SINGULAR, X)


class OfTheUsers(Exception):
    pass


def reads_what_was_raised(x):
    total = 0.0
    for v in x:
        try:
            if v > 1.5:
                raise OfTheUsers(v * 2, "large")
            total += v
        except OfTheUsers as error:
            value, word = error.args
            total += value**2 * len(word)
    return total


def raises_it_anew(x):
    try:
        if x[0] > 0.5:
            raise ValueError(f"large: {x[0]:.2f}")
    except ValueError as error:
        print(error, f"<{error}>")
        raise RuntimeError(str(error)) from error
    return x


def test_what_was_raised_may_be_read(capsys):
    x = np.array([1.0, 2.0, 3.0])
    assert sg.compile(reads_what_was_raised)(x) == reads_what_was_raised(x)
    sg.testing.check_grads(reads_what_was_raised, (x,), order=1)
    for f in (raises_it_anew, sg.compile(raises_it_anew)):
        with pytest.raises(RuntimeError, match=r"large: 1\.00"):
            f(x)
        assert capsys.readouterr().out == "large: 1.00 <large: 1.00>\n"


def test_in_the_condition_of_a_loop():
    def f(x):
        y, rounds = float(x[0]), 0
        try:
            while 1.0 / y > 0.1:
                y += 1.5
                rounds += 1
        except ZeroDivisionError:
            return 5.0 * x[1] * rounds
        return y * x[1]

    for first in (1.0, 0.0, -3.0):
        x = np.array([first, 2.0])
        assert sg.compile(f)(x) == f(x)
    sg.testing.check_grads(f, (np.array([1.2, 2.0]),), order=1)

    def with_an_else(x):
        y = float(x[0])
        try:
            while 1.0 / y > 0.1:
                y += 1.5
            else:
                y *= 2
        except ZeroDivisionError:
            return 5.0
        return y

    with pytest.raises(UnsupportedSyntaxError, match="statement of its own"):
        sg.compile(with_an_else)(X)


def test_in_a_function_under_a_derivative():
    def inner(x):
        return x[2] ** 2

    def f(x):
        try:
            return np.sum(sg.grad(inner)(x))
        except IndexError:
            return 1.0

    with pytest.raises(UnsupportedSyntaxError, match="have the `try` in the function"):
        sg.compile(f)(LONG)


def test_what_is_known_to_succeed_is_not_tried_again():
    def f(x, k):
        y = np.zeros(3)
        try:
            y[0], y[-1] = x[k] * x[k], x[1]
            y[1] = x[k] + x[1]
        except IndexError:
            y[2] = x[0]
        return np.sum(y)

    alike(f, LONG, 1)
    alike(f, LONG, 9)
    assert str(sg.compile(f).lower(LONG, 1).ir).count("succeeds_index") == 2


def test_random_numbers_are_drawn_once():
    def f(seed, n):
        rng = np.random.default_rng(seed)
        try:
            with np.errstate(all="raise"):
                y = rng.standard_normal(n - 1)
        except (ValueError, FloatingPointError):
            return 0.0
        return np.sum(y) + rng.standard_normal()

    alike(f, 1, 3)


def test_what_cannot_be_tried():
    def f(x, k):
        stack = list(x)
        try:
            for _ in range(k):
                stack.pop()
        except IndexError:
            return -1.0
        return len(stack)

    with pytest.raises(UnsupportedSyntaxError, match="without doing it"):
        sg.compile(f)(LONG, 3)


def test_a_refusal_is_not_caught():
    def f(x):
        try:
            return np.no_such_function(x)
        except Exception:
            return x

    with pytest.raises(AttributeError, match="no_such_function"):
        sg.compile(f)(X)


def test_no_class():
    def f(x):
        try:
            return x * 2
        except 3:  # noqa: B030
            return x

    with pytest.raises(UnsupportedSyntaxError, match="`3` is no class of exceptions"):
        sg.compile(f)(X)


def test_an_index_that_is_known_not_to_fit():
    def caught(x):
        y = np.zeros(3)
        try:
            y[0] = 2 * x[0]
            y[5] = x[1]
        except IndexError:
            y[2] = x[1]
        return np.sum(y**2)

    def another(x):
        try:
            return x[5] * 2.0
        except ValueError:
            return x[0]

    alike(caught, X)
    check_grads(caught, (X,))
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        sg.compile(another)(X)


def test_an_except_stands_outside_of_what_the_body_is_in():
    def fun(x):
        try:
            with np.errstate(divide="ignore"):
                raise ValueError
        except ValueError:
            return np.sum(1 / x)

    with pytest.warns(RuntimeWarning, match="divide by zero"):
        sg.compile(fun)(np.zeros(2))
