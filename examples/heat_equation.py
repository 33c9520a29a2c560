"""Recover a conductivity field from pictures of heat spreading.

The simulation updates slices of an array in a loop, as one would write it without thinking of
derivatives. Its gradient with respect to the initial state and the coefficient field is used
to find both from noisy pictures of later states.
"""

from __future__ import annotations

import inspect

import numpy as np
from _common import adam, arguments, show
from matplotlib.figure import Figure

import symgrad as sg

SMOOTHNESS = 0.1


def diffuse(u, c, steps):
    """Heat ``u`` after some steps; in place, the edge is held fixed."""
    for _ in range(steps):
        u[1:-1, 1:-1] += c * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )


def loss(u0, c, seen, steps, smoothness):
    """Half the squared distance to the states seen, and how rough the field is."""
    u = u0.copy()
    total = 0.5 * np.sum((u - seen[0]) ** 2)
    for k in range(1, len(seen)):
        diffuse(u, c, steps)
        total = total + 0.5 * np.sum((u - seen[k]) ** 2)
    rough = np.sum((c[1:] - c[:-1]) ** 2) + np.sum((c[:, 1:] - c[:, :-1]) ** 2)
    return total + smoothness * rough


def true_field(n):
    """What is to be found: smooth, between 0.02 and 0.22."""
    y, x = np.mgrid[0 : 1 : n * 1j, 0 : 1 : n * 1j]
    return 0.12 + 0.1 * np.sin(2 * np.pi * x) * np.cos(3 * np.pi * y)


def observe(rng, n, pictures, steps, noise):
    """The true coefficient field, and noisy pictures of a state that it governs."""
    c = true_field(n - 2)
    u = 4 * rng.standard_normal((n, n))
    diffuse(u, np.full_like(c, 0.2), 2)
    seen = []
    for k in range(pictures):
        if k:
            diffuse(u, c, steps)
        seen.append(u + noise * rng.standard_normal(u.shape))
    return c, np.array(seen)


def recover(seen, steps, rounds):
    """Initial state and field found by descent, and the misfit of every round."""
    loss_and_grad = sg.value_and_grad(loss, argnums=(0, 1))
    u0, c = seen[0].copy(), np.full((seen.shape[1] - 2, seen.shape[2] - 2), 0.1)
    step_u, step_c = adam([u0], rate=1e-3), adam([c], rate=4e-3)
    history = []
    for _ in range(rounds):
        value, (g_u0, g_c) = loss_and_grad(u0, c, seen, steps, SMOOTHNESS)
        step_u([g_u0])
        step_c([g_c])
        np.clip(c, 0.001, 0.249, out=c)  # beyond, the simulation is unstable
        history.append(value)
    return u0, c, history


def picture(true, found, history, path):
    """The true field, the recovered one, and the misfit, as a file."""
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for axes, field, title in ((left, true, "true field"), (middle, found, "recovered")):
        drawn = axes.imshow(field, vmin=0, vmax=0.25)
        axes.set(title=title, xticks=[], yticks=[])
    figure.colorbar(drawn, ax=middle)
    right.semilogy(history)
    right.set(title="misfit", xlabel="round")
    figure.savefig(path, dpi=120)


def main():
    """Show the code, recover the field, draw it."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    n, rounds = (16, 60) if options.quick else (40, 300)
    steps = 4
    true, seen = observe(rng, n, 6, steps, noise=0.002)

    show("the simulation", inspect.getsource(diffuse) + "\n\n" + inspect.getsource(loss))
    c = np.full_like(true, 0.1)
    loss_and_grad = sg.value_and_grad(loss, argnums=(0, 1))
    show(
        "what symgrad wrote",
        loss_and_grad.lower(seen[0], c, seen, steps, SMOOTHNESS).source,
    )

    _, found, history = recover(seen, steps, rounds)
    before, after = (np.sqrt(np.mean((field - true) ** 2)) for field in (c, found))
    path = options.out / "heat_field.png"
    picture(true, found, history, path)
    print(f"misfit {history[0]:.4g} -> {history[-1]:.4g} in {rounds} rounds")
    print(f"error of the field {before:.4f} -> {after:.4f}, picture in {path}")
    if not after < before / (2 if options.quick else 5):
        raise SystemExit("the field was not recovered")


if __name__ == "__main__":
    main()
