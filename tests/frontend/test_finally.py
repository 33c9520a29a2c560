"""``finally`` where NumPy or Python raises: it runs, sees the variables as they are then, and what
was raised goes on."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)
FINE, SINGULAR, NEGATIVE = np.eye(2) * 2.0, np.zeros((2, 2)), -np.eye(2)


def stores(x, a):
    try:
        x[0] = 5.0
        y = np.linalg.inv(a)
        x[1] = y[0, 0]
    finally:
        x[2] = 7.0
        x[3] += 1
    return np.sum(y) + x[4]


def restores(x, a):
    a[0, 0] += 1e-3
    try:
        lower = np.linalg.cholesky(a)
    finally:
        a[0, 0] -= 1e-3
    return lower @ x[:2]


def from_a_saved_copy(x, a):
    saved = x.copy()
    try:
        x *= 2
        x[0] = 0.0
        np.linalg.cholesky(a)
    finally:
        x[:] = saved
    return np.sum(x)


def in_a_loop(x, a):
    n = 0
    try:
        for i in range(len(x)):
            x[i] *= 2
            n += 1
            if i == 2:
                a = np.linalg.inv(a)
    finally:
        x[-1] = n
    return x


def tried_in_a_loop(x, a):
    for i in range(4):
        try:
            x[i] = 0.0
            a = np.linalg.inv(a)
        finally:
            x[5] += i + 1
    return x


def of_a_helper(x, a):
    def update(v):
        try:
            v[1] = np.linalg.cholesky(a)[0, 0]
        finally:
            v[2] = v[1] + 1

    try:
        update(x)
        update(x[2:])
    finally:
        x[0] = x[2] + x[3]
    return x


def python_raises(x, a):
    i = 0
    try:
        while True:
            x[i] = 1 / (float(x[i + 1]) - 0.5)
            i += 1
    finally:
        x[0] = i


def not_bound_yet(x, a):
    x[0] = 3.0
    try:
        y = np.linalg.inv(a)
        z = np.linalg.cholesky(a)
    finally:
        x[1] = y[0, 0]
    return z


def rebinds(x, a):
    w = x
    try:
        w = w * 3
        w[1] = 9.0
        b = np.linalg.cholesky(a)
        w = w * b[0, 0]
    finally:
        x[:] = w
    return x


def bound_on_one_branch(x, a):
    k = 1
    try:
        if x[0] > 0.1:
            k = 2
            a = np.linalg.inv(a)
        k = 3
    finally:
        x[1] = k
    return x


def raises_another(x, a):
    try:
        a = np.linalg.inv(a)
    finally:
        if x[0] > 0:
            raise KeyError("in the finally")
    return a


def raises_itself(x, a):
    try:
        if a[0, 0] <= 0:
            raise ValueError(f"no: {a[0, 0]}")
        if a[0, 0] > 1:
            raise ValueError("too large")
    finally:
        x[0] = 4.0
    return x


def with_settings(x, a):
    try:
        with np.errstate(divide="raise"):
            x[0] = 1 / np.sum(a)
            y = 1 / a[0]
    finally:
        x[1] = 2.0
    return y


FUNCTIONS = [
    stores, restores, from_a_saved_copy, in_a_loop, tried_in_a_loop, of_a_helper,
    python_raises, not_bound_yet, rebinds, bound_on_one_branch, raises_another, raises_itself,
    with_settings,
]  # fmt: skip


@pytest.mark.parametrize(
    "a", [FINE, SINGULAR, NEGATIVE], ids=["fine", "singular", "negative"]
)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_python(f, a):
    with np.errstate(all="ignore"):
        alike(f, X, a)


def prints(x, a):
    steps, seen = 0, {"last": 0.0}
    y = x * 2
    try:
        while steps < 3:
            steps += 1
            y[steps] = steps
            seen["last"] = y[steps] + x[0]
        y = y @ np.linalg.cholesky(a)
    finally:
        print("after", steps, y, seen["last"])
    return np.sum(y**2)


@pytest.mark.parametrize("a", [FINE, SINGULAR], ids=["fine", "singular"])
@pytest.mark.parametrize("transform", [sg.compile, sg.grad, sg.value_and_grad])
def test_prints(transform, a, capsys):
    x = np.append(X[:1], 1.0)

    def f(x, a):
        return prints(np.concatenate([x, x]), np.kron(np.eye(2), a))

    def outcome(g):
        try:
            g(x, a)
        except np.linalg.LinAlgError as error:
            print(repr(error))
        return capsys.readouterr().out

    assert outcome(transform(f)) == outcome(f) != ""


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian])
def test_a_derivative_leaves_the_arguments_alone(transform):
    def f(x, a):
        return np.sum(from_a_saved_copy(x, a) ** 2)

    for a, raised in ((FINE, False), (SINGULAR, True)):
        x = X.copy()
        if raised:
            with pytest.raises(np.linalg.LinAlgError):
                transform(f)(x, a)
        else:
            transform(f)(x, a)
        assert np.array_equal(x, X)


def test_gradients_through_it():
    check_grads(lambda x: np.sum(in_a_loop(x * 1.0, FINE) ** 2), (X,))
    check_grads(lambda x: np.sum(tried_in_a_loop(x * 1.0, FINE) ** 2), (X,))


def test_examples_of_a_batch():
    a = np.stack([FINE, FINE * 3])
    f = sg.vmap(lambda a: np.sum(restores(X.copy(), a)))
    assert np.array_equal(f(a), [np.sum(restores(X.copy(), b.copy())) for b in a])
    with pytest.raises(np.linalg.LinAlgError):
        f(np.stack([FINE, SINGULAR - 1.0]))


def test_what_exists_while_compiling_only():
    def f(x, a):
        def show():
            print(x)

        try:
            x = np.linalg.inv(a)
        finally:
            show()
        return x

    with pytest.raises(UnsupportedSyntaxError, match=r"reads `show`.*arrays and numbers"):
        sg.compile(f)(X, FINE)


def test_a_match_of_structures():
    def f(x, a, kind):
        try:
            a = np.linalg.inv(a)
        finally:
            match kind:
                case (1, *rest):
                    x[0] = len(rest)
        return a

    with pytest.raises(UnsupportedSyntaxError, match="this `match` in it"):
        sg.compile(f)(X, FINE, (1, 2))


def test_nonlocal():
    def f(x, a):
        n = 0

        def g():
            nonlocal n
            try:
                return np.linalg.inv(a)
            finally:
                n += 1
                print(n)

        return g() + n

    with pytest.raises(UnsupportedSyntaxError, match="nonlocal `n`"):
        sg.compile(f)(X, FINE)


class Counting:
    def __init__(self):
        self.calls, self.busy = 0, False

    def __call__(self, x, a):
        self.busy = True
        self.calls += 1
        try:
            return np.linalg.inv(a) @ x[:2]
        finally:
            self.busy = False
            self.calls += 10
            x[2] = 5.0


def test_attributes_are_assigned_at_the_end_or_not_at_all():
    counting, x = Counting(), X.copy()
    f = sg.compile(counting)
    f(x, FINE)
    assert (counting.calls, counting.busy) == (11, False)
    x = X.copy()
    with pytest.raises(np.linalg.LinAlgError):
        f(x, SINGULAR)
    assert (counting.calls, counting.busy, x[2]) == (11, False, 5.0)


def test_the_call_alone_may_raise():
    def f(x, a):
        np.linalg.cholesky(a)
        return np.sum(x)

    for g in (sg.compile(f), sg.grad(f)):
        g(X, FINE)
        with pytest.raises(np.linalg.LinAlgError):
            g(X, NEGATIVE)
