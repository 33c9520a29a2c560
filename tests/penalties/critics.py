"""Critics of every make, each ``critic(params, x) -> one score for each row of x``."""

from __future__ import annotations

import numpy as np

import symgrad.nn.functional as F  # noqa: N812


def plain(params, x):
    w1, b1, w2 = params
    return np.tanh(x @ w1 + b1) @ w2


def convolution(params, x):
    w1, b1, w2, w3 = params
    h = F.leaky_relu(F.conv2d(x, w1, b1, padding=1), 0.2)
    h = np.tanh(F.conv2d(h, w2, stride=2))
    return np.reshape(h, (len(x), -1)) @ w3


def average_pooling(params, x):
    w1, w2 = params
    h = F.avg_pool2d(np.tanh(F.conv2d(x, w1, padding=1)), 2)
    return np.reshape(h, (len(x), -1)) ** 2 @ w2


def max_pooling(params, x):
    w1, w2 = params
    h = F.max_pool2d(np.tanh(F.conv2d(x, w1, padding=1)), 2)
    return np.reshape(h, (len(x), -1)) ** 2 @ w2


def batch_normalisation(params, x):
    w1, gain, shift, w2 = params
    h = x @ w1
    mean, var = np.mean(h, axis=0), np.var(h, axis=0)
    h = (h - mean) / np.sqrt(var + 1e-5) * gain + shift
    return np.tanh(h) @ w2


def layer_normalisation(params, x):
    w1, gain, shift, w2 = params
    h = x @ w1
    centred = h - np.mean(h, axis=1, keepdims=True)
    scale = np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + 1e-5)
    return np.logaddexp(0, centred / scale * gain + shift) @ w2


def attention(params, x):
    w_q, w_k, w_v, w2 = params
    tokens = np.reshape(x, (len(x), 3, 2))
    q, k, v = tokens @ w_q, tokens @ w_k, tokens @ w_v
    score = np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[-1])
    p = np.exp(score - np.max(score, axis=-1, keepdims=True))
    p = p / np.sum(p, axis=-1, keepdims=True)
    return np.reshape(p @ v, (len(x), -1)) @ w2


def recurrent(params, x):
    w, u, w2 = params
    h = np.zeros((x.shape[0], w.shape[0]))
    for t in range(x.shape[1]):
        h = np.tanh(h @ w + x[:, t, np.newaxis] * u)
    return h @ w2


def gated(params, x):
    """A recurrence that ends early, written into an array step by step."""
    w, u, w2 = params
    states = np.zeros((x.shape[1] + 1, x.shape[0], w.shape[0]))
    for t in range(x.shape[1]):
        if t > 3:
            break
        z = 1 / (1 + np.exp(-(states[t] @ w)))
        states[t + 1] = z * states[t] + (1 - z) * np.tanh(x[:, t, np.newaxis] * u)
    return np.sum(states[1:], axis=0) @ w2
