"""Objects of the user's classes as arguments, results and gradients, with rules of their own."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CustomRuleError, InputTypeError, TreeStructureError
from symgrad.testing import check_grads

X = np.array([0.3, -1.2, 2.0])


class Quaternion:
    """Not a dataclass, and made from something else than its attributes."""

    def __init__(self, text: str) -> None:
        self.w, *rest = map(float, text.split())
        self.v = np.array(rest)
        self.label = text
        self.rank = 3

    def norm(self) -> Any:
        return self.w**2 + np.sum(self.v**2) / self.rank

    def scaled(self, k: Any) -> Quaternion:
        made = object.__new__(Quaternion)
        made.w, made.v, made.label, made.rank = (
            self.w * k,
            self.v * k,
            self.label,
            self.rank,
        )
        return made


@dataclass
class Layer:
    weight: Any
    steps: int


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Pair:
    def __init__(self, items: Any) -> None:
        self.items = list(items)


sg.tree.register_node(Quaternion, static=["label", "rank"])
sg.tree.register_dataclass(Layer, meta_fields=["steps"])
sg.tree.register_node(Slots)
sg.tree.register_node(Pair, lambda p: (p.items, None), lambda rest, items: Pair(items))
Q = Quaternion("1 2 3 4")


def test_gradient_of_an_object_is_an_object() -> None:
    g = sg.grad(lambda q, k: q.norm() * k)(Q, 2.0)
    assert type(g) is Quaternion and (g.label, g.rank) == ("1 2 3 4", 3)
    assert g.w == 4.0
    np.testing.assert_allclose(g.v, 2 * Q.v * 2 / 3)
    check_grads(lambda q: q.norm() ** 2, (Q,), order=2)


def test_attributes_that_are_known_when_compiling() -> None:
    def f(layer: Any, x: Any) -> Any:
        for _ in range(layer.steps):
            x = np.tanh(layer.weight * x)
        return np.sum(x)

    compiled = sg.grad(f)
    g = compiled(Layer(X, 2), X)
    assert g.steps == 2 and isinstance(g, Layer)
    assert "range(2)" in compiled.source
    compiled(Layer(X, 2), X)
    assert len(compiled.specializations) == 1
    assert compiled(Layer(X, 3), X).steps == 3
    assert len(compiled.specializations) == 2


def test_objects_as_results() -> None:
    out = sg.compile(lambda q, k: (q, [k]))(Q, 2.0)[0]
    assert type(out) is Quaternion and out.label == Q.label
    found = sg.compile(lambda s: Slots(s.b * 2, s.a))(Slots(X, 3.0))
    assert type(found) is Slots and found.a == 6.0
    out, pullback = sg.vjp(lambda s: Slots(s.a**2, s.b), Slots(X, 3.0))
    [g] = pullback(Slots(np.ones(3), 5.0))
    np.testing.assert_allclose(g.a, 2 * X)
    assert g.b == 5.0
    with pytest.raises(TreeStructureError):
        pullback((np.ones(3), 5.0))
    q = sg.jvp(lambda q: q.norm(), (Q,), (Q,))[1]
    assert np.isclose(q, 2 * Q.norm())


def test_new_attributes_are_another_kind_of_argument() -> None:
    compiled = sg.compile(lambda q: q.norm())
    more = Quaternion("1 2 3 4")
    more.extra = X  # type: ignore[attr-defined]
    assert compiled(Q) == compiled(more)
    assert len(compiled.specializations) == 2


class Normalize(sg.Function):
    """A rule about objects."""

    @staticmethod
    def forward(ctx: Any, q: Any) -> Any:
        ctx.q = q
        return Slots(q.w * 2, q.v * 2)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return {"w": 0.0} if ctx.q.rank == 0 else ctx.q.scaled(0.0)


def test_rules_about_objects() -> None:
    @sg.custom_vjp
    def double(s: Any) -> Any:
        return Slots(s.a * 2, s.b * 2)

    double.defvjp(
        lambda s: (Slots(s.a * 2, s.b * 2), s),
        lambda s, g: (Slots(g.a * 7, g.b * s.b),),
    )

    def f(s: Any) -> Any:
        out = double(s)
        return np.sum(out.a) + out.b

    g = sg.grad(f)(Slots(X, 3.0))
    np.testing.assert_array_equal(g.a, np.full(3, 7.0))
    assert type(g) is Slots and g.b == 3.0

    bad = sg.custom_vjp(lambda s: s.a * 1.0)
    bad.defvjp(lambda s: (s.a * 1.0, None), lambda res, g: ((g, 1.0),))
    with pytest.raises(CustomRuleError, match="has to be a Slots like it, not a tuple"):
        sg.grad(lambda s: np.sum(bad(s)))(Slots(X, 3.0))


def test_rules_about_objects_that_run_as_they_are() -> None:
    def twice(s: Any) -> Any:
        eval("None")
        return Slots(s.a * 2, s.b * 2)

    rule = sg.custom_vjp(twice)
    rule.defvjp(lambda s: (twice(s), s), lambda s, g: (twice(g),))

    def f(s: Any) -> Any:
        out = rule(s)
        return np.sum(out.a) + out.b

    g = sg.grad(f)(Slots(X, 3.0))
    assert type(g) is Slots and g.b == 2.0
    np.testing.assert_array_equal(g.a, np.full(3, 2.0))


def test_trees() -> None:
    doubled = sg.tree.map(lambda x: 2 * x, Q)
    assert doubled.w == 2.0 and doubled.label == Q.label
    assert len(sg.tree.leaves(Layer(X, 2))) == 1
    pair = sg.tree.map(lambda x: -x, Pair([1.0, 2.0]))
    assert type(pair) is Pair and pair.items == [-1.0, -2.0]
    assert pickle.loads(pickle.dumps(sg.grad(np.sin)))(0.0) == 1.0


def test_what_cannot_be_registered() -> None:
    with pytest.raises(InputTypeError, match="3 is no class"):
        sg.tree.register_node(3)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="both `flatten` and `unflatten`, or neither"):
        sg.tree.register_node(dict, lambda x: ((), None))
    with pytest.raises(ValueError, match="`Slots` is registered already"):
        sg.tree.register_node(Slots)
    with pytest.raises(InputTypeError, match="is no dataclass"):
        sg.tree.register_dataclass(Slots)

    @dataclass
    class Two:
        a: Any
        b: Any

    for data, meta in ((["a"], []), (["a", "b"], ["c"])):
        with pytest.raises(InputTypeError, match=r"'[bc]' is no field, or neither among"):
            sg.tree.register_dataclass(Two, data, meta)
