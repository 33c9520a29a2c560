"""Layers written out: windows, helpers, single precision."""

# ruff: noqa: N806  (the letters that formulas have)
from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform


def softmax(x):
    """Over the last of four axes."""
    top = np.max(x, axis=-1, keepdims=True)
    shifted = np.exp(x - top)
    total = np.sum(shifted, axis=-1, keepdims=True)
    return shifted / total


def relu(x):
    """What is negative is 0."""
    return np.maximum(x, 0)


def probabilities(x):
    """The softmax of rows."""
    top = np.max(x, axis=-1, keepdims=True)
    shifted = np.exp(x - top)
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def mlp(x, w1, b1, w2, b2, w3, b3):
    """Three layers; a name is used again and again."""
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return probabilities(x @ w3 + b3)


def conv2d(x, weights, dtype=np.float32):
    """Windows of the image times the weights, summed, into an array of float32."""
    K = weights.shape[0]
    N, H, W = x.shape[0], x.shape[1] - K + 1, x.shape[2] - K + 1
    out = np.empty((N, H, W, weights.shape[3]), dtype)
    for i in range(H):
        for j in range(W):
            out[:, i, j, :] = np.sum(
                x[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return out


def conv2d_bias(x, weights, bias):
    """With a bias for each channel."""
    return conv2d(x, weights) + bias


def maxpool2d(x):
    """The largest of each window of two by two."""
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(
                x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    return out


def lenet_start(x, weights, bias):
    """A convolution, what is positive of it, and the largest of windows."""
    return maxpool2d(relu(conv2d_bias(x, weights, bias)))


def batchnorm(x, eps=1e-3):
    """Each place to mean 0 and deviation 1 over the batch."""
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


def residual_block(x, w1, w2, w3):
    """Three convolutions around which the input passes by."""
    inner = conv2d(x, w1, x.dtype)
    shape = (inner.shape[0], inner.shape[1] + 2, inner.shape[2] + 2, inner.shape[3])
    padded = np.zeros(shape, x.dtype)
    padded[:, 1:-1, 1:-1, :] = inner
    y = relu(batchnorm(padded))
    y = relu(batchnorm(conv2d(y, w2, x.dtype)))
    y = batchnorm(conv2d(y, w3, x.dtype))
    return relu(y + x)


def diagonal_lstm(embedding, wx, wf, wi, wo, wc, text):
    """A character model whose gates see only their own cell."""
    hidden = np.zeros(wf.shape[0])
    cell = np.zeros(wf.shape[0])
    loss = 0.0
    for t in range(len(text) - 1):
        x = embedding[text[t]]
        forget = 1 / (1 + np.exp(-(wf * hidden + x)))
        enter = 1 / (1 + np.exp(-(wi * hidden + x)))
        leave = 1 / (1 + np.exp(-(wo * hidden + x)))
        cell = forget * cell + enter * np.tanh(wc * hidden + x)
        hidden = leave * np.tanh(cell)
        scores = wx @ hidden
        top = np.max(scores)
        loss -= scores[text[t + 1]] - top - np.log(np.sum(np.exp(scores - top)))
    return loss / (len(text) - 1)


def lstm_args(rng):
    """Five characters, cells of three, a text of eight."""
    text = rng.integers(0, 5, 8)
    return *uniform(rng, (5, 3), (5, 3), 3, 3, 3, 3), text


def single(rng, *shapes):
    """Arrays of float32 around 0."""
    return [rng.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]


KERNELS = (
    Kernel(softmax, lambda r: uniform(r, (2, 2, 3, 4)), 2),
    Kernel(softmax, lambda r: single(r, (2, 2, 3, 4))),
    Kernel(mlp, lambda r: uniform(r, (3, 4), (4, 5), 5, (5, 4), 4, (4, 3), 3), 2),
    Kernel(mlp, lambda r: single(r, (3, 4), (4, 5), 5, (5, 4), 4, (4, 3), 3)),
    Kernel(conv2d_bias, lambda r: single(r, (2, 4, 5, 2), (2, 2, 2, 3), 3)),
    Kernel(conv2d_bias, lambda r: uniform(r, (2, 4, 5, 2), (2, 2, 2, 3), 3)),
    Kernel(lenet_start, lambda r: single(r, (2, 5, 5, 2), (2, 2, 2, 3), 3)),
    Kernel(
        residual_block,
        lambda r: uniform(r, (3, 3, 3, 2), (1, 1, 2, 3), (3, 3, 3, 3), (1, 1, 3, 2)),
    ),
    Kernel(diagonal_lstm, lstm_args),
)
