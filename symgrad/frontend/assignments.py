"""Assignment to names, parts, attributes and tuples of these; operators in place."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from ..errors import AliasError, UnboundVariableError, UnsupportedSyntaxError
from ..ir.values import Value
from . import overloads, protocols
from .arguments.lending import lent_at
from .control import kinds
from .dispatch import evaluate, out_of_range, statement
from .expressions import static_key
from .lists import appending, keyed
from .lists import calls as list_calls
from .lists import written as list_written
from .lists.replacing import replace_rows
from .machine import Machine
from .memory import boxes, flats
from .memory.storage import overwrite, store_item
from .names import fields
from .names.captures import Found
from .names.lookup import assign_name, bind, read_name
from .names.scope import outside
from .names.scope import owner as owner_of
from .names.static import opened
from .operations import binary_values
from .unpacking import unpack
from .values import (
    CAPTURED,
    MISSING,
    Cell,
    DictObject,
    Flat,
    ListObject,
    Poison,
    Record,
    Ref,
    Rows,
    SetObject,
    is_long,
    new_list,
)


@statement(ast.Assign)
def assign_statement(m: Machine, node: ast.Assign) -> None:
    """``a = b = value``."""
    names = all(isinstance(target, ast.Name) for target in node.targets)
    value = kinds.evaluated(m, node.value) if names else evaluate(m, node.value)
    for target in node.targets:
        assign(m, target, value)


@statement(ast.AnnAssign)
def annotated(m: Machine, node: ast.AnnAssign) -> None:
    """``a: type = value``; the annotation is not evaluated."""
    if node.value is not None:
        assign(m, node.target, evaluate(m, node.value))


def assign(m: Machine, target: ast.expr, value: Any) -> None:
    """Assign to any kind of target."""
    if isinstance(target, ast.Name):
        bind(m, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _assign_parts(m, target, value)
    elif isinstance(target, ast.Subscript):
        m.temps.append(value)
        owner = evaluate(m, target.value)
        key = evaluate(m, target.slice)
        m.temps.pop()
        set_item(m, target, owner, key, value)
    elif isinstance(target, ast.Attribute):
        set_attribute(m, target, evaluate(m, target.value), target.attr, value)
    else:
        raise UnsupportedSyntaxError("this cannot be assigned to", m.span(target))


def _assign_parts(m: Machine, target: ast.Tuple | ast.List, value: Any) -> None:
    stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    star = stars[0] if stars else None
    parts = unpack(m, target, value, len(target.elts), star)
    for inner, part in zip(target.elts, parts, strict=True):
        if isinstance(inner, ast.Starred):
            done = isinstance(part, Poison | ListObject)
            assign(m, inner.value, part if done else new_list(part))
        else:
            assign(m, inner, part)


def check_owned(m: Machine, node: ast.AST, cell: Cell, *, fills: bool = False) -> None:
    """Refuse changes of containers that are not the function's own. Those from outside whose
    changes are put in place by the caller may be changed, lists in their elements
    (``fills``)."""
    if not cell.owner:
        return
    outside = cell.owner == CAPTURED and m.writes_captured
    if lent_at(cell) is not None or (outside and (fills or isinstance(cell, DictObject))):
        m.stored.add(cell)
        return
    kind = {ListObject: "list", DictObject: "dict"}.get(type(cell), "object")
    advice = "make a copy of it"
    if outside and isinstance(cell, ListObject):
        advice = (
            "append to it without reading it, or assign to its elements, or assign a new "
            "list to an attribute"
        )
    raise AliasError(
        f"this {kind} cannot be changed here: {cell.owner}; {advice}", m.span(node)
    )


def _anywhere(m: Machine, key: Any) -> bool:
    """Whether a position in a list is known at run time only, and may be."""
    return m.listing and isinstance(key, Value)


def set_item(m: Machine, node: ast.Subscript, owner: Any, key: Any, value: Any) -> None:
    """``owner[key] = value``."""
    owner = opened(m, owner)
    if isinstance(owner, Ref):
        store_item(m, node, owner, key, value)
    elif isinstance(owner, Flat):
        flats.store(m, node, owner, key, value)
    elif isinstance(owner, Rows):
        owner = replace_rows(m, node, owner)
        check_owned(m, node, owner)
        list_calls.put(m, node, owner, key, value)
    elif is_long(owner) or (isinstance(owner, ListObject) and _anywhere(m, key)):
        check_owned(m, node, owner)
        if not is_long(owner):
            made = list_calls.made_long(m, node, owner)
            list_calls.become_long(m, node, owner, made)
        list_calls.put(m, node, owner, key, value)
    elif isinstance(owner, ListObject):
        position = static_key(m, node.slice, key)
        check_owned(m, node, owner, fills=isinstance(position, int))
        items = list(owner.items)
        with_items = opened(m, value)
        if isinstance(position, slice):
            items[position] = unpack_all(m, node, with_items)
        else:
            items[position] = value
        m.heap.write(owner, "items", tuple(items))
    elif isinstance(owner, DictObject):
        check_owned(m, node, owner)
        with keyed.needed_by(m, owner):
            found = static_key(m, node.slice, key)
        m.heap.write(owner, "items", {**owner.items, found: value})
    elif isinstance(owner, Value):
        raise UnsupportedSyntaxError(
            "a NumPy scalar cannot be assigned to in part; make an array of shape (1,)",
            m.span(node),
        )
    elif (
        not isinstance(owner, Record)
        or protocols.call_special(m, node, owner, "__setitem__", key, value)
        is NotImplemented
    ):
        what = "a tuple" if isinstance(owner, tuple) else f"a {type(owner).__name__}"
        raise UnsupportedSyntaxError(
            f"{what} cannot be assigned to in part; make a list or an array of it",
            m.span(node),
        )


def unpack_all(m: Machine, node: ast.AST, value: Any) -> list[Any]:
    """The elements of the right side of a slice assignment to a list."""
    from .unpacking import spread_items

    return spread_items(m, node, value)


def set_attribute(
    m: Machine, node: ast.Attribute, owner: Any, name: str, value: Any
) -> None:
    """``owner.name = value``."""
    if isinstance(owner, Record | Found) and _by_property(m, node, owner, name, value):
        return
    if isinstance(owner, Record):
        check_owned(m, node, owner)
        params = getattr(owner.cls, "__dataclass_params__", None)
        if params is not None and params.frozen:
            raise UnsupportedSyntaxError(
                f"`{owner.cls.__name__}` is frozen: use dataclasses.replace", m.span(node)
            )
        m.heap.write(owner, name, value)
        return
    if isinstance(owner, Ref) and name == "flat":
        flats.store(m, node, Flat(owner), slice(None), value)
        return
    if isinstance(owner, Ref) and name in ("real", "imag"):
        from .attributes import get_attribute

        store_item(m, node, get_attribute(m, node, owner, name), Ellipsis, value)
        return
    if isinstance(owner, Found):
        fields.write(m, node, owner, name, value)
        return
    if isinstance(owner, Ref):
        advice = {"shape": "x = x.reshape(...)", "dtype": "x = x.astype(...)"}.get(name)
        raise UnsupportedSyntaxError(
            f"the attribute `{name}` of an array cannot be assigned"
            + (f"; write {advice}" if advice else ""),
            m.span(node),
        )
    raise UnsupportedSyntaxError(
        f"the attribute `{name}` cannot be assigned: it is no local object; return the new "
        "value instead",
        m.span(node),
    )


def _by_property(
    m: Machine, node: ast.Attribute, owner: Record | Found, name: str, value: Any
) -> bool:
    """Assign by the setter that the owner's class has for it, if there is one."""
    cls = owner.cls if isinstance(owner, Record) else type(owner.value)
    declared = inspect.getattr_static(cls, name, None)
    if isinstance(declared, property) and declared.fset is None:
        raise AttributeError(f"property {name!r} of {cls.__name__!r} object has no setter")
    if isinstance(declared, property) and isinstance(declared.fset, types.FunctionType):
        from .inline import call_value

        m.captures.attribute(Found(cls), name)  # the code relies on the setter
        call_value(m, node, declared.fset, (owner, value), {})
        return True
    if isinstance(owner, Record):
        _check_plain(m, node, cls, name, declared)
    return False


