"""Two functions with derivative rules of their own, as in the tutorials for tape-based tools.

A binarising activation passes its gradient straight through where |x| <= 1; a linear layer with
an optional bias looks at ``ctx.needs_input_grad``. Both are checked against what their rules
say, differentiated twice, and used in a small network that learns with them.
"""

from __future__ import annotations

import numpy as np
from _common import adam, arguments, show

import symgrad as sg


class Binarize(sg.Function):
    """sign(x), whose gradient is handed straight through where |x| <= 1."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_arrays
        return g * (np.abs(x) <= 1)


class Linear(sg.Function):
    """x @ weight.T + bias, the bias being optional."""

    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        y = x @ weight.T
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_arrays
        g_x = g_weight = g_bias = None
        if ctx.needs_input_grad[0]:
            g_x = g @ weight
        if ctx.needs_input_grad[1]:
            g_weight = g.T @ x
        if len(ctx.needs_input_grad) > 2 and ctx.needs_input_grad[2]:
            g_bias = np.sum(g, axis=0)
        return g_x, g_weight, g_bias


def loss(params, x, labels):
    """Squared error of a network with binary hidden units."""
    w1, b1, w2 = params
    h = Binarize.apply(Linear.apply(x, w1, b1))
    return np.mean((Linear.apply(h, w2)[:, 0] - labels) ** 2)


def penalised(params, x, labels):
    """The loss, and how fast it changes with the input: a derivative of both rules' code."""
    g_x = sg.grad(lambda x: loss(params, x, labels))(x)
    return loss(params, x, labels) + 0.1 * np.sum(g_x**2)


def close(what, found, wanted):
    """Stop if two arrays differ."""
    error = np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))
    print(f"{what}: relative error {error:.1e}")
    if not error < 1e-6:
        raise SystemExit(f"{what} is wrong")


def check(rng):
    """First and second derivatives against what the rules say."""
    x, v = 1.5 * rng.standard_normal((2, 6))
    through = np.abs(x) <= 1

    def bits(x):
        return np.sum(v * Binarize.apply(x) ** 2)

    close("binarize", sg.grad(bits)(x), 2 * v * np.sign(x) * through)
    twice = sg.grad(lambda x: np.sum(sg.grad(bits)(x) * v))(x)
    close("binarize, twice", twice, 2 * v * v * through)
    close("binarize, forward over reverse", sg.hvp(bits)(v, x), 2 * v * v * through)

    x, w = rng.standard_normal((5, 3)), rng.standard_normal((2, 3))
    b = rng.standard_normal(2)

    def cubes(linear):
        return lambda x, w, b: np.sum(linear(x, w, b) ** 3)

    ruled, plain = cubes(Linear.apply), cubes(lambda x, w, b: x @ w.T + b)
    for k, name in enumerate(("x", "weight", "bias")):
        args = (x, w, b)
        found, wanted = (sg.grad(f, argnums=k)(*args) for f in (ruled, plain))
        close(f"linear, by {name}", found, wanted)
        found, wanted = (sg.hvp(f, argnums=k)(args[k], *args) for f in (ruled, plain))
        close(f"linear, twice by {name}", found, wanted)


def main():
    """Check the derivatives, show the code, learn."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    check(rng)
    x = rng.standard_normal((200, 4))
    labels = np.where(x[:, 0] * x[:, 1] > 0, 1.0, -1.0)
    hidden = 32
    params = [
        rng.standard_normal((hidden, 4)) / 2,
        0.1 * rng.standard_normal(hidden),
        rng.standard_normal((1, hidden)) / hidden,
    ]
    loss_and_grad = sg.value_and_grad(penalised)
    show("what symgrad wrote", loss_and_grad.lower(params, x, labels).source)
    step = adam(params, rate=1e-2)
    steps = 20 if options.quick else 400
    for k in range(steps + 1):
        value, gradients = loss_and_grad(params, x, labels)
        step(gradients)
        if k % (steps // 4) == 0:
            print(f"step {k:3d}: loss {value:.4f}")


if __name__ == "__main__":
    main()
