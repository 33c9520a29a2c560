"""Random whole programs: the compiled ones do what the originals do, derivatives are right.

``make fuzz`` runs many; ``SYMGRAD_FUZZ=5000`` says how many.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import assume, note
from hypothesis import given as drawn
from hypothesis import strategies as st

from symgrad.errors import ConstantOutputWarning

from . import checking
from .drawing import COUNT, many
from .programs import Program

OUTCOMES: Counter[str] = Counter()


ORDERS = ("first", "first", "single", "second")


@st.composite
def programs(draw: Any) -> tuple[str, str]:
    """A module's text with ``f(x, y, m, s, q)``, and what is checked of it."""

    def below(n: int) -> int:
        return int(draw(st.integers(0, n - 1)))

    order = ORDERS[below(len(ORDERS))]
    return Program(below, below(3) == 2, single=order == "single").text(), order


@many
@drawn(programs())
def test_programs(program: tuple[str, str]) -> None:
    text, order = program
    note(text)
    with tempfile.TemporaryDirectory() as folder:
        outcome = check(text, Path(folder) / "program.py", order)
    OUTCOMES[outcome] += 1
    assume(outcome != "unfit")


def check(text: str, path: Path, order: str) -> str:
    """Every check of one program; whether it compiled, or why not."""
    name = "fuzzed_program"
    f = checking.load(text, path, name).f
    try:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantOutputWarning)
                checks(f, order)
        except checking.Raises as raised:
            given = checking.arguments()
            args = checking.singles(given) if order == "single" else given
            checking.check_error(f, args, raised.error)
    except checking.Unfit:
        return "unfit"
    except checking.Refused as refusal:
        return str(refusal).splitlines()[0][:90]
    finally:
        del sys.modules[name]
    return "compiled"


def checks(f: Any, order: str) -> None:
    args = checking.arguments()
    checking.run(f, checking.arguments())
    if order == "single":
        checking.check_single(f, args)
        return
    checking.check_value(f, args)
    checking.check_gradient(f, args)
    if order == "second":
        checking.check_second(f, args)


def test_most_programs_compile() -> None:
    total = sum(OUTCOMES.values()) - OUTCOMES["unfit"]
    if total == 0:  # run on its own
        test_programs()
        total = sum(OUTCOMES.values()) - OUTCOMES["unfit"]
    if COUNT:
        for what, count in OUTCOMES.most_common():
            print(f"{count:6}  {what}")
    assert OUTCOMES["compiled"] > 0.8 * total, OUTCOMES
