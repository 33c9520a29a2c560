"""The benchmark measures against gradients that are themselves right, and symgrad's are too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

pytest.importorskip("scipy", reason="workload 12 needs SciPy, which is no dependency")


def run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=BENCHMARKS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_handwritten_gradients() -> None:
    lines = run("bench.py", "--self-test").splitlines()
    assert len(lines) == 13
    assert all(" ok: " in line for line in lines)


def test_one_workload_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    contenders = "--contenders=handwritten,value only,symgrad"
    table = run("bench.py", "w1", contenders, "--budget=0.2", f"--json={path}")
    assert "| 1 tiny scalar function |" in table
    records = {r["contender"]: r for r in json.loads(path.read_text())}
    assert records["symgrad"]["status"] == "ok", records["symgrad"]
    assert records["symgrad"]["source_lines"] > 2
    assert 0 < records["value only"]["ratio"] < 1


def test_compile_time_runs() -> None:
    printed = run("compile_time.py", "--quick")
    assert "500 statements" in printed
    assert "above the emitted code" in printed
