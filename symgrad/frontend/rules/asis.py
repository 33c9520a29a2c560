"""Rules of the user's that cannot be compiled: they run as they are, by opaque calls.

What they return is typed by trying the forward code out on made-up arguments (``examples``), or
by what the user declares, and checked again at each call (``running``).
"""

from __future__ import annotations

import ast
import copy
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...errors import (
    AliasError,
    CustomRuleError,
    SourceUnavailableError,
    SymgradError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
)
from ...ir.tree import Node, Tree, filled
from ...ir.types import is_inexact
from ...ops.opaque import Due, like
from ...ops.static import NeedsStatic
from ..arguments.examples import examples
from ..arguments.leaftypes import type_of
from ..machine import Machine
from ..names.specialise import argument_paths, shapes_decide
from ..names.static import plain
from ..parts import skeleton
from ..values import Record, new_dict, new_list
from .opaque import call_opaque
from .running import (
    RunsBackward,
    RunsForward,
    RunsTangent,
    due_of,
    marked,
    parts_of,
    text_of,
)

T = TypeVar("T")
LOG = logging.getLogger("symgrad")
UNCOMPILABLE = (
    AliasError,
    SourceUnavailableError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
)


def attempt(
    m: Machine,
    what: str,
    compiled: Callable[[], T],
    as_is: Callable[[Exception], T],
) -> T:
    """What ``compiled`` gives; if what it lowers cannot be compiled, what ``as_is`` gives for
    the reason."""
    state = m.checkpoint()
    try:
        return compiled()
    except UNCOMPILABLE as error:
        reason: Exception = error
    except NeedsStatic as needed:
        if argument_paths(m, needed.value, floats=True) or shapes_decide(m, needed.value):
            raise
        reason = UnsupportedSyntaxError("needs a runtime value when compiling", needed.span)
    m.restore(state)
    LOG.info("%s runs as it is: %s", what, reason)
    return as_is(reason)


def ordinary(m: Machine, function: Any, reason: Exception) -> Any:
    """A function that can be called at run time.

    Raises:
        Exception: ``reason``, where there is none.
    """
    try:
        return plain(m, function)
    except LookupError:
        raise reason from None


OUTSIDE = (
    "it would run as it is, but is given a function or an object that exists while compiling "
    "only: define that outside of what is compiled, and pass what it reads as arguments"
)


def _taken(m: Machine, x: Any, leaves: list[Any], reason: Exception) -> Tree:
    try:
        return skeleton(m, x, leaves)
    except LookupError:
        message = str(getattr(reason, "message", reason))
        if not message.endswith(
            OUTSIDE
        ):  # as it does if a rule calls the one that is given it
            message = f"{message}; {OUTSIDE}"
        raise UnsupportedFunctionError(message, getattr(reason, "span", None)) from None


# ------------------------------------------------------------------------------- forward
@dataclass(frozen=True, slots=True)
class AsIs:
    """The output of forward code, what it saved as one runtime object, what it saved when
    tried out, and positions of the outputs that it marked as not differentiable."""

    out: Any
    saved: Any
    kept: Any
    marks: tuple[int, ...]


def forward_as_is(
    m: Machine,
    node: ast.AST,
    name: str,
    run: Callable[..., Any],
    args: tuple[Any, ...],
    reason: Exception,
    declared: Callable[..., Any] | None = None,
    *,
    saves: bool = True,
    ruled: bool = True,
) -> AsIs:
    """A call of ``run(*args)``, which gives ``(output, saved)``.

    Args:
        declared: says what the output is like instead of trying; see ``Function.shape``.
        saves: whether there is anything saved.
        ruled: whether a rule called ``name`` gives its derivative.
    """
    leaves: list[Any] = []
    takes = _taken(m, args, leaves, reason)
    given: list[Any] = []
    apart = declared is not None
    try:
        values = examples(m, leaves, apart=apart)
        out, kept = _tried(m, node, name, run, takes, values, reason, declared)
    except _Failed:  # these lengths may not go together, or have to be others
        apart, values = False, examples(m, leaves, apart=not apart)
        out, kept = _tried(m, node, name, run, takes, values, reason, declared)
    gives = parts_of(out, given)
    results = tuple(due_of(x, values if apart else ()) for x in given)
    marks = marked(kept, given)
    callee = RunsForward(name, run, takes, gives, results, marks, saves)
    dues: tuple[Due, ...] = (*results, ("object", "saved")) if saves else results
    found = call_opaque(
        m,
        node,
        callee,
        leaves,
        dues,
        name=f"{name}_forward",
        rule=name if ruled else "",
        hint=name.lower(),
        effect=False,
    )
    return AsIs(_abstract(gives, found), found[-1] if saves else None, kept, marks)


