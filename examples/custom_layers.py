"""Layers of one's own: parameters, buffers, Python in ``forward``, and a rule for a derivative.

- ``Equalised`` keeps weights of variance 1 and scales them when it is used.
- ``Mixture`` has experts in a ``ModuleList`` and a gate that weighs them.
- ``Centred`` keeps the running mean of what it sees as a buffer.
- ``Steps`` rounds, with a derivative as if it did not (a straight-through estimator).

The code that trains them is shown: what the layers do is all there, the modules are gone.
"""

from __future__ import annotations

import math

import numpy as np
from _common import arguments, digit_images, show
from matplotlib.figure import Figure
from tqdm import tqdm

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim


class Equalised(nn.Module):
    """A linear layer whose scale is no part of its weight (Karras et al., 2018)."""

    def __init__(self, fan_in, fan_out, rng):
        super().__init__()
        self.weight = nn.Parameter(np.empty((fan_out, fan_in), np.float32))
        self.bias = nn.Parameter(np.zeros(fan_out, np.float32))
        nn.init.normal_(self.weight, generator=rng)
        self.scale = math.sqrt(2 / fan_in)  # np.sqrt would make everything float64

    def forward(self, x):
        return F.linear(x, self.weight * self.scale, self.bias)

    def extra_repr(self):
        return f"scale={self.scale:.3f}"


class Mixture(nn.Module):
    """Several layers, weighed by a gate that looks at the input."""

    def __init__(self, experts, fan_in, rng):
        super().__init__()
        self.experts = nn.ModuleList(experts)
        self.gate = nn.Linear(fan_in, len(experts), generator=rng)

    def forward(self, x):
        weights = F.softmax(self.gate(x))
        return sum(weights[:, k : k + 1] * e(x) for k, e in enumerate(self.experts))


class Centred(nn.Module):
    """Takes off the mean over the batch, or afterwards its running mean."""

    def __init__(self, features, momentum=0.1):
        super().__init__()
        self.register_buffer("mean", np.zeros(features, np.float32))
        self.momentum = momentum

    def forward(self, x):
        if not self.training:
            return x - self.mean
        mean = np.mean(x, axis=0)
        self.mean[...] = (1 - self.momentum) * self.mean + self.momentum * mean
        return x - mean


@sg.custom_vjp
def rounded(x):
    """``x`` rounded; the derivative is that of ``x``."""
    return np.round(x)


rounded.defvjp(lambda x: (np.round(x), None), lambda _, g: (g,))


class Steps(nn.Module):
    """Numbers between -1 and 1, rounded to ``count`` steps on each side."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, x):
        return rounded(np.tanh(x) * self.count) / self.count


def network(rng):
    """All of them."""
    experts = [Equalised(64, 32, rng) for _ in range(3)]
    return nn.Sequential(
        nn.Flatten(),
        Mixture(experts, 64, rng),
        Centred(32),
        Steps(4),
        Equalised(32, 10, rng),
    )


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(images), labels)


def train(model, images, labels, epochs, rng):
    """The losses of all steps."""
    loader = nn.DataLoader((images, labels), 64, shuffle=rng)
    optimizer = optim.Adam(model.named_parameters(), lr=1e-2)
    history = []
    for _ in (bar := tqdm(range(epochs), unit="epoch")):
        for batch in loader:
            optimizer.zero_grad()
            history.append(nn.backward(loss, model, *batch))
            optimizer.step()
        bar.set_postfix(loss=f"{history[-1]:.4f}")
    return history


def picture(history, model, images, path):
    """The loss, and which expert looks at what."""
    weights = F.softmax(model[1].gate(images.reshape(len(images), -1)))
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.semilogy(history, lw=1)
    left.set(xlabel="step", ylabel="training loss")
    left.grid(alpha=0.3)
    experts = np.abs(model[1].gate.weight.data).reshape(-1, 8)
    right.imshow(experts, cmap="viridis", aspect="auto")
    shares = ", ".join(f"{share:.0%}" for share in weights.mean(axis=0))
    right.set_title(f"gate weights; the experts' shares are {shares}", fontsize=9)
    figure.savefig(path, dpi=120)


def main():
    """Show the code, train, test, draw."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    images, labels, test_images, test_labels = digit_images(rng)
    model = network(rng)
    print(model, "\n")
    code = nn.compiled_backward(loss).lower(model, images[:64], labels[:64])
    show("loss and gradient", code.source)

    history = train(model, images, labels, 3 if options.quick else 20, rng)
    model.eval()
    score = np.mean(np.argmax(model(test_images), axis=1) == test_labels)
    path = options.out / "custom_layers.png"
    picture(history, model, test_images, path)
    print(f"test accuracy {score:.1%}, picture in {path}")
    wanted = 0.8 if options.quick else 0.95
    if score < wanted:
        raise SystemExit(f"the accuracy should be at least {wanted:.0%}")


if __name__ == "__main__":
    main()
