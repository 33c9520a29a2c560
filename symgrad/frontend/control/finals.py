"""``finally`` where the code raises: it runs as it is, with the variables as they are then.

Where nothing raises, what is in ``finally`` is lowered like other code. For the other case the
generated code has a ``try`` of its own, and a variable that knows what to call: it is made anew
wherever a variable that the ``finally`` reads has changed.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.tree import Tree, filled, static
from ...ir.values import Op, Value
from ..arguments.leaftypes import as_value
from ..heap import children
from ..machine import Machine, Region
from ..names.lookup import checked
from ..names.scope import Frame, bound_flag, loaded
from ..parts import skeleton
from ..sources.getsource import Parsed
from ..values import MISSING, DictObject, ListObject, Poison, Record, Ref

_KEYS = count()
_UNBOUND = "_unbound"


@dataclass(frozen=True, slots=True, eq=False)
class Finally:
    """What generated code calls while it runs: gives what is to be called if it raises.

    Args:
        run: the statements, as a function of the variables that they read.
        observed: the structures of these variables.
        own: they work on copies of arrays, as a derivative leaves alone what it is given.
    """

    run: Callable[..., None]
    observed: tuple[Tree, ...]
    own: bool

    def __call__(self, *values: Any) -> Callable[[], None]:
        return partial(self._late, values)

    def _late(self, values: tuple[Any, ...]) -> None:
        if self.own:
            values = tuple(x.copy() if isinstance(x, np.ndarray) else x for x in values)
        self.run(*(filled(tree, values) for tree in self.observed), MISSING)


@dataclass(slots=True, eq=False)
class Watch:
    """A ``try`` whose body is being lowered. ``noted`` has what was last told in a region, with
    the op that tells it; ``made`` the callees by the structures that they take."""

    node: ast.Try
    frame: Frame
    run: Callable[..., None]
    names: tuple[str, ...]
    own: bool
    key: int = field(default_factory=lambda: next(_KEYS))
    noted: dict[Region, tuple[int, Op, Any]] = field(default_factory=dict)
    made: list[tuple[tuple[Tree, ...], Value]] = field(default_factory=list)

    def note(self, m: Machine) -> None:
        """After a statement."""
        _note(m, self)


# ---------------------------------------------------------------------- around the body
def begin(m: Machine, node: ast.Try) -> Watch | None:
    """The start of a ``try``; None if its ``finally`` does nothing that anybody sees where the
    code raises."""
    own = _inside_of_another(m)
    calls = any(_does(n, ast.Call, ast.Raise, ast.Assert) for n in node.finalbody)
    stores = any(_does(n, ast.Subscript, ast.AugAssign) for n in node.finalbody)
    if not calls and (own or not stores):
        return None
    read = loaded_or_changed(node.finalbody)
    names = tuple(sorted(n for n in read if _holder(m.frame, n) is not None))
    unbound = [n for n in names if _value(m.frame, n) is MISSING]
    watch = Watch(node, m.frame, _function(m, node, names, unbound), names, own)
    _note(m, watch, first=True)
    m.builder.append("try_begin", (), {"key": watch.key})
    m.watches.append(watch)
    return watch


def end(m: Machine, watch: Watch, *, reached: bool) -> None:
    """The end of the body. What the ``finally`` reads is in use until here."""
    m.watches.remove(watch)
    if reached:
        values = [as_value(m, x) for x in _observed(m, watch)[1]]
        m.builder.append("try_end", values, {"key": watch.key})


def renote(m: Machine) -> None:
    """After a statement: what the ``finally`` blocks around read may have changed."""
    for watch in m.watches:
        watch.note(m)


def _inside_of_another(m: Machine) -> bool:
    """Whether the code does not work on the memory that its caller sees: a derivative."""
    region: Region | None = m.region
    while region is not None and region.parent is not None and not region.always:
        region = region.parent
    return not m.writes_captured or region is None or region.parent is not None


def _does(node: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether there is syntax of these kinds, of subscripts and attributes a store."""
    return any(
        isinstance(n, kinds) and not isinstance(getattr(n, "ctx", None), ast.Load)
        for n in ast.walk(node)
    )


def loaded_or_changed(body: list[ast.stmt]) -> set[str]:
    """Names whose values statements start from."""
    found: set[str] = set()
    for statement in body:
        found |= loaded(statement)
        for n in ast.walk(statement):
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                found.add(n.target.id)
    return found


# ----------------------------------------------------------------------------- variables
def _holder(frame: Frame | None, name: str) -> Frame | None:
    while frame is not None and name not in frame.local:
        frame = frame.parent
    return frame


def _value(frame: Frame, name: str) -> Any:
    """What a variable holds; MISSING too where nobody can say whether it is bound."""
    holder = _holder(frame, name)
    assert holder is not None
    data = holder.scope.data
    bound = data.get(bound_flag(name), True) is True
    return data.get(name, MISSING) if bound else MISSING


def _observed(m: Machine, watch: Watch) -> tuple[tuple[Tree, ...], list[Any]]:
    """The structures of the variables, and their runtime leaves."""
    leaves: list[Any] = []
    trees = []
    for name in watch.names:
        x = _value(watch.frame, name)
        if isinstance(x, bool) or not isinstance(x, int | float | complex):
            trees.append(_tree(m, watch, name, x, leaves))
        else:
            trees.append(len(leaves))
            leaves.append(x)
    return tuple(trees), leaves


