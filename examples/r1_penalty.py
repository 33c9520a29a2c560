"""The R1 gradient penalty of a convolutional discriminator, differentiated again.

The loss holds the gradient of the discriminator with respect to its images, written as
``sg.grad`` inside the function. symgrad turns the whole into one function of plain NumPy; the
gradient of every parameter is compared with finite differences, and a few steps are taken.
"""

from __future__ import annotations

import inspect

import numpy as np
from _common import adam, arguments, show
from sklearn.datasets import load_digits

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812

GAMMA = 10.0


def discriminator(params, x):
    """One score for each image: two convolutions, each averaged over 2x2 squares."""
    w1, b1, w2, b2, w3, b3 = params
    h = F.avg_pool2d(F.leaky_relu(F.conv2d(x, w1, b1, padding=1), 0.2), 2)
    h = F.avg_pool2d(F.leaky_relu(F.conv2d(h, w2, b2, padding=1), 0.2), 2)
    return np.reshape(h, (len(x), -1)) @ w3 + b3


def r1_loss(params, x, gamma):
    """softplus(-D) plus gamma/2 times the squared length of D's gradient, over the images."""
    scores = discriminator(params, x)
    g_x = sg.grad(lambda x: np.sum(discriminator(params, x)))(x)
    penalty = np.mean(np.sum(g_x**2, axis=(1, 2, 3)))
    return np.mean(np.logaddexp(0, -scores)) + gamma / 2 * penalty


def initial(rng, channels=(1, 8, 16), side=8):
    """Random parameters. No bias is zero: where an image is black, zero is a kink."""
    c0, c1, c2 = channels
    return [
        rng.standard_normal((c1, c0, 3, 3)) / np.sqrt(9 * c0),
        0.1 * rng.standard_normal(c1),
        rng.standard_normal((c2, c1, 3, 3)) / np.sqrt(9 * c1),
        0.1 * rng.standard_normal(c2),
        rng.standard_normal(c2 * (side // 4) ** 2) / 4,
        0.1 * rng.standard_normal(1),
    ]


def difference(function, x, entries, step=1e-6):
    """Central differences of ``function`` for some entries of ``x``, changed in place."""
    flat = x.reshape(-1)
    out = []
    for k in entries:
        kept = flat[k]
        flat[k] = kept + step
        above = function()
        flat[k] = kept - step
        below = function()
        flat[k] = kept
        out.append((above - below) / (2 * step))
    return np.array(out)


def check(params, x, most):
    """Compare all gradients with differences, ``most`` entries of each at most."""
    compiled = sg.compile(r1_loss)
    _, gradients = sg.value_and_grad(r1_loss)(params, x, GAMMA)
    rng = np.random.default_rng(1)
    for name, p, g in zip(
        ("w1", "b1", "w2", "b2", "w3", "b3"), params, gradients, strict=True
    ):
        entries = rng.permutation(p.size)[:most]
        wanted = difference(lambda: compiled(params, x, GAMMA), p, entries)
        error = np.max(np.abs(g.reshape(-1)[entries] - wanted)) / np.max(np.abs(wanted))
        print(
            f"{name}: {len(entries):4d} of {p.size:4d} entries, relative error {error:.1e}"
        )
        if not error < 1e-5:
            raise SystemExit(f"the gradient of {name} is wrong")


def main():
    """Show the code, check the gradients, take some steps."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    images = load_digits().images[:, None] / 16
    params = initial(rng)

    show("the loss", inspect.getsource(discriminator) + "\n\n" + inspect.getsource(r1_loss))
    loss_and_grad = sg.value_and_grad(r1_loss)
    show("what symgrad wrote", loss_and_grad.lower(params, images[:8], GAMMA).source)
    check(params, images[:4], most=20 if options.quick else 2000)

    step = adam(params, rate=3e-3)
    steps = 5 if options.quick else 100
    for k in range(steps + 1):
        value, gradients = loss_and_grad(
            params, images[rng.integers(len(images), size=64)], GAMMA
        )
        step(gradients)
        if k % (steps // 5) == 0:
            print(f"step {k:3d}: loss {value:.4f}")


if __name__ == "__main__":
    main()
