"""Functions that are made anew at each step, such as lambdas in a training loop: as one function,
so that they are compiled once.

They have the same code and differ in what they close over. From the second on, each thread has
a function of its own with that code, whose cells are given what the new one's hold.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

KEPT = 128
"""How many codes are remembered."""


class _Standins(threading.local):
    """This thread's functions by code."""

    def __init__(self) -> None:
        self.made: dict[tuple[CodeType, int], FunctionType] = {}


_STANDINS = _Standins()


@lru_cache(maxsize=KEPT)
def _first(code: CodeType, namespace: int) -> list[Any]:
    """Room for the first function with this code."""
    return []


def settled(function: Any, args: tuple[Any, ...] = ()) -> tuple[Any, tuple[Any, ...]]:
    """A function that computes the same, and arguments for it: ``function`` itself, unless it
    is one of several that were made from the same code. What they have as defaults is passed."""
    if not isinstance(function, FunctionType) or function.__kwdefaults__:
        return function, args
    key = (function.__code__, id(function.__globals__))
    first = _first(*key)
    if not first:
        first.append(function)
    if first[0] is function:
        return function, args
    args = _with_defaults(function, args)
    if not function.__closure__:
        return first[0], args
    made = _STANDINS.made
    if key not in made:
        if len(made) >= KEPT:
            del made[next(iter(made))]
        made[key] = _copy(function)
    return _filled(made[key], function), args


def _with_defaults(function: FunctionType, args: tuple[Any, ...]) -> tuple[Any, ...]:
    defaults = function.__defaults__ or ()
    given = len(args) - (function.__code__.co_argcount - len(defaults))
    return (*args, *defaults[given:]) if given >= 0 else args


def _copy(function: FunctionType) -> FunctionType:
    cells = tuple(CellType() for _ in function.__closure__ or ())
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, None, cells
    )
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made


def _filled(standin: FunctionType, function: FunctionType) -> FunctionType:
    """Give ``standin`` what ``function`` closes over."""
    for own, cell in zip(
        standin.__closure__ or (), function.__closure__ or (), strict=True
    ):
        try:
            own.cell_contents = cell.cell_contents
        except ValueError:  # nothing is bound
            own.__init__()
    return standin
