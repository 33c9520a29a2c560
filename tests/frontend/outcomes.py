"""Compiled calls compared with Python's own, errors included."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import symgrad as sg
from tests.frontend.lowered import same


def alike(f: Callable[..., Any], *args: Any, types: bool = True) -> None:
    """The compiled function does what Python does: the same result, the same changes of the
    arguments, the same error with the same text."""
    theirs, mine = copy.deepcopy(args), copy.deepcopy(args)
    compiled = sg.compile(f)
    try:
        expected = f(*theirs)
    except Exception as error:
        try:
            found = compiled(*mine)
        except type(error) as raised:
            assert raised.args == error.args
            same(mine, theirs, types=types)
        else:
            raise AssertionError(
                f"{error!r} is not raised, but {found!r} returned"
            ) from None
    else:
        same(compiled(*mine), expected, types=types)
        same(mine, theirs, types=types)
