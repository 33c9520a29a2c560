"""A convolutional network on scikit-learn's handwritten digits.

Written as in PyTorch: modules, a loss, an optimizer with a schedule. Batch norm and dropout
behave differently in ``train()`` and ``eval()``. Training images are shifted at random.
"""

from __future__ import annotations

import time

import numpy as np
from _common import arguments, digit_images, show
from matplotlib.figure import Figure
from tqdm import tqdm

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim


def network(rng):
    """Three convolutions with batch norm, then a linear layer."""

    def block(channels, outs):
        conv = nn.Conv2d(channels, outs, 3, padding=1, bias=False, generator=rng)
        return [conv, nn.BatchNorm2d(outs), nn.ReLU()]

    return nn.Sequential(
        *block(1, 32),
        *block(32, 32),
        nn.MaxPool2d(2),
        *block(32, 64),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3, generator=rng),
        nn.Linear(64 * 4, 10, generator=rng),
    )


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch; a tenth of each label is spread."""
    return F.cross_entropy(model(images), labels, label_smoothing=0.1)


def shifted(images, rng):
    """Each image moved by up to a pixel in both directions."""
    n, rows = len(images), np.arange(8)
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    top, left = rng.integers(0, 3, (2, n, 1))
    down = (top + rows)[:, :, np.newaxis]
    right = (left + rows)[:, np.newaxis, :]
    return padded[np.arange(n)[:, np.newaxis, np.newaxis], 0, down, right][:, np.newaxis]


def train(model, images, labels, epochs, rng):
    """Mean losses of the epochs."""
    loader = nn.DataLoader((images, labels), 64, shuffle=rng)
    optimizer = optim.AdamW(model.named_parameters(), weight_decay=0.05)
    steps = epochs * len(loader)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps)
    history = []
    model.train()
    for _ in (bar := tqdm(range(epochs), unit="epoch")):
        losses = []
        for batch, answers in loader:
            optimizer.zero_grad()
            losses.append(nn.backward(loss, model, shifted(batch, rng), answers))
            optimizer.step()
            schedule.step()
        history.append(np.mean(losses))
        bar.set_postfix(loss=f"{history[-1]:.4f}")
    return history


def picture(history, images, labels, found, path):
    """The loss, and the test images that were taken for something else."""
    wrong = np.flatnonzero(found != labels)[:8]
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subfigures(1, 2)
    axes = left.subplots()
    axes.semilogy(np.arange(1, len(history) + 1), history)
    axes.set(xlabel="epoch", ylabel="training loss")
    axes.grid(alpha=0.3)
    right.suptitle(f"{np.sum(found != labels)} of {len(labels)} wrong")
    for axes, k in zip(right.subplots(2, 4).flat, wrong, strict=False):
        axes.imshow(images[k, 0], cmap="gray_r")
        axes.set_title(f"{labels[k]}, not {found[k]}", fontsize=9)
    for axes in right.axes:
        axes.set_axis_off()
    figure.savefig(path, dpi=120)


def main():
    """Show the code, train, test, draw."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    images, labels, test_images, test_labels = digit_images(rng)
    model = network(rng)
    print(model, "\n")

    start = time.perf_counter()
    history = train(model, images, labels, 3 if options.quick else 40, rng)
    seconds = time.perf_counter() - start

    model.eval()
    logits = sg.compile(lambda x: model(x))
    show("the network for evaluation", logits.lower(test_images).source)
    found = np.argmax(logits(test_images), axis=1)
    score = np.mean(found == test_labels)
    path = options.out / "digits_cnn.png"
    picture(history, test_images, test_labels, found, path)
    print(f"trained in {seconds:.1f} s, test accuracy {score:.2%}, picture in {path}")
    wanted = 0.9 if options.quick else 0.985
    if score < wanted:
        raise SystemExit(f"the accuracy should be at least {wanted:.1%}")


if __name__ == "__main__":
    main()
