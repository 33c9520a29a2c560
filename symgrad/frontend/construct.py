"""Instances: namedtuples, dataclasses, and plain classes of the user's."""

from __future__ import annotations

import abc
import ast
import dataclasses
import inspect
import types
from typing import Any

from ..errors import UnsupportedFunctionError
from .arguments.binding import Parameter, bind
from .arguments.keys import is_namedtuple
from .machine import Machine
from .names.captures import Found
from .names.static import unwrap
from .values import Record

_PLAIN = (type, abc.ABCMeta)
"""Classes of classes that make instances as Python does."""


def instance(
    m: Machine, node: ast.AST, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A new instance of a class of the user's."""
    if is_namedtuple(cls):
        return cls(*args, **kwargs)
    if hasattr(cls, "__symgrad_static__"):
        raise UnsupportedFunctionError(
            f"a `{cls.__name__}` cannot be made inside a function that is compiled, which would "
            "make another at each call; make it outside, as in `__init__`, and use it here",
            m.span(node),
        )
    if hasattr(cls, "__symgrad_custom__"):
        raise UnsupportedFunctionError(
            f"`{cls.__name__}` is called inside a function that is compiled; give the function "
            "its rule outside, where it is defined",
            m.span(node),
        )
    init = _declared(cls, "__init__")
    if dataclasses.is_dataclass(cls) and "__init__" in vars(cls) and _generated(init):
        return _dataclass(m, node, cls, args, kwargs)
    special = _declared(cls, "__new__") is not object.__new__ or type(cls) not in _PLAIN
    if (
        special
        or issubclass(cls, BaseException)
        or not isinstance(init, types.FunctionType)
    ):
        if not args and not kwargs and init is object.__init__ and not special:
            return Record(cls, {})
        raise UnsupportedFunctionError(
            f"instances of `{cls.__name__}` cannot be made here; use a dataclass, a namedtuple "
            "or a class with a plain __init__",
            m.span(node),
        )
    from .inline import call_value

    record = Record(cls, {})
    call_value(m, node, init, (record, *args), kwargs)
    return record


def _declared(cls: type, name: str) -> Any:
    found = inspect.getattr_static(cls, name, None)
    return found.__func__ if isinstance(found, staticmethod) else found


def _generated(init: Any) -> bool:
    code = getattr(init, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def _dataclass(
    m: Machine, node: ast.AST, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Record:
    from .inline import call_value

    fields = getattr(cls, "__dataclass_fields__", {})
    kinds = {name: f._field_type.name for name, f in fields.items()}
    only = {name: f for name, f in fields.items() if kinds[name] == "_FIELD_INITVAR"}
    own = {name: f for name, f in fields.items() if kinds[name] == "_FIELD"}

    def default(name: str) -> Any:
        f = fields[name]
        if _is_set(f.default_factory):
            return call_value(m, node, f.default_factory, (), {})
        # A class attribute of that name holds the default.
        found = m.captures.attribute(Found(cls), name).found
        if isinstance(found.value, int | float | complex):
            return m.captures.pin(found)
        return unwrap(m, found)

    taken = [f for f in fields.values() if f.name in only or f.name in own and f.init]
    parameters = tuple(
        Parameter(
            f.name,
            "keyword_only" if f.kw_only else "positional_or_keyword",
            _is_set(f.default) or _is_set(f.default_factory),
        )
        for f in sorted(taken, key=lambda f: bool(f.kw_only))
    )
    bound = bind(parameters, args, kwargs, default, name=cls.__name__, span=m.span(node))
    late = [n for n, f in own.items() if not f.init and _is_set(f.default_factory)]
    bound |= {name: default(name) for name in late}
    record = Record(cls, {name: bound[name] for name in own if name in bound})
    after = _declared(cls, "__post_init__")
    if isinstance(after, types.FunctionType):
        call_value(m, node, after, (record, *(bound[name] for name in only)), {})
    return record


def _is_set(option: Any) -> bool:
    return option is not dataclasses.MISSING


def made_by_fields(cls: type) -> bool:
    """Whether a call with the fields of an instance makes another one like it."""
    init = _declared(cls, "__init__")
    plain = dataclasses.is_dataclass(cls) and "__init__" in vars(cls) and _generated(init)
    if not plain or _declared(cls, "__post_init__") is not None:
        return False
    fields = getattr(cls, "__dataclass_fields__", {}).values()
    return all(f.init and f._field_type.name != "_FIELD_INITVAR" for f in fields)


def replace(m: Machine, node: ast.AST, record: Any, /, **changes: Any) -> Any:
    """``dataclasses.replace``."""
    if not isinstance(record, Record):
        raise UnsupportedFunctionError("`replace` needs a dataclass instance", m.span(node))
    fields = {f.name: f for f in dataclasses.fields(record.cls)}
    kept = {k: v for k, v in record.data.items() if k in fields and fields[k].init}
    for name in changes:
        if name in fields and not fields[name].init:
            raise ValueError(
                f"field {name} is declared with init=False, it cannot be specified with replace()"
            )
    return _dataclass(m, node, record.cls, (), {**kept, **changes})
