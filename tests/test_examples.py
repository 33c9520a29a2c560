"""Every example runs at its small size, warnings being errors, and shows what it should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason='the examples need the extra "examples"')

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("[a-z]*.py"))

# What is printed, and the pictures written.
EXPECTED = {
    "batch_accumulation.py": (
        ["0.weight", "relative difference", "after 14 steps: losses"],
        ["batch_accumulation.png"],
    ),
    "custom_layers.py": (
        ["Equalised(scale=0.177)", "def loss_backward(", "test accuracy"],
        ["custom_layers.png"],
    ),
    "custom_functions.py": (
        ["binarize, twice: relative error", "def penalised_value_and_grad(", "step  20"],
        [],
    ),
    "digits_cnn.py": (
        ["(0): Conv2d(1, 32", "_max_pool2d(x", "test accuracy"],
        ["digits_cnn.png"],
    ),
    "digits_mlp.py": (
        ["def loss(params, x, labels):", "test accuracy"],
        ["digits_loss.png"],
    ),
    "grad_clip.py": (
        ["gradients clipped: largest norm", "gradients as they are: largest norm"],
        ["grad_clip.png"],
    ),
    "heat_equation.py": (
        ["def loss_value_and_grad(", "error of the field"],
        ["heat_field.png"],
    ),
    "hooks.py": (
        [
            "gradient by its input: norm",
            "nothing is printed",
            "norms of 5 layers at 22 steps",
        ],
        ["hooks.png"],
    ),
    "r1_gan.py": (
        ["with R1: losses", "without R1: losses", "squared gradient"],
        ["r1_gan.png"],
    ),
    "r1_penalty.py": (["sg.grad(", "w3:   20 of   64 entries", "step   5"], []),
    "threads.py": (
        [
            "12 gradients of 1000000 entries added: 0 entries are wrong",
            "deterministic: 1 result",
        ],
        ["threads.png"],
    ),
    "transfer_learning.py": (
        ["frozen, eval(): test accuracy", "statistics of batch norm moved by 0"],
        ["transfer_learning.png"],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-W",
        "error",
        "-W",
        "ignore::DeprecationWarning:astor.op_util",
    ]
    command += [str(ROOT / "examples" / name), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    printed, written = EXPECTED[name]
    for text in printed:
        assert text in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == written
