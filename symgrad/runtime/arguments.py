"""The arguments of a call beside the IR they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Dimension, Sym, as_symbol, substitute
from ..ir.tree import Node
from ..ir.types import ArrayType

if TYPE_CHECKING:
    from ..ir.values import Function, Value
    from .compiled import CompiledFunction
    from .specialise import Specialisation


@dataclass(frozen=True, slots=True)
class BoundCall:
    """A specialisation, and what the parameters of its function are in one call."""

    made: Specialisation
    values: dict[Value, Any]

    @property
    def plain(self) -> Function:
        """The IR with derivatives written out and cleaned, values not yet in place."""
        from .pipeline import FINISH, stages

        found = self.made.program.initial
        last = {step.__name__ for step in FINISH}
        for name, function in stages(found):
            if name in last:
                break
            found = function
        return found

    def flat(self, function: Function) -> list[Any]:
        """The arguments in the order of the parameters."""
        return [self.values[p] for p in function.params]

    @property
    def lengths(self) -> dict[Sym, Dimension]:
        """What the symbols of the parameters' lengths are in this call."""
        found: dict[Sym, Dimension] = {}
        for param, value in self.values.items():
            if param.dim is not None and (single := as_symbol(param.dim)) is not None:
                found[single] = int(value)
            if isinstance(param.type, ArrayType):
                for d, n in zip(param.type.shape, np.shape(value), strict=True):
                    if (single := as_symbol(d)) is not None:
                        found[single] = n
        return found


def bound_call(
    compiled: CompiledFunction, args: Any, kwargs: Mapping[str, Any]
) -> BoundCall:
    """The call of ``compiled`` with these arguments, which is not made."""
    from .trees import placeholders

    args, kwargs = placeholders((args, dict(kwargs)))
    dispatcher = compiled._dispatch()
    name, shape = compiled._title(), dispatcher.origin.shape
    bound_args, bound_kwargs = shape.bind(args, kwargs, name)
    made, captured = dispatcher.find(bound_args, bound_kwargs)
    values: dict[Value, Any] = {}
    given = iter(bound_args)
    for argument in made.program.initial.arguments:
        if argument.capture is not None:
            whole = captured[argument.name]
        elif argument.name in bound_kwargs:
            whole = bound_kwargs[argument.name]
        else:
            whole = next(given)
        values.update(_placed(argument.tree, whole))
    return BoundCall(made, values)


def _placed(tree: Any, whole: Any) -> Iterator[tuple[Value, Any]]:
    if not isinstance(tree, Node):
        yield tree, whole
        return
    for position, child in enumerate(tree.children):
        how, key = tree.access(position)
        yield from _placed(child, getattr(whole, key) if how == "attr" else whole[key])


def known(d: Dimension, lengths: Mapping[Sym, Dimension]) -> int | None:
    """A length as a number, if that can be said."""
    found = substitute(d, lengths)  # type: ignore[arg-type]
    return found if isinstance(found, int) else None


__all__ = ["BoundCall", "bound_call", "known"]
