"""Laws of reading and writing parts of arrays."""

from __future__ import annotations

from typing import Any

from ...ir.expr import f
from ...ir.indexing import (
    FULL,
    Gather,
    Index,
    Item,
    Mask,
    NewAxis,
    Operand,
    Slice,
    composed,
)
from ...ir.types import ArrayType
from ...ir.values import Op, Value
from .shaping import unbroadcast
from .words import Site, law

REACH = 16
WRITES = ("store", "add_store")
READS = ("index", "gather")
_ELSEWHERE = ("view", "maybe_view", "joins", "shares", "gives")
"""Traits of ops whose results stand in memory that was there before."""


def same_place(op: Op, index: Index, operands: tuple[Value, ...]) -> bool:
    """Whether a store or read ``op`` is at this index."""
    own = op.inputs[2:] if op.kind.name in WRITES else op.inputs[1:]
    return op.attrs["index"] == index and own == operands


def each_once(index: Index, attrs: Any = ()) -> bool:
    """Whether no entry is named twice."""
    gathers = any(isinstance(item, Gather) for item in index)
    return not gathers or bool(attrs and attrs.get("distinct"))


def apart(a: Index, b: Index) -> bool:
    """Whether two indices surely name different entries: different numbers on one axis."""
    for p, q in zip(a, b, strict=False):
        if isinstance(p, NewAxis | Mask) or isinstance(q, NewAxis | Mask):
            return False
        if isinstance(p, int) and isinstance(q, int) and p != q and (p < 0) == (q < 0):
            return True
    return False


# ------------------------------------------------------------------------------- reading
@law(*READS)
def read_what_was_written(site: Site) -> Any:
    """store(x, v, i)[i] is v; store(x, v, i)[j] is x[j], which the user's own code asks for
    numbers only: a view of x as it was would keep the store from being done in place."""
    x, *operands = site.inputs
    index = site.attrs["index"]
    number = isinstance(site.type, ArrayType) and not site.type.shape
    base = x
    while (op := site.made_by(base, "store")) is not None:
        if same_place(op, index, tuple(operands)) and each_once(index):
            if site.same(op.inputs[1].type, site.type):
                return op.inputs[1]
            break
        if not (number or site.adjoint) or not apart(op.attrs["index"], index):
            break
        base = op.inputs[0]
    return None if base is x else site.builder.op(site.kind, base, *operands, index=index)


@law("index")
def read_with_new_axes(site: Site) -> Any:
    """An index of whole and new axes only."""
    index = site.attrs["index"]
    if not all(item == FULL or isinstance(item, NewAxis) for item in index):
        return None
    axes = tuple(k for k, item in enumerate(index) if isinstance(item, NewAxis))
    return f.expand_dims(site.expr(site.inputs[0]), axes=axes) if axes else site.inputs[0]


@law("index")
def read_of_read(site: Site) -> Any:
    """x[i][j] with whole axes, or an integer first, is one index."""
    op = site.made_by(site.inputs[0], "index")
    if op is None:
        return None
    index = composed(op.attrs["index"], site.attrs["index"], len(op.inputs) - 1)
    if index is None:
        return None
    return site.builder.op("index", *op.inputs, *site.inputs[1:], index=index)


@law("index")
def read_of_transposed(site: Site) -> Any:
    """x.T[i, a:b] is x[a:b, i]: a part of a part, whose slope touches no more than that."""
    op = site.made_by(site.inputs[0], "transpose")
    index = site.attrs["index"]
    if op is None or not all(isinstance(k, int | Operand | Slice) for k in index):
        return None
    axes = op.attrs["axes"]
    items: list[Item] = [FULL] * len(axes)
    for axis, item in zip(axes, index, strict=False):
        items[axis] = item
    left = [a for a in axes if isinstance(items[a], Slice)]
    if left != sorted(left):
        return None
    while items and items[-1] == FULL:
        items.pop()
    return site.builder.op("index", op.inputs[0], *site.inputs[1:], index=tuple(items))


# ------------------------------------------------------------------------------- writing
@law("store")
def write_what_is_there(site: Site) -> Any:
    """x[i] = x[i] changes nothing."""
    x, v, *operands = site.inputs
    op = site.made_by(v, *READS)
    index = site.attrs["index"]
    if op is None or op.inputs[0] is not x or not same_place(op, index, tuple(operands)):
        return None
    return x


@law(*WRITES)
def write_repeats_by_itself(site: Site) -> Any:
    """What is written is repeated as needed."""
    x, v, *operands = site.inputs
    inner = unbroadcast(v)
    return (
        None
        if inner is v
        else site.builder.op(site.kind, x, inner, *operands, **site.attrs)
    )


@law("store")
def write_over_write(site: Site) -> Any:
    """Only the last of two writes to one place counts, if nobody reads in between: then the
    one array goes on to be changed in place. Of an array that the caller sees, both do: what
    comes between them may raise."""
    x, v, *operands = site.inputs
    op = site.made_by(x, *WRITES, once=True)
    index = site.attrs["index"]
    if op is None or not same_place(op, index, tuple(operands)):
        return None
    if not site.adjoint and not _own(x):
        return None
    return site.builder.op("store", op.inputs[0], v, *operands, index=index)


