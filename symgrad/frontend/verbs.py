"""symgrad's own functions that do their work where they are called, ``sg.jvp`` and the like.

The front end knows such a function by its attribute ``__symgrad_verb__``, a name in ``VERBS``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Verb = Callable[..., Any]
"""``verb(m, node, *args, **kwargs)``, on abstract values."""

VERBS: dict[str, Verb] = {}


def verb(name: str) -> Callable[[Verb], Verb]:
    """Decorator: this function lowers calls of the verb called ``name``."""

    def register(function: Verb) -> Verb:
        VERBS[name] = function
        return function

    return register


def verb_of(function: Any) -> Verb | None:
    """What lowers calls of ``function``, if it is a verb."""
    name = getattr(function, "__symgrad_verb__", None)
    return VERBS.get(name) if isinstance(name, str) else None