class _Failed(CustomRuleError):
    """Code does not run on made-up arguments."""


def _tried(
    m: Machine,
    node: ast.AST,
    name: str,
    run: Callable[..., Any],
    takes: Tree,
    values: Sequence[Any],
    reason: Exception,
    declared: Callable[..., Any] | None,
) -> Any:
    before = copy.deepcopy(list(values))
    args = filled(takes, values)
    try:
        with np.errstate(all="ignore"):
            if declared is not None:
                return _arrays(declared(*args)), None
            found = run(*args)
    except SymgradError:
        raise
    except Exception as error:
        raise _Failed(
            f"the forward code of `{name}` cannot be compiled, and trying it out on made-up "
            f"arguments to see what it returns gives {type(error).__name__}: {error}. Say what "
            "it returns with a static method `shape(*args)`, such as `return "
            f"sg.spec(x.shape)`.\nWhy it cannot be compiled: {reason}",
            m.span(node),
        ) from error
    if not isinstance(found, tuple) or len(found) != 2:
        raise CustomRuleError(
            f"the forward rule of `{name}` has to return (output, what to save), got "
            f"{text_of(found)}",
            m.span(node),
        )
    if not all(map(np.array_equal, values, before)):
        raise CustomRuleError(
            f"`{name}` changes an argument in place and cannot be compiled: change a copy, and "
            f"return that.\nWhy it cannot be compiled: {reason}",
            m.span(node),
        )
    return found


def _arrays(x: Any) -> Any:
    """Specs as arrays."""
    if isinstance(x, tuple):
        return tuple(map(_arrays, x))
    return x.placeholder() if hasattr(x, "placeholder") else x


def _abstract(tree: Tree, leaves: Sequence[Any]) -> Any:
    """The abstract value of a structure."""
    if not isinstance(tree, Node):
        return leaves[tree]
    if tree.kind == "static":
        return tree.value
    children = [_abstract(child, leaves) for child in tree.children]
    if tree.kind == "tuple":
        return tuple(children)
    if tree.kind == "list":
        return new_list(children)
    if tree.kind == "dict":
        return new_dict(dict(zip(tree.keys, children, strict=True)))
    if tree.kind == "namedtuple":
        return tree.cls(*children)
    return Record(tree.cls, dict(zip(tree.keys, children, strict=True)))


# ------------------------------------------------------------------------------ backward
def backward_as_is(
    m: Machine,
    node: ast.AST,
    name: str,
    text: str,
    run: Callable[..., Any],
    given: tuple[Any, ...],
    primals: Sequence[tuple[Any, str]],
    reason: Exception,
    function: bool,
    left: int = 0,
) -> list[Any]:
    """A gradient for each inexact leaf of the primals.

    Args:
        name: of the rule; ``text`` is what to call its backward in messages.
        run: takes what ``given`` describes.
        primals: arguments that have gradients, each with its text.
        function: whether one gradient may be returned without a tuple.
        left: how many arguments the call has left at their defaults.
    """
    leaves: list[Any] = []
    takes = _taken(m, given, leaves, reason)
    listed, dues = [], []
    for x, words in primals:
        start = len(leaves)
        listed.append((_taken(m, x, leaves, reason), words))
        for position in range(start, len(leaves)):
            kind = type_of(leaves[position])
            if is_inexact(kind):
                dues.append(like(kind, position))
    if not dues:
        return []
    callee = RunsBackward(text, function, run, takes, tuple(listed), left)
    called = f"{name}_backward"
    return call_opaque(m, node, callee, leaves, dues, name=called, rule=name, effect=False)


def tangents_as_is(
    m: Machine,
    node: ast.AST,
    name: str,
    text: str,
    run: Callable[..., Any],
    given: tuple[Any, ...],
    outs: Sequence[Any],
    moving: Sequence[int],
    reason: Exception,
) -> list[Any]:
    """A tangent for each output in ``moving``."""
    leaves: list[Any] = []
    takes = _taken(m, given, leaves, reason)
    start = len(leaves)
    leaves += outs
    dues = tuple(like(type_of(outs[i]), start + i) for i in moving)
    callee = RunsTangent(text, run, takes, len(outs), tuple(moving), dues)
    called = f"{name}_jvp"
    return call_opaque(m, node, callee, leaves, dues, name=called, rule=name, effect=False)


__all__ = ["attempt", "backward_as_is", "forward_as_is", "ordinary", "tangents_as_is"]
