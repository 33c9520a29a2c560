"""``bisect`` and ``heapq`` in compiled functions."""

from __future__ import annotations

import bisect
import heapq
from typing import Any

import numpy as np
import pytest

from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([0.3, -1.2, 2.0, 0.7, 1.1, -0.4])


def interpolated(x: Any) -> Any:
    grid = np.linspace(0, 3, 7)
    heights = np.sin(grid) * x[1]
    i = bisect.bisect_right(grid, x[2] - 0.2) - 1
    w = (x[2] - 0.2 - grid[i]) / (grid[i + 1] - grid[i])
    return heights[i] * (1 - w) + heights[i + 1] * w


def keyed(x: Any) -> Any:
    i = bisect.bisect_left([4, 3, 1], x[0] - 3, key=lambda v: -v)
    return i * x[0] + bisect.bisect(sorted(x), 0.5, 2, 5)


def sorted_on_the_way(x: Any) -> Any:
    kept: list[Any] = []
    for v in x:
        bisect.insort(kept, v)
    bisect.insort_left(kept, x[0] * 2, key=lambda v: v)
    return sum(i * v for i, v in enumerate(kept))


def popped(x: Any) -> Any:
    heap: list[Any] = []
    for v in x:
        heapq.heappush(heap, v * v)
    first = heapq.heappop(heap)
    second = heapq.heapreplace(heap, x[2] * 3)
    return first + 2 * second + 3 * heapq.heappushpop(heap, x[3]), heap


def in_place(x: Any) -> Any:
    heap = list(x)
    heapq.heapify(heap)
    return heap, heapq.nlargest(2, x), heapq.nsmallest(3, x, key=lambda v: -v)


def shortest(x: Any) -> Any:
    edges = [(0, 1, 0), (0, 2, 2), (1, 2, 3)]
    distance = [0.0, np.inf, np.inf]
    waiting = [(0.0, 0)]
    while waiting:
        d, u = heapq.heappop(waiting)
        for start, end, weight in edges:
            if start == u and d + x[weight] ** 2 < distance[end]:
                distance[end] = d + x[weight] ** 2
                heapq.heappush(waiting, (distance[end], end))
    return distance[2]


FUNCTIONS = [interpolated, keyed, sorted_on_the_way, popped, in_place, shortest]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values(f: Any) -> None:
    alike(f, X)


@pytest.mark.parametrize("f", [interpolated, sorted_on_the_way, shortest])
def test_gradients(f: Any) -> None:
    check_grads(f, (X,), order=1)


def test_a_place_before_the_first_is_refused_as_in_python() -> None:
    alike(lambda x: bisect.bisect(x, 0.5, -1), X)
