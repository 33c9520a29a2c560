"""Abstract values: what a name can hold while a function is being lowered.

Static Python objects stand for themselves, an IR ``Value`` is a runtime scalar, a ``Ref`` a
runtime array. Tuples, slices and namedtuples hold abstract values directly; whatever can be
changed in place is a ``Cell``, so that branches can be undone and joined (``heap.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from ..errors import SymgradError, UnsupportedSyntaxError
from ..ir.expr import Maker
from ..ir.opdef import OpDef
from ..ir.types import ArrayType
from ..ir.values import Value
from .memory.lying import UNSET
from .requests import Path, Request

if TYPE_CHECKING:
    from .names.scope import Frame

_births = count(1)


def birth() -> int:
    """The next moment: cells and regions are older or younger than each other."""
    return next(_births)


_NOT_NOW = "an abstract function exists while lowering only; it cannot be called"


class Missing:
    """Marks a key that is not bound."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Cell:
    """Something mutable: ``data`` is changed through ``Heap.write`` only.

    ``owner`` says why it must not be changed: it belongs to the caller or to the program.
    """

    __slots__ = ("birth", "data", "owner")

    def __init__(self, data: dict[Any, Any], owner: str = "") -> None:
        self.data = data
        self.owner = owner
        self.birth = birth()


CAPTURED = "it is captured from outside the function"
"""The owner of lists and dicts that are."""


class Scope(Cell):
    """The variables of one running function."""

    __slots__ = ()


Origin = Literal["fresh", "argument", "captured", "merged"]


class Storage(Cell):
    """The memory of one or more arrays; ``data["current"]`` is its content.

    ``sources`` are other storages that this one may in truth be (after a branch, around a
    loop, or behind a reshape): a write to either while both are in use cannot be decided;
    ``undecided`` is what would have to be known to decide it. ``order`` is that of the axes of
    memory in one piece that is one of several.
    """

    __slots__ = ("name", "order", "origin", "sources", "undecided")

    def __init__(self, current: Value, origin: Origin = "fresh", name: str = "") -> None:
        super().__init__({"current": current})
        self.order: tuple[int, ...] | None = UNSET
        self.undecided: frozenset[Path] = frozenset()
        self.origin = origin
        self.name = name
        self.sources: set[Storage] = set()

    @property
    def current(self) -> Value:
        value: Value = self.data["current"]
        return value


@dataclass(frozen=True, slots=True)
class View:
    """One step from an array to a part of it: an op without its first input."""

    kind: OpDef
    operands: tuple[Value, ...]
    attrs: Mapping[str, Any]

    @property
    def key(self) -> tuple[Any, ...]:
        """For lookups: equal for equal views."""
        return (self.kind.name, self.operands, tuple(self.attrs.items()))


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A runtime array: the part of a storage that ``path`` leads to. ``made`` says which object
    of NumPy's it is: 0 for the storage's own, else when the view was taken."""

    storage: Storage
    type: ArrayType
    path: tuple[View, ...] = ()
    made: int = 0

    def same(self, other: Any) -> bool:
        """Whether both are certainly the same memory."""
        alike = isinstance(other, Ref) and self.storage is other.storage
        return alike and self.path == other.path


class Selected(Storage):
    """The memory of ``first`` if the condition holds, else that of ``second``. It has no content
    of its own: ``current`` is what was last read of it."""

    __slots__ = ("condition", "first", "second")

    def __init__(self, condition: Value, first: Ref, second: Ref, type: ArrayType) -> None:
        super().__init__(Value(type), "merged")
        self.condition = condition
        self.first = first
        self.second = second


class ListObject(Cell):
    """A list: ``data["items"]`` is a tuple of abstract values, or ``Items`` where the length
    is known at run time only (a *long* list)."""

    __slots__ = ()

    @property
    def is_long(self) -> bool:
        """Whether the length is known at run time only."""
        return isinstance(self.data["items"], Items)

    @property
    def is_part(self) -> bool:
        """Whether it is in another list, and no object of its own."""
        return False

    @property
    def held(self) -> tuple[Any, ...]:
        """The abstract values that it holds on to."""
        items: Any = self.data["items"]
        return (items.memory,) if isinstance(items, Items) else items

    @property
    def items(self) -> tuple[Any, ...]:
        """The elements.

        Raises:
            UnsupportedSyntaxError: how many there are is known at run time only.
        """
        items: tuple[Any, ...] = self.data["items"]
        if isinstance(items, Items):
            raise UnsupportedSyntaxError(
                "the length of this list is known at run time only: it can be appended to, "
                "popped, indexed, measured, looped over, and made an array of (np.stack); what "
                "stands here needs to know its elements"
            )
        return items


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What a list of unknown length holds: ``element`` is the structure of each element, with
    types for the runtime values in it, ``lists`` has one IR list for each of these, and
    ``memory`` stands for the arrays among them."""

    element: Any
    lists: tuple[Value, ...]
    memory: Storage


class DictObject(Cell):
    """A dict with static keys, made at ``maker``: ``data["items"]`` is never changed."""

    __slots__ = ("maker",)
    maker: Maker

    @property
    def items(self) -> dict[Any, Any]:
        items: dict[Any, Any] = self.data["items"]
        return items


class SetObject(Cell):
    """A set of static values: ``data["items"]`` is a frozen one."""

    __slots__ = ()

    @property
    def items(self) -> frozenset[Any]:
        items: frozenset[Any] = self.data["items"]
        return items


