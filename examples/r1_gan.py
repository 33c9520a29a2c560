"""A small StyleGAN2 on handwritten digits, with and without the R1 gradient penalty.

The discriminator's loss holds the gradient of the discriminator by its images, written as
``sg.grad`` inside the loss; ``nn.backward`` differentiates through it. As in StyleGAN2 (Karras
et al., 2020) layers have equalised learning rates, the discriminator is residual, blurs before it
drops rows, and sees the spread within its batch; the generator scales its weights by styles; the
penalty (Mescheder et al., 2018) is applied in every fourth step only, four times as strongly.

Two runs differ in the penalty alone. The curves show that it bounds the gradient's length.
"""

from __future__ import annotations

import copy
import math

import numpy as np
from _common import arguments
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim

GAMMA = 1.0
EVERY = 4
LATENT = 32
GAIN = math.sqrt(2)  # what leaky_relu takes from the size of its input


def smoother(side, before, after):
    """The matrix that smooths a row of ``side`` values with zeros put before and after it."""
    out = np.zeros((side + before + after - 3, side), np.float32)
    for k, weight in enumerate((1, 3, 3, 1)):
        for i in range(max(0, before - k), min(len(out), side + before - k)):
            out[i, i + k - before] = weight / 8
    return out


def doubler(side):
    """The matrix that makes a row twice as long, and smooth."""
    return smoother(2 * side, 2, 1) @ np.repeat(np.eye(side, dtype=np.float32), 2, axis=0)


def act(x):
    """The activation, at unit gain."""
    return F.leaky_relu(x, 0.2) * GAIN


class Dense(nn.Module):
    """A linear layer whose weights are scaled when used, not when made."""

    def __init__(self, rng, n_in, n_out, bias=0.0):
        super().__init__()
        self.weight = nn.Parameter(rng.standard_normal((n_out, n_in), np.float32))
        self.bias = nn.Parameter(np.full(n_out, bias, np.float32))
        self.scale = 1 / math.sqrt(n_in)

    def forward(self, x):
        return F.linear(x, self.weight * self.scale, self.bias)


class Conv(nn.Module):
    """A convolution with such weights."""

    def __init__(self, rng, n_in, n_out, size, stride=1, padding=0, bias=True):
        super().__init__()
        self.weight = nn.Parameter(
            rng.standard_normal((n_out, n_in, size, size), np.float32)
        )
        self.bias = nn.Parameter(np.zeros(n_out, np.float32)) if bias else None
        self.scale = 1 / math.sqrt(n_in * size**2)
        self.stride, self.padding = stride, padding

    def forward(self, x):
        w = self.weight * self.scale
        return F.conv2d(x, w, self.bias, stride=self.stride, padding=self.padding)


class Block(nn.Module):
    """Half the side, twice the channels, around a shortcut."""

    def __init__(self, rng, n, side):
        super().__init__()
        self.first = Conv(rng, n, n, 3, padding=1)
        self.second = Conv(rng, n, 2 * n, 3, stride=2)
        self.short = Conv(rng, n, 2 * n, 1, bias=False)
        self.register_buffer("blur", smoother(side, 2, 2))
        self.register_buffer("halve", smoother(side, 1, 1)[::2])

    def forward(self, x):
        h = self.blur @ act(self.first(x)) @ self.blur.T
        return (act(self.second(h)) + self.short(self.halve @ x @ self.halve.T)) / GAIN


