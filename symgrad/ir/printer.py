"""IR as text: typed, names made unique, regions indented. ``parser`` reads it back.

function loss(w: float64[k], x: float64[n, k]) -> 0
  dims n != 1, k != 1
  z = matmul(x, w) : float64[n]
  r = sum(z) : float64[]
  return r
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .dims import Call, Dimension, Sym
from .indexing import Gather, Mask, NewAxis, Operand, Slice
from .tree import Node, Tree, leaves
from .types import ArrayType, ListType, ObjectType, ScalarType, Type
from .values import Argument, Block, Function, Op, Value

REGION_WORDS = {
    "if": ("then", "else"),
    "for": ("do",),
    "while": ("test", "do"),
    "reverse": ("of",),
    "forward": ("of",),
    "vmap": ("of",),
    "vjp": ("of",),
    "custom_vjp": ("forward", "backward", "plain"),
    "custom_jvp": ("of", "forward"),
    "checkpoint": ("of",),
}
STEP = "  "


def to_text(
    function: Function,
    *,
    spans: bool = False,
    mark: Op | Block | None = None,
    note: str = "",
) -> str:
    """The function as text.

    Args:
        spans: add each op's place in the user's code as a comment.
        mark: an op or region to point at, with ``note`` beside the arrow.
    """
    return "\n".join(_Printer(spans, mark, note).function(function)) + "\n"


class Names:
    """Printed names: the wish itself where free, else ``wish.1``, ``wish.2``; ``_0``, ``_1``
    for values without a wish."""

    def __init__(self) -> None:
        self._given: dict[Value, str] = {}
        self._counts: dict[str, int] = {}

    def __call__(self, value: Value) -> str:
        if value not in self._given:
            self._given[value] = self._fresh(value.name)
        return self._given[value]

    def _fresh(self, wish: str) -> str:
        base = re.sub(r"\W", "_", wish)
        if re.fullmatch(r"\d\w*|_\d+", base):
            base = f"v{base}"
        count = self._counts.get(base, 0)
        self._counts[base] = count + 1
        if not base:
            return f"_{count}"
        return base if count == 0 else f"{base}.{count}"


class _Printer:
    def __init__(self, spans: bool, mark: Op | Block | None, note: str) -> None:
        self.spans = spans
        self.mark = mark
        self.note = note
        self.names = Names()

    def function(self, function: Function) -> Iterator[str]:
        block = function.block
        arguments = [self.argument(a) for a in function.arguments]
        listed = {p for a in function.arguments for p in leaves(a.tree)}
        arguments += [f"param {self.declared(p)}" for p in block.params if p not in listed]
        returns = tree_text(function.returns, str)
        yield f"function {function.name}({', '.join(arguments)}) -> {returns}"
        declared = [text for s in _symbols(function) if (text := _symbol_text(s))]
        if declared:
            yield f"{STEP}dims {', '.join(declared)}"
        if function.not_one:
            yield f"{STEP}assume {', '.join(f'{d} != 1' for d in function.not_one)}"
        if function.mutates:
            pairs = (f"{self.names(block.params[p])} = {r}" for p, r in function.mutates)
            yield f"{STEP}mutates {', '.join(pairs)}"
        yield from self.body(block, STEP, "", "return")

    def argument(self, argument: Argument) -> str:
        tree = argument.tree
        if isinstance(tree, Value) and self.names(tree) == argument.name:
            text = self.declared(tree)
        else:
            text = f"{argument.name} = {tree_text(tree, self.declared)}"
        if argument.kind != "positional_or_keyword":
            text = f"{argument.kind} {text}"
        if argument.has_default:
            text += f" default {attribute_text(argument.default)}"
        return f"captured {text}" if argument.capture is not None else text

    def declared(self, value: Value) -> str:
        """A name with its type."""
        return f"{self.names(value)}: {value_type_text(value)}"

    def body(self, block: Block, indent: str, role: str, last: str) -> Iterator[str]:
        for op in block.ops:
            if op.role != role:
                role = op.role
                yield f"{indent}-- {role or 'primal'}"
            yield from self.op(op, indent)
        results = ", ".join(map(self.names, block.results))
        yield f"{indent}{last} {results}".rstrip()
        if block is self.mark:
            yield self.arrow(indent)

    def arrow(self, indent: str) -> str:
        return f"{indent}^^^ {self.note}".rstrip()

    def op(self, op: Op, indent: str) -> Iterator[str]:
        inputs = list(map(self.names, op.inputs))
        if op.kind.name == "const":
            call = attribute_text(op.attrs["value"])
        else:
            call = f"{op.kind.name}({', '.join(inputs + _attributes(op))})"
        results = ", ".join(map(self.names, op.results))
        types = ", ".join(map(value_type_text, op.results))
        line = f"{indent}{results} = {call} : {types}" if results else f"{indent}{call}"
        if self.spans and op.span is not None:
            line += f"  # {op.span}"
        yield line
        if op is self.mark:
            yield self.arrow(indent)
        words = REGION_WORDS.get(op.kind.name, ())
        for number, region in enumerate(op.regions):
            word = words[number] if number < len(words) else "region"
            if op.attrs.get("jvp") and region is op.regions[-1]:
                word = "jvp"
            params = ", ".join(map(self.declared, region.params))
            yield f"{indent}{STEP}{word}({params})"
            yield from self.body(region, indent + 2 * STEP, op.role, "yield")


def _attributes(op: Op) -> list[str]:
    """Attributes that do not have their default."""
    defaults = op.kind.attrs
    texts = ((k, attribute_text(v)) for k, v in op.attrs.items())
    return [f"{k}={text}" for k, text in texts if text != attribute_text(defaults.get(k))]


# ------------------------------------------------------------------------------- leaves
def tree_text(tree: Tree, leaf: Any) -> str:
    """A nested structure; ``leaf`` prints what is no node."""
    if not isinstance(tree, Node):
        return str(leaf(tree))
    children = [tree_text(child, leaf) for child in tree.children]
    if tree.kind == "static":
        return f"static({attribute_text(tree.value)})"
    if tree.kind == "tuple":
        return f"({', '.join(children)}{',' if len(children) == 1 else ''})"
    if tree.kind == "list":
        return f"[{', '.join(children)}]"
    if tree.kind == "argument":
        return f"argument({attribute_text(tree.value)})"
    if tree.kind in ("maybe", "either"):
        return f"{tree.kind} ({', '.join(children)})"
    if tree.kind == "each":
        return f"each {tree_text(tree.value, str)} [{', '.join(children)}]"
    pairs = ", ".join(f"{k!r}: {c}" for k, c in zip(tree.keys, children, strict=True))
    if tree.kind == "dict":
        return f"{{{pairs}}}"
    return f"{tree.kind} {getattr(tree.cls, '__name__', tree.cls)} {{{pairs}}}"


def type_text(t: Type) -> str:
    """A type, as ``str`` has it."""
    return str(t)


def value_type_text(value: Value) -> str:
    """A value's type; ``int(n)`` for an integer known to be the length ``n``."""
    text = type_text(value.type)
    return text if value.dim is None else f"{text}({value.dim})"


