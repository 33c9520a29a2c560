"""Values whose dtype is not certain: Python's numbers met NumPy's at a branch or in a loop.

There a Python number stays what it is (the op ``joined``), so at run time it may be one where
its type says ``float32``; what is computed of it may be wider than its type says.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value

NARROW = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.complex64))
"""Dtypes that a number which is wider than its type says makes wider; doubles stay as they are."""

_NUMBERS = (ArrayType, ScalarType)
_PASSED_ON = ("elementwise", "moves", "allocates", "cheap")
"""Traits of ops whose results may be of another dtype where their inputs are."""


def is_loose(value: Value, *, carried: float = 0, certain: Container[Value] = ()) -> bool:
    """Whether a value may be a Python number, or of another dtype, at run time than its type
    says: computed of what was joined, or of what a loop hands on of a rank up to ``carried``;
    of the ``certain`` ones none is."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen or one in certain or not isinstance(one.type, _NUMBERS):
            continue
        seen.add(one)
        if one.op is None or one.op.name in ("for", "while"):
            if isinstance(one.type, ArrayType) and one.type.ndim <= carried:
                return True
        elif one.op.kind.has("loose"):
            return True
        elif one.op.name == "if":
            at = one.op.results.index(one)
            todo += [region.results[at] for region in one.op.regions]
        elif one.op.attrs.get("dtype") is None and any(map(one.op.kind.has, _PASSED_ON)):
            todo += one.op.inputs
    return False
