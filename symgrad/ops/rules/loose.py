"""Values whose dtype is not certain: Python's numbers met NumPy's at a branch or in a loop.

There a Python number stays what it is (the op ``joined``), so at run time it may be one where
its type says ``float32``; what is computed of it may be wider than its type says.
"""

from __future__ import annotations

from ...ir.types import ArrayType
from ...ir.values import Value


def is_loose(value: Value) -> bool:
    """Whether a NumPy value may be a Python number, or of another dtype, at run time: computed
    entry by entry of what was joined, or of what a loop hands on."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen or not isinstance(one.type, ArrayType):
            continue
        seen.add(one)
        if one.op is None or one.op.name in ("joined", "for", "while"):
            return True
        if one.op.name == "if":
            at = one.op.results.index(one)
            todo += [region.results[at] for region in one.op.regions]
        elif one.op.kind.has("elementwise"):
            todo += one.op.inputs
    return False
