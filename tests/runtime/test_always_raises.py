"""Functions that raise whatever they are given raise the same under every transform."""

import numpy as np
import pytest

import symgrad as sg

X = np.ones(2)


def refusing(x):
    raise ValueError("not this one")


def dividing(x):
    return x * (1 / 0)


TRANSFORMS = {
    "compile": lambda f: sg.compile(f)(X),
    "grad": lambda f: sg.grad(f)(X),
    "jvp": lambda f: sg.jvp(f, (X,), (X,)),
    "vjp": lambda f: sg.vjp(f, X),
    "linearize": lambda f: sg.linearize(f, X),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (refusing, ValueError, "not this one"),
        (dividing, ZeroDivisionError, "division by zero"),
    ],
    ids=["raise", "arithmetic"],
)
def test_the_same_error(name, f, error, text):
    with pytest.raises(error, match=text):
        TRANSFORMS[name](f)
