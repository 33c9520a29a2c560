"""Which values are read whatever way the program takes.

A value that one branch of an ``if`` leaves undefined needs no assignment there as long as it
is read in a later branch on the same condition only.
"""

from __future__ import annotations

from ..ir.values import Block, Value

Path = tuple[Block, ...]


def open_reads(block: Block) -> set[Value]:
    """Values with a read that stands in no branch that their definition does not stand in."""
    found: set[Value] = set()
    _visit(block, (), dict.fromkeys(block.params, ()), found)
    return found


def _visit(block: Block, path: Path, defined: dict[Value, Path], found: set[Value]) -> None:
    for op in block.ops:
        for value in op.inputs:
            _read(value, path, defined, found)
        for region in op.regions:
            inner = (*path, region) if op.name == "if" else path
            defined.update(dict.fromkeys(region.params, inner))
            _visit(region, inner, defined, found)
        defined.update(dict.fromkeys(op.results, path))
    for value in block.results:
        _read(value, path, defined, found)


def _read(value: Value, path: Path, defined: dict[Value, Path], found: set[Value]) -> None:
    if defined.get(value) == path:
        found.add(value)
