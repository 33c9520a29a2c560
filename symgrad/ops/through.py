"""Stores through views: ``x.T[0] = v``, ``x[1:][::-1] = v``.

What a chain of views leads to is written in place, so a store costs what it touches, whatever
lies between the array and the name that is stored through. The chain is a static ``path``;
NumPy follows it, and checks each step as it would the user's. ``view_of`` is what a chain leads
to where it has to be that view, not an equal array: a result that shares memory.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ..errors import ShapeError
from ..ir.expr import Expr, apply, f
from ..ir.indexing import FULL, Index, operand_count
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .composed import pull
from .indexing import read, winners
from .rules.batching import Batched, front, grown
from .rules.emission import static
from .rules.indexed import distinct, indexed_shape, subscript
from .table import TABLE, linear, op

FOLLOWED = frozenset("index transpose expand_dims squeeze real imag strided".split())
"""Views that a path may have: where they lead to does not hang on how an array lies in memory."""


@dataclass(frozen=True, slots=True)
class Step:
    """One view of a path: the op, its attributes, and how many operands it takes."""

    kind: str
    given: tuple[tuple[str, Any], ...] = ()
    count: int = 0

    @property
    def attrs(self) -> dict[str, Any]:
        """The op's attributes."""
        return dict(self.given)

    def batched(self) -> Step:
        """The same for arrays with one more axis in front.

        Raises:
            LookupError: it is not that simple.
        """
        if self.kind == "index":
            return at((FULL, *self.attrs["index"]))
        if self.kind not in FOLLOWED - {"strided"}:
            raise LookupError(self.kind)
        axes = [tuple(a + 1 for a in given) for _, given in self.given]
        if self.kind == "transpose":
            axes = [(0, *axes[0])]
        return Step(self.kind, tuple(("axes", a) for a in axes))


def at(index: Index) -> Step:
    """The step ``x[index]``."""
    return Step("index", (("index", index),), operand_count(index))


Path = tuple[Step, ...]


def followed(path: Path) -> bool:
    """Whether a path leads to the same entries however the array lies in memory."""
    return all(step.kind in FOLLOWED for step in path)


