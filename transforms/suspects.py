"""Adjoints that may be zero where the program has not selected something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ListType
from ..ir.values import Value
from ..ops.masks import is_chosen
from ..ops.rules.masked import Masked, masked, spread_mask, whole_mask


@dataclass(frozen=True, slots=True)
class Suspect:
    """An adjoint that may be zero where something was not selected: where it counts. ``soft``
    if it counts where it is finite, too; ``sure`` if its mask is known."""

    g: Expr
    soft: Expr | None
    sure: Masked | None

    @property
    def live(self) -> Expr:
        """Which entries count, in the shape of the adjoint."""
        if self.soft is not None:
            return spread_mask(self.soft, self.g) if self.soft.ndim else self.soft
        return f.not_equal(self.g, 0)  # type: ignore[no-any-return]

    @property
    def chosen(self) -> bool:
        """Whether the program's author may have hidden a nan there."""
        if self.soft is not None:
            return True
        doubts = self.g.builder.doubts
        return (
            is_chosen(self.sure.mask.value)
            if self.sure is not None
            else bool(doubts.chosen)
        )


def suspects(builder: Builder, sources: Sequence[Value]) -> list[Suspect]:
    """Those adjoints that may be zero where something was not selected."""
    if not builder.doubts.any:
        return []
    listed = (_suspect(builder, g) for g in sources)
    return [s for s in listed if s is not None]


def _suspect(builder: Builder, value: Value) -> Suspect | None:
    if isinstance(value.type, ListType) or value.is_constant:
        return None
    g = Expr(builder, value)
    found = masked(g)
    if found is not None and found.soft:
        return Suspect(g, found.mask, None)
    whole = whole_mask(g)
    if builder.doubts.doubtful(builder, value):
        return Suspect(g, None, None)
    return None if whole is None else Suspect(g, None, whole)
