"""The functions whose generated code is kept. Append only: the code quotes line numbers."""

# ruff: noqa: B007, RET507, SIM114
from __future__ import annotations

import math

import numpy as np

import symgrad as sg


def polynomial(x):
    return 3 * x**3 - 2 * x + 1


def scalar_chain(x, y):
    a = math.sin(x) * y
    b = math.exp(-a)
    return a * b + x / y


def logistic(w, b, x, y):
    z = x @ w + b
    return np.mean(np.logaddexp(0, z) - y * z)


def mlp(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    out = h @ params["w2"] + params["b2"]
    return np.mean((out - y) ** 2)


def softmax_cross_entropy(w, x, labels):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(labels.shape[0]), labels])


def standardise(x):
    centred = x - np.mean(x, axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0) + 1e-5)
    return np.sum((centred / scale) ** 3)


def outer_product(a, b):
    return np.sum(np.sin(a[:, np.newaxis] * b))


def selected(x, low):
    y = np.where(x > low, np.sqrt(x), 0.0)
    return np.sum(y)


def clipped(x):
    return np.sum(np.clip(x, -1, 1) ** 2) + np.max(np.abs(x))


def joined(x, y):
    both = np.concatenate([x, 2 * y])
    return np.sum(both[::2] ** 2)


def attention(q, k, v):
    score = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])
    p = np.exp(score - np.max(score, axis=1, keepdims=True))
    p = p / np.sum(p, axis=1, keepdims=True)
    return np.sum((p @ v) ** 2)


def power_iteration(a, v):
    for _ in range(10):
        v = a @ v
        v = v / np.sqrt(np.sum(v**2))
    return v @ a @ v


def recurrence(x, r, n):
    for _ in range(n):
        x = r * x * (1 - x)
    return x


def rnn(w, u, xs):
    h = np.zeros(w.shape[0])
    for x in xs:
        h = np.tanh(w @ h + u @ x)
    return np.sum(h)


def branch(x, y):
    if np.sum(x) > 0:
        z = x * y
    else:
        z = x - y
    return np.sum(z**2)


def early_return(x):
    if x < 0:
        return -x
    if x > 1:
        return x * x
    return x


def newton(a, tol):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def first_above(x, limit):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * x[i]
        if total > limit:
            break
    return total


def heat(u0, c, steps):
    u = u0.copy()
    for t in range(steps):
        u[1:-1, 1:-1] += c * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
    return 0.5 * np.sum(u**2)


def relax(x, target, tol):
    steps = 0
    while np.max(np.abs(x - target)) > tol:
        if x[0] > 0:
            x = x - 0.1 * np.sin(x - target)
        else:
            x = 0.5 * (x + target)
        steps += 1
    return np.sum(x * x)


def critic(w1, w2, x):
    return np.tanh(x @ w1) @ w2


def r1(w1, w2, x, gamma):
    score = critic(w1, w2, x)
    g_x = sg.grad(lambda x: np.sum(critic(w1, w2, x)))(x)
    return np.mean(np.logaddexp(0, -score)) + gamma / 2 * np.mean(np.sum(g_x**2, axis=1))


def jacobi(a, n):
    b = a.copy()
    for _ in range(n):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a = b.copy()
    return np.sum(a**2)


def prefix_products(x):
    y = np.empty(x.shape[0])
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * x[i]
    return np.sum(y)


def descend(x0, steps):
    x = x0
    for _ in range(steps):
        x = x - 0.1 * sg.grad(lambda x: np.sum(x**4) / 4)(x)
    return np.sum(x**2)


def curvature(x):
    return sg.grad(sg.grad(lambda t: math.sin(t) * t))(x)


def skipped(x, limit):
    total = 0.0
    for v in x:
        if v < 0.2:
            continue
        elif v > 1:
            continue
        if total > limit:
            break
        total += math.sqrt(v)
    return total


def square_root(a, tol):
    x = a
    while True:
        new = 0.5 * (x + a / x)
        if abs(new - x) < tol:
            break
        x = new
    return x


def cube_root(a, tol):
    x = a
    for _ in range(50):
        f = x**3 - a
        if abs(f) < tol:
            break
        x = x - f / (3 * x * x)
    else:
        raise RuntimeError("it does not converge")
    return x


def row_above(a, limit):
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j]
            if total > limit:
                return total * i
    return -1.0


def stepped(x, limit):
    i = 0
    while i < len(x) and x[i] < limit:
        i += 1
    return x[i] * 3 if i < len(x) else 0.0
