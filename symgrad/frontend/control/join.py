"""Making one abstract value of two: after a branch, and around a loop.

``generalise`` finds the common structure of two values, a *pattern* in which ``Leaf`` stands
where they differ; ``patterns.py`` works with these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.context import Dims
from ...ir.dims import Dimension, may_be_one
from ...ir.types import (
    BOOL,
    INT,
    ArrayType,
    ListType,
    ObjectType,
    ScalarType,
    Type,
    type_of_constant,
)
from ...ir.values import Value
from ...source import Span
from ..arguments.lending import lent_at
from ..memory import identity
from ..memory.moving import Moving, moving
from ..names import held
from ..names.scope import RESULT
from ..names.static import NUMBERS, same_static
from ..values import (
    MISSING,
    Cell,
    Closure,
    DictObject,
    Items,
    ListObject,
    Maybe,
    Poison,
    Record,
    Ref,
    Rows,
    Storage,
    is_long,
)
from . import kinds
from .awaited import Either, ElementPattern, ListPattern, MaybePattern, Pick, RowsPattern
from .describing import describe, describe_type


@dataclass(slots=True, eq=False)
class Leaf:
    """A runtime value to come. ``storage`` is the memory that an array will be in; ``free``
    are lengths that may change from round to round."""

    type: Type
    storage: Storage | None = None
    free: frozenset[Dimension] = frozenset()


@dataclass(slots=True, eq=False)
class Shell:
    """A list, dict, record or function to be built anew from parts."""

    cell: Any
    parts: dict[Any, Any]
    owner: str


class Conflict(Exception):
    """Two values have no common structure."""


OBJECT = "an object"
"""What stands for a name where the parts of an object are joined."""
RESULT_KEY = "<value>"
"""The name of what an expression gives on the ways of a branch."""
KINDS = ("bool", "int", "float", "complex")


@dataclass(slots=True)
class Joiner:
    """How values are joined at one place.

    Args:
        name: the variable, for messages.
        span: the branch or loop.
        loop: whether the second value is the first's at the end of a round.
        condition: the runtime value that a branch hangs on.
        birth: when the branch or the loop began.
        picking: whether arrays stay what they are, as far as the running code can tell.
        nones: whether a variable may be None in some rounds of a loop only.
        fixed: whether a number that is opened stays known.
        pairs: storages already made for pairs of memory.
        side: which of two kinds it is that is joined, 0 where there is one.
        begun: when that began, of which one side or round is.
    """

    dims: Dims
    name: str
    span: Span | None
    loop: bool
    condition: Value | None = None
    pairs: dict[Any, Storage] = field(default_factory=dict)
    birth: float = 0
    picking: bool = False
    nones: bool = False
    fixed: bool = False
    side: int = 0
    begun: float = inf

    def generalise(self, a: Any, b: Any) -> Any:
        """The pattern of ``a`` (a value or a pattern) and ``b``, or a ``Poison``."""
        for x in (a, b):
            if kinds.of_several(x):
                return Poison(x.error, self.condition, kinds.joined(self, a, b))
        if isinstance(a, Poison):
            return a
        if isinstance(b, Poison):
            if not self.loop or b.candidate is MISSING:
                return b
            return self.generalise(a, b.candidate)
        if a is b and a is MISSING:
            return a
        try:
            if a is MISSING or b is MISSING:
                return self._half_bound(b if a is MISSING else a)
            if self.loop and not self.nones and _only_one_is_none(a, b):
                raise Conflict(f"{describe(a)} and {describe(b)}")
            return self._joined(a, b)
        except Conflict as conflict:
            where = "over the rounds of this loop" if self.loop else "on the two branches"
            what = "this value" if self.name.startswith("<") else f"`{self.name}`"
            from ..lists import keyed

            text = f"{what} is {conflict} {where}: it cannot be one value"
            error = keyed.beside(a, b, UnsupportedSyntaxError(text, self.span))
            if _only_one_is_none(a, b):
                candidate: Any = self._maybe(None if a is None else self.opened(a), b)
            else:
                candidate = kinds.joined(self, a, b)
            return Poison(error, self.condition, candidate)

    def _half_bound(self, x: Any) -> Any:
        pattern = self._placed(x)
        if self.name != OBJECT:
            return pattern
        error = UnsupportedSyntaxError("an attribute is set on one way only", self.span)
        return Poison(error, self.condition, pattern)

    def _placed(self, x: Any) -> Any:
        """The pattern of what a name is bound to on one way only: what is there anyway stays what
        it is, since nobody reads the name where it is not bound."""
        if isinstance(x, tuple):
            return like(x, [self._placed(item) for item in x])
        return x if self._is_there(x) else self.opened(x)

    def opened(self, x: Any) -> Any:
        """The pattern of ``x`` with a leaf wherever a runtime value could be."""
        if isinstance(x, Value):
            return Leaf(x.type)
        if isinstance(x, NUMBERS):
            return x if self.fixed else Leaf(type_of_constant(x))
        if isinstance(x, Ref):
            found = moving(x, x, self.birth, self._new_leaf) if self.picking else None
            return found or Leaf(x.type, self._memory(None, x))
        if isinstance(x, tuple):
            return like(x, [self.opened(item) for item in x])
        if isinstance(x, dict):  # what a dict holds
            return {k: self.opened(v) for k, v in x.items()}
        if isinstance(x, ListObject) and x.is_part:
            return self._element(x, x)
        if isinstance(x, ListObject | DictObject | Record):
            parts = {k: self.opened(v) for k, v in contents(x).items()}
            return Shell(x, parts, MERGED)
        if isinstance(x, Maybe):
            return MaybePattern(Leaf(BOOL), self.opened(x.value))
        if isinstance(x, Rows):
            return RowsPattern(self.opened(x.array), x.kind, x.depth)
        if isinstance(x, held.Choice):
            return held.ChoicePattern(Leaf(INT), x.options)
        if isinstance(x, Closure) and held.parts_of(x):
            return self._closure(None, x, x)
        if kinds.of_several(x):
            return Poison(x.error, x.condition, kinds.opened(self, x.candidate))
        if isinstance(x, Items):
            return ListPattern(x.element, tuple(Leaf(v.type) for v in x.lists), x.memory)
        return x

    def _joined(self, a: Any, b: Any) -> Any:
        if a is None and b is None:
            return None
        if a is None or b is None or isinstance(a, Maybe | MaybePattern):
            return self._maybe(a, b)
        if isinstance(b, Maybe):
            return self._maybe(a, b)
        if isinstance(a, Items | ListPattern) or isinstance(b, Items | ListPattern):
            return self._long(self.opened(a), b)
        if isinstance(a, Rows | RowsPattern):
            return self._rows(a, b)
        if isinstance(a, ElementPattern) or (isinstance(a, ListObject) and a.is_part):
            return a if a is b else self._element(a, b)
        if isinstance(a, Leaf):
            return self._leaf(a, b)
        if isinstance(a, Shell) and isinstance(a.cell, Closure):
            return self._closure(a, a.cell, b)
        if isinstance(a, Shell):
            return self._shell(a, a.cell, a.parts, b)
        if same(a, b):
            return identity.merged(a, b) if isinstance(a, Ref) else a
        if isinstance(a, Ref | Moving | Pick) and isinstance(b, Ref):
            found = self._picked(a, b) or moving(a, b, self.birth, self._new_leaf)
            if found is not None:
                return found
        if isinstance(a, Ref) and isinstance(b, Ref):
            either = self._either(a, b)
            if either is not None:
                return either
            joined, free = self.types(a.type, b.type, frozenset())
            return Leaf(joined, self._memory(a, b), free)
        if isinstance(a, Value | NUMBERS) and isinstance(b, Value | NUMBERS | Ref):
            return self._leaf(Leaf(type_of(a)), b)
        if isinstance(a, Ref) and isinstance(b, Value | NUMBERS):
            storage = self._memory(a, a) if a.type.shape else None
            return self._leaf(Leaf(a.type, storage), b)
        if isinstance(a, tuple) and type(a) is type(b):
            if len(a) != len(b):
                raise Conflict("a tuple of different lengths")
            return like(a, [self._joined(p, q) for p, q in zip(a, b, strict=True)])
        if isinstance(a, dict) and isinstance(b, dict):
            if list(a) != list(b):
                raise Conflict("a dict of different keys")
            return {k: self._joined(p, b[k]) for k, p in a.items()}
        if isinstance(a, ListObject | DictObject | Record):
            return self._shell(None, a, contents(a), b)
        if isinstance(a, Closure) and held.alike(a, b):
            return self._closure(None, a, b)
        options = held.options_joined(a, b, same)
        if options is not None:
            return held.ChoicePattern(Leaf(INT), options)
        raise Conflict(f"{describe(a)} and {describe(b)}")

    def _maybe(self, a: Any, b: Any) -> MaybePattern:
        """What is None or a value, a value or perhaps None."""
        present = a.present if isinstance(a, MaybePattern) else Leaf(BOOL)
        one, other = (x.value if isinstance(x, Maybe | MaybePattern) else x for x in (a, b))
        if a is None or b is None:
            known = other if a is None else one
            stays = isinstance(a, MaybePattern) or self._is_there(known)
            return MaybePattern(present, known if stays else self.opened(known))
        return MaybePattern(present, self._joined(one, other))

    def _is_there(self, x: Any) -> bool:
        """Whether an object or array is older than the branch, and can be named after it."""
        if isinstance(x, Ref):
            lasting = not any(view.operands for view in x.path)
            return lasting and x.storage.birth < self.birth
        return isinstance(x, Cell) and (x.birth < self.birth or self._is_callers(x))

    def _is_callers(self, x: Any) -> bool:
        """Whether a returned container is the caller's own, who tells it from a copy."""
        return self.name in (RESULT, RESULT_KEY) and lent_at(x) is not None

    def _either(self, a: Ref, b: Ref) -> Either | None:
        """One of two arrays of which the code after the branch can say which it is."""
        from ..memory.selected import fits

        if self.condition is None or self.loop or not fits(a, b):
            return None
        from .choices import Chosen, chosen

        parts = [
            x
            if x.storage.birth < self.birth
            else chosen(self, x, self._new_leaf) or self._new_leaf(x.type, x)
            for x in (a, b)
        ]
        if not any(isinstance(part, Ref | Chosen) for part in parts):
            return None
        joint, _ = self.types(a.type, b.type, frozenset())
        assert isinstance(joint, ArrayType)
        return Either(self.condition, (parts[0], parts[1]), (a, b), joint)

    def _picked(self, a: Any, b: Ref) -> Pick | None:
        """Arrays in a container that change places around a loop."""
        from ..memory.selected import pick

        if not self.picking or not self.loop:
            return None
        return pick(self, a, b, self.birth, Leaf)  # type: ignore[no-any-return]

    def _new_leaf(self, kind: Type, x: Ref | None) -> Leaf:
        return Leaf(kind, None if x is None else self._memory(None, x))

    def _long(self, a: Any, b: Any) -> Any:
        if not isinstance(a, ListPattern) or not isinstance(b, Items | ListPattern):
            raise Conflict("a list of known length and one of unknown length")
        if a.element != b.element or a.memory is not b.memory:
            raise Conflict("two lists of unknown length")
        return a

    def _element(self, a: Any, b: Any) -> ElementPattern:
        """A list in a list, the same one at other positions."""
        one = a.one if isinstance(a, ElementPattern) else a
        if not isinstance(b, ListObject) or not b.is_part or not one.beside(b):
            raise Conflict(f"a list in another list and {describe(b)}")
        if one.root.birth > self.begun:
            raise Conflict("a list in one that is not there any more")
        if isinstance(a, ElementPattern):
            return a
        leaves = tuple(Leaf(INT) for _ in one.path)
        return ElementPattern(one, leaves, min(one.birth, b.birth))

    def _rows(self, a: Rows | RowsPattern, b: Any) -> Any:
        if a is b:
            return a
        if not isinstance(b, Rows) or (a.kind, a.depth) != (b.kind, b.depth):
            raise Conflict(f"{describe(a)} and {describe(b)}")
        leaf = self.opened(a.array) if isinstance(a, Rows) else a.leaf
        return RowsPattern(self._leaf(leaf, b.array), a.kind, a.depth)

    def _leaf(self, a: Leaf, b: Any) -> Leaf:
        if not isinstance(b, Value | NUMBERS | Ref):
            raise Conflict(f"{describe_type(a.type)} and {describe(b)}")
        joined, free = self.types(a.type, type_of(b), a.free)
        storage = a.storage
        is_array = isinstance(joined, ArrayType) and joined.shape
        if is_array and storage is None and isinstance(b, Ref):
            storage = self._memory(None, b)
        if not is_array and not isinstance(b, Ref):
            storage = None  # of rank 0 an array here, a number there
        return Leaf(joined, storage, free)

    def _memory(self, a: Any, b: Any) -> Storage:
        """The storage that a joined array lives in: after a branch one for each pair of
        memories, around a loop one for each variable."""
        key: Any = object() if self.loop else (self.side, *map(_memory_key, (a, b)))
        if key not in self.pairs:
            self.pairs[key] = Storage(
                Value(b.type if isinstance(b, Ref) else a.type), "merged"
            )
        return self.pairs[key]

    def _closure(self, known: Shell | None, a: Closure, b: Any) -> Any:
        if not held.alike(a, b):
            raise Conflict(f"{describe(a)} and {describe(b)}")
        parts, other = known.parts if known else held.parts_of(a), held.parts_of(b)
        if list(parts) != list(other):
            raise Conflict(f"{describe(a)} with different variables")
        if a is b:
            return Shell(a, {k: self.opened(v) for k, v in other.items()}, "")
        return Shell(a, {k: self._joined(parts[k], other[k]) for k in parts}, "")

    def _shell(self, known: Shell | None, a: Cell, parts: dict[Any, Any], b: Any) -> Any:
        if type(a) is not type(b) or getattr(a, "cls", None) is not getattr(b, "cls", None):
            raise Conflict(f"{describe(a)} and {describe(b)}")
        if known is None and a is not b and (self._is_callers(a) or self._is_callers(b)):
            raise Conflict(f"{describe(a)} of the caller and another one")
        other = contents(b)
        if list(parts) != list(other):
            raise Conflict(f"{describe(a)} of different sizes or keys")
        joined = {k: self._joined(parts[k], other[k]) for k in parts}
        return Shell(a, joined, MERGED)

    # -- types ------------------------------------------------------------------------------
    def types(
        self, a: Type, b: Type, free: frozenset[Dimension]
    ) -> tuple[Type, frozenset[Dimension]]:
        """One type for two, and the lengths in it that may change."""
        if isinstance(a, ListType | ObjectType) or isinstance(b, ListType | ObjectType):
            if a != b:
                raise Conflict(f"{describe_type(a)} and {describe_type(b)}")
            return a, free
        if "b" in (a.dtype.kind, b.dtype.kind) and a.dtype.kind != b.dtype.kind:
            raise Conflict(f"{describe_type(a)} and {describe_type(b)}")
        if isinstance(a, ScalarType) and isinstance(b, ScalarType):
            return ScalarType(max(a.kind, b.kind, key=KINDS.index)), free
        dtype = _dtype(a, b)
        if not a.shape or not b.shape:
            if not a.shape and not b.shape:
                return ArrayType(dtype, ()), free
            raise Conflict(f"{describe_type(a)} and {describe_type(b)}")
        if len(a.shape) != len(b.shape):
            raise Conflict(f"{describe_type(a)} and {describe_type(b)}")
        shape: list[Dimension] = []
        for p, q in zip(a.shape, b.shape, strict=True):
            if p in free or self.dims.equal(p, q):
                shape.append(p)
            else:
                apart = not (self.loop or may_be_one(p) or may_be_one(q))
                fresh = self.dims.fresh(self.name.strip("<>") or "k", not_one=apart)
                free |= {fresh}
                shape.append(fresh)
        return ArrayType(dtype, tuple(shape)), free


