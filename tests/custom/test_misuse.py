"""Rules of the wrong form: refused by name, with what there is and what there should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad.errors import ArgnumsError, CustomRuleError, InputTypeError

X = np.arange(3.0)


def ruled(fwd: Callable[..., Any], bwd: Callable[..., Any]) -> Callable[..., Any]:
    @sg.custom_vjp
    def rule(x: Any, y: Any) -> Any:
        return x * y

    rule.defvjp(fwd, bwd)
    return lambda x, y: np.sum(rule(x, y))


def refused(f: Callable[..., Any], words: str, *args: Any) -> CustomRuleError:
    with pytest.raises(CustomRuleError, match=words) as caught:
        sg.grad(f)(*args)
    return caught.value


@pytest.mark.parametrize(
    ("fwd", "words"),
    [
        (lambda x, y: (np.sum(x * y), None), r"returns float64\[\], the function itself"),
        (
            lambda x, y: ((x * y).astype("f4"), None),
            r"returns float32\[x_0\], the function",
        ),
        (lambda x, y: ((x * y, x), None), r"the forward rule of `rule` returns"),
    ],
)
@pytest.mark.parametrize("bwd", [lambda kept, g: (g, g), lambda kept, g: (None, None)])
def test_a_forward_rule_that_is_not_like_the_function(
    fwd: Callable[..., Any], bwd: Callable[..., Any], words: str
) -> None:
    refused(ruled(fwd, bwd), words, X, X)


def test_gradients_in_a_dict() -> None:
    class Named(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return {"x": 2 * g}

    class NamedInC(Named):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            try:
                return {"x": 2 * g}
            except ValueError:
                raise

    for cls in (Named, NamedInC):
        words = rf"`{cls.__name__}.backward` returned a dict; return a tuple"
        refused(lambda x, cls=cls: np.sum(cls.apply(x)), words, X)
    rule = ruled(lambda x, y: (x * y, None), lambda kept, g: {"x": g, "y": g})
    refused(rule, "the vjp of `rule` returned a dict", X, X)


def test_saving_twice_where_nothing_is_compiled() -> None:
    class Twice(sg.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_backward(x)
            return x

    with pytest.raises(CustomRuleError, match="`Twice` saves for its backward twice"):
        Twice.apply(X)


def test_a_class_without_forward() -> None:
    class Half(sg.Function):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    with pytest.raises(CustomRuleError, match="`Half` has no `forward`; define"):
        Half.apply(X)
    error = refused(lambda x: np.sum(Half.apply(x)), "`Half` has no `forward`", X)
    assert error.lineno is not None
    refused(lambda x: np.sum(Half.apply(x=x)), "`Half` has no `forward`", X)


def test_rules_that_are_no_functions() -> None:
    def f(x: Any) -> Any:
        return x

    for give in (
        lambda: sg.custom_vjp(f).defvjp(f, 3),  # type: ignore[arg-type]
        lambda: sg.custom_jvp(f).defjvp(3),  # type: ignore[arg-type]
        lambda: sg.custom_jvp(f).defjvps(3),  # type: ignore[arg-type]
        lambda: sg.def_rule(scipy.special.erfi, vjp=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(InputTypeError, match="needs functions, not int"):
            give()


def test_positions_without_derivatives() -> None:
    def f(x: Any, n: Any) -> Any:
        return x * n

    for given, words in [
        (1.5, r"must be an int or a tuple of ints, not 1\.5"),
        ((2,), r"nondiff_argnums=\(2,\) but `f` has 2 arguments"),
        (-3, "nondiff_argnums=-3 but `f` has 2 arguments"),
    ]:
        with pytest.raises(ArgnumsError, match=words):
            sg.custom_vjp(f, nondiff_argnums=given)  # type: ignore[arg-type]
    for alike in (1, -1, (1,), np.int64(1)):
        rule = sg.custom_vjp(f, nondiff_argnums=alike)  # type: ignore[arg-type]
        rule.defvjp(lambda x, n: (x * n, None), lambda n, kept, g: (7.0 * g,))
        np.testing.assert_array_equal(
            sg.grad(lambda x, rule=rule: np.sum(rule(x, 3)))(X), np.full(3, 7.0)
        )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 2), (2,)),
        ((3, 2), (1, 2)),
        ((3, 1), (1, 2)),
        ((), (2,)),
        ((3, 2), (3, 2)),
        ((1,), (4, 3, 2)),
        ((4, 1, 2), (3, 1)),
    ],
)
def test_unbroadcast_in_a_rule(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    @sg.custom_vjp
    def times(x: Any, y: Any) -> Any:
        return x * y

    times.defvjp(
        lambda x, y: (x * y, (x, y)),
        lambda kept, g: (
            sg.unbroadcast(g * kept[1], kept[0]),
            sg.unbroadcast(g * kept[0], kept[1]),
        ),
    )
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(a), rng.standard_normal(b)
    sg.testing.check_grads(lambda x, y: np.sum(np.sin(times(x, y))), (x, y))
    g = np.cos(x * y)
    for f in (sg.unbroadcast, sg.compile(sg.unbroadcast)):
        assert np.shape(f(g, x)) == a and np.shape(f(g, y)) == b


def test_unbroadcast_of_what_was_not_broadcast() -> None:
    for g, like in [(np.ones(3), np.ones(2)), (np.ones(2), np.ones((3, 2)))]:
        for f in (sg.unbroadcast, sg.compile(sg.unbroadcast)):
            with pytest.raises(
                ValueError, match=r"unbroadcast: \(.*\) cannot be broadcast to"
            ):
                f(g, like)
