"""The list of what is supported: made from the table, complete, and written down."""

from pathlib import Path

import numpy as np
import pytest

from symgrad.cli import main
from symgrad.ops.coverage import counts, entries, page, told
from symgrad.ops.scope import NOT_YET, OUT_OF_SCOPE

ENTRIES = {e.name: e for e in entries()}
PAGE = Path(__file__).parents[2] / "docs" / "ops.md"


def test_every_public_name_is_supported_or_left_out_for_a_reason() -> None:
    assert [e.name for e in ENTRIES.values() if e.status == "missing"] == []
    assert all(e.reason for e in ENTRIES.values() if e.status == "out of scope")


def test_what_is_left_out_is_not_there() -> None:
    left = {n for names in (*OUT_OF_SCOPE.values(), NOT_YET) for n in names.split()}
    there = {n.rpartition(".")[2] for n, e in ENTRIES.items()
             if e.status in ("supported", "no gradient", "when compiling")}  # fmt: skip
    assert left & there == set()


@pytest.mark.skipif(
    np.__version__.split(".")[:2] != ["2", "4"], reason="the page is of NumPy 2.4"
)
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m symgrad ops --markdown > docs/ops.md"


def test_status_modes_and_kinks_come_from_the_table() -> None:
    assert ENTRIES["numpy.sin"].modes == "forward, reverse"
    assert ENTRIES["numpy.argsort"].status == "no gradient"
    assert ENTRIES["numpy.maximum"].kink == "half to each at a tie"
    assert ENTRIES["numpy.finfo"].status == "when compiling"
    assert ENTRIES["numpy.savetxt"].reason == "reads or writes files"
    assert counts(list(ENTRIES.values()))["supported"] > 300


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "np.median"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("numpy.median: supported; forward, reverse; at kinks: ")
    assert main(["ops", "medain"]) == 1
    assert "no public function 'medain'; near: median" in capsys.readouterr().err
    assert main(["ops", "--markdown"]) == 0
    assert capsys.readouterr().out == page()
    assert told().splitlines()[-1].endswith("when compiling")
