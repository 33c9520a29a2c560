"""Writes ``golden.npz``: values and gradients that PyTorch has for ``golden_cases``.

Run it as ``python -m tests.nn.make_golden`` with PyTorch installed; tests need the file only.
For each case there is one row of numbers: the results, running statistics after the call,
the gradients by inputs and then by parameters of the sum of the results times ``weights``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from .golden_cases import FUNCTIONS, MODULES, differentiated, inputs, leaves, state, weights

PATH = Path(__file__).with_name("golden.npz")


def tensors(case: str, words: str) -> list[torch.Tensor]:
    """The inputs, floats requiring gradients."""
    made = [torch.tensor(x) for x in inputs(case, words)]
    for x, flag in zip(made, differentiated(words), strict=True):
        x.requires_grad_(flag)
    return made


def filled(module: nn.Module) -> nn.Module:
    """The module in double precision with the state that the tests use."""
    module.double()
    for name, value in module.state_dict().items():
        if value.is_floating_point():
            value.copy_(torch.tensor(state(name, tuple(value.shape))))
    return module


def row(results: Any, buffers: list[Any], wanted: list[torch.Tensor]) -> np.ndarray:
    """Everything that is compared, in a row."""
    outs = leaves(results)
    loss = sum(
        (out.ravel() * torch.tensor(weights(k, out.numel()))).sum()
        for k, out in enumerate(outs)
    )
    grads = torch.autograd.grad(loss, wanted, allow_unused=True)
    zeroed = [
        torch.zeros_like(w) if g is None else g for w, g in zip(wanted, grads, strict=True)
    ]
    parts = [x.detach().numpy().ravel() for x in [*outs, *buffers, *zeroed]]
    return np.concatenate(parts)


def module_row(case: str, words: str) -> np.ndarray:
    """Of a module."""
    module = filled(eval(case, {"nn": nn}))
    given = tensors(case, words)
    results = module(*given)
    buffers = [b for b in module.buffers() if b.is_floating_point()]
    wanted = [x for x in given if x.requires_grad]
    return row(results, buffers, [*wanted, *module.parameters()])


def function_row(case: str, words: str) -> np.ndarray:
    """Of a function."""
    given = tensors(case, words)
    attention = filled(nn.MultiheadAttention(4, 2))
    names = {"nn_attention": lambda x, **options: attention(x, x, x, **options), "F": F}
    results = eval(case, names | dict(zip("abc", given, strict=False)))
    return row(results, [], [x for x in given if x.requires_grad])


def main() -> None:
    """Write the file."""
    rows = {case: module_row(case, words) for case, words in MODULES.items()}
    rows |= {case: function_row(case, words) for case, words in FUNCTIONS.items()}
    ends = np.cumsum([len(r) for r in rows.values()])
    np.savez_compressed(PATH, numbers=np.concatenate(list(rows.values())), ends=ends)
    print(f"{len(rows)} cases, {ends[-1]} numbers, {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
