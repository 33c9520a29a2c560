"""``python -m symgrad show``."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgrad.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = "import numpy as np\n\n\ndef loss(x, a):\n    return np.sum(np.exp(a * x))\n"
    (tmp_path / "shown_model.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shows_code_ir_and_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "shown_model:loss", "float32[5]", "2.0"]) == 0
    assert capsys.readouterr().out.startswith("def loss(x, a):")
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--grad", "0,1"]) == 0
    assert "return loss, (g_x, g_a)" in capsys.readouterr().out
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--ir"]) == 0
    assert "x: float32[" in capsys.readouterr().out
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--passes"]) == 0
    assert "# lower" in capsys.readouterr().out


def test_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "shown_model:nothing", "2.0"]) == 1
    assert "nothing" in capsys.readouterr().err
    assert main(["show", "no_such_module:f"]) == 1
    assert "no_such_module" in capsys.readouterr().err
