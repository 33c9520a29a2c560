"""What names mean that are no local variables: closure cells, globals, builtins, and whatever
hangs on the objects found there.

Numbers and arrays become runtime inputs that are fetched at each call. Everything else is
static: it is known when compiling, and a guard says what the code relies on.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import enum
import functools
import inspect
import math
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputTypeError
from ...ir.types import ObjectType
from ..arguments.describe import type_of, unique
from ..arguments.keys import ARRAYS, NUMBERS, is_namedtuple, leaf_key, static_key
from ..memory.layouts import layout_key
from ..requests import Capture, Guard, Path, Place
from ..sources.getsource import Parsed

_LIBRARIES = frozenset({"numpy", "scipy", "symgrad", *sys.stdlib_module_names})
_CONSTANTS = {
    id(c)
    for c in (math.pi, math.e, math.tau, math.inf, math.nan, np.pi, np.e, np.inf, np.nan)
}
_IDENTICAL = (
    type,
    types.FunctionType,
    np.ufunc,
    type(np.sum),
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    enum.Enum,
)
_EQUAL = (bool, str, bytes, type(None), type(Ellipsis), range, slice, np.dtype)
_HOLDERS = (set, collections.deque, dict, list, bytearray)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A static object and where it was found. Without a place it needs no guard. ``fixed``:
    it belongs to an object that is known when compiling, so a number there is, too."""

    value: Any
    place: Place | None = None
    fixed: bool = False

    def called(self, name: str) -> Found:
        """The same with another name for what is found."""
        if self.place is None:
            return self
        return Found(self.value, Place(self.place.root, self.place.steps, name))


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """What an attribute turned out to be: a value, a method (``found`` is the function, to be
    called with ``receiver`` first), or a property (``found`` is its getter)."""

    kind: Literal["value", "method", "property"]
    found: Found
    receiver: Found | None = None


