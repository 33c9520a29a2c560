"""A vjp at the top level: one function there, which returns what is saved, and one back.

The front end lowers both as one function whose last parameters are the cotangents. When the
passes are done with it, what depends on those is the way back; what that reads is saved. The
same for a function and its derivative at a point, with tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import CallError, DTypeError, ShapeError, TreeStructureError
from ..ir.builder import Builder
from ..ir.nodes import attributes_of
from ..ir.rewrite import Env, copy_op, free_values
from ..ir.tree import Node, Tree, leaves, map_leaves
from ..ir.values import Argument, Block, Function, Op, Value
from ..ops import TABLE
from .trees import map_structure


def split(
    function: Function, suffix: str = "backward", *, changes: bool = False
) -> tuple[Function, Function]:
    """The way there, which returns its results and a tuple of what is saved, and the way back,
    whose arguments are what is saved and the cotangents.

    Args:
        function: returns a tuple whose last entry are the gradients; parameters beyond those
            of its arguments are cotangents.
        suffix: what the way back is called after.
        changes: the function returns a pair of that tuple and of what objects are given; so
            does the way there.
    """
    block = function.block
    given = {leaf for a in function.arguments for leaf in leaves(a.tree)}
    cotangents = [p for p in block.params if p not in given]
    late: set[Value] = set(cotangents)
    there, back = [], []
    for op in block.ops:
        if any(v in late for v in _reads(op)):
            back.append(op)
            late.update(op.results)
        else:
            there.append(op)
    inner = function.returns.children[0] if changes else function.returns
    *firsts, grads = inner.children
    wanted = [block.results[i] for i in leaves(grads)]
    read = [v for op in back for v in _reads(op)] + wanted
    known = dict.fromkeys(v for v in read if v not in late)
    saved = [v for v in known if not v.is_constant]
    constants = [v.op for v in known if v.is_constant and v.op is not None]
    given_to = function.returns.children[1] if changes else None
    forward = _there(function, tuple(there), firsts, given_to, saved)
    later = _back(function, [*constants, *back], saved, cotangents, grads, wanted)
    return forward, replace(later, name=f"{function.name}_{suffix}")


def _reads(op: Op) -> Iterator[Value]:
    yield from op.inputs
    for region in op.regions:
        yield from free_values(region)


def _there(
    function: Function,
    ops: tuple[Op, ...],
    firsts: list[Tree],
    assigned: Tree | None,
    saved: list[Value],
) -> Function:
    block = function.block
    given_out = firsts if assigned is None else [*firsts, assigned]
    results = [block.results[i] for tree in given_out for i in leaves(tree)]
    place = iter(range(len(results)))
    trees = [map_leaves(lambda _: next(place), tree) for tree in given_out]
    changed = [block.results[i] for _, i in function.mutates]
    first = len(results) + len(changed)
    kept = Node("tuple", tuple(range(first, first + len(saved))))
    returns = Node("tuple", (*trees[: len(firsts)], kept))
    given = {leaf for a in function.arguments for leaf in leaves(a.tree)}
    return replace(
        function,
        block=Block(
            tuple(p for p in block.params if p in given),
            ops,
            (*results, *changed, *saved),
        ),
        returns=returns if assigned is None else Node("tuple", (returns, trees[-1])),
        mutates=tuple(
            (param, len(results) + i) for i, (param, _) in enumerate(function.mutates)
        ),
    )


def _back(
    function: Function,
    ops: list[Op],
    saved: list[Value],
    cotangents: list[Value],
    grads: Tree,
    wanted: list[Value],
) -> Function:
    builder = Builder(TABLE)
    env: Env = {}
    for v in (*saved, *cotangents):
        env[v] = Value(v.type, v.name, None, v.dim)
        builder.bind(env[v])
    params = list(env.values())
    for op in ops:
        builder.span, builder.role = op.span, op.role
        env.update(zip(op.results, copy_op(builder, op, env), strict=True))
    place = iter(range(len(wanted)))
    taken: set[str] = set()
    return replace(
        function,
        block=builder.block(params, [env[v] for v in wanted]),
        arguments=tuple(Argument(_unique(p.name, taken), p) for p in params),
        returns=map_leaves(lambda _: next(place), grads),
        mutates=(),
        equal=(),
        doc="",
    )


def _unique(name: str, taken: set[str]) -> str:
    base = name if name.isidentifier() else "saved"
    found, k = base, 1
    while found in taken:
        found, k = f"{base}_{k}", k + 1
    taken.add(found)
    return found


@dataclass(frozen=True, slots=True)
class Pullback:
    """Takes a cotangent of ``fun``'s result back to a tuple with a gradient for each of the first
    ``count`` arguments; any number of times. The others have their defaults."""

    backward: Callable[..., Any]
    out: Any
    saved: tuple[Any, ...]
    name: str
    count: int | None = None

    def __call__(self, cotangent: Any) -> Any:
        found: list[Any] = []
        what = f"the cotangent of the result of `{self.name}`"
        _match(cotangent, self.out, what, found)
        return self.backward(*self.saved, *found)[: self.count]

    def __repr__(self) -> str:
        return f"<symgrad pullback of {self.name}>"


@dataclass(frozen=True, slots=True)
class Linear:
    """The derivative of ``fun`` at a point: takes a tangent for each of the first ``count``
    arguments to that of the result; any number of times. The others have their defaults."""

    along: Callable[..., Any]
    args: tuple[Any, ...]
    saved: tuple[Any, ...]
    name: str
    count: int

    def __call__(self, *tangents: Any) -> Any:
        if len(tangents) != self.count:
            raise CallError(
                f"the linear function takes {self.count} tangents, got {len(tangents)}"
            )
        found: list[Any] = []
        given = (*tangents, *[None] * (len(self.args) - self.count))
        for i, (t, x) in enumerate(zip(given, self.args, strict=True)):
            _match(t, x, f"the tangent of argument {i} of `{self.name}`", found)
        return self.along(*self.saved, *found)

    def __repr__(self) -> str:
        return f"<symgrad derivative of {self.name} at a point>"


def linearized(
    forward: Callable[..., Any], along: Callable[..., Any], name: str
) -> Callable[..., Any]:
    """The function that users see: ``(out, linear)``."""

    def call(*args: Any, **captured: Any) -> Any:
        out, saved = forward(*args, **captured)
        return out, Linear(along, shape_of(args), saved, name, len(args))

    return call


def paired(
    forward: Callable[..., Any], backward: Callable[..., Any], name: str
) -> Callable[..., Any]:
    """The function that users see: ``(out, pullback)``, with what else there is in between."""

    def call(*args: Any, **kwargs: Any) -> Any:
        out, *rest, saved = forward(*args, **kwargs)
        return (out, Pullback(backward, shape_of(out), saved, name), *rest)

    return call


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Type, shape and dtype of a number or array of the result."""

    cls: type
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def shape_of(out: Any) -> Any:
    """The result without its data."""
    return map_structure(_leaf_of, out)


