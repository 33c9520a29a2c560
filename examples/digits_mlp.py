"""Train a small network on scikit-learn's handwritten digits.

The network and its loss are plain NumPy. symgrad writes the function that returns the loss
and its gradient; it is printed first, and then used for training.
"""

from __future__ import annotations

import inspect
import time
from itertools import pairwise

import numpy as np
from _common import adam, arguments, show
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import symgrad as sg


def logits(params, x):
    """A perceptron with two hidden layers."""
    h = np.maximum(x @ params["w1"] + params["b1"], 0)
    h = np.maximum(h @ params["w2"] + params["b2"], 0)
    return h @ params["w3"] + params["b3"]


def loss(params, x, labels):
    """Softmax cross-entropy, averaged over the batch."""
    z = logits(params, x)
    z = z - np.max(z, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(log_norm - z[np.arange(len(labels)), labels])


def digits(rng):
    """Training and test images with values from 0 to 1, and their labels."""
    data = load_digits()
    order = rng.permutation(len(data.target))
    x, labels = data.data[order].astype(np.float32) / 16, data.target[order]
    test = len(x) // 5
    return x[test:], labels[test:], x[:test], labels[:test]


def initial(rng, sizes):
    """Random weights for layers of these sizes, biases of zero."""
    params = {}
    for k, (fan_in, fan_out) in enumerate(pairwise(sizes), start=1):
        w = rng.standard_normal((fan_in, fan_out)) * np.sqrt(2 / fan_in)
        params[f"w{k}"] = w.astype(np.float32)
        params[f"b{k}"] = np.zeros(fan_out, np.float32)
    return params


def accuracy(params, x, labels):
    """The share of images whose largest logit is the right one."""
    return np.mean(np.argmax(logits(params, x), axis=1) == labels)


def train(params, x, labels, epochs, rng, batch=64):
    """Minibatch training; the mean loss of every epoch."""
    loss_and_grad = sg.value_and_grad(loss)
    step = adam(list(params.values()), rate=2e-3)
    history = []
    bar = tqdm(range(epochs), unit="epoch")
    for _ in bar:
        order = rng.permutation(len(x))
        losses = []
        for start in range(0, len(x), batch):
            rows = order[start : start + batch]
            value, gradient = loss_and_grad(params, x[rows], labels[rows])
            step([gradient[name] for name in params])
            losses.append(value)
        history.append(np.mean(losses))
        bar.set_postfix(loss=f"{history[-1]:.4f}")
    return history


def picture(history, score, path):
    """The loss curve as a file."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(np.arange(1, len(history) + 1), history)
    axes.set(xlabel="epoch", ylabel="training loss", title=f"test accuracy {score:.1%}")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main():
    """Show the code, train, test, draw."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    x, labels, x_test, labels_test = digits(rng)
    params = initial(rng, (64, 128, 64, 10))

    show(
        "the network and its loss",
        inspect.getsource(logits) + "\n\n" + inspect.getsource(loss),
    )
    lowered = sg.value_and_grad(loss).lower(params, x[:64], labels[:64])
    show("what symgrad wrote: loss and gradient", lowered.source)

    start = time.perf_counter()
    history = train(params, x, labels, 3 if options.quick else 40, rng)
    seconds = time.perf_counter() - start
    score = accuracy(params, x_test, labels_test)
    path = options.out / "digits_loss.png"
    picture(history, score, path)
    print(f"trained in {seconds:.1f} s, test accuracy {score:.1%}, loss curve in {path}")
    wanted = 0.85 if options.quick else 0.97
    if score < wanted:
        raise SystemExit(f"the accuracy should be at least {wanted:.0%}")


if __name__ == "__main__":
    main()
