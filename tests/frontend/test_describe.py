"""Arguments as trees and as cache keys."""

import enum
import inspect
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from symgrad.errors import InputTypeError
from symgrad.frontend import describe, key
from symgrad.ir.tree import leaves
from symgrad.ir.types import FLOAT, INT, ArrayType, ObjectType

Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    w: np.ndarray
    kind: str = "dense"


class Colour(enum.Enum):
    RED = 1


def f(params, x, n=3, *rest, flag=True, **more):
    pass


SIGNATURE = inspect.signature(f)
X = np.ones((3, 1))


def described(*args, **kwargs):
    return describe(args, kwargs, SIGNATURE)


def test_arrays_have_symbolic_lengths_where_not_one():
    [leaf] = described(X).args
    assert (leaf.name, str(leaf.type)) == ("params", "float64[params_0, 1]")
    [leaf] = describe((X,), {}, SIGNATURE, static_shapes=True).args
    assert leaf.type == ArrayType(np.dtype(float), (3, 1))


def test_numbers():
    trees = described(1, 2.0, np.float32(3), 4j)
    assert [str(leaf.type) for leaf in trees.args] == [
        "int",
        "float",
        "float32[]",
        "complex",
    ]
    assert [leaf.name for leaf in trees.args] == ["params", "x", "n", "rest_0"]


def test_static_by_nature():
    for value in (None, "relu", True, len, np.tanh, np.sum, np.float32, np.dtype("f4"), np):
        [tree] = described(value).args
        assert (tree.kind, tree.value) == ("static", value)
    assert described(Colour.RED).args[0].value is Colour.RED


def test_static_by_request():
    paths = frozenset({("arg", 2), ("arg", 0, "k", 1), ("kwarg", "m")})
    trees = describe(({"k": [1, 2]}, X, 5), {"m": 7}, SIGNATURE, paths)
    assert trees.args[2].value == 5
    assert trees.kwargs["m"].value == 7
    one, two = trees.args[0].children[0].children
    assert (one.type, two.value) == (INT, 2)


def test_structure():
    value = {"w": X, "pair": Pair(X, [1.0]), "layer": Layer(X), 2: (X,)}
    [tree] = described(value).args
    assert [n.kind for n in tree.children[1:]] == ["namedtuple", "dataclass", "tuple"]
    assert tree.keys == ("w", "pair", "layer", 2)
    assert (tree.children[1].cls, tree.children[1].keys) == (Pair, ("left", "right"))
    assert tree.children[2].cls is Layer
    assert tree.children[2].children[1].value == "dense"
    names = [leaf.name for leaf in leaves(tree)]
    assert names == ["w", "left", "right_0", "layer_w", "params_2_0"]


def test_names_are_unique():
    trees = described({"x": X, "for": X, "a b": X}, [X], x_0=X)
    names = [n.name for t in (*trees.args, *trees.kwargs.values()) for n in leaves(t)]
    assert names == ["params_x", "for_", "a_b", "x_0_2", "x_0"]


def test_shared_memory_is_noted():
    base = np.zeros(10)
    trees = described({"a": base[:5], "b": base[5:]}, base[2:4], np.zeros(3))
    assert trees.overlaps == ((("arg", 0, "a"), ("arg", 1)),)
    assert described(base, base).overlaps == ((("arg", 0), ("arg", 1)),)
    buffer = bytearray(80)
    one, two = np.frombuffer(buffer), np.frombuffer(buffer)
    assert described(one, two).overlaps == ((("arg", 0), ("arg", 1)),)


def test_generators_pass_through():
    [leaf] = described(np.random.default_rng(0)).args
    assert leaf.type == ObjectType("Generator")


