"""Compiling where the caller's calls have left too little room for the compiler's own.

The compiler goes down functions, branches and expressions call by call. Whether that is within
Python's limit must not depend on where a function is called from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from ..errors import InternalError, UnsupportedFunctionError

T = TypeVar("T")
FEW = 12
"""So many calls below the compiler make no difference."""


def with_room(make: Callable[[], T]) -> T:
    """What ``make`` gives; where it runs out of depth, once more with Python's limit raised by
    the number of calls that stand below."""
    try:
        return make()
    except (UnsupportedFunctionError, InternalError) as error:
        below = _calls_below()
        if below <= FEW or not _out_of_depth(error):
            raise
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + below)
    try:
        return make()
    finally:
        sys.setrecursionlimit(before)


def _out_of_depth(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, RecursionError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _calls_below() -> int:
    frame, count = sys._getframe(), 0
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count
