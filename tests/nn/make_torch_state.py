"""Writes ``torch_state.safetensors``: the state of a model as PyTorch saves it, and beside it what
the model computes. Needs PyTorch: ``python -m tests.nn.make_torch_state``."""

from __future__ import annotations

from pathlib import Path

PATH = Path(__file__).with_name("torch_state.safetensors")

# The same words make the model in PyTorch and here, ``nn`` being the one or the other.
MODEL = """nn.ModuleDict({
    "stem": nn.Sequential(nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), nn.ReLU()),
    "norm": nn.LayerNorm(4),
    "rnn": nn.LSTM(4, 3, bidirectional=True),
    "attention": nn.MultiheadAttention(6, 2),
    "names": nn.Embedding(5, 6, padding_idx=0),
    "head": nn.Linear(6, 2),
})"""


def main() -> None:
    """Write the file."""
    import torch
    from safetensors.torch import save_file
    from torch import nn

    torch.manual_seed(0)
    model = eval(MODEL, {"nn": nn})
    x = torch.linspace(-1, 1, 2 * 2 * 6 * 6).reshape(2, 2, 6, 6)
    model["stem"](x)  # so that the running statistics are not those of the start
    model.eval()
    with torch.no_grad():
        images = model["stem"](x)
        h, _ = model["rnn"](model["norm"](images[:, 0]))
        h, _ = model["attention"](h, h, h)
        out = model["head"](h + model["names"](torch.tensor([[0, 1, 2, 4]])))
    save_file({**model.state_dict(), "expected": out}, PATH, metadata={"format": "pt"})


if __name__ == "__main__":
    main()
