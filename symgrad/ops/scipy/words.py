"""The word ``special``: one function of ``scipy.special`` by its slopes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.special

from ...errors import DTypeError, NotDifferentiableError
from ...ir.types import ArrayType, ScalarType, Type
from ...ir.values import Value
from ..elementwise import _jvp, _vjp, elementwise, weak
from ..formula import parse

IMPORT = "from scipy import special"
ROOT_PI = math.sqrt(math.pi)
ROOT_2PI = math.sqrt(2 * math.pi)


def refuse_slope(name: str, argument: str, seed: str) -> Callable[..., Any]:
    """The rule of an argument that may only be data."""

    def refuse() -> Any:
        raise NotDifferentiableError(
            f"scipy.special.{name} has no derivative in closed form with respect to "
            f"`{argument}`; stop the gradient of what is passed there"
        )

    rule: Any = (lambda g: refuse()) if seed == "g" else (lambda t: refuse())
    rule.refuses = True
    return rule  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def _dtype(name: str, types: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype of a result: not all of SciPy's functions are ufuncs that can be asked."""
    values = [t(1) if isinstance(t, type) else np.ones(1, t) for t in types]
    return asked(name, *values)


def asked(name: str, *args: Any) -> np.dtype[Any]:
    """The dtype of what a function gives for arguments like ``args``; a dtype stands for an
    array of it."""
    given = [np.full(1, 9, a) if isinstance(a, np.dtype) else a for a in args]
    with np.errstate(all="ignore"):
        try:
            return np.asarray(getattr(scipy.special, name)(*given)).dtype
        except TypeError:
            kinds = " and ".join(str(np.asarray(a).dtype) for a in given)
            raise DTypeError(f"scipy.special.{name} does not take {kinds}") from None


def type_rule(name: str) -> Callable[..., Type]:
    """The type rule of ``scipy.special.name``."""

    def infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
        types = [v.type for v in inputs]
        if all(isinstance(t, ScalarType) for t in types):
            found = _dtype(name, tuple(map(weak, types)))
            return ScalarType("complex" if found.kind == "c" else "float")
        shape = dims.broadcast_shapes(*(t.shape for t in types))  # type: ignore[union-attr]
        return ArrayType(_dtype(name, tuple(map(weak, types))), shape)

    return infer


def special(
    name: str,
    inputs: str = "x",
    *,
    kink: str = "",
    turn: Callable[..., Any] | None = None,
    calls: tuple[Any, ...] | None = None,
    level: str = "",
    traits: str = "",
    **slopes: str,
) -> None:
    """One function of ``scipy.special``, with a slope per argument that has one.

    Args:
        turn: what is made of the rules by the last argument, for functions that are not
            holomorphic: ``turn(rule, seed)``.
        calls, level, traits: as in ``elementwise``.
    """
    if not hasattr(scipy.special, name):
        return  # of a later SciPy
    names = inputs.split()
    rules = {x: parse(text) for x, text in slopes.items()}
    data = [x for x in names if x not in slopes and slopes]
    made = {
        seed: {x: rule(r, names, True, level) for x, r in rules.items()}
        | {x: refuse_slope(name, x, seed) for x in data}
        for seed, rule in (("g", _vjp), ("t", _jvp))
    }
    if turn is not None:
        for seed, by in made.items():
            by[names[-1]] = turn(by[names[-1]], seed)
    traits = f"{traits} {'singular' if slopes else 'nondiff'}"
    call = f"special.{name}({', '.join(names)})"
    elementwise(
        f"special_{name}", inputs=inputs, emit=call, emit_scalar=f"{call}.item()",
        ufunc=getattr(scipy.special, name), infer=type_rule(name), imports=(IMPORT,),
        math_name="", kink=kink, vjp=made["g"], jvp=made["t"],
        calls=calls, traits=traits, doc=f"scipy.special.{name}.",
    )  # fmt: skip
