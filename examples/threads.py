"""Training from several threads that add into the same gradients.

Each thread computes the loss of its part of a batch and calls ``nn.backward``; compiled functions
may run in many threads at once, and a lock in every parameter keeps additions whole. First a
parameter of a million entries, where sums without a lock lose some; then a network on
handwritten digits, whose gradients are compared with those of one thread. Whole sums may still
differ in their last bits, since threads arrive in any order; with
``sg.config(deterministic=True)`` they do not.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from _common import arguments
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import symgrad as sg
import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim

THREADS = 4


def product(w, x):
    """A loss whose gradient by ``w`` is ``x``."""
    return np.sum(w * x)


def nothing_is_lost(pool, rounds):
    """Many threads add whole numbers, whose sum is exact in any order."""
    w = nn.Parameter(np.zeros(1_000_000))
    x = np.arange(w.size) % 100.0
    calls = [pool.submit(nn.backward, product, w, x) for _ in range(rounds * THREADS)]
    for call in tqdm(calls, desc="adding", unit="call"):
        call.result()
    lost = np.count_nonzero(w.grad != rounds * THREADS * x)
    print(f"{len(calls)} gradients of {w.size} entries added: {lost} entries are wrong")
    if lost:
        raise SystemExit("additions were lost")


def network():
    """A perceptron that is wide enough for its matrix products to take the time."""
    rng = np.random.default_rng(0)
    return nn.Sequential(
        nn.Linear(64, 1024, generator=rng),
        nn.ReLU(),
        nn.Linear(1024, 1024, generator=rng),
        nn.ReLU(),
        nn.Linear(1024, 10, generator=rng),
    )


def loss(model, x, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(x), labels)


def in_threads(pool, model, x, labels):
    """The gradient of a batch, a part of it in each thread; its loss."""
    calls = [
        pool.submit(nn.backward, loss, model, x[rows], labels[rows], scale=1 / THREADS)
        for rows in np.split(np.arange(len(x)), THREADS)
    ]
    return np.mean([call.result() for call in calls])


def compare(pool, x, labels):
    """Print how far the gradients of many threads are from those of one."""
    model = network()
    nn.backward(loss, model, x, labels)
    expected = {name: p.grad.copy() for name, p in model.named_parameters()}
    model.zero_grad()
    in_threads(pool, model, x, labels)
    for name, p in model.named_parameters():
        error = np.max(np.abs(p.grad - expected[name])) / np.max(np.abs(expected[name]))
        print(f"{name:9s} {p.shape!s:13s} relative difference {error:.1e}")
        if not error < 1e-4:
            raise SystemExit(f"the gradient of {name} is not the same")


def repeat(pool, x, labels, times):
    """How many different gradients the same calls give when threads arrive in any order."""
    model, rng = network(), np.random.default_rng(2)
    found = set()
    for _ in range(times):
        model.zero_grad()
        rows = np.split(np.arange(len(x)), THREADS)
        calls = [
            pool.submit(nn.backward, loss, model, x[part], labels[part])
            for part in rng.permutation(rows)
        ]
        for call in calls:
            call.result()
        found.add(b"".join(p.grad.tobytes() for p in model.parameters()))
    return len(found)


def train(backward, x, labels, steps, name):
    """Losses of a training run, and its seconds."""
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loader = nn.DataLoader(
        (x, labels), 512, shuffle=np.random.default_rng(1), drop_last=True
    )
    history = []
    start = time.perf_counter()
    with tqdm(total=steps, desc=name, unit="step") as bar:
        while len(history) < steps:
            for batch in loader:
                optimizer.zero_grad()
                history.append(backward(model, *batch))
                optimizer.step()
                bar.set_postfix(loss=f"{history[-1]:.4f}")
                bar.update()
    return history, time.perf_counter() - start


def picture(curves, path):
    """The losses over time."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, (history, seconds) in curves.items():
        axes.plot(np.linspace(0, seconds, len(history)), history, label=name)
    axes.set(xlabel="seconds", ylabel="loss", yscale="log")
    axes.legend()
    figure.savefig(path)


def main():
    """Add, compare, train with one thread and with several, draw."""
    options = arguments(__doc__)
    data = load_digits()
    x, labels = (data.data / 16).astype(np.float32), data.target
    steps = 6 if options.quick else 90
    with ThreadPoolExecutor(THREADS) as pool:
        nothing_is_lost(pool, rounds=3 if options.quick else 25)
        compare(pool, x[:512], labels[:512])
        times = 3 if options.quick else 10
        print(
            f"{times} times the same: {repeat(pool, x[:512], labels[:512], times)} results"
        )
        with sg.config(deterministic=True):
            different = repeat(pool, x[:512], labels[:512], times)
        print(f"{times} times the same, deterministic: {different} result")
        if different != 1:
            raise SystemExit("the deterministic gradients differ")
        ways = {
            "one thread": lambda *args: nn.backward(loss, *args),
            f"{THREADS} threads": lambda *args: in_threads(pool, *args),
        }
        curves = {name: train(way, x, labels, steps, name) for name, way in ways.items()}
    for name, (history, seconds) in curves.items():
        print(f"{name}: {steps} steps in {seconds:.1f} s, loss {history[-1]:.4f}")
    picture(curves, options.out / "threads.png")


if __name__ == "__main__":
    main()
