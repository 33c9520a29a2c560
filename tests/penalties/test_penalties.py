"""Gradients of losses that hold a gradient, each one compiled function."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

from . import critics

RNG = np.random.default_rng(3)


def normal(*shape):
    return RNG.standard_normal(shape)


ROWS = normal(4, 6)
IMAGES = normal(2, 1, 4, 4)
CASES = {
    critics.plain: ([normal(6, 5), normal(5), normal(5)], ROWS),
    critics.convolution: (
        [normal(2, 1, 3, 3), normal(2), normal(2, 2, 2, 2), normal(8)],
        IMAGES,
    ),
    critics.average_pooling: ([normal(2, 1, 3, 3), normal(8)], IMAGES),
    critics.max_pooling: ([normal(2, 1, 3, 3), normal(8)], IMAGES),
    critics.batch_normalisation: ([normal(6, 5), normal(5), normal(5), normal(5)], ROWS),
    critics.layer_normalisation: ([normal(6, 5), normal(5), normal(5), normal(5)], ROWS),
    critics.attention: ([normal(2, 2), normal(2, 2), normal(2, 2), normal(6)], ROWS),
    critics.recurrent: ([normal(5, 5), normal(5), normal(5)], ROWS),
    critics.gated: ([normal(5, 5), normal(5), normal(5)], ROWS),
}


def lengths(g):
    """The squared length of each row's gradient."""
    return np.sum(np.reshape(g, (len(g), -1)) ** 2, axis=1)


def r1(critic):
    """The non-saturating loss of real images and gamma / 2 |grad D|**2 (Mescheder et al.
    2018, eq. 9)."""

    def loss(params, x, gamma):
        g_x = sg.grad(lambda x: np.sum(critic(params, x)))(x)
        score = critic(params, x)
        return np.mean(np.logaddexp(0, -score)) + gamma / 2 * np.mean(lengths(g_x))

    return loss


@pytest.mark.parametrize("critic", CASES, ids=lambda c: c.__name__)
def test_r1(critic):
    params, x = CASES[critic]
    check_grads(r1(critic), (params, x, 1.5), order=1, modes=["rev"], atol=2e-5, rtol=2e-5)


def test_r1_of_the_dirac_gan():
    """D(x) = psi * x on a point mass at theta: the penalty is gamma / 2 * psi**2 wherever the
    point is (Mescheder, Geiger, Nowozin 2018, section 4), its gradient gamma * psi."""

    def penalty(psi, theta, gamma):
        return gamma / 2 * sg.grad(lambda x: psi * x)(theta) ** 2

    value, slopes = sg.value_and_grad(penalty, (0, 1, 2))(1.25, 0.4, 3.0)
    assert value == pytest.approx(1.5 * 1.25**2, rel=1e-15)
    assert slopes == pytest.approx((3.0 * 1.25, 0.0, 1.25**2 / 2), rel=1e-15)


def test_r1_of_a_quadratic_form():
    """D(x) = x A x / 2 with A symmetric: the penalty gamma / 2 x A A x, its gradient with
    respect to x gamma A A x."""
    a = normal(5, 5)
    a, x = a + a.T, normal(5)

    def penalty(x):
        g_x = sg.grad(lambda x: x @ a @ x / 2)(x)
        return 1.5 / 2 * np.sum(g_x**2)

    assert np.allclose(sg.grad(penalty)(x), 1.5 * a @ a @ x, rtol=1e-13)


def r2(params, z, gamma):
    """R1's counterpart on what the generator makes (Mescheder et al. 2018, eq. 10)."""
    (weights, bias), critic = params
    made = np.tanh(z @ weights + bias)
    g_x = sg.grad(lambda x: np.sum(critics.plain(critic, x)))(made)
    return gamma / 2 * np.mean(lengths(g_x))


def test_r2_through_the_generator():
    params = ([normal(3, 6), normal(6)], CASES[critics.plain][0])
    check_grads(r2, (params, normal(4, 3), 2.0), order=1, modes=["rev"])


