"""Data types, scalars and shapes."""

# ruff: noqa
import numpy as np

from .control_flow import c08_logsumexp_loops
from .registry import add as _add, softmax as _softmax


_add(
    id="D01",
    kind="dtype",
    origin="google/tangent#66, HIPS/autograd#482",
    title="integer input must not give integer (truncated) gradients",
    fn=c08_logsumexp_loops,
    args=lambda: (np.array([2, 5, 4, 3]),),
    expected=[_softmax(np.array([2.0, 5.0, 4.0, 3.0]))],
    error_ok="a TypeError-like error that says integer arguments are not differentiable",
    note="[0,0,0,0] is the reported silent bug.",
)


def d03_mixed_precision(x, y):
    return np.mean((x - y) ** 2) + np.sum(x[:1] * y[1:])


_add(
    id="D03",
    kind="dtype",
    origin="pytorch/pytorch#94086, pytorch/pytorch#1198",
    title="float32 and float64 arguments together: each gradient has its argument's dtype",
    fn=d03_mixed_precision,
    args=lambda: (np.array([1.0, 2.0], dtype=np.float32), np.array([0.5, -1.0])),
    argnums=(0, 1),
    expected=[np.array([-0.5, 3.0]), np.array([-0.5, -2.0])],
    want=("dtype=argument",),
    rtol=1e-5,
)

# --------------------------------------------------------------------------------- shape (P)


def p01_broadcast(s, one, col, row):
    return np.sum((s * one + col) * row) + np.sum(one * np.ones((5, 4)))


_add(
    id="P01",
    kind="shape",
    origin="pytorch/pytorch#1787, raskr/rust-autograd#38",
    title="0-d, (1,), (4,1) and (1,4) operands: each gradient keeps its own shape",
    fn=p01_broadcast,
    args=lambda: (
        np.array(2.0),
        np.array([3.0]),
        np.array([[1.0], [2.0], [3.0], [4.0]]),
        np.array([[1.0, 2.0, 3.0, 4.0]]),
    ),
    argnums=(0, 1, 2, 3),
    expected=[
        np.array(120.0),
        np.array([100.0]),
        np.full((4, 1), 10.0),
        np.array([[34.0, 34.0, 34.0, 34.0]]),
    ],
    want=("shape=argument",),
)


def p03_empty_broadcast(a, b):
    return np.sum(a + b) + np.sum(b**2)


_add(
    id="P03",
    kind="shape",
    origin="pytorch/pytorch#15223, pytorch/pytorch#15796",
    title="broadcasting against an array with no columns",
    fn=p03_empty_broadcast,
    args=lambda: (np.ones((3, 0)), np.arange(3.0).reshape(3, 1)),
    argnums=(0, 1),
    expected=[np.zeros((3, 0)), 2 * np.arange(3.0).reshape(3, 1)],
    want=("shape=argument",),
)


def p05_trace(x):
    return np.trace(x)


_add(
    id="P05",
    kind="shape",
    origin="pytorch/pytorch#171704",
    title="trace of a tall matrix",
    fn=p05_trace,
    args=lambda: (np.zeros((5, 3)),),
    expected=[np.eye(5, 3)],
    calls=[((np.zeros((2, 4)),), [np.eye(2, 4)])],
    refusal_ok=True,
)


def p07_standardise(x):
    mu = np.mean(x, axis=(0, -1), keepdims=True)
    d = x - mu
    v = np.var(x, axis=(0, -1), keepdims=True)
    z = d / np.sqrt(v + 1e-3)
    return np.sum(z * np.arange(12.0).reshape(2, 3, 2) ** 2)


_add(
    id="P07",
    kind="shape",
    origin="keras-team/keras#2960",
    title="normalisation over a tuple of axes with keepdims",
    fn=p07_standardise,
    args=lambda: (np.sin(np.arange(12.0) * 1.7).reshape(2, 3, 2),),
    expected=lambda x: [_p07_expected(x)],
    want=("shape=argument",),
)


def _p07_expected(x):
    w = np.arange(12.0).reshape(2, 3, 2) ** 2
    out = np.zeros_like(x)
    for c in range(3):
        xc, wc = x[:, c, :].ravel(), w[:, c, :].ravel()
        n = xc.size
        d = xc - xc.mean()
        s = np.sqrt((d * d).mean() + 1e-3)
        g = wc / s - wc.mean() / s - d * np.sum(wc * d) / (n * s**3)
        out[:, c, :] = g.reshape(2, 2)
    return out
