"""Texts and ``print``: of numbers of both kinds, of containers of what is known and what is not."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import symgrad as sg
from tests.frontend.lowered import same

X = np.array([0.3, 1.2, -0.7, 2.0])
SETTINGS = {"a": np.int64(3), "b": [1, 2], "t": (np.float32(1.5),)}


class Color(enum.IntEnum):
    RED = 1


def known_numbers(x):
    n = np.int64(185)
    print((n,), [n, x[0]], {"k": n, "v": (x[1], 2)}, n)
    print(
        (np.float64(2.5),),
        (np.inf, -np.inf, np.nan),
        [np.float32(0.1)],
        (None, True, 1j, b"x"),
    )
    print(f"{n} {n!r} {(n,)}", "%s %r" % (n, n), "{}".format([n]), "%s" % ((n,),))  # noqa: UP031, UP032
    print(str((n, 1.0)), repr([np.True_]), str(n), repr(n), str([x[0]]), repr("a'b"))


def objects(x):
    print([Color.RED], Color.RED, {1}, [{1}], (x.dtype, int), [np.float64], [range(2)])
    print({np.int64(2): 1}, {(1, np.int64(2)): x[0]}, np.array([1, 2]), [np.zeros(2)])
    print(f"{[x.dtype, x.shape]}")


def from_outside(x):
    print(SETTINGS, [SETTINGS["a"]], SETTINGS["t"])
    print(f"{SETTINGS}", str(SETTINGS["t"]), repr(SETTINGS["a"]))


def lists(x):
    r, q, some = [], [], []
    for v in x:
        r.append(v)
        q.append(float(v))
        if v > 0:
            some.append(x[:2] * v)
    print(r, [q, 1])
    print(some)
    r.append(x[0])
    print(r)
    print(f"{q}")


def in_errors(x):
    raise ValueError("bad", (np.int64(3), x[0]), [v * 2 for v in x])


@pytest.mark.parametrize("f", [known_numbers, objects, from_outside, lists, in_errors])
def test_like_python(f, capsys):
    seen = []
    for g in (f, sg.compile(f)):
        try:
            result = g(X)
        except ValueError as error:
            result = error.args
        seen.append((result, capsys.readouterr().out))
    same(seen[1][0], seen[0][0])
    assert seen[1][1] == seen[0][1]
