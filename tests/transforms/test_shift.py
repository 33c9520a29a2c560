"""Maxima that cancel are constants; those that do not keep their derivative."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

RNG = np.random.default_rng(5)
Z = RNG.standard_normal((4, 4))
W = RNG.standard_normal((4, 4))
LABELS = np.array([1, 0, 3, 2])


def softmax(z, w):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) * w)


def softmax_of_columns(z, w):
    e = np.exp(z - z.max(axis=0))
    return np.sum(e / np.sum(e, axis=0) * w)


def logsumexp(z):
    top = np.max(z, axis=-1)
    return np.sum(np.sin(np.log(np.sum(np.exp(z - top[:, np.newaxis]), axis=-1)) + top))


def logsumexp_of_all(z):
    top = np.max(z)
    return np.log(np.sum(np.exp(z - top))) + top


def cross_entropy(z, labels):
    z = z - np.max(z, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(log_norm - z[np.arange(len(labels)), labels])


def log_softmax(z, w):
    z = z - np.max(z, axis=1, keepdims=True)
    return np.sum(w * (z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))))


def leaks(z):
    top = np.max(z, axis=1, keepdims=True)
    e = np.exp(z - top)
    return np.sum(e / np.sum(e, axis=1, keepdims=True)) + np.sum(top**2)


def wrong_axis(z, w):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=0, keepdims=True) * w)


def turned_about(z, w):
    d = z - np.max(z, axis=1, keepdims=True)
    return np.sum(w * (d - d[::-1]))


def transposed(z, w):
    d = z - np.max(z, axis=1, keepdims=True)
    return np.sum(w * (d - d.T))


def other_rows(z, labels):
    z = z - np.max(z, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(log_norm - z[labels, labels])


def twice(z, w):
    d = z - np.max(z, axis=1, keepdims=True)
    return np.sum(w * (d + np.log(np.sum(np.exp(d), axis=1, keepdims=True))))


def plain(z):
    return np.sum(np.max(z, axis=1) * z[:, 0])


CANCELS = [
    (softmax, (Z, W)),
    (softmax_of_columns, (Z, W)),
    (logsumexp, (Z,)),
    (logsumexp_of_all, (Z,)),
    (cross_entropy, (Z, LABELS)),
    (log_softmax, (Z, W)),
]
STAYS = [
    (leaks, (Z,)),
    (wrong_axis, (Z, W)),
    (turned_about, (Z, W)),
    (transposed, (Z, W)),
    (other_rows, (Z, LABELS)),
    (twice, (Z, W)),
    (plain, (Z,)),
]


@pytest.mark.parametrize(("fun", "args"), CANCELS, ids=lambda c: getattr(c, "__name__", ""))
def test_a_maximum_that_cancels_has_no_adjoint(fun, args):
    assert "==" not in sg.grad(fun).lower(*args).source
    check_grads(fun, args)


@pytest.mark.parametrize(("fun", "args"), STAYS, ids=lambda c: getattr(c, "__name__", ""))
def test_a_maximum_that_matters_keeps_its_adjoint(fun, args):
    assert "==" in sg.grad(fun).lower(*args).source
    check_grads(fun, args)


def test_a_gradient_inside_knows_too():
    def penalty(z, w):
        g = sg.grad(softmax)(z, w)
        return np.sum(g**2) + np.sum(np.max(z, axis=1) ** 2)

    check_grads(penalty, (Z, W))
