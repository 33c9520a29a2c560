"""What is nearly right: refused with what to write instead."""

from __future__ import annotations

import collections
import decimal
import fractions
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from tests.frontend.outcomes import alike

X = np.arange(6.0) - 2.0


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (
            lambda x: {"w": x}.w,
            r"a dict has no attribute `w`; its entry is read by `\['w'\]`",
        ),
        (lambda x: {"w": x}.v, "a dict has no attribute `v`$"),
        (
            lambda x: [x, x].shape,
            r"a list has no attribute `shape`; np.array\(...\) makes an",
        ),
        (lambda x: [x].append_all, "a list has no attribute `append_all`$"),
        (lambda x: x(0), "an array .* is called, which is not a function"),
        (lambda x: x.summ(), "arrays have no attribute `summ`; near: sum"),
        (lambda x: x.transposed(), "no attribute `transposed`; near: transpose"),
        (lambda x: x.detach(), r"`detach`; `sg.stop_gradient\(x\)` takes a value"),
        (lambda x: x.unsqueeze(0), r"`unsqueeze`; write `np.expand_dims\(x, axis\)`"),
        (lambda x: x.qwertyuiop(), "arrays have no attribute `qwertyuiop`$"),
        (
            lambda x: float(x[0]).sum(),
            r"a Python float, .* no attribute `sum`; np.asarray\(...\) makes an array of it",
        ),
        (
            lambda x: len(x[x > 0]).reshape(1),
            "a Python int, which has no attribute `reshape`",
        ),
        (lambda x: (x.sum() * 1j).item().T, "a Python complex, .* no attribute `T`"),
        (lambda x: sum(k for k in range(len(x[x > 0]))).dtype, "a Python int, .* `dtype`"),
        (
            lambda x: bool(x[0] > 0).qwertyuiop,
            "a Python bool, .* no attribute `qwertyuiop`$",
        ),
    ],
)
def test_attributes_that_arrays_do_not_have(f, words):
    with pytest.raises(errors.UnsupportedFunctionError) as caught:
        sg.compile(f)(X)
    assert re.search(words, caught.value.message)


def test_attributes_that_numbers_do_not_have_are_asked_for_and_caught():
    def either(x, n):
        try:
            return n.sum()
        except AttributeError:
            return x.sum() if hasattr(x, "sum") and not hasattr(n, "sum") else 0.0

    assert sg.compile(either)(X, 3) == either(X, 3)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (fractions.Fraction(1, 3), r"is a fractions.Fraction; convert it with float\(\)"),
        (decimal.Decimal(3), r"is a decimal.Decimal; convert it with float\(\)"),
        (collections.deque([1.0]), "is a collections.deque; pass a list of its elements"),
        (zip([1.0], [2.0], strict=True), "is a builtins.zip; pass a list of its elements"),
        ((v for v in [1.0]), "is a builtins.generator; pass a list of its elements"),
    ],
    ids=["fraction", "decimal", "deque", "zip", "generator"],
)
def test_arguments_that_are_nearly_right(x, words):
    with pytest.raises(errors.InputTypeError, match=words):
        sg.compile(np.sum)(x)


def not_reached(x):
    return 3 + "a" if x[0] > 5 else x


def stored_before(x):
    x[0] = 9.0
    return 0.5 * "a"


def in_a_round(x):
    y = 0.5
    for i in range(3):
        x[i] = 2.0
        if i == 1:
            y[0]
    return x


def without_length(x):
    x[0] = 9.0
    return len(5) if x[1] > 0 else x


@pytest.mark.parametrize("f", [not_reached, stored_before, in_a_round, without_length])
def test_type_errors_are_raised_where_the_code_comes_to_them(f):
    """What has been stored by then stays; where nothing leads there, nothing is raised."""
    alike(f, X[3:])
