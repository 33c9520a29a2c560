"""How one gradient, or one line, came about: the user's line, the derivative rules that belong to
its operations, and the generated lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import SymgradError
from ..source import Span
from .rulewords import rules_of

if TYPE_CHECKING:
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
    found = (
        re.match(r"\s*([A-Za-z_]\w*)(?:\[.*\])? [-+*/@]?= ", text)
        for text in _lines(program)
    )
    return {m[1] for m in found if m is not None}


def _assigned(program: Program, name: str) -> list[int]:
    """Generated lines that assign ``name``, or a part of it."""
    pattern = re.compile(rf"\s*{re.escape(name)}(?:\[.*\])? [-+*/@]?= ")
    return [n for n, text in enumerate(_lines(program), 1) if pattern.match(text)]


# ------------------------------------------------------------------------------- by name
def _value(program: Program, name: str, numbers: list[int]) -> Iterator[str]:
    base = BACK.sub("", name)
    kind = "the gradient" if name.startswith("g_") else "the tangent"
    yield (
        f"{name} is {kind} of `{base}`"
        if base != name
        else f"{name} is a value of the function"
    )
    spans: dict[tuple[str, int], Span] = {}
    for number in numbers:
        yield f"  line {number}: {_lines(program)[number - 1].strip()}"
        span = program.emitted.line_map.to_original(number)
        if span is not None:
            spans.setdefault((span.source.filename, span.line), span)
    for span in spans.values():
        yield from _origin(program, span, base if base != name else "")


def _origin(program: Program, span: Span, of: str) -> Iterator[str]:
    yield f"  which comes from {span}: {span.text}"
    for op in _ops_at(program.initial, span):
        rules = list(rules_of(op, of))
        if rules:
            yield f"    through `{op.name}`: {'; '.join(rules)}"


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
        rules = list(rules_of(op, ""))
        if op.name != "const":
            yield f"  `{op.name}`: {'; '.join(rules) if rules else 'nothing to differentiate'}"
    yield "became" if generated else "became nothing that is still there"
    for n in generated:
        yield f"  line {n}: {_lines(program)[n - 1].strip()}"


def _ops_at(function: Function, span: Span) -> Iterator[Op]:
    return (
        op
        for op in _walk(function.block)
        if op.span is not None and op.span.line == span.line
    )


def _walk(block: Block) -> Iterator[Op]:
    return (
        op for op in block.walk() if op.name != "const" and not op.kind.has("derivative")
    )


__all__ = ["explain"]
