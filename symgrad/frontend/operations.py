"""Operators and comparisons: Python's own on what is static, surfaces on runtime values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DTypeError, UnsupportedSyntaxError
from ..ir.types import BOOL, COMPLEX, INT, ArrayType
from ..ir.values import Value
from ..ops import SURFACE
from ..ops.operators import BINARY, COMPARE, UNARY
from ..ops.written import iterating
from ..ops.written import lists as listing
from . import overloads, protocols
from .control import conditions, nones, ranges
from .dispatch import evaluate, expression, held, no_result
from .machine import Machine, storages
from .memory import identity
from .memory.boxes import is_box, is_float
from .names.captures import Found
from .names.specialise import need
from .names.static import certain, opened, pinned, plain
from .sources.texts import modulo, together
from .values import (
    Cell,
    DictObject,
    Formatted,
    Iterator,
    ListObject,
    Range,
    Record,
    Ref,
    Rows,
    SetObject,
    Suspended,
    any_runtime,
    is_long,
    is_runtime,
    new_list,
    new_set,
)

PYTHON: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@expression(ast.BinOp)
def binary(m: Machine, node: ast.BinOp) -> Any:
    """``x + y`` and the like."""
    left = held(m, node.left)
    if isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.right, ast.Call):
        from .control.folds import beside

        right = beside(m, node.right, opened(m, left))
    else:
        right = evaluate(m, node.right)
    m.temps.pop()
    return binary_values(m, node, node.op, left, right)


def binary_values(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    """An operator on abstract values."""
    x, y = opened(m, x), opened(m, y)
    if overloads.concerns(x, y):
        result = overloads.binary(m, node, op, x, y)
        if result is not NotImplemented:
            return result
    if isinstance(x, str) and isinstance(op, ast.Mod) and any_runtime(y):
        return modulo(m, node, x, y)
    if isinstance(x, Formatted) or isinstance(y, Formatted):
        return _texts(m, node, op, x, y)
    beside = _beside_number(m, node, op, x, y)
    if beside is not NotImplemented:
        return beside
    if is_runtime(x) or is_runtime(y):
        for operand in (x, y):
            if isinstance(operand, str) or operand is None:
                raise UnsupportedSyntaxError(
                    f"{operand!r} and a runtime value cannot be combined with an operator",
                    m.span(node),
                )
        if _is_complex_number(x) and is_float(m, y):
            # Python's complex numbers take np.float64 for the float that it is.
            y = m.wrap(m.builder.op("item", y, kind="float"))
        return m.call_surface(BINARY[type(op)], node, x, y)
    if isinstance(x, tuple | ListObject) or isinstance(y, tuple | ListObject):
        return _sequences(m, node, op, x, y)
    if (
        isinstance(x, DictObject)
        and isinstance(y, DictObject)
        and isinstance(op, ast.BitOr)
    ):
        return DictObject({"items": {**x.items, **y.items}})
    return in_python(m, node, op, x, y)


def _texts(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    """Texts with runtime values in them, one after the other."""
    times, text = (x, y) if isinstance(x, int) else (y, x)
    if isinstance(op, ast.Mult) and isinstance(times, int):
        return together(m, node, [text] * times)
    if isinstance(op, ast.Add):
        return together(m, node, (x, y))
    return in_python(m, node, op, x, y)


def _is_complex_number(x: Any) -> bool:
    if isinstance(x, Value):
        return x.type == COMPLEX
    return type(x) is complex


def _beside_number(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    """A list or a tuple beside a runtime number; NotImplemented for anything else, and where
    NumPy takes over and makes an array of it."""
    items, number = (y, x) if isinstance(x, Value) else (x, y)
    if not isinstance(number, Value) or not isinstance(items, tuple | ListObject):
        return NotImplemented
    if isinstance(op, ast.Mult) and not is_box(m, number):
        if _is_integer(number.type):
            if isinstance(items, ListObject):
                return _written(m, node, listing.repeated, items, number)
            return items * need(m, node, number, "how often a tuple is repeated")
    elif isinstance(number.type, ArrayType):
        return NotImplemented
    raise _no_arrays(m, node, op, x, y)


def _is_integer(t: Any) -> bool:
    return t == INT or isinstance(t, ArrayType) and t.dtype.kind in "iu"


def _no_arrays(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> DTypeError:
    """Lists or tuples taken for arrays."""
    symbol = ast.unparse(ast.BinOp(ast.Name(""), op, ast.Name(""))).strip()
    return DTypeError(
        f"`{symbol}` does not work on {_kind(x)} and {_kind(y)}: lists and tuples are no arrays; "
        "make one with np.array(...)",
        m.span(node),
    )


def _sequences(m: Machine, node: ast.AST, op: ast.operator, x: Any, y: Any) -> Any:
    if isinstance(op, ast.Add):
        lists = isinstance(x, ListObject) and isinstance(y, ListObject)
        if lists and (is_long(x) or is_long(y)):
            from .lists.calls import concatenated

            return concatenated(m, node, x, y)
        if isinstance(x, ListObject) and isinstance(y, ListObject):
            return new_list((*x.items, *y.items))
        if isinstance(x, tuple) and isinstance(y, tuple):
            return (*x, *y)
    if isinstance(op, ast.Mult):
        times, items = (x, y) if isinstance(x, int | np.integer) else (y, x)
        if is_long(items) or isinstance(items, Rows):
            return _written(m, node, listing.repeated, items, times)
        if isinstance(times, int | np.integer):
            repeated = (items.items if isinstance(items, ListObject) else items) * int(
                times
            )
            return new_list(repeated) if isinstance(items, ListObject) else repeated
    if isinstance(op, ast.Mod) and isinstance(x, str):
        return in_python(m, node, op, x, y)
    raise _no_arrays(m, node, op, x, y)


def in_python(m: Machine, node: ast.AST, op: ast.AST, *args: Any) -> Any:
    """Python's own operator on static objects."""
    for x in args:
        if isinstance(x, Found) and not callable(x.value):
            m.captures.pin_state(x)
    try:
        known = [plain(m, x) for x in args]
    except LookupError:
        raise UnsupportedSyntaxError(
            f"this operator ({type(op).__name__}) does not work on "
            + " and ".join(_kind(x) for x in args),
            m.span(node),
        ) from None
    with no_result(m):
        result = PYTHON[type(op)](*known)
    return new_set(result) if type(result) is set else result


