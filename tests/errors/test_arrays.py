"""Refusals of the op table's surfaces: making, indexing, shaping and joining arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    DTypeError,
    IndexingError,
    OptionError,
    ShapeError,
    SymgradError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
)

from .refusing import refused


class Pair:
    def __init__(self, x: Any) -> None:
        self.x = x


Row = tuple[Callable[..., Any], type[SymgradError], str]

ARGUMENTS: list[Row] = [
    (
        lambda x: np.sin(x) + np.sum("a", x),
        DTypeError,
        "expected an array or a number, got 'a'",
    ),
    (lambda x: np.add(x, np.array(["a"])), DTypeError, "expected numbers, got array.*'a'"),
    (lambda x: np.add(x, None), DTypeError, "expected an array or a number, got None"),
    (lambda x: np.dot(Pair(x), x), DTypeError, "expected an array or a number, got a Pair"),
    (
        lambda x: np.dot({"a": x}, x),
        DTypeError,
        "expected an array or a number, got a dict",
    ),
    (lambda x: x[Pair(x)], DTypeError, "a Pair cannot be an index"),
    (lambda x: [*Pair(x)], UnsupportedSyntaxError, "a Pair cannot be iterated over"),
    (lambda x: np.array([[x, x], [x]]), ShapeError, "lists that make up an array differ"),
    (lambda x: np.sum(x, axis=1.5), DTypeError, "an axis must be an integer, got 1.5"),
    (
        lambda x: np.sum(x, axis=7),
        ShapeError,
        "axis 7 is out of bounds for an array of rank 2",
    ),
    (lambda x: np.sum(x, axis=(0, -2)), ShapeError, r"axes \(0, 0\) name one axis twice"),
    (lambda t: np.zeros(t), DTypeError, "a length must be an integer, got float"),
    (lambda x: np.zeros(3, dtype="nope"), DTypeError, "data type 'nope' not understood"),
    (lambda x: np.sum(x, keepdims=x > 0), UnsupportedSyntaxError, "known at run time only"),
    (
        lambda x, w: np.tensordot(x, w, axes=w),
        UnsupportedSyntaxError,
        "known at run time only",
    ),
]

MAKING: list[Row] = [
    (
        lambda x: np.zeros((2, 2), order="A"),
        OptionError,
        "order must be 'C' or 'F', got 'A'",
    ),
    (
        lambda x: np.arange(x),
        ShapeError,
        r"np.arange takes numbers, got float64\[x_0, x_1\]",
    ),
    (
        lambda t: np.arange(t, dtype=int),
        DTypeError,
        "arange of floats with an integer dtype",
    ),
    (
        lambda z: z.astype(float, casting="safe"),
        DTypeError,
        "cannot be cast .* rule 'safe'",
    ),
    (lambda w: w.item(), ShapeError, "cannot be made a Python scalar: it has w_0 entries"),
    (
        lambda x: np.copy(x, order="Q"),
        OptionError,
        "order must be 'C' or 'F' or 'A' or 'K', got 'Q'",
    ),
    (lambda z: float(z[0]), DTypeError, r"float\(\) of a complex number"),
    (lambda x: np.vander(x), ShapeError, "np.vander needs an array with one axis"),
    (lambda x: np.diag(np.stack([x, x])), ShapeError, "np.diag needs rank 1 or 2"),
    (lambda w: np.tril(w[0]), ShapeError, "np.tril needs rank 2 or more"),
    (lambda x: np.ix_(x), ShapeError, "np.ix_ needs arrays with one axis"),
    (lambda x: x.view(np.float32), UnsupportedFunctionError, "astype.* converts"),
    (lambda w: np.interp(w, w, 1.0), ShapeError, "np.interp needs points and values"),
]

INDEXING: list[Row] = [
    (lambda x: x["a"], DTypeError, "'a' cannot be an index: integers, slices"),
    (lambda x: x[::0], ShapeError, "the step of a slice cannot be zero"),
    (lambda x, t: x[:t], DTypeError, "a slice bound must be an integer, got float"),
    (
        lambda x, t: x[t],
        DTypeError,
        "an index must be an integer or boolean array, got float",
    ),
    (lambda x, w: x[w], DTypeError, "an index must be an integer or boolean array"),
    (lambda x: x[..., ...], IndexingError, "one ellipsis"),
    (lambda x: x[0, 0, 0], IndexingError, "rank 2, 3 were indexed"),
    (lambda x, i: x[i, ..., i], ShapeError, "an ellipsis that stands for no axis"),
    (lambda s: np.stack([s, s])[5], IndexingError, "index 5 is out of bounds .* length 2"),
    (
        lambda s: np.stack([s, s])[np.ones(3, bool)],
        IndexingError,
        "boolean index of length 3",
    ),
    (lambda x, i: np.take_along_axis(x, i, 0), ShapeError, "differ in rank"),
    (lambda w: np.take_along_axis(w, w, 0), DTypeError, "take_along_axis needs integer"),
    (lambda t: np.nonzero(np.sin(t)), ShapeError, "np.nonzero of a 0-d array"),
    (lambda w: np.bincount(w), DTypeError, "np.bincount needs integers in one axis"),
    (lambda w: np.choose(w, [w, w]), DTypeError, "np.choose needs integers"),
    (lambda x: np.select([], []), ShapeError, "as many choices as conditions"),
    (lambda x: np.select([x], [x]), DTypeError, "np.select needs conditions of bool"),
    (lambda w: np.diagonal(w), ShapeError, "a diagonal needs rank 2 or more"),
    (lambda x: np.diagonal(x, axis1=0, axis2=0), ShapeError, "two axes .* must differ"),
]

SHAPES: list[Row] = [
    (lambda x: x.reshape(-1, -1), ShapeError, "only one length of a new shape can be -1"),
    (lambda x: x.reshape(4, 5, order="Q"), OptionError, "order must be 'C' or 'F', got 'Q'"),
    (lambda x: np.zeros((2, 3)).reshape(4), ShapeError, "cannot be reshaped to"),
    (lambda x: np.zeros((2, 3)).reshape(4, -1), ShapeError, "cannot be reshaped to"),
    (lambda x: np.broadcast_to(np.ones(3), (2, 4)), ShapeError, "cannot be broadcast to"),
    (lambda x: np.broadcast_to(x, (4,)), ShapeError, "cannot be broadcast to"),
    (lambda x: np.squeeze(np.ones((2, 1)), 0), ShapeError, "length 2, only 1 can be squeezed"),
    (lambda w: np.squeeze(w[w > 0][None]), ShapeError, "name the axes, as some lengths"),
    (lambda x: x.transpose(0), ShapeError, "do not fit an array of rank 2"),
    (lambda w: np.matrix_transpose(w), ShapeError, "matrix transpose needs rank 2 or more"),
    (lambda x: np.moveaxis(x, (0, 1), 0), ShapeError, "as many destinations as sources"),
    (lambda x: np.lib.stride_tricks.sliding_window_view(np.ones(3), 4), ShapeError,
     "a window of length 4 does not fit axis 0"),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=0), ShapeError,
     "2 lengths for 1 axes"),
    (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=0, writeable=True),
     UnsupportedFunctionError, "writeable=True"),
]  # fmt: skip

JOINING: list[Row] = [
    (lambda x, w: np.concatenate([x, w]), ShapeError, "ranks 2 and 1 cannot be joined"),
    (lambda x, w: np.stack([x, w]), ShapeError, "ranks 2 and 1 cannot be stacked"),
    (lambda x: np.concatenate([np.ones((2, 3)), np.ones((2, 4))]), ShapeError,
     "lengths 3 and 4"),
    (lambda x: np.concatenate([]), ShapeError, "at least one array is needed"),
    (lambda t: np.concatenate([np.sin(t), np.sin(t)]), ShapeError, "0-d arrays cannot be joined"),
    (lambda x: np.split(np.ones(5), 2), ShapeError, "cannot be split into 2 equal parts"),
    (lambda x: np.block([[x], []]), ShapeError, "a list of blocks is empty"),
    (lambda w: np.r_["c", w], UnsupportedFunctionError, r"'c' would make an np\.matrix"),
    (lambda x, w: np.array([x, w]), ShapeError, "parts of an array differ in rank"),
    (lambda x: np.pad(x, ((1, 1), (1, 1), (1, 1))), ShapeError, "one pair, or 2, for 2"),
    (lambda x: np.pad(x, (1, 2, 3)), ShapeError, "one value or two for an axis, got 3"),
    (lambda x: x.astype(object), DTypeError, "arrays of object hold no numbers"),
    (lambda x: np.pad(x, 1, mode="nope"), UnsupportedFunctionError, "mode='nope'"),
    (lambda x: np.pad(x, 1, mode="edge", constant_values=1), UnsupportedFunctionError,
     "np.pad with mode='edge', constant_values=... is not supported"),
    (lambda x: np.pad(x, 1, mode="mean", end_values=1), UnsupportedFunctionError,
     "np.pad with mode='mean' does not take end_values="),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "error", "words"), [*ARGUMENTS, *MAKING, *INDEXING, *SHAPES, *JOINING]
)
def test_refusal(function: Any, error: Any, words: str) -> None:
    refused(function, error, words)


def _store_rows(x, w):
    x[0] = np.ones((2, 5))
    return x


def _add_floats(i, w):
    np.add.at(i, [0], 0.5)
    return i


def _complex_store(w, z):
    w[0] = z[0]
    return w


def _complex_add(w, z):
    w[:3] += z
    return w


def _put_complex(w, z):
    np.copyto(w, z)
    return w


def _fill_vector(w):
    np.fill_diagonal(w, 1.0)
    return w


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (_store_rows, ShapeError, "does not fit into 1 axes"),
        (_add_floats, DTypeError, "float64 values cannot be put into an array of int64"),
        (_complex_store, DTypeError, "a complex value cannot be stored"),
        (_complex_add, DTypeError, "the result is complex128, the array float64"),
        (_put_complex, DTypeError, "cannot be put into an array of float64"),
        (_fill_vector, DTypeError, "np.fill_diagonal needs rank 2 or more"),
    ],
)
def test_refused_store(function: Any, error: Any, words: str) -> None:
    refused(function, error, words)


def test_dot_writes_into_what_lies_in_order() -> None:
    """As NumPy, which raises ValueError."""

    def down(x: Any, w: Any) -> Any:
        np.dot(w, x, out=w[:, 0])
        return w

    def along(x: Any, w: Any) -> Any:
        np.dot(w, x, out=w[0])
        return w

    x, w = np.array([1.0, 2.0]), np.arange(4.0).reshape(2, 2)
    with pytest.raises(ShapeError, match=r"`out` of np.dot has to lie in C order"):
        sg.compile(down)(x, w)
    np.testing.assert_array_equal(sg.compile(along)(x, w.copy()), along(x, w.copy()))
