"""The verbs' arguments, and each error that they lead to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    ArgnumsError,
    AuxError,
    InputTypeError,
    NonScalarOutputError,
    SymgradError,
)


def product(x: Any, y: Any) -> Any:
    return np.sum(x * y)


X, Y = np.array([1.0, 2.0]), np.array([3.0, 4.0])


def test_argnums_and_argnames() -> None:
    np.testing.assert_array_equal(sg.grad(product)(X, Y), Y)
    np.testing.assert_array_equal(sg.grad(product, 1)(X, Y), X)
    np.testing.assert_array_equal(sg.grad(product, -1)(X, Y), X)
    [g] = sg.grad(product, (1,))(X, Y)
    np.testing.assert_array_equal(g, X)
    g_y, g_x = sg.grad(product, (1, 0))(X, Y)
    np.testing.assert_array_equal(g_y, X)
    np.testing.assert_array_equal(g_x, Y)
    np.testing.assert_array_equal(sg.grad(product, argnames="y")(X, Y), X)
    np.testing.assert_array_equal(sg.grad(product, argnames="y")(X, y=Y), X)


def test_has_aux() -> None:
    def f(x: Any) -> Any:
        h = x * x
        return np.sum(h), {"h": h}

    g, aux = sg.grad(f, has_aux=True)(X)
    np.testing.assert_array_equal(g, 2 * X)
    np.testing.assert_array_equal(aux["h"], X * X)
    (value, aux), g = sg.value_and_grad(f, has_aux=True)(X)
    assert value == 5
    np.testing.assert_array_equal(aux["h"], X * X)
    np.testing.assert_array_equal(g, 2 * X)


def test_as_decorators() -> None:
    @sg.compile
    def f(x: Any) -> Any:
        return np.sum(x)

    @sg.compile(debug=True, name="other")
    def g(x: Any) -> Any:
        return np.sum(x)

    @sg.grad
    def h(x: Any) -> Any:
        return np.sum(x)

    assert f(X) == g(X) == 3
    np.testing.assert_array_equal(h(X), [1, 1])
    assert g.source.startswith("def other(")


def test_source_given_as_text() -> None:
    scope: dict[str, Any] = {"np": np}
    text = "def f(x):\n    return np.sum(x * x)\n"
    exec(text, scope)
    f = sg.compile(scope["f"], source=text)
    np.testing.assert_array_equal(sg.grad(f)(X), 2 * X)
    assert f.original_source == text


def test_derivatives_nest() -> None:
    cube = sg.grad(sg.grad(lambda x: x**3))
    assert cube(2.0) == pytest.approx(12.0)
    third = sg.grad(cube)
    assert third(2.0) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"argnums": "x"}, "argnums must be an int or a tuple of ints, not 'x'"),
        ({"argnums": True}, "argnums must be an int or a tuple of ints, not True"),
        ({"argnums": 1.0}, "argnums must be an int"),
        ({"argnums": (0, 1.5)}, "argnums must be an int"),
        ({"argnums": (0, 0)}, "names an argument twice"),
        ({"argnums": ()}, "argnums is empty"),
        ({"argnames": ("x", "x")}, "names an argument twice"),
        ({"argnames": 3}, "argnames must be a name"),
        ({"argnums": 1, "argnames": "x"}, "takes argnums or argnames, not both"),
        ({"argnums": (0,), "argnames": "x"}, "takes argnums or argnames, not both"),
        ({"argnum": 1}, "no argument `argnum`; it is called `argnums`"),
    ],
)
def test_wrong_options(options: Any, text: str) -> None:
    with pytest.raises(ArgnumsError, match=text):
        sg.grad(product, **options)


def test_argnums_that_do_not_fit_the_call() -> None:
    with pytest.raises(
        ArgnumsError, match=r"argnums=2 but the call .* has 2 positional arg"
    ):
        sg.grad(product, 2)(X, Y)
    with pytest.raises(ArgnumsError, match=r"argument 1 \(`y`\) .* passed by keyword"):
        sg.grad(product, 1)(X, y=Y)
    with pytest.raises(ArgnumsError, match="nope"):
        sg.grad(product, argnames="nope")(X, Y)


def test_arguments_that_cannot_be_differentiated() -> None:
    with pytest.raises(InputTypeError, match=r"`x`.*int64"):
        sg.grad(product)(np.array([1, 2]), Y)
    with pytest.raises(InputTypeError, match="`x`"):
        sg.grad(lambda x: x * 2.0)(3)
    with pytest.raises(InputTypeError, match="`x`"):
        sg.grad(product)(np.array(["a"]), Y)
    with pytest.raises(InputTypeError, match="`compile` needs a function, not int"):
        sg.compile(3)  # type: ignore[call-overload]
    for kind in (sg.jacrev, sg.jacfwd, sg.hessian):
        with pytest.raises(InputTypeError, match=r"int64; convert with astype\(float\)\n"):
            kind(product)(np.array([1, 2]), Y)
    zero = sg.grad(product, allow_int=True)(np.array([1, 2]), Y)
    np.testing.assert_array_equal(zero, [0, 0])


def none(x: Any) -> Any:
    x * 2


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x * 2, r"float64\["),
        (lambda x: (np.sum(x), np.sum(x)), "tuple"),
        (lambda x: {"loss": np.sum(x)}, "dict"),
        (none, "None"),
        (lambda x: x.size, "int"),
        (lambda x: np.sum(x) * 1j, "complex"),
    ],
)
def test_results_that_are_no_real_number(function: Any, text: str) -> None:
    with pytest.raises(NonScalarOutputError, match=text):
        sg.grad(function)(X)


def test_aux_that_is_no_pair() -> None:
    with pytest.raises(AuxError, match="aux"):
        sg.grad(product, has_aux=True)(X, Y)
    with pytest.raises(AuxError, match="3"):
        sg.grad(lambda x: (np.sum(x), x, x), has_aux=True)(X)


def test_every_error_is_symgrads_and_a_builtin() -> None:
    with pytest.raises(TypeError) as caught:
        sg.grad(product, argnum=1)
    assert isinstance(caught.value, SymgradError)


def test_names_of_generated_functions() -> None:
    with pytest.raises(InputTypeError, match="name='a b' cannot be a function's name"):
        sg.compile(product, name="a b")


def test_static_options_that_do_not_fit() -> None:
    with pytest.raises(
        ArgnumsError, match="static_argnums names argument 5, but there are 2"
    ):
        sg.compile(product, static_argnums=5)(X, Y)
    with pytest.raises(ArgnumsError, match="static_argnames: there is no argument `q`"):
        sg.compile(product, static_argnames="q")(X, Y)