def wgan_gp(params, real, made, seed, weight):
    """The critic's loss with a penalty on straight lines between real and made (Gulrajani et
    al. 2017, algorithm 1)."""
    between = np.random.default_rng(seed).uniform(size=(real.shape[0], 1))
    mixed = between * real + (1 - between) * made
    g_x = sg.grad(lambda x: np.sum(critics.plain(params, x)))(mixed)
    length = np.sqrt(np.sum(g_x**2, axis=1))
    scores = np.mean(critics.plain(params, made)) - np.mean(critics.plain(params, real))
    return scores + weight * np.mean((length - 1) ** 2)


def test_wgan_gp_with_random_interpolation():
    params, real = CASES[critics.plain]
    check_grads(wgan_gp, (params, real, normal(4, 6), 11, 10.0), order=1)


def test_wgan_gp_with_the_caller_s_generator():
    """A Generator as argument is drawn from, call by call."""

    def loss(params, real, made, rng):
        between = rng.uniform(size=(real.shape[0], 1))
        mixed = between * real + (1 - between) * made
        g_x = sg.grad(lambda x: np.sum(critics.plain(params, x)))(mixed)
        return np.mean((np.linalg.norm(g_x, axis=1) - 1) ** 2)

    params, real = CASES[critics.plain]
    made, step = normal(4, 6), 1e-6
    [w1, b1, w2], rng = params, np.random.default_rng(5)
    slope = sg.grad(loss)(params, real, made, rng)[2]
    drawn = rng.uniform()
    fresh = np.random.default_rng(5)
    fresh.uniform(size=4)
    assert drawn == fresh.uniform()
    direction = normal(5)
    ends = [loss_at(loss, [w1, b1, w2 + s * direction], real, made) for s in (-step, step)]
    assert slope @ direction == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)


def loss_at(loss, params, real, made):
    return loss(params, real, made, np.random.default_rng(5))


def path_length(params, w, noise, mean):
    """(|J_w^T y| - a)**2 of a generator y = G(w) (Karras et al. 2020, eq. 4)."""
    w1, w2 = params
    g_w = sg.grad(lambda w: np.sum(np.tanh(np.tanh(w @ w1) @ w2) * noise))(w)
    size = np.sqrt(np.mean(np.sum(g_w**2, axis=1)))
    return (size - mean) ** 2


def test_path_length_regularisation():
    args = ([normal(3, 5), normal(5, 4)], normal(4, 3), normal(4, 4), 0.7)
    check_grads(path_length, args, order=1)


def test_path_length_by_vjp():
    """The same with a pullback of random images."""

    def penalty(params, w, noise):
        w1, w2 = params
        out, pull = sg.vjp(lambda w: np.tanh(np.tanh(w @ w1) @ w2), w)
        [g_w] = pull(noise)
        return np.mean(np.linalg.norm(g_w, axis=1)) + np.mean(out)

    args = ([normal(3, 5), normal(5, 4)], normal(4, 3), normal(4, 4))
    check_grads(penalty, args, order=1)


def test_penalty_on_each_example_s_jacobian():
    """``vmap`` of a gradient inside the loss: equal to the gradient of the sum."""

    def penalty(params, x):
        def score(row):
            return critics.plain(params, row[np.newaxis])[0]

        return np.mean(lengths(sg.vmap(sg.grad(score))(x)))

    def by_sum(params, x):
        return np.mean(lengths(sg.grad(lambda x: np.sum(critics.plain(params, x)))(x)))

    params, x = CASES[critics.plain]
    for got, wanted in zip(
        sg.grad(penalty)(params, x), sg.grad(by_sum)(params, x), strict=True
    ):
        assert np.allclose(got, wanted, rtol=1e-12)


def test_penalty_of_a_penalty():
    """Third order: the gradient of R1 with respect to x is penalised in turn."""

    def penalty(params, x):
        def inner(x):
            g_x = sg.grad(lambda x: np.sum(critics.plain(params, x)))(x)
            return np.sum(g_x**2)

        return np.sum(sg.grad(inner)(x) ** 2)

    params, x = CASES[critics.plain]
    check_grads(penalty, (params, x[:2]), order=1, modes=["rev"], atol=2e-5, rtol=2e-5)
