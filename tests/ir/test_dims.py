"""Lengths: what is equal has one form, and forms say what they should."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import pytest

from symgrad.ir.dims import Call, Dim, at_least, maximum, minimum, symbol

N, K = symbol("n"), symbol("k")
FUNCTIONS: dict[str, Callable[..., int]] = {
    "max": max,
    "min": min,
    "floordiv": operator.floordiv,
}


def value(d: Any, env: dict[str, int]) -> int:
    """A length for lengths of the symbols."""
    if isinstance(d, int):
        return d
    total = 0
    for monomial, coefficient in d.terms:
        product = coefficient
        for atom in monomial:
            if isinstance(atom, Call):
                product *= FUNCTIONS[atom.function](*(value(a, env) for a in atom.args))
            else:
                product *= env[atom.name]
        total += product
    return total


@pytest.mark.parametrize("k", [1, 3, K, N // 2])
def test_the_parts_of_a_length_make_up_the_whole(k: Any) -> None:
    first, rest = minimum(k, N), maximum(0, N - k)
    assert first + rest == N
    assert N - rest == first
    assert N - first == rest
    assert 2 * N - first - rest == N
    assert at_least(N, rest) and at_least(N, first)
    assert minimum(rest, N) == rest


def test_forms_of_random_lengths() -> None:
    draw = random.Random(0)
    operations: list[tuple[Any, Callable[[int, int], int]]] = [
        (lambda a, b: a + b, operator.add),
        (lambda a, b: a - b, operator.sub),
        (lambda a, b: a * 2, lambda a, b: 2 * a),
        (minimum, min),
        (lambda a, b: maximum(0, a), lambda a, b: max(0, a)),
    ]
    envs = [{"n": n, "k": k} for n in (0, 2, 5) for k in (0, 1, 4)]
    for _ in range(1000):
        made: list[tuple[Any, list[int]]] = [
            (x, [value(x, e) for e in envs]) for x in (N, K, 1, 3)
        ]
        for _ in range(6):
            (a, xs), (b, ys) = draw.choice(made), draw.choice(made)
            form, number = draw.choice(operations)
            made.append((form(a, b), [number(x, y) for x, y in zip(xs, ys, strict=True)]))
        for d, numbers in made:
            assert [value(d, e) for e in envs] == numbers
            assert isinstance(d, int | Dim)
            assert not at_least(d, 0) or min(numbers) >= 0