REFUSED = [
    (np.ma.masked_array([1.0]), "argument `x` is a numpy.ma.MaskedArray; fill it first"),
    (
        np.array([1, "a"], dtype=object),
        "argument `x` has dtype object; convert it to numbers",
    ),
    (np.array(["a"]), "argument `x` has dtype <U1"),
    (np.datetime64("2020-01-01"), "argument `x` has dtype datetime64"),
    (np.zeros(2, dtype=[("a", float)]), "pass its fields as separate arrays"),
    (np.zeros(2).view(np.recarray), "a subclass of ndarray; pass np.asarray(x)"),
    (OrderedDict(a=1.0), "argument `x` is a collections.OrderedDict; pass a plain dict"),
    ({1.0, 2.0}, "argument `x` is a builtins.set, which has no order; pass a list"),
    ({Fraction(1): 1.0}, "argument `x` has the dict key Fraction(1, 1)"),
    (Fraction(1), "argument `x` is a fractions.Fraction; convert it with float()"),
    (object(), "argument `x` is a builtins.object; arguments are arrays, numbers"),
    (type("Celsius", (float,), {})(1), "a subclass of a number; convert it with float()"),
    (type("Odd", (), {"__array__": None})(), "pass np.asarray(x)"),
    (type("Frame", (), {"__module__": "pandas.core"})(), "pass x.to_numpy()"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_refused(value, message):
    with pytest.raises(InputTypeError) as caught:
        described(X, value)
    assert message in caught.value.message


def test_refused_inside_names_the_part():
    with pytest.raises(
        InputTypeError, match=r"argument `params\['w'\]\[1\].left` has dtype obj"
    ):
        described({"w": [X, Pair(np.array([None]), X)]})


def test_matrix_is_refused():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0]])
    with pytest.raises(InputTypeError, match="a subclass of ndarray"):
        described(matrix)


SAME = [
    ((np.ones(3),), (np.zeros(7),)),
    ((1, 2.0), (5, 3.0)),
    (({"a": X},), ({"a": np.ones((9, 1))},)),
    ((np.float64(1),), (np.float64(2),)),
    ((float("nan"),), (1.0,)),
]
DIFFERENT = [
    ((np.ones(3),), (np.ones(1),)),
    ((np.ones(3),), (np.ones((3, 3)),)),
    ((np.ones((1, 3)),), (np.ones((3, 1)),)),
    ((np.ones(3),), (np.ones(3, "f4"),)),
    ((1,), (1.0,)),
    ((1.0,), (np.float64(1),)),
    ((True,), (1,)),
    ((True,), (False,)),
    (("a",), ("b",)),
    (([X],), ((X,),)),
    (({"a": X},), ({"b": X},)),
    (({1: X},), ({True: X},)),
    ((Pair(X, X),), ((X, X),)),
    ((Layer(X),), (Layer(X, "conv"),)),
    ((X, X), (X, X.copy())),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_equal_keys(a, b):
    assert key(a, {}) == key(b, {})
    assert hash(key(a, {})) == hash(key(b, {}))
    assert [str(t) for t in describe(a, {}).args] == [str(t) for t in describe(b, {}).args]


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_different_keys(a, b):
    assert key(a, {}) != key(b, {})


def test_static_values_in_the_key():
    path = frozenset({("arg", 0)})
    assert key((1,), {}, path) != key((2,), {}, path)
    assert key((0.0,), {}, path) != key((-0.0,), {}, path)
    assert key((float("nan"),), {}, path) == key((float("nan"),), {}, path)
    deep = frozenset({("kwarg", "p", "left", 0)})
    assert key((), {"p": Pair([1], X)}, deep) != key((), {"p": Pair([2], X)}, deep)


def test_lengths_in_the_key_on_request():
    short, long = np.ones(3), np.ones(4)
    assert key((short,), {}, static_shapes=True) != key((long,), {}, static_shapes=True)


def test_without_signature():
    assert [leaf.name for leaf in describe((1.0,), {}).args] == ["x"]
    assert [leaf.name for leaf in describe((1.0, 2.0), {}).args] == ["x_0", "x_1"]
    assert describe((1.0,), {}).args[0].type == FLOAT
