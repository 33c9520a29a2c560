"""Ranges with bounds that are known at run time only, under everything that Python does to them."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads


def lengths(x, n):
    return x * len(range(5, n)) + 10.0 * len(range(n, 3, -2)) + 0.1 * len(range(n))


def members(x, n):
    return x * (3 in range(1, n, 2)) + 2.0 * (n in range(5)) + 4.0 * (n not in range(n, 9))


def slices(x, k):
    s = 0.0
    for i in range(len(x))[::k]:
        s += x[i] * i
    r = range(len(x))
    s += x[r[-1]] * r[1] + r.stop - r.start + r.step
    if r[3:]:
        s *= 2
    for i in reversed(r[1:-1]):
        s = s * 0.5 + x[i] ** 2
    return s


def counts_down(x, a, b):
    s = x
    for i in range(a, b)[::-2]:
        s = s * 1.1 + i
    return s


@pytest.mark.parametrize("n", [-1, 0, 2, 3, 5, 9])
@pytest.mark.parametrize("f", [lengths, members], ids=lambda f: f.__name__)
def test_lengths_and_members(f, n):
    assert sg.compile(f)(2.0, n) == f(2.0, n)


@pytest.mark.parametrize("k", [-2, -1, 1, 3])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_items_and_slices(n, k):
    x = np.linspace(0.3, 1.7, n)
    assert sg.compile(slices)(x, k) == slices(x, k)
    check_grads(lambda x: slices(x, k), (x,), order=1)


@pytest.mark.parametrize("bounds", [(0, 5), (3, 4), (4, 3), (-2, 6)])
def test_a_part_counts_down(bounds):
    assert sg.compile(counts_down)(0.5, *bounds) == counts_down(0.5, *bounds)


def test_an_index_out_of_range_raises_as_in_python():
    def f(x, n, i):
        return x * range(n)[i]

    assert sg.compile(f)(2.0, 5, -5) == 0.0
    for i in (5, -6):
        with pytest.raises(IndexError, match="range object index out of range"):
            sg.compile(f)(2.0, 5, i)


class Body:
    def __init__(self, position, mass):
        self.position, self.mass, self.speed = position, mass, np.zeros(2)

    def pushed(self, other, dt):
        d = other.position - self.position
        self.speed = self.speed + dt * other.mass * d / (np.sum(d * d) + 0.1) ** 1.5


def bodies(positions, masses):
    all_of_them = [Body(positions[i], masses[i]) for i in range(len(positions))]
    for _ in range(2):
        for a in all_of_them:
            for b in all_of_them:
                if b is not a:
                    a.pushed(b, 0.1)
        for a in all_of_them:
            a.position = a.position + 0.1 * a.speed
    return sum(a.mass * np.dot(a.speed, a.speed) for a in all_of_them)


def by_name(x):
    parts = {}
    for i in range(len(x)):
        parts[f"p{i}"] = x[i] ** 2
    return sum(i * v for i, v in enumerate(parts.values()))


def test_lists_of_objects_and_dicts_are_made_for_the_lengths_of_the_call():
    for n in (2, 3):
        x, m = np.linspace(-1.0, 1.5, 2 * n).reshape(n, 2) ** 2, np.arange(1.0, n + 1)
        assert sg.compile(bodies)(x, m) == bodies(x, m)
        check_grads(bodies, (x, m), order=1)
        assert sg.compile(by_name)(m) == by_name(m)
        check_grads(by_name, (m,))


def halves(x):
    places = list(range(len(x)))
    half = len(places) // 2
    first, second = places[:half], places[half:]
    second.append(first.pop())
    return np.sum(x[first]) * x[second[-1]]


def test_a_list_of_a_range_is_one_line():
    compiled = sg.compile(lambda x: np.sum(x[list(range(1, len(x)))]))
    assert compiled(np.arange(4.0)) == 6
    assert "for" not in compiled.source
    x = np.linspace(0.1, 2, 5)
    assert sg.compile(halves)(x) == halves(x)
    check_grads(halves, (x,), order=1)


@pytest.mark.parametrize(
    "numbers", [range(2, -1, -1), range(5, 1, -2), range(-3, 2), range(3)]
)
def test_conditions_on_the_index(numbers):
    def f(s):
        total = 0.0
        for i in range(numbers.start, numbers.stop, numbers.step):
            if i > 1 or i < -1:
                continue
            if i < 1 and s > 0.5 or i >= 5:
                break
            total += (i + 2) * s
        return total + i * 0.1

    for s in (0.1, 0.9):
        assert sg.compile(f)(s) == f(s)
        check_grads(f, (s,), order=1)
