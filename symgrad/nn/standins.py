"""Losses that are given models as arguments: one code for models of one structure.

An argument that is known when compiling is known by its identity, what a function closes over by
its structure. So from the second model on, a loss stands for a function of the other arguments,
which closes over a list that the models are put into; each thread has its own.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

KEPT = 128
"""How many losses are remembered."""


@dataclass(frozen=True, slots=True)
class Standin:
    """A function of what are no models among the arguments of ``loss_fn``.

    Args:
        function: the function.
        models: what it closes over.
        names: of its parameters.
    """

    function: Callable[..., Any]
    models: list[Any]
    names: tuple[str, ...]


@dataclass(slots=True)
class _Known:
    """The models that a loss was given first, and what stands for it since others came."""

    first: tuple[Any, ...] = ()
    own: threading.local = field(default_factory=threading.local)


def standin(loss_fn: Any, args: tuple[Any, ...]) -> Standin | None:
    """What to call with the arguments that are no models, which have been put into it; None
    where ``loss_fn`` is to be called itself."""
    kinds = "".join("m" if _is_model(x) else "a" for x in args)
    if "m" not in kinds:
        return None
    try:
        known = _known(loss_fn, kinds)
    except TypeError:  # it cannot be hashed
        return None
    models = tuple(x for x, kind in zip(args, kinds, strict=True) if kind == "m")
    if not known.first:
        known.first = models
    if all(a is b for a, b in zip(models, known.first, strict=True)):
        return None
    made: Standin | None = getattr(known.own, "made", None)
    if made is None:
        made = known.own.made = _made(loss_fn, kinds)
    made.models[:] = models
    return made


def others(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments that are no models."""
    return tuple(x for x in args if not _is_model(x))


def _is_model(x: Any) -> bool:
    return hasattr(type(x), "__symgrad_static__") and hasattr(x, "forward")


@lru_cache(maxsize=KEPT)
def _known(loss_fn: Any, kinds: str) -> _Known:
    return _Known()


def _made(loss_fn: Any, kinds: str) -> Standin:
    models: list[Any] = []

    def call(*rest: Any) -> Any:
        given, arrays, held = [], list(rest), list(models)
        for kind in kinds:
            given.append(held.pop(0) if kind == "m" else arrays.pop(0))
        return loss_fn(*given)

    call.__name__ = getattr(loss_fn, "__name__", type(loss_fn).__name__)
    return Standin(call, models, _names(loss_fn, kinds))


def _names(loss_fn: Any, kinds: str) -> tuple[str, ...]:
    """The names of the arguments that are no models."""
    names = [f"arg{i}" for i in range(len(kinds))]
    with suppress(TypeError, ValueError):
        listed = inspect.signature(loss_fn).parameters.values()
        for i, p in enumerate(listed):
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and i < len(names):
                names[i] = p.name
    return tuple(name for name, kind in zip(names, kinds, strict=True) if kind == "a")


__all__ = ["Standin", "others", "standin"]
