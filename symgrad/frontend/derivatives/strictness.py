"""Gradients that are zero whatever the argument: with ``strict=True`` an error that says why, else
a warning if there is no other argument that the result depends on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from ...errors import ConstantOutputWarning, NotDifferentiableError
from ...ir.rewrite import free_values
from ...ir.types import is_inexact
from ...ir.values import Block, Op, Value
from ...source import Span


def check_smooth(name: str, block: Block, wanted: Sequence[tuple[Value, str]]) -> None:
    """Refuse where the first result has no derivative by one of the parameters.

    Args:
        wanted: parameters, with what to call them.

    Raises:
        NotDifferentiableError: it does not depend on it, or through operations alone that have no
            derivative.
    """
    result = block.results[0]
    for param, text in wanted:
        if result in _reached(block, param, smooth=True):
            continue
        touched = _reached(block, param, smooth=False)
        if result not in touched:
            raise NotDifferentiableError(
                f"the result of `{name}` does not depend on {text}"
            )
        smooth = _reached(block, param, smooth=True)
        stop = next((op for op in _walk(block) if _ends(op, smooth)), None)
        what = "" if stop is None else f": `{stop.name}` has no derivative"
        raise NotDifferentiableError(
            f"the result of `{name}` does not depend smoothly on {text}{what}, so that the "
            "gradient is zero; take what varies smoothly, or give the step a rule of its own "
            "with `custom_vjp`",
            None if stop is None else stop.span,
        )


def warn_of_constant(name: str, block: Block, texts: Sequence[str], origin: Span) -> None:
    """Say where the first result depends on no parameter at all.

    Args:
        texts: what to call the parameters.
        origin: where the function is.
    """
    if not block.params or _depends(block):
        return
    which = f"any of {', '.join(texts)}" if len(texts) > 1 else texts[0]
    message = f"the result of `{name}` does not depend on {which}: its gradient is zero"
    place = origin.source.filename
    warnings.warn_explicit(message, ConstantOutputWarning, place, origin.line)


def _depends(block: Block) -> bool:
    found: set[Value] = set(block.params)
    before = 0
    while len(found) != before and block.results[0] not in found:
        before = len(found)
        for op in _walk(block):
            _spread(op, found, smooth=False)
    return block.results[0] in found


def _ends(op: Op, smooth: set[Value]) -> bool:
    """Whether what is smooth goes into an op, and nothing smooth comes out."""
    if op.regions or not any(v in smooth for v in op.inputs):
        return False
    return bool(op.results) and not any(r in smooth for r in op.results)


def _walk(block: Block) -> Iterator[Op]:
    for op in block.ops:
        yield op
        for region in op.regions:
            yield from _walk(region)


def _reached(block: Block, param: Value, *, smooth: bool) -> set[Value]:
    """What depends on a parameter: at all, or by operations that have derivatives."""
    found = {param}
    before = 0
    while len(found) != before:
        before = len(found)
        for op in _walk(block):
            _spread(op, found, smooth=smooth)
    return found


def _spread(op: Op, found: set[Value], *, smooth: bool) -> None:
    for source, target in _edges(op, smooth):
        if source in found and (not smooth or _carries(target)):
            found.add(target)


def _carries(value: Value) -> bool:
    return is_inexact(value.type) or not hasattr(value.type, "ndim")


def _edges(op: Op, smooth: bool) -> Iterator[tuple[Value, Value]]:
    """From what to what values go in an operation."""
    if not op.regions:
        for position, value in enumerate(op.inputs):
            if not smooth or _has_rule(op, position):
                yield from ((value, r) for r in op.results)
        return
    if op.name not in ("if", "for", "while"):
        read = [*op.inputs, *(v for region in op.regions for v in free_values(region))]
        yield from ((v, r) for v in read for r in op.results)
        return
    body = op.regions[-1]
    if op.name == "if":
        for region in op.regions:
            yield from zip(region.results, op.results, strict=True)
    else:
        first = op.name == "for"
        init, params = op.inputs[3 * first :], body.params[first:]
        nexts = body.results[len(body.results) - len(params) :]
        yield from zip(init, params, strict=True)
        yield from zip(nexts, params, strict=True)
        yield from zip(params, op.results, strict=True)
        for region in op.regions[:-1]:
            yield from zip(params, region.params, strict=True)
    if not smooth:
        decided = [*op.inputs[: 3 if op.name == "for" else 1 if op.name == "if" else 0]]
        if op.name == "while":
            decided += op.regions[0].results
        yield from ((v, r) for v in decided for r in op.results)


def _has_rule(op: Op, position: int) -> bool:
    if op.kind.has("list"):
        return True
    if op.kind.has("nondiff"):
        return False
    return op.kind.input_name(position) in op.kind.vjp or callable(op.kind.jvp)


__all__ = ["check_smooth", "warn_of_constant"]
