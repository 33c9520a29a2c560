"""The text that tests a call against one specialisation and fetches what it captures."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..frontend import Lowered
from ..frontend.requests import Guard, Place
from .conditions import Conditions, Namespace, is_name
from .signature import CallShape

GONE = (LookupError, AttributeError, ValueError, TypeError)
"""What looking up a captured object raises when it is no longer there."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Conditions on the arguments; captured objects by parameter name, with the text that
    fetches each into a local; conditions on those, on guards and on lengths."""

    arguments: str
    fetches: tuple[tuple[str, str, str], ...]
    rest: str

    @property
    def passed(self) -> str:
        """Captured objects as keyword arguments."""
        return "".join(f"{name}={local}, " for name, local, _ in self.fetches)

    @property
    def record(self) -> str:
        """Captured objects as a dict."""
        return (
            "{" + ", ".join(f"{name!r}: {local}" for name, local, _ in self.fetches) + "}"
        )

    def branch(self, gone: str, ok: str, action: str) -> list[str]:
        """Lines that do ``action`` where everything holds."""
        if not self.fetches and not self.rest:
            return [f"if {self.arguments}:", f"    {action}"]
        return [
            f"if {self.arguments}:",
            "    try:",
            *(f"        {local} = {text}" for _, local, text in self.fetches),
            f"        {ok} = {self.rest or True}",
            f"    except {gone}:",
            f"        {ok} = False",
            f"    if {ok}:",
            f"        {action}",
        ]


def checks_of(
    names: Namespace,
    shape: CallShape,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    lowered: Lowered,
) -> Checks:
    """What a call must satisfy for the code lowered from these argument trees."""
    arguments = Conditions(names)
    shape.conditions(arguments, args, kwargs)
    rest = Conditions(names, [], arguments.symbols)
    fetches = []
    for number, capture in enumerate(lowered.captures):
        local = f"{names.prefix}c{number}"
        fetches.append((capture.name, local, place_text(capture.place, names)))
        rest.leaf(capture.type, local, capture.name, boxed=capture.boxed)
    rest.terms += [_guard_text(guard, names) for guard in lowered.guards]
    rest.lengths(lowered.function)
    return Checks(arguments.text, tuple(fetches), " and ".join(rest.terms))


def place_text(place: Place, names: Namespace) -> str:
    """A place as an expression; ``Place.fetch`` where that is not possible."""
    text = names.name(place.root)
    for kind, key in place.steps:
        if kind == "attr" and is_name(key):
            text += f".{key}"
        elif kind == "item":
            text += f"[{key!r}]" if isinstance(key, str | int) else f"[{names.name(key)}]"
        elif kind == "global" and key in place.root:
            text += f"[{key!r}]"
        elif kind == "type":
            text = f"type({text})"
        else:
            return f"{names.name(place)}.fetch()"
    return text


def _guard_text(guard: Guard, names: Namespace) -> str:
    found, expected = place_text(guard.place, names), names.name(guard.expected)
    if guard.test is operator.is_:
        return f"{found} is {expected}"
    return f"{names.name(guard.test)}({found}, {expected})"


def compiled_text(lines: list[str], name: str, names: Namespace) -> Callable[..., Any]:
    """The function ``name`` defined by ``lines``."""
    scope = dict(names.objects)
    exec(compile("\n".join(lines), f"<symgrad dispatch {name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made
