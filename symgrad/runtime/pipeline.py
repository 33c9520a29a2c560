"""Which passes run, in which order, and what comes out of them."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..emit import Emitted, emit, load, register
from ..ir.printer import to_text
from ..ir.values import Block, Function
from ..ir.verify import verify
from ..transforms.checks import checks
from ..transforms.cse import cse
from ..transforms.dce import dce
from ..transforms.expand import expand
from ..transforms.factors import factors
from ..transforms.fold import fold
from ..transforms.licm import licm, views_first
from ..transforms.memory.filled import filled
from ..transforms.memory.reuse import reuse
from ..transforms.numbers import numbers
from ..transforms.relaid import relaid
from ..transforms.shift import shift
from ..transforms.simplify import simplify
from ..transforms.twins import twins
from .faults import guarded
from .files import filename_of
from .halves import split
from .settings import settings

Pass = Callable[[Function], Function]

PREPARE: tuple[Pass, ...] = (fold, simplify, cse, relaid, views_first, dce, shift)
CLEAN: tuple[Pass, ...] = (fold, simplify, cse, twins, factors, licm, dce)
FINISH: tuple[Pass, ...] = (checks, numbers, filled, reuse)
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass that changed something: its name and the IR after it."""

    name: str
    text: str


class Passes(tuple[PassRecord, ...]):
    """The IR after lowering and after each pass that changed it."""

    __slots__ = ()

    def diff(self, i: int) -> str:
        """What pass number ``i`` changed, as a unified diff.

        Raises:
            IndexError: there is no pass of that number, or nothing before it.
        """
        position = range(len(self))[i]
        if position == 0:
            raise IndexError(
                "the first entry is the IR as it was lowered: nothing before it"
            )
        before, after = self[position - 1], self[position]
        texts = before.text.splitlines(), after.text.splitlines()
        return "\n".join(difflib.unified_diff(*texts, before.name, after.name, lineterm=""))


@dataclass(frozen=True, slots=True)
class Program:
    """A function's way from the front end's IR to loaded code."""

    initial: Function
    final: Function
    emitted: Emitted
    filename: str
    call: Callable[..., Any] = field(repr=False)
    back: Program | None = None

    @property
    def source(self) -> str:
        """The generated code, that of a way back below it; makes sure that tracebacks find it."""
        register(self.emitted, self.filename)
        if self.back is not None:
            return f"{self.emitted.text}\n\n{self.back.source}"
        return self.emitted.text

    def passes(self) -> Passes:
        """The IR after lowering and after each pass that changed it."""
        records = [PassRecord("lower", to_text(self.initial))]
        for name, function in stages(self.initial):
            text = to_text(function)
            if text != records[-1].text:
                records.append(PassRecord(name, text))
        return Passes(records)


def build(initial: Function, module: str, *, debug: bool | str = False) -> Program:
    """Run the passes over ``initial``, write the code and load it."""
    checking = _checking(debug)
    if checking:
        verify(initial)
    final = initial
    for _, final in stages(initial):
        if checking:
            verify(final)
    return _written(initial, final, module, debug)


def build_halves(
    initial: Function,
    module: str,
    suffix: str = "backward",
    *,
    changes: bool = False,
    debug: bool | str = False,
) -> tuple[Program, Program]:
    """The way there and the way back of a vjp, or the linear part of a derivative, which is
    called by the function's name and ``suffix``; ``changes`` as for ``split``."""
    checking = _checking(debug)
    joint = initial
    for name, function in stages(initial):
        if checking:
            verify(function)
        if name != reuse.__name__:
            joint = function
    made = []
    for half in split(joint, suffix, changes=changes):
        final = _passed(reuse, _passed(dce, half))
        if checking:
            verify(final)
        made.append(_written(initial, final, module, debug))
    return made[0], made[1]


def _checking(debug: bool | str) -> bool:
    """Whether the IR is verified after every pass."""
    return debug is True or settings().debug or os.environ.get("SYMGRAD_VERIFY") == "1"


def stages(function: Function) -> Iterator[tuple[str, Function]]:
    """Each pass's name and what it makes of the function, in order."""
    for step in PREPARE:
        function = _passed(step, function)
        yield step.__name__, function
    if _has_derivatives(function.block):
        function = _passed(expand, function)
        yield expand.__name__, function
    done: dict[Pass, Function] = {}
    for _ in range(ROUNDS):
        before = function
        for step in CLEAN:
            if done.get(step) is function:
                continue
            given, function = function, _passed(step, function)
            yield step.__name__, function
            if step is not factors or function is given:  # which makes more work for itself
                done[step] = function
        if function is before:
            break
    for step in FINISH:
        function = _passed(step, function)
        yield step.__name__, function


def _passed(step: Pass, function: Function) -> Function:
    with guarded(step.__name__, function):
        return step(function)


def _written(initial: Function, final: Function, module: str, debug: bool | str) -> Program:
    """The program whose code is that of ``final``."""
    with guarded("emit", final):
        emitted = emit(final)
        filename = filename_of(emitted, module, to_file=debug == "file")
        return Program(initial, final, emitted, filename, load(emitted, filename))


def _has_derivatives(block: Block) -> bool:
    """Whether there is anything for ``expand`` to do."""
    return any(op.kind.has("derivative") or op.kind.has("marker") for op in block.walk())


__all__ = ["PassRecord", "Passes", "Program", "build", "build_halves", "stages"]
