"""Functions that store into an argument: their code counts on the argument sharing no memory
with others, so that is made sure at each call. Where it does, other code is made, for arguments
that lie in memory as these do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import AliasError
from ..frontend.arguments.keys import arrays_in, overlapping
from ..frontend.arguments.together import Alias, Group, grouped, replaced, together
from ..frontend.requests import Path

if TYPE_CHECKING:
    from .specialise import Origin

ALIASES = "aliases"
"""The option that says which arguments share memory."""


def apart(
    call: Callable[..., Any],
    stored: tuple[Path, ...],
    name: str,
    origin: Origin,
    captured: frozenset[str],
) -> Callable[..., Any]:
    """``call``, or other code for arguments that share memory with one that is stored into.

    Args:
        stored: paths of the arguments stored into.
        name: the function's name, for messages.
        captured: names of arguments that are captured arrays.
    """
    known: dict[tuple[Alias, ...], Callable[..., Any]] = {}

    def checked(*args: Any, **kwargs: Any) -> Any:
        found = list(arrays_in(args, ("arg",)))
        found += arrays_in(kwargs, ("kwarg",))
        pairs = overlapping([array for _, array in found])
        if not pairs:
            return call(*args, **kwargs)
        groups: list[Group] = []
        for group in grouped(found, pairs):
            members = [found[i] for i in group]
            if any(path in stored for path, _ in members):
                groups.append(_group(members, stored, name, captured))
        if not groups:
            return call(*args, **kwargs)
        aliases = tuple(a for group in groups for a in group.aliases)
        if aliases not in known:
            known[aliases] = _made(origin, aliases)
        given = {k: v for k, v in kwargs.items() if k not in captured}
        args, given = _with_memory(args, given, groups)
        return known[aliases](*args, **given)

    return checked


def _group(
    members: Sequence[tuple[Path, Any]],
    stored: tuple[Path, ...],
    name: str,
    captured: frozenset[str],
) -> Group:
    outside = any(path[0] == "kwarg" and path[1] in captured for path, _ in members)
    group = None if outside else together(members)
    if group is None:
        one = next(path for path, _ in members if path in stored)
        other = next(path for path, _ in members if path != one)
        raise AliasError(
            f"`{name}` stores into {_text(one)}, which shares memory with {_text(other)}; pass "
            "a copy"
        )
    return group


def _made(origin: Origin, aliases: tuple[Alias, ...]) -> Callable[..., Any]:
    """The function for arguments that lie so."""
    from .dispatch import Dispatcher

    options = (*origin.request.options, (ALIASES, aliases))
    request = replace(origin.request, options=options)
    dispatcher = Dispatcher(replace(origin, request=request), lambda enter: None)
    return lambda *args, **kwargs: dispatcher.enter(*args, **kwargs)


def _with_memory(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], groups: Sequence[Group]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, with the memory of a group in place of the first of it."""
    listed, named = list(args), dict(kwargs)
    for group in groups:
        if group.memory is None:
            continue
        kind, key, *rest = group.aliases[0].leader
        where: Any = listed if kind == "arg" else named
        where[key] = replaced(where[key], tuple(rest), group.memory)
    return tuple(listed), named


def _text(path: Path) -> str:
    where = f"argument {path[1]}" if path[0] == "arg" else f"`{path[1]}`"
    return where + "".join(f"[{key!r}]" for key in path[2:])
