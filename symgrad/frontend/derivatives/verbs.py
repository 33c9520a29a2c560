"""symgrad's own functions that do their work where they are called, ``sg.jvp`` and the like.

The front end knows such a function by its attribute ``__symgrad_verb__``, a name in ``VERBS``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import UnsupportedSyntaxError

Verb = Callable[..., Any]
"""``verb(m, node, *args, **kwargs)``, on abstract values."""

VERBS: dict[str, Verb] = {}


def verb(name: str) -> Callable[[Verb], Verb]:
    """Decorator: this function lowers calls of the verb called ``name``."""

    def register(function: Verb) -> Verb:
        VERBS[name] = function
        return function

    return register


@verb("outside")
def _outside(m: Any, node: ast.AST, *args: Any, **kwargs: Any) -> NoReturn:
    """What is for the code around compiled functions."""
    raise UnsupportedSyntaxError(
        f"`{ast.unparse(getattr(node, 'func', node))}` changes objects when it is called: call "
        "it outside of compiled functions; inside, derivatives are taken by `sg.grad`",
        m.span(node),
    )


def verb_of(function: Any) -> Verb | None:
    """What lowers calls of ``function``, if it is a verb."""
    name = getattr(function, "__symgrad_verb__", None)
    return VERBS.get(name) if isinstance(name, str) else None
