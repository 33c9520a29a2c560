"""What people who come from JAX or autograd expect of the transforms, and what is refused: every
error is one of symgrad's and one of Python's."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors

X = np.array([0.3, -1.2, 2.0])
Pair = namedtuple("Pair", "a b")


def weighted(x: Any, y: Any) -> Any:
    """A sum."""
    return np.sum(x * y**2)


# ------------------------------------------------------------------------------ what is given
def test_which_gradients_come_how() -> None:
    one = sg.grad(weighted)(X, 2.0)
    np.testing.assert_array_equal(one, 4 + 0 * X)
    for numbers in ((0,), [0], (-2,)):
        found = sg.grad(weighted, numbers)(X, 2.0)
        assert type(found) is tuple
        np.testing.assert_array_equal(found[0], one)
    both = sg.grad(weighted, (1, 0))(X, 2.0)
    np.testing.assert_allclose(both[0], np.sum(X) * 4)
    by_keyword = sg.grad(weighted)(X, y=2.0)
    np.testing.assert_array_equal(by_keyword, one)


def test_gradients_have_the_arguments_structures() -> None:
    def f(p: Any) -> Any:
        return np.sum(p["z"] ** 2) + p["a"][0] * p["pair"].b

    p = {"z": X, "a": [2.0, None], "pair": Pair(1.0, 3.0)}
    g = sg.grad(f)(p)
    assert list(g) == ["z", "a", "pair"]
    np.testing.assert_allclose(g["z"], 2 * X)
    assert g["a"] == [3.0, None]
    assert g["pair"] == Pair(0.0, 2.0)


def test_what_is_not_used_has_a_gradient_of_zeros() -> None:
    g = sg.grad(lambda x, y: y * 2.0, (0, 1))(X, 1.0)
    np.testing.assert_array_equal(g[0], 0 * X)
    with pytest.warns(errors.ConstantOutputWarning):
        assert sg.grad(lambda x: 3.0)(2.0) == 0.0


def test_names_and_documentation_are_kept() -> None:
    g = sg.grad(weighted)
    assert g.__name__ == "weighted"
    assert g.__doc__ == "A sum."
    assert sg.vmap(weighted).__name__ == "weighted"


def test_jacobians_have_results_outside_and_arguments_inside() -> None:
    def f(p: Any) -> Any:
        return {"o": p["a"] * p["b"][0]}

    j = sg.jacrev(f)({"a": X[:2], "b": X})
    assert {k: v.shape for k, v in j["o"].items()} == {"a": (2, 2), "b": (2, 3)}
    h = sg.hessian(lambda p: np.sum(p["a"]) ** 2 * p["b"])({"a": X, "b": 2.0})
    assert h["a"]["a"].shape == (3, 3)
    assert h["b"]["a"].shape == (3,)


def test_pullbacks_give_tuples_and_can_be_called_again() -> None:
    out, pullback = sg.vjp(np.sin, 0.5)
    assert pullback(1.0) == pullback(1.0) == (np.cos(0.5),)
    assert out == np.sin(0.5)


# -------------------------------------------------------------------------------- what is not
def square(x: Any) -> Any:
    return np.sum(x**2)


def refused(call: Any, error: Any, builtin: Any, word: str) -> Any:
    return pytest.param(call, error, builtin, word, id=word)


E = errors
REFUSED = [
    refused(
        lambda: sg.grad(weighted, 5)(X, 1.0), E.ArgnumsError, TypeError, "2 positional"
    ),
    refused(lambda: sg.grad(weighted, "x"), E.ArgnumsError, TypeError, "must be an int"),
    refused(
        lambda: sg.grad(weighted, (0, 0)), E.ArgnumsError, TypeError, "names an argument tw"
    ),
    refused(lambda: sg.grad(weighted, (0, -2))(X, 1.0), E.ArgnumsError, TypeError, "twice"),
    refused(lambda: sg.grad(weighted, ()), E.ArgnumsError, TypeError, "argnums is empty"),
    refused(
        lambda: sg.grad(weighted, 1)(X, y=1.0), E.ArgnumsError, TypeError, "by keyword"
    ),
    refused(
        lambda: sg.grad(square, argnum=0), E.ArgnumsError, TypeError, "called `argnums`"
    ),
    refused(
        lambda: sg.grad(square, argnames="z")(X),
        E.ArgnumsError,
        TypeError,
        "argnames names `z`",
    ),
    refused(lambda: sg.grad(3), E.InputTypeError, TypeError, "needs a function, not int"),
    refused(lambda: sg.grad(square)(3), E.InputTypeError, TypeError, "is a Python int"),
    refused(lambda: sg.grad(square)(np.arange(3)), E.InputTypeError, TypeError, "is int64"),
    refused(lambda: sg.grad(square)("s"), E.InputTypeError, TypeError, "has no derivative"),
    refused(lambda: sg.jacrev(square)(np.arange(3)), E.InputTypeError, TypeError, "astype"),
    refused(
        lambda: sg.grad(np.sin)(X),
        E.NonScalarOutputError,
        TypeError,
        r"returned float64\[",
    ),
    refused(
        lambda: sg.grad(lambda x: x[:1])(X),
        E.NonScalarOutputError,
        TypeError,
        "sum it, or take its mean",
    ),
    refused(
        lambda: sg.grad(lambda x: (x, x))(1.0),
        E.NonScalarOutputError,
        TypeError,
        "return the value first and pass has_aux",
    ),
    refused(
        lambda: sg.grad(lambda x: {"a": x})(1.0),
        E.NonScalarOutputError,
        TypeError,
        "a dict",
    ),
    refused(
        lambda: sg.grad(lambda x: None)(1.0),
        E.NonScalarOutputError,
        TypeError,
        "returned None",
    ),
    refused(
        lambda: sg.grad(lambda x: len(x))(X),
        E.NonScalarOutputError,
        TypeError,
        "return a float",
    ),
    refused(
        lambda: sg.grad(lambda x: 1j * x)(1.0),
        E.NonScalarOutputError,
        TypeError,
        "real part",
    ),
    refused(
        lambda: sg.value_and_grad(lambda x: (x, x, x), has_aux=True)(1.0),
        E.AuxError,
        TypeError,
        "a tuple of 3",
    ),
    refused(
        lambda: sg.jvp(np.sin, X, (X,)), E.InputTypeError, TypeError, "has to be a tuple"
    ),
    refused(
        lambda: sg.jvp(np.sin, (X,), (X, X)),
        E.TreeStructureError,
        ValueError,
        "1 primals but 2 tangents",
    ),
    refused(lambda: sg.jvp(np.sin, (X,), (X[:2],)), E.ShapeError, ValueError, "tangent"),
    refused(
        lambda: sg.jvp(np.sin, (X,), (X.astype(np.float32),)),
        E.DTypeError,
        TypeError,
        "float32",
    ),
    refused(lambda: sg.vjp(np.sin, X)[1](X[:2]), E.ShapeError, ValueError, "cotangent"),
    refused(
        lambda: sg.vjp(np.sin, X)[1]((X,)), E.TreeStructureError, ValueError, "cotangent of"
    ),
    refused(
        lambda: sg.vjp(np.sin, X)[1](np.arange(3)),
        E.DTypeError,
        TypeError,
        "the dtype int64",
    ),
    refused(
        lambda: sg.autograd.grad(X, X),
        E.UnsupportedFunctionError,
        NotImplementedError,
        "compile",
    ),
    refused(
        lambda: sg.compile(lambda x, y: sg.autograd.grad(np.sum(x), y))(X, X),
        E.UnusedInputError,
        RuntimeError,
        "do not depend on input 0",
    ),
    refused(
        lambda: sg.compile(lambda x: sg.autograd.grad(x, x))(X),
        E.NonScalarOutputError,
        TypeError,
        "pass grad_outputs",
    ),
    refused(
        lambda: sg.vmap(lambda x, y: x + y)(X, X[:2]), E.ShapeError, ValueError, "has 2"
    ),
    refused(
        lambda: sg.vmap(square, in_axes=(0, 0))(X),
        E.TreeStructureError,
        ValueError,
        "2 entries",
    ),
    refused(lambda: sg.vmap(square)(1.0), E.InputTypeError, TypeError, "no axis 0"),
    refused(
        lambda: sg.vmap(square, in_axes="x"), E.InputTypeError, TypeError, "in_axes is made"
    ),
    refused(lambda: sg.hvp(square)(X[:2], X), E.ShapeError, ValueError, "vector"),
]


@pytest.mark.parametrize(("call", "error", "builtin", "word"), REFUSED)
def test_refused(call: Any, error: Any, builtin: Any, word: str) -> None:
    with pytest.raises(builtin, match=word) as caught:
        call()
    assert type(caught.value) is error


def test_negative_positions_count_the_arguments_that_are_given():
    def f(x, y, s=2.0, t=3.0):
        return x * x * y * s * t

    assert sg.grad(f, argnums=-1)(2.0, 5.0) == 24.0
    assert sg.grad(f, argnums=-1)(2.0, 5.0, 7.0) == 60.0
    assert sg.grad(f, argnums=-1)(2.0, y=5.0) == 120.0
    assert sg.grad(sg.grad(f, argnums=-2), argnums=-1)(2.0, 5.0) == 24.0
    assert sg.jacfwd(f, argnums=-2)(2.0, 5.0, t=1.0) == 40.0
