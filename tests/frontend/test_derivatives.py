"""``grad`` and ``value_and_grad``: which arguments, which structure, which refusals."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    AliasError,
    ArgnumsError,
    AuxError,
    InputTypeError,
    NonScalarOutputError,
    UnsupportedSyntaxError,
)

X = np.array([1.0, 2.0, 3.0])
Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    w: np.ndarray
    b: float
    kind: str = "tanh"


def squares(x, y=2.0):
    return np.sum(x * x) * y


def with_aux(x):
    return np.sum(x**2), {"twice": 2 * x, "name": "aux"}


def test_one_argument():
    np.testing.assert_allclose(sg.grad(squares)(X), 4 * X)
    value, g = sg.value_and_grad(squares)(X, 3.0)
    assert value == 42.0
    np.testing.assert_allclose(g, 6 * X)


def test_several_arguments():
    g_x, g_y = sg.grad(squares, argnums=(0, 1))(X, 3.0)
    np.testing.assert_allclose(g_x, 6 * X)
    assert g_y == 14.0
    g_y, g_x = sg.grad(squares, argnums=(-1, 0))(X, 3.0)
    assert g_y == 14.0


def test_by_name():
    assert sg.grad(squares, argnames="y")(X, 3.0) == 14.0
    assert sg.grad(squares, argnames="y")(X, y=3.0) == 14.0
    [g_y] = sg.grad(squares, argnames=("y",))(X, y=3.0)
    assert g_y == 14.0


def test_aux():
    g, aux = sg.grad(with_aux, has_aux=True)(X)
    np.testing.assert_allclose(g, 2 * X)
    np.testing.assert_allclose(aux["twice"], 2 * X)
    assert aux["name"] == "aux"
    (value, _), _ = sg.value_and_grad(with_aux, has_aux=True)(X)
    assert value == 14.0


def test_aux_is_a_list_made_in_a_loop():
    def f(x):
        rows = []
        for i in range(len(x)):
            rows.append(2 * x[i])
        return np.sum(x**2), {"rows": rows}

    for transform in (sg.grad, sg.jacfwd, sg.jacrev):
        g, aux = transform(f, has_aux=True)(X)
        np.testing.assert_allclose(g, 2 * X)
        assert aux == {"rows": [2 * x for x in X]}
    assert sg.jvp(f, (X,), (X,))[1] == (28.0, aux)


@pytest.mark.parametrize("verb", ["vjp", "jacrev", "jacfwd", "vmap"])
def test_a_list_made_in_a_loop_is_no_result_to_take_apart(verb):
    def f(x):
        rows = []
        for i in range(len(x)):
            rows.append(2 * x[i])
        return rows

    calls = {"vjp": lambda: sg.vjp(f, X), "vmap": lambda: sg.vmap(f)(X[None])}
    with pytest.raises(UnsupportedSyntaxError, match=rf"`{verb}` of `f`.*np\.stack"):
        calls.get(verb, lambda: getattr(sg, verb)(f)(X))()


def test_gradient_has_the_argument_s_structure():
    def f(p):
        layer, pair = p["layer"], p["pair"]
        return np.sum(layer.w * X) * layer.b + np.sum(pair.left) * pair.right[0]

    params = {"layer": Layer(X, 2.0), "pair": Pair(X, [5.0])}
    g = sg.grad(f)(params)
    assert list(g) == ["layer", "pair"]
    assert (type(g["layer"]), g["layer"].kind) == (Layer, "tanh")
    np.testing.assert_allclose(g["layer"].w, 2 * X)
    assert (g["layer"].b, g["pair"].right) == (14.0, [6.0])
    np.testing.assert_allclose(g["pair"].left, np.full(3, 5.0))


def test_inside_a_compiled_function():
    @sg.compile
    def penalty(x, c):
        g = sg.grad(lambda x: np.sum(x**3) * c)(x)
        return np.sum(g**2)

    assert penalty(X, 2.0) == np.sum((6 * X**2) ** 2)
    np.testing.assert_allclose(sg.grad(penalty)(X, 2.0), 144 * X**3)


def test_options_inside_a_compiled_function():
    @sg.compile
    def f(x, y):
        (value, aux), (g_y,) = sg.value_and_grad(
            lambda x, y: (np.sum(x) * y, x), argnums=(1,), has_aux=True
        )(x, y)
        return value + g_y * np.sum(aux)

    assert f(X, 2.0) == 12.0 + 36.0


def test_gradient_of_a_gradient():
    assert sg.grad(sg.grad(lambda x: x**4))(2.0) == 48.0


def test_arguments_are_not_changed():
    def f(x, y):
        x[0] = 0.0
        y[0] = 1.0
        return np.sum(x * y)

    x, y = X.copy(), X.copy()
    np.testing.assert_allclose(sg.grad(f)(x, y), [0.0, 2.0, 3.0])
    assert (x[0], y[0]) == (1.0, 1.0)


def test_integers_on_request():
    g = sg.grad(lambda n, x: np.sum(n * x), argnums=(0, 1), allow_int=True)(np.arange(3), X)
    assert g[0].dtype == np.arange(3).dtype
    assert not g[0].any()
    np.testing.assert_allclose(g[1], [0, 1, 2])


REFUSED_INPUTS = [
    (
        np.arange(3),
        r"argument 0 \(`x`\) is int64; convert with astype\(float\) or pass allow",
    ),
    (3, r"argument 0 \(`x`\) is a Python int; pass a float"),
    (np.array([True]), r"argument 0 \(`x`\) is bool; convert"),
    ("s", r"argument 0 \(`x`\) is 's', which has no derivative"),
    (None, r"argument 0 \(`x`\) is None, which has no derivative"),
    ({"a": [X, 2]}, r"argument 0 \(`x`\)\['a'\]\[1\] is a Python int"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED_INPUTS)
def test_refused_inputs(value, message):
    with pytest.raises(InputTypeError, match=message) as caught:
        sg.grad(squares)(value)
    assert caught.value.lineno is not None


def test_refused_argnums():
    with pytest.raises(
        ArgnumsError, match="argnums=2 but the call has 1 positional argument"
    ):
        sg.compile(lambda x: sg.grad(squares, argnums=2)(x))(X)
    with pytest.raises(
        ArgnumsError, match=r"argument 1 \(`y`\) is passed by keyword; pass it"
    ):
        sg.compile(lambda x: sg.grad(squares, argnums=1)(x, y=1.0))(X)
    with pytest.raises(ArgnumsError, match=r"argnums=\(0, -1\) names an argument twice"):
        sg.compile(lambda x: sg.grad(squares, argnums=(0, -1))(x))(X)
    with pytest.raises(
        ArgnumsError, match="argnames names `q`, but the call's arguments are `x`"
    ):
        sg.grad(squares, argnames="q")(X)


RESULTS = [
    (lambda x: x, r"returned float64\[x_0\]; sum it"),
    (
        lambda x: (np.sum(x), x),
        "returned a tuple of 2; return the value first and pass has_aux",
    ),
    (lambda x: {"loss": np.sum(x)}, "returned a dict; return one real number"),
    (lambda x: None, "returned None"),
    (lambda x: np.argmax(x), r"returned int64\[\]; an integer does not change smoothly"),
    (lambda x: np.sum(x) * 1j, r"returned complex128\[\]; return its real part"),
]


@pytest.mark.parametrize(("function", "message"), RESULTS)
def test_refused_results(function, message):
    with pytest.raises(NonScalarOutputError, match=message) as caught:
        sg.grad(function)(X)
    assert "`grad` needs a scalar result" in caught.value.message


def test_refused_aux():
    with pytest.raises(AuxError, match=r"has to return \(value, aux\), got float64"):
        sg.grad(squares, has_aux=True)(X)
    with pytest.raises(AuxError, match=r"has to return \(value, aux\), got a tuple of 3"):
        sg.grad(lambda x: (np.sum(x), 1, 2), has_aux=True)(X)
    with pytest.raises(AuxError, match="holds a function; return arrays"):
        sg.grad(lambda x: (np.sum(x), lambda: x), has_aux=True)(X)


def test_changes_of_outer_objects_are_refused():
    @sg.compile
    def f(x):
        log = np.zeros(1)

        def inner(x):
            log[0] = 1.0
            return np.sum(x)

        g = sg.grad(inner)(x)
        return g * log[0]

    with pytest.raises(
        UnsupportedSyntaxError, match="`inner` changes the array `log` from"
    ):
        f(X)


def test_array_passed_twice_and_stored_into():
    def inner(a, b):
        a[0] = 5.0
        return np.sum(a * b)

    @sg.compile
    def f(x):
        return sg.grad(inner)(x, x)

    with pytest.raises(
        AliasError, match="`inner` stores into the array `x`, which is passed"
    ):
        f(X)


def test_text_given_with_the_function():
    namespace = {"np": np}
    text = "def square(x):\n    return np.sum(x * x)\n"
    exec(text, namespace)
    square = sg.compile(namespace["square"], source=text)
    np.testing.assert_allclose(sg.grad(square)(X), 2 * X)
    assert sg.compile(lambda x: 2 * square(x))(X) == 28.0
