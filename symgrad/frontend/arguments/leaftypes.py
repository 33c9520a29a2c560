"""Types of runtime leaves, and the refusal of those that have no derivative."""

from __future__ import annotations

from typing import Any

from ...errors import InputTypeError, NonScalarOutputError
from ...ir.types import (
    ArrayType,
    ScalarType,
    Type,
    is_complex,
    is_inexact,
    scalar_of,
    type_of_constant,
)
from ...ir.values import Value
from ..derivatives.transforming import request_of
from ..machine import Machine
from ..names.captures import Found
from ..parts import LEAVES, Parts
from ..values import Ref
from .selection import Selected


def check_inputs(
    chosen: Selected,
    parts: Parts,
    *,
    allow_int: bool | None = None,
    holomorphic: bool = False,
) -> None:
    """Refuse to differentiate by what is no float; with ``holomorphic`` by what is not complex.
    ``allow_int`` is None where there is no such option.

    Raises:
        InputTypeError: naming the argument, or the part of it.
    """
    if not parts.leaves and not parts.is_container:
        raise InputTypeError(
            f"{chosen.text} is {_static_text(parts.whole)}, which has no derivative; choose "
            "other arguments with argnums"
        )
    for leaf, where in zip(parts.leaves, parts.places, strict=True):
        kind = type_of(leaf)
        if holomorphic and is_complex(kind):
            continue
        if not holomorphic and (is_inexact(kind) or (allow_int and _is_integer(kind))):
            continue
        advice = "gradients are taken with respect to floats"
        if holomorphic:
            advice = (
                "a holomorphic function has complex arguments: convert with astype(complex)"
            )
        elif _is_integer(kind) and isinstance(kind, ScalarType):
            advice = "pass a float" + ("" if allow_int is None else ", or allow_int=True")
        elif _is_integer(kind):
            more = "" if allow_int is None else " or pass allow_int=True"
            advice = f"convert with astype(float){more}"
        raise InputTypeError(f"{chosen.text}{where} is {_type_text(kind)}; {advice}")


def check_scalar(
    kind: str, name: str, given: Any, *, has_aux: bool, holomorphic: bool = False
) -> None:
    """Refuse to take the gradient of what is not one real number, or one complex number for
    ``holomorphic``.

    Raises:
        NonScalarOutputError: saying what it is, and what to return instead.
    """
    found = type_of(given) if isinstance(given, LEAVES) else None
    single = isinstance(found, ArrayType | ScalarType) and found.shape == ()
    if single and found is not None:
        if is_complex(found) if holomorphic else is_real(found):
            return
        if holomorphic:
            raise NonScalarOutputError(
                f"`{kind}` with holomorphic=True needs a complex result, `{name}` returned "
                f"{result_text(given)}; without it, the gradient of a real result by complex "
                "arguments is dL/dRe + 1j * dL/dIm"
            )
    raise NonScalarOutputError(
        f"`{kind}` needs a scalar result, `{name}` returned {result_text(given)}; "
        f"{_scalar_advice(kind, given, found, has_aux)}"
    )


def _scalar_advice(kind: str, given: Any, found: Type | None, has_aux: bool) -> str:
    if isinstance(given, tuple) and kind == "backward":
        return "return the loss alone; an attribute of a module can keep the rest"
    if isinstance(given, tuple) and not has_aux:
        return "return the value first and pass has_aux=True, or return one of them"
    if found is None:
        return "return one real number, with a `return` on every path"
    if isinstance(found, ArrayType) and found.shape:
        return "sum it, or take its mean or one entry"
    if is_complex(found):
        return (
            "return its real part, imaginary part or absolute value, or pass holomorphic=True "
            "for the derivative of a holomorphic function"
        )
    return "an integer does not change smoothly: return a float"


def type_of(x: Any) -> Type:
    """The type of a runtime value or number."""
    if isinstance(x, Value | Ref):
        return x.type
    return (
        scalar_of(x) if isinstance(x, bool | int | float | complex) else type_of_constant(x)
    )


def as_value(m: Machine, x: Any) -> Value:
    """A runtime value or number as IR."""
    if isinstance(x, Ref):
        return m.read(x)
    return x if isinstance(x, Value) else m.builder.const(x)


def name_of(function: Any) -> str:
    """A function's name for messages."""
    for _ in range(20):
        if isinstance(function, Found):
            function = function.value
        request = request_of(function)
        if request is not None:
            function = request.fun
            continue
        name = getattr(function, "__name__", None) or getattr(function, "name", None)
        if isinstance(name, str):
            return "lambda" if name == "<lambda>" else name
        inner = getattr(function, "function", getattr(function, "func", None))
        if inner is None:
            return type(function).__name__
        function = inner
    return "function"


def _kind(t: Type) -> str:
    return t.dtype.kind if isinstance(t, ArrayType | ScalarType) else "O"


def is_real(t: Type) -> bool:
    """Whether values of this type are real floats."""
    return _kind(t) == "f"


def _is_integer(t: Type) -> bool:
    return _kind(t) in "iub"


def _type_text(t: Type) -> str:
    if isinstance(t, ScalarType):
        return f"a Python {t.kind}"
    return f"{t.dtype.name}" if isinstance(t, ArrayType) else str(t)


def _static_text(x: Any) -> str:
    return repr(x) if x is None or isinstance(x, bool | str) else f"a {type(x).__name__}"


def result_text(x: Any) -> str:
    """A function's result for messages."""
    if isinstance(x, LEAVES):
        kind = type_of(x)
        return f"a Python {kind}" if isinstance(kind, ScalarType) else str(kind)
    if isinstance(x, tuple):
        return f"a tuple of {len(x)}"
    names = {"ListObject": "a list", "DictObject": "a dict", "Record": "an object"}
    if x is None:
        return "None"
    return names.get(type(x).__name__, f"a {type(x).__name__}")
