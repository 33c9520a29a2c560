"""Values that a branch leaves undefined, and those that only seem to be."""

from __future__ import annotations

from symgrad.ir.builder import Builder
from symgrad.ir.types import BOOL, FLOAT, INT
from symgrad.ir.values import Value
from symgrad.ops import TABLE


def branch(b: Builder, condition: Value, then: Value | None, orelse: Value | None) -> Value:
    """An ``if`` whose sides give these values, or one that is never read."""
    kind = (then or orelse).type  # type: ignore[union-attr]
    blocks = []
    for value in (then, orelse):
        inner = b.sub()
        blocks.append(inner.block((), [value or inner.undef(kind)]))
    [result] = b.if_(condition, *blocks)
    return result


def start() -> tuple[Builder, Value, Value, Value]:
    b = Builder(TABLE)
    conditions = [b.param(BOOL, name, entry=True) for name in "cd"]
    count = b.param(INT, "k", entry=True)
    x = b.op("ones", count, dtype=FLOAT.dtype)
    return b, *conditions, x


def test_undefined_on_one_side() -> None:
    b, c, _, x = start()
    assert branch(b, c, x, None) in b.open


def test_defined_on_the_side_where_it_is_handed_on() -> None:
    b, c, _, x = start()
    first = branch(b, c, x, None)
    assert branch(b, c, first, x) not in b.open
    second = branch(b, c, None, x)
    assert branch(b, c, first, second) not in b.open


def test_on_the_other_side_or_another_condition() -> None:
    b, c, d, x = start()
    first = branch(b, c, x, None)
    assert branch(b, c, x, first) in b.open
    assert branch(b, d, first, x) in b.open
