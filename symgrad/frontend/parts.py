"""Abstract values taken apart into runtime leaves, and put together again with others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import NODES
from ..ir.tree import Node, Tree, static
from ..ir.values import Value
from .arguments.lending import lent_at
from .machine import Machine
from .names.static import opened, plain
from .values import (
    Bound,
    Closure,
    DictObject,
    Iteration,
    ListObject,
    Maybe,
    Method,
    Native,
    Partial,
    Range,
    Record,
    Ref,
    Rows,
    new_dict,
    new_list,
)

LEAVES = (Value, Ref, int, float, complex, np.generic)


@dataclass(slots=True)
class Parts:
    """The leaves of ``whole``: runtime values and numbers. ``places`` says where each is;
    ``opaque`` names something in it that cannot leave a block, such as a function; ``listed``:
    there is a list in it whose elements are the rows of one leaf; ``keeping``: the caller's own
    containers stay these."""

    whole: Any
    leaves: list[Any] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    opaque: str | None = None
    values: list[Value] = field(default_factory=list)
    listed: bool = False
    keeping: bool = False

    @property
    def is_container(self) -> bool:
        return isinstance(self.whole, tuple | ListObject | DictObject | Record)


def take_apart(m: Machine, x: Any) -> Parts:
    """The leaves of ``x``, in order."""
    parts = Parts(x if isinstance(x, Maybe) else opened(m, x))
    _collect(m, parts.whole, "", parts)
    return parts


def _collect(m: Machine, x: Any, place: str, parts: Parts) -> None:
    x = x if isinstance(x, Maybe) else opened(m, x)
    if parts.keeping and lent_at(x) is not None:
        return
    if is_leaf(x):
        parts.leaves.append(x)
        parts.places.append(place)
    elif isinstance(x, Closure | Partial | Bound | Method | Native | Range | Iteration):
        parts.opaque = parts.opaque or _OPAQUE[type(x)]
    else:
        parts.listed = parts.listed or isinstance(x, Rows)
        for text, child in children_of(x):
            _collect(m, child, place + text, parts)


_OPAQUE = {
    Closure: "a function",
    Partial: "a function",
    Bound: "a method",
    Method: "a method",
    Native: "a function",
    Range: "a range",
    Iteration: "an iterator",
}


def check_known(verb: str, name: str, result: Parts) -> None:
    """Refuse lists made in loops, where each element would have something of its own."""
    if result.listed:
        raise UnsupportedSyntaxError(
            f"`{verb}` of `{name}`, which returns a list whose length is known at run time only; "
            "return an array (np.stack)"
        )


def is_leaf(x: Any) -> bool:
    """Whether ``x`` is a runtime value or a number."""
    if isinstance(x, bool):
        return False
    return isinstance(x, LEAVES)


def children_of(x: Any) -> list[tuple[str, Any]]:
    """What is in a container, each with the text that leads to it."""
    return list(_children(x))


def kind_of(x: Any) -> str:
    """A container for messages."""
    if isinstance(x, tuple):
        return f"a tuple of {len(x)}"
    if isinstance(x, ListObject):
        return f"a list of {len(x.items)}"
    if isinstance(x, DictObject):
        return f"a dict with the keys {list(x.items)}"
    if isinstance(x, Record):
        return f"a {x.cls.__name__}"
    return repr(x) if x is None or isinstance(x, bool | str) else f"a {type(x).__name__}"


def _children(x: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(x, tuple):
        names = getattr(type(x), "_fields", None)
        for i, child in enumerate(x):
            yield (f"[{i}]" if names is None else f".{names[i]}"), child
    elif isinstance(x, ListObject):
        yield from ((f"[{i}]", child) for i, child in enumerate(x.items))
    elif isinstance(x, DictObject):
        yield from ((f"[{k!r}]", child) for k, child in x.items.items())
    elif isinstance(x, Record):
        known = NODES.get(x.cls, ())
        yield from ((f".{k}", child) for k, child in x.data.items() if k not in known)
    elif isinstance(x, Rows):
        yield "", x.array
    elif isinstance(x, Maybe):
        yield from (("", x.present), ("", x.value))


def skeleton(m: Machine, x: Any, leaves: list[Any]) -> Tree:
    """The structure of ``x`` for ``ir.tree.filled``, its runtime leaves appended to ``leaves``.

    Raises:
        LookupError: it holds something that exists while compiling only.
    """
    x = opened(m, x)
    if isinstance(x, Value | Ref):
        leaves.append(x)
        return len(leaves) - 1
    if not isinstance(x, tuple | ListObject | DictObject | Record):
        return static(plain(m, x))
    if isinstance(x, Record):
        parts = tuple(skeleton(m, child, leaves) for child in x.data.values())
        return Node("object", parts, tuple(x.data), x.cls)
    children = tuple(skeleton(m, child, leaves) for _, child in children_of(x))
    if isinstance(x, ListObject):
        return Node("list", children)
    if isinstance(x, DictObject):
        return Node("dict", children, tuple(x.items))
    fields = getattr(type(x), "_fields", None)
    if fields is None:
        return Node("tuple", children)
    return Node("namedtuple", children, tuple(fields), type(x))


def settled(m: Machine, x: Any, *, keeping: bool = False) -> Parts:
    """The leaves of ``x`` in containers of their own, which stay as they are when changes to
    those of ``x`` are undone. ``keeping``: but for the caller's own, which are handed on."""
    found = Parts(opened(m, x), keeping=keeping)
    _collect(m, found.whole, "", found)
    found.whole = rebuild(m, found, found.leaves)
    return found


def rebuild(m: Machine, parts: Parts, leaves: Sequence[Any]) -> Any:
    """A structure like ``parts.whole``, in new containers, with other leaves."""
    return _rebuilt(m, parts.whole, iter(leaves), parts.keeping)


def _rebuilt(m: Machine, x: Any, leaves: Iterator[Any], keeping: bool) -> Any:
    if keeping and lent_at(x) is not None:
        return x
    if isinstance(x, Maybe):
        present, value = (
            _rebuilt(m, part, leaves, keeping) for part in (x.present, x.value)
        )
        if isinstance(present, Ref):
            raise UnsupportedSyntaxError(
                "a result is None for some of the examples only; return a number, such as "
                "np.nan, in its place"
            )
        return Maybe(present, value)
    x = opened(m, x)
    if is_leaf(x):
        return next(leaves)
    if isinstance(x, tuple):
        items = [_rebuilt(m, child, leaves, keeping) for child in x]
        make = getattr(type(x), "_make", None)
        return tuple(items) if make is None else make(items)
    if isinstance(x, ListObject):
        return new_list(_rebuilt(m, child, leaves, keeping) for child in x.items)
    if isinstance(x, DictObject):
        return new_dict(
            {k: _rebuilt(m, child, leaves, keeping) for k, child in x.items.items()}
        )
    if isinstance(x, Record):
        known = NODES.get(x.cls, ())
        data = {
            k: child if k in known else _rebuilt(m, child, leaves, keeping)
            for k, child in x.data.items()
        }
        return Record(x.cls, data)
    if isinstance(x, Rows):
        return replace(x, array=_rebuilt(m, x.array, leaves, keeping))
    return x
