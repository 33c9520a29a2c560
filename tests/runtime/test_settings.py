"""``sg.config``: for the whole process, or a block."""

from __future__ import annotations

from pathlib import Path

import pytest

import symgrad as sg
from symgrad.runtime import pipeline
from symgrad.runtime.settings import settings


def test_debug_verifies_after_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.delenv("SYMGRAD_VERIFY", raising=False)
    monkeypatch.setattr(pipeline, "verify", lambda function: seen.append(function))
    sg.grad(lambda x: x * x)(2.0)
    assert not seen
    with sg.config(debug=True):
        sg.grad(lambda x: x * x)(2.0)
    assert len(seen) > 3
    assert not settings().debug


def test_generated_code_in_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMGRAD_DUMP_DIR", str(tmp_path / "other"))
    with sg.config(dump_dir=tmp_path / "here"):
        f = sg.grad(lambda x: x * x)
        f(2.0)
    assert Path(f.filename).parent == tmp_path / "here"
    assert Path(f.filename).read_text() == f.source
    with sg.config(dump_dir=""):
        g = sg.grad(lambda x: x * x)
        g(2.0)
    assert g.filename.startswith("<symgrad ")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", ["debug", "deterministic"])
def test_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is True or False, not 'yes'"):
        sg.config(**{name: "yes"})
    with pytest.raises(TypeError):
        sg.config(dump_dir=3)  # type: ignore[arg-type]
