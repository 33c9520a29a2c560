"""Derivatives against central differences: both modes, first and second order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GradcheckError, InputTypeError
from ..ir.nodes import revived
from ..ir.tree import Node, leaves
from ..ir.types import ArrayType, is_complex, is_inexact
from ..ir.values import Argument, Function
from ..runtime.compiled import CompiledFunction
from ..runtime.pipeline import build
from ..runtime.tracebacks import shortened
from .derived import forward_of, reverse_of, wrt_of

Flat = Callable[[Sequence[Any]], list[Any]]
MODES = {"fwd": forward_of, "rev": reverse_of}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How close is close enough, and the step of the differences."""

    atol: float
    rtol: float
    eps: float


@shortened
def check_grads(
    fun: Any,
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    *,
    seed: int = 0,
) -> None:
    """Compare the derivatives of ``fun`` at ``args`` with central differences.

    Every real array or number in ``args`` is varied, in a random direction; every real
    result counts, with a random weight. The second order checks each mode's derivative in
    each mode again.

    Args:
        fun: a function of arrays and numbers, in any nesting; compiled or not.
        args: where to check; a tuple.
        order: 1 or 2.
        modes: ``"fwd"`` and ``"rev"``, or one of them.
        atol, rtol: tolerances; by default 1e-6 (5e-3 where single precision is involved).
        eps: the step of the differences.
        seed: of the directions.

    Raises:
        GradcheckError: with point, direction, expected and got.

    Example:
        >>> testing.check_grads(lambda x: np.sum(np.sin(x) ** 2), (np.arange(3.0),))
    """
    _validate(order, modes)
    compiled = _compiled(fun, order)
    lowered = compiled.lower(*args)
    function, made = lowered.function, lowered.specialisation
    original = _original(compiled)
    positional, named = _with_defaults(original, args)
    values = list(_flatten(Node("tuple", made.args), positional))
    known = {**named, **(made.admit(*args) or {})}
    fixed = len(values)
    values += [x for a in function.arguments for x in _left(a, known)]
    changed = [p for p, _ in function.mutates if p >= fixed]

    def flat(now: Sequence[Any]) -> list[Any]:
        own = [v.copy() if isinstance(v, np.ndarray) else v for v in now]
        rebuilt = iter(own)
        new_args = [_rebuild(tree, rebuilt) for tree in made.args]
        with _standing_in(values, own, changed):
            found = _results(original(*new_args), function)
        for param, result in function.mutates:
            found[result] = own[param]
        return found

    _refuse(function, getattr(fun, "__name__", "function"))
    varied = [i for i in wrt_of(function) if i < fixed]
    tolerance = _tolerance(_involved(function), atol, rtol, eps)
    _Checker(tolerance, np.random.default_rng(seed)).check(
        flat, function, values, varied, order, tuple(modes), ""
    )


@contextmanager
def _standing_in(
    values: Sequence[Any], own: Sequence[Any], places: Sequence[int]
) -> Iterator[None]:
    """Captured arrays, which the function finds for itself and changes, hold what ``own`` has
    in their places; afterwards that holds what they have become, and they what they had."""
    before = [values[p].copy() for p in places]
    for p in places:
        values[p][...] = own[p]
    try:
        yield
    finally:
        for p, old in zip(places, before, strict=True):
            own[p][...], values[p][...] = values[p].copy(), old


def _validate(order: int, modes: Sequence[str]) -> None:
    if order not in (1, 2):
        raise ValueError(f"check_grads: order is 1 or 2, not {order!r}")
    if not modes or any(mode not in MODES for mode in modes):
        raise ValueError(f'check_grads: modes are "fwd" and "rev", not {modes!r}')


def _compiled(fun: Any, order: int) -> CompiledFunction:
    """The function with as many derivatives of rules that call themselves as are checked."""
    if not isinstance(fun, CompiledFunction):
        return CompiledFunction("compile", fun, (("orders", order),))
    request = fun.__symgrad_request__
    if request.kind != "compile":
        return fun
    return CompiledFunction("compile", request.fun, (*request.options, ("orders", order)))


def _original(compiled: CompiledFunction) -> Any:
    request = compiled.__symgrad_request__
    return request.fun if request.kind == "compile" else compiled


