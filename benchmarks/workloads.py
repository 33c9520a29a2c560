"""The benchmark's workloads: plain NumPy functions, written as a user would write them.

Each workload is a module-level function that returns a scalar; everything it reads is an
argument.  `inputs()` makes the arguments (fixed seed), and takes the sizes as keywords, so that
a reduced case is `inputs(**workload.small)`.  `WORKLOADS` at the end lists them all; the names
are the row numbers used wherever results are quoted.

Nothing here imports symgrad, except `bind_symgrad()` when it is called: three workloads need a
derivative *inside* the function (`r1_loss`, `rosenbrock_hvp`, `logistic_hessian`) and write it
as `sg.grad(...)`, `sg.jvp(...)`, `sg.hessian(...)`.
"""

import contextlib
import importlib
import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

try:
    from scipy.linalg import solve_triangular
except ImportError:  # only w12 needs SciPy
    solve_triangular = None


class Unbound:
    """Stands for a module until `bind_symgrad()` has imported it."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        raise ImportError(f"this function needs {self.module}.{name}: see bind_symgrad()")


sg = Unbound("symgrad")
F = Unbound("symgrad.nn.functional")


def bind_symgrad():
    """Import symgrad for the functions here that take derivatives inside; return the module."""
    global sg, F
    import symgrad

    sg = symgrad
    with contextlib.suppress(ImportError):  # only r1_loss_nn needs it, and says so
        F = importlib.import_module("symgrad.nn.functional")
    return symgrad


# ---------------------------------------------------------------- 1: a tiny scalar function
def scalar_function(x):
    return np.sin(x) * np.exp(-x * x) / (1 + x * x)


def scalar_inputs():
    return (0.7,)


# ---------------------------------------------------------------- 2: an elementwise chain
def elementwise(x, a, b):
    return np.sum(np.tanh(a * x + b) * np.exp(-(x**2)) + np.sqrt(1 + x**2))


def elementwise_inputs(n=1_000_000):
    rng = np.random.default_rng(0)
    return rng.standard_normal(n), 0.9, 0.1


# ---------------------------------------------------------------- 3: a multilayer perceptron
def mlp_loss(x, labels, w1, b1, w2, b2, w3, b3):
    h = np.maximum(x @ w1 + b1, 0)
    h = np.maximum(h @ w2 + b2, 0)
    logits = h @ w3 + b3
    logits = logits - np.max(logits, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(logits), axis=1))
    return np.mean(log_norm - logits[np.arange(len(labels)), labels])


def mlp_inputs(n=128, sizes=(784, 256, 128, 10)):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, sizes[0])).astype(np.float32)
    labels = rng.integers(0, sizes[-1], n)
    parameters = []
    for fan_in, fan_out in itertools.pairwise(sizes):
        w = rng.standard_normal((fan_in, fan_out)) / math.sqrt(fan_in)
        b = 0.1 * rng.standard_normal(fan_out)
        parameters += [w.astype(np.float32), b.astype(np.float32)]
    return x, labels, *parameters


# ---------------------------------------------------------------- 4: an attention block
def split_heads(x, heads):
    length, width = x.shape
    return np.transpose(np.reshape(x, (length, heads, width // heads)), (1, 0, 2))


def attention_loss(x, wq, wk, wv, wo, target, heads):
    q, k, v = (
        split_heads(x @ wq, heads),
        split_heads(x @ wk, heads),
        split_heads(x @ wv, heads),
    )
    # math.sqrt and not np.sqrt: a Python float leaves float32 arrays float32
    scores = q @ np.transpose(k, (0, 2, 1)) / math.sqrt(q.shape[2])
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    mixed = np.reshape(np.transpose(p @ v, (1, 0, 2)), x.shape)
    return np.mean((mixed @ wo - target) ** 2)


def attention_inputs(length=128, width=64, heads=4):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((length, width)).astype(np.float32)
    target = rng.standard_normal((length, width)).astype(np.float32)
    weights = [
        (rng.standard_normal((width, width)) / 8).astype(np.float32) for _ in range(4)
    ]
    return x, *weights, target, heads


# ---------------------------------------------------------------- 5: the R1 gradient penalty
def conv2d(x, weight, bias):
    """Convolution 3x3, stride 1, zero padding 1; x (n, c, h, w), weight (out, c, 3, 3)."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), axis=(2, 3))  # (n, c, h, w, 3, 3)
    out = np.tensordot(windows, weight, axes=((1, 4, 5), (1, 2, 3)))  # (n, h, w, out)
    return np.transpose(out + bias, (0, 3, 1, 2))