def _split(path: Path, operands: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The operands of each step, then those of the index."""
    parts = []
    for step in path:
        parts.append(operands[: step.count])
        operands = operands[step.count :]
    return [*parts, operands]


def _view(x: Expr, path: Path, operands: tuple[Expr, ...]) -> Expr:
    """What a path leads to."""
    for step, given in zip(path, _split(path, operands)[:-1], strict=True):
        x = apply(step.kind, x, *given, **step.attrs)
    return x


# ------------------------------------------------------------------------------- types
def _infer(dims: Any, inputs: tuple[Value, ...], path: Path, index: Index) -> Type:
    x, v, *operands = inputs
    last = _split(path, tuple(operands))[-1]
    seen: Any = _infer_view(dims, (x, *operands), path)
    part = indexed_shape(dims, seen.shape, index, last)
    given_shape = v.type.shape  # type: ignore[union-attr]
    if len(dims.broadcast_shapes(part, given_shape)) > len(part):
        raise ShapeError(f"a value of type {v.type} does not fit into {len(part)} axes")
    return x.type


def _infer_view(
    dims: Any, inputs: tuple[Value, ...], path: Path, boxed: bool = False
) -> Type:
    x, *operands = inputs
    seen: Any = x.type
    for step, given in zip(path, _split(path, tuple(operands))[:-1], strict=True):
        seen = TABLE[step.kind].infer(dims, (Value(seen), *given), **step.attrs)
    return seen  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------- emission
def _step(x: ast.expr, step: Step, given: list[ast.expr]) -> ast.expr:
    emit: Any = TABLE[step.kind].emit
    if not isinstance(emit, ast.AST):
        return emit([x, *given], step.attrs)  # type: ignore[no-any-return]
    named = {"x": x, **{name: static(value) for name, value in step.given}}
    made: ast.expr = _Named(named).visit(ast.parse(ast.unparse(emit), mode="eval").body)
    return made


class _Named(ast.NodeTransformer):
    """A template with names replaced."""

    def __init__(self, named: dict[str, ast.expr]) -> None:
        self.named = named

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.named.get(node.id, node)


def _emit_view(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    x, *operands = inputs
    path = attrs["path"]
    for step, given in zip(path, _split(path, tuple(operands))[:-1], strict=True):
        x = _step(x, step, list(given))
    if attrs.get("boxed") and isinstance(x, ast.Subscript):
        items = x.slice.elts if isinstance(x.slice, ast.Tuple) else [x.slice]
        x = ast.Subscript(x.value, ast.Tuple([*items, static(...)]))
    return x


def _emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.stmt:
    x, v, *operands = inputs
    path, index = attrs["path"], attrs["index"]
    last = _split(path, tuple(operands))[-1]
    x = _emit_view([x, *operands], {"path": path})
    place = subscript(index, list(last)) if index else static(...)
    return ast.Assign([ast.Subscript(x, place)], v)


def _infer_strided(
    dims: Any, inputs: tuple[Value, ...], shape: tuple[int, ...], **attrs: Any
) -> Type:
    return ArrayType(inputs[0].type.dtype, shape)  # type: ignore[union-attr]


def _emit_strided(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    [x] = inputs
    step = ast.Subscript(ast.Attribute(x, "strides"), static(0))
    steps = [ast.BinOp(static(n), ast.Mult(), step) for n in attrs["strides"]]
    start = ast.Subscript(x, ast.Slice(static(attrs["offset"]), None, None))
    return ast.Call(
        ast.parse("np.lib.stride_tricks.as_strided", mode="eval").body,
        [start, static(attrs["shape"]), ast.Tuple(list(steps))],
        [],
    )


# ------------------------------------------------------------------------------- rules
def _strided_put(base: Expr, new: Expr, **attrs: Any) -> Expr:
    path = (Step("strided", tuple(attrs.items())),)
    return apply("store_view", base, new, path=path, index=())  # type: ignore[no-any-return]


def _vjp_x(g: Expr, operands: tuple[Expr, ...], path: Path, index: Index) -> Expr:
    return apply("store_view", g, 0, *operands, path=path, index=index)  # type: ignore[no-any-return]


def _vjp_v(g: Expr, operands: tuple[Expr, ...], path: Path, index: Index) -> Expr:
    part, last = _view(g, path, operands), _split(path, operands)[-1]
    taken = read(part, last, index) if index else part
    if distinct(g.builder.dims, index, [o.value for o in last]):
        return taken
    return f.where(winners(part, taken, last, index), taken, 0)  # type: ignore[no-any-return]


def _jvp(
    t_x: Any, t_v: Any, x: Expr, operands: tuple[Expr, ...], path: Path, index: Index
) -> Expr:
    base = f.zeros_like(x) if t_x is None else t_x
    value = 0 if t_v is None else t_v
    return apply("store_view", base, value, *operands, path=path, index=index)  # type: ignore[no-any-return]


def _view_vjp(g: Expr, x: Expr, operands: tuple[Expr, ...], path: Path) -> Expr:
    if any(step.kind == "broadcast_to" for step in path):
        # nothing can be stored through such a view
        return pull(g, x, lambda b, inner: _view(Expr(b, inner), path, operands))
    zeros = f.zeros_like(x)
    return apply("store_view", zeros, g, *operands, path=path, index=())  # type: ignore[no-any-return]


def _view_batch(
    x: Expr, operands: tuple[Expr, ...], path: Path, size: Expr, batched: Batched
) -> Any:
    try:
        ahead = tuple(step.batched() for step in path)
    except LookupError:
        return None
    return None if any(batched[1:]) else apply("view_of", x, *operands, path=ahead)


def _batch(
    x: Expr, v: Expr, operands: tuple[Expr, ...], path: Path, index: Index,
    size: Expr, batched: Batched,
) -> Any:  # fmt: skip
    try:
        ahead = tuple(step.batched() for step in path)
    except LookupError:
        return None
    if any(batched[2:]):
        return None
    whole = x if batched[0] else grown(x, size)
    inside = (FULL, *index)
    last = _split(path, operands)[-1]
    part = _view(whole, ahead, operands)
    assert isinstance(part.type, ArrayType)
    rank = len(
        indexed_shape(x.builder.dims, part.type.shape, inside, tuple(o.value for o in last))
    )
    value = front(v, rank - 1) if batched[1] else v
    return apply("store_view", whole, value, *operands, path=ahead, index=inside)


op(
    "store_view",
    "x v *operands",
    _infer,
    None,
    emit_store=_emit,
    attrs={"path": REQUIRED, "index": REQUIRED},
    vjp={"x": _vjp_x, "v": _vjp_v},
    jvp=_jvp,
    traits="linear joins store",
    batch=_batch,
    doc="x with view[index] = v done, where path leads from x to the view.",
)
linear(
    "view_of",
    "x *operands",
    _infer_view,
    _emit_view,
    attrs={"path": REQUIRED, "boxed": False},
    transpose={"x": _view_vjp},
    traits="moves cheap view",
    batch=_view_batch,
    doc="What path leads to from x, as a view of its memory; of rank 0 an array, if `boxed`.",
)
linear(
    "strided",
    "x",
    _infer_strided,
    _emit_strided,
    attrs={"offset": REQUIRED, "shape": REQUIRED, "strides": REQUIRED},
    transpose={"x": lambda g, x, attrs: _strided_put(f.zeros_like(x), g, **attrs)},
    put=_strided_put,
    traits="moves cheap view",
    batch="each",
    doc="An array in the memory of one with a single axis, by offset and strides in elements.",
)
