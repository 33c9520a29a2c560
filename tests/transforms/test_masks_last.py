"""What was not selected contributes a hard zero, whatever inf or nan its branch produced: each
kind of branch under ``where``, and each way to select, in both modes and at second order."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

W = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
V = np.array([1.0, -2.0, 0.5, 0.3, 2.0])
CHOSEN = np.array([True, False, True, False, True])
GOOD = np.array([0.7, 0.0, 1.3, 0.0, 0.9])


def derivatives(f, x, m):
    """The gradient, the tangent along V, and the gradient's along V, of the sum of W * f."""

    def total(x):
        return np.sum(W * f(x, m))

    gradient = sg.grad(total)
    return (
        gradient(x),
        sg.jvp(total, (x,), (V.astype(x.dtype),))[1],
        sg.grad(lambda x: np.sum(V * gradient(x)))(x),
        sg.jvp(gradient, (x,), (V.astype(x.dtype),))[1],
    )


def check(f, bad, dtype=np.float64):
    """Where f is not chosen it is x, and its derivatives are those of x; elsewhere they are
    what they are without any bad entry."""
    with np.errstate(all="ignore"):
        made = sg.compile(lambda x, m: derivatives(f, x, m))
        x = np.where(CHOSEN, GOOD, bad).astype(dtype)
        found = made(x, CHOSEN)
        safe = made(np.where(CHOSEN, GOOD, 0.8).astype(dtype), np.ones(5, bool))
    slopes, curved = np.where(CHOSEN, safe[0], W), np.where(CHOSEN, safe[2], 0)
    tolerance = {"rtol": 1e-12 if dtype == np.float64 else 1e-4, "atol": 1e-12}
    np.testing.assert_allclose(found[0], slopes, **tolerance)
    np.testing.assert_allclose(found[1], slopes @ V, **tolerance)
    np.testing.assert_allclose(found[2], curved, **tolerance)
    np.testing.assert_allclose(found[3], curved, **tolerance)


def pairs(x):
    return np.stack([x, x * x], axis=-1)


def by_helper(x):
    y = np.zeros_like(x)
    y[:] = np.log(x)
    return y


def by_a_branch(x):
    if np.sum(x) > -100:
        y = np.log(x)
    else:
        y = 2 * x
    return y


