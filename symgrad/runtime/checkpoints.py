"""``checkpoint``: less memory for derivatives, at the price of computing again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from ..errors import CallError, InputTypeError
from . import checkpoint_policies as policies
from .api import make
from .checkpoint_policies import Policy
from .compiled import CompiledFunction

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A policy as the compiler asks it."""

    policy: Policy

    def __call__(self, op: Any) -> bool:
        return bool(self.policy(policies.Operation.of(op)))


@overload
def checkpoint(
    fun: Callable[..., Any], *, policy: Policy | None = ..., budget: int | None = ...
) -> CompiledFunction: ...


@overload
def checkpoint(
    fun: None = None, *, policy: Policy | None = ..., budget: int | None = ...
) -> Callable[[Callable[..., Any]], CompiledFunction]: ...


def checkpoint(
    fun: Callable[..., Any] | None = None,
    *,
    policy: Policy | None = None,
    budget: int | None = None,
) -> Any:
    """``fun``, whose intermediate values are not kept for its derivatives but computed again;
    also a decorator, with or without options. ``remat`` is the same.

    The derivatives are the same to the last bit, also those of higher order and under ``vmap``.
    Random draws are kept, and effects such as prints happen once.

    Args:
        fun: the function; its loops and branches are computed again as a whole.
        policy: what to keep nevertheless, one of ``sg.checkpoint_policies`` or a function of a
            ``sg.checkpoint_policies.Operation`` that says whether its result is kept. By
            default nothing is, except the arguments. Where it keeps something inside of a loop or
            branch, what that carries from round to round is kept too.
        budget: instead of a policy: for each of the outermost loops of ``fun`` keep what it
            carries from round to round for this many rounds at a time, and compute the rest
            again from there, by the schedule that takes the fewest rounds (Griewank and Walther,
            2000, Algorithm 799: revolve). With ``budget=k`` and ``r`` repetitions there may be
            ``(k + r)! / (k! r!)`` rounds, so a budget of the logarithm of their number costs time
            growing as that logarithm. What happens within a round is kept while that round is
            passed backwards. A second reverse derivative keeps what it needs of the first. A loop
            that the generated code has written out, as one over a list of layers, is none.

    Raises:
        UnsupportedFunctionError: random draws inside a loop or branch, which would not be the
            same again; with ``budget``, a loop that carries a list that grows.

    Example:
        >>> @sg.checkpoint(budget=4)
        ... def simulate(x, n):
        ...     for _ in range(n):
        ...         x = x + 0.1 * np.sin(x)
        ...     return x
        >>> sg.grad(lambda x: simulate(x, 1000))(1.0) > 0
        True
    """
    if budget is not None and (
        isinstance(budget, bool) or not isinstance(budget, int) or budget < 1
    ):
        raise InputTypeError(f"budget has to be an int of at least 1, not {budget!r}")
    if budget is not None and policy is not None:
        raise CallError("`checkpoint` takes a policy or a budget for loops, not both")
    if policy is not None and not callable(policy):
        raise InputTypeError(f"policy has to be a function, not {policy!r:.60}")
    kind = "compile" if policy is policies.everything_saveable else "checkpoint"
    options: dict[str, Any] = {}
    if kind == "checkpoint":
        options = {"budget": budget, "policy": None}
        if policy is not None and policy is not policies.nothing_saveable:
            options["policy"] = Chosen(policy)
    if fun is None:
        return lambda function: make(kind, function, options)
    return make(kind, fun, options)


def checkpoint_name(x: T, name: str) -> T:
    """``x`` itself, under a name that ``checkpoint_policies.save_only_these_names`` knows.

    Example:
        >>> sg.checkpoint_name(np.ones(2), "hidden")
        array([1., 1.])
    """
    return x


remat = checkpoint

vars(checkpoint)["__symgrad_transform__"] = True
vars(checkpoint_name)["__symgrad_verb__"] = "checkpoint_name"
