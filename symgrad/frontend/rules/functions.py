"""Classes of ``sg.Function``: ``F.apply(...)`` as a call of a function with a rule."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import CustomRuleError, UnsupportedFunctionError
from ...ir.types import is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, type_of
from ..derivatives.verbs import verb
from ..inline import call_value
from ..machine import Machine
from ..memory.storage import overwrite
from ..names.static import opened, pinned
from ..parts import is_leaf, rebuild, take_apart
from ..requests import CustomRule
from ..values import ListObject, Native, Record, Ref
from .asis import attempt, forward_as_is, ordinary
from .returned import AS_IS, tangent
from .ruled import active, same
from .running import fail, parts_of


@verb("apply")
def apply(m: Machine, node: ast.AST, cls: Any, *args: Any, **kwargs: Any) -> Any:
    """``F.apply(...)`` of a class with ``forward`` and ``backward``."""
    from .customs import by_position, call_rule

    cls = pinned(m, cls)
    name = cls.__name__
    back = _backward(m, node, cls)
    full = by_position(m, CustomRule("function", name, cls), args, kwargs)
    dirty: list[tuple[int, int, int]] = []
    forward = Native("forward", lambda m, node, *a: _forward(m, node, cls, a, dirty))
    if back is not None:
        found = call_rule(
            m, node, CustomRule("function", name, cls, forward, back), full, {}
        )
    elif cls.jvp is not None:
        found = call_rule(m, node, _by_jvp(name, cls, forward), full, {})
    else:
        found = _without_rule(m, node, name, forward, full)
    return _written(m, node, found, full, dirty) if dirty else found


def _by_jvp(name: str, cls: Any, forward: Native) -> CustomRule:
    """The rule of a class that has ``jvp`` only."""

    def plain(m: Machine, node: ast.AST, *args: Any) -> Any:
        return forward.run(m, node, *args)[0]

    def push(m: Machine, node: ast.AST, primals: Any, tangents: Any) -> Any:
        out, saved = forward.run(m, node, *primals)
        moving = [any(active(m, x)) for x in primals]
        given = [t if on else None for t, on in zip(tangents, moving, strict=True)]
        return out, tangent(m, node, name, cls, saved, given, out)

    return CustomRule("jvp", name, Native(name, plain), Native("jvp", push))


def _without_rule(
    m: Machine, node: ast.AST, name: str, forward: Native, args: tuple[Any, ...]
) -> Any:
    """The output of forward code without a rule, which cannot be differentiated."""
    out = forward.run(m, node, *args)[0]
    parts = take_apart(m, out)
    inputs = [as_value(m, x) for a in args for x in take_apart(m, a).leaves]
    marked = [
        m.wrap(m.builder.one("first_order", as_value(m, x), *inputs, rule="", name=name))
        if is_inexact(type_of(x))
        else x
        for x in parts.leaves
    ]
    return rebuild(m, parts, marked)


def _backward(m: Machine, node: ast.AST, cls: Any) -> Any:
    """The backward code, under either of its names; None if there is none."""
    back, vjp = cls.backward, cls.vjp
    if back is not None and vjp is not None:
        raise CustomRuleError(
            f"`{cls.__name__}` defines `backward` and `vjp`, which are two names for the same: "
            "define one of them",
            m.span(node),
        )
    return vjp if back is None else back


# ------------------------------------------------------------------------------- forward
def _forward(
    m: Machine,
    node: ast.AST,
    cls: Any,
    args: tuple[Any, ...],
    dirty: list[tuple[int, int, int]],
) -> tuple[Any, Any]:
    """``(output, context)``; ``dirty`` gets which outputs are which arguments, changed."""
    needs = tuple(any(active(m, a)) for a in args)
    name = cls.__name__

    def compiled() -> tuple[Any, Any]:
        ctx = Record(
            cls.__symgrad_context__, {**cls.__symgrad_fields__, "needs_input_grad": needs}
        )
        before = _contents(m, args)
        if cls.setup_context is None:
            out = call_value(m, node, cls.__symgrad_forward__(), (ctx, *args), {})
        else:
            out = call_value(m, node, cls.__symgrad_forward__(), args, {})
            call_value(m, node, cls.setup_context, (ctx, args, out), {})
        _check(m, node, name, ctx, out)
        dirty[:] = _changed(m, node, name, ctx, out, args, before)
        return out, ctx

    def as_is(reason: Exception) -> tuple[Any, Any]:
        run = running(ordinary(m, cls, reason), needs)
        ruled = any(x is not None for x in (cls.backward, cls.vjp, cls.jvp))
        found = forward_as_is(m, node, name, run, args, reason, cls.shape, ruled=ruled)
        leaves = take_apart(m, found.out).leaves
        kept = cls.__symgrad_fields__ if found.kept is None else vars(found.kept)
        fields = {
            **cls.__symgrad_fields__,
            "needs_input_grad": needs,
            "non_differentiable": tuple(leaves[i] for i in found.marks),
            "materialize_grads": kept["materialize_grads"],
            AS_IS: found.saved,
        }
        return found.out, Record(cls.__symgrad_context__, fields)

    if cls.__symgrad_as_is__:
        return as_is(UnsupportedFunctionError(f"{cls.__symgrad_as_is__} is not compiled"))
    return attempt(m, f"`{name}.forward`", compiled, as_is)


def running(cls: Any, needs: tuple[bool, ...]) -> Callable[..., tuple[Any, Any]]:
    """What runs the forward code as it is: arguments to ``(output, context)``."""

    def run(*args: Any) -> tuple[Any, Any]:
        ctx = cls.__symgrad_context__()
        vars(ctx).update(cls.__symgrad_fields__, needs_input_grad=needs)
        if cls.setup_context is None:
            out = cls.forward(ctx, *args)
        else:
            out = cls.forward(*args)
            cls.setup_context(ctx, args, out)
        if isinstance(out, list):
            fail(f"`{cls.__name__}.forward` returned a list; return a tuple of arrays")
        if ctx.dirty:
            fail(f"`{cls.__name__}` marks an argument as dirty, and cannot be compiled")
        check_saved(cls.__name__, ctx.saves, ctx.saved_arrays, _is_array)
        outs: list[Any] = []
        parts_of(out, outs)
        check_marks(cls.__name__, ctx.non_differentiable, outs, lambda a, b: a is b)
        return out, ctx.__symgrad_kept__(cls.__name__)

    return run


def _is_array(x: Any) -> bool:
    return x is None or isinstance(x, np.ndarray | np.generic | int | float | complex)


def check_saved(
    name: str, saves: int, saved: Sequence[Any], keepable: Callable[[Any], bool]
) -> None:
    """Refuse two calls of ``save_for_backward``, and what it is not for.

    Raises:
        CustomRuleError: with the position.
    """
    if saves > 1:
        fail(f"`{name}` saves for its backward twice; save everything in one call")
    for i, x in enumerate(saved):
        if not keepable(x):
            fail(
                f"`{name}`: save_for_backward keeps arrays, numbers and None, argument {i} is "
                "something else; keep it as an attribute of ctx",
                i,
            )


def check_marks(
    name: str, marked: Sequence[Any], outs: Sequence[Any], same: Callable[[Any, Any], bool]
) -> None:
    """Refuse to mark as not differentiable what is no output.

    Raises:
        CustomRuleError: with the position.
    """
    for i, x in enumerate(marked):
        if not any(same(x, y) for y in outs):
            fail(
                f"`{name}`: argument {i} of mark_non_differentiable is no output of forward",
                i,
            )


def _check(m: Machine, node: ast.AST, name: str, ctx: Record, out: Any) -> None:
    """Refuse a context that says what cannot be."""
    with m.located(node):
        saved = opened(m, ctx.data["saved_arrays"])
        check_saved(name, ctx.data["saves"], saved, lambda x: x is None or is_leaf(x))
        if isinstance(out, ListObject):
            fail(f"`{name}.forward` returned a list; return a tuple of arrays")
        marked = opened(m, ctx.data["non_differentiable"])
        check_marks(name, marked, take_apart(m, out).leaves, same)


# ------------------------------------------------------------------- arguments changed
def _contents(m: Machine, args: Sequence[Any]) -> list[tuple[int, int, Ref, Value]]:
    """Every array among the arguments, and what is in it."""
    return [
        (i, k, leaf, leaf.storage.current)
        for i, x in enumerate(args)
        for k, leaf in enumerate(take_apart(m, x).leaves)
        if isinstance(leaf, Ref)
    ]


def _changed(
    m: Machine,
    node: ast.AST,
    name: str,
    ctx: Record,
    out: Any,
    args: Sequence[Any],
    before: Sequence[tuple[int, int, Ref, Value]],
) -> list[tuple[int, int, int]]:
    """For each array argument that is marked as dirty: position, leaf, and which output it
    is."""
    marked = list(opened(m, ctx.data["dirty"]))
    outs = take_apart(m, out).leaves
    found = []
    with m.located(node):
        for i, x in enumerate(marked):
            if not any(same(x, leaf) for _, _, leaf, _ in before):
                fail(
                    f"`{name}`: argument {i} of mark_dirty is no array passed to forward", i
                )
        for i, k, leaf, content in before:
            is_marked = any(same(leaf, x) for x in marked)
            if not is_marked and leaf.storage.current is not content:
                fail(
                    f"`{name}.forward` changes its argument {i} in place; say so with "
                    "ctx.mark_dirty, or change a copy",
                    i,
                )
            if is_marked:
                place = [n for n, y in enumerate(outs) if same(leaf, y)]
                if not place:
                    fail(
                        f"`{name}.forward` marks its argument {i} as dirty, but does not return "
                        "it",
                        i,
                    )
                found.append((i, k, place[0]))
    return found


def _written(
    m: Machine,
    node: ast.AST,
    found: Any,
    args: Sequence[Any],
    dirty: Sequence[tuple[int, int, int]],
) -> Any:
    """The result, the arrays that forward changed being the caller's own."""
    parts = take_apart(m, found)
    leaves = list(parts.leaves)
    for i, k, place in dirty:
        own = take_apart(m, args[i]).leaves[k]
        overwrite(m, node, own, leaves[place])
        leaves[place] = own
    return rebuild(m, parts, leaves)


__all__ = ["apply", "running"]
