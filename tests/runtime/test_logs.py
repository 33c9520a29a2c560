"""Logs of what is compiled, and real files of generated code."""

from __future__ import annotations

import linecache
import logging
import pdb
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import InputTypeError


def f(x: Any) -> Any:
    return np.sum(np.sin(x))


def test_logs_through_logging(caplog: pytest.LogCaptureFixture) -> None:
    grad = sg.grad(f)
    with caplog.at_level(logging.INFO, "symgrad"):
        grad(np.ones(3))
        grad(np.ones((3, 2)))
    by_name: dict[str, list[str]] = {}
    for record in caplog.records:
        by_name.setdefault(record.name, []).append(record.getMessage())
    assert by_name["symgrad.source"][0].startswith("def f_grad(x):")
    assert by_name["symgrad.passes"][0].startswith("# lower\n")
    first, second = by_name["symgrad.recompiles"]
    assert first == f"{__name__}.f_grad is compiled first, for (float64[x_0])"
    assert "again (2 kinds)" in second
    caplog.clear()
    grad(np.ones(4))
    assert not caplog.records


def test_logs_by_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGRAD_LOGS", "source, recompiles")
    monkeypatch.setattr(sys, "stderr", stream := StringIO())
    sg.grad(f)(np.ones(3))
    lines = stream.getvalue().splitlines()
    assert lines[0].endswith("is compiled first, for (float64[x_0])")
    assert lines[1] == "def f_grad(x):"
    monkeypatch.delenv("SYMGRAD_LOGS")
    sg.grad(lambda x: f(x))(np.ones(3))
    assert stream.getvalue().splitlines() == lines


def test_real_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYMGRAD_DUMP_DIR", str(tmp_path / "dump"))
    grad = sg.grad(f)
    np.testing.assert_allclose(grad(np.ones(3)), np.cos(np.ones(3)))
    [path] = (tmp_path / "dump").iterdir()
    assert grad.filename == str(path) and path.read_text() == grad.source
    assert "test_logs_f_grad" in path.name
    sg.grad(f)(np.ones(3))
    assert len(list((tmp_path / "dump").iterdir())) == 1
    debugger = pdb.Pdb(stdin=StringIO("c\np x.shape\nc\n"), stdout=(out := StringIO()))
    number = next(n for n, t in enumerate(grad.source.splitlines(), 1) if "return" in t)
    debugger.set_break(str(path), number)
    debugger.runcall(grad, np.ones(5))
    debugger.clear_all_breaks()
    assert "(5,)" in out.getvalue() and path.name in out.getvalue()
    linecache.checkcache(str(path))


def test_debug_file(tmp_path: Path) -> None:
    script = (
        "import numpy as np, symgrad as sg\n"
        "f = sg.compile(lambda x: x + 1, debug='file', source='lambda x: x + 1')\n"
        "f(1.0); print(f.filename)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).resolve().parents[2],
        env={"TMPDIR": str(tmp_path), "PATH": "", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    path = Path(done.stdout.strip())
    assert path.parent == tmp_path / "symgrad" and path.read_text().startswith("def ")
    with pytest.raises(InputTypeError, match='debug is True, False or "file", not 3'):
        sg.compile(f, debug=3)
