"""What is asked of the front end, what it hands back, and the places it read from."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ..ir.types import Type
from ..ir.values import Function

Path = tuple[Any, ...]
"""Where a value comes from: ``("arg", i, *keys)`` or ``("kwarg", name, *keys)`` for a leaf of
an argument (keys as in ``Node.access``: indices, dict keys, field names), and
``("capture", place)`` for something captured."""

Step = tuple[Literal["attr", "item", "global", "type"], Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A transform of a function: ``kind`` is ``"compile"``, ``"grad"``, ``"value_and_grad"``...

    Any callable with an attribute ``__symgrad_request__`` (a ``Request``) is the transform of
    ``fun`` that it describes.
    """

    kind: str
    fun: Any
    options: tuple[tuple[str, Any], ...] = ()

    def option(self, name: str, default: Any = None) -> Any:
        """The option called ``name``."""
        return dict(self.options).get(name, default)


def counted_from_the_end(request: Request | None) -> bool:
    """Whether a position is negative, here or in a transform within: it counts the arguments
    that are given, without those that are left to their defaults."""
    while request is not None:
        given = request.option("argnums")
        listed = (given,) if isinstance(given, int) else given or ()
        if any(number < 0 for number in listed):
            return True
        request = getattr(request.fun, "__symgrad_request__", None)
    return False


@dataclass(frozen=True, slots=True)
class ArgLeaf:
    """A runtime argument, or a runtime part of one: its type and a name for it. ``boxed``: of
    rank 0, but an array, not a NumPy scalar. ``layout``: how it lies in memory
    (``layouts.layout_key``), where code depends on that."""

    type: Type
    name: str
    boxed: bool = False
    layout: tuple[int, ...] | None = None


class Place:
    """Where a captured object is found at each call: a root and the steps from there.

    Two places are equal when they start at the same object and take the same steps. ``label``
    is what the user calls the first steps where these do not tell.
    """

    __slots__ = ("_hash", "_labelled", "label", "root", "steps")

    def __init__(
        self,
        root: Any,
        steps: tuple[Step, ...] = (),
        label: str = "",
        labelled: int | None = None,
    ) -> None:
        self.root = root
        self.steps = steps
        self.label = label
        self._labelled = len(steps) if labelled is None else labelled
        self._hash = hash((id(root), steps))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Place)
            and self.root is other.root
            and self.steps == other.steps
        )

    def __repr__(self) -> str:
        return f"<place {self.text}>"

    def attr(self, name: str) -> Place:
        """The attribute ``name`` of what is here."""
        return self._then(("attr", name))

    def item(self, key: Any) -> Place:
        """Item ``key`` of what is here."""
        return self._then(("item", key))

    def type(self) -> Place:
        """The class of what is here."""
        return self._then(("type", None))

    def _then(self, step: Step) -> Place:
        return Place(self.root, (*self.steps, step), self.label, self._labelled)

    def fetch(self) -> Any:
        """The object that is here now.

        Raises:
            LookupError, AttributeError, ValueError, TypeError: there is none any more.
        """
        found = self.root
        for kind, key in self.steps:
            if kind == "attr":
                found = getattr(found, key)
            elif kind == "item":
                found = found[key]
            elif kind == "global":
                found = found[key] if key in found else getattr(builtins, key)
            else:
                found = type(found)
        return found

    @property
    def name(self) -> str:
        """The last name on the way here, for a parameter's name."""
        for kind, key in reversed(self.steps[self._labelled if self.label else 0 :]):
            if isinstance(key, str) and key.isidentifier() and key not in _PLUMBING:
                return key
            if kind == "type":
                break
        return self.label or "captured"

    @property
    def long_name(self) -> str:
        """All names and positions on the way here: ``fc1_weight`` of ``model.fc1.weight``."""
        steps = self.steps[self._labelled if self.label else 0 :]
        first = [self.label, *(str(key) for kind, key in self.steps if kind == "global")]
        words = [str(key) for kind, key in steps if kind in ("attr", "item")]
        plain = (w for w in words if not w.startswith("_") and w not in _PLUMBING)
        text = "_".join(w for w in plain if w.isidentifier() or w.isdigit())
        if not text.isidentifier():
            text = "_".join(filter(None, (next(filter(None, first), ""), text)))
        return text if text.isidentifier() else self.name

    @property
    def text(self) -> str:
        """The place as the user would write it."""
        text = self.label
        for kind, key in self.steps[self._labelled if self.label else 0 :]:
            if kind == "item":
                text += f"[{key!r}]"
            elif kind == "type":
                text = f"type({text})"
            elif key not in _PLUMBING:
                text += f".{key}" if text else str(key)
        return text


