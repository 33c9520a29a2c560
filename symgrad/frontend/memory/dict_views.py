"""Views of dicts whose keys are known: they show what the dict has when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..values import DictObject


class DictView(tuple[Any, ...]):
    """``d.keys()``, ``d.values()`` or ``d.items()``: what is there now, and how to look again."""

    look: Callable[[], DictView]

    @classmethod
    def _make(cls, parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(parts)


def dict_view(d: DictObject, parts: Callable[[dict[Any, Any]], Iterable[Any]]) -> DictView:
    """A view of a dict; ``parts`` of its items are shown."""
    made = DictView(parts(d.items))
    made.look = lambda: dict_view(d, parts)
    return made
