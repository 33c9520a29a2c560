"""Gradients of k small batches, added up, are the gradient of one large batch.

``nn.backward(..., scale=1/k)`` adds into ``.grad``, so a batch that does not fit into memory is
gone through in parts. Here both ways are compared number by number, then train the same network
side by side.
"""

from __future__ import annotations

import numpy as np
from _common import arguments
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim

PARTS = 8


def network(seed):
    """A small convolutional network; float64, so that only rounding is left to differ."""
    rng = np.random.default_rng(seed)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, generator=rng),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 16, 10, generator=rng),
    )
    return model.double()


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(images), labels)


def whole(model, images, labels):
    """The gradient of the batch in one piece; the loss."""
    model.zero_grad()
    return nn.backward(loss, model, images, labels)


def in_parts(model, images, labels):
    """The same from ``PARTS`` small batches: the mean of their mean losses."""
    model.zero_grad()
    value = 0.0
    for rows in np.split(np.arange(len(images)), PARTS):
        value += nn.backward(loss, model, images[rows], labels[rows], scale=1 / PARTS)
    return value / PARTS


def compare(images, labels):
    """Print the largest difference in every parameter's gradient."""
    model = network(0)
    whole(model, images, labels)
    expected = {name: p.grad.copy() for name, p in model.named_parameters()}
    in_parts(model, images, labels)
    for name, p in model.named_parameters():
        error = np.max(np.abs(p.grad - expected[name])) / np.max(np.abs(expected[name]))
        print(f"{name:10s} {p.shape!s:15s} relative difference {error:.1e}")
        if not error < 1e-12:
            raise SystemExit(f"the gradient of {name} is not the same")


def train(backward, images, labels, steps):
    """Losses of a training run with gradients from ``backward``, and the parameters."""
    model = network(0)
    order = np.random.default_rng(1)  # the same batches for both
    loader = nn.DataLoader((images, labels), 256, shuffle=order, drop_last=True)
    optimizer = optim.Adam(model.named_parameters(), lr=3e-3)
    history = []
    with tqdm(total=steps, desc=backward.__name__, unit="step") as bar:
        while len(history) < steps:
            for batch in loader:
                history.append(backward(model, *batch))
                optimizer.step()
                bar.set_postfix(loss=f"{history[-1]:.4f}")
                bar.update()
    return np.array(history), nn.utils.parameters_to_vector(model.parameters())


def picture(one, several, path):
    """Both curves, and how far they are apart."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(one, lw=4, alpha=0.4, label="one batch")
    left.plot(several, lw=1, color="black", label=f"{PARTS} parts")
    left.set(xlabel="step", ylabel="loss", yscale="log")
    left.legend()
    right.plot(np.maximum(np.abs(one - several), 1e-17))
    right.set(xlabel="step", ylabel="difference", yscale="log")
    figure.savefig(path)


def main():
    """Compare, train twice, draw."""
    options = arguments(__doc__)
    data = load_digits()
    images, labels = data.images[:, None] / 16, data.target
    compare(images[:256], labels[:256])

    steps = 14 if options.quick else 210
    one, end_one = train(whole, images, labels, steps)
    several, end_several = train(in_parts, images, labels, steps)
    apart = np.max(np.abs(end_one - end_several))
    print(f"after {steps} steps: losses {one[-1]:.6f} and {several[-1]:.6f}, ", end="")
    print(f"parameters at most {apart:.1e} apart")
    picture(one, several, options.out / "batch_accumulation.png")


if __name__ == "__main__":
    main()
