"""Lists whose length, or whose elements, are known at run time only: what takes a look at each
element is written out in ``ops/written/lists.py`` and compiled where it is called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from types import FunctionType
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...ir.values import Value
from ...ops.static import NeedsStatic
from ...ops.written import lists as listing
from ..machine import Machine
from ..names.specialise import argument_paths, need
from ..names.static import plain
from ..values import (
    Cell,
    Generator,
    Items,
    ListObject,
    Rows,
    any_runtime,
    is_long,
    new_list,
)
from . import calls as list_calls
from .elements import assign, note_move
from .structure import holes


def call(m: Machine, node: ast.AST, function: Callable[..., Any], *args: Any) -> Any:
    """What a function of ``ops/written/lists.py`` gives."""
    from ..inline import call_python

    assert isinstance(function, FunctionType)
    return call_python(m, node, function, args, {}, library=True)


def hangs_on_data(x: Any) -> bool:
    """Whether ``x`` is a list with something in it that is known at run time only."""
    return is_long(x) or isinstance(x, Rows) or any_runtime(x.items)


def _become(m: Machine, node: ast.AST, xs: ListObject, new: Any) -> None:
    """Give a list the elements of another."""
    if isinstance(new, Rows):
        new = list_calls.listed(m, new)
    note_move(m, xs)
    assign(m, node, xs, new.data["items"])


def _bounds(m: Machine, node: ast.AST, xs: Any, key: slice) -> tuple[Any, Any, int]:
    step = need(m, node, key.step, "the step of a slice of a list")
    step = 1 if step is None else step
    if step < 1:
        raise UnsupportedSyntaxError(
            "a part of a list of unknown length is changed from front to back here: write the "
            "slice with a step of 1 or more",
            m.span(node),
        )
    size = list_calls.length(m, xs)
    ends = []
    for end, default in ((key.start, 0), (key.stop, size)):
        ends.append(default if end is None else call(m, node, listing.bound, size, end))
    return ends[0], ends[1], step


def put_slice(m: Machine, node: ast.AST, xs: ListObject, key: slice, items: Any) -> None:
    """``xs[a:b] = items``."""
    start, stop, step = _bounds(m, node, xs, key)
    if step == 1:
        _become(m, node, xs, call(m, node, listing.spliced, xs, start, stop, items))
    else:
        _become(m, node, xs, call(m, node, listing.set_each, xs, start, stop, step, items))


def delete(m: Machine, node: ast.AST, xs: ListObject, key: Any) -> None:
    """``del xs[key]``."""
    if isinstance(key, slice):
        start, stop, step = _bounds(m, node, xs, key)
        _become(m, node, xs, call(m, node, listing.without, xs, start, stop, step))
        return
    place = call(m, node, listing.position, list_calls.length(m, xs), key)
    list_calls.pop(m, node, xs, place)


def remove(m: Machine, node: ast.AST, xs: ListObject, x: Any) -> None:
    """``xs.remove(x)``."""
    place = call(m, node, listing.first_of, xs, x)
    if is_long(xs):
        list_calls.pop(m, node, xs, place)
        return
    at = need(m, node, place, "which element is removed")
    m.heap.write(xs, "items", (*xs.items[:at], *xs.items[at + 1 :]))


def sort(
    m: Machine, node: ast.AST, xs: ListObject, *, key: Any = None, reverse: Any = False
) -> None:
    """``xs.sort()``."""
    _become(m, node, xs, in_order(m, node, xs, key, reverse))


def known_order(m: Machine, keys: Sequence[Any], down: bool) -> list[int] | None:
    """The order by keys that are known when compiling, or tell apart before a value that is
    not; None where it hangs on data. Integer arguments are asked for.

    Raises:
        NeedsStatic: with the integer that decides.
    """

    def compared(i: int, j: int) -> int:
        if _is_before(m, keys[i], keys[j]):
            return -1
        return int(_is_before(m, keys[j], keys[i]))

    try:
        return sorted(range(len(keys)), key=cmp_to_key(compared), reverse=down)
    except _Undecided:
        return None


class _Undecided(Exception):
    """Which of two values is less is known at run time only."""


def _is_before(m: Machine, x: Any, y: Any) -> bool:
    if isinstance(x, tuple) and isinstance(y, tuple):
        for p, q in zip(x, y, strict=False):
            if p is q or not (_is_before(m, p, q) or _is_before(m, q, p)):
                continue
            return _is_before(m, p, q)
        return len(x) < len(y)
    try:
        return bool(plain(m, x) < plain(m, y))
    except LookupError:
        pass
    for value in (x, y):
        if isinstance(value, Value) and argument_paths(m, value) is not None:
            raise NeedsStatic(value)
    raise _Undecided


def in_order(m: Machine, node: ast.AST, xs: Any, key: Any, reverse: Any) -> Any:
    """``sorted(xs)``."""
    from ..calls import call_any

    down = bool(need(m, node, reverse, "`reverse`"))
    if not is_open(xs):
        keys = [x if key is None else call_any(m, node, key, (x,), {}) for x in xs.items]
        order = known_order(m, keys, down)
        if order is not None:
            return new_list(xs.items[i] for i in order)
        _check_sortable(m, node, xs)
        made = in_order(m, node, list_calls.made_long(m, node, xs), key, reverse)
        made = list_calls.listed(m, made) if isinstance(made, Rows) else made
        return new_list(list_calls.get(m, node, made, i) for i in range(len(xs.items)))
    items = xs.data["items"] if isinstance(xs, ListObject) else None
    tuples = isinstance(items, Items) and isinstance(items.element, tuple)
    if key is None and tuples:
        assert isinstance(items, Items)
        width = len(holes(items.element))
        return call(m, node, listing.sorted_tuples, xs, width, down)
    key = listing.itself if key is None else key
    return call(m, node, listing.sorted_by, xs, key, down)


def _check_sortable(m: Machine, node: ast.AST, xs: ListObject) -> None:
    if any(isinstance(x, Cell) for x in xs.items):
        raise UnsupportedSyntaxError(
            "the order of these objects hangs on data: sort tuples of what is computed of them, "
            "or positions (np.argsort)",
            m.span(node),
        )


def as_list(m: Machine, node: ast.AST, x: Any) -> Any:
    """The elements of anything that can be looped over, in a list."""
    if isinstance(x, Generator):
        from ..control.comprehensions import listed

        return listed(m, x.node, x.iterable)
    if isinstance(x, Rows) or (isinstance(x, ListObject) and not is_long(x)):
        return x
    made = new_list(())
    list_calls.extend(m, node, made, x)
    return made


def is_open(xs: Any) -> bool:
    """Whether the length of a list is known at run time only."""
    return is_long(xs) or isinstance(xs, Rows)


METHODS: dict[str, Callable[..., Any]] = {
    "index": lambda m, node, xs, *args: call(m, node, listing.index, xs, *args),
    "count": lambda m, node, xs, x: call(m, node, listing.count, xs, x),
    "remove": remove,
    "sort": sort,
}

__all__ = [
    "METHODS",
    "as_list",
    "call",
    "delete",
    "hangs_on_data",
    "in_order",
    "is_open",
    "put_slice",
]