def _leaf_of(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return _Leaf(type(x), x.shape, x.dtype)
    if isinstance(x, bool | int | float | complex):
        return _Leaf(type(x), (), np.asarray(x).dtype)
    return x


def _match(given: Any, like: Any, what: str, found: list[Any]) -> None:
    """Collect the cotangents, or tangents, of what carries a derivative, zeros for None."""
    if isinstance(like, _Leaf):
        if like.dtype.kind in "fc":
            found.append(_fitted(given, like, what))
        return
    inside = _children(like)
    if not inside:
        return
    other = dict(_children(given)) if given is not None else {}
    if given is not None and (
        type(given) is not type(like) or sorted(other) != sorted(k for k, _ in inside)
    ):
        raise TreeStructureError(
            f"{what} has to be {_kind(like)} like it, not {_kind(given)}"
        )
    for key, child in inside:
        _match(other.get(key), child, what + key, found)


def _children(x: Any) -> list[tuple[str, Any]]:
    if isinstance(x, tuple | list):
        names = getattr(x, "_fields", None)
        return [(f"[{i}]" if names is None else f".{names[i]}", v) for i, v in enumerate(x)]
    if isinstance(x, dict):
        return [(f"[{k!r}]", v) for k, v in x.items()]
    names = None if isinstance(x, _Leaf) else attributes_of(x)
    return [(f".{name}", getattr(x, name)) for name in names or ()]


def _kind(x: Any) -> str:
    if isinstance(x, tuple | list):
        return f"a {type(x).__name__} of {len(x)}"
    if isinstance(x, dict):
        return f"a dict with the keys {list(x)}"
    return f"a {type(x).__name__}"


def _fitted(given: Any, like: _Leaf, what: str) -> Any:
    python = issubclass(like.cls, float | complex) and not issubclass(like.cls, np.generic)
    if given is None:
        zero = np.zeros(like.shape, like.dtype)
        return like.cls(0) if python else zero if like.shape else zero[()]
    weak = type(given) is float or type(given) is complex and like.dtype.kind == "c"
    if not weak and not isinstance(given, np.ndarray | np.generic):
        if type(given) in (int, bool, complex):
            raise DTypeError(
                f"{what} has the dtype of a Python {type(given).__name__}, not {like.dtype}"
            )
        raise TreeStructureError(
            f"{what} has to be {like.dtype}{list(like.shape)} like it, not {_kind(given)}"
        )
    if np.shape(given) != like.shape:
        raise ShapeError(f"{what} has the shape {np.shape(given)}, not {like.shape}")
    if not weak and given.dtype != like.dtype:
        raise DTypeError(f"{what} has the dtype {given.dtype}, not {like.dtype}")
    if python:
        return like.cls(given)
    return given if like.shape else like.dtype.type(given)


__all__ = ["Linear", "Pullback", "linearized", "paired", "split"]
