"""Loops that are left, or whose rounds are cut short, on some ways of branches within branches."""

# ruff: noqa: RET507, RET508 (these ways of writing are what is tested)

from __future__ import annotations

import pytest

import symgrad as sg
from symgrad.testing import check_grads


def one_side_never_goes_on(s, n):
    total = 0.0
    for k in range(4):
        if k < n:
            if s > k * 0.3:
                continue
            break
        else:
            if s > 0.7:
                continue
            total += s
        total += 0.1
    return total


def neither_but_by_elif(s, n):
    total = 0.0
    for k in range(4):
        if k < n:
            if s > k * 0.3:
                continue
            else:
                break
        elif s > 0.7:
            continue
        total += 0.1 * s
    return total


def returned(s, n):
    total = 0.0
    k = 0
    while k < 4:
        k += 1
        if k > n:
            if s > k * 0.2:
                return total
            elif s > 0.3:
                break
            else:
                continue
        total += k * s
    return total * 2


def inner(s, n):
    total = 0.0
    for k in range(3):
        for j in range(3):
            if j < n:
                if s < 0.4:
                    continue
                break
            elif k == 1:
                continue
            total += s * j
        else:
            total += 1.0
    return total


FUNCTIONS = [one_side_never_goes_on, neither_but_by_elif, returned, inner]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_python(f):
    compiled = sg.compile(f)
    for n in (0, 1, 2, 4):
        for s in (0.9, 0.5, 0.2):
            assert compiled(s, n) == f(s, n), (s, n)
    check_grads(f, (0.5, 1), order=1)