class Record(Cell):
    """An instance of a dataclass or of another class of the user's: fields by name."""

    __slots__ = ("cls",)

    def __init__(self, cls: type, fields: dict[str, Any], owner: str = "") -> None:
        super().__init__(fields, owner)
        self.cls = cls


class Fields(Cell):
    """What attributes of an object from outside have been assigned, by name: the object has
    been there before the function was called."""

    __slots__ = ("found",)

    def __init__(self, found: Any, data: dict[Any, Any] | None = None) -> None:
        super().__init__({} if data is None else data)
        self.found = found
        self.birth = 0


def new_list(items: Any, owner: str = "") -> ListObject:
    """A list of abstract values."""
    return ListObject({"items": tuple(items)}, owner)


def new_dict(items: Mapping[Any, Any], owner: str = "") -> DictObject:
    """A dict of abstract values."""
    return DictObject({"items": dict(items)}, owner)


def new_set(items: Iterable[Any]) -> SetObject:
    """A set of static values."""
    return SetObject({"items": frozenset(items)})


@dataclass(frozen=True, slots=True, eq=False)
class Poison:
    """A name whose value cannot be said: reading it raises ``error``.

    ``condition`` is the runtime value that it depends on: if that is known when compiling,
    there is no question. ``candidate`` is the value where there is one.
    """

    error: SymgradError
    condition: Value | None = None
    candidate: Any = MISSING


@dataclass(frozen=True, slots=True, eq=False)
class Maybe:
    """``value`` where ``present`` holds when the code runs, else None."""

    present: Value
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """``first`` where ``condition`` holds when the code runs, else ``second``, which is of another
    kind: the candidate of a ``Poison``."""

    condition: Value
    first: Any
    second: Any


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function or lambda defined inside the function being lowered."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    defaults: tuple[Any, ...]
    keyword_defaults: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(_NOT_NOW)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method taken from an object, not yet called: ``function(self, ...)``."""

    function: Any
    receiver: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(_NOT_NOW)


@dataclass(frozen=True, slots=True, eq=False)
class Parent:
    """``super(cls, receiver)`` for a receiver of the class ``of``, or that class itself."""

    cls: type
    of: type
    receiver: Any


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """A function that the compiler made, such as a pullback: ``run(m, node, *args, **kwargs)``.
    ``holds`` are the abstract values it needs."""

    name: str
    run: Callable[..., Any]
    holds: tuple[Any, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(_NOT_NOW)


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """The method ``name`` of an array, a container or a scalar."""

    receiver: Any
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial`` with abstract arguments."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(_NOT_NOW)


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """``range`` with bounds of which some are runtime values."""

    start: Any
    stop: Any
    step: Any


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """What ``zip`` and its like run through (``map``: the function first), ``rest`` from ``start``
    on. The parts of ``ndindex`` are lengths, of ``ndenumerate`` the array and its lengths."""

    kind: Literal["enumerate", "zip", "reversed", "map", "rest", "ndindex", "ndenumerate"]
    parts: tuple[Any, ...]
    start: Any = 0
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Generator:
    """A comprehension over a number of elements known at run time only, not yet run."""

    node: ast.GeneratorExp | ast.ListComp
    iterable: Any


class Iterator(Cell):
    """``iter(items)``, ``zip`` and their like: ``data["at"]`` is the next element's position."""

    __slots__ = ()

    def __init__(self, items: Any) -> None:
        super().__init__({"at": 0, "items": items})

    @property
    def items(self) -> Any:
        return self.data["items"]


class Suspended(Cell):
    """A generator: a call of a function with ``yield`` that is run by the loop over it. It is new,
    running, done, or may have been left somewhere: ``data["state"]`` says it."""

    __slots__ = ("call", "definition", "frame")

    def __init__(self, frame: Frame, definition: ast.FunctionDef, call: ast.AST) -> None:
        super().__init__({"state": "new"})
        self.frame = frame
        self.definition = definition
        self.call = call


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A list filled in a loop, kept as the rows of an array; ``kind`` of Python scalars. With a
    ``depth``, the elements are such lists themselves, that much deep. ``owner`` says why it
    cannot be changed; ``home`` which list it is in, and where."""

    array: Ref
    kind: str = ""
    depth: int = 0
    owner: str = ""
    home: tuple[Rows, Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """``array.flat``."""

    array: Ref


@dataclass(frozen=True, slots=True, eq=False)
class Formatted:
    """``text`` with runtime values, formatted as ``how`` says: by ``str.format`` or by ``%``."""

    text: str
    values: tuple[Value, ...]
    how: str = "format"


def is_long(x: Any) -> bool:
    """Whether ``x`` is a list whose length is known at run time only."""
    return isinstance(x, ListObject) and x.is_long


def is_runtime(x: Any) -> bool:
    """Whether ``x`` is a runtime scalar or array."""
    return isinstance(x, Value | Ref)


_ABSTRACT = (
    *(Value, Ref, Cell, Closure, Partial, Bound, Method, Native, Range, Iteration),
    *(Generator, Rows, Flat, Formatted, Maybe, Kinds),
)


def any_runtime(x: Any) -> bool:
    """Whether a runtime value, or something made of abstract values, is in ``x``."""
    if isinstance(x, _ABSTRACT):
        return True
    if isinstance(x, tuple | list):
        return any(any_runtime(item) for item in x)
    if isinstance(x, dict):
        return any(any_runtime(item) for item in x.values())
    if isinstance(x, slice):
        return any_runtime((x.start, x.stop, x.step))
    return isinstance(x, Request) and any_runtime(x.fun)
