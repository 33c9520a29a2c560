"""Derivative rules of operations in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.values import Op


def rules_of(op: Op, of: str) -> Iterator[str]:
    """The rules of an op in words; those for the variable ``of``, if it is one of the inputs."""
    named = [v.name for v in op.inputs]
    kind = op.kind
    if kind.has("nondiff"):
        return
    if op.name in ("custom_vjp", "custom_jvp"):
        yield f"the rule of `{op.attrs['rule']}`"
        return
    for position, name in enumerate(named):
        if of in named and name != of or op.inputs[position].is_constant:
            continue
        word = kind.input_name(position)
        if word in kind.formulas:
            yield f"d {op.name} / d {word} = {kind.formulas[word]}"
        elif word in kind.vjp:
            yield _written(kind.has("linear"), word)
    if kind.kink:
        yield f"at kinks: {kind.kink}"


def _written(linear: bool, word: str) -> str:
    return (
        f"linear in {word}, so its transpose" if linear else f"the op's own rule for {word}"
    )


__all__ = ["rules_of"]
