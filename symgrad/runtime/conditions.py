"""Python text that decides whether a call is of the kind that code was made for."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from ..errors import InternalError
from ..frontend.memory.layouts import layout_key
from ..frontend.requests import ArgLeaf, Capture
from ..ir.dims import Atom, Call, Dimension, Sym, as_symbol
from ..ir.nodes import attributes_of
from ..ir.tree import Node
from ..ir.types import ArrayType, ObjectType, ScalarType
from ..ir.values import Function

BY_IDENTITY = (
    NoneType,
    bool,
    type,
    FunctionType,
    BuiltinFunctionType,
    ModuleType,
    np.ufunc,
)


@dataclass(slots=True)
class Namespace:
    """Objects that generated text refers to, under names that no argument has."""

    prefix: str
    objects: dict[str, Any] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)

    @classmethod
    def avoiding(cls, names: Iterable[str]) -> Namespace:
        """A namespace for text in which ``names`` mean something else."""
        prefix = "_"
        while any(name.startswith(prefix) for name in names):
            prefix += "_"
        return cls(prefix)

    def name(self, thing: Any) -> str:
        """The name of ``thing``."""
        if thing is None or thing is True or thing is False:
            return repr(thing)
        known = self._names.get(id(thing))
        if known is None:
            known = self._names[id(thing)] = f"{self.prefix}{len(self.objects)}"
            self.objects[known] = thing
        return known


@dataclass(slots=True)
class Conditions:
    """Collects what has to hold, and where each symbolic length is found."""

    namespace: Namespace
    terms: list[str] = field(default_factory=list)
    symbols: dict[Sym, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return " and ".join(self.terms) or "True"

    def tree(self, tree: Any, at: str) -> None:
        """The argument reached by the expression ``at`` is like ``tree``."""
        if not isinstance(tree, Node):
            self.leaf(tree, at)
        elif tree.kind == "static":
            self._static(tree.value, at)
        else:
            self._container(tree, at)

    def leaf(self, seen: ArgLeaf | Capture, at: str) -> None:
        """The runtime value ``at`` is like what was seen when compiling."""
        kind = seen.type
        if isinstance(kind, ScalarType):
            self.terms.append(f"type({at}) is {kind.kind}")
            if kind.kind == "int":
                self.symbols[Sym(seen.name, lo=None)] = at
        elif isinstance(kind, ArrayType):
            self._array(kind, at, seen.boxed)
            if seen.layout is not None:
                lies = self.namespace.name(layout_key)
                exact = all(isinstance(d, int) for d in kind.shape)
                self.terms.append(f"{lies}({at}, {exact}) == {seen.layout!r}")
        else:
            assert isinstance(kind, ObjectType)
            self.terms.append(f"type({at}).__name__ == {kind.name!r}")

    def _array(self, kind: ArrayType, at: str, boxed: bool) -> None:
        array, dtype = self.namespace.name(np.ndarray), self.namespace.name(kind.dtype)
        same = f"({at}.dtype is {dtype} or {at}.dtype == {dtype})"
        if boxed:
            self.terms += [f"type({at}) is {array}", f"{at}.shape == ()", same]
            return
        if not kind.shape:
            self.terms.append(f"type({at}) is {self.namespace.name(kind.dtype.type)}")
            return
        self.terms += [f"type({at}) is {array}", same]
        local = f"{self.namespace.prefix}s{len(self.symbols)}"
        self.terms += self._shape(kind.shape, at, local)
        for axis, d in enumerate(kind.shape):
            single = as_symbol(d)
            if single is not None:
                self.symbols[single] = f"{local}[{axis}]"

    def _shape(self, shape: tuple[Dimension, ...], at: str, local: str) -> Iterator[str]:
        if all(isinstance(d, int) for d in shape):
            yield f"{at}.shape == {shape!r}"
            return
        yield f"len({local} := {at}.shape) == {len(shape)}"
        if not any(isinstance(d, int) for d in shape):
            yield f"1 not in {local}"
            return
        for axis, d in enumerate(shape):
            test = f"== {d}" if isinstance(d, int) else "!= 1"
            yield f"{local}[{axis}] {test}"

    def _static(self, value: Any, at: str) -> None:
        name = self.namespace.name(value)
        if isinstance(value, BY_IDENTITY):
            self.terms.append(f"{at} is {name}")
        elif type(value) in (str, int, bytes):
            self.terms.append(f"type({at}) is {type(value).__name__} and {at} == {value!r}")
        else:
            same = self.namespace.name(same_static)
            self.terms.append(f"{same}({at}, {name})")

    def _container(self, tree: Node, at: str) -> None:
        builtin = {"tuple": "tuple", "list": "list", "dict": "dict"}.get(tree.kind)
        cls = builtin if builtin and tree.cls is None else self.namespace.name(tree.cls)
        self.terms.append(f"type({at}) is {cls}")
        if tree.kind in ("tuple", "list"):
            self.terms.append(f"len({at}) == {len(tree.children)}")
        elif tree.kind == "object":
            names = self.namespace.name(tree.keys)
            self.terms.append(f"{self.namespace.name(attributes_of)}({at}) == {names}")
        elif tree.kind == "dict":
            self.terms.append(f"tuple({at}) == {self.namespace.name(tree.keys)}")
        for position, child in enumerate(tree.children):
            how, key = tree.access(position)
            self.tree(child, f"{at}.{key}" if how == "attr" else f"{at}[{self._key(key)}]")

    def _key(self, key: Any) -> str:
        return repr(key) if isinstance(key, str | int) else self.namespace.name(key)

    def lengths(self, function: Function) -> None:
        """What the function's code takes for granted about lengths."""
        for length in function.not_one:
            self.terms.append(f"{dim_text(length, self.symbols)} != 1")
        for a, b in function.equal:
            self.terms.append(f"{dim_text(a, self.symbols)} == {dim_text(b, self.symbols)}")


def same_static(found: Any, expected: Any) -> bool:
    """Whether two static values of no particular class are the same, ``-0.0`` not being 0.0."""
    if found is expected:
        return True
    if type(found) is not type(expected):
        return False
    if isinstance(found, tuple | frozenset | slice | float | complex | range):
        return repr(found) == repr(expected) and (found == expected or found != found)
    try:
        return bool(found == expected)
    except (TypeError, ValueError):
        return False


def dim_text(d: Dimension, symbols: dict[Sym, str]) -> str:
    """A length as a Python expression."""
    if isinstance(d, int):
        return repr(d)
    terms = []
    for monomial, coefficient in d.terms:
        factors = [_atom_text(atom, symbols) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, f"({coefficient})" if coefficient < 0 else str(coefficient))
        terms.append(" * ".join(factors))
    return f"({' + '.join(terms)})"


def _atom_text(atom: Atom, symbols: dict[Sym, str]) -> str:
    if isinstance(atom, Sym):
        if atom not in symbols:
            raise InternalError(f"the length {atom} is no length of an argument")
        return symbols[atom]
    assert isinstance(atom, Call)
    args = [dim_text(a, symbols) for a in atom.args]
    if atom.function == "floordiv":
        return f"({args[0]} // {args[1]})"
    if atom.function == "slice":
        length, start, stop, step = args
        return f"len(range({length})[{start}:{stop}:{step}])"
    return f"{atom.function}({', '.join(args)})"


def is_name(text: str) -> bool:
    """Whether ``text`` can be a name in generated code."""
    return text.isidentifier() and not keyword.iskeyword(text)