def _with_defaults(
    original: Any, args: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call by position and by name, those left to their defaults too."""
    try:
        bound = inspect.signature(original).bind(*args)
    except (TypeError, ValueError):  # of C functions there may be no signature
        return tuple(args), {}
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _left(argument: Argument, named: Mapping[str, Any]) -> list[Any]:
    """What is not passed by position, so not varied: what is captured, and keyword-only
    arguments, which have their defaults."""
    return _flatten(argument.tree, named[argument.name]) if argument.name in named else []


def _refuse(function: Function, name: str) -> None:
    if not wrt_of(function):
        raise InputTypeError(f"check_grads: `{name}` has no real argument to vary")
    if not any(is_inexact(r.type) for r in function.block.results):
        raise InputTypeError(f"check_grads: `{name}` has no real result")
    if any(is_complex(v.type) for v in (*function.params, *function.block.results)):
        raise InputTypeError(f"check_grads: `{name}` has complex arguments or results")


def _involved(function: Function) -> set[Any]:
    """The dtypes of arguments, intermediate values and results."""
    made = [r for op in function.block.walk() for r in op.results]
    types = [v.type for v in (*function.params, *made)]
    return {t.dtype for t in types if isinstance(t, ArrayType)}


def _tolerance(
    dtypes: Iterable[Any], atol: float | None, rtol: float | None, eps: float | None
) -> Tolerance:
    single = any(k.kind == "f" and k.itemsize < 8 for k in dtypes)
    usual = 5e-3 if single else 1e-6
    return Tolerance(
        usual if atol is None else atol,
        usual if rtol is None else rtol,
        (5e-3 if single else 5e-6) if eps is None else eps,
    )


@dataclass(slots=True)
class _Checker:
    tolerance: Tolerance
    rng: np.random.Generator

    def check(
        self,
        flat: Flat,
        function: Function,
        values: list[Any],
        varied: Sequence[int],
        order: int,
        modes: tuple[str, ...],
        done: str,
    ) -> None:
        """Check the derivatives of ``function``, of which ``flat`` gives the values."""
        wrt = wrt_of(function)
        direction = [self.like(values[i]) if i in varied else _zero(values[i]) for i in wrt]
        after, slopes = self.slopes(flat, function, values, direction)
        names = [p.name for p in function.params]
        point = dict(zip(names, values, strict=True))
        along = {names[i]: d for i, d in zip(wrt, direction, strict=True)}
        for mode in modes:
            derived = MODES[mode](function)
            call = build(derived, "check_grads").call
            what = f"{done}{'forward' if mode == 'fwd' else 'reverse'} mode"
            more = direction if mode == "fwd" else [self.like(a) for a in after]
            both = [*values, *more]
            got = call(*_copies(both))
            if mode == "fwd":
                for i, (g, slope) in enumerate(zip(got, slopes, strict=True)):
                    self.compare(g, slope, f"{what}, tangent of result {i}", point, along)
            else:
                total = sum(_dot(g, d) for g, d in zip(got, direction, strict=True))
                parts = list(zip(more, slopes, strict=True))
                wanted = sum(_dot(w, s) for w, s in parts)
                size = sum(_dot(np.abs(w), np.abs(s)) for w, s in parts)
                text = f"{what}, gradient along the direction"
                self.compare(total, wanted, text, point, along, size)
            if order > 1:
                further = [*varied, *range(len(values), len(both))]
                again = _as_flat(call)
                self.check(
                    again, derived, both, further, order - 1, modes, f"{what}, then "
                )

    def slopes(
        self, flat: Flat, function: Function, values: list[Any], direction: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """The real results a step further, and their differences along the direction."""
        wrt, eps = wrt_of(function), self.tolerance.eps
        real = [i for i, r in enumerate(function.block.results) if is_inexact(r.type)]
        before = flat(self.moved(values, wrt, direction, -eps))
        after = flat(self.moved(values, wrt, direction, +eps))
        slopes = [(np.asarray(after[i], float) - before[i]) / (2 * eps) for i in real]
        return [after[i] for i in real], slopes

    def like(self, x: Any) -> Any:
        """A random direction for ``x``."""
        if type(x) is float:
            return float(self.rng.uniform(-1, 1))
        made = self.rng.uniform(-1, 1, np.shape(x)).astype(np.asarray(x).dtype)
        return made if np.ndim(x) else made[()]

    def moved(
        self,
        values: Sequence[Any],
        wrt: Sequence[int],
        direction: Sequence[Any],
        step: float,
    ) -> list[Any]:
        """The values, those at ``wrt`` a step along the direction."""
        moved = _copies(values)
        for i, d in zip(wrt, direction, strict=True):
            there = values[i] + step * np.asarray(d, float)
            moved[i] = _as(values[i], there)
        return moved

    def compare(
        self,
        got: Any,
        expected: Any,
        what: str,
        point: dict[str, Any],
        along: dict[str, Any],
        size: Any = None,
    ) -> None:
        """Raise where the difference is too large."""
        got, expected = np.asarray(got, float), np.asarray(expected, float)
        scale = np.abs(expected) if size is None else size
        allowed = self.tolerance.atol + self.tolerance.rtol * scale
        wrong = ~(np.abs(got - expected) <= allowed)
        if got.shape == expected.shape and not np.any(wrong):
            return
        lines = [f"{what} is not what differences say"]
        if got.shape != expected.shape:
            lines.append(f"  shape {got.shape} instead of {expected.shape}")
        elif got.ndim:
            excess = np.where(wrong, np.abs(got - expected), -1)
            worst = np.unravel_index(int(np.argmax(excess)), got.shape)
            index = ", ".join(map(str, worst))
            lines.append(
                f"  worst at [{index}]: expected {expected[worst]!s}, got {got[worst]!s}"
            )
        lines += [
            f"  expected: {_short(expected)}",
            f"  got:      {_short(got)}",
            f"  tolerance: atol={self.tolerance.atol}, rtol={self.tolerance.rtol}",
        ]
        lines += [f"  point {name} = {_short(v)}" for name, v in point.items()]
        lines += [f"  direction {name} = {_short(v)}" for name, v in along.items()]
        raise GradcheckError("\n".join(lines))


def _short(x: Any) -> str:
    text = np.array2string(np.asarray(x), threshold=12, edgeitems=2, max_line_width=70)
    return text.replace("\n", "\n    ")


def _as_flat(call: Callable[..., Any]) -> Flat:
    return lambda values: list(call(*_copies(values)))


def _dot(a: Any, b: Any) -> Any:
    return np.sum(np.asarray(a, float) * np.asarray(b, float))


def _zero(x: Any) -> Any:
    return 0.0 if type(x) is float else np.zeros_like(x)


def _as(model: Any, x: Any) -> Any:
    if type(model) is not float:
        made = np.asarray(x, np.asarray(model).dtype)
        return made if np.ndim(model) else made[()]
    return float(x)


def _copies(values: Sequence[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def _flatten(tree: Any, value: Any) -> list[Any]:
    if not isinstance(tree, Node):
        return [value]
    if tree.kind == "maybe":
        return [True, *_flatten(tree.children[1], value)]
    if tree.kind == "either":
        raise TypeError("results of two kinds cannot be checked; return one of them")
    found: list[Any] = []
    for position, child in enumerate(tree.children):
        how, key = tree.access(position)
        found += _flatten(child, getattr(value, key) if how == "attr" else value[key])
    return found


def _rebuild(tree: Any, values: Any) -> Any:
    if not isinstance(tree, Node):
        return next(values)
    if tree.kind == "static":
        return tree.value
    children = [_rebuild(child, values) for child in tree.children]
    if tree.kind == "maybe":
        return children[1]
    if tree.kind in ("tuple", "list"):
        return tuple(children) if tree.kind == "tuple" else children
    if tree.kind == "dict":
        return dict(zip(tree.keys, children, strict=True))
    if tree.kind == "object":
        return revived(tree.cls, tree.keys, children)
    return tree.cls(**dict(zip(tree.keys, children, strict=True)))


def _results(value: Any, function: Function) -> list[Any]:
    found: list[Any] = [None] * len(function.block.results)
    places = list(leaves(function.returns))
    for place, result in zip(places, _flatten(function.returns, value), strict=True):
        found[place] = result
    return found
