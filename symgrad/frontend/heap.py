"""What has been changed since when: branches and loops are lowered by doing, and undoing.

Every change of a cell goes through ``write`` and onto the trail. Undoing the trail gives the
state at a branch back; what was undone is exactly what the branch has to hand out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .values import MISSING, Cell


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One key of one cell: its value before and after a stretch of code."""

    cell: Cell
    key: Any
    before: Any
    after: Any

    @property
    def slot(self) -> tuple[int, Any]:
        """What identifies the place."""
        return (id(self.cell), self.key)


Changes = dict[tuple[int, Any], Change]


class Heap:
    """The trail of changes."""

    __slots__ = ("trail",)

    def __init__(self) -> None:
        self.trail: list[tuple[Cell, Any, Any]] = []

    def write(self, cell: Cell, key: Any, value: Any) -> None:
        """Set ``cell.data[key]``; ``MISSING`` unbinds it."""
        self.trail.append((cell, key, cell.data.get(key, MISSING)))
        _put(cell, key, value)

    @property
    def mark(self) -> int:
        """The present, to come back to."""
        return len(self.trail)

    def changes(self, mark: int) -> Changes:
        """What differs from the state at ``mark``, each place once, in order of first write."""
        found: Changes = {}
        for cell, key, old in self.trail[mark:]:
            slot = (id(cell), key)
            if slot not in found:
                found[slot] = Change(cell, key, old, cell.data.get(key, MISSING))
        return found

    def undo(self, mark: int) -> None:
        """Go back to the state at ``mark``."""
        while len(self.trail) > mark:
            cell, key, old = self.trail.pop()
            _put(cell, key, old)

    def redo(self, changes: Changes) -> None:
        """Apply what was undone."""
        for change in changes.values():
            self.write(change.cell, change.key, change.after)


def _put(cell: Cell, key: Any, value: Any) -> None:
    if value is MISSING:
        cell.data.pop(key, None)
    else:
        cell.data[key] = value