def _check_plain(m: Machine, node: ast.AST, cls: type, name: str, declared: Any) -> None:
    """Refuse what the class itself decides on."""
    written = inspect.getattr_static(cls, "__setattr__")
    params = getattr(cls, "__dataclass_params__", None)
    by_hand = written is not object.__setattr__ and not (
        params is not None and params.frozen
    )
    slot = isinstance(declared, types.MemberDescriptorType)
    if by_hand or hasattr(type(declared), "__set__") and not slot:
        what = (
            f"`{cls.__name__}.__setattr__`" if by_hand else f"`{type(declared).__name__}`"
        )
        raise UnsupportedSyntaxError(
            f"the attribute `{name}` cannot be assigned: what that does is up to {what}; "
            "write a method that does it",
            m.span(node),
        )


@statement(ast.AugAssign)
def augmented(m: Machine, node: ast.AugAssign) -> None:
    """``target op= value``: in place for arrays and lists, else a new value."""
    target = node.target
    if isinstance(target, ast.Name):
        is_local = m.frame.local and outside(m.frame, target.id) is None
        if is_local and target.id not in owner_of(m.frame, target.id).scope.data:
            raise UnboundVariableError(
                f"`{target.id}` is read before it is assigned", m.span(target)
            )
        load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        current = read_name(m, load)
        m.temps.append(current)
        value = evaluate(m, node.value)
        m.temps.pop()
        result = in_place(m, node, current, value)
        if result is not current:
            bind(m, target.id, result)
    elif isinstance(target, ast.Subscript):
        owner = _container(m, target)
        m.temps.append(owner)
        key = evaluate(m, target.slice)
        from .subscripts import get_item

        current = get_item(m, target, owner, key)
        value = evaluate(m, node.value)
        m.temps.pop()
        if isinstance(owner, Ref) and isinstance(current, Value):  # no array of rank 0
            result = binary_values(m, node, node.op, current, value)
        else:
            result = in_place(m, node, current, value)
        in_part = isinstance(owner, Ref) and result is current and isinstance(current, Ref)
        if in_part and current.storage is owner.storage:
            return  # the part is a view: writing to it was the assignment
        set_item(m, target, owner, key, result)
    else:
        assert isinstance(target, ast.Attribute)
        from .attributes import get_attribute

        owner = evaluate(m, target.value)
        current = get_attribute(m, target, owner, target.attr)
        result = in_place(m, node, current, evaluate(m, node.value))
        if result is not current:
            set_attribute(m, target, owner, target.attr, result)


