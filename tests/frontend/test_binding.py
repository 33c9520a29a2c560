"""Arguments go where Python puts them, and misfits get Python's message."""

import ast
import functools
import inspect
from typing import Any

import pytest

from symgrad.errors import CallError
from symgrad.frontend.arguments.binding import (
    bind,
    flatten,
    parameters_of,
    parameters_of_function,
)
from symgrad.frontend.names.captures import Captures, Found


def everything(a, /, b, c=3, *rest, d, e=5, **kw):
    return a, b, c, rest, d, e, kw


def keywords(a, /, *, q, r, s):
    return a, q, r, s


def two(a, b=1):
    return a, b


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1, 2), {"d": 1}),
    ((1, 2, 3, 4, 5), {"d": 1, "z": 2, "a": 9}),
    ((1,), {}),
    ((), {}),
    ((1, 2), {"b": 1, "d": 2}),
    ((1,), {"zz": 1}),
    ((), {"a": 1, "q": 1, "r": 1, "s": 1}),
    ((1,), {"q": 1, "r": 1, "s": 1}),
    ((1, 2, 3), {}),
]


@pytest.mark.parametrize("function", [everything, keywords, two])
@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_like_python(function, args, kwargs):
    signature = inspect.signature(function)
    parameters = parameters_of_function(function)

    def bound() -> dict[str, Any]:
        default = lambda name: signature.parameters[name].default  # noqa: E731
        return bind(parameters, args, kwargs, default, name=function.__name__)

    try:
        expected, message = function(*args, **kwargs), None
    except TypeError as error:
        expected, message = None, str(error)
    if message is None:
        assert tuple(bound().values()) == expected
        return
    with pytest.raises(CallError) as caught:
        bound()
    assert caught.value.message == message


def test_parameters_of_text_and_object_agree():
    for function in (everything, keywords, two):
        definition = ast.parse(inspect.getsource(function)).body[0]
        assert isinstance(definition, ast.FunctionDef)
        assert parameters_of(definition.args) == parameters_of_function(function)


def test_signature_set_by_hand_is_ignored():
    def f(a, b):
        return a + b

    f.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
    assert [p.name for p in parameters_of_function(f)] == ["a", "b"]


class Scaler:
    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x, y):
        return self.k * x + y

    def method(self, x):
        return x


def taken_apart(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    target = flatten(Captures(lambda capture: None), Found(function))
    named = {name: part.value for name, part in (target.kwargs or {}).items()}
    return target.function.value, tuple(part.value for part in target.args), named


def test_flatten():
    scaler = Scaler(2.0)
    assert taken_apart(two) == (two, (), {})
    assert taken_apart(scaler.method) == (Scaler.method, (scaler,), {})
    assert taken_apart(scaler) == (Scaler.__call__, (scaler,), {})
    inner = functools.partial(everything, 1, d=2)
    outer = functools.partial(inner, 3, d=4, e=6)
    assert taken_apart(outer) == (everything, (1, 3), {"d": 4, "e": 6})
    assert taken_apart(functools.partial(scaler, 1.0)) == (
        Scaler.__call__,
        (scaler, 1.0),
        {},
    )
    assert taken_apart(functools.lru_cache(two)) == (two, (), {})
    assert taken_apart(len) == (len, (), {})
    assert taken_apart(Scaler) == (Scaler, (), {})
