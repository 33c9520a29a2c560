"""Objects that a function finds around it: methods that say what is in them, which are run when
compiling, and calls with other arrays in place of theirs.

A method with the attribute ``__symgrad_now__`` depends only on how objects hang together, such
as ``model.parameters()``: what it returns is compared at each call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...errors import CallError, UnsupportedSyntaxError
from ..derivatives.verbs import verb
from ..inline import call_value
from ..machine import Machine
from ..requests import Place
from ..unpacking import spread_items
from ..values import CAPTURED, Bound, DictObject, Fields, ListObject, new_list
from .captures import Found
from .specialise import need
from .static import opened, unwrap


def listed(
    m: Machine, node: ast.AST, f: Bound, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """What a method that is run when compiling returns; an iterator becomes a list."""
    owner = f.receiver if isinstance(f.receiver, Found) else Found(f.receiver)
    what = f"an argument of `{f.function.__name__}`"
    known = tuple(need(m, node, a, what) for a in args)
    named = {k: need(m, node, v, what) for k, v in kwargs.items()}
    found = _run(f.function, owner.value, known, named)
    if m.fields and _has_arrays(found):
        raise UnsupportedSyntaxError(
            f"`{f.function.__name__}` after an attribute of an object has been assigned: "
            "what it would find is not modelled",
            m.span(node),
        )
    place = Place(owner.value) if owner.place is None else owner.place
    m.captures.rely(place, (f.function, known, named, found), _gives_the_same)
    return _abstract(m, found)


def _run(function: Any, owner: Any, args: Any, kwargs: Any) -> Any:
    found = function(owner, *args, **kwargs)
    return list(found) if isinstance(found, Iterator) else found


def _has_arrays(x: Any) -> bool:
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, tuple | list):
        return any(map(_has_arrays, x))
    return isinstance(x, np.ndarray)


def _gives_the_same(owner: Any, expected: tuple[Any, ...]) -> bool:
    function, args, kwargs, before = expected
    return _same(_run(function, owner, args, kwargs), before)


def _same(a: Any, b: Any) -> bool:
    """Whether two results consist of the same objects."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and _same(list(a.values()), list(b.values()))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    return a is b or (isinstance(a, str) and a == b)


def _abstract(m: Machine, x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(_abstract(m, item) for item in x)
    if isinstance(x, list):
        return new_list(_abstract(m, item) for item in x)
    if isinstance(x, np.ndarray) or hasattr(type(x), "__symgrad_static__"):
        label = getattr(x, "name", None) or type(x).__name__.lower()
        return unwrap(m, Found(x, Place(x, label=label)))
    return x


@verb("functional_call")
def functional_call(
    m: Machine, node: ast.AST, model: Any, given: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """``model(*args, **kwargs)`` with what ``given`` has by name in place of what the methods
    ``get_parameter`` and ``get_buffer`` of ``model`` find."""
    entries = opened(m, given)
    if not isinstance(entries, DictObject) or not isinstance(model, Found):
        raise CallError("functional_call takes a module and a dict of arrays by name")
    place = model.place
    assert place is not None
    names = tuple(entries.items)
    replaced = [_target(model.value, name) for name in names]
    m.captures.rely(place, (names, replaced), _has_targets)
    outer = m.overlay, m.opened, m.fields
    new = zip(map(id, replaced), entries.items.values(), strict=True)
    m.overlay, m.opened = {**m.overlay, **dict(new)}, {}
    # What the module is assigned goes to a copy of it, which nobody sees afterwards.
    m.fields = {k: Fields(cell.found, dict(cell.data)) for k, cell in m.fields.items()}
    before = m.heap.mark
    inputs = opened(m, args)
    rest = opened(m, kwargs)
    try:
        positional = spread_items(m, node, inputs) if _is_sequence(inputs) else [inputs]
        named = rest.items if isinstance(rest, DictObject) else {}
        result = call_value(m, node, model, positional, named)
        _check_containers(m, node, before)
        return result
    finally:
        m.overlay, m.opened, m.fields = outer


def _check_containers(m: Machine, node: ast.AST, mark: int) -> None:
    """Refuse changes of lists and dicts, which the copy shares with the module."""
    if any(getattr(c.cell, "owner", "") == CAPTURED for c in m.heap.changes(mark).values()):
        raise UnsupportedSyntaxError(
            "a list or dict of the module is changed in functional_call; return the new value "
            "instead",
            m.span(node),
        )


def _is_sequence(x: Any) -> bool:
    return isinstance(x, tuple | ListObject)


def _target(model: Any, name: str) -> Any:
    for find in (model.get_parameter, model.get_buffer):
        with suppress(AttributeError):
            return find(name)
    raise AttributeError(f"{type(model).__name__} has no parameter or buffer `{name}`")


def _has_targets(model: Any, expected: tuple[tuple[str, ...], list[Any]]) -> bool:
    names, targets = expected
    return all(_target(model, n) is t for n, t in zip(names, targets, strict=True))
