"""One abstract value in place of another, in what holds it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..values import Iteration
from .structure import like


def having(x: Any, old: Any, made: Any) -> Any:
    """``x`` with ``made`` in place of ``old``; ``x`` itself where that is not in there."""
    if x is old:
        return made
    if isinstance(x, tuple):
        parts = [having(part, old, made) for part in x]
        same = all(p is q for p, q in zip(parts, x, strict=True))
        return x if same else like(x, parts)
    if isinstance(x, dict):
        entries = {key: having(part, old, made) for key, part in x.items()}
        return x if all(entries[key] is x[key] for key in x) else entries
    if isinstance(x, Iteration):
        sources = having(x.parts, old, made)
        return x if sources is x.parts else replace(x, parts=sources)
    return x


__all__ = ["having"]
