"""Lists in lists whose lengths or positions are known at run time only."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.7, 1.3, -0.4, 0.9, -1.2, 0.5])


def cells(x):
    head = [[] for _ in range(3)]
    for i in range(len(x)):
        head[int(abs(x[i]) * 4.7) % 3].append(i)
    e = 0.0
    for near in head:
        for i in near:
            for j in near:
                if i < j:
                    e += x[i] * x[j] ** 2
    return e


def records(x):
    todo = [[x, 0]]
    s = 0.0
    while todo:
        a, depth = todo.pop()
        s += np.sum(a**2) * depth
        if depth < 2 and a.size > 1:
            todo.append([a[: a.size // 2], depth + 1])
            todo.append([a[a.size // 2 :], depth + 1])
    return s


def rows_until(x):
    rows, t = [], 0.0
    while t < 2.0:
        row, v = [], x[0] + t
        while v > 0.11:
            row.append(v * x[1])
            v = v / 2
        rows.append(row)
        t += x[3]
    return sum(sum(r) * len(r) for r in rows) + len(rows[-1]), rows


def table(x):
    n, m = len(x), int(x[1]) + 4
    d = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        d[i][0] = i * x[0] ** 2
        for j in range(1, m + 1):
            near = min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
            d[i][j] = near + (x[i - 1] - x[(2 * j) % n]) ** 2
    return d[n][m] * d[1][m]


def known_by_its_place(x):
    rows = []
    for i in range(len(x)):
        row = []
        rows.append(row)
        for j in range(i):
            row.append(x[j] * x[i])
        row.append(x[i])
        rows[-1][0] = row[0] * 2
    best = rows[0]
    for r in rows:
        if len(r) > len(best):
            best = r
    best.append(x[0] ** 2)
    return sum(r[-1] * len(r) * r[0] for r in rows)


def every_change(x):
    rows = [[x[i], x[i] * 2] for i in range(int(abs(x[0])) + 3)]
    rows[0].extend([x[1], x[0]])
    rows[1].insert(0, x[2])
    v = rows[1].pop() * rows[0].pop(0)
    del rows[2][0]
    rows[0].reverse()
    for r in reversed(rows):
        r += [x[4]]
    s = sum(u * (i + 1) for r in rows for i, u in enumerate(r))
    others = [list(r) for r in rows]
    others[0][0] = x[5] ** 3
    last = rows.pop()
    return s * v + last[0] ** 2 + sum(others[0]) * (x[4] in rows[0]), rows == others, rows


def walk(x):
    n = len(x)
    near = [[] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j and x[i] * x[j] > 0:
                near[i].append((j, x[i] - x[j]))
    reached, far = [False] * n, [0.0] * n
    todo = deque([0])
    reached[0] = True
    while todo:
        u = todo.popleft()
        for w, step in near[u]:
            if not reached[w]:
                reached[w] = True
                far[w] = far[u] + step**2
                todo.append(w)
    return sum(far)


def arrays_in_lists(x):
    groups = [[] for _ in range(int(abs(x[0])) + 2)]
    for i in range(len(x)):
        groups[i % len(groups)].append(x[: i + 1] * x[i])
    return sum(np.sum(a**2) * len(r) for r in groups for a in r)


def three_deep(x):
    a = []
    for i in range(int(abs(x[0])) + 2):
        a.append([[x[k] * x[j] for k in range(j + 1)] for j in range(i + 1)])
    a[1][0].append(x[0])
    a[1][1][0] = x[2] ** 2
    return sum(sum(sum(c) ** 2 for c in b) for b in a)


def comprehension(x):
    n, k = int(abs(x[0])) + 2, int(abs(x[1])) + 1
    return np.array([[x[a] * x[b] for b in range(k)] for a in range(n)])


def paths(x):
    todo, s = [[]], 0.0
    while todo:
        p = todo.pop()
        if len(p) == 3:
            s += x[p[0]] * x[p[1]] ** 2 * x[p[2]] ** 3
            continue
        for k in range(3):
            if k not in p:
                todo.append([*p, k])
    return s


def kept_as_an_array(x):
    g = [[x[i] * j for j in range(len(x))] for i in range(len(x))]
    first = g[0]
    g[0][1] = x[2] ** 2
    for k in range(len(x)):
        row = g[k]
        row[k] = x[k] ** 3
    return sum(first) + sum(sum(q) * (i + 1) for i, q in enumerate(g))


def grows_in_its_loop(x):
    rows = [[x[i]] for i in range(int(abs(x[0])) + 3)]
    for r in rows[0]:
        if len(rows[0]) < 4:
            rows[0].append(r * x[1])
    return sum(sum(q) * (i + 1) for i, q in enumerate(rows))


def begun_anew(x):
    groups, row = [], []
    for v in x:
        if v > 0 and len(row) > 0:
            groups.append(row)
            row = []
        row.append(v * x[0])
    groups.append(row)
    if x[0] > 0:
        last = [x[0], x[1]]
    else:
        last = [x[2]]
    last.append(x[3] ** 2)
    return sum(sum(g) ** 2 for g in groups) + sum(last) * len(last), groups


def other_lengths(x):
    rows = [[x[i]] * (i + 1) for i in range(int(abs(x[0])) + 3)]
    parts = [x[: i + 1] for i in range(len(x))]
    s = 0.0
    for i in range(3):
        s += sum(rows[2]) * 0.1 + np.sum(parts[2] ** 2) * 0.1
        rows[2] = [x[0] * x[1], s]
        parts[2] = x[i:] * s
    return s + sum(sum(r) for r in rows) + np.sum(parts[2])


FUNCTIONS = [
    cells, records, rows_until, table, known_by_its_place, every_change, walk, arrays_in_lists,
    three_deep, comprehension, paths, kept_as_an_array, grows_in_its_loop,
    begun_anew, other_lengths,
]  # fmt: skip
TWICE = [other_lengths, rows_until, table, known_by_its_place]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    alike(f, X)

    def loss(x):
        r = f(x)
        return np.sum(np.sin(r[0] if isinstance(r, tuple) else r))

    check_grads(loss, (X,), order=2 if f in TWICE else 1)


def test_many_examples_and_directions() -> None:
    batch = np.stack([X, X * 1.01])
    assert np.allclose(
        sg.vmap(known_by_its_place)(batch), list(map(known_by_its_place, batch))
    )
    assert np.allclose(sg.jacfwd(comprehension)(X), sg.jacrev(comprehension)(X))
    g = sg.grad(arrays_in_lists)
    h = np.array([1e-6, 0, 0, 0, 0, 0])
    slope = (g(X + h) - g(X - h)) / 2e-6
    assert np.allclose(sg.hessian(arrays_in_lists)(X)[0], slope, atol=1e-6)


def test_a_store_costs_what_it_touches() -> None:
    source = sg.grad(table).lower(X).source
    assert "d[i][j] = " in source and "g_d[i][j] = np.float64(0.0)" in source
    assert "copy()" not in source


def again_and_again(x):
    row, rows = [0.0], []
    for v in x:
        row.append(v)
        rows.append(row)
    return len(rows)


def by_two_names(x):
    row, t = [x[0]], 0.0
    rows = [row]
    while t < x[1]:
        rows.append([t])
        row.append(t)
        t += 0.4
    return len(rows[0])


def until_the_next_is_begun(x):
    row, t = [x[0]], 0.0
    rows = [row]
    while t < x[1]:
        row.append(t)
        rows.append([t])
        row = []
        t += 0.4
    return len(rows[0])


def one_list_or_another(x):
    a = [x[0]]
    b = a
    for v in x:
        if v > 0:
            a = []
        a.append(v)
    return len(b)


def many_times(x):
    g = [[0.0] * 2] * (int(abs(x[0])) + 3)
    g[0][1] = x[0]
    return g


def moved_away(x):
    rows = [[x[i]] for i in range(int(abs(x[0])) + 3)]
    top = rows[-1]
    rows.pop()
    top.append(x[1])
    return rows


def in_two_lists(x):
    rows = [[x[i]] for i in range(int(abs(x[0])) + 3)]
    rows[1:][0].append(x[1])
    return rows


def changed_behind_a_slice(x):
    rows = [[x[i]] for i in range(int(abs(x[0])) + 3)]
    some = rows[:]
    rows[0].append(x[1])
    return len(some[0])


def put_elsewhere(x):
    rows = [[x[i]] for i in range(int(abs(x[0])) + 3)]
    rows.append(rows[0])
    return rows


def record_changed(x):
    st = [[x[0], 1]]
    for i in range(int(abs(x[0])) + 3):
        st.append([x[i], i])
    st[-1][0] = x[2]
    return st[0][0]


def of_dicts(x):
    rows = []
    while len(rows) < x[1]:
        rows.append({"a": x[0]})
    return len(rows)


REFUSED = [
    (again_and_again, "known by another name"),
    (by_two_names, "known by another name"),
    (until_the_next_is_begun, "known by another name"),
    (one_list_or_another, "may or may not be the same object"),
    (many_times, "put a copy there"),
    (moved_away, "taken out of a list in which others"),
    (in_two_lists, "are in another list, too"),
    (changed_behind_a_slice, "copies of them there"),
    (put_elsewhere, "in another list already"),
    (record_changed, "in a list whose length is known at run time only"),
    (of_dicts, "a list of dicts or objects"),
]


@pytest.mark.parametrize(("f", "word"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_refused(f, word):
    with pytest.raises(errors.SymgradError, match=word) as caught:
        sg.compile(f)(X)
    assert caught.value.filename == __file__
    assert "^" in str(caught.value)
