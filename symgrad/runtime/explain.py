"""How one gradient, or one line, came about: the user's line, the derivative rules that belong to
its operations, and the generated lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import SymgradError
from ..source import Span
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
    name = what if _assigned(program, what) or what.startswith("g_") else f"g_{what}"
    numbers = _assigned(program, name) or _assigned(program, what)
    if not numbers:
        known = ", ".join(sorted(_names(program))) or "none"
        raise SymgradError(
            f"nothing in the generated code is called `{what}`; there are: {known}"
        )
    return "\n".join(_value(program, name if _assigned(program, name) else what, numbers))


def _lines(program: Program) -> list[str]:
    return program.emitted.text.splitlines()


def _names(program: Program) -> set[str]:
    return {name for text in _lines(program) for name in _targets(text)}


def _targets(text: str) -> list[str]:
    """The variables that a line assigns, or stores into."""
    left = re.match(r"\s*([\w\s,.\[\]():-]+?) [-+*/@]?= ", text)
    if left is None:
        return []
    parts = re.sub(r"\[.*?\]", "", left[1]).split(",")
    return [part.strip() for part in parts if part.strip().isidentifier()]


def _assigned(program: Program, name: str) -> list[int]:
    """Generated lines that assign ``name``, or a part of it."""
    return [n for n, text in enumerate(_lines(program), 1) if name in _targets(text)]


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
    lines = _lines(program)
    around = sorted({*numbers, *(n for k in numbers for n in _headers(lines, k))})
    spans: dict[tuple[str, int], Span] = {}
    for number in around:
        yield f"  line {number}: {_shown(lines, number, around[0])}"
        span = program.emitted.line_map.to_original(number)
        if span is not None and number in numbers:
            spans.setdefault((span.source.filename, span.line), span)
    for span in spans.values():
        yield from _origin(program, span, base if base != name else "")
    yield from _sources(program, name, numbers)


def _headers(lines: list[str], number: int) -> Iterator[int]:
    """The loops and branches around a generated line."""
    depth = _depth(lines[number - 1])
    for n in range(number - 1, 0, -1):
        text = lines[n - 1]
        if text.strip() and _depth(text) < depth:
            depth = _depth(text) + text.lstrip().startswith(("else:", "elif "))
            if not text.lstrip().startswith("def "):
                yield n


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _shown(lines: list[str], number: int, first: int) -> str:
    """A line, indented as it is below the first one shown."""
    inside = _depth(lines[number - 1]) - _depth(lines[first - 1])
    return " " * max(inside, 0) + lines[number - 1].strip()


def _sources(program: Program, name: str, numbers: list[int]) -> Iterator[str]:
    """Which values of derivative code the value is computed from."""
    lines, derived = _lines(program), program.emitted.line_map.derived
    if not derived.intersection(numbers):
        return
    made = {
        n: at
        for n in _names(program)
        if (at := derived.intersection(_assigned(program, n)))
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
    generated = [n for n in mapped if not _lines(program)[n - 1].startswith("def ")]
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
        yield f"  line {n}: {_shown(_lines(program), n, generated[0])}"


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