def with_spread(x, group=4):
    """One more channel: how much images differ within groups, so that all alike is seen."""
    n, c, h, w = x.shape
    parts = np.reshape(x, (group, n // group, c, h, w))
    spread = np.sqrt(np.var(parts, axis=0) + 1e-8)
    mean = np.mean(spread, axis=(1, 2, 3))
    plane = np.broadcast_to(np.tile(mean, group)[:, None, None, None], (n, 1, h, w))
    return np.concatenate([x, plane], axis=1)


class Discriminator(nn.Module):
    """A score for each image of 16 by 16; 4 by 4 is left at the end."""

    def __init__(self, rng, n):
        super().__init__()
        self.first = Conv(rng, 1, n, 1)
        self.blocks = nn.Sequential(Block(rng, n, 16), Block(rng, 2 * n, 8))
        self.last = Conv(rng, 4 * n + 1, 4 * n, 3, padding=1)
        self.dense = Dense(rng, 4 * n * 16, 4 * n)
        self.score = Dense(rng, 4 * n, 1)

    def forward(self, x):
        h = self.blocks(act(self.first(x)))
        h = act(self.last(with_spread(h)))
        h = act(self.dense(np.reshape(h, (len(h), -1))))
        return self.score(h)[:, 0]


class Styled(nn.Module):
    """A convolution whose weights are scaled by a style, and back to unit length; images are
    first made larger by the matrix ``up``."""

    def __init__(self, rng, n_in, n_out, up):
        super().__init__()
        self.style = Dense(rng, LATENT, n_in, bias=1.0)
        self.conv = Conv(rng, n_in, n_out, 3, padding=1)
        self.register_buffer("up", up)

    def forward(self, x, style):
        x, s = self.up @ x @ self.up.T, self.style(style)
        w2 = np.sum((self.conv.weight * self.conv.scale) ** 2, axis=(2, 3))
        length = np.sqrt(s**2 @ w2.T + 1e-8)
        return self.conv(x * s[:, :, None, None]) / length[:, :, None, None]


class Generator(nn.Module):
    """Images of 16 by 16 from random vectors, by a constant and styles."""

    def __init__(self, rng, n):
        super().__init__()
        self.to_style = nn.ModuleList([Dense(rng, LATENT, LATENT) for _ in range(3)])
        self.start = nn.Parameter(rng.standard_normal((1, 4 * n, 4, 4), np.float32))
        self.layers = nn.ModuleList(
            [
                Styled(rng, 4 * n, 4 * n, np.eye(4, dtype=np.float32)),
                Styled(rng, 4 * n, 2 * n, doubler(4)),
                Styled(rng, 2 * n, n, doubler(8)),
            ]
        )
        self.image = Conv(rng, n, 1, 1)

    def forward(self, z):
        style = z / np.sqrt(np.mean(z**2, axis=1, keepdims=True) + 1e-8)
        for layer in self.to_style:
            style = act(layer(style))
        h = np.repeat(self.start, len(z), axis=0)
        for layer in self.layers:
            h = act(layer(h, style))
        return self.image(h)


@sg.compile
def squared_gradient(d, x):
    """The squared length of the gradient by an image, averaged over the batch."""
    g = sg.grad(lambda x: np.sum(d(x)))(x)
    return np.mean(np.sum(g**2, axis=(1, 2, 3)))


def loss_of_discriminator(d, real, fake, penalised):
    """Logistic loss; with the penalty, R1 for the steps until the next one."""
    loss = np.mean(F.softplus(d(fake))) + np.mean(F.softplus(-d(real)))
    if penalised:
        loss = loss + GAMMA / 2 * EVERY * squared_gradient(d, real)
    return loss


def loss_of_generator(g, d, z):
    """The loss that does not saturate where the discriminator is sure."""
    return np.mean(F.softplus(-d(g(z))))


class Run:
    """A generator and a discriminator in training, from given states on."""

    def __init__(self, g, d, start, images, penalised):
        self.g, self.d, self.penalised = g, d, penalised
        for net, state in zip((g, d), start, strict=True):
            net.load_state_dict(state)
        self.mean_g = copy.deepcopy(g)
        self.rng = rng = np.random.default_rng(1)
        self.g_step = optim.Adam(self.g.parameters(), lr=2e-3, betas=(0.0, 0.99))
        part = EVERY / (EVERY + 1)  # the penalty's share of the steps
        self.d_step = optim.Adam(self.d.parameters(), 2e-3 * part, (0.0, 0.99**part))
        self.batches = nn.DataLoader(images, 32, shuffle=rng, drop_last=True)
        self.steps, self.losses, self.lengths = 0, [], []

    def z(self, n):
        return self.rng.standard_normal((n, LATENT), np.float32)

    def step(self, real):
        """One step of both."""
        self.g.requires_grad_(False)
        self.d.requires_grad_(True)
        self.d_step.zero_grad()
        penalised = self.penalised and self.steps % EVERY == 0
        fake = self.g(self.z(len(real)))
        d_loss = nn.backward(loss_of_discriminator, self.d, real, fake, penalised)
        self.d_step.step()
        self.g.requires_grad_(True)
        self.d.requires_grad_(False)
        self.g_step.zero_grad()
        g_loss = nn.backward(loss_of_generator, self.g, self.d, self.z(len(real)))
        self.g_step.step()
        for mean, p in zip(self.mean_g.parameters(), self.g.parameters(), strict=True):
            mean.data += 0.01 * (p.data - mean.data)
        self.losses.append((d_loss, g_loss))
        self.steps += 1

    def train(self, steps, name):
        """Go on for ``steps``; measure the gradient's length now and then."""
        bar = tqdm(total=steps, desc=name, unit="step")
        while self.steps < steps:
            for real in self.batches:
                if self.steps % 10 == 0:
                    self.lengths.append(squared_gradient(self.d, real))
                self.step(real)
                bar.update()
                bar.set_postfix(gradient=f"{self.lengths[-1]:.2g}")
                if self.steps == steps:
                    break
        bar.close()
        self.samples = self.mean_g(self.z(64))


def sixteen(images):
    """Digits of 8 by 8 as images of 16 by 16 with values from -1 to 1."""
    x = (images[:, None] / 8 - 1).astype(np.float32)
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


def grid(images, side):
    """Square images side by side."""
    x = images[: side * side, 0].reshape(side, side, 16, 16)
    return x.transpose(0, 2, 1, 3).reshape(side * 16, side * 16)


def picture(runs, images, path):
    """Real images, samples of each run, and the curves."""
    figure = Figure(figsize=(12, 7), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.2, 1))
    shown = {"real": images} | {name: run.samples for name, run in runs.items()}
    for axes, (name, x) in zip(above.subplots(1, 3), shown.items(), strict=True):
        axes.imshow(grid(x, 8), cmap="gray", vmin=-1, vmax=1)
        axes.set(title=name, xticks=[], yticks=[])
    left, right = below.subplots(1, 2)
    for name, run in runs.items():
        left.plot(10 * np.arange(len(run.lengths)), run.lengths, label=name)
        right.plot(smooth([d for d, _ in run.losses]), label=f"discriminator, {name}")
        right.plot(smooth([g for _, g in run.losses]), label=f"generator, {name}")
    left.set(xlabel="step", ylabel="squared gradient at real images", yscale="log")
    right.set(xlabel="step", ylabel="loss")
    left.legend()
    right.legend()
    figure.savefig(path, dpi=110)


def smooth(values):
    """Running means."""
    width = min(25, len(values))
    return np.convolve(values, np.ones(width) / width, mode="valid")


def main():
    """Train with and without R1, compare, draw."""
    options = arguments(__doc__)
    images = sixteen(load_digits().images)
    steps, channels = (9, 4) if options.quick else (1000, 8)
    rng = np.random.default_rng(0)
    g, d = Generator(rng, channels), Discriminator(rng, channels)
    start = copy.deepcopy((g.state_dict(), d.state_dict()))
    runs = {}
    for name, penalised in (("with R1", True), ("without R1", False)):
        runs[name] = Run(g, d, start, images, penalised)
        runs[name].train(steps, name)
    ends = {name: float(np.mean(run.lengths[-10:])) for name, run in runs.items()}
    for name, run in runs.items():
        d_loss, g_loss = np.mean(run.losses[-50:], axis=0)
        print(f"{name}: losses {d_loss:.3f} and {g_loss:.3f}, ", end="")
        print(f"squared gradient {ends[name]:.3g}")
    picture(runs, images, options.out / "r1_gan.png")
    if not options.quick and not ends["with R1"] < 0.5 * ends["without R1"]:
        raise SystemExit("the penalty should have bounded the gradient")


if __name__ == "__main__":
    main()