def _kind(x: Any) -> str:
    from .control.describing import describe

    return describe(x)


@expression(ast.UnaryOp)
def unary(m: Machine, node: ast.UnaryOp) -> Any:
    """``-x``, ``not x`` and the like."""
    if isinstance(node.op, ast.Not):
        return m_bool(m, conditions.tested(m, node))
    x = certain(m, evaluate(m, node.operand))
    if is_runtime(x):
        return m.call_surface(UNARY[type(node.op)], node, x)
    if overloads.concerns(x):
        result = protocols.call_special(m, node, x, overloads.UNARY[type(node.op)])
        if result is not NotImplemented:
            return result
    return in_python(m, node, node.op, x)


def negated(m: Machine, node: ast.AST, x: Any) -> Any:
    """``not x``."""
    return m_bool(m, conditions.negate(m, conditions.truth(m, node, x)))


def m_bool(m: Machine, x: bool | Value) -> Any:
    """A truth as Python's ``bool``."""
    if isinstance(x, Value) and x.type != BOOL:
        x = m.builder.one("item", x, kind="bool")
    return m.wrap(x) if isinstance(x, Value) else x


@expression(ast.Compare)
def compare(m: Machine, node: ast.Compare) -> Any:
    """``a < b <= c``: each operand evaluated once, as far as needed."""
    before = len(m.temps)
    result = _compared(m, node, held(m, node.left), 0)
    del m.temps[before:]
    return result


