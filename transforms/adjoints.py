"""The adjoints collected so far in one region of the backward code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.builder import Builder
from ..ir.expr import Expr, lift
from ..ir.rewrite import Env
from ..ir.types import ListType
from ..ir.values import Value
from ..ops.lists import plus
from .rules import conform, zeros


class Adjoints:
    """Old values to their adjoints (values of ``builder``'s region).

    Only active values have one. ``env`` maps old values to the new ones whose type and shape
    the adjoint has to have.
    """

    __slots__ = ("active", "bent", "builder", "env", "found")

    def __init__(self, builder: Builder, env: Env, active: set[Value]) -> None:
        self.builder = builder
        self.env = env
        self.active = active
        self.found: dict[Value, Value] = {}
        self.bent: dict[Any, list[Value]] = {}  # what left a ``bend``

    def child(self, builder: Builder, env: Env) -> Adjoints:
        """For a nested region: starts from what is here."""
        inner = Adjoints(builder, env, self.active)
        inner.found, inner.bent = dict(self.found), self.bent
        return inner

    def add(self, old: Value, contribution: Any, sources: Sequence[Value] = ()) -> None:
        """One more contribution to the adjoint of ``old``, made from the adjoints ``sources``;
        None is zero."""
        if contribution is None or old not in self.active:
            return
        new = self.env.get(old, old)
        have = self.found.get(old)
        if isinstance(old.type, ListType):
            value = lift(self.builder, contribution)
        else:
            value = conform(self.builder, contribution, new)
        doubts = self.builder.doubts
        doubts.note(value, sources)
        if have is not None:
            value = plus(Expr(self.builder, have), Expr(self.builder, value)).value
            doubts.note_sum(value)
        self.put(old, value)

    def put(self, old: Value, adjoint: Value) -> None:
        """Replace the adjoint of ``old``."""
        if (
            not adjoint.name
            and old.name
            and adjoint.op is not None
            and not adjoint.is_constant
        ):
            adjoint.name = f"g_{old.name}"
        self.found[old] = adjoint

    def get(self, old: Value) -> Value:
        """The adjoint of ``old``; zeros where nothing has been added."""
        have = self.found.get(old)
        return have if have is not None else zeros(self.builder, self.env.get(old, old))

    def take(self, old: Value) -> Value | None:
        """The adjoint of ``old``, which is complete and not needed any more."""
        return self.found.pop(old, None)
