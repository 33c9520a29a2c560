"""Losses for class numbers and for probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._options import Array, check_reduction, fitting, reduced


# -------------------------------------------------------------------------- class numbers
def _rows(x: Array) -> Array:
    """(n, classes), (classes,) or (n, classes, ...) as rows of classes."""
    if x.ndim == 1:
        return np.expand_dims(x, 0)
    if x.ndim == 2:
        return x
    return np.reshape(np.moveaxis(x, 1, -1), (-1, x.shape[1]))


def _labels(x: Array, rows: Array, target: Array, ignore_index: int) -> tuple[Array, Array]:
    """Class numbers in a row, and which of them count: the most likely class, whose loss is
    finite, stands in for the others."""
    expected = x.shape[:1] + x.shape[2:] if x.ndim > 1 else ()
    if np.shape(target) != expected:
        raise ValueError(
            f"class numbers of shape {np.shape(target)} do not fit logits of shape {x.shape}"
        )
    labels = np.reshape(target, -1)
    counted = labels != ignore_index
    labels = np.where(counted, labels, np.argmax(rows, axis=1))
    if np.any((labels < 0) | (labels >= rows.shape[1])):
        raise IndexError("a label is not the number of a class")
    return labels, counted


def _counts(
    labels: Array, counted: Array, weight: Array, dtype: Any
) -> tuple[Array, Array]:
    """How much each loss counts, and all of them together."""
    numbers = counted.astype(dtype)
    if weight is None:
        return numbers, np.sum(counted, dtype=dtype)
    numbers = numbers * weight[labels]
    return numbers, np.sum(numbers)


def nll_loss(
    x: Array,
    target: Array,
    weight: Array = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Array:
    """Minus the entries of ``x`` (log-probabilities) at the class numbers ``target``.

    Args:
        x: (n, classes), (classes,) or (n, classes, ...).
        target: integers, the shape of ``x`` without its classes.
        weight: (classes,), how much each class counts.
        ignore_index: a label that does not count.
        reduction: ``"mean"`` (weighted), ``"sum"`` or ``"none"``.

    Raises:
        IndexError: a label is not the number of a class.
        ValueError: shapes do not fit, or an unknown reduction.

    >>> F.nll_loss(np.log(np.full((2, 4), 0.25)), np.array([0, 3]))
    np.float64(1.3862943611198906)
    """
    check_reduction(reduction)
    rows = _rows(x)
    labels, counted = _labels(x, rows, target, ignore_index)
    counts, total = _counts(labels, counted, weight, x.dtype)
    losses = -counts * rows[np.arange(len(labels)), labels]
    if reduction == "none":
        return np.reshape(losses, np.shape(target))
    return np.sum(losses) / total if reduction == "mean" else np.sum(losses)


def cross_entropy(
    x: Array,
    target: Array,
    weight: Array = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """Minus the log-probability of ``target`` under ``softmax(x)``.

    Args:
        x: logits (n, classes), (classes,) or (n, classes, ...).
        target: class numbers, the shape of ``x`` without its classes; or probabilities, the
            shape of ``x``.
        weight: (classes,), how much each class counts.
        ignore_index: a class number that does not count.
        reduction: ``"mean"`` (for class numbers weighted), ``"sum"`` or ``"none"``.
        label_smoothing: this share of each target is spread evenly over the classes.

    Raises:
        IndexError: a label is not the number of a class.
        ValueError: shapes do not fit, or an argument is out of range.

    >>> F.cross_entropy(np.zeros((2, 4)), np.array([0, 3]))
    np.float64(1.3862943611198906)
    """
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing must be from 0 to 1, got {label_smoothing}")
    if np.ndim(target) == x.ndim:
        return _soft_cross_entropy(x, target, weight, reduction, label_smoothing)
    rows = _rows(x)
    labels, counted = _labels(x, rows, target, ignore_index)
    counts, total = _counts(labels, counted, weight, x.dtype)
    shifted = rows - np.max(rows, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    losses = counts * (log_norm - shifted[np.arange(len(labels)), labels])
    if label_smoothing > 0:
        each = np.expand_dims(log_norm, 1) - shifted
        spread = np.mean(each if weight is None else each * weight, axis=1)
        spread = spread * counted.astype(x.dtype)
        losses = (1 - label_smoothing) * losses + label_smoothing * spread
    if reduction == "none":
        return np.reshape(losses, np.shape(target))
    return np.sum(losses) / total if reduction == "mean" else np.sum(losses)


def _soft_cross_entropy(
    x: Array, target: Array, weight: Array, reduction: str, label_smoothing: float
) -> Array:
    """``cross_entropy`` for probabilities."""
    target = fitting(x, target)
    axis = min(x.ndim, 2) - 1
    classes = x.shape[axis]
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    if weight is not None:
        target = target * np.reshape(weight, (classes, *(1,) * max(x.ndim - 2, 0)))
    shifted = x - np.max(x, axis=axis, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=axis))
    losses = np.sum(target, axis=axis) * log_norm - np.sum(target * shifted, axis=axis)
    return reduced(losses, reduction)


# -------------------------------------------------------------------------- probabilities
def binary_cross_entropy(
    x: Array, target: Array, weight: Array = None, *, reduction: str = "mean"
) -> Array:
    """``-target * log(x) - (1 - target) * log(1 - x)``; logarithms end at -100.

    Args:
        x: probabilities.
        target: probabilities, or 0 and 1; the shape of ``x``.
        weight: a factor of the losses.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        ValueError: shapes differ, an unknown reduction, or ``x`` is no probability.

    >>> F.binary_cross_entropy(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.6931471805599453)
    """
    target = fitting(x, target)
    if np.any((x < 0) | (x > 1)):
        raise ValueError(
            "the input must be from 0 to 1; see binary_cross_entropy_with_logits"
        )
    losses = -target * _bounded_log(x) - (1 - target) * _bounded_log(1 - x)
    return reduced(losses if weight is None else losses * weight, reduction)


def _bounded_log(x: Array) -> Array:
    """``max(log(x), -100)``, quietly at 0."""
    return np.where(x > 0, np.maximum(np.log(np.where(x > 0, x, 1)), -100), -100)


def binary_cross_entropy_with_logits(
    x: Array,
    target: Array,
    weight: Array = None,
    *,
    reduction: str = "mean",
    pos_weight: Array = None,
) -> Array:
    """``binary_cross_entropy`` of ``sigmoid(x)``, without overflow.

    Args:
        x: logits.
        target: probabilities, or 0 and 1; the shape of ``x``.
        weight: a factor of the losses.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        pos_weight: a factor of ``target``, such as (classes,).

    Raises:
        ValueError: shapes differ, or an unknown reduction.

    >>> F.binary_cross_entropy_with_logits(np.zeros(2), np.array([0.0, 1.0]))
    np.float64(0.6931471805599453)
    """
    target = fitting(x, target)
    softplus = np.logaddexp(-x, 0)
    if pos_weight is not None:
        softplus = (1 + (pos_weight - 1) * target) * softplus
    losses = (1 - target) * x + softplus
    return reduced(losses if weight is None else losses * weight, reduction)


def kl_div(
    x: Array, target: Array, *, reduction: str = "mean", log_target: bool = False
) -> Array:
    """``target * (log(target) - x)``: the divergence of log-probabilities ``x``.

    Args:
        x: log-probabilities.
        target: probabilities, or with ``log_target`` their logarithms; the shape of ``x``.
        reduction: ``"batchmean"`` (the divergence), ``"mean"``, ``"sum"`` or ``"none"``.
        log_target: whether ``target`` is given as logarithms.

    Raises:
        ValueError: shapes differ, or an unknown reduction.

    >>> F.kl_div(np.log(np.full((1, 2), 0.5)), np.array([[1.0, 0.0]]), reduction="batchmean")
    np.float64(0.6931471805599453)
    """
    target = fitting(x, target)
    if log_target:
        losses = np.exp(target) * (target - x)
    else:
        losses = np.where(
            target > 0, target * (np.log(np.where(target > 0, target, 1)) - x), 0
        )
    if reduction == "batchmean":
        return np.sum(losses) / x.shape[0]
    return reduced(losses, reduction)
