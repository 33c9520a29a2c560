"""Tangents and cotangents: values that must be like others in structure, shape and dtype."""

from __future__ import annotations

from typing import Any

from ...errors import DTypeError, ShapeError, TreeStructureError
from ...ir.dims import may_be_one
from ...ir.expr import Expr, f, one
from ...ir.types import ArrayType, ScalarType, is_inexact
from ...ir.values import Value
from ..arguments.leaftypes import as_value, result_text, type_of
from ..arguments.selection import with_objects
from ..machine import Machine
from ..names.static import opened
from ..parts import LEAVES, children_of, is_leaf, kind_of


def fit(m: Machine, given: Any, like: Any, what: str, whose: str) -> list[Value | None]:
    """For each leaf of ``like`` the value in the same place of ``given``: None where there is
    None, or where the leaf is of no real or complex type.

    Args:
        what: what is fitted, for messages: "tangent", "cotangent".
        whose: what ``like`` is, for messages: "argument 0 (`x`)".

    Raises:
        TreeStructureError, ShapeError, DTypeError: naming the place.
    """
    found: list[Value | None] = []
    _collect(m, with_objects(m, given), like, "", found, (what, whose))
    return found


def _collect(
    m: Machine,
    given: Any,
    like: Any,
    place: str,
    found: list[Value | None],
    words: tuple[str, str],
) -> None:
    given, like = opened(m, given), opened(m, like)
    if is_leaf(like):
        found.append(_fitted(m, given, like, place, words))
        return
    inside = children_of(like)
    if given is None:
        for text, child in inside:
            _collect(m, None, child, place + text, found, words)
        return
    if is_leaf(given) and not inside:
        raise TreeStructureError(_differs(words, place, kind_of(like), result_text(given)))
    other = children_of(given) if not is_leaf(given) else []
    names, others = [t for t, _ in inside], [t for t, _ in other]
    if type(given) is not type(like) or sorted(names) != sorted(others):
        raise TreeStructureError(_differs(words, place, kind_of(like), kind_of(given)))
    by_name = dict(other)
    for text, child in inside:
        _collect(m, by_name[text], child, place + text, found, words)


def _differs(words: tuple[str, str], place: str, wanted: str, met: str) -> str:
    what, whose = words
    return f"the {what} of {whose}{place} has to be {wanted} like it, not {met}"


def _fitted(
    m: Machine, given: Any, like: Any, place: str, words: tuple[str, str]
) -> Value | None:
    what, whose = words
    kind = type_of(like)
    if given is None or not is_inexact(kind):
        return None
    if isinstance(given, bool) or not isinstance(given, LEAVES):
        raise TreeStructureError(_differs(words, place, result_text(like), kind_of(given)))
    met = type_of(given)
    assert isinstance(kind, ArrayType | ScalarType) and isinstance(
        met, ArrayType | ScalarType
    )
    if not _same_shape(m, met, kind):
        raise ShapeError(
            f"the {what} of {whose}{place} has the shape {_shape(met)}, not {_shape(kind)}"
        )
    value = as_value(m, given)
    if met == kind or isinstance(met, ArrayType) and met.dtype == kind.dtype:
        return _typed(m, value, met, kind)
    weak = isinstance(met, ScalarType) and met.kind in ("float", "complex")
    if not weak or met.kind == "complex" and kind.dtype.kind != "c":  # type: ignore[union-attr]
        raise DTypeError(
            f"the {what} of {whose}{place} has the dtype {_dtype(met)}, not {_dtype(kind)}"
        )
    return _typed(m, value, met, kind)


def _typed(m: Machine, value: Value, met: Any, kind: Any) -> Value:
    if isinstance(met, ScalarType) and isinstance(kind, ArrayType):
        return f.asarray(Expr(m.builder, value), dtype=kind.dtype).value  # type: ignore[no-any-return]
    if isinstance(kind, ScalarType) and met != kind:
        return one("item", Expr(m.builder, value), kind=kind.kind).value
    return value


def _same_shape(m: Machine, met: Any, kind: Any) -> bool:
    """Whether two shapes are the same; what is not known yet is asked of the caller."""
    if len(met.shape) != len(kind.shape):
        return False
    dims = m.builder.dims
    for a, b in zip(met.shape, kind.shape, strict=True):
        pair = dims.canonical(a), dims.canonical(b)
        if pair[0] == pair[1]:
            continue
        if 1 in pair and not all(map(may_be_one, pair)):
            return False
        try:
            dims.unify(*pair)
        except ShapeError:
            return False
    return True


def _shape(t: Any) -> str:
    return f"({', '.join(map(str, t.shape))}{',' if len(t.shape) == 1 else ''})"


def _dtype(t: Any) -> str:
    return f"of a Python {t.kind}" if isinstance(t, ScalarType) else t.dtype.name
