"""``collections.deque`` and ``collections.defaultdict`` in compiled functions."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError
from symgrad.testing import check_grads

X = np.array([0.5, 1.0, 2.0, 4.0, 3.0])


def window(x: Any) -> Any:
    last: Any = deque(maxlen=3)
    out = []
    for v in x:
        last.append(v)
        out.append(sum(last) / len(last) * last[0])
    return np.array(out) @ x


def window_in_numpy(x: Any) -> Any:
    last: Any = deque(maxlen=2)
    total = 0.0
    for i in range(5):
        last.appendleft(x[i])
        total = total + np.mean(last) * last[-1]
    return total


def queue(x: Any) -> Any:
    waiting = deque([x[0] * 1.1])
    total = 0.0
    while waiting:
        v = waiting.popleft()
        total += v * v
        if v < 3.0:
            waiting.append(v * 2)
            waiting.append(v * 3)
    return total


def both_ends(x: Any) -> Any:
    d = deque(x[:3].tolist())
    d.appendleft(x[3])
    d.rotate(1)
    d.rotate(-2)
    d.extend([x[4]])
    d.extendleft([x[0], x[1]])
    d.insert(1, x[2])
    d.reverse()
    d[0] = d[0] * 2
    del d[2]
    a, *b = d
    c = d.copy()
    d.clear()
    return (
        a * c.pop()
        + sum(b)
        + np.array(c) @ np.arange(len(c))
        + len(d)
        + isinstance(c, deque)
    )


def groups(x: Any) -> Any:
    d = defaultdict(list)
    for i, v in enumerate(x):
        d[i % 2].append(v)
    return sum(np.prod(v) * k for k, v in d.items())


def sums(x: Any) -> Any:
    d: Any = defaultdict(lambda: 1.0, odd=2.0)
    for i, v in enumerate(x):
        d["odd" if i % 2 else "even"] += v * v
    del d["odd"]
    d.update(more=x[0])
    return (
        d["odd"] * d["even"] + len(d) + ("odd" in d) + sum(d.values()) + d.get("none", 1.0)
    )


def nested(x: Any) -> Any:
    d: Any = defaultdict(lambda: defaultdict(float))
    for i in range(3):
        for j in range(2):
            d[i][j] += x[i] * x[j]
    return sum(v * (i + 1) for i, row in d.items() for v in row.values())


@pytest.mark.parametrize(
    "f", [window, window_in_numpy, queue, both_ends, groups, sums, nested]
)
def test_as_in_python(f: Any) -> None:
    assert sg.compile(f)(X) == f(X)
    check_grads(f, (X,), order=1)


def test_returned() -> None:
    def f(x: Any) -> Any:
        last = deque(x, maxlen=3)
        counts = defaultdict(int)
        counts["n"] += 2
        return last, counts

    assert sg.compile(f)(X) == f(X)
    last, counts = sg.compile(f)(X)
    assert last.maxlen == 3 and type(counts) is defaultdict and counts["other"] == 0

    def with_a_function(x: Any) -> Any:
        return defaultdict(lambda: x)

    with pytest.raises(UnsupportedSyntaxError, match="return its elements"):
        sg.compile(with_a_function)(X)


def test_what_python_raises() -> None:
    def full(x: Any) -> Any:
        d = deque(x[:2].tolist(), maxlen=2)
        d.insert(0, x[2])

    with pytest.raises(IndexError, match="maximum size"):
        sg.compile(full)(X)
    with pytest.raises(KeyError):
        sg.compile(lambda x: defaultdict()["missing"])(X)
