"""A nested loop takes over what its outer loop may not have made yet."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads


def from_inner(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            t = x[i:]
            for _ in range(3):
                t = t * x[i]
                if t[0] < 0.4:
                    return t
            return t[1:]
    return x


def by_lengths(x):
    for i in range(len(x)):
        z = x[i:] * 2
        if z[0] > 1.0:
            for j in range(len(z)):
                w = z[j:] * x[: len(z) - j]
                if w[0] < 0.5:
                    return w * z[0]
            return z
    return x[:1] * 2


@pytest.mark.parametrize("function", [from_inner, by_lengths])
@pytest.mark.parametrize("x", [[0.1, 0.3, 0.7, 0.2], [0.9, 1.8], [0.1, 0.2]])
def test_early_returns_in_nested_loops(function, x):
    x = np.array(x)
    np.testing.assert_allclose(sg.compile(function)(x), function(x))
    check_grads(function, (x,), order=1)
    sg.jacfwd(function)(x)


def kept_and_replaced(x, w):
    b, s, kept = w * 1.0, x[0], []
    for _ in range(2):
        b[0] = x[1] * s
        b = b * x
        for _ in range(2):
            kept.append(b)
            if s > 0.5:
                b = np.sin(x) * s
            b *= np.cos(x)
            s = np.tanh(b @ w)
    return s + b.sum() + sum(k @ k for k in kept)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_array_handed_on_by_the_branch_that_leaves_it_undefined(sign):
    x, w = sign * np.array([0.7, -0.4, 0.9]), np.array([0.5, 1.1, -0.8])
    assert sg.compile(kept_and_replaced)(x, w) == kept_and_replaced(x, w)
    check_grads(kept_and_replaced, (x, w), order=1)
