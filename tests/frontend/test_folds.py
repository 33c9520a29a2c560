"""``sum``, ``max``, ``min``, ``any``, ``all`` over what is long at run time; ``zip`` in step."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(3).normal(size=9)
CASES = [X, X[:2], np.array([1.0, np.nan, 2.0, -0.0, 0.0]), np.array([np.nan, 1.0])]


def squares(x):
    return sum(v * v for v in x)


def plain_sum(x):
    return sum(x), sum(x, 0.5)


def listed(x):
    total = 2.0
    return sum([v / total for v in x if v > 0], 1.0)


def nested(x):
    return sum(a * b for a in x for b in x[1:] if a < b)


def inner(x):
    return sum(sum(v * w for w in x) for v in x)


def extremes(x):
    return max(x), min(x), max(v * v for v in x), min(v - i for i, v in enumerate(x))


def quantifiers(x):
    return any(v > 1 for v in x), all(v > -9 for v in x), any(v != v for v in x)


def pairs(x):
    return sum(a * b for a, b in zip(x, x[::-1], strict=True))


def ranges(x):
    n = len(x)
    return sum(x[i] * i for i in range(1, n)), max(x[i] for i in range(n - 1, -1, -1))


@pytest.mark.parametrize(
    "f", [squares, plain_sum, listed, nested, inner, extremes, quantifiers, pairs, ranges]
)
@pytest.mark.parametrize("x", CASES, ids=["long", "short", "nan", "nan first"])
def test_bit_for_bit(f, x):
    alike(f, x, types=f is not nested and f is not listed)


def test_rounding_is_python_s():
    x = np.random.default_rng(1).normal(size=1000) * 10.0 ** np.arange(-5, 5).repeat(100)
    assert sum(x) != np.sum(x)
    assert sg.compile(plain_sum)(x) == plain_sum(x)


def test_rows():
    alike(lambda x: sum(x), np.arange(12.0).reshape(4, 3))
    alike(lambda x: sum(r * i for i, r in enumerate(x)), np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize("f", [squares, listed, nested, inner, pairs])
def test_gradients(f):
    check_grads(f, (X,))


def test_the_gradient_of_a_maximum():
    g = sg.grad(lambda x: max(v * v for v in x))(X)
    expected = np.zeros_like(X)
    expected[np.argmax(X**2)] = 2 * X[np.argmax(X**2)]
    np.testing.assert_array_equal(g, expected)


def test_one_specialisation():
    f = sg.compile(squares)
    for n in (2, 3, 5):
        assert f(X[:n]) == squares(X[:n])
    assert len(f._dispatch().specialisations) == 1


@pytest.mark.parametrize("f", [max, min])
def test_of_nothing(f):
    def call(x):
        return f(v for v in x)

    alike(call, np.zeros(0))


def test_the_sum_of_nothing_is_zero():
    assert sg.compile(squares)(np.zeros(0)) == 0


@pytest.mark.parametrize("lengths", [(4, 3), (3, 4), (3, 3), (0, 1), (2, 2)])
def test_zip_strict(lengths):
    def dot(x, y):
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total = total + a * b
        return total

    alike(dot, np.ones(lengths[0]), np.ones(lengths[1]))


def test_zip_strict_of_three():
    def dot(x, y, z):
        return sum(a * b * c for a, b, c in zip(x, y, z, strict=True))

    alike(dot, X, X, X[1:])
    alike(dot, X, X, X)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        sg.grad(dot)(X[1:], X, X)


def two_loops(x):
    return any(a > b for a in x for b in x)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (two_loops, "write"),
    ],
)
def test_refused(f, text):
    with pytest.raises(UnsupportedSyntaxError, match=text) as caught:
        sg.compile(f)(X)
    assert caught.value.lineno == f.__code__.co_firstlineno + 1
    assert "^" in str(caught.value)


def test_a_sum_of_arrays_over_no_elements_says_what_to_start_with():
    with pytest.raises(ValueError, match=r"at least once.* start with an array"):
        sg.compile(lambda x, n: sum(x[i] for i in range(n)))(np.eye(3), 0)


def orthonormal(v):
    basis = []
    for x in v.T:
        w = x - sum(np.dot(x, b) * b for b in basis)
        basis.append(w / np.linalg.norm(w))
    return np.sum(np.array(basis) * np.arange(6).reshape(2, 3))


def shifted(x, n):
    return x[0] + sum([np.sin(x[i]) for i in range(n)])


def other_precision(x, n):
    return x[0] + sum(x[i].astype(np.float32) for i in range(1, n))


def test_beside_an_array_a_sum_of_arrays_may_have_no_elements():
    x = np.random.default_rng(0).normal(size=(2, 3))
    alike(orthonormal, x.T)
    check_grads(orthonormal, (x.T,), order=1)
    for n in (0, 2):
        alike(shifted, x, n)
    alike(other_precision, x, 2)
    assert "raise" not in sg.compile(shifted).lower(x, 2).source
