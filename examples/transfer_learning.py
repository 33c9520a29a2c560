"""A residual network trained on some digits, then a new head for the others.

The body is trained on 0 to 4 and frozen; only a linear layer is trained on 5 to 9. Freezing
parameters does not stop the running statistics of batch norm: that takes ``eval()``. What
happens without it is shown too.
"""

from __future__ import annotations

import numpy as np
from _common import arguments, digit_images
from matplotlib.figure import Figure
from tqdm import tqdm

import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim
from symgrad.nn.models import BasicBlock

SPLIT = 5


class Body(nn.Module):
    """Residual blocks; 64 features of an image."""

    def __init__(self, rng):
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, padding=1, bias=False, generator=rng)
        self.norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(
            BasicBlock(16, 16, generator=rng),
            BasicBlock(16, 32, 2, self.shortcut(16, 32, rng), generator=rng),
            BasicBlock(32, 64, 2, self.shortcut(32, 64, rng), generator=rng),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)

    @staticmethod
    def shortcut(channels, outs, rng):
        """What makes the input of a block fit its output."""
        conv = nn.Conv2d(channels, outs, 1, 2, bias=False, generator=rng)
        return nn.Sequential(conv, nn.BatchNorm2d(outs))

    def forward(self, x):
        """Features (n, 64)."""
        x = F.relu(self.norm(self.stem(x)))
        return self.pool(self.blocks(x))[:, :, 0, 0]


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(images), labels)


def accuracy(model, images, labels):
    """The share of images whose largest logit is the right one."""
    return np.mean(np.argmax(model(images), axis=1) == labels)


def train(name, model, data, test, epochs, rng, rate, frozen=None):
    """Train what requires a gradient; accuracies after the epochs. The part ``frozen`` stays
    in evaluation."""
    loader = nn.DataLoader(data, 64, shuffle=rng)
    wanted = [(k, p) for k, p in model.named_parameters() if p.requires_grad]
    optimizer = optim.Adam(wanted, lr=rate)
    history = []
    for _ in (bar := tqdm(range(epochs), desc=name, unit="epoch")):
        model.train()
        if frozen is not None:
            frozen.eval()
        for batch in loader:
            optimizer.zero_grad()
            nn.backward(loss, model, *batch)
            optimizer.step()
        history.append(accuracy(model.eval(), *test))
        bar.set_postfix(accuracy=f"{history[-1]:.3f}")
    return history


def statistics(body):
    """All running means and variances of the body in a row."""
    named = body.named_buffers()
    return np.concatenate([b for name, b in named if "running" in name])


def new_head(name, body, data, test, epochs, evaluating):
    """Train a head on a frozen body; accuracies, and how far its statistics moved."""
    rng = np.random.default_rng(1)
    body.requires_grad_(False).zero_grad()
    model = nn.Sequential(body, nn.Linear(64, 10 - SPLIT, generator=rng))
    before = statistics(body)
    weights = nn.utils.parameters_to_vector(body.parameters())
    frozen = body if evaluating else None
    history = train(name, model, data, test, epochs, rng, 1e-2, frozen)
    if np.any(nn.utils.parameters_to_vector(body.parameters()) != weights):
        raise SystemExit("a frozen parameter has changed")
    if any(p.grad is not None for p in body.parameters()):
        raise SystemExit("a frozen parameter has a gradient")
    return history, np.max(np.abs(statistics(body) - before))


def picture(histories, path):
    """Accuracies after each epoch."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, history in histories.items():
        axes.plot(np.arange(1, len(history) + 1), history, "o-", label=name)
    axes.set(xlabel="epoch", ylabel=f"test accuracy on {SPLIT} to 9", ylim=(None, 1))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main():
    """Train the body, then heads."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    images, labels, test_images, test_labels = digit_images(rng)
    first, first_test = labels < SPLIT, test_labels < SPLIT
    old = (images[first], labels[first]), (test_images[first_test], test_labels[first_test])
    few = np.flatnonzero(~first)[:200]  # a small set is enough for a head
    new = (
        (images[few], labels[few] - SPLIT),
        (test_images[~first_test], test_labels[~first_test] - SPLIT),
    )

    body = Body(rng)
    whole = nn.Sequential(body, nn.Linear(64, SPLIT, generator=rng))
    scores = train(f"0 to {SPLIT - 1}", whole, *old, 2 if options.quick else 12, rng, 2e-3)
    print(f"body and head on 0 to {SPLIT - 1}: test accuracy {scores[-1]:.1%}")

    epochs = 5 if options.quick else 20
    histories = {}
    for name, features, evaluating in (
        ("frozen, eval()", body, True),
        ("frozen, train()", body, False),
        ("random, eval()", Body(np.random.default_rng(2)), True),
    ):
        histories[name], moved = new_head(name, features, *new, epochs, evaluating)
        print(
            f"new head on {SPLIT} to 9, body {name}: test accuracy "
            f"{histories[name][-1]:.1%}, statistics of batch norm moved by {moved:.2g}"
        )
        if evaluating and moved != 0:
            raise SystemExit("the statistics should not move")
    picture(histories, options.out / "transfer_learning.png")
    wanted = 0.4 if options.quick else 0.75
    if histories["frozen, eval()"][-1] < wanted:
        raise SystemExit(f"the accuracy of the new head should be at least {wanted:.0%}")


if __name__ == "__main__":
    main()
