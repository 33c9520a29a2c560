"""Numbers whose dtype is not certain: Python's met NumPy's at a branch or in a loop.

There a Python number stays what it is (the op ``joined``), so at run time it may be one where
its type says ``float32``; so may what is computed of it.
"""

from __future__ import annotations

from ...ir.types import ArrayType
from ...ir.values import Value


def is_loose(value: Value) -> bool:
    """Whether a NumPy scalar may be a Python number, or of another dtype, at run time."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen or not _is_number(one):
            continue
        seen.add(one)
        if one.op is None or one.op.name in ("joined", "for", "while"):
            return True
        if one.op.name == "if":
            at = one.op.results.index(one)
            todo += [region.results[at] for region in one.op.regions]
        todo += one.op.inputs
    return False


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and not value.type.shape