def _own(x: Value) -> bool:
    """Whether an array that has been written to was made here."""
    while x.op is not None and x.op.kind.name in WRITES:
        x = x.op.inputs[0]
    op = x.op
    return op is not None and not op.regions and not any(map(op.kind.has, _ELSEWHERE))


@law("store")
def write_a_sum(site: Site) -> Any:
    """x[i] = x[i] + v is x[i] += v."""
    x, v, *operands = site.inputs
    index = site.attrs["index"]
    op = site.made_by(v, "add", "subtract", once=True)
    if op is None or not each_once(index) or not _is_inexact_like(site, op):
        return None
    pairs = [op.inputs, op.inputs[::-1]] if op.kind.name == "add" else [op.inputs]
    for part, other in pairs:
        read = site.made_by(part, *READS)
        if (
            read is not None
            and read.inputs[0] is x
            and same_place(read, index, tuple(operands))
        ):
            if op.kind.name == "subtract":
                other = f.negative(site.expr(other)).value
            return site.builder.op("add_store", x, other, *operands, index=index)
    return None


def _is_inexact_like(site: Site, op: Op) -> bool:
    """Whether the sum is computed in the array's own real or complex dtype."""
    t, x = op.result.type, site.type
    if not isinstance(t, ArrayType) or not isinstance(x, ArrayType):
        return False
    kinds = {getattr(v.type, "dtype", t.dtype).kind for v in op.inputs}
    return t.dtype == x.dtype and x.dtype.kind in "fc" and kinds <= {"f", "c"}


@law("add_store", adjoint=True)
def add_after_write(site: Site) -> Any:
    """The adjoint of a store clears a place and adds to it again: other additions may come
    between, they can as well come after."""
    x, v, *operands = site.inputs
    index = site.attrs["index"]
    if not each_once(index, site.attrs):
        return None
    between: list[Op] = []
    op = site.made_by(x, *WRITES)
    while op is not None and len(between) < REACH:
        if same_place(op, index, tuple(operands)):
            break
        if op.kind.name != "add_store" or not site.single(op.result):
            return None
        between.append(op)
        op = site.made_by(op.inputs[0], *WRITES)
    if op is None or not same_place(op, index, tuple(operands)):
        return None
    merged = _merged(site, op, v, operands)
    for later in reversed(between) if merged is not None else ():
        merged = site.builder.op("add_store", merged, *later.inputs[1:], **later.attrs)
    return merged


def _merged(site: Site, op: Op, v: Value, operands: list[Value]) -> Any:
    """A write, then an addition at the same place, as one write; None if it is no gain."""
    target, before = op.inputs[:2]
    index = site.attrs["index"]
    if op.kind.name != "store" or not site.is_zero(before):
        return None
    return site.builder.op("store", target, v, *operands, index=index)


@law("add_store", adjoint=True)
def add_to_zeros(site: Site) -> Any:
    """Adding to fresh zeros is writing."""
    x, v, *operands = site.inputs
    index = site.attrs["index"]
    if not site.is_zero(x) or not each_once(index, site.attrs):
        return None
    return site.builder.op("store", x, v, *operands, index=index)


@law("add_store", adjoint=True)
def add_zeros(site: Site) -> Any:
    """Adding zeros changes nothing."""
    return site.inputs[0] if site.is_zero(site.inputs[1]) else None


@law("store", adjoint=True)
def write_zeros_to_zeros(site: Site) -> Any:
    """Zeros stay zeros."""
    return site.inputs[0] if all(map(site.is_zero, site.inputs[:2])) else None


@law("store", adjoint=True)
def write_everywhere(site: Site) -> Any:
    """A write of the whole array is the value."""
    x, v = site.inputs[:2]
    whole = all(item == FULL for item in site.attrs["index"])
    return v if whole and site.same(v.type, x.type) else None


@law("add_store", adjoint=True)
def add_everywhere(site: Site) -> Any:
    """An addition to the whole array is a sum."""
    if not all(item == FULL for item in site.attrs["index"]):
        return None
    return site.expr(site.inputs[0]) + site.expr(site.inputs[1])


@law("add", adjoint=True)
def add_part(site: Site) -> Any:
    """x + (zeros with v at i) is x with v added at i."""
    for x, part in (site.inputs, site.inputs[::-1]):
        op = site.made_by(part, *WRITES, once=True)
        if op is None or not site.is_zero(op.inputs[0]):
            continue
        if not site.same(x.type, site.type) or not site.same(part.type, site.type):
            continue  # one of them is repeated over the other
        index = op.attrs["index"]
        distinct = bool(op.attrs.get("distinct")) and not each_once(index)
        if op.kind.name == "store" and not each_once(index):
            continue
        return site.builder.op(
            "add_store", x, *op.inputs[1:], index=index, distinct=distinct
        )
    return None