def _container(m: Machine, target: ast.Subscript) -> Any:
    """What has the item that is assigned to or deleted; objects have methods for that."""
    owner = evaluate(m, target.value)
    return owner if isinstance(owner, Record) else opened(m, owner)


_CHANGED_BY: dict[type, type[ast.operator] | types.UnionType] = {
    ListObject: ast.Mult,
    DictObject: ast.BitOr,
    SetObject: ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor,
}
"""The operators that change containers in place, apart from ``+=`` of lists."""


def in_place(m: Machine, node: ast.AugAssign, current: Any, value: Any) -> Any:
    """What ``current op= value`` makes the target; ``current`` itself if changed in place."""
    if isinstance(current, Ref):
        result = binary_values(m, node, node.op, current, value)
        overwrite(m, node, current, result)
        return current
    if isinstance(current, Rows):
        current = replace_rows(m, node, current)
    if isinstance(current, Found) and type(current.value) is list:
        adds = isinstance(node.op, ast.Add)
        if adds and appending.growing(m, current, "extend") is not None:
            appending.extend(current, m, node, value)
            return current
        current = opened(m, current)
    if isinstance(current, Found) and type(current.value) is dict:
        current = opened(m, current)
    if isinstance(current, ListObject) and isinstance(node.op, ast.Add):
        check_owned(m, node, current)
        list_calls.extend(m, node, current, value)
        return current
    changes = _CHANGED_BY.get(type(current))
    if changes is not None and isinstance(node.op, changes):
        check_owned(m, node, current)
        changed = binary_values(m, node, node.op, current, value)
        m.heap.write(current, "items", changed.data["items"])
        return current
    if isinstance(current, Record):
        result = overloads.in_place(m, node, node.op, current, value)
        if result is not NotImplemented:
            return result
    result = binary_values(m, node, node.op, current, value)
    if isinstance(current, Value):
        boxes.check_in_place(m, node, current, result)
    return result


def delete(m: Machine, target: ast.expr) -> None:
    """``del name``."""
    if isinstance(target, ast.Name):
        assign_name(m, owner_of(m.frame, target.id).scope, target.id, MISSING)
    elif isinstance(target, ast.Tuple | ast.List):
        for inner in target.elts:
            delete(m, inner)
    elif isinstance(target, ast.Subscript):
        owner = _container(m, target)
        _delete_item(m, target, owner, evaluate(m, target.slice))
    else:
        raise UnsupportedSyntaxError(
            "only names and items of lists and dicts can be deleted", m.span(target)
        )


def _delete_item(m: Machine, node: ast.Subscript, owner: Any, key: Any) -> None:
    """``del owner[key]``."""
    if isinstance(owner, Rows):
        owner = replace_rows(m, node, owner)
    if is_long(owner):
        check_owned(m, node, owner)
        list_written.delete(m, node, owner, key)
    elif isinstance(owner, ListObject | DictObject):
        check_owned(m, node, owner)
        with keyed.needed_by(m, owner):
            found = static_key(m, node.slice, key)
        left: Any = list(owner.items) if isinstance(owner, ListObject) else {**owner.items}
        with out_of_range(m, "list assignment index out of range"):
            del left[found]
        changed = tuple(left) if isinstance(owner, ListObject) else left
        m.heap.write(owner, "items", changed)
    elif protocols.call_special(m, node, owner, "__delitem__", key) is NotImplemented:
        raise UnsupportedSyntaxError(
            "only items of lists and dicts can be deleted", m.span(node)
        )