def attribute_text(value: Any) -> str:
    """An attribute or constant."""
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.generic):
        return f"{value.dtype.name}({attribute_text(value.item())})"
    if isinstance(value, np.ndarray):
        return f"ndarray({attribute_text(value.tolist())}, {value.dtype.name})"
    if isinstance(value, ArrayType | ScalarType | ListType | ObjectType):
        return f"type {type_text(value)}"
    if isinstance(value, tuple) and any(map(_is_item, value)):
        return f"at[{', '.join(map(_item_text, value))}]"
    if isinstance(value, tuple):
        inner = ", ".join(map(attribute_text, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(attribute_text, value))}]"
    if isinstance(value, type):
        return np.dtype(value).name if issubclass(value, np.generic) else value.__name__
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def _is_item(value: Any) -> bool:
    return isinstance(value, Slice | NewAxis | Operand | Gather | Mask)


def _item_text(item: Any) -> str:
    if isinstance(item, Slice):
        step = "" if item.step is None else f":{_bound_text(item.step)}"
        return f"{_bound_text(item.start)}:{_bound_text(item.stop)}{step}"
    if isinstance(item, NewAxis):
        return "newaxis"
    if isinstance(item, Gather | Mask):
        return f"{type(item).__name__.lower()} {item.k}"
    return _bound_text(item)


def _bound_text(bound: Any) -> str:
    if isinstance(bound, Operand):
        return f"${bound.k}"
    return "" if bound is None else str(bound)


# ------------------------------------------------------------------------------ symbols
def _symbols(function: Function) -> Iterable[Sym]:
    """Every symbol, in order of appearance."""
    found: dict[Sym, None] = {}
    for p in function.params:
        _collect_value(p, found)
    for d in function.not_one:
        _collect(d, found)
    for op in function.block.walk():
        for region in op.regions:
            for p in region.params:
                _collect_value(p, found)
        for value in op.attrs.values():
            if isinstance(value, ArrayType | ListType):
                _collect_type(value, found)
        for value in op.results:
            _collect_value(value, found)
    return found


def _collect_value(value: Value, found: dict[Sym, None]) -> None:
    _collect_type(value.type, found)
    if value.dim is not None:
        _collect(value.dim, found)


def _collect_type(t: Type, found: dict[Sym, None]) -> None:
    if isinstance(t, ListType):
        _collect_type(t.element, found)
    elif isinstance(t, ArrayType):
        for d in t.shape:
            _collect(d, found)


def _collect(d: Dimension, found: dict[Sym, None]) -> None:
    if isinstance(d, int):
        return
    for monomial, _ in d.terms:
        for atom in monomial:
            if isinstance(atom, Call):
                for arg in atom.args:
                    _collect(arg, found)
            else:
                found.setdefault(atom)


def _symbol_text(symbol: Sym) -> str:
    """What is known about a symbol, empty for the usual (a length)."""
    text = "" if symbol.lo == 0 else " any" if symbol.lo is None else f" >= {symbol.lo}"
    text += " != 1" if symbol.not_one else ""
    return f"{symbol.name}{text}" if text else ""
