"""What the examples share: their command line, showing code, digits, Adam in plain NumPy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits


def arguments(description: str) -> argparse.Namespace:
    """The command line of every example; from here on, BLAS has one thread."""
    threadpool_limits(1)  # for small matrices several would mostly wait for each other
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--quick", action="store_true", help="a small size, in a few seconds"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def show(title: str, code: str) -> None:
    """Print Python code under a title, highlighted on a terminal."""
    print(f"# {'-' * 8} {title} {'-' * (76 - len(title))}\n")
    if sys.stdout.isatty():
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer

        code = highlight(code, PythonLexer(), TerminalFormatter())
    print(code.strip("\n") + "\n")


def digit_images(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """scikit-learn's handwritten digits, (n, 1, 8, 8) from 0 to 1 and their labels, in random
    order: images and labels for training, and a fifth of both for testing."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = rng.permutation(len(data.target))
    images = data.images[order, np.newaxis].astype(np.float32) / 16
    labels, test = data.target[order], len(order) // 5
    return images[test:], labels[test:], images[:test], labels[:test]


def adam(
    values: list[np.ndarray], rate: float, decay: float = 0.999, momentum: float = 0.9
) -> Callable[[list[np.ndarray]], None]:
    """A function that moves ``values`` in place along the gradients it is called with."""
    first = [np.zeros_like(v) for v in values]
    second = [np.zeros_like(v) for v in values]
    count = 0

    def step(gradients: list[np.ndarray]) -> None:
        nonlocal count
        count += 1
        scale = rate * np.sqrt(1 - decay**count) / (1 - momentum**count)
        for v, m, s, g in zip(values, first, second, gradients, strict=True):
            m += (1 - momentum) * (g - m)
            s += (1 - decay) * (g * g - s)
            v -= scale * m / (np.sqrt(s) + 1e-8)

    return step
