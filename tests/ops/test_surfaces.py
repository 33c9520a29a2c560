"""NumPy's spellings: arguments, methods of ufuncs and arrays, constants among the operands."""

from typing import Any

import numpy as np
import pytest

from symgrad.ir.types import ArrayType
from symgrad.ops import ATTRIBUTES, METHODS

from .building import gradient, surface, traced, value

X = np.array([[0.3, -1.2, 2.5], [-0.7, 1.9, -2.2]])
W = np.array([0.5, 2.0, 1.5])
Z = np.array([0.3 + 1.2j, -0.7 + 0.4j])

CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.add, (X, 1), {"dtype": np.float32}),
    (np.add, (X, [1, 2, 3]), {}),
    (np.sin, (2.0,), {}),
    (np.maximum, (2, 3), {}),
    (np.sqrt, (4,), {}),
    (np.add.outer, (W, X), {}),
    (np.maximum.outer, (W, W), {}),
    (np.add.reduce, (X,), {}),
    (np.maximum.reduce, (X,), {"axis": 1}),
    (np.add.accumulate, (X,), {}),
    (np.multiply.accumulate, (X,), {"axis": 1}),
    (np.sum, (X,), {"axis": -1, "keepdims": True, "dtype": np.float32}),
    (np.sum, (X, 1), {}),
    (np.sum, (X,), {"initial": 2.0}),
    (np.max, (X,), {"axis": (0, -1), "initial": 3.0}),
    (np.amin, (X,), {"axis": 0}),
    (np.mean, (X,), {"axis": (1,), "dtype": np.float32}),
    (np.std, (X,), {"axis": 0, "ddof": 1}),
    (np.var, (X,), {"correction": 1}),
    (np.ptp, (X,), {"axis": 1}),
    (np.average, (X,), {"axis": 1, "weights": W}),
    (np.average, (X,), {}),
    (np.average, (X,), {"weights": X**2}),
    (np.argmax, (X,), {"axis": -1, "keepdims": True}),
    (np.count_nonzero, (X,), {"axis": 0}),
    (np.cumsum, (X,), {}),
    (np.cumprod, (X,), {"axis": 1}),
    (np.prod, (X,), {"axis": 0}),
    (np.clip, (X,), {"max": 0.5}),
    (np.clip, (X, -0.5, None), {}),
    (np.clip, (X, None, None), {}),
    (np.where, (X > 0, X, 0), {}),
    (np.where, (np.array([1, 0, 2]), W, -W), {}),
    (np.round, (X, 1), {}),
    (np.float_power, (np.array([2, 3]), -1), {}),
    (np.float_power, (W.astype(np.float32), 2), {}),
    (np.sign, (Z,), {}),
    (np.angle, (Z,), {"deg": True}),
    (np.real, (Z,), {}),
    (np.conj, (Z,), {}),
    (np.modf, (X,), {}),
    (np.divmod, (X, 2), {}),
    (np.nan_to_num, (np.array([np.nan, 1.0, -np.inf]),), {}),
    (np.allclose, (X, X + 1e-3), {"atol": 1e-2}),
    (np.isclose, (X, X + 1e-3), {"rtol": 1e-3}),
    (np.degrees, (W,), {}),
    (np.logical_and, (X, X > 1), {}),
]


@pytest.mark.parametrize(("function", "args", "options"), CALLS)
def test_call(function: Any, args: Any, options: dict[str, Any]) -> None:
    arrays = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)] or [0]

    def call(*given: Any) -> Any:
        full = list(args)
        for i, x in zip(arrays, given, strict=False):
            full[i] = x
        return surface(function)(*full, **options)

    got, expected = value(call, *(args[i] for i in arrays)), function(*args, **options)
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    for x, y in zip(got, expected, strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_allclose(x, y, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sum", ()), ("mean", (1,)), ("max", ()), ("min", (0,)), ("std", ()), ("var", ()),
        ("prod", ()), ("any", ()), ("all", (1,)), ("argmax", (0,)), ("argmin", ()),
        ("cumsum", (1,)), ("cumprod", (0,)), ("round", (1,)), ("clip", (-1, 1)), ("conj", ()),
    ],
)  # fmt: skip
def test_method(name: str, args: Any) -> None:
    got = value(lambda x: METHODS[name](x.builder, x, *args), X)
    np.testing.assert_allclose(got, getattr(X, name)(*args))


def test_attributes() -> None:
    for name in ("real", "imag"):
        got = value(lambda z, n=name: ATTRIBUTES[n](z.builder, z), Z)
        np.testing.assert_array_equal(got, getattr(Z, name))


def test_numpy_makes_numpy_numbers_of_pythons() -> None:
    made = traced(surface(np.sin), 2.0).block.results[0]
    assert made.type == ArrayType(np.dtype(np.float64), ())


def test_gradients_through_methods_of_ufuncs() -> None:
    def function(x: Any) -> Any:
        return surface(np.sum)(surface(np.multiply.outer)(x, x) ** 2)

    np.testing.assert_allclose(gradient(function, W), 4 * W * np.sum(W**2))
