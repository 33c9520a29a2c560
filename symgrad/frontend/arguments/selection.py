"""Which arguments of a call ``argnums`` and ``argnames`` mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ArgnumsError, SourceUnavailableError
from ...ir.nodes import attributes_of
from ..derivatives.transforming import request_of
from ..machine import Machine
from ..names import fields
from ..names.captures import Found
from ..names.static import opened, unwrap
from ..parts import children_of
from ..requests import Request
from ..values import (
    MISSING,
    Bound,
    Closure,
    DictObject,
    ListObject,
    Partial,
    Record,
    new_dict,
    new_list,
)
from .binding import Parameters, flatten, parameters_of, parameters_of_function


@dataclass(frozen=True, slots=True)
class Selected:
    """An argument to differentiate by: position or keyword, its name, and its value."""

    key: int | str
    name: str
    value: Any

    @property
    def text(self) -> str:
        """The argument, for messages."""
        if isinstance(self.key, str):
            return f"argument `{self.name}`"
        return (
            f"argument {self.key} (`{self.name}`)" if self.name else f"argument {self.key}"
        )


def select(
    m: Machine, request: Request, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Selected, ...], bool]:
    """The arguments chosen by a request, and whether it was one rather than a tuple.

    Raises:
        ArgnumsError: no such argument, or one twice.
    """
    names = positional_names(m, request.fun)
    argnames = request.option("argnames")
    if argnames is not None:
        single = isinstance(argnames, str)
        listed = (argnames,) if single else tuple(argnames)
        return tuple(_by_name(m, n, names, args, kwargs) for n in listed), single
    argnums = request.option("argnums", 0)
    single = isinstance(argnums, int)
    numbers = (argnums,) if single else tuple(argnums)
    chosen = tuple(_by_number(m, n, argnums, names, args, kwargs) for n in numbers)
    if len({c.key for c in chosen}) < len(chosen):
        raise ArgnumsError(f"argnums={argnums!r} names an argument twice")
    return chosen, single


def _by_number(
    m: Machine,
    number: int,
    argnums: Any,
    names: Sequence[str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Selected:
    position = number + len(args) if number < 0 else number
    if not 0 <= position < len(args):
        name = names[number] if -len(names) <= number < len(names) else None
        if name in kwargs:
            raise ArgnumsError(
                f"argument {number} (`{name}`) is passed by keyword; pass it by position, or "
                f"ask for argnames={name!r}"
            )
        count = len(args)
        plural = "" if count == 1 else "s"
        raise ArgnumsError(
            f"argnums={argnums!r} but the call has {count} positional argument{plural}"
        )
    name = names[position] if position < len(names) else ""
    return Selected(position, name, with_objects(m, args[position]))


def _by_name(
    m: Machine,
    name: str,
    names: Sequence[str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Selected:
    if name in kwargs:
        return Selected(name, name, with_objects(m, kwargs[name]))
    if name in names and names.index(name) < len(args):
        position = names.index(name)
        return Selected(position, name, with_objects(m, args[position]))
    given = [*names[: len(args)], *kwargs]
    listed = ", ".join(f"`{n}`" for n in given) or "none"
    raise ArgnumsError(f"argnames names `{name}`, but the call's arguments are {listed}")


def with_objects(m: Machine, x: Any) -> Any:
    """What an argument holds that is found outside, objects of leaves taken apart, too."""
    x = opened(m, x)
    if isinstance(x, Found):
        names = attributes_of(x.value)
        if names is None:
            return x
        return Record(type(x.value), {n: with_objects(m, _read(m, x, n)) for n in names})
    if not isinstance(x, tuple | ListObject | DictObject):
        return x
    children = [child for _, child in children_of(x)]
    made = [with_objects(m, child) for child in children]
    if all(_same(m, new, old) for new, old in zip(made, children, strict=True)):
        return x
    if isinstance(x, DictObject):
        return new_dict(dict(zip(x.items, made, strict=True)))
    if isinstance(x, ListObject):
        return new_list(made)
    return tuple(made) if type(x) is tuple else type(x)._make(made)  # type: ignore[attr-defined]


def _same(m: Machine, new: Any, old: Any) -> bool:
    return new is old or new is opened(m, old)


def _read(m: Machine, owner: Found, name: str) -> Any:
    assigned = fields.read(m, owner, name)
    if assigned is not MISSING:
        return assigned
    return unwrap(m, m.captures.attribute(owner, name).found)


def positional_names(m: Machine, function: Any) -> tuple[str, ...]:
    """Names of the parameters that positional arguments go to; empty where unknown."""
    return tuple(p.name for p in positional_parameters(m, function))


def positional_parameters(m: Machine, function: Any) -> Parameters:
    """The parameters that positional arguments go to; empty where unknown."""
    taken = 0
    hidden: frozenset[str] = frozenset()
    while isinstance(function, Bound | Partial):
        taken += 1 if isinstance(function, Bound) else len(function.args)
        if isinstance(function, Partial):
            hidden |= set(function.kwargs)
        function = function.function
    parameters = _parameters(m, function)
    if parameters is None:
        return ()
    found, more = parameters
    listed = [p for p in found if p.kind.startswith("positional")]
    return tuple(p for p in listed[taken + more :] if p.name not in hidden)


def _parameters(m: Machine, function: Any) -> tuple[Parameters, int] | None:
    """A function's parameters, and how many arguments it already has."""
    if isinstance(function, Closure):
        return parameters_of(function.node.args), 0
    found = function if isinstance(function, Found) else Found(function)
    target = flatten(m.captures, found)
    inner = target.function.value
    request = request_of(inner)
    if request is not None:
        return _parameters(m, request.fun)
    try:
        return parameters_of_function(inner), len(target.args)
    except (TypeError, ValueError, AttributeError, SourceUnavailableError):
        return None
