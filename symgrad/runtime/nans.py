"""``debug_nans``: where the first nan or infinity of a result arose.

A call whose result is not finite is run again op by op, with the values followed back from the
result to the operation that made them: what a mask or a branch keeps out of the result does not
count.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Iterator, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NonFiniteGradientError
from .rulewords import rules_of
from .trees import map_structure

if TYPE_CHECKING:
    from ..ir.values import Function, Op
    from .compiled import CompiledFunction
    from .pipeline import Program

UNFILLED = ("empty", "empty_like")
WATCHING: ContextVar[bool] = ContextVar("symgrad_debug_nans", default=False)


class debug_nans:  # noqa: N801  (used like a function)
    """While this is entered, a compiled function whose result holds nan or infinities raises an
    error that names the line of the user's and the operation in which the first arose, in the
    forward code or in the backward.

    Functions run as fast as ever as long as all is finite, but for a look at arguments and
    results. It holds for the thread, or task, that enters it.

    Args:
        enabled: False turns it off inside of another one.

    Raises:
        NonFiniteGradientError: at the call.

    Example:
        >>> with sg.debug_nans(), np.errstate(all="ignore"):
        ...     sg.grad(lambda x: np.sum(np.log(x)))(np.zeros(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.NonFiniteGradientError: `<lambda>`: the first infinity ...
    """

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> debug_nans:
        self._tokens.append(WATCHING.set(self.enabled))
        return self

    def __exit__(self, *error: object) -> None:
        WATCHING.reset(self._tokens.pop())


def watched(compiled: CompiledFunction, args: Any, kwargs: Any) -> Any:
    """The result of a call.

    Raises:
        NonFiniteGradientError: it is not finite.
    """
    before = map_structure(_kept, (args, kwargs))
    state = np.random.get_state()
    result = compiled._enter(*args, **kwargs)
    if compiled._kind not in ("vjp", "linearize") and not all(
        map(_finite, _leaves(result))
    ):
        after = np.random.get_state()
        np.random.set_state(state)
        try:
            _explain(compiled, *before)
        finally:
            np.random.set_state(after)
    return result


def is_trouble(result: Any) -> bool:
    """Whether ``watched`` will raise for this result: what depends on it need not be done."""
    return WATCHING.get() and not all(map(_finite, _leaves(result)))


def _kept(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, np.random.Generator | np.random.RandomState):
        return copy.deepcopy(x)
    return x


def _leaves(x: Any) -> Iterator[Any]:
    found: list[Any] = []
    map_structure(found.append, x)
    return iter(found)


def _finite(x: Any) -> bool:
    if isinstance(x, list):
        return all(map(_finite, x))
    if not isinstance(x, np.ndarray | np.generic | float | complex):
        return True
    return np.asarray(x).dtype.kind not in "fc" or bool(np.all(np.isfinite(x)))


# ---------------------------------------------------------------------------- following back
def _explain(compiled: CompiledFunction, args: Any, kwargs: Any) -> None:
    from .arguments import bound_call

    call = bound_call(compiled, args, kwargs)
    function = call.plain
    written = call.made.program.initial
    _follow(function, call.flat(function), compiled._title(), written)


def _follow(function: Function, args: Sequence[Any], name: str, written: Function) -> None:
    """Run a function op by op; raise if its results are not finite. ``written`` is the function
    before derivatives were written out."""
    from ..ir.evaluate import Watched, run

    given = zip(function.params, args, strict=True)
    trail = _Trail({id(v): p.name for p, v in given if not _finite(v)})
    env = Watched(trail.watch)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        results = run(function.block, args, env)
    for result in results:
        if not _finite(result) and id(result) in trail.origin:
            raise trail.error(trail.origin[id(result)], name, written)


@dataclass(frozen=True, slots=True)
class Part:
    """The way back of a vjp, or the linear part of a function, watched too. Another process gets
    its code, and does not watch it."""

    program: Program
    name: str

    def __call__(self, *args: Any) -> Any:
        if not WATCHING.get():
            return self.program.call(*args)
        before = [map_structure(_kept, x) for x in args]
        result = self.program.call(*args)
        if not all(map(_finite, _leaves(result))):
            _follow(self.program.final, before, self.name, self.program.initial)
        return result

    def __reduce__(self) -> Any:
        from .pickling import code_of

        return code_of(self.program)


class _Trail:
    """For each value that is not finite, by identity, what it comes from: an op with its inputs
    and its result, or the name of an argument."""

    def __init__(self, origin: dict[int, Any]) -> None:
        self.origin = origin
        self.alive: list[Any] = []

    def watch(self, op: Op, inputs: Sequence[Any], results: Sequence[Any]) -> None:
        for result in results:
            if op.name in UNFILLED:
                result.fill(
                    0
                )  # what happens to lie there is not read, and is nobody's fault
            if id(result) in self.origin or _finite(result):
                continue
            self.alive.append(result)
            source = next((x for x in inputs if id(x) in self.origin), None)
            known = None if source is None else self.origin[id(source)]
            self.origin[id(result)] = known or (op, list(inputs), result)

    def error(self, origin: Any, name: str, written: Function) -> NonFiniteGradientError:
        if isinstance(origin, str):
            return NonFiniteGradientError(
                f"`{name}`: the result is not finite since the argument `{origin}` is not"
            )
        op, inputs, result = origin
        bad = np.asarray(result)
        where = np.argwhere(~np.isfinite(bad))[0] if bad.ndim else ()
        kind = "nan" if np.isnan(bad[tuple(where)]) else "infinity"
        place = f" at [{', '.join(map(str, where))}]" if bad.ndim else ""
        met = ", ".join(_entry(x, bad.shape, where) for x in inputs)
        code = f"the {op.role} code" if op.role else "the forward code"
        rules = _rules(op, written) if op.role else ""
        return NonFiniteGradientError(
            f"`{name}`: the first {kind} arose in {code}, in `{op.name}({met})`{place}{rules}, "
            "which belongs to this line:",
            op.span,
        )


def _rules(op: Op, written: Function) -> str:
    """The derivative rules that the code of an op may come from: those of what stands in the
    same place of the user's code. Those of sums and the like make nothing infinite."""
    there = [
        o
        for o in written.block.walk()
        if o.span == op.span and o.name != "const" and not o.kind.has("derivative")
    ]
    curved = [o for o in there if not _adds(o)] if not _adds(op) else there
    rules = {o.name: next(rules_of(o, ""), "") for o in curved or there}
    named = {name: rule for name, rule in rules.items() if rule}
    if not named:
        return ""
    if len(named) == 1:
        [(name, rule)] = named.items()
        return f", by the rule of `{name}` ({rule})"
    return f", by the rule of one of {', '.join(f'`{name}`' for name in named)}"


def _adds(op: Op) -> bool:
    return op.kind.has("linear") or op.kind.has("additive")


def _entry(x: Any, shape: tuple[int, ...], where: Sequence[int]) -> str:
    """An input of the op, or its entry that counts for the one at ``where``."""
    array = np.asarray(x)
    if array.dtype.kind not in "fciub":
        return type(x).__name__
    if not array.ndim:
        return str(array[()])
    try:
        return str(np.broadcast_to(array, shape)[tuple(where)])
    except ValueError:
        return f"{array.dtype}{list(array.shape)}"


__all__ = ["WATCHING", "Part", "debug_nans", "watched"]