def _tree(m: Machine, watch: Watch, name: str, x: Any, leaves: list[Any]) -> Tree:
    if x is MISSING or isinstance(x, Poison):
        return static(MISSING)
    try:
        return skeleton(m, x, leaves)
    except (LookupError, UnsupportedSyntaxError):
        raise UnsupportedSyntaxError(
            f"this `finally` reads `{name}`, whose value exists while compiling only; it runs as "
            "it is where NumPy raises: keep what it reads in arrays and numbers",
            m.span(watch.node.finalbody[0]),
        ) from None


def _note(m: Machine, watch: Watch, *, first: bool = False) -> None:
    state = tuple(_state(watch, _value(watch.frame, name)) for name in watch.names)
    if not first and (_UNKNOWN in state or state == _last(m, watch)):
        return
    for name in watch.names if first else ():
        if isinstance(x := _value(watch.frame, name), Poison):
            checked(m, watch.node, x, name)
    trees, leaves = _observed(m, watch)
    values = [as_value(m, x) for x in leaves]
    callee = next((v for known, v in watch.made if known == trees), None)
    if callee is None:
        name = f"finally_{m.span(watch.node.finalbody[0]).line}"
        callee = m.captures.callee(Finally(watch.run, trees, watch.own), name)
        watch.made.append((trees, callee))
    op = m.builder.append("try_note", (callee, *values), {"key": watch.key})
    watch.noted[m.region] = (len(m.builder.ops) - 1, op, state)


_UNKNOWN = object()


def _state(watch: Watch, x: Any) -> Any:
    """Something that is another where a variable has to be told anew. The caller's memory is
    written in place; of other memory nobody knows whether it is."""
    if x is MISSING or isinstance(x, Poison):
        return _UNKNOWN
    if isinstance(x, Ref):
        given = not watch.own and x.storage.origin in ("argument", "captured")
        content: Any = x.storage if given else x.storage.current
        return (id(content), tuple(view.key for view in x.path))
    parts = children(x) if isinstance(x, tuple | ListObject | DictObject | Record) else ()
    return (id(x), *(_state(watch, part) for part in parts)) if parts else id(x)


def _last(m: Machine, watch: Watch) -> Any:
    """What was told last on the way to here."""
    region: Region | None = m.region
    while region is not None:
        if region in watch.noted:
            place, op, state = watch.noted[region]
            ops = region.builder.ops
            if place < len(ops) and ops[place] is op:
                return state
        region = region.parent
    return None


# ------------------------------------------------------------------------------ the block
def _function(
    m: Machine, node: ast.Try, names: tuple[str, ...], unbound: list[str]
) -> Callable[..., None]:
    """The ``finally`` as a Python function of the variables that it reads, and of what stands
    for those that are not bound."""
    parsed: Parsed = m.frame.parsed
    for inner in node.finalbody:
        for n in ast.walk(inner):
            if isinstance(n, ast.Name) and n.id in m.frame.nonlocals:
                raise UnsupportedSyntaxError(
                    f"a `finally` that uses the nonlocal `{n.id}` cannot be compiled: it runs as "
                    "it is where NumPy raises; keep it in an array",
                    m.span(n),
                )
    arguments = ast.arguments(
        [], [ast.arg(n) for n in (*names, _UNBOUND)], None, [], [], None, []
    )
    first = [_deleted_if_unbound(n) for n in unbound]
    body = [_WithoutAttributes().visit(copy.deepcopy(n)) for n in node.finalbody]
    inner_def = _definition(parsed.name, arguments, [*first, *body])
    cells = parsed.cells
    outer = ast.arguments([], [ast.arg(n) for n in cells], None, [], [], None, [])
    module = ast.Module([_definition("outer", outer, [inner_def])], [])
    for part in (*first, inner_def, *module.body):
        ast.copy_location(part, node.finalbody[0])
    ast.fix_missing_locations(module)
    try:
        code = compile(module, parsed.source.filename, "exec", dont_inherit=True)
    except TypeError:  # what `match` has become is no Python
        raise UnsupportedSyntaxError(
            "a `finally` runs as it is where NumPy raises: this `match` in it cannot be compiled; "
            "write `if`, or match before the `try`",
            m.span(node.finalbody[0]),
        ) from None
    for _ in range(2):
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    closure = tuple(cells[n] for n in code.co_freevars)
    return types.FunctionType(code, parsed.globals, parsed.name, None, closure)


class _WithoutAttributes(ast.NodeTransformer):
    """Attributes of objects from outside are assigned when the code has come to its end, all of
    them or none: not where it raises."""

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        there = all(isinstance(t, ast.Attribute) for t in node.targets)
        return ast.copy_location(ast.Pass(), node) if there else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        there = isinstance(node.target, ast.Attribute)
        return ast.copy_location(ast.Pass(), node) if there else node


def _definition(
    name: str, arguments: ast.arguments, body: list[ast.stmt]
) -> ast.FunctionDef:
    made = ast.parse(f"def {name if name.isidentifier() else 'function'}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = arguments, body
    return made


def _deleted_if_unbound(name: str) -> ast.stmt:
    return ast.parse(f"if {name} is {_UNBOUND}: del {name}").body[0]


__all__ = ["Finally", "begin", "end", "loaded_or_changed", "renote"]
