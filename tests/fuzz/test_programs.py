"""Random whole programs: the compiled ones do what the originals do, derivatives are right.

``make fuzz`` runs many; ``SYMGRAD_FUZZ=5000`` says how many.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, assume, note, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from . import checking
from .programs import Program

COUNT = int(os.environ.get("SYMGRAD_FUZZ", "0"))
OUTCOMES: Counter[str] = Counter()


@st.composite
def programs(draw: Any) -> str:
    """A module's text with ``f(x, y, m, s, q)``."""

    def below(n: int) -> int:
        return int(draw(st.integers(0, n - 1)))

    return Program(below, writes_arguments=below(3) == 2).text()


@settings(
    max_examples=COUNT or 30,
    derandomize=not COUNT,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink) if COUNT else (Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@drawn(programs(), st.sampled_from(["first", "first", "single", "second"]))
def test_programs(text: str, order: str) -> None:
    note(text)
    with tempfile.TemporaryDirectory() as folder:
        check(text, Path(folder) / "program.py", order)


def check(text: str, path: Path, order: str) -> None:
    name = "fuzzed_program"
    f = checking.load(text, path, name).f
    try:
        args = checking.arguments()
        if order == "single":
            checking.run(f, checking.arguments())
            checking.check_single(f, args)
        else:
            checking.check_value(f, args)
            checking.check_gradient(f, args)
        if order == "second":
            checking.check_second(f, args)
    except checking.Unfit:
        assume(False)
    except checking.Refused as refusal:
        OUTCOMES[str(refusal).splitlines()[0][:90]] += 1
    else:
        OUTCOMES["compiled"] += 1
    finally:
        del sys.modules[name]


def test_most_programs_compile() -> None:
    total = sum(OUTCOMES.values())
    if total == 0:  # run on its own
        test_programs()
        total = sum(OUTCOMES.values())
    if COUNT:
        for what, count in OUTCOMES.most_common():
            print(f"{count:6}  {what}")
    assert OUTCOMES["compiled"] > 0.8 * total, OUTCOMES
