"""Constants as they are written in generated code."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np


class Unwritable(Exception):
    """An object that has no expression in generated code."""


def constant(value: Any) -> ast.expr:
    """A constant as it is written: Python and NumPy scalars, arrays, dtypes, containers.

    >>> ast.unparse(constant(np.float32(0.5)))
    'np.float32(0.5)'

    Raises:
        Unwritable: it is something else.
    """
    if isinstance(value, np.bool_):
        return ast.Call(_np("bool_"), [ast.Constant(bool(value))], [])
    if isinstance(value, np.generic):
        return ast.Call(_np(value.dtype.name), [constant(_shortest(value))], [])
    if isinstance(value, np.ndarray):
        dtype = ast.keyword("dtype", constant(value.dtype))
        return ast.Call(_np("array"), [constant(value.tolist())], [dtype])
    if isinstance(value, np.dtype):
        return _np("bool_" if value == np.bool_ else value.name)
    if isinstance(value, type) and issubclass(value, np.generic):
        return constant(np.dtype(value))
    if isinstance(value, tuple):
        return ast.Tuple([constant(v) for v in value])
    if isinstance(value, list):
        return ast.List([constant(v) for v in value])
    if isinstance(value, dict):
        return ast.Dict([constant(k) for k in value], [constant(v) for v in value.values()])
    if isinstance(value, slice):
        parts = [constant(p) for p in (value.start, value.stop, value.step)]
        return ast.Call(ast.Name("slice"), parts, [])
    if isinstance(value, float | complex):
        return _number(value)
    if value is None or value is ... or isinstance(value, bool | int | str | bytes):
        return _number(value) if type(value) is int else ast.Constant(value)
    raise Unwritable(f"{value!r} cannot be written as a constant")


def _np(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("np"), name)


def _shortest(value: np.generic) -> Any:
    """The Python number with the fewest digits that NumPy rounds to ``value``."""
    if value.dtype.kind == "f" and np.isfinite(value):
        short = float(str(value))
        if value.dtype.type(short) == value:
            return short
    return value.item()


def _number(value: Any) -> ast.expr:
    if isinstance(value, complex):
        if value.real == 0 and np.isfinite(value.imag) and np.copysign(1, value.real) > 0:
            return _number_sign(value.imag, lambda x: ast.Constant(complex(0, x)))
        return ast.Call(ast.Name("complex"), [_number(value.real), _number(value.imag)], [])
    if isinstance(value, float) and np.isnan(value):
        return _np("nan")
    if isinstance(value, float) and np.isinf(value):
        inf = _np("inf")
        return inf if value > 0 else ast.UnaryOp(ast.USub(), inf)
    return _number_sign(value, ast.Constant)


def _number_sign(value: Any, make: Any) -> ast.expr:
    if np.copysign(1, value) < 0:
        return ast.UnaryOp(ast.USub(), make(-value))
    return make(value)  # type: ignore[no-any-return]