def _only_one_is_none(a: Any, b: Any) -> bool:
    """Whether a value is None here, and certainly another one there."""
    return (a is None) is not (b is None) and not isinstance(
        b if a is None else a, Maybe | MaybePattern
    )


MERGED = "it may or may not be the same object as another one (after a branch or a loop)"


def _dtype(a: Any, b: Any) -> np.dtype[Any]:
    if a.dtype == b.dtype:
        return a.dtype  # type: ignore[no-any-return]
    if a.shape or b.shape:
        raise Conflict(f"{describe_type(a)} and {describe_type(b)}")
    if isinstance(a, ScalarType) or isinstance(b, ScalarType):
        weak, strong = (a, b) if isinstance(a, ScalarType) else (b, a)
        if "biufc".index(weak.dtype.kind) <= "biufc".index(strong.dtype.kind):
            return strong.dtype  # type: ignore[no-any-return]
        if weak.kind == "float" and strong.dtype.kind in "iu":
            return np.dtype(np.float64)
    elif "b" not in (a.dtype.kind, b.dtype.kind):
        return np.result_type(a.dtype, b.dtype)
    raise Conflict(f"{describe_type(a)} and {describe_type(b)}")


def type_of(x: Any) -> Any:
    """The type of a runtime value or number."""
    return x.type if isinstance(x, Value | Ref) else type_of_constant(x)


def same(a: Any, b: Any) -> bool:
    """Whether two abstract values are certainly one and the same."""
    if a is b or same_static(a, b):
        return True
    if isinstance(a, Ref):
        return a.same(b)
    if isinstance(a, Closure) and isinstance(b, Closure):
        return a.node is b.node and a.frame is b.frame and same(a.defaults, b.defaults)
    if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
        return all(same(p, q) for p, q in zip(a, b, strict=True))
    return False


def contents(cell: Any) -> dict[Any, Any]:
    """The parts of a list, dict, record or function by key."""
    if isinstance(cell, Closure):
        return held.parts_of(cell)
    if isinstance(cell, ListObject) and cell.is_part:
        raise Conflict("a list in a list whose length is known at run time only")
    if is_long(cell):
        return dict(cell.data)
    if isinstance(cell, ListObject):
        return dict(enumerate(cell.items))
    if isinstance(cell, DictObject):
        return cell.items
    return dict(cell.data)


def _memory_key(x: Any) -> Any:
    if isinstance(x, Ref):
        return (x.storage, tuple(view.key for view in x.path))
    return id(x)


def like(x: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """A tuple of the same class with other parts."""
    make = getattr(type(x), "_make", None)
    return tuple(items) if make is None else make(items)
