"""Containers and objects among the arguments that the function may change: it is compiled as it
is, so the caller's own are changed at the end of a call."""

from __future__ import annotations

from typing import Any

from ..requests import Path
from ..values import Cell

CALLERS = "it belongs to the caller"


class Lent(str):
    """Why a container is not the function's own, and where among the arguments it is.

    Args:
        path: from the arguments to it.
    """

    path: Path
    cell: Cell


def lend(cell: Any, path: Path) -> Any:
    """``cell`` as what stands for the argument at ``path``."""
    owner = Lent(CALLERS)
    owner.path, owner.cell = path, cell
    cell.owner, cell.birth = owner, 0
    return cell


def lent_at(cell: Any) -> Path | None:
    """Where among the arguments the object is that ``cell`` stands for, if it may be changed;
    what joins several of them on the ways of a branch is none of them."""
    owner = getattr(cell, "owner", "")
    return owner.path if isinstance(owner, Lent) and owner.cell is cell else None


__all__ = ["CALLERS", "lend", "lent_at"]
