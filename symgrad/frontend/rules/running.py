"""What generated code calls where a rule of the user's cannot be compiled: the rule as it is,
between checks that it returns what the code around it was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ...errors import CustomRuleError
from ...ir.nodes import attributes_of
from ...ir.tree import Node, Tree, filled, leaves, static
from ...ops.opaque import Due
from ..arguments.keys import is_namedtuple

NUMERIC = (np.ndarray, np.generic, int, float, complex)


def fail(message: str, index: int | None = None) -> NoReturn:
    """A rule returned what it should not."""
    error = CustomRuleError(message)
    error.index = index
    raise error


def parts_of(x: Any, found: list[Any]) -> Tree:
    """The structure of an object; its numbers and arrays are appended to ``found``."""
    if isinstance(x, NUMERIC) and not isinstance(x, bool):
        found.append(x)
        return len(found) - 1
    if type(x) in (tuple, list):
        return Node(type(x).__name__, tuple(parts_of(child, found) for child in x))  # type: ignore[arg-type]
    if type(x) is dict:
        children = tuple(parts_of(child, found) for child in x.values())
        return Node("dict", children, tuple(x))
    if is_namedtuple(type(x)):
        children = tuple(parts_of(child, found) for child in x)
        return Node("namedtuple", children, x._fields, type(x))
    names = attributes_of(x)
    if names is not None:
        children = tuple(parts_of(getattr(x, name), found) for name in names)
        return Node("object", children, names, type(x))
    return static(x)


def own(tree: Tree, args: Sequence[Any]) -> Any:
    """The object that ``tree`` describes, of copies: code of the user's may change what it is
    given."""
    used = [x.copy() if isinstance(x, np.ndarray) else x for x in args[: _count(tree)]]
    return filled(tree, used)


def _count(tree: Tree) -> int:
    """How many leaves a structure has; they are the first arguments."""
    return sum(1 for _ in leaves(tree))


def text_of(x: Any) -> str:
    """A value for messages."""
    if isinstance(x, np.ndarray | np.generic):
        return f"{x.dtype}{list(x.shape)}"
    if isinstance(x, tuple | list):
        return f"a {type(x).__name__} of {len(x)}"
    return "None" if x is None else f"a {type(x).__name__}"


def fitted(x: Any, due: Due, args: Sequence[Any], what: str, index: int | None) -> Any:
    """``x`` as a result of the type that is due.

    Raises:
        CustomRuleError: it is of another type.
    """
    if isinstance(due, str):
        cls = {"bool": bool, "int": int, "float": float, "complex": complex}[due]
        if np.shape(x) == () and np.can_cast(np.asarray(x).dtype, cls, "same_kind"):
            return cls(x)
        fail(f"{what} is {text_of(x)}, not a Python {due}", index)
    dtype, lengths = due
    if not isinstance(x, np.ndarray | np.generic):
        fail(f"{what} is {text_of(x)}, not {dtype} with {len(lengths)} axes", index)
    if x.dtype != np.dtype(dtype):
        fail(f"{what} has the dtype {x.dtype}, not {dtype}", index)
    wanted = tuple(args[n[0]].shape[n[1]] if isinstance(n, tuple) else n for n in lengths)
    same = len(x.shape) == len(wanted) and all(
        n in (None, k) for k, n in zip(x.shape, wanted, strict=True)
    )
    if not same:
        text = ", ".join("any" if n is None else str(n) for n in wanted)
        text = f"({text},)" if len(wanted) == 1 else f"({text})"
        fail(f"{what} has the shape {x.shape}, not {text}", index)
    return x if wanted else np.asarray(x)[()]


@dataclass(frozen=True, slots=True, eq=False)
class InContext:
    """``run``; if its first argument is the context of a ``Function``, it gets a copy that is
    open as long as it runs."""

    run: Callable[..., Any]
    rule: str

    def __call__(self, kept: Any, *rest: Any) -> Any:
        opened = getattr(kept, "__symgrad_opened__", None)
        if opened is None:
            return self.run(kept, *rest)
        ctx = opened(self.rule)
        try:
            return self.run(ctx, *rest)
        finally:
            ctx.__symgrad_release__(self.rule)


@dataclass(frozen=True, slots=True, eq=False)
class RunsForward:
    """The forward code of a rule: numbers and arrays in, those of the result out, and last
    what is saved if there is any.

    Args:
        run: gives ``(output, saved)`` for the arguments.
        takes: the structure of the arguments.
        gives: the structure of the output, seen when compiling.
        marks: positions of outputs marked as not differentiable.
        saves: whether what is saved is returned too, last.
    """

    name: str
    run: Callable[..., Any]
    takes: Tree
    gives: Tree
    results: tuple[Due, ...]
    marks: tuple[int, ...] = ()
    saves: bool = True

    def __call__(self, *args: Any) -> Any:
        out, saved = self._pair(self.run(*own(self.takes, args)))
        outs: list[Any] = []
        found = parts_of(out, outs)
        if found != self.gives or marked(saved, outs) != self.marks:
            fail(
                f"`{self.name}` runs as it is and returned {text_of(out)} of another structure, "
                "or with other marks, than when it was compiled"
            )
        made = [
            fitted(x, due, args, f"result {i} of `{self.name}`", i)
            for i, (x, due) in enumerate(zip(outs, self.results, strict=False))
        ]
        if self.saves:
            made.append(saved)
        return made[0] if len(made) == 1 else tuple(made)

    def _pair(self, given: Any) -> tuple[Any, Any]:
        if isinstance(given, tuple) and len(given) == 2:
            return given
        fail(
            f"the forward rule of `{self.name}` has to return (output, what to save), got "
            f"{text_of(given)}"
        )


def marked(saved: Any, outs: Sequence[Any]) -> tuple[int, ...]:
    """Positions of the outputs that ``forward`` marked."""
    given = getattr(saved, "non_differentiable", ())
    return tuple(i for i, x in enumerate(outs) if any(x is y for y in given))


@dataclass(frozen=True, slots=True, eq=False)
class RunsBackward:
    """The backward code of a rule: what it needs in, a gradient for each inexact leaf of the
    primal arguments out.

    Args:
        function: whether one gradient may be returned without a tuple.
        run: gives the gradients for what ``takes`` describes.
        primals: the structure of each argument that has a gradient, and its text; their leaves
            are positions too.
    """

    name: str
    function: bool
    run: Callable[..., Any]
    takes: Tree
    primals: tuple[tuple[Tree, str], ...]
    left: int = 0

    def __call__(self, *args: Any) -> Any:
        given = self.run(*own(self.takes, args))
        listed = counted(given, len(self.primals), self.name, self.function, self.left)
        found: list[Any] = []
        for i, (g, (tree, text)) in enumerate(zip(listed, self.primals, strict=True)):
            self._collect(g, tree, text, args, i, found)
        return found[0] if len(found) == 1 else tuple(found)

    def _collect(
        self, g: Any, tree: Tree, text: str, args: Sequence[Any], i: int, found: list[Any]
    ) -> None:
        if isinstance(tree, Node):
            if tree.kind == "static" and isinstance(tree.value, float | complex):
                return
            if g is not None and not list(leaves(tree)):
                self._superfluous(text, i)
            if g is not None and not _alike(parts_of(g, []), tree):
                fail(f"{self.name}: the gradient of {text} is {text_of(g)}, unlike it", i)
            for place, child in enumerate(tree.children):
                how, key = tree.access(place)
                part = None if g is None else getattr(g, key) if how == "attr" else g[key]
                self._collect(part, child, f"{text}[{key!r}]", args, i, found)
            return
        x = args[tree]
        if g is not None and isinstance(x, int):
            self._superfluous(text, i)
        if np.asarray(x).dtype.kind not in "fc":
            return
        found.append(_gradient(g, x, f"{self.name}: the gradient of {text}", i))

    def _superfluous(self, text: str, i: int) -> None:
        fail(
            f"{self.name} returned a gradient for {text}, which has none; return None in its place",
            i,
        )


def _alike(a: Tree, b: Tree) -> bool:
    """Whether ``a`` has the containers of ``b``; there may be None in place of any part."""
    if not isinstance(b, Node):
        return True
    if not isinstance(a, Node) or a.kind == "static":
        return isinstance(a, Node) and (a.value is None or b.kind == "static")
    return (a.kind, a.keys, len(a.children)) == (b.kind, b.keys, len(b.children))


def _gradient(g: Any, x: Any, what: str, index: int) -> Any:
    python = isinstance(x, float | complex) and not isinstance(x, np.generic)
    if g is None:
        zero = np.zeros_like(x)
        return type(x)(0) if python else zero if zero.ndim else zero[()]
    if python:
        return fitted(g, type(x).__name__, (), what, index)
    due = (x.dtype.name, np.shape(x))
    if type(g) is float and not np.shape(x):
        return x.dtype.type(g)
    return fitted(g, due, (), what, index)


def trimmed(given: tuple[Any, ...], count: int, left: int) -> tuple[Any, ...]:
    """The gradients without trailing None, and without those of the ``left`` arguments that the
    call has left at their defaults."""
    while len(given) > count and (given[-1] is None or len(given) <= count + left):
        given = given[:-1]
    return given


def counted(
    given: Any, count: int, name: str, function: bool, left: int = 0
) -> tuple[Any, ...]:
    """The gradients that a rule returned: a tuple, what is ``trimmed`` left out.

    Raises:
        CustomRuleError: it is no tuple, or of another length.
    """
    if isinstance(given, list | dict):
        fail(no_tuple(name, type(given).__name__))
    if type(given) is not tuple:
        if not function:
            fail(
                f"{name} has to return a tuple with a gradient for each argument, got "
                f"{text_of(given)}"
            )
        given = (given,)
    given = trimmed(given, count, left)
    if len(given) != count:
        fail(wrong_count(name, len(given), count, function))
    listed: tuple[Any, ...] = given
    return listed


def no_tuple(name: str, met: str) -> str:
    """The message about a container that holds the gradients and is no tuple."""
    return f"{name} returned a {met}; return a tuple with a gradient for each argument"


def wrong_count(name: str, met: int, count: int, function: bool) -> str:
    """The message about a wrong number of gradients."""
    plural = "" if met == 1 else "s"
    forward = name.replace(".backward`", ".forward`").replace(".vjp`", ".forward`")
    takes = f"{forward} takes" if function else f"there {'is' if count == 1 else 'are'}"
    unit = ("input" if function else "argument") + ("" if count == 1 else "s")
    return f"{name} returned {met} gradient{plural}, {takes} {count} {unit}"


@dataclass(frozen=True, slots=True, eq=False)
class RunsTangent:
    """The forward rule of a function: what it needs in, a tangent for each result out.

    Args:
        run: gives the tangent of the output for what ``takes`` describes.
        count: how many numbers and arrays the output has.
        moving: which of them carry a tangent; ``results`` are the types of those.
    """

    name: str
    run: Callable[..., Any]
    takes: Tree
    count: int
    moving: tuple[int, ...]
    results: tuple[Due, ...]

    def __call__(self, *args: Any) -> Any:
        given = self.run(*own(self.takes, args))
        found: list[Any] = []
        for part in given if isinstance(given, tuple) else (given,):
            if part is None:
                found.append(None)
            else:
                parts_of(part, found)
        if len(found) != self.count:
            fail(f"{self.name} returned {len(found)} tangents for {self.count} outputs")
        made = [
            self._tangent(found[i], due, args, i)
            for i, due in zip(self.moving, self.results, strict=True)
        ]
        return made[0] if len(made) == 1 else tuple(made)

    def _tangent(self, t: Any, due: Due, args: Sequence[Any], i: int) -> Any:
        if t is None and not isinstance(due, str):
            shape = tuple(args[n[0]].shape[n[1]] for n in due[1])
            return np.zeros(shape, due[0]) if shape else np.dtype(due[0]).type(0)
        what = f"{self.name}: the tangent of output {i}"
        return fitted(0.0 if t is None else t, due, args, what, i)


def due_of(x: Any, declared: Sequence[Any]) -> Due:
    """The type of an example result; ``declared`` are example arguments whose lengths its own
    may be taken from, None where lengths are not declared."""
    if isinstance(x, float | complex | int) and not isinstance(x, np.generic):
        return type(x).__name__
    shape = x.shape
    if not declared:
        return (x.dtype.name, tuple(None for _ in shape))
    at: dict[int, tuple[int, int]] = {}
    for position, arg in enumerate(declared):
        for axis, n in enumerate(np.shape(arg)):
            at.setdefault(n, (position, axis))
    lengths: list[Any] = [n if n < 2 else at.get(n, n) for n in shape]
    for axis in getattr(x, "unknown", ()):
        lengths[axis] = None
    return (x.dtype.name, tuple(lengths))


__all__ = [
    "RunsBackward",
    "RunsForward",
    "RunsTangent",
    "due_of",
    "marked",
    "parts_of",
    "text_of",
]
