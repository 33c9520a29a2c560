"""The user's signature, as the dispatcher needs it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .conditions import Conditions, Namespace

POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


@dataclass(frozen=True, slots=True)
class CallShape:
    """Which parameters a call has. Without a signature, ``*args, **kwargs``."""

    positional: tuple[inspect.Parameter, ...]
    star: str
    keyword_only: tuple[inspect.Parameter, ...]
    double_star: str
    only: int

    @classmethod
    def of(cls, signature: inspect.Signature | None) -> CallShape:
        """The shape of calls of a function with this signature."""
        if signature is None:
            return cls((), "args", (), "kwargs", 0)
        given = tuple(signature.parameters.values())
        kinds = inspect.Parameter
        star = [p.name for p in given if p.kind is kinds.VAR_POSITIONAL]
        double = [p.name for p in given if p.kind is kinds.VAR_KEYWORD]
        return cls(
            tuple(p for p in given if p.kind in POSITIONAL),
            star[0] if star else "",
            tuple(p for p in given if p.kind is kinds.KEYWORD_ONLY),
            double[0] if double else "",
            sum(p.kind is kinds.POSITIONAL_ONLY for p in given),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter's name."""
        listed = [p.name for p in (*self.positional, *self.keyword_only)]
        return tuple(listed + [s for s in (self.star, self.double_star) if s])

    def parameters(self, names: Namespace) -> str:
        """The parameter list, defaults by reference."""
        parts = []
        for position, p in enumerate(self.positional):
            parts.append(_with_default(p, names))
            if position + 1 == self.only:
                parts.append("/")
        if self.star:
            parts.append(f"*{self.star}")
        elif self.keyword_only:
            parts.append("*")
        parts += [_with_default(p, names) for p in self.keyword_only]
        if self.double_star:
            parts.append(f"**{self.double_star}")
        return ", ".join(parts)

    def packed(self) -> str:
        """The arguments as a tuple and a dict."""
        args = "".join(f"{p.name}, " for p in self.positional)
        args += f"*{self.star}, " if self.star else ""
        kwargs = "".join(f"{p.name!r}: {p.name}, " for p in self.keyword_only)
        kwargs += f"**{self.double_star}" if self.double_star else ""
        return f"({args}), {{{kwargs}}}"

    def forwarded(self, more: str = "") -> str:
        """The arguments for a function of the same signature, ``more`` after them."""
        text = "".join(f"{p.name}, " for p in self.positional)
        text += f"*{self.star}, " if self.star else ""
        text += "".join(f"{p.name}={p.name}, " for p in self.keyword_only)
        text += more
        text += f"**{self.double_star}, " if self.double_star else ""
        return text.removesuffix(", ")

    def bind(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], name: str
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in the form that a call of ``name`` is compiled in: by position where
        that is possible, defaults filled in.

        Raises:
            TypeError: as Python would.
        """
        names = Namespace.avoiding(self.names)
        scope = names.objects
        text = f"lambda {self.parameters(names)}: ({self.packed()})"
        binder = eval(text, scope)
        binder.__qualname__ = name
        bound: tuple[tuple[Any, ...], dict[str, Any]] = binder(*args, **kwargs)
        return bound

    def conditions(
        self, conditions: Conditions, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        """The conditions on a call for it to be like the described arguments."""
        fixed = len(self.positional)
        for p, tree in zip(self.positional, args[:fixed], strict=True):
            conditions.tree(tree, p.name)
        if self.star:
            rest = args[fixed:]
            conditions.terms.append(f"len({self.star}) == {len(rest)}")
            for position, tree in enumerate(rest):
                conditions.tree(tree, f"{self.star}[{position}]")
        named = {p.name for p in self.keyword_only}
        for p in self.keyword_only:
            conditions.tree(kwargs[p.name], p.name)
        if self.double_star:
            extra = tuple(name for name in kwargs if name not in named)
            keys = conditions.namespace.name(extra)
            conditions.terms.append(f"tuple({self.double_star}) == {keys}")
            for name in extra:
                conditions.tree(kwargs[name], f"{self.double_star}[{name!r}]")


def _with_default(p: inspect.Parameter, names: Namespace) -> str:
    if p.default is inspect.Parameter.empty:
        return p.name
    return f"{p.name}={names.name(p.default)}"
