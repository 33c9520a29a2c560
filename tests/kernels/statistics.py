"""Means, variances, distances."""

from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform


def covariance(M, data):
    """The covariance matrix of centred columns; the data are centred in place."""
    data -= np.mean(data, axis=0)
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        cov[i:M, i] = cov[i, i:M] = data[:, i] @ data[:, i:M] / (data.shape[0] - 1.0)
    return cov


def correlation(M, data):
    """The correlation matrix; a column that hardly varies counts as if it did."""
    n = data.shape[0]
    mean = np.mean(data, axis=0)
    deviation = np.std(data, axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(n) * deviation
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


def samples(rng):
    """Rows of four columns, of which one hardly varies."""
    data = rng.uniform(0.1, 1.0, (6, 4))
    data[:, 2] = 0.5 + 0.02 * data[:, 2]
    return data


def logsumexp(x):
    """By the largest, running."""
    top = x[0]
    total = 1.0
    for i in range(1, len(x)):
        if x[i] <= top:
            total += np.exp(x[i] - top)
        else:
            total = total * np.exp(top - x[i]) + 1.0
            top = x[i]
    return top + np.log(total)


def logsumexp_of_rows(x):
    """With axis and keepdims."""
    top = np.max(x, axis=-1, keepdims=True)
    return (top + np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True)))[..., 0]


def kmeans_cost(points, centres):
    """The squared distance of every point to the centre closest to it."""
    cost = 0.0
    for i in range(points.shape[0]):
        best = np.inf
        for k in range(centres.shape[0]):
            apart = points[i] - centres[k]
            distance = apart @ apart
            if distance < best:
                best = distance
        cost += best
    return cost


def kmeans_cost_whole(points, centres):
    """The same, in whole arrays."""
    apart = points[:, np.newaxis, :] - centres[np.newaxis, :, :]
    return np.sum(np.min(np.sum(apart**2, axis=2), axis=1))


def go_fast(a):
    """The trace of the hyperbolic tangents, added to every entry."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def azimuthal(image, radius, bins):
    """The mean of an image over rings around its centre."""
    result = np.zeros(bins)
    outer = radius.max()
    for i in range(bins):
        low = outer * i / bins
        high = outer * (i + 1) / bins
        ring = np.logical_and(low <= radius, radius < high)
        values = image[ring]
        result[i] = values.mean()
    return result


def azimuthal_args(rng):
    """An image and how far its pixels are from the centre, in whole units."""
    x, y = np.meshgrid(np.arange(-3, 4), np.arange(-3, 4))
    return rng.uniform(0.1, 1.0, (7, 7)), x * x + y * y, 3


KERNELS = (
    Kernel(covariance, lambda r: (4, samples(r))),
    Kernel(correlation, lambda r: (4, samples(r))),
    Kernel(logsumexp, lambda r: uniform(r, 6), 2),
    Kernel(logsumexp_of_rows, lambda r: uniform(r, (3, 4)), 2),
    Kernel(kmeans_cost, lambda r: uniform(r, (5, 2), (3, 2))),
    Kernel(kmeans_cost_whole, lambda r: uniform(r, (5, 2), (3, 2)), 2),
    Kernel(go_fast, lambda r: uniform(r, (4, 4)), 2),
    Kernel(azimuthal, azimuthal_args),
)
