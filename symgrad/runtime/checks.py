"""The text that tests a call against one specialisation and fetches what it captures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..frontend import Lowered
from ..frontend.names.captures import TEXTS
from ..frontend.requests import Guard, Place
from .conditions import Conditions, Namespace, is_name
from .signature import CallShape

GONE = (LookupError, AttributeError, ValueError, TypeError)
"""What looking up a captured object raises when it is no longer there."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Conditions on the arguments; objects on the way to captured ones, with the text that
    fetches each into a local; captured objects by parameter name, likewise; conditions on
    those, on guards and on lengths."""

    arguments: str
    shared: tuple[tuple[str, str], ...]
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
            *(f"        {local} = {text}" for local, text in self.shared),
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
    ways = Ways(names)
    for capture in lowered.captures:
        ways.count(capture.place)
    for guard in lowered.guards:
        ways.count(guard.place)
    fetches = []
    for number, capture in enumerate(lowered.captures):
        local = f"{names.prefix}c{number}"
        fetches.append((capture.name, local, ways.text(capture.place)))
        rest.leaf(capture, local)
    rest.terms += [_guard_text(guard, ways) for guard in lowered.guards]
    rest.lengths(lowered.function)
    return Checks(arguments.text, ways.shared, tuple(fetches), " and ".join(rest.terms))


class Ways:
    """Expressions that lead to places. What several places have in common on the way is
    fetched once, into a local variable."""

    def __init__(self, names: Namespace) -> None:
        self._names = names
        self._counts: dict[Place, int] = {}
        self._texts: dict[Place, str] = {}
        self._shared: list[tuple[str, str]] = []

    @property
    def shared(self) -> tuple[tuple[str, str], ...]:
        """Variables and what they are, in an order in which they can be assigned."""
        return tuple(self._shared)

    def count(self, place: Place) -> None:
        """Note that there will be a text for ``place``."""
        for length in range(1, len(place.steps) + 1):
            part = Place(place.root, place.steps[:length])
            self._counts[part] = self._counts.get(part, 0) + 1

    def text(self, place: Place) -> str:
        """``place`` as an expression; ``Place.fetch`` where that is not possible."""
        if place in self._texts:
            return self._texts[place]
        if not place.steps:
            return self._names.name(place.root)
        before = Place(place.root, place.steps[:-1])
        text = self._step(place, before)
        if self._counts.get(place, 0) > 1:
            local = f"{self._names.prefix}p{len(self._shared)}"
            self._shared.append((local, text))
            text = local
        self._texts[place] = text
        return text

    def _step(self, place: Place, before: Place) -> str:
        kind, key = place.steps[-1]
        if kind == "type":
            return f"type({self.text(before)})"
        if kind == "attr" and is_name(key):
            return f"{self.text(before)}.{key}"
        if kind == "item":
            plain = isinstance(key, str | int)
            index = repr(key) if plain else self._names.name(key)
            return f"{self.text(before)}[{index}]"
        if kind == "global" and key in place.root:
            return f"{self.text(before)}[{key!r}]"
        return f"{self._names.name(place)}.fetch()"


def _guard_text(guard: Guard, ways: Ways) -> str:
    names = ways._names
    found, expected = ways.text(guard.place), names.name(guard.expected)
    if guard.test in TEXTS:
        return TEXTS[guard.test].format(found=found, expected=expected)
    return f"{names.name(guard.test)}({found}, {expected})"


def compiled_text(lines: list[str], name: str, names: Namespace) -> Callable[..., Any]:
    """The function ``name`` defined by ``lines``."""
    scope = dict(names.objects)
    exec(compile("\n".join(lines), f"<symgrad dispatch {name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made
