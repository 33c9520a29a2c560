"""Which object of NumPy's an array is: a view is another one than what it is a view of, however
much they have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ...ops import ATTRIBUTES, METHODS, SURFACE
from ..values import Ref

UNKNOWN = -1
"""What ``Ref.made`` is where it is known at run time only."""


@cache
def _handing_on() -> frozenset[Callable[..., Any]]:
    """Surfaces that return what they are given where there is nothing to do."""
    functions = (
        *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray),
        *(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.squeeze, np.real, np.astype),
        *(np.asarray_chkfinite, np.real_if_close, np.diff, np.polyder, np.float64),
    )
    methods = ("squeeze", "conj", "conjugate", "astype")
    return frozenset(
        (
            *(SURFACE[f] for f in functions if f in SURFACE),
            *(METHODS[name] for name in methods),
            ATTRIBUTES["real"],
        )
    )


def kept(surface: Callable[..., Any], given: Any, result: Any) -> Any:
    """What a surface has returned for ``given``: that itself, where NumPy returns it."""
    alike = isinstance(given, Ref) and isinstance(result, Ref) and result.same(given)
    return given if alike and surface in _handing_on() else result


def merged(a: Ref, b: Ref) -> Ref:
    """What is one of two arrays in the same memory."""
    return a if a.made == b.made else replace(a, made=UNKNOWN)


def _may_be_same(a: Ref, b: Ref) -> bool:
    """Whether two arrays of which one is taken from the other may be one object."""
    first, other = sorted((a.path, b.path), key=len)
    more = other[len(first) :]
    return other[: len(first)] == first and all(v.kind.name == "contiguous" for v in more)


def is_same(a: Ref, b: Ref) -> bool | None:
    """Whether two arrays are one object; None where that is not known."""
    if a is b:
        return True
    if a.storage is not b.storage or not _may_be_same(a, b):
        return False
    if not a.same(b):
        return None
    return None if UNKNOWN in (a.made, b.made) else a.made == b.made


__all__ = ["UNKNOWN", "is_same", "kept", "merged"]
