"""Dicts whose keys the data decides."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads

X = np.array([3.2, 1.3, 0.2, 3.9, 1.6])


def built(x):
    d = {}
    for v in x:
        d[int(v)] = v**2
    return d


def histogram(x):
    total = {}
    for v in x:
        k = int(v)
        total[k] = total.get(k, 0.0) + v**2
    return sum(t**2 for t in total.values())


def product_with_a_matrix(x):
    a = {}
    for t in range(len(x)):
        a[int(x[t]), t % 3] = x[t] * 2
    y = np.zeros(len(x))
    for (i, j), v in a.items():
        y[i] += v * x[j]
    return y


def cells(x):
    found = {}
    for v in x:
        k = (int(v // 1.0), int((2 * v) // 1.0))
        if k not in found:
            found[k] = np.zeros(2)
        found[k] = found[k] + np.array([v, v * v])
    return sum(np.sum(found[k] ** 2) * k[1] for k in found)


def neighbours(x):
    near = {}
    for i in range(len(x)):
        k = int(x[i])
        if k not in near:
            near[k] = []
        near[k].append(i)
    return sum(x[i] * x[j] for k in near for i in near[k] for j in near[k])


def known_and_not(x):
    d = {0: x[0], 1: x[1] * 2}
    for i in range(len(x)):
        d[int(x[i])] = x[i] ** 2
    d[1] *= d.setdefault(8, x[2])
    return d[0] + d[1] * 3 + d.get(9, 1.0)


def taken_out(x):
    d = {}
    for v in x:
        k = int(v)
        if k in d:
            d[k + 10] = d.pop(k) * v
        else:
            d[k] = v * 2
    d.pop(0, None)
    k, last = d.popitem()
    s = last * k
    for v in d.values():
        s = s * 0.5 + v
    return s + len(d)


def remembered(x):
    memo = {}

    def fib(n):
        if n < 2:
            return x[n]
        if n not in memo:
            memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    return fib(int(x[0]) + 4)


def shortest(x):
    far, done = {0: 0.0}, {}
    while True:
        best = -1
        for k in far:
            if k not in done and (best < 0 or far[k] < far[best]):
                best = k
        if best < 0:
            return sum(far.values())
        done[best] = True
        for step in (1, 2):
            j = (best * step + 1) % len(x)
            if j not in far or far[best] + x[j] * step < far[j]:
                far[j] = far[best] + x[j] * step


def of_floats(x):
    d = {int(v) * 0.5: v for v in x}
    d[-0.0] = x[0]
    s = 0.0
    for k, v in sorted(d.items()):
        s = s * 0.5 + k * v
    return s + max(d, key=d.get)


def counting(x):
    d = defaultdict(float)
    for k in x.astype(int):
        d[k] += 1.0
    return x * d[3]


def missing(x):
    d, s = built(x), 0.0
    for k in range(5):
        try:
            s += d[k] * k
        except KeyError:
            s += x[0]
    return s


def compared(x):
    d = built(x)
    e = d.copy()
    e[7] = x[0]
    return x[0] if d == built(x) and d != e and len(e) == len(d) + 1 else 2 * x[0]


def shares(x):
    total = {}
    for v in x:
        total[int(v)] = total.get(int(v), 0.0) + v * v
    whole = sum(total.values())
    part = {k: v / whole for k, v in total.items() if v > 0.1}
    return -sum(v * np.log(v) for v in part.values()) * len(part)


@pytest.mark.parametrize(
    "function",
    [
        *(product_with_a_matrix, cells, known_and_not, taken_out, remembered, shortest),
        *(of_floats, counting, missing, neighbours, shares),
    ],
)
def test_values_and_derivatives(function) -> None:
    np.testing.assert_array_equal(sg.compile(function)(X), function(X), strict=True)
    check_grads(function, (X,), order=1)


def test_a_dict_is_returned() -> None:
    found = sg.compile(built)(X)
    assert type(found) is dict
    assert list(found.items()) == list(built(X).items())


def test_the_code_is_one_for_all_lengths_and_names_what_it_keeps() -> None:
    compiled = sg.compile(histogram)
    source = compiled.lower(X).source
    assert "range(x.shape[0])" in source
    assert "total[k] = len(total)" in source
    assert "total_values.append(" in source
    assert compiled(X[:3]) == histogram(X[:3])


def test_many_examples_and_second_order() -> None:
    xs = np.stack([X, X[::-1]])
    np.testing.assert_array_equal(sg.vmap(histogram)(xs), [histogram(x) for x in xs])
    check_grads(histogram, (X[:3],), order=2)


def test_equal_dicts() -> None:
    assert sg.compile(compared)(X) == compared(X)


@pytest.mark.parametrize("key", [17, (1, 2)])
def test_key_errors_name_the_key(key) -> None:
    def f(x):
        d = {}
        for v in x:
            d[int(v) if isinstance(key, int) else (int(v), 0)] = v
        return d[key]

    with pytest.raises(KeyError) as error:
        sg.compile(f)(X)
    assert error.value.args == (key,)


def test_keys_that_are_no_numbers() -> None:
    def f(x):
        d = {"a": 1.0}
        for v in x:
            d[int(v)] = v
        return d["a"]

    with pytest.raises(UnsupportedSyntaxError, match="have to be numbers or tuples of num"):
        sg.compile(f)(X)
