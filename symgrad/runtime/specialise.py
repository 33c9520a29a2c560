"""Code for one kind of arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import (
    ArgnumsError,
    InternalError,
    ShapeError,
    SymgradError,
    UnknownLengthError,
)
from ..frontend import SHAPES, Lowered, NeedsSpecialisation, Request, describe, lower
from ..frontend.control.unwinding import unwinding
from ..ir.tree import Node
from .apart import ALIASES, apart
from .assigning import assigning, each_once, telling
from .checks import GONE, checks_of, compiled_text
from .conditions import Namespace
from .halves import linearized, paired
from .lengths import taken_for_granted
from .nans import Part
from .pipeline import Program, build, build_halves
from .signature import CallShape


@dataclass(frozen=True, slots=True)
class Specialisation:
    """A program, and the calls that it is for.

    ``admit(*args, **kwargs)`` gives the captured objects to pass along, or None where the
    program is not for this call. ``signature`` is the user's.
    """

    key: str
    signature: inspect.Signature | None
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    statics: frozenset[Any]
    lowered: Lowered
    program: Program
    admit: Callable[..., dict[str, Any] | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Origin:
    """What is compiled, the same for every specialisation."""

    request: Request
    signature: inspect.Signature | None
    shape: CallShape
    module: str
    debug: bool | str

    def declared(self, args: tuple[Any, ...]) -> frozenset[Any]:
        """The paths of the arguments that the user declares to be static."""
        paths = set()
        for number in self.request.option("static_argnums", ()):
            if not -len(args) <= number < len(args):
                raise ArgnumsError(
                    f"static_argnums names argument {number}, but there are {len(args)}"
                )
            paths.add(("arg", number % len(args)))
        positional = [p.name for p in self.shape.positional]
        for name in self.request.option("static_argnames", ()):
            if name not in self.shape.names and not self.shape.double_star:
                raise ArgnumsError(f"static_argnames: there is no argument `{name}`")
            at = ("arg", positional.index(name)) if name in positional else ("kwarg", name)
            paths.add(at)
        return frozenset(paths)


def specialise(
    origin: Origin,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    statics: frozenset[Any],
    *,
    static_shapes: bool = False,
) -> Specialisation:
    """Compile for arguments like these; what has to be static is found out on the way."""
    while True:
        static_shapes = static_shapes or SHAPES in statics
        described = describe(
            args, kwargs, origin.signature, statics, static_shapes=static_shapes
        )
        try:
            lowered = lower(
                origin.request,
                described.args,
                described.kwargs,
                statics,
                static_shapes=static_shapes,
            )
        except NeedsSpecialisation as needed:
            more = statics | frozenset(needed.paths)
            if more == statics:
                raise InternalError(f"lowering asks again for {needed.paths}") from None
            statics = more
            continue
        except ShapeError:
            # What was taken for granted about lengths may be at fault.
            if static_shapes:
                raise
            with suppress(SymgradError):
                return specialise(origin, args, kwargs, statics | {SHAPES})
            raise
        trees = described.args, described.kwargs
        admit = _admit(origin.shape, *trees, lowered)
        if static_shapes or admit(*args, **kwargs) is not None:
            break
        more = statics | taken_for_granted(lowered, trees, args, kwargs)
        static_shapes = more == statics
        statics = more
    try:
        program = _program(origin, lowered)
    except UnknownLengthError:
        if static_shapes:
            raise
        return specialise(origin, args, kwargs, statics | {SHAPES})
    program = _dressed(origin, lowered, program)
    return Specialisation(
        key=key_text(described.args, described.kwargs),
        signature=origin.signature,
        args=described.args,
        kwargs=described.kwargs,
        statics=statics,
        lowered=lowered,
        program=program,
        admit=admit,
    )


def _dressed(origin: Origin, lowered: Lowered, program: Program) -> Program:
    """The program with what has to be done around its call."""
    if lowered.stored and not origin.request.option(ALIASES):
        name = getattr(origin.request.fun, "__name__", lowered.function.name)
        captured = frozenset(capture.name for capture in lowered.captures)
        call = apart(program.call, lowered.stored, name, origin, captured)
        program = replace(program, call=call)
    if lowered.unwinds:
        program = replace(program, call=unwinding(program.call))
    if lowered.changed:
        program = replace(program, call=each_once(program.call, lowered.changed))
    finish = origin.request.option("finish")
    if finish is not None:
        program = replace(program, call=finish(program.call, lowered))
    elif lowered.assigned and program.back is None:
        program = replace(program, call=assigning(program.call, lowered.assigned))
    if lowered.tells:
        program = replace(program, call=telling(program.call))
    return program


def _program(origin: Origin, lowered: Lowered) -> Program:
    function, module = lowered.function, origin.module
    returns = isinstance(function.returns, Node) and bool(function.returns.children)
    if origin.request.kind not in ("vjp", "linearize") or not returns:
        return build(function, module, debug=origin.debug)
    back_again = origin.request.kind == "vjp"
    suffix = "backward" if back_again else "linear"
    changes = bool(lowered.assigned)
    halves = build_halves(function, module, suffix, changes=changes, debug=origin.debug)
    there, back = halves
    name = getattr(origin.request.fun, "__name__", function.name)
    pair = paired if back_again else linearized
    part = Part(back, f"{'pullback' if back_again else 'linear part'} of {name}")
    forward = assigning(there.call, lowered.assigned) if lowered.assigned else there.call
    return replace(there, call=pair(forward, part, name), back=back)


def _admit(
    shape: CallShape, args: tuple[Any, ...], kwargs: Mapping[str, Any], lowered: Lowered
) -> Callable[..., dict[str, Any] | None]:
    names = Namespace.avoiding(shape.names)
    checks = checks_of(names, shape, args, kwargs, lowered)
    ok = names.prefix + "ok"
    lines = [f"def admit({shape.parameters(names)}):"]
    lines += [
        f"    {line}"
        for line in checks.branch(names.name(GONE), ok, f"return {checks.record}")
    ]
    return compiled_text([*lines, "    return None"], "admit", names)


def key_text(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """The kinds of arguments, for people."""
    parts = [_tree_text(tree) for tree in args]
    parts += [f"{name}={_tree_text(tree)}" for name, tree in kwargs.items()]
    return f"({', '.join(parts)})"


def _tree_text(tree: Any) -> str:
    if not isinstance(tree, Node):
        return str(tree.type)
    if tree.kind == "static":
        return getattr(tree.value, "__name__", None) or repr(tree.value)
    inside = [_tree_text(child) for child in tree.children]
    if tree.keys:
        inside = [f"{key}: {text}" for key, text in zip(tree.keys, inside, strict=True)]
    name = tree.cls.__name__ if tree.cls is not None else tree.kind
    return f"{name}({', '.join(inside)})"
