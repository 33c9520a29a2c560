"""Long chains: many early ways out, an ``elif`` with many branches, a ``try`` in which much may
raise. What they cost grows with their length."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

X = np.array([1.5, 0.7, 2.5])


def returns(k: int) -> list[str]:
    head = ["n = 0"] if k == 0 else []
    changes = ["n += 1", "s = s * 1.01"]
    return [*head, *changes, f"if s > {k + 2}.5: return s * {k + 1}.0", f"r{k} = s * x[1]"]


def writes(k: int) -> list[str]:
    head = ["y = x[::-1]"] if k == 0 else []
    return [
        *head,
        f"y[{k % 3}] = y[{(k + 1) % 3}] * 1.1",
        f"if s > {k + 2}.5: return y * s",
    ]


def breaks(k: int) -> list[str]:
    loop = ["for i in range(q):"] if k == 0 else []
    return [*loop, "    s = s * 1.01", f"    if s > {k + 2}.5: break"]


def goes_on(k: int) -> list[str]:
    loop = ["for i in range(q):"] if k == 0 else []
    return [*loop, f"    if s > {k + 2}.5: continue", "    s = s * 1.01"]


def elif_(k: int) -> list[str]:
    word = "elif" if k else "if"
    return [
        f"{word} s < {k * 0.1 + 0.05}:",
        f"    t = s * {k + 1}.0",
        f"    s = t + x[{k % 3}]",
    ]


def elif_returns(k: int) -> list[str]:
    return [f"{'elif' if k else 'if'} s < {k * 0.1 + 0.05}: return s * {k + 1}.0"]


def raises(k: int) -> list[str]:
    head = ["try:"] if k == 0 else []
    return [*head, f"    s = s + x[q + {k} - 9] * {k + 1}"]


def unrolled(k: int) -> list[str]:
    head = ["import numpy as np", "fs = []"] if k == 0 else []
    return [*head, f"fs.append(np.{('sin', 'cos', 'tanh')[k % 3]})"]


def unrolled_while(k: int) -> list[str]:
    return unrolled(k)


def unrolled_counting(k: int) -> list[str]:
    return unrolled(k)


def ternaries(k: int) -> list[str]:
    return [*["s = ("] * (k == 0), f"    s * {k + 1}.0 if s < {k * 0.1 + 0.05} else"]


KINDS = {
    returns: "return s + r0 + sum([s] * n)",
    writes: "return y + x",
    breaks: "return s",
    goes_on: "return s",
    elif_: "return s",
    elif_returns: "return s",
    unrolled: (
        "for f in fs:\n        s = 0.3 * s + f(s)\n        if s > 1.3: return s\n    return s"
    ),
    unrolled_counting: (
        "k = 0\n    for f in fs:\n        s = 0.3 * f(s) + fs[k](s)\n        k += 1\n"
        "        if s > 1.3: break\n    return s + k"
    ),
    unrolled_while: (
        "k = 0\n    while k < len(fs):\n        s = 0.3 * s + fs[k](s)\n        k += 1\n"
        "        if s > 1.3: break\n    return s + k"
    ),
    ternaries: "    x[1])\n    return s",
    raises: "except IndexError:\n        s = s * 2.0\n    return s * x[0]",
}


def chain(kind: Any, length: int, folder: Path) -> Any:
    """A function with that many of a kind."""
    lines = [line for k in range(length) for line in kind(k)]
    text = "\n    ".join(["def f(x, q):", "s = x[0] * 1.0", *lines, KINDS[kind]])
    path = folder / f"{kind.__name__}_{length}.py"
    path.write_text(text + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_long_chains(kind, tmp_path):
    f = chain(kind, 14, tmp_path)
    for start in (0.31, 1.5, 9.0):
        alike(f, np.array([start, 0.7, 2.5]), 9)
    check_grads(lambda x: np.sum(f(x, 9)), (np.array([1.29, 0.7, 2.5]),), order=1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_length_of_the_code(kind, tmp_path):
    lines, deepest = [], 0
    for length in (14, 28):
        f = chain(kind, length, tmp_path)
        source = sg.grad(lambda x, f=f: np.sum(f(x, 9))).lower(X).source.splitlines()
        lines.append(len(source))
        deepest = max(len(line) - len(line.lstrip()) for line in source)
    assert lines[1] < 2.6 * lines[0]
    assert deepest < 100


def test_too_deep(tmp_path):
    with pytest.raises(UnsupportedFunctionError, match="nested too deeply") as found:
        sg.compile(chain(elif_, 150, tmp_path))(X, 9)
    assert "def f(x, q)" in str(found.value)