_PLUMBING = frozenset(
    {"cell_contents", "__defaults__", "__kwdefaults__", "__func__", "__self__"}
)


@dataclass(frozen=True, slots=True)
class Capture:
    """A runtime value that is no argument of the user's: read from ``place`` at each call.

    ``type`` is the type it was compiled for; ``key`` is ``describe.leaf_key`` of the object
    seen when compiling, to be compared with that of the object fetched. ``layout`` as in
    ``ArgLeaf``.
    """

    name: str
    place: Place
    type: Type
    key: Any
    boxed: bool = False
    layout: tuple[int, ...] | None = None

    def fetch(self) -> Any:
        """The object now."""
        return self.place.fetch()


@dataclass(frozen=True, slots=True)
class Target:
    """What the function's caller changes: the object, or list or dict, at ``place``, or if that
    is None, at ``path`` among the arguments. What there is to put there is a dict, of all
    ``"elements"`` of a list (``"whole"``: with a list of them) or of what changes; ``removed``
    are keys that a dict no longer has. ``apart`` are containers that one among the arguments must
    not be."""

    kind: Literal["attributes", "items", "elements", "whole"]
    place: Place | None
    removed: tuple[Any, ...] = ()
    path: Path = ()
    apart: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """Something static that the code was compiled for.

    ``test(found, expected)`` compares; an object that cannot be fetched any more fails.
    """

    place: Place
    expected: Any
    test: Callable[[Any, Any], bool] = field(repr=False)

    def fetch(self) -> Any:
        """The object now."""
        return self.place.fetch()

    def holds(self) -> bool:
        """Whether what is there now is what was compiled for."""
        try:
            return self.test(self.place.fetch(), self.expected)
        except (LookupError, AttributeError, ValueError, TypeError):
            return False


@dataclass(frozen=True, slots=True)
class Lowered:
    """A request as IR. Each capture is one more keyword-only argument of ``function``, in this
    order after the user's; the guards must hold before the code may be used.

    ``stored`` are the paths of array arguments that the user's function stores into, and of
    captures (as keyword arguments): the code is right only where these share no memory with
    other arguments or captures.

    Of a request for gradients by captured arrays, ``boxes`` are the places of the
    objects that hold these arrays, in the order of the gradients; ``written`` are the names of
    the captures for which there are new contents, in their order.

    ``assigned`` are the objects that the function changes: the result is then a pair of what it
    would be else, and a tuple of what to put there. ``unwinds``: some of the code has to be told
    if it raises; ``tells``: it says then what it has changed. ``changed`` are containers among
    the arguments that a derivative sees changed: each has to be there once.
    """

    function: Function
    captures: tuple[Capture, ...] = ()
    guards: tuple[Guard, ...] = ()
    stored: tuple[Path, ...] = ()
    boxes: tuple[Place, ...] = ()
    written: tuple[str, ...] = ()
    assigned: tuple[Target, ...] = ()
    unwinds: bool = False
    tells: bool = False
    changed: tuple[Path, ...] = ()


SHAPES: Path = ("shapes",)
"""Stands among paths for the lengths of all arrays."""


@dataclass(frozen=True, slots=True)
class CustomRule:
    """A function with a derivative rule of the user's.

    Any callable with an attribute ``__symgrad_custom__`` (a ``CustomRule``) stands for
    ``function`` with the rule.

    Args:
        kind: ``"vjp"`` (``forward`` gives output and residuals, ``backward`` takes residuals and
            cotangent), ``"jvp"`` (``forward`` takes primals and tangents), ``"function"``
            (``function`` is a class with ``forward`` and perhaps ``jvp``, the rest as in
            ``"vjp"``), ``"numpy"``
            (``backward`` takes the cotangent, the output and the arguments, ``forward`` the
            tangents, the output and the arguments; either may be None).
        name: for messages.
        tangent: beside a ``"vjp"``, the rule of forward mode: primals and tangents to output and
            tangent.
        nondiff: positions of arguments that the rule is not about.
        shape: says what a function that cannot be compiled returns.
    """

    kind: Literal["vjp", "jvp", "function", "numpy"]
    name: str
    function: Any
    forward: Any = None
    backward: Any = None
    nondiff: tuple[int, ...] = ()
    shape: Any = None
    tangent: Any = None


class NeedsSpecialisation(Exception):  # a request, not an error
    """Lowering needs the values at ``paths`` when compiling; call again with them static."""

    def __init__(self, *paths: Path) -> None:
        super().__init__(*paths)
        self.paths = paths
