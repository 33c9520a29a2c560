"""Entries of dicts that branches and loops assign, as names are."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads

X = np.array([0.3, 0.8, 0.1, 0.6])


def counted(x, s):
    d = {"total": 0.0, "name": "sum", "n": 0}
    for i in range(len(x)):
        if x[i] > 0.25:
            d["total"] += x[i] * s
            d["n"] += 1
    return d["total"] * d["n"]


def on_one_branch(x, s):
    d = {"total": s, "last": (x[0], 1)}
    if x[1] > 0.5:
        d["total"] += x[0] * s
        d["last"] = (x[1] * x[1], 2)
    return d["total"] * d["last"][0] + d["last"][1]


def arrays(x, s):
    d = {"a": x * s, "b": np.sin(x), "inner": {"scale": 0.5}}
    for i in range(3):
        d["a"], d["b"] = d["b"], d["a"]
        if x[i] > 0.25:
            d["a"][i] *= d["inner"]["scale"]
            d["inner"]["scale"] = d["inner"]["scale"] * 0.9 + s
    return np.sum(d["a"] * x) - np.sum(d["b"] ** 2)


def until(x, s):
    d = {"a": x * 1.0, "step": s}
    while np.sum(d["a"]) < 10:
        d["a"] = d["a"] + d["step"]
        if np.sum(d["a"]) > 4:
            d["step"] = d["step"] * 1.25
    return np.sum(d["a"] * x) * d["step"]


@pytest.mark.parametrize(
    "f", [counted, on_one_branch, arrays, until], ids=lambda f: f.__name__
)
def test_entries_that_change(f):
    for x in (X, X[::-1].copy(), 0.2 * X):
        assert sg.compile(f)(x.copy(), 0.7) == f(x.copy(), 0.7)
    check_grads(f, (X, 0.7))


def test_loops_over_dicts_stay_loops():
    source = sg.grad(counted).lower(X, 0.7).source
    assert "for i in range" in source


def test_an_entry_that_is_there_on_one_branch_only_is_refused():
    def f(x):
        d = {}
        if x[0] > 0.5:
            d["k"] = x[1]
        return len(d)

    with pytest.raises(UnsupportedSyntaxError, match="changed in structure on one branch"):
        sg.compile(f)(X)


def viewed(x, s):
    d = {"a": x[0], "b": x[1]}
    kept = d.values(), d.items()
    total, names = 0.0, d.keys()
    for v in x:
        d["a"] = d["a"] * v
        total += sum(kept[0]) + ("c" in names)
    d["c"] = s
    return total + sum(v for _, v in kept[1]) + ("c" in names)


def test_views_show_what_the_dict_has_by_then():
    assert sg.compile(viewed)(X, 2.0) == viewed(X, 2.0)
    check_grads(viewed, (X, 2.0))
