"""Clipping gradients: a recurrent network that diverges without it.

The network reads an image line by line, each twice, and says at the end which digit it was. Its
recurrent weights begin a little above the identity, so gradients through all the lines are
sometimes huge: a step along such a gradient throws the weights far away, from where there is no
way back. Clipped to a norm, the same run learns.
"""

from __future__ import annotations

import numpy as np
from _common import arguments, digit_images
from matplotlib.figure import Figure
from tqdm import tqdm

import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim

MAX_NORM = 0.5


class Reader(nn.Module):
    """A recurrent network over the lines of an image, each repeated."""

    def __init__(self, rng):
        super().__init__()
        self.rnn = nn.RNN(8, 48, nonlinearity="relu", batch_first=True, generator=rng)
        nn.init.eye_(self.rnn.weight_hh_l0)
        self.rnn.weight_hh_l0.data *= 1.2
        self.head = nn.Linear(48, 10, generator=rng)

    def forward(self, images):
        """Logits (n, 10)."""
        lines = np.repeat(images[:, 0], 2, axis=1)
        states, _ = self.rnn(lines)
        return self.head(states[:, -1])


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(images), labels)


def train(name, max_norm, images, labels, steps):
    """Losses and norms of gradients, which are clipped to ``max_norm``; the model."""
    model = Reader(np.random.default_rng(0))
    order = np.random.default_rng(1)  # the same batches for both
    loader = nn.DataLoader((images, labels), 64, shuffle=order, drop_last=True)
    optimizer = optim.SGD(model.named_parameters(), lr=0.03, momentum=0.9)
    epochs = steps // len(loader)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loader))
    losses, norms = [], []
    with np.errstate(all="ignore"):
        for _ in (bar := tqdm(range(epochs), desc=name, unit="epoch")):
            for batch in loader:
                optimizer.zero_grad()
                losses.append(nn.backward(loss, model, *batch))
                norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm))
                optimizer.step()
                schedule.step()
            bar.set_postfix(loss=f"{losses[-1]:.3g}", norm=f"{norms[-1]:.3g}")
    return np.array(losses), np.array(norms), model


def picture(runs, path):
    """Losses and norms of both runs."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    for axes, which, name in zip(
        figure.subplots(1, 2), (0, 1), ("loss", "norm of the gradient"), strict=True
    ):
        for label, run in runs.items():
            finite = np.where(np.isfinite(run[which]), run[which], np.nan)
            axes.semilogy(finite, label=label, lw=1)
        axes.set(xlabel="step", ylabel=name)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=120)


def main():
    """Train with and without clipping."""
    options = arguments(__doc__)
    images, labels, test_images, test_labels = digit_images(np.random.default_rng(0))
    steps = 132 if options.quick else 880
    runs = {}
    for name, max_norm in (("clipped", MAX_NORM), ("as they are", np.inf)):
        runs[name] = train(name, max_norm, images, labels, steps)
        losses, norms, model = runs[name]
        with np.errstate(all="ignore"):
            found = np.argmax(model(test_images), axis=1)
        score = np.mean(found == test_labels)
        print(
            f"gradients {name}: largest norm {np.nanmax(norms):.3g}, "
            f"last loss {losses[-1]:.3g}, test accuracy {score:.1%}"
        )
        runs[name] = losses, norms, score
    path = options.out / "grad_clip.png"
    picture(runs, path)
    wanted = 0.2 if options.quick else 0.8
    if not (runs["clipped"][2] >= wanted > runs["as they are"][2]):
        raise SystemExit("clipping should make the difference")


if __name__ == "__main__":
    main()
