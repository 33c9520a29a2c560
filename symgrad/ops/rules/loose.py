"""Values whose dtype is not certain: Python's numbers met NumPy's at a branch or in a loop.

There a Python number stays what it is (the op ``joined``), so at run time it may be one where
its type says ``float32``; what is computed of it may be wider than its type says.
"""

from __future__ import annotations

from ...ir.types import ArrayType, ScalarType
from ...ir.values import Value


def is_loose(value: Value) -> bool:
    """Whether a value may be a Python number, or of another dtype, at run time than its type
    says: computed entry by entry of what was joined, or of what a loop hands on."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen or not isinstance(one.type, ArrayType | ScalarType):
            continue
        seen.add(one)
        if one.op is None or one.op.name in ("for", "while"):
            if isinstance(one.type, ArrayType):
                return True
        elif one.op.name == "joined":
            return True
        elif one.op.name == "if":
            at = one.op.results.index(one)
            todo += [region.results[at] for region in one.op.regions]
        elif one.op.kind.has("elementwise"):
            todo += one.op.inputs
    return False
