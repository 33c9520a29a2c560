"""Writes ``golden_models.json``: what torchvision's residual networks are like.

Run it as ``python -m tests.nn.make_golden_models`` with PyTorch and torchvision installed; tests
need the file only. It has the names and shapes of states, and results of
``resnet18`` and gradients of a smaller one with a state that both sides make from names and shapes.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import torchvision
from torchvision.models.resnet import BasicBlock, ResNet

from .golden_cases import model_images, model_state, weights

PATH = Path(__file__).with_name("golden_models.json")
NAMES = ("resnet18", "resnet34", "resnet50")


def loaded(model: torch.nn.Module) -> torch.nn.Module:
    """The model in double precision with the state of the tests."""
    state = model_state({k: tuple(v.shape) for k, v in model.state_dict().items()})
    model.double().load_state_dict({k: torch.tensor(v) for k, v in state.items()})
    return model


def main() -> None:
    """Write the file."""
    written = {}
    for name in NAMES:
        model = getattr(torchvision.models, name)()
        written[name] = {k: list(v.shape) for k, v in model.state_dict().items()}
    images = torch.tensor(model_images())
    model = loaded(torchvision.models.resnet18(num_classes=10))
    written["evaluated"] = model.eval()(images).detach().numpy().ravel().tolist()
    model = loaded(ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10))
    trained = model.train()(images)
    written["trained"] = trained.detach().numpy().ravel().tolist()
    written["running_var"] = model.layer3[0].bn1.running_var[:5].tolist()
    (trained.ravel() * torch.tensor(weights(0, trained.numel()))).sum().backward()
    written["gradients"] = {
        name: p.grad.numpy().ravel()[:2].tolist() for name, p in model.named_parameters()
    }
    PATH.write_text(json.dumps(written) + "\n")
    print(f"{PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
