"""The printer's text read back into IR.

Types are read, not inferred; ``verify`` compares. Spans, captures, docstrings and notes are not
in the text; classes of argument structures and static objects are looked up in ``names``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .builder import Table
from .dims import Dimension, Sym
from .reader import Reader
from .structure import STRUCTURE
from .tree import Node, NodeKind
from .types import Type
from .values import Argument, Block, Function, Op, Value

ARGUMENT_KINDS = ("positional_only", "keyword_only", "var_positional", "var_keyword")


def parse(text: str, table: Table, names: Mapping[str, Any] | None = None) -> Function:
    """The function that ``printer.to_text`` printed as ``text``.

    Args:
        table: the op table.
        names: classes that the argument structures name.

    Raises:
        InternalError: with the line that cannot be read.
    """
    lines = [line for line in text.splitlines() if line.split("#")[0].strip()]
    return _Parser(lines, table, names or {}).function()


class _Parser:
    def __init__(
        self, lines: Sequence[str], table: Table, names: Mapping[str, Any]
    ) -> None:
        self.lines = list(lines)
        self.at = 0
        self.table = table
        self.names = names
        self.values: dict[str, Value] = {}
        self.symbols = _declared(self.lines)

    # -- lines --------------------------------------------------------------------------
    def reader(self) -> Reader:
        """The next line, which is thereby used up."""
        line = self.lines[self.at]
        self.at += 1
        return Reader(line, self.symbols)

    def peek(self) -> tuple[int, str]:
        """Indentation and text of the next line."""
        if self.at == len(self.lines):
            return 0, ""
        line = self.lines[self.at]
        return len(line) - len(line.lstrip()), line.strip()

    def value(self, name: str, reader: Reader) -> Value:
        if name not in self.values:
            raise reader.fault(f"{name} is not defined")
        return self.values[name]

    def define(self, name: str, type: Type, dim: Dimension | None, op: Op | None) -> Value:
        base = name.split(".")[0]
        wish = "" if base.startswith("_") and base[1:].isdigit() else base
        value = Value(type, wish, op, dim)
        self.values[name] = value
        return value

    # -- the function -------------------------------------------------------------------
    def function(self) -> Function:
        reader = self.reader()
        reader.expect("function")
        name = reader.name()
        reader.expect("(")
        params: list[Value] = []
        arguments = [
            a for a in reader.items(")", lambda: self.argument(reader, params)) if a
        ]
        reader.expect("->")
        returns = self.tree(reader, reader.integer)
        not_one, mutated = self.header()
        block = self.block(params, self.peek()[0], "", "return")
        positions = {p: k for k, p in enumerate(params)}
        mutates = tuple((positions[self.values[p]], r) for p, r in mutated)
        return Function(name, block, tuple(arguments), returns, mutates, not_one)

    def header(self) -> tuple[tuple[Dimension, ...], list[tuple[str, int]]]:
        """The lines that say what is assumed, and which arguments are written to."""
        not_one: tuple[Dimension, ...] = ()
        mutated: list[tuple[str, int]] = []
        while _is_header(self.peek()[1]):
            line = self.reader()
            word = line.name()
            if word == "assume":
                not_one = tuple(line.items("", partial(_assumed, line)))
            elif word == "mutates":
                mutated = line.items("", partial(_mutated, line))
        return not_one, mutated

    def argument(self, reader: Reader, params: list[Value]) -> Argument | None:
        kind = "positional_or_keyword"
        reader.accept("captured")
        if reader.ahead() in ARGUMENT_KINDS:
            kind = reader.name()
        alone = reader.accept("param")
        name = reader.name()
        tree: Any
        if reader.accept("="):
            tree = self.tree(reader, lambda: self.declared(reader, reader.name(), params))
        else:
            tree = self.declared(reader, name, params)
        if alone:
            return None
        if not reader.accept("default"):
            return Argument(name, tree, kind)
        return Argument(name, tree, kind, reader.literal(), has_default=True)

    def declared(self, reader: Reader, name: str, params: list[Value]) -> Value:
        reader.expect(":")
        type, dim = reader.value_type()
        value = self.define(name, type, dim, None)
        params.append(value)
        return value

    def tree(self, reader: Reader, leaf: Callable[[], Any]) -> Any:
        """A nested structure, its leaves read by ``leaf``."""

        def child() -> Any:
            return self.tree(reader, leaf)

        def pair() -> tuple[Any, Any]:
            return reader.literal(), reader.after(":", child)

        if reader.accept("("):
            return Node("tuple", tuple(reader.items(")", child)))
        if reader.accept("["):
            return Node("list", tuple(reader.items("]", child)))
        if reader.accept("{"):
            return _keyed("dict", reader.items("}", pair))
        word = reader.ahead()
        if word in ("static", "argument"):
            reader.expect(word, "(")
            fixed: NodeKind = "static" if word == "static" else "argument"
            node = Node(fixed, value=reader.literal())
            reader.expect(")")
            return node
        if word == "each":
            reader.expect("each")
            element = self.tree(reader, reader.literal)
            reader.expect("[")
            return Node("each", tuple(reader.items("]", child)), value=element)
        if word in ("maybe", "either"):
            reader.expect(word, "(")
            chosen: NodeKind = "maybe" if word == "maybe" else "either"
            return Node(chosen, tuple(reader.items(")", child)))
        if word in ("namedtuple", "dataclass", "object"):
            kind, name = reader.name(), reader.name()
            if name not in self.names:
                raise reader.fault(f"the class {name} is not given")
            reader.expect("{")
            return _keyed(kind, reader.items("}", pair), self.names[name])
        return leaf()

    # -- blocks -------------------------------------------------------------------------
    def block(self, params: Sequence[Value], indent: int, role: str, last: str) -> Block:
        ops: list[Op] = []
        while True:
            reader = self.reader()
            if reader.accept("--"):
                role = reader.rest()
                role = "" if role == "primal" else role
                continue
            if reader.accept(last):
                found = reader.items("", reader.name)
                results = tuple(self.value(n, reader) for n in found)
                return Block(tuple(params), tuple(ops), results)
            ops.append(self.op(reader, indent, role))

    def op(self, reader: Reader, indent: int, role: str) -> Op:
        results: list[str] = []
        if reader.is_assignment():
            results = reader.items("=", reader.name)
        op = self.call(reader, role)
        if results:
            reader.expect(":")
            types = reader.items("", reader.value_type)
            if len(types) != len(results):
                raise reader.fault("as many types as results are expected")
        regions = []
        while self.peek()[0] > indent:
            regions.append(self.region(role))
        op.regions = tuple(regions)
        pairs = zip(results, types if results else (), strict=True)
        op.results = tuple(self.define(n, type, dim, op) for n, (type, dim) in pairs)
        return op

    def region(self, role: str) -> Block:
        reader = self.reader()
        reader.name()
        reader.expect("(")
        params: list[Value] = []
        reader.items(")", lambda: self.declared(reader, reader.name(), params))
        return self.block(params, self.peek()[0], role, "yield")

    def call(self, reader: Reader, role: str) -> Op:
        name = reader.ahead()
        kind = self.table.get(name) or STRUCTURE.get(name)
        if kind is None or not reader.is_call():
            return Op(STRUCTURE["const"], (), {"value": reader.literal()}, role=role)
        reader.expect(name, "(")
        inputs: list[Value] = []
        attrs = dict(kind.attrs)

        def operand() -> None:
            word = reader.name()
            if reader.accept("="):
                attrs[word] = reader.literal()
            else:
                inputs.append(self.value(word, reader))

        reader.items(")", operand)
        return Op(kind, tuple(inputs), attrs, role=role)


def _keyed(kind: Any, pairs: list[tuple[Any, Any]], cls: Any = None) -> Node:
    keys = tuple(key for key, _ in pairs)
    return Node(kind, tuple(child for _, child in pairs), keys, cls)


def _is_header(line: str) -> bool:
    """Whether the line says something about the function, and is no op."""
    word, _, rest = line.partition(" ")
    return word in ("dims", "assume", "mutates") and not rest.startswith(("=", ","))


def _mutated(line: Reader) -> tuple[str, int]:
    return line.name(), line.after("=", line.integer)


def _assumed(line: Reader) -> Dimension:
    d = line.dimension()
    line.expect("!=", "1")
    return d


def _declared(lines: Sequence[str]) -> dict[str, Sym]:
    """What the ``dims`` line says about symbols."""
    found: dict[str, Sym] = {}
    for line in lines[1:2]:
        reader = Reader(line, {})
        if not _is_header(line.strip()) or not reader.accept("dims"):
            continue
        while reader.ahead():
            name = reader.name()
            lo: int | None = 0
            if reader.accept("any"):
                lo = None
            elif reader.accept(">="):
                lo = reader.integer()
            not_one = reader.accept("!=")
            if not_one:
                reader.expect("1")
            found[name] = Sym(name, lo, not_one)
            reader.accept(",")
    return found