def avg_pool2d(x):
    n, c, h, w = x.shape
    return np.mean(np.reshape(x, (n, c, h // 2, 2, w // 2, 2)), axis=(3, 5))


def leaky_relu(x):
    return np.where(x > 0, x, 0.2 * x)


def critic(x, w1, b1, w2, b2, w3, b3):
    h = avg_pool2d(leaky_relu(conv2d(x, w1, b1)))
    h = avg_pool2d(leaky_relu(conv2d(h, w2, b2)))
    return np.reshape(h, (len(x), -1)) @ w3 + b3


def critic_sum(x, w1, b1, w2, b2, w3, b3):
    return np.sum(critic(x, w1, b1, w2, b2, w3, b3))


def r1_loss(x, w1, b1, w2, b2, w3, b3, gamma):
    scores = critic(x, w1, b1, w2, b2, w3, b3)
    g_x = sg.grad(critic_sum)(x, w1, b1, w2, b2, w3, b3)
    penalty = np.mean(np.sum(g_x**2, axis=(1, 2, 3)))
    return np.mean(np.logaddexp(0, -scores)) + gamma / 2 * penalty


# The same loss over symgrad's own layers: a slot for symgrad.nn.functional (torch's signatures),
# measured beside r1_loss as "symgrad:nn" and reported as missing until those exist.
def critic_nn(x, w1, b1, w2, b2, w3, b3):
    h = F.avg_pool2d(F.leaky_relu(F.conv2d(x, w1, b1, padding=1), 0.2), 2)
    h = F.avg_pool2d(F.leaky_relu(F.conv2d(h, w2, b2, padding=1), 0.2), 2)
    return np.reshape(h, (len(x), -1)) @ w3 + b3


def critic_nn_sum(x, w1, b1, w2, b2, w3, b3):
    return np.sum(critic_nn(x, w1, b1, w2, b2, w3, b3))


def r1_loss_nn(x, w1, b1, w2, b2, w3, b3, gamma):
    scores = critic_nn(x, w1, b1, w2, b2, w3, b3)
    g_x = sg.grad(critic_nn_sum)(x, w1, b1, w2, b2, w3, b3)
    penalty = np.mean(np.sum(g_x**2, axis=(1, 2, 3)))
    return np.mean(np.logaddexp(0, -scores)) + gamma / 2 * penalty


def r1_inputs(n=16, side=32, channels=(3, 32, 64)):
    rng = np.random.default_rng(0)
    c0, c1, c2 = channels
    arrays = [
        rng.standard_normal((n, c0, side, side)),
        rng.standard_normal((c1, c0, 3, 3)) / math.sqrt(9 * c0),
        0.1 * rng.standard_normal(c1),
        rng.standard_normal((c2, c1, 3, 3)) / math.sqrt(9 * c1),
        0.1 * rng.standard_normal(c2),
        rng.standard_normal(c2 * (side // 4) ** 2) / 20,
        np.array([0.1]),
    ]
    return *(a.astype(np.float32) for a in arrays), 10.0


# ---------------------------------------------------------------- 6: the heat equation
def heat(u0, c, steps):
    u = u0.copy()
    for t in range(steps):
        u[1:-1, 1:-1] += c * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )
    return 0.5 * np.sum(u**2)


def heat_inputs(steps=200, n=128):
    rng = np.random.default_rng(0)
    u0 = rng.standard_normal((n, n))
    c = 0.05 + 0.15 * rng.random((n - 2, n - 2))
    return u0, c, steps


# ---------------------------------------------------------------- 7: a scalar recurrence
def recurrence(x, a, steps, dt):
    for t in range(steps):
        x = x + dt * (a - x**3 + math.sin(t * dt))
    return x


def recurrence_inputs(steps=10_000, dt=1e-3):
    return 0.3, 0.5, steps, dt


# ---------------------------------------------------------------- 8: a Gaussian mixture
def logsumexp(z, axis):
    top = np.max(z, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(z - top), axis=axis)) + np.squeeze(top, axis=axis)


def lower_triangular(log_diagonal, below):
    """One d-by-d matrix per row: exp(log_diagonal) on the diagonal, `below` under it."""
    k, d = log_diagonal.shape
    rows, columns = np.tril_indices(d, -1)
    diagonal = np.arange(d)
    out = np.zeros((k, d, d))
    out[:, diagonal, diagonal] = np.exp(log_diagonal)
    out[:, rows, columns] = below
    return out


def gmm_loglikelihood(alphas, means, icf, x):
    n, d = x.shape
    log_diagonal, below = icf[:, :d], icf[:, d:]
    q = lower_triangular(log_diagonal, below)
    y = (x - means[:, None, :]) @ np.transpose(q, (0, 2, 1))  # (k, n, d)
    log_weight = alphas + np.sum(log_diagonal, axis=1)
    z = log_weight[:, None] - 0.5 * np.sum(y**2, axis=2)  # (k, n)
    prior = -0.5 * (np.sum(np.exp(log_diagonal) ** 2) + np.sum(below**2))
    constant = -0.5 * n * d * math.log(2 * math.pi)
    return constant + np.sum(logsumexp(z, axis=0)) - n * logsumexp(alphas, axis=0) + prior


def gmm_inputs(n=1000, d=10, k=25):
    rng = np.random.default_rng(0)
    alphas = rng.standard_normal(k)
    means = rng.standard_normal((k, d))
    icf = 0.3 * rng.standard_normal((k, d + d * (d - 1) // 2))
    return alphas, means, icf, rng.standard_normal((n, d))


# ---------------------------------------------------------------- 9: an LSTM
def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm_loss(w, u, b, x):
    steps, batch, _ = x.shape
    width = len(u)
    h = np.zeros((batch, width))
    c = np.zeros((batch, width))
    for t in range(steps):
        z = x[t] @ w + h @ u + b
        i = sigmoid(z[:, :width])
        f = sigmoid(z[:, width : 2 * width])
        o = sigmoid(z[:, 2 * width : 3 * width])
        g = np.tanh(z[:, 3 * width :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return 0.5 * np.sum(h**2)


def lstm_inputs(steps=50, batch=16, features=64, width=64):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((steps, batch, features))
    w = rng.standard_normal((features, 4 * width)) / 8
    u = rng.standard_normal((width, 4 * width)) / 8
    return w, u, 0.1 * rng.standard_normal(4 * width), x


# ---------------------------------------------------------------- 10: second derivatives
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_hvp(x, v):
    """Value of `rosenbrock` and its Hessian times v, forward over reverse."""
    (value, _), (_, hv) = sg.jvp(sg.value_and_grad(rosenbrock), (x,), (v,))
    return value, hv


def rosenbrock_inputs(n=1000):
    rng = np.random.default_rng(0)
    return rng.standard_normal(n), rng.standard_normal(n)


def logistic_loss(w, x, y):
    return np.mean(np.logaddexp(0, -y * (x @ w))) + 0.005 * np.sum(w * w)


def logistic_hessian(w, x, y):
    """Value of `logistic_loss` and its Hessian."""
    return logistic_loss(w, x, y), sg.hessian(logistic_loss)(w, x, y)


def logistic_inputs(n=1000, d=50):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d))
    w = rng.standard_normal(d) / 7
    return w, x, rng.choice([-1.0, 1.0], n)


# ---------------------------------------------------------------- 11: an embedding bag
def embedding_bag_loss(table, indices, target):
    bags = np.sum(table[indices], axis=1)
    return 0.5 * np.sum((bags - target) ** 2)


def embedding_bag_inputs(rows=10_000, width=64, bags=4096, per_bag=8):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((rows, width))
    indices = rng.integers(0, rows, (bags, per_bag))
    return table, indices, rng.standard_normal((bags, width))


# ---------------------------------------------------------------- 12: a Gaussian process
def gp_loss(length, noise, x, y):
    n = len(y)
    squared_distance = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    kernel = np.exp(-0.5 * squared_distance / length**2) + noise**2 * np.eye(n)
    chol = np.linalg.cholesky(kernel)
    z = solve_triangular(chol, y, lower=True)
    return 0.5 * z @ z + np.sum(np.log(np.diag(chol))) + 0.5 * n * math.log(2 * math.pi)


def gp_inputs(n=200, d=3):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d))
    return 1.3, 0.4, x, rng.standard_normal(n)


# ---------------------------------------------------------------- the list
class Workload(NamedTuple):
    function: Callable  # plain NumPy, returns a scalar
    inputs: Callable  # keyword sizes -> the function's arguments
    argnums: tuple  # what is differentiated
    dtype: str
    tolerance: float  # largest error allowed, relative to each result's largest entry
    description: str
    small: dict = {}  # sizes for the self-test
    order: str = "gradient"  # or "hvp" (the last input is the direction v), "hessian"
    program: Callable | None = None  # function of the inputs -> value and that derivative
    variants: dict = {}  # other spellings of `function` for symgrad: label -> function
    needs: tuple = ()  # modules besides NumPy
    derivative_inside: bool = False  # the value itself needs a derivative

    def value(self, args):
        """The function's value (the direction v, if there is one, left out)."""
        return self.function(*(args[:-1] if self.order == "hvp" else args))


# fmt: off
WORKLOADS = {
    "w1": Workload(
        scalar_function, scalar_inputs, (0,), "float64", 1e-12,
        "tiny scalar function: sin(x) exp(-x^2) / (1 + x^2) of a Python float",
    ),
    "w2": Workload(
        elementwise, elementwise_inputs, (0, 1, 2), "float64", 1e-10,
        "elementwise chain, 1e6 entries: sum(tanh(a x + b) exp(-x^2) + sqrt(1 + x^2))",
        small={"n": 40},
    ),
    "w3": Workload(
        mlp_loss, mlp_inputs, tuple(range(2, 8)), "float32", 1e-4,
        "MLP 784-256-128-10, batch 128: relu layers, mean of logsumexp(z) - z[label]",
        small={"n": 7, "sizes": (6, 5, 4, 3)},
    ),
    "w4": Workload(
        attention_loss, attention_inputs, tuple(range(5)), "float32", 1e-4,
        "attention, length 128, width 64, 4 heads: mean((softmax(q k' / sqrt(d)) v Wo - y)^2)",
        small={"length": 5, "width": 6, "heads": 2},
    ),
    "w5": Workload(
        r1_loss, r1_inputs, tuple(range(1, 7)), "float32", 1e-4,
        "R1 penalty, conv critic D on 16 images 3x32x32: "
        "mean(softplus(-D)) + gamma/2 mean(|dD/dx|^2)",
        small={"n": 2, "side": 8, "channels": (2, 3, 4)},
        variants={"nn": r1_loss_nn}, derivative_inside=True,
    ),
    "w6": Workload(
        heat, heat_inputs, (0, 1), "float64", 1e-10,
        "heat equation, 200 steps on 128x128: u += c * laplacian(u) inside, |u|^2 / 2",
        small={"steps": 5, "n": 7},
    ),
    "w7": Workload(
        recurrence, recurrence_inputs, (0, 1), "float64", 1e-10,
        "scalar recurrence, 10,000 steps: x += dt (a - x^3 + sin(t dt))",
        small={"steps": 50, "dt": 0.02},
    ),
    "w8": Workload(
        gmm_loglikelihood, gmm_inputs, (0, 1, 2), "float64", 1e-10,
        "Gaussian mixture, 1000 points, d 10, k 25: "
        "sum logsumexp_k(alpha + log|Q| - |Q (x - mu)|^2 / 2) and prior",
        small={"n": 9, "d": 3, "k": 4},
    ),
    "w9": Workload(
        lstm_loss, lstm_inputs, (0, 1, 2), "float64", 1e-10,
        "LSTM, 50 steps, batch 16, width 64: c = f c + i g, h = o tanh(c), |h_T|^2 / 2",
        small={"steps": 4, "batch": 3, "features": 4, "width": 3},
    ),
    "w10a": Workload(
        rosenbrock, rosenbrock_inputs, (0,), "float64", 1e-10,
        "Hessian-vector product of the Rosenbrock function, n 1000: "
        "sum(100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2)",
        small={"n": 12}, order="hvp", program=rosenbrock_hvp,
    ),
    "w10b": Workload(
        logistic_loss, logistic_inputs, (0,), "float64", 1e-10,
        "Hessian of logistic regression, 1000x50: mean(softplus(-y x.w)) + 0.005 |w|^2",
        small={"n": 20, "d": 5}, order="hessian", program=logistic_hessian,
    ),
    "w11": Workload(
        embedding_bag_loss, embedding_bag_inputs, (0,), "float64", 1e-10,
        "embedding bag, 4096 bags of 8 from 10,000x64: |sum_k table[index_k] - y|^2 / 2",
        small={"rows": 9, "width": 3, "bags": 5, "per_bag": 4},
    ),
    "w12": Workload(
        gp_loss, gp_inputs, (0, 1), "float64", 1e-9,
        "Gaussian process, n 200: K = exp(-r^2 / 2 l^2) + s^2 I, "
        "y' K^-1 y / 2 + log|K| / 2 + n log(2 pi) / 2",
        small={"n": 12, "d": 2}, needs=("scipy.linalg",),
    ),
}
# fmt: on
