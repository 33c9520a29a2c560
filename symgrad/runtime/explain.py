"""How one gradient, or one line, came about: the user's line, the derivative rules that belong to
its operations, and the generated lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import SymgradError
from ..source import Span
from .generated import around, assigning, indented, lines_of, names_of
from .rulewords import rules_of

if TYPE_CHECKING:
    from ..emit import LineMap
    from ..ir.values import Block, Function, Op
    from .pipeline import Program

BACK = re.compile(r"^[gt]_")


def explain(program: Program, what: str | int) -> str:
    """The derivation of a gradient or of a line.

    Args:
        what: a gradient or a variable by its name in the generated code (``"g_w"``; ``"w"`` means
            its gradient if there is one), or the number of a line of the user's.

    Raises:
        SymgradError: there is no such name or line; the text lists what there is.
    """
    if isinstance(what, int):
        return "\n".join(_line(program, what))
    name = what if assigning(program, what) or what.startswith("g_") else f"g_{what}"
    numbers = assigning(program, name) or assigning(program, what)
    if not numbers:
        known = ", ".join(sorted(names_of(program))) or "none"
        raise SymgradError(
            f"nothing in the generated code is called `{what}`; there are: {known}"
        )
    return "\n".join(_value(program, name if assigning(program, name) else what, numbers))


def line_map(program: Program) -> LineMap:
    """The program's line map with the rules behind each line of a derivative."""
    plain = program.emitted.line_map
    known: dict[int, tuple[str, ...]] = {}
    for number in sorted(plain.derived):
        ops = _ops_at(program.initial, plain.spans[number])
        told = [
            f"`{op.name}`: {'; '.join(rules)}"
            for op in ops
            if (rules := [*rules_of(op, "")])
        ]
        if told:
            known[number] = tuple(dict.fromkeys(told))
    return replace(plain, rules=known)


# ------------------------------------------------------------------------------- by name
def _value(program: Program, name: str, numbers: list[int]) -> Iterator[str]:
    base = BACK.sub("", name)
    kind = "the gradient" if name.startswith("g_") else "the tangent"
    yield (
        f"{name} is {kind} of `{base}`"
        if base != name
        else f"{name} is a value of the function"
    )
    lines = lines_of(program)
    listed = sorted({*numbers, *(n for k in numbers for n in around(lines, k))})
    spans: dict[tuple[str, int], Span] = {}
    for number in listed:
        yield f"  line {number}: {indented(lines, number, listed[0])}"
        span = program.emitted.line_map.to_original(number)
        if span is not None and number in numbers:
            spans.setdefault((span.source.filename, span.line), span)
    for span in spans.values():
        yield from _origin(program, span, base if base != name else "")
    yield from _sources(program, name, numbers)


def _sources(program: Program, name: str, numbers: list[int]) -> Iterator[str]:
    """Which values of derivative code the value is computed from."""
    lines, derived = lines_of(program), program.emitted.line_map.derived
    if not derived.intersection(numbers):
        return
    made = {
        n: at
        for n in names_of(program)
        if (at := derived.intersection(assigning(program, n)))
    }
    read: dict[str, None] = {}
    for number in numbers:
        words = re.findall(r"[A-Za-z_]\w*", re.split(r" [-+*/@]?= ", lines[number - 1])[-1])
        read.update(dict.fromkeys(w for w in words if w in made and min(made[w]) <= number))
    read.pop(name, None)
    if read:
        calls = ", ".join(f'explain("{source}")' for source in read)
        yield f"  computed from {', '.join(read)}: see {calls}"


def _origin(program: Program, span: Span, of: str) -> Iterator[str]:
    yield f"  which comes from {span}: {span.text}"
    ops = _ops_at(program.initial, span)
    told = [f"    through `{op.name}`: {rules}" for op in ops if (rules := _told(op, of))]
    yield from dict.fromkeys(told)


# ------------------------------------------------------------------------------- by line
def _line(program: Program, number: int) -> Iterator[str]:
    ops = [
        o
        for o in program.initial.block.walk()
        if o.span is not None and o.span.line == number
    ]
    mapped = program.emitted.line_map.to_generated(number)
    generated = [n for n in mapped if not lines_of(program)[n - 1].startswith("def ")]
    if not ops and not generated:
        have = {o.span.line for o in program.initial.block.walk() if o.span is not None}
        listed = ", ".join(map(str, sorted(have)))
        raise SymgradError(f"line {number} has no operations; these have: {listed}")
    span = next((o.span for o in ops if o.span is not None), None)
    if span is not None:
        yield f"{span}: {span.text}"
    for op in ops:
        if op.name not in ("const", "undef") and not op.kind.has("derivative"):
            yield f"  `{op.name}`: {_told(op, '') or 'nothing to differentiate'}"
    yield "became" if generated else "became nothing that is still there"
    for n in generated:
        yield f"  line {n}: {indented(lines_of(program), n, generated[0])}"


def _told(op: Op, of: str) -> str:
    """What derivatives do with an op."""
    if op.name in ("for", "while"):
        return "its backward goes through the rounds from the last to the first"
    if op.name == "if":
        return "its backward takes the branch that was taken"
    return "; ".join(rules_of(op, of))


def _ops_at(function: Function, span: Span) -> Iterator[Op]:
    return (
        op
        for op in _walk(function.block)
        if op.span is not None and op.span.line == span.line
    )


def _walk(block: Block) -> Iterator[Op]:
    return (
        op
        for op in block.walk()
        if op.name not in ("const", "undef") and not op.kind.has("derivative")
    )


__all__ = ["explain", "line_map"]