class Captures:
    """Everything that one function reads from its surroundings.

    Args:
        make: makes a runtime input of a capture; called once for each.
        statics: paths of runtime values that have to be static.
        taken: names that the inputs must not get; extended by theirs.
        static_shapes: lengths of captured arrays are known numbers.
    """

    def __init__(
        self,
        make: Callable[[Capture], Any],
        statics: frozenset[Path] = frozenset(),
        taken: set[str] | None = None,
        *,
        static_shapes: bool = False,
    ) -> None:
        self._make = make
        self._statics = statics
        self._taken = taken if taken is not None else set()
        self.static_shapes = static_shapes
        self._made: dict[Place, Any] = {}
        self._boxes: dict[int, Place] = {}
        self.boxes: list[tuple[Found, Any]] = []
        self._arrays: dict[int, Place] = {}
        self._captures: list[Capture] = []
        self._guards: dict[tuple[Any, ...], Guard] = {}

    @property
    def fixed_lengths(self) -> bool:
        """Whether lengths are known numbers because what was assumed of them did not hold."""
        return self.static_shapes or any(path[0] == "length" for path in self._statics)

    @property
    def captures(self) -> tuple[Capture, ...]:
        """The runtime inputs, in the order in which they were met."""
        return tuple(self._captures)

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What the code relies on."""
        return tuple(self._guards.values())

    # -- names ----------------------------------------------------------------------------
    def lookup(self, parsed: Parsed, name: str) -> Found | None:
        """What ``name`` is to the function, its locals aside; None where it is not bound."""
        cell = parsed.cells.get(name)
        if cell is not None:
            try:
                return Found(
                    cell.cell_contents, Place(cell, (("attr", "cell_contents"),), name)
                )
            except ValueError:
                return None
        return self.global_(parsed.globals, name)

    def global_(self, namespace: dict[str, Any], name: str) -> Found | None:
        """What ``name`` is in a module, or among the builtins."""
        if name in namespace:
            return Found(namespace[name], Place(namespace, (("global", name),)))
        if hasattr(builtins, name):
            return Found(getattr(builtins, name), Place(namespace, (("global", name),)))
        return None

    def default(self, function: types.FunctionType, name: str) -> Found:
        """The default value of a parameter that has one."""
        keyword = function.__kwdefaults__ or {}
        if name in keyword:
            return Found(keyword[name], Place(function).attr("__kwdefaults__").item(name))
        code, defaults = function.__code__, function.__defaults__ or ()
        position = code.co_varnames.index(name) - code.co_argcount + len(defaults)
        steps = (("attr", "__defaults__"), ("item", position))
        return Found(defaults[position], Place(function, steps, name))  # type: ignore[arg-type]

    # -- reading --------------------------------------------------------------------------
    def read(self, found: Found) -> Any:
        """The abstract value of something found: what ``make`` gives for arrays and numbers,
        else ``found`` itself, guarded. Lists, dicts, tuples and objects are guarded by their
        class only; what is in them is found by ``items``, ``item`` and ``attribute``.

        Raises:
            InputTypeError: an array that cannot be compiled, such as one of objects.
        """
        value, place = found.value, found.place
        if isinstance(value, types.ModuleType):
            return Found(value, Place(value, label=value.__name__))
        inside = getattr(type(value), "__symgrad_array__", None)
        if inside is not None:
            return self._box(Found(value, Place(value) if place is None else place), inside)
        if place is None:
            return found
        if place in self._made:
            return self._made[place]
        if _is_runtime(value):
            if not self._is_known(found):
                return self._capture(value, place, place.long_name if found.fixed else "")
            self._guard(place, static_key(value), _is_number)
        elif value is None or value is True or value is False:
            self._guard(place, value, operator.is_)
        elif id(value) in _CONSTANTS or isinstance(value, _EQUAL):
            self._guard(place, static_key(value), _is_static)
        elif isinstance(value, types.BuiltinMethodType):
            self._guard(place, value, operator.eq)  # each access makes a new one
        elif isinstance(value, _IDENTICAL) or _is_opaque(value):
            self._guard(place, value, operator.is_)
        elif isinstance(value, NUMBERS):
            self._guard(place, static_key(value), _is_static)
        else:
            self._guard(place.type(), type(value), operator.is_)
        return found

    def is_static(self, place: Place) -> bool:
        """Whether what is there has been asked for when compiling."""
        return ("capture", place) in self._statics

    def varies(self, path: Path) -> bool:
        """Whether a number is known to change, by the path that says so."""
        return path in self._statics

    def _is_known(self, found: Found) -> bool:
        """Whether a runtime value is static here: asked for, a default, or a number of an
        object that is known, as long as it does not change."""
        place, value = found.place, found.value
        assert place is not None
        if ("capture", place) in self._statics or _is_default(place, value):
            return True
        fixed = found.fixed and type(value) in NUMBERS
        return fixed and ("varies", place) not in self._statics

    def _box(self, box: Found, inside: str) -> Any:
        """The array in a box, which may be found in several places."""
        assert box.place is not None
        at = box.place.attr(inside)
        first = self._boxes.setdefault(id(box.value), at)
        if first is not at and first != at:
            self._guard(at, first, _is_the_same)
        elif first not in self._made:
            self._capture(getattr(box.value, inside), at, box.place.long_name, apart=True)
            self.boxes.append((box, self._made[at]))
        return self._made[first]

    def _capture(self, value: Any, place: Place, name: str, *, apart: bool = False) -> Any:
        """``apart``: an input of its own, even if the same array is found elsewhere."""
        is_array = isinstance(value, np.ndarray) and not apart
        first = self._arrays.get(id(value)) if is_array else None
        if first is not None:
            self._guard(place, first, _is_the_same)
            return self._made[first]
        name = unique(name or place.name, self._taken)
        try:
            kind = type_of(
                value, name, static_shapes=self.static_shapes, statics=self._statics
            )
        except InputTypeError as error:
            text = error.message.replace(f"argument `{name}`", f"captured `{place.text}`")
            raise InputTypeError(text.replace(f"({name})", f"({place.text})")) from None
        boxed = isinstance(value, np.ndarray) and not value.ndim
        keyed = ("layout", ("capture", place)) in self._statics
        layout = layout_key(value, self.static_shapes) if keyed else None
        capture = Capture(name, place, kind, leaf_key(value), boxed, layout)
        self._captures.append(capture)
        self._made[place] = made = self._make(capture)
        if is_array:
            self._arrays[id(value)] = place
        return made

    def callee(self, function: Any, name: str) -> Any:
        """A runtime input that is always ``function``, to be called as it is."""
        place = Place(function, label=name)
        if place not in self._made:
            kind = ObjectType(type(function).__name__)
            unused = unique(place.name, self._taken)
            self._captures.append(Capture(unused, place, kind, leaf_key(function)))
            self._made[place] = self._make(self._captures[-1])
        return self._made[place]

    def code(self, function: types.FunctionType) -> None:
        """Rely on a function's code, which reloading in a notebook replaces in place."""
        self._guard(Place(function).attr("__code__"), function.__code__, operator.is_)

    def pin(self, found: Found) -> Any:
        """The object itself, for uses that may depend on anything about it."""
        if found.place is not None and not isinstance(found.value, types.ModuleType):
            self._guard(found.place, found.value, operator.is_)
            if isinstance(found.value, _HOLDERS):
                self._guard(found.place, _contents(found.value), _has_contents)
        return found.value

    def pin_state(self, found: Found) -> None:
        """Rely on an object and on its attributes, for operators that it defines."""
        self.pin(found)
        if found.place is not None and type(getattr(found.value, "__dict__", None)) is dict:
            self._guard(
                found.place.attr("__dict__"), _contents(vars(found.value)), _has_contents
            )

    def rely(self, place: Place, expected: Any, test: Callable[[Any, Any], bool]) -> None:
        """Note that the code is right only where ``test(object at place, expected)``."""
        self._guard(place, expected, test)

    def _guard(self, place: Place, expected: Any, test: Callable[[Any, Any], bool]) -> None:
        self._guards.setdefault((place, test), Guard(place, expected, test))

    # -- inside -----------------------------------------------------------------------------
    def item(self, found: Found, key: Any) -> Found:
        """``found[key]`` of a list, tuple or dict.

        Raises:
            LookupError, TypeError: as Python does.
        """
        self.read(found)
        inner = found.value[key]
        if isinstance(key, int) and key < 0 and found.place is not None:
            self._guard(found.place, len(found.value), _has_length)
            key += len(found.value)
        place = found.place.item(key) if found.place is not None else None
        return Found(inner, place, found.fixed)

    def inner(self, found: Found) -> Found:
        """The list or dict that ``found`` stands for when it is iterated over or indexed;
        ``found`` itself, if for none."""
        name = getattr(type(found.value), "__symgrad_items__", None)
        if name is None:
            return found
        self.read(found)
        place = Place(found.value) if found.place is None else found.place
        return Found(getattr(found.value, name), place.attr(name))

    def items(self, found: Found) -> tuple[Found, ...]:
        """The elements of a list or tuple, their number guarded."""
        self.read(found)
        if found.place is not None:
            self._guard(found.place, len(found.value), _has_length)
        return tuple(self.item(found, i) for i in range(len(found.value)))

    def entries(self, found: Found) -> dict[Any, Found]:
        """The values of a dict by key, the keys guarded."""
        self.read(found)
        if found.place is not None:
            self._guard(found.place, tuple(map(static_key, found.value)), _has_keys)
        return {key: self.item(found, key) for key in found.value}

    def attribute(self, found: Found, name: str) -> Member:
        """``found.name``.

        Raises:
            AttributeError: there is none.
        """
        owner, place = found.value, found.place
        if isinstance(owner, types.ModuleType):
            return self._module_attribute(owner, name)
        self.read(found)
        if place is None:
            place = Place(owner)
        holder = owner if isinstance(owner, type) else type(owner)
        # That it is the object's class has been noted by now.
        at = place if isinstance(owner, type) else Place(holder, label=holder.__name__)
        declared = inspect.getattr_static(holder, name, None)
        own = getattr(owner, "__dict__", {})
        if isinstance(declared, property) and not isinstance(owner, type):
            return self._declared(
                "property", declared.fget, found, at.attr(name).attr("fget")
            )
        if isinstance(declared, classmethod):
            receiver = found if isinstance(owner, type) else Found(holder, at)
            function_place = at.attr(name).attr("__func__")
            return self._declared("method", declared.__func__, receiver, function_place)
        if isinstance(declared, staticmethod):
            return Member("value", Found(declared.__func__, at.attr(name)))
        is_method = isinstance(declared, types.FunctionType) and not isinstance(owner, type)
        if is_method and name not in own:
            if hasattr(owner, "__dict__"):
                self._guards.setdefault((place, name), Guard(place, name, _has_no_own))
            return self._declared("method", declared, found, at.attr(name))
        fixed = hasattr(holder, "__symgrad_static__")
        return Member("value", Found(getattr(owner, name), place.attr(name), fixed))

    def has(self, found: Found, name: str) -> bool:
        """Whether there is ``found.name``."""
        self.read(found)
        place = Place(found.value) if found.place is None else found.place
        there = hasattr(found.value, name)
        self._guards.setdefault(
            (place, name, "has"), Guard(place, (name, there), _has_or_not)
        )
        return there

    def _declared(
        self,
        kind: Literal["method", "property"],
        function: Any,
        receiver: Found,
        place: Place,
    ) -> Member:
        self._guard(place, function, operator.is_)
        return Member(kind, Found(function, None), receiver)

    def _module_attribute(self, module: types.ModuleType, name: str) -> Member:
        value = getattr(module, name)
        library = module.__name__.partition(".")[0] in _LIBRARIES
        place = None if library else Place(module, label=module.__name__).attr(name)
        return Member("value", Found(value, place))

    def parts(self, found: Found) -> tuple[Found, tuple[Found, ...], dict[str, Found]]:
        """Function, arguments and keyword arguments of a ``functools.partial``."""
        assert isinstance(found.value, functools.partial)
        self.read(found)
        place = found.place if found.place is not None else Place(found.value)

        def part(name: str) -> Found:
            return Found(getattr(found.value, name), place.attr(name))

        args = self.items(part("args"))
        code = getattr(found.value.func, "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code is not None else ()
        named = (a.called(n) for a, n in zip(args, names, strict=False))
        return part("func"), (*named, *args[len(names) :]), self.entries(part("keywords"))

    def bound_method(self, found: Found) -> tuple[Found, Found]:
        """Function and receiver of a bound method object."""
        method = found.value
        assert isinstance(method, types.MethodType)
        place = found.place if found.place is not None else Place(method)
        function = Found(method.__func__, place.attr("__func__"))
        return function, Found(method.__self__, place.attr("__self__"))


def _is_runtime(value: Any) -> bool:
    if isinstance(
        value, np.ndarray | np.generic | np.random.Generator | np.random.RandomState
    ):
        return True
    return type(value) in NUMBERS and id(value) not in _CONSTANTS


def _is_default(place: Place, value: Any) -> bool:
    """Whether it is a number in a signature: as good as written in the code."""
    declared = place.steps[:1] in (
        (("attr", "__defaults__"),),
        (("attr", "__kwdefaults__"),),
    )
    return declared and type(value) in NUMBERS


def is_container(value: Any) -> bool:
    """Whether ``items`` or ``entries`` say what is in ``value``."""
    return type(value) in (list, tuple, dict) or is_namedtuple(type(value))


def _is_static(found: Any, expected: Any) -> bool:
    return bool(static_key(found) == expected)


def _is_number(found: Any, expected: Any) -> bool:
    return bool(static_key(found) == expected)


def varying(guards: Iterable[Guard]) -> Iterator[Path]:
    """Numbers among what is guarded that are others now: the next time they are inputs."""
    for guard in guards:
        if guard.test is not _is_number or guard.holds():
            continue
        with contextlib.suppress(LookupError, AttributeError, ValueError, TypeError):
            if type(guard.fetch()) in NUMBERS:
                yield ("varies", guard.place)


def _is_the_same(found: Any, other: Place) -> bool:
    return found is other.fetch()


def _has_no_own(found: Any, name: str) -> bool:
    return name not in vars(found)


def _has_or_not(found: Any, expected: tuple[str, bool]) -> bool:
    name, there = expected
    return hasattr(found, name) is there


def _is_opaque(x: Any) -> bool:
    """Whether there is nothing to be seen in a callable object, as in an ``itemgetter``."""
    return callable(x) and not hasattr(x, "__dict__")


def _contents(holder: Any) -> tuple[Any, ...]:
    return tuple(holder.items() if isinstance(holder, dict) else holder)


def _has_contents(found: Any, expected: tuple[Any, ...]) -> bool:
    now = _contents(found)
    return len(now) == len(expected) and all(map(_is_alike, now, expected))


def _is_alike(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_alike, a, b))
    known = isinstance(a, (*NUMBERS, str, bytes))
    return a is b or (known and static_key(a) == static_key(b))


def _has_length(found: Any, expected: int) -> bool:
    return len(found) == expected


def _has_keys(found: Any, expected: tuple[Any, ...]) -> bool:
    return len(found) == len(expected) and tuple(map(static_key, found)) == expected


TEXTS: dict[Callable[[Any, Any], bool], str] = {
    operator.is_: "{found} is {expected}",
    operator.eq: "{found} == {expected}",
    _has_no_own: "{expected} not in {found}.__dict__",
    _has_length: "len({found}) == {expected}",
}
"""Tests of guards that can be written in line."""


__all__ = ["ARRAYS", "TEXTS", "Captures", "Found", "Member", "is_container"]
