"""Arrays of which the running code says which one they are."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)
Y = np.random.default_rng(1).uniform(0.2, 1.0, 6)


def selected(x, y):
    if x[0] > 0.1:
        w = x
    else:
        w = y
    w[1:] = w[:-1] * 2
    x[0] = 3.0
    return w * x[0]


def views(x, y):
    w = x[::-1] if x[0] > 2 else y[1:]
    w *= 2
    y[2] = w[1]
    return np.sum(w) + np.sum(y)


def in_a_loop(x, y):
    s = 0.0
    for i in range(len(x)):
        w = x if x[i] > 0.5 else y
        w[i] += 1.0
        s = s + w[0]
    return s


def one_is_fresh(x, y):
    a = np.zeros_like(x)
    w = a if x[0] > 0.1 else y
    w[2] = x[1] * 3
    return a + y


def _update(w):
    w[0] = w[1] * w[2]


def by_a_helper(x, y):
    w = x if x[0] > 0.1 else y
    _update(w)
    v = w[1:]
    v[0] = 5.0
    return w + x


def only_read(x, y):
    w = x if x[0] > 0.1 else y
    return np.dot(w, w)


def from_a_dict(x, y):
    d = {"a": x, "b": y}
    k = d["a"] if x[0] > 0.1 else d["b"]
    k[:] = 0.5
    return d["a"] * 2 + d["b"]


def written_and_kept(x, y):
    w = y if x[0] > 0.1 else x * 2
    w[1] = 7.0
    return x + y * 2, w


def two_at_once(x, y):
    a, b = (x, y) if np.sum(x) > 0 else (y, x)
    a += 1
    b *= 2
    return np.sum(x)


def swapped(x, y):
    u, v = x, y
    for i in range(len(x)):
        u[i] = v[i] * 2
        u, v = v, u
    return u + v * 2


def until_large(x, y):
    u, v = x, y
    k = 0
    while np.sum(u) < 20 and k < 30:
        v[1:-1] = 0.5 * (u[2:] + u[:-2]) + 1
        u, v = v, u
        k += 1
    return u, k


def three_turn(x, y):
    a, b, c = x, y, x * 2
    for i in range(len(x)):
        a[i] = b[i] * c[i]
        a, b, c = b, c, a
    return a + 2 * b + 3 * c


def swapped_sometimes(x, y):
    u, v = x, y
    for i in range(len(x)):
        if v[i] > 0.5:
            u, v = v, u
        u[i] += v[0]
    return np.sum(u)


def in_the_outer_loop(x, y):
    u, v = x, y
    for _ in range(3):
        for i in range(len(x) - 1):
            v[i] = u[i + 1] * 0.5
        u, v = v, u
    return u


def the_best(x, y):
    best = x
    for i in range(len(x)):
        if y[i] > 0.6:
            best = y
        best[i] = best[i] * 2
    return x - y


def nested(x, y):
    w = (x if x[1] > 0.5 else y) if x[0] > 0.5 else (y[::-1] if y[0] > 0.5 else x * 2)
    w[0] = 3.0 * x[1]
    v = w[1:]
    v += 1
    x[2] = 5.0 * y[0]
    return w * 1.0 + x


def nested_in_a_loop(x, y):
    for i in range(len(x)):
        if x[i] > 0.7:
            w = x
        elif y[i] > 0.5:
            w = y
        else:
            w = x + y
        w[i] += 1.0
        w *= 1.1
    return x * y


def two_nested(x, y):
    if x[0] > 0.5:
        if y[0] > 0.5:
            u, v = x, y
        else:
            u, v = y, x
    else:
        u, v = x[::-1], y * 2
    u[1:] += v[:-1]
    v[0] = u[2] * 3
    return u * v


def returned_by_a_helper(x, y):
    def chosen(a, b):
        if a[0] > 0.7:
            return a
        if b[0] > 0.9:
            return b
        return a + b

    w = chosen(x, y)
    w[:2] = 3.0 * w[2:4]
    z = chosen(w, x)
    z[0] = 9.0 * z[1]
    return z + w


def rows_kept(x, y):
    a = np.stack([x, y, x * y])
    before = a[0]
    for i in range(1, len(x) // 2):
        row = a[i]
        row += before
        before[0] = row[1]
        before = row
    return a[0] + a[1] * before


def best_row(x, y):
    a = np.stack([x, y, x * y])
    best = a[0]
    for i in range(1, len(a)):
        if a[i, 0] > best[0]:
            best = a[i]
    best[1] = 9.0 * best[0]
    for r in a:
        best = r
    best[0] = 5.0 * a[0, 0]
    return a[0] + a[1] * a[2]


def in_a_tuple(x, y):
    s = (x, y)
    b = [x * 2, y]
    for _ in range(len(x)):
        u, v = s
        v[1:] = u[:-1] * 1.5
        s = (v, u)
        b[1][1:] = b[0][:-1] * 1.1
        b.reverse()
    return s[0] * b[0] + b[1]


def left_early(x, y):
    for i in range(len(x)):
        if y[i] > 0.8:
            x[i] = -1.0
            return x[i:]
        x[i] *= y[i]
    return x[:3]


def left_with_both(x, y):
    for i in range(len(x)):
        if y[i] > 0.8:
            return x, y
        x[i] *= y[i]
    y[0] = x[1]
    return x, y


def chosen_in_a_branch(x, y):
    w = y[::-1]
    for _ in range(3):
        w, x = x, w
    if y[0] > 0.1:
        y, w, x = w, x, y
        for i in range(len(y)):
            if y[i] < 0.4:
                y[i] = 0.5
                continue
            if i > 3:
                break
            y[i] *= 1.5
    return w * x


FUNCTIONS = [
    selected, views, in_a_loop, one_is_fresh, by_a_helper, only_read, from_a_dict,
    written_and_kept, two_at_once, swapped, until_large, three_turn, swapped_sometimes,
    in_the_outer_loop, the_best, nested, nested_in_a_loop, two_nested, returned_by_a_helper,
    rows_kept, best_row, in_a_tuple, left_with_both, chosen_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_changes_and_gradients(f):
    alike(f, X, Y)

    def loss(x, y):
        r = f(x.copy(), y.copy())
        if isinstance(r, tuple):
            return np.sum(np.sin(r[0])) + np.sum(r[1])
        return np.sum(np.sin(r))

    check_grads(loss, (X, Y), order=1)


def test_a_view_returned_early():
    alike(left_early, X, Y)
    mine = X.copy()
    assert np.shares_memory(sg.compile(left_early)(mine, Y), mine)


def of_lengths(x, y):
    w = x if x[0] > 2 else y[1:]
    w += 1.0
    return np.sum(w) * x[0]


def test_lengths_may_differ():
    alike(of_lengths, X, Y)
    check_grads(lambda x, y: of_lengths(x, y.copy()), (X, Y[:4]), order=1)


def test_nothing_is_selected_where_nothing_is_written():
    source = sg.compile(only_read).lower(X, Y).source
    assert source.count("    if ") == 1


def fresh_in_turn(x, y):
    w = x
    for i in range(len(x)):
        w[0] = 1.0
        w = y if x[i] > 0.5 else w * 2
    return w


def test_refused():
    with pytest.raises(errors.AliasError, match="may or may not be the caller's") as caught:
        sg.compile(fresh_in_turn)(X.copy(), Y)
    assert caught.value.filename == __file__