BRANCHES = {  # the function, and where it or a slope of it is infinite or undefined
    "log": (np.log, 0.0),
    "log of a negative": (np.log, -1.0),
    "log1p": (np.log1p, -1.0),
    "sqrt": (np.sqrt, 0.0),
    "sqrt of a negative": (np.sqrt, -2.0),
    "cbrt": (np.cbrt, 0.0),
    "1/x": (lambda x: 1 / x, 0.0),
    "x**-1.5": (lambda x: x**-1.5, 0.0),
    "x**0.3": (lambda x: x**0.3, 0.0),
    "(-x)**1.5": (lambda x: x**1.5, -1.0),
    "x**x": (lambda x: x**x, 0.0),
    "x**30": (lambda x: (10 * x) ** 30, 1e20),
    "arcsin": (lambda x: np.arcsin(x / 2), 2.0),
    "arctanh": (lambda x: np.arctanh(x / 2), 2.0),
    "arccosh": (lambda x: np.arccosh(x + 1), 0.0),
    "sin(x)/x": (lambda x: np.sin(x) / x, 0.0),
    "exp": (lambda x: np.exp(x * x), 100.0),
    "exp of exp": (lambda x: np.exp(np.exp(x)), 100.0),
    "sigmoid": (lambda x: np.exp(x) / (1 + np.exp(x)), 1e4),
    "cosh": (np.cosh, 1e4),
    "nan": (lambda x: x * x, np.nan),
    "inf": (lambda x: x**3, np.inf),
    "norm of logs": (lambda x: np.linalg.norm(np.log(pairs(x)), axis=-1), 0.0),
    "sum": (lambda x: np.sum(1 / pairs(x), axis=-1), 0.0),
    "mean": (lambda x: np.mean(np.log(pairs(x)), axis=-1), 0.0),
    "max": (lambda x: np.max(np.log(pairs(x)), axis=-1), 0.0),
    "log of sum of exp": (lambda x: np.log(np.sum(np.exp(pairs(x)), axis=-1)), 1000.0),
    "arctan2": (lambda x: np.arctan2(x, x * x), 0.0),
    "hypot": (lambda x: np.hypot(x, x), 0.0),
    "rolled": (lambda x: np.roll(np.sqrt(np.roll(x, 1)), -1), 0.0),
    "reversed": (lambda x: np.log(x[::-1])[::-1], 0.0),
    "gathered": (lambda x: np.log(x)[np.arange(len(x))], 0.0),
    "reshaped": (lambda x: np.log(np.reshape(x, (1, -1))).ravel(), 0.0),
    "joined": (lambda x: np.concatenate([np.log(x[:2]), np.log(x[2:])]), 0.0),
    "column of a product": (lambda x: (np.log(x)[:, None] @ np.ones((1, 2)))[:, 0], 0.0),
    "stored": (by_helper, 0.0),
    "made in a branch": (by_a_branch, 0.0),
    "two deep": (lambda x: np.sqrt(np.log(x) ** 2 + 1) / x, 0.0),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_every_branch(name):
    f, bad = BRANCHES[name]
    check(lambda x, m: np.where(m, f(x), x), bad)


def stored_over(f, x, m):
    y = f(x)
    y[~m] = x[~m]
    return y


def stored_in(f, x, m):
    y = x.copy()
    y[m] = f(x)[m]
    return y


def copied(f, x, m):
    y = f(x)
    np.copyto(y, x, where=~m)
    return y


def masked_put(f, x, m):
    y = f(x)
    np.putmask(y, ~m, x)
    return y


def indexed(f, x, m):
    y, places = f(x), np.flatnonzero(~m)
    y[places] = x[places]
    return y


def in_a_loop(f, x, m):
    y = x.copy()
    for i in range(len(x)):
        value = f(x[i])
        if m[i]:
            y[i] = value
    return y


def added_where(f, x, m):
    both, kept = np.stack([f(x), x], -1), np.stack([m, ~m], -1)
    return np.sum(both, axis=-1, where=kept)


def again_and_again(f, x):
    y = x
    for _ in range(3):
        y = f(y) * 0.5 + x
    return y


def one_by_one(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = np.sqrt(x[i])
    return y


def squares(x):
    """A regular matrix for each entry."""
    y = np.stack([x, x * x + x], axis=-1)
    return y[:, :, None] * y[:, None, :] + np.eye(2)


MIXED = np.array([[0.4, -1.3], [0.7, 0.2]])
OPAQUE = {  # where the mask is not seen from the singular place
    "loop": (lambda x: again_and_again(np.sqrt, x), 0.0),
    "loop of logs": (lambda x: again_and_again(lambda y: np.log(y + 1), x), -1.0),
    "entry by entry": (one_by_one, 0.0),
    "product of matrices": (lambda x: (np.log(pairs(x)) @ MIXED)[:, 1], 0.0),
    "einsum": (lambda x: np.einsum("ij,jk,ik->i", np.log(pairs(x)), MIXED, pairs(x)), 0.0),
    "both factors": (lambda x: np.einsum("ij,ij->i", np.log(pairs(x)), 1 / pairs(x)), 0.0),
    "prod": (lambda x: np.prod(1 / pairs(x), axis=-1), 0.0),
    "cumprod": (lambda x: np.cumprod(1 / pairs(x), axis=-1)[:, 1], 0.0),
    "std": (lambda x: np.std(np.log(pairs(x)), axis=-1), 0.0),
    "inv": (lambda x: np.linalg.inv(squares(x))[:, 0, 1], np.nan),
    "solve": (lambda x: np.linalg.solve(squares(x), pairs(x)[:, :, None])[:, 0, 0], np.nan),
    "det": (lambda x: np.linalg.det(squares(x)), np.inf),
    "cholesky": (lambda x: np.linalg.cholesky(squares(x))[:, 1, 1], np.nan),
    "fft": (lambda x: np.abs(np.fft.fft(np.log(pairs(x) + 1), axis=-1)[:, 1]), -1.0),
    "cross": (lambda x: np.cross(np.log(pairs(x) @ np.ones((2, 3))), C3)[:, 0], 0.0),
}  # fmt: skip
C3 = np.array([0.5, -0.3, 0.8])


@pytest.mark.parametrize("name", OPAQUE)
def test_what_hides_the_mask(name):
    f, bad = OPAQUE[name]
    check(lambda x, m: np.where(m, f(x), x), bad)


def summed_in_a_loop(f, x, m):
    total = np.zeros_like(x)
    for _ in range(2):
        total = total + np.where(m, f(x), x) / 2
    return total


def largest_again_and_again(x, m):
    for _ in range(2):
        y = np.max(np.sqrt(pairs(x)), axis=-1)
        y[~m] = x[~m]
        x = y
    return x


def test_extremes_carried_on_in_a_loop():
    """Where all is nan no entry is the largest."""
    check(largest_again_and_again, -1.0)


@pytest.mark.parametrize("name", ["product of matrices", "inv"])
def test_chosen_by_number(name):
    f, bad = OPAQUE[name]
    check(lambda x, m: np.choose(m.astype(np.intp), [x, f(x)]), bad)


@pytest.mark.parametrize("name", ["product of matrices", "entry by entry", "solve"])
def test_selected_in_a_loop(name):
    f, bad = OPAQUE[name]
    check(lambda x, m: summed_in_a_loop(f, x, m), bad)


def picked(f, x, m):
    y, places = x.copy(), np.flatnonzero(m)
    y[places] = f(x)[places]
    return y


def picked_one_by_one(f, x, m):
    y, made = x.copy(), f(x)
    for k in np.flatnonzero(m):
        y[k] = made[k]
    return y


def joined(f, x, m):
    on, off = np.flatnonzero(m), np.flatnonzero(~m)
    both = np.concatenate([np.take(f(x), on), x[off]])
    return both[np.argsort(np.concatenate([on, off]))]


def overwritten(f, x, m):
    y, places = f(x) + 0.0, np.flatnonzero(~m)
    y[places] = x[places]
    return y


PLACES = [picked, picked_one_by_one, joined, overwritten]


@pytest.mark.parametrize("way", PLACES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["product of matrices", "loop", "std", "entry by entry"])
def test_selected_by_places(name, way):
    f, bad = OPAQUE[name]
    check(lambda x, m: way(f, x, m), bad)


def test_selected_by_places_from_outside():
    """What of the rows is left out is known from the places alone."""

    def loss(x, places):
        return np.sum((np.log(pairs(x)) @ MIXED)[places] ** 2)

    places, x = np.array([0, 2, 4]), np.where(CHOSEN, GOOD, 0.0)
    with np.errstate(all="ignore"):
        gradient = sg.grad(loss)(x, places)
        curved = sg.jacrev(sg.grad(loss))(x, places)
    safe = np.where(CHOSEN, GOOD, 0.8)
    assert np.array_equal(gradient, np.where(CHOSEN, sg.grad(loss)(safe, places), 0))
    wanted = sg.jacrev(sg.grad(loss))(safe, places)
    assert np.allclose(curved, np.where(np.outer(CHOSEN, CHOSEN), wanted, 0))


@sg.custom_vjp
def root_by_rule(y):
    return np.sum(np.sqrt(y) * y, axis=-1)


root_by_rule.defvjp(
    lambda y: (root_by_rule(y), y),
    lambda y, g: (np.expand_dims(g, -1) * 1.5 * np.sqrt(y),),
)


class ProductByRule(sg.Function):
    """The product of rows of logarithms and a matrix."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return np.log(x) @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_arrays
        return g @ w.T / x, None


RULES = {
    "custom_vjp": (lambda x: root_by_rule(pairs(x)), -1.0),
    "Function": (lambda x: ProductByRule.apply(pairs(x), MIXED)[:, 1], 0.0),
    "in a loop": (lambda x: again_and_again(lambda y: root_by_rule(pairs(y)), x), -1.0),
}


@pytest.mark.parametrize("way", ["where", "picked"])
@pytest.mark.parametrize("name", RULES)
def test_rules_of_the_users(name, way):
    f, bad = RULES[name]
    check(lambda x, m: np.where(m, f(x), x) if way == "where" else picked(f, x, m), bad)


def test_parameters_behind_rows_that_are_not_selected():
    """Rows of nan in a batch say nothing about the weight, in both orders."""

    def loss(w, x, m):
        return np.sum(np.where(m[:, None], np.tanh(x @ w), 0.0) ** 2)

    w, x = np.array([[0.3, -0.5], [0.8, 0.1]]), np.array([[1.0, 2.0], [np.nan, np.inf]])
    m = np.array([True, False])
    slope, curved = sg.grad(loss), sg.jacrev(sg.grad(loss))
    assert np.allclose(slope(w, x, m), slope(w, x[:1], m[:1]), rtol=1e-12)
    assert np.allclose(curved(w, x, m), curved(w, x[:1], m[:1]), rtol=1e-12)
    assert np.array_equal(sg.jacfwd(loss)(w, x, m), sg.jacfwd(loss)(w, x[:1], m[:1]))


def test_an_adjoint_that_is_zero_by_accident():
    """At a perfect fit the first derivative is zero, the second is not."""

    def loss(x):
        y = x
        for _ in range(2):
            y = np.log(y) + 1.0
        return np.sum(np.where(y < 50, (y - 1.0) ** 2, y))

    x = np.ones(3)
    assert np.array_equal(sg.grad(loss)(x), np.zeros(3))
    assert np.allclose(sg.jacrev(sg.grad(loss))(x), 2 * np.eye(3))
    assert np.allclose(sg.hessian(loss)(x), 2 * np.eye(3))


WAYS = {
    "where not": lambda f, x, m: np.where(~m, x, f(x)),
    "select": lambda f, x, m: np.select([m, ~m], [f(x), x], 0.0),
    "choose": lambda f, x, m: np.choose(m.astype(np.intp), [x, f(x)]),
    "two deep": lambda f, x, m: np.where(m, np.where(x > 0.1, f(x), 2 * x), x),
    "from both sides": lambda f, x, m: np.where(
        x > 0.8, np.where(m, f(x), x), stored_over(f, x, m)
    ),
    "two masks added": lambda f, x, m: np.where(m, 2 * f(x), x) - np.where(m, f(x), 0.0),
    "scaled after": lambda f, x, m: (np.where(m, 2 * f(x) + 1, 2 * x + 1) - 1) / 2,
    "reshaped after": lambda f, x, m: np.where(m[:, None], f(x)[:, None], x[:, None])[:, 0],
    "sum with where": added_where,
    "stored over": stored_over,
    "stored in": stored_in,
    "copyto": copied,
    "putmask": masked_put,
    "index array": indexed,
    "in a loop": in_a_loop,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_select(way):
    f, bad = BRANCHES["1/x"]
    check(lambda x, m: WAYS[way](f, x, m), bad)


@pytest.mark.parametrize("way", ["two deep", "stored over", "stored in", "index array"])
def test_stores_of_a_root(way):
    """A root's slope is written with the root itself, which is stored over."""
    f, bad = BRANCHES["sqrt"]
    check(lambda x, m: WAYS[way](f, x, m), bad)


def test_single_precision():
    check(lambda x, m: np.where(m, np.log(x), x), 0.0, np.float32)
    check(lambda x, m: np.where(m, np.exp(x), x), 200.0, np.float32)


LIMITED = {
    "minimum": (lambda x: np.minimum(1 / x, 0.5), 0.0),
    "maximum": (lambda x: np.maximum(np.log(x), -2.0), 0.0),
    "fmin": (lambda x: np.fmin(np.sqrt(x), 0.1), -1.0),
    "fmax": (lambda x: np.fmax(np.log(x), 0.5), -1.0),
    "clip": (lambda x: np.clip(np.log(x), -3.0, 0.5), 0.0),
    "nan_to_num": (lambda x: np.nan_to_num(np.sqrt(x), nan=3.0), -1.0),
    "nansum": (lambda x: np.nansum(np.sqrt(x)[:, None], axis=1), -1.0),
    "nanmean": (lambda x: np.nanmean(np.sqrt(x)), -1.0),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits(name):
    """A value that is limited, or is no number, passes nothing on."""
    f, bad = LIMITED[name]
    x = np.array([0.3, bad, 2.5])
    with np.errstate(all="ignore"):
        gradient = sg.grad(lambda x: np.sum(f(x) * 2))
        twice = sg.grad(lambda x: np.sum(gradient(x) * x[::-1]))
        for derivative in (gradient(x), sg.jvp(gradient, (x,), (x,))[1], twice(x)):
            assert np.all(np.isfinite(derivative))
        assert gradient(x)[1] == 0


def softplus(z):
    return np.where(z > 30, z, np.log(1 + np.exp(z)))


def elu(z):
    return np.where(z > 0, z, np.exp(z) - 1)


@pytest.mark.parametrize("activation", [softplus, elu], ids=lambda f: f.__name__)
def test_activations_far_out(activation):
    """Overflow in what is not selected, of a matrix product: a nan there is in no other entry."""

    def loss(w, x):
        return np.sum(activation(x @ w))

    w, x = np.array([[1.0, 0.5], [2.0, -1.0]]), np.array([[1.0, 2.0], [900.0, 900.0]])
    with np.errstate(all="ignore"):
        slope, curved = sg.grad(loss)(w, x), sg.jacrev(sg.grad(loss))(w, x)
    assert np.allclose(slope[:, 0], x.sum(axis=0), rtol=0.01)
    assert np.all(np.isfinite(curved))


def test_one_select_in_the_right_place():
    def f(x, low):
        return np.sum(np.where(x > low, np.sqrt(np.log(x)), 0.0))

    lines = sg.grad(f).lower(W, 1.5).source.splitlines()
    code = [line.strip() for line in lines if "#" not in line]
    assert sum("np.where" in line for line in code) == 1
    assert code[-2].startswith("g_x = np.where(x > low, ")


def test_stores_clear_what_has_been_scaled():
    def f(x, m):
        y = np.sqrt(x)
        y[m] = 0.0
        return np.sum(y)

    lines = [line.strip() for line in sg.grad(f).lower(W, CHOSEN).source.splitlines()]
    assert lines[-3:] == ["g_x = 0.5 / y", "g_x[m] = 0", "return g_x"]


def test_masks_of_layers_cost_nothing():
    """A mask that compares the values it selects from hides no nan in a weight."""

    def leaky(z):
        return np.where(z > 0, z, 0.2 * z)

    def loss(w1, w2, x):
        return np.sum(leaky(leaky(x @ w1) @ w2) ** 2)

    w = np.ones((3, 3))
    source = sg.grad(loss, (0, 1)).lower(w, w, w).source
    assert "np.any" not in source
    assert "!= 0" not in source


def solved_step_by_step(q, v):
    for _ in range(3):
        m = np.outer(q, q) + np.eye(2)
        v = v + np.linalg.solve(m, np.where(q > 0, np.sqrt(np.abs(q)), v) * v)
        q = q + 0.1 * v
        if v[0] > 1e6:
            break
    return np.sum(q**2)


def test_one_vector_on_the_right_of_a_system_in_a_loop():
    check_grads(solved_step_by_step, (np.array([0.3, -0.7]), np.array([0.1, -0.2])))
