"""``x[key]``, ``x[key] = v`` and ``x[key] += v`` against NumPy, and what is refused."""

from typing import Any

import numpy as np
import pytest

from symgrad.errors import DTypeError, IndexingError, ShapeError
from symgrad.ir.builder import Builder
from symgrad.ir.dims import symbol
from symgrad.ir.expr import Expr, f
from symgrad.ir.types import INT, ArrayType
from symgrad.ops import MUTATORS, TABLE
from symgrad.ops.indexing import getitem, setitem

from .building import gradient, traced, value

X = np.sin(np.arange(60.0)).reshape(3, 4, 5)
S = slice
KEYS = [
    1, -1, (0, 2), (S(None), 1), S(1, None), S(None, None, -1), S(-2, -1), S(None, None, 2),
    (S(None), S(3, 0, -1)), (S(None), S(None, None, -3)), (Ellipsis, 0), None, (0, None),
    (S(1, None), None, S(None, -1)), [0, 2, 2], [[0, 1], [2, 0]], (S(None), [1, 1]),
    (0, S(None), [1, 2]), ([0, 1], [1, 2]), ([0, 1], S(None), [1, 2]), X[:, 0, 0] > 0, X > 0,
    (S(None), X[0, :, 0] > 0), [True, False, True], (1, [0, 1], S(None)), True, [],
    (Ellipsis, [0, 1]), (np.ix_([0, 2], [1, 3])), np.int64(2), np.array(1),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_reading(key: Any) -> None:
    got = value(lambda x: getitem(x.builder, x, key), X)
    assert np.shape(got) == X[key].shape
    np.testing.assert_array_equal(got, X[key])


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_the_adjoint_of_reading_adds_up(key: Any) -> None:
    weight = np.cos(np.arange(X[key].size)).reshape(X[key].shape)
    expected = np.zeros_like(X)
    np.add.at(expected, key, weight)

    def weighted(x: Expr) -> Any:
        part = getitem(x.builder, x, key)
        product = part * Expr(x.builder, x.builder.const(weight))
        return f.sum(product) if product.ndim else product

    np.testing.assert_allclose(gradient(weighted, X), expected)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_storing(key: Any) -> None:
    stored, added = X.copy(), X.copy()
    stored[key] = 2.5
    added[key] += 0.5
    np.testing.assert_array_equal(
        value(lambda x: setitem(x.builder, x, key, 2.5), X), stored
    )

    def add(x: Expr) -> Any:
        return setitem(x.builder, x, key, getitem(x.builder, x, key) + 0.5)

    np.testing.assert_array_equal(value(add, X), added)


def test_runtime_bounds_and_places() -> None:
    got = value(lambda x, i: getitem(x.builder, x, (i, S(i, None), S(None, i))), X, 2)
    np.testing.assert_array_equal(got, X[2, 2:, :2])


def test_a_store_casts_and_drops_leading_ones() -> None:
    small = X.astype(np.float32)
    wide = np.arange(20.0).reshape(1, 1, 4, 5)
    got = value(lambda x, v: setitem(x.builder, x, 0, v), small, wide)
    small[0] = wide
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, small)


def test_only_the_last_of_repeated_stores_has_a_gradient() -> None:
    v = np.array([1.0, 2.0, 3.0])
    base = np.array([0.0, 5.0])

    def call(x: Expr, v: Expr) -> Any:
        return f.sum(
            setitem(x.builder, x, [0, 0, 0], v) * setitem(x.builder, x, [0, 0, 0], v)
        )

    g_x, g_v = gradient(call, base, v, wrt=(0, 1))
    np.testing.assert_array_equal(g_x, [0, 10])
    np.testing.assert_array_equal(g_v, [0, 0, 6])


def test_add_at_counts_a_repeated_index_every_time() -> None:
    x, v = np.zeros(3), np.array([1.0, 2.0])
    add_at = MUTATORS[np.add.at][1]
    np.testing.assert_array_equal(
        value(lambda x, v: add_at(x.builder, x, [1, 1], v), x, v), [0, 3, 0]
    )


def picked(kind: str) -> set[str]:
    """The ops of the adjoint of ``x[...]`` for one kind of index."""
    from symgrad.ir.tree import Node
    from symgrad.ir.values import Function
    from symgrad.transforms.expand import expand

    def call(x: Expr, labels: Expr) -> Any:
        b = x.builder
        count = f.arange(Expr(b, b.const(0)), x.length(0), 1, dtype=np.dtype(np.intp))
        key = {"row": labels, "pair": (count, labels), "column": (S(None), labels)}[kind]
        return f.sum(getitem(b, x, key))

    made = traced(call, X[0], np.array([1, 1, 0, 2]))
    b = Builder(TABLE)
    params = [b.param(p.type, p.name, entry=True) for p in made.params]
    block = b.block(params, b.reverse_(params, (0,), made.block)[1:])
    return {op.name for op in expand(Function("g", block, (), Node("tuple"))).block.ops}


def test_the_adjoint_of_a_gather_is_a_store_where_no_entry_repeats() -> None:
    assert "store" in picked("pair") and "add_store" not in picked("pair")
    assert "sum_rows" in picked("row")
    assert "add_store" in picked("column")


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (3, IndexingError, "index 3 is out of bounds for axis 0 with length 3"),
        ((0, 4), IndexingError, "out of bounds for axis 1"),
        ([0, -4], IndexingError, "index -4 is out of bounds"),
        ((0, 0, 0, 0), IndexingError, "too many indices: the array has rank 3, 4"),
        ((Ellipsis, Ellipsis), IndexingError, "one ellipsis"),
        (1.5, DTypeError, "cannot be an index"),
        (np.array([0.5]), DTypeError, "integer or boolean array"),
        ([True, False], IndexingError, "boolean index of length 2 does not fit axis 0"),
        (S(None, None, 0), ShapeError, "step of a slice cannot be zero"),
        (([0], Ellipsis, 0, [1]), ShapeError, "leave it out"),
        ("a", DTypeError, "cannot be an index"),
    ],
)
def test_refused_keys(key: Any, error: type[Exception], text: str) -> None:
    b = Builder(TABLE)
    x = Expr(b, b.param(ArrayType(X.dtype, X.shape), "x", entry=True))
    with pytest.raises(error, match=text):
        getitem(b, x, key)


def test_refused_values() -> None:
    b = Builder(TABLE)
    x = Expr(b, b.param(ArrayType(X.dtype, X.shape), "x", entry=True))
    with pytest.raises(DTypeError, match="complex value cannot be stored"):
        setitem(b, x, 0, 1j)
    with pytest.raises(ShapeError, match="cannot be broadcast"):
        setitem(b, x, 0, np.zeros((2, 5)))
    with pytest.raises(ShapeError, match="does not fit into 1 axes"):
        setitem(b, x, (0, 0), np.zeros((4, 5)))


def test_a_slice_has_a_known_length() -> None:
    b = Builder(TABLE)
    n = symbol("n", not_one=True)
    x = Expr(b, b.param(ArrayType(X.dtype, (n,)), "x", entry=True))
    assert getitem(b, x, S(None, None, -1)).dims == (n,)
    assert getitem(b, x, S(-1, None, -1)).dims == (n,)
    assert str(getitem(b, x, S(1, -1)).dims[0]) == "max(0, n - 2)"
    k = Expr(b, b.param(INT, "k", entry=True))
    assert getitem(b, x, S(None, k, -1)).ndim == 1