def _compared(m: Machine, node: ast.Compare, left: Any, position: int) -> Any:
    """The chain from comparison number ``position`` on."""
    op, right = node.ops[position], held(m, node.comparators[position])
    result = compare_values(m, node, op, left, right)
    if position == len(node.ops) - 1:
        return result
    test = conditions.truth(m, node, result)
    if test is False:
        return result

    def rest() -> Any:
        return _compared(m, node, right, position + 1)

    return (
        conditions.both(m, node, result, test, rest, True) if test is not True else rest()
    )


def compare_values(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Any:
    """One comparison of abstract values."""
    found = nones.compared(m, node, op, x, y)
    if found is not NotImplemented:
        return found
    inside = isinstance(op, ast.In | ast.NotIn)
    x, y = x if inside else opened(m, x), opened(m, y)
    if isinstance(op, ast.Is | ast.IsNot):
        one = _identity(m, node, x, y)
        return one if isinstance(op, ast.Is) else m_bool(m, conditions.negate(m, one))
    if inside:
        found = _contains(m, node, y, x)
        return found if isinstance(op, ast.In) else m_bool(m, conditions.negate(m, found))
    if overloads.concerns(x, y):
        result = overloads.compare(m, node, op, x, y)
        if result is not NotImplemented:
            return result
    if is_runtime(x) or is_runtime(y):
        other = y if is_runtime(x) else x
        equality = isinstance(op, ast.Eq | ast.NotEq)
        if equality and not is_runtime(other) and _incomparable(other):
            array, unequal = x if is_runtime(x) else y, isinstance(op, ast.NotEq)
            if not isinstance(array, Ref):
                return unequal
            return m.call_surface(SURFACE[np.full_like], node, array, unequal, dtype=bool)
        return m.call_surface(COMPARE[type(op)], node, x, y)
    iterators = isinstance(x, Iterator | Suspended) or isinstance(y, Iterator | Suspended)
    if iterators and isinstance(op, ast.Eq | ast.NotEq):
        return (x is y) is isinstance(op, ast.Eq)
    if any_runtime(x) or any_runtime(y):
        return _containers(m, node, op, x, y)
    return in_python(m, node, op, x, y)


def _incomparable(x: Any) -> bool:
    return x is None or isinstance(x, str | bytes) or callable(x)


def _written(m: Machine, node: ast.AST, function: Callable[..., Any], *args: Any) -> Any:
    """What a function of lists, written out in Python, gives."""
    from .lists.written import call

    return call(m, node, function, *args)


def _containers(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> Any:
    """Equality of tuples, lists and dicts that hold runtime values."""
    long = [is_long(z) or isinstance(z, Rows) for z in (x, y)]
    both = all(isinstance(z, ListObject | Rows) for z in (x, y))
    if any(long) and both and isinstance(op, ast.Eq | ast.NotEq):
        first, other = (x, y) if long[1] else (y, x)
        same = _written(m, node, listing.equal, first, other)
        return same if isinstance(op, ast.Eq) else m_bool(m, conditions.negate(m, same))
    if isinstance(x, ListObject) and isinstance(y, ListObject):
        x, y = x.items, y.items
    pair = isinstance(x, tuple) and isinstance(y, tuple)
    if isinstance(op, ast.Eq | ast.NotEq) and _of_kinds_apart(x, y):
        return isinstance(op, ast.NotEq)
    if pair and isinstance(op, ast.Eq | ast.NotEq):
        if len(x) != len(y):
            return isinstance(op, ast.NotEq)
        total: Any = True
        for p, q in zip(x, y, strict=True):
            test = conditions.truth(m, node, compare_values(m, node, ast.Eq(), p, q))
            total = _and(m, total, test)
        total = total if isinstance(op, ast.Eq) else conditions.negate(m, total)
        return m_bool(m, total)
    if pair and isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return m_bool(m, _ordered(m, node, op, x, y))
    return in_python(m, node, op, x, y)


def _of_kinds_apart(x: Any, y: Any) -> bool:
    """Whether one is a tuple, list or dict and the other a builtin of another kind."""
    kinds = [next((k for k in _KINDS if isinstance(v, k)), None) for v in (x, y)]
    return None not in kinds and kinds[0] is not kinds[1]


_KINDS: tuple[Any, ...] = (
    *(tuple, ListObject, DictObject, str, bytes),
    *(bool, int, float, complex, type(None)),
)


def _ordered(m: Machine, node: ast.AST, op: ast.cmpop, x: Any, y: Any) -> bool | Value:
    """Tuples compared: by the first elements that differ, else by length."""
    total: bool | Value = PYTHON[type(op)](len(x), len(y))
    for p, q in reversed(list(zip(x, y, strict=False))):
        equal = conditions.truth(m, node, compare_values(m, node, ast.Eq(), p, q))
        before = conditions.truth(m, node, compare_values(m, node, op, p, q))
        differs = _and(m, conditions.negate(m, equal), before)
        total = conditions.either(m, [_and(m, equal, total), differs])
    return total


def _and(m: Machine, x: Any, y: Any) -> Any:
    if x is True or y is False:
        return y
    if x is False or y is True:
        return x
    both = conditions.either(m, [conditions.negate(m, x), conditions.negate(m, y)])
    return conditions.negate(m, both)


def _identity(m: Machine, node: ast.AST, x: Any, y: Any) -> Any:
    if isinstance(x, Value | Ref) and isinstance(y, Value | Ref):
        if x is y:
            return True
        if isinstance(x, Ref) and isinstance(y, Ref):
            alike = identity.is_same(x, y)
            if alike is not None and (alike or not storages((x, y)) & m.related):
                return alike
        raise UnsupportedSyntaxError(
            "whether these are one object is known at run time only; compare with ==",
            m.span(node),
        )
    if isinstance(x, Value | Ref | Cell) or isinstance(y, Value | Ref | Cell):
        for one, other in ((x, y), (y, x)):
            if isinstance(one, bool) and isinstance(other, Value) and other.type == BOOL:
                return other if one else m_bool(m, conditions.negate(m, other))
        return x is y
    if isinstance(x, Found) and isinstance(y, Found):
        return pinned(m, x) is pinned(m, y)
    # Of the class of a captured object, the code is certain.
    a = x.value if isinstance(x, Found) else x
    b = y.value if isinstance(y, Found) else y
    return a is b


def _contains(m: Machine, node: ast.AST, box: Any, item: Any) -> Any:
    if isinstance(box, Record):
        answer = protocols.call_special(m, node, box, "__contains__", item)
        if answer is not NotImplemented:
            return m_bool(m, conditions.truth(m, node, answer))
        from .unpacking import spread_items

        box = tuple(spread_items(m, node, box))
    if isinstance(box, DictObject):
        box = tuple(box.items)
    if isinstance(box, SetObject):
        box = box.items
    if isinstance(box, Range) or (isinstance(box, range) and is_runtime(item)):
        return ranges.contains(m, node, box, item)
    if is_long(box) or isinstance(box, Rows):
        return _written(m, node, listing.contains, box, item)
    if isinstance(box, Suspended | Iterator):
        return _written(m, node, iterating.comes, box, item)
    if isinstance(box, ListObject):
        box = box.items
    if isinstance(box, tuple):
        total: list[bool | Value] = []
        for entry in box:
            outcome = compare_values(m, node, ast.Eq(), entry, item)
            total.append(conditions.truth(m, node, outcome))
        return m_bool(m, conditions.either(m, total))
    if is_runtime(box):
        equal = compare_values(m, node, ast.Eq(), box, item)
        return m_bool(
            m, conditions.truth(m, node, m.call_surface(SURFACE[np.any], node, equal))
        )
    try:
        return plain(m, item) in pinned(m, box)
    except LookupError:
        raise UnsupportedSyntaxError(
            "`in` needs values that are known when compiling here", m.span(node)
        ) from None
