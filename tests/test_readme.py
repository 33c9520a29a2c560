"""What the README shows is what symgrad prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"

BLOCK = re.compile(r"<!-- (\w+) -->\n```\w*\n(.*?)```\n", re.DOTALL)


def blocks() -> dict[str, str]:
    """The marked code blocks: ``example``, ``ir``, ``source``."""
    return {m[1]: m[2] for m in BLOCK.finditer(README.read_text())}


def printed(example: str, folder: Path) -> str:
    """The output of the example, run as a file ``model.py``."""
    (folder / "model.py").write_text(example)
    done = subprocess.run(
        [sys.executable, "model.py"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_example_prints_what_is_shown(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    shown = blocks()
    assert list(shown) == ["example", "ir", "source"]
    output = printed(shown["example"], tmp_path)
    ir, source = (part.strip("\n") + "\n" for part in output.split("\n" * 3, 1))
    if request.config.getoption("--update-golden"):
        text = README.read_text()
        text = text.replace(shown["ir"], ir).replace(shown["source"], source)
        README.write_text(text)
        shown = blocks()
    assert shown["ir"] == ir
    assert shown["source"] == source


def test_the_first_python_block_is_the_example() -> None:
    """The check of the installed wheel takes the first block and runs it."""
    first = re.search(r"```python\n(.*?)```\n", README.read_text(), re.DOTALL)
    assert first is not None
    assert first[1] == blocks()["example"]


def test_every_file_that_is_named_exists() -> None:
    for page in (README, *ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
