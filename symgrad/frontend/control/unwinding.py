"""What is called if code raises between two points: functions on a stack that belongs to the
running call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...ir.tree import Tree, filled

_WAITING: ContextVar[list[Callable[[], Any]] | None] = ContextVar(
    "symgrad_unwinding", default=None
)


@dataclass(frozen=True, slots=True, eq=False)
class Enters:
    """What generated code calls at the first point: ``run(*observed)`` is to be called if it
    raises before the second."""

    run: Callable[..., Any]
    observed: tuple[Tree, ...]

    def __call__(self, *values: Any) -> bool:
        waiting = _WAITING.get()
        if waiting is not None:
            waiting.append(partial(self._late, values))
        return True

    def _late(self, values: Sequence[Any]) -> None:
        self.run(*(filled(tree, values) for tree in self.observed))


def leaves() -> bool:
    """What generated code calls at the second point."""
    waiting = _WAITING.get()
    if waiting is not None:
        waiting.pop()
    return True


def unwinding(call: Callable[..., Any]) -> Callable[..., Any]:
    """``call``, of whose code some has to be told when it raises: the innermost first."""

    def run(*args: Any, **kwargs: Any) -> Any:
        waiting: list[Callable[[], Any]] = []
        token = _WAITING.set(waiting)
        try:
            return call(*args, **kwargs)
        except Exception:
            while waiting:
                waiting.pop()()
            raise
        finally:
            _WAITING.reset(token)

    return run


__all__ = ["Enters", "leaves", "unwinding"]
