"""Writes ``golden.json``: what PyTorch's optimizers and schedulers do, to compare with.

    python tests/optim/make_golden.py        # needs PyTorch; the tests do not

PyTorch's last bit depends on the machine: its kernels for processors that fuse multiply and add
round once where its portable ones round twice, and where it is built with MKL one square root
in a hundred is not the nearest number. The exact comparison is with the portable kernels and
the square root of IEEE 754; a run as PyTorch is on the machine at hand is kept beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cases import OPTIMIZERS, RATES, SCHEDULERS, START, noise

HERE = Path(__file__).parent
PORTABLE = {"ATEN_CPU_CAPABILITY": "default"}  # read when torch is imported


def exact_sqrt(x: torch.Tensor) -> torch.Tensor:
    """The square root, rounded to nearest."""
    return torch.from_numpy(np.sqrt(x.detach().numpy()))


def trajectory(name: str, options: dict[str, Any], dtype: str) -> dict[str, Any]:
    """The last values, and a digest of the values after every step."""
    x = torch.nn.Parameter(torch.tensor(np.array(START, dtype)))
    optimizer = getattr(torch.optim, name)([x], **options)
    digest = hashlib.sha256()
    for row in noise(dtype):
        x.grad = torch.tensor(row) + x.detach()
        optimizer.step()
        digest.update(x.detach().numpy().tobytes())
    last = [float(value) for value in x.detach()]
    return {"last": last, "digest": digest.hexdigest()[:16]}


def rates(build: Any) -> list[list[float]]:
    """Rates and momentum of two groups, from the construction of the scheduler on."""
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": lr} for lr in RATES]
    optimizer = torch.optim.SGD(groups, momentum=0.9)
    scheduler = build(torch.optim.lr_scheduler, optimizer)
    out = []
    for metric in SCHEDULERS.metrics:
        now = optimizer.param_groups
        out.append([float(group["lr"]) for group in now] + [float(now[0]["momentum"])])
        optimizer.step()
        if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            scheduler.step(metric)
        else:
            scheduler.step()
    return out


def trajectories() -> dict[str, Any]:
    """All optimizers, in both precisions."""
    return {
        key: trajectory(*case, "float64")
        | {"float32": trajectory(*case, "float32")["digest"]}
        for key, case in OPTIMIZERS.items()
    }


def in_process(kind: str, env: dict[str, str]) -> dict[str, Any]:
    """``trajectories`` in a process of its own."""
    command = [sys.executable, __file__, kind]
    done = subprocess.run(command, env=os.environ | env, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one_line_each(found: dict[str, Any]) -> str:
    """JSON with a line for each optimizer and each scheduler."""
    parts = [f'"torch":{json.dumps(found["torch"])}']
    for kind in ("optimizers", "schedulers"):
        lines = [
            f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
            for key, value in found[kind].items()
        ]
        parts.append(f'"{kind}":{{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    """Run everything, write the file."""
    if sys.argv[1:] == ["exact"]:
        torch.Tensor.sqrt = exact_sqrt
        torch.Tensor.sqrt_ = lambda x: x.copy_(exact_sqrt(x))
    if sys.argv[1:]:
        print(json.dumps(trajectories()))
        return
    exact, native = in_process("exact", PORTABLE), in_process("native", {})
    found = {
        "torch": torch.__version__,
        "optimizers": {k: run | {"native": native[k]["last"]} for k, run in exact.items()},
        "schedulers": {key: rates(build) for key, build in SCHEDULERS.cases.items()},
    }
    (HERE / "golden.json").write_text(text := one_line_each(found))
    print(f"{len(exact)} optimizers, {len(SCHEDULERS.cases)} schedulers, {len(text)} bytes")


if __name__ == "__main__":
    main()
