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
    ],
)
def test_attributes_that_arrays_do_not_have(f, words):
    with pytest.raises(errors.UnsupportedFunctionError) as caught:
        sg.compile(f)(X)
    assert re.search(words, caught.value.message)


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
