"""Losses that compare numbers with numbers. ``losses_of_classes`` has the others.

Every loss takes ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. Shapes have to be equal:
broadcasting is nearly always a mistake here, and raises ValueError.
"""

from __future__ import annotations

import math

import numpy as np

from ._options import Array, fitting, reduced


def mse_loss(x: Array, target: Array, *, reduction: str = "mean") -> Array:
    """Squared differences.

    >>> F.mse_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.25)
    """
    target = fitting(x, target)
    return reduced((x - target) ** 2, reduction)


def l1_loss(x: Array, target: Array, *, reduction: str = "mean") -> Array:
    """Absolute differences; the derivative at 0 is 0.

    >>> F.l1_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.5)
    """
    target = fitting(x, target)
    return reduced(np.abs(x - target), reduction)


def huber_loss(
    x: Array, target: Array, *, reduction: str = "mean", delta: float = 1.0
) -> Array:
    """Half the squared difference, continued by lines where it is larger than ``delta``.

    >>> F.huber_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.125)
    """
    target = fitting(x, target)
    if delta <= 0:
        raise ValueError(f"delta must be positive, got {delta}")
    far = x - target
    near = np.clip(far, -delta, delta)
    return reduced(near * (far - near / 2), reduction)


def smooth_l1_loss(
    x: Array, target: Array, *, reduction: str = "mean", beta: float = 1.0
) -> Array:
    """``huber_loss / beta``; with ``beta=0`` it is ``l1_loss``.

    >>> F.smooth_l1_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.125)
    """
    if beta < 0:
        raise ValueError(f"beta must not be negative, got {beta}")
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    return huber_loss(x, target, reduction=reduction, delta=beta) / beta


def poisson_nll_loss(
    x: Array,
    target: Array,
    log_input: bool = True,
    *,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Array:
    """Minus the log-probability of counts; ``x`` is the logarithm of their mean.

    With ``log_input=False``, ``x`` is the mean; ``full`` adds Stirling's term.

    >>> F.poisson_nll_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(1.3987212707001282)
    """
    target = fitting(x, target)
    loss = np.exp(x) - target * x if log_input else x - target * np.log(x + eps)
    if full:
        count = np.where(target > 1, target, 1)
        tail = count * np.log(count) - count + 0.5 * np.log(2 * math.pi * count)
        loss = loss + np.where(target > 1, tail, 0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    x: Array,
    target: Array,
    var: Array,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Array:
    """Minus the log-density of ``target`` under normal distributions (``x``, ``var``).

    >>> F.gaussian_nll_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.ones(2))
    np.float64(0.125)
    """
    target = fitting(x, target)
    if np.any(var < 0):
        raise ValueError("var has negative entries")
    var = np.maximum(var, eps)
    loss = 0.5 * (np.log(var) + (x - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# ------------------------------------------------------------------ vectors and distances
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """The cosine of the angle between vectors along ``dim``.

    >>> F.cosine_similarity(np.eye(2), np.ones((2, 2)))
    array([0.70710678, 0.70710678])
    """
    lengths = np.maximum(np.linalg.norm(x1, axis=dim), eps) * np.maximum(
        np.linalg.norm(x2, axis=dim), eps
    )
    return np.sum(x1 * x2, axis=dim) / lengths


def pairwise_distance(
    x1: Array, x2: Array, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Array:
    """The p-norms of ``x1 - x2 + eps`` along the last axis.

    >>> F.pairwise_distance(np.eye(2), np.ones((2, 2)))
    array([0.999999, 0.999999])
    """
    return np.linalg.norm(x1 - x2 + eps, ord=p, axis=-1, keepdims=keepdim)


def cosine_embedding_loss(
    x1: Array, x2: Array, target: Array, margin: float = 0.0, *, reduction: str = "mean"
) -> Array:
    """``1 - cos`` where ``target`` is 1, ``relu(cos - margin)`` where it is -1.

    >>> F.cosine_embedding_loss(np.eye(2), np.ones((2, 2)), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """
    x2 = fitting(x1, x2)
    cosine = cosine_similarity(x1, x2, dim=x1.ndim - 1)
    target = fitting(cosine, target)
    apart = np.where(cosine > margin, cosine - margin, 0)
    return reduced(np.where(target > 0, 1 - cosine, apart), reduction)


def margin_ranking_loss(
    x1: Array, x2: Array, target: Array, margin: float = 0.0, *, reduction: str = "mean"
) -> Array:
    """``relu(margin - target * (x1 - x2))``: which of two should be larger.

    >>> F.margin_ranking_loss(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """
    target = fitting(x1, target)
    loss = margin - target * (x1 - fitting(x1, x2))
    return reduced(np.where(loss > 0, loss, 0), reduction)


def hinge_embedding_loss(
    x: Array, target: Array, margin: float = 1.0, *, reduction: str = "mean"
) -> Array:
    """``x`` where ``target`` is 1, ``relu(margin - x)`` where it is -1.

    >>> F.hinge_embedding_loss(np.array([0.5, 0.5]), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """
    target = fitting(x, target)
    apart = np.where(x < margin, margin - x, 0)
    return reduced(np.where(target > 0, x, apart), reduction)


def soft_margin_loss(x: Array, target: Array, *, reduction: str = "mean") -> Array:
    """``log(1 + exp(-target * x))`` for targets 1 and -1.

    >>> F.soft_margin_loss(np.array([0.5, 0.5]), np.array([-1.0, 1.0]))
    np.float64(0.7240769841801067)
    """
    target = fitting(x, target)
    return reduced(np.logaddexp(-target * x, 0), reduction)


def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    *,
    reduction: str = "mean",
) -> Array:
    """``relu(d(anchor, positive) - d(anchor, negative) + margin)``.

    >>> F.triplet_margin_loss(np.zeros((1, 2)), np.ones((1, 2)), np.eye(2)[:1])
    np.float64(1.4142131481590328)
    """
    near = pairwise_distance(anchor, positive, p, eps)
    loss = near - pairwise_distance(anchor, negative, p, eps) + margin
    return reduced(np.where(loss > 0, loss, 0), reduction)
