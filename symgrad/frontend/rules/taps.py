"""Values that pass through Python functions which are called when the code runs.

``tap`` calls a function on values, ``tap_gradients`` on the gradients of values; ``new_call``
makes an object anew at each run, which such functions may put something into for each other.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...errors import HookError, InternalError, UnsupportedSyntaxError
from ...ir.tree import Node, Tree, filled, static
from ...ir.types import is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, type_of
from ..control.unwinding import Enters, leaves
from ..derivatives.verbs import verb
from ..inline import call_value
from ..machine import Machine
from ..names.static import opened, pinned, plain
from ..parts import skeleton
from ..requests import NeedsSpecialisation
from ..values import Ref, new_dict, new_list
from .opaque import call_opaque
from .running import parts_of, text_of

LOG = logging.getLogger("symgrad")


@dataclass(frozen=True, slots=True, eq=False)
class RunsTap:
    """What generated code calls: a function told about values, the last of which it may
    replace.

    Args:
        title: whose function it is, for messages.
        function: ``function(*observed, passed)``; returns None or a replacement of ``passed``.
        observed: the structures of the arguments before.
        passed: the structure of the argument that may be replaced.
        count: how many values there are in ``passed``.
        flagged: before these there are as many flags, which say whether to show them.
    """

    title: str
    function: Any
    observed: tuple[Tree, ...]
    passed: Tree
    count: int
    flagged: bool = False

    def __call__(self, *values: Any) -> Any:
        own = list(self._own(values))
        given, found = self._run(values)
        if found is not None:
            new = iter(self._fitted(given, found))
            flags = self._flags(values)
            own = [next(new) if flag else x for x, flag in zip(own, flags, strict=True)]
        return own[0] if len(own) == 1 else tuple(own)

    def looks(self, *values: Any) -> Any:
        """The values, where it would be wrong to replace them."""
        own = self._own(values)
        given, found = self._run(values)
        if found is not None and not _is_same(found, given):
            raise HookError(
                f"{self.title} returned something, through which a derivative is taken: that "
                "runs as it is, so what it does to the value is not known. Return None, or "
                "compute it in `forward`"
            )
        return own[0] if len(own) == 1 else own

    def _own(self, values: Sequence[Any]) -> Sequence[Any]:
        return values[len(values) - self.count :]

    def _run(self, values: Sequence[Any]) -> tuple[Any, Any]:
        """What the function is given to replace, and what it returns."""
        seen = [_seen(x) for x in values]
        pairs = zip(self._own(seen), self._flags(values), strict=True)
        given = filled(self.passed, [x if flag else None for x, flag in pairs])
        return given, self.function(*(filled(t, seen) for t in self.observed), given)

    def _flags(self, values: Sequence[Any]) -> Sequence[Any]:
        """Which of the last values the function is given; it gets None for the others."""
        if not self.flagged:
            return (True,) * self.count
        return self._own(values[: len(values) - self.count])

    def _fitted(self, given: Any, found: Any) -> Sequence[Any]:
        """The values in what the function returned.

        Raises:
            HookError: they are not like those that it was given.
        """
        old: list[Any] = []
        new: list[Any] = []
        if parts_of(given, old) != parts_of(found, new):
            raise HookError(
                f"{self.title} returned {text_of(found)}, not something of the structure of "
                f"{text_of(given)}, which it was given"
            )
        for i, (x, before) in enumerate(zip(new, old, strict=True)):
            same = type(x) is type(before)
            if isinstance(before, np.ndarray | np.generic):
                array = isinstance(x, np.ndarray | np.generic)
                same = array and (x.dtype, x.shape) == (before.dtype, before.shape)
            if not same:
                raise HookError(
                    f"{self.title} returned {text_of(x)} as value {i}, in place of "
                    f"{text_of(before)}"
                )
            new[i] = x[()] if isinstance(before, np.generic) else x
        return new


def _is_same(found: Any, given: Any) -> bool:
    """Whether a function returned what it was given."""
    old: list[Any] = []
    new: list[Any] = []
    same = parts_of(given, old) == parts_of(found, new)
    return same and all(a is b for a, b in zip(new, old, strict=True))


def _seen(x: Any) -> Any:
    """An array that cannot be written to."""
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view


# ------------------------------------------------------------------------- when compiling
@verb("new_call")
def new_call(m: Machine, node: ast.AST, cls: Any) -> Any:
    """An instance of ``cls``, made each time the code runs."""
    [made] = call_opaque(
        m, node, pinned(m, cls), (), (("object", "call"),), name="new_call"
    )
    return made


@verb("enter")
def enter(m: Machine, node: ast.AST, function: Any, known: Any, *observed: Any) -> None:
    """From here to the next ``leave``, ``function(*known, *observed)`` is called if the code
    raises."""
    run = partial(_outside(m, node, function), *(pinned(m, x) for x in opened(m, known)))
    front: list[Any] = []
    trees = tuple(skeleton(m, x, front) for x in observed)
    call_opaque(m, node, Enters(run, trees), front, ("bool",), name="enter")
    m.unwinds = True


@verb("leave")
def leave(m: Machine, node: ast.AST) -> None:
    """The end of the stretch that the last ``enter`` began."""
    call_opaque(m, node, leaves, (), ("bool",), name="leave")


@verb("tap")
def tap(
    m: Machine,
    node: ast.AST,
    title: Any,
    function: Any,
    known: Any,
    passed: Any,
    *observed: Any,
    compiled: Any = False,
) -> Any:
    """``passed``, or what ``function(*known, *observed, passed)`` returns if not None. With
    ``compiled`` the function is compiled if it can be; else, or if not, it is called when the
    code runs."""
    title, fixed = str(pinned(m, title)), [pinned(m, x) for x in opened(m, known)]

    def inlined() -> Any:
        found = call_value(m, node, function, (*opened(m, known), *observed, passed), {})
        return passed if found is None else found

    def as_is() -> Any:
        run = partial(_outside(m, node, function), *fixed)
        front: list[Any] = []
        trees = tuple(skeleton(m, x, front) for x in observed)
        return _tapped(m, node, title, run, trees, front, passed)

    if compiled is not True:
        return as_is()
    state = m.checkpoint()
    try:
        return inlined()
    except (InternalError, NeedsSpecialisation):
        raise
    except Exception as error:
        # Whatever is wrong with it, it will say so when it runs.
        m.restore(state)
        LOG.info("%s runs as it is: %s", title, error)
        return as_is()


def _outside(m: Machine, node: ast.AST, function: Any) -> Any:
    """A function that can be called when the code runs.

    Raises:
        UnsupportedSyntaxError: it was made by the function that is being compiled.
    """
    try:
        return plain(m, function)
    except LookupError:
        raise UnsupportedSyntaxError(
            "this function is called as it is when the code runs: define it outside of the "
            "function that is compiled",
            m.span(node),
        ) from None


def _tapped(
    m: Machine,
    node: ast.AST,
    title: str,
    run: Any,
    trees: tuple[Tree, ...],
    front: list[Any],
    passed: Any,
) -> Any:
    leaves: list[Any] = []
    tree = skeleton(m, passed, leaves)
    callee = RunsTap(title, run, trees, tree, len(leaves))
    if not leaves:
        nothing = RunsTap(title, run, trees, tree, 0)
        call_opaque(m, node, partial(_looked, nothing), front, ("bool",), name=_name(title))
        return passed
    values = [as_value(m, x) for x in (*front, *leaves)]
    op = m.builder.append(
        "tap", (m.captures.callee(callee, _name(title)), *values), {"passed": len(leaves)}
    )
    return _abstract(m, tree, [m.wrap(v) for v in op.results])


def _looked(callee: RunsTap, *values: Any) -> bool:
    callee.looks(*values)
    return True


@verb("tap_gradients")
def tap_gradients(
    m: Machine,
    node: ast.AST,
    title: Any,
    function: Any,
    known: Any,
    call: Any,
    passed: Any,
    watched: Any = (),
) -> Any:
    """The tuple ``passed``; its gradients pass through ``function(*known, call, flows, grads)``,
    ``flows`` saying of each part of ``watched`` whether it has a gradient, ``grads`` having None
    for what is no array."""
    parts, other = opened(m, passed), opened(m, watched)
    own = [x if has_gradient(x) else None for x in parts]
    moving = [as_value(m, x) for x in own if x is not None]
    others = [as_value(m, x) for x in other if has_gradient(x)]
    if not moving:
        return passed
    place = iter(range(len(moving)))
    tree = Node("tuple", tuple(static(None) if x is None else next(place) for x in own))
    numbers = iter(range(1, 1 + len(others)))
    flows = Node(
        "tuple", tuple(next(numbers) if has_gradient(x) else static(False) for x in other)
    )
    run = partial(_outside(m, node, function), *(pinned(m, x) for x in opened(m, known)))
    callee = RunsTap(str(pinned(m, title)), run, (0, flows), tree, len(moving), True)
    op = m.builder.append(
        "tap_gradient",
        (
            m.captures.callee(callee, _name(callee.title)),
            as_value(m, call),
            *others,
            *moving,
        ),
        {"passed": len(moving), "watched": len(others)},
    )
    results = iter(m.wrap(v) for v in op.results)
    return tuple(
        x if mine is None else next(results) for x, mine in zip(parts, own, strict=True)
    )


def _name(title: str) -> str:
    """What generated code calls a function: ``linear_forward_hook`` for "a forward hook of
    Linear"."""
    kind, _, owner = title.removeprefix("a ").partition(" of ")
    text = re.sub(r"\W", "_", f"{owner.lower()}_{kind}".strip("_"))
    return text if text.isidentifier() else "hook"


def has_gradient(x: Any) -> bool:
    """Whether a value is one that derivatives are about."""
    return isinstance(x, Value | Ref) and is_inexact(type_of(x))


def _abstract(m: Machine, tree: Tree, values: Sequence[Any]) -> Any:
    """The abstract value of a structure."""
    if not isinstance(tree, Node):
        return values[tree]
    if tree.kind == "static":
        return tree.value
    children = [_abstract(m, child, values) for child in tree.children]
    if tree.kind == "tuple":
        return tuple(children)
    if tree.kind == "list":
        return new_list(children)
    if tree.kind == "namedtuple":
        return tree.cls._make(children)
    if tree.kind == "dict":
        return new_dict(dict(zip(tree.keys, children, strict=True)))
    raise InternalError(f"a {tree.kind} passes through a tap")


__all__ = ["RunsTap", "enter", "has_gradient", "leave", "new_call", "tap", "tap_gradients"]
