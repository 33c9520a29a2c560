"""A whole function: signature, unpacking of arguments, body, result."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from ..errors import InputTypeError, InternalError
from ..ir.literals import constant
from ..ir.nodes import revived
from ..ir.order import Order
from ..ir.tree import Node, Tree, leaves, shared
from ..ir.values import Argument, Function, Value
from .control import Blocks
from .errstates import states_of, wrapped
from .exits import Exits
from .inline import LINE, Inliner
from .layout import LONG_DERIVATIVE, Page
from .linemap import LineMap
from .liveness import Liveness
from .memory import Memory
from .names import Names
from .rounds import Rounds
from .statements import Origin, Writer
from .variables import Variables
from .zero_rank import sources


@dataclass(frozen=True, slots=True)
class Emitted:
    """Generated code.

    Args:
        text: helper functions and the function itself.
        name: the function's name.
        line_map: where each line of ``text`` comes from.
        imports: import statements that the text needs, NumPy's first.
        bindings: objects that the text refers to by name, such as classes of results.
        tree: the function as a syntax tree.
    """

    text: str
    name: str
    line_map: LineMap
    imports: tuple[str, ...] = ("import numpy as np",)
    bindings: dict[str, Any] = field(default_factory=dict)
    tree: ast.FunctionDef | None = field(default=None, repr=False, compare=False)


class Emission:
    """The work on one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.names = Names([function.name, *(a.name for a in function.arguments)])
        self.names.taken.update(_modules(function))
        self.bindings: dict[str, Any] = {}
        self.bound: dict[int, str] = {}
        self.shared: dict[int, str] = {}
        self._name_parameters()
        self._name_result()
        order = Order(function)
        memory = Memory(function, order)
        nested = Inliner(function, order, memory).nested
        live = Liveness(function, order, memory, nested)
        variables = Variables(function, live, memory, self.names)
        self.writer = Writer(
            nested,
            variables,
            memory,
            self.names,
            _hidden(function),
            sources(function),
            frozenset(function.block.results),
        )
        self.live = live

    def _name_parameters(self) -> None:
        """Whole arguments have their names; parts of nested ones get free names."""
        for argument in self.function.arguments:
            if isinstance(argument.tree, Node):
                for leaf in leaves(argument.tree):
                    leaf.name = self.names.new(leaf.name)
            else:
                argument.tree.name = argument.name

    def _name_result(self) -> None:
        """The value beside a gradient is called as the function is."""
        stem = self.function.name.removesuffix("_value_and_grad")
        positions = list(leaves(self.function.returns))
        if stem != self.function.name and positions:
            value = self.function.block.results[positions[0]]
            if not value.name and value not in self.function.params:
                value.name = stem

    # -- parts --------------------------------------------------------------------------
    def statements(self) -> list[ast.stmt]:
        """The function's body."""
        function = self.function
        blocks = Blocks(self.writer, self.function.block)
        body = self._unpacking()
        body += blocks.body(function.block)
        ending: list[ast.stmt] = []
        for position, result in function.mutates:
            param, value = function.params[position], function.block.results[result]
            if not self.writer.memory.origins.same(param, value):
                where = ast.Subscript(self.writer.variable(param), ast.Constant(...))
                ending.append(ast.Assign([where], self.writer.expression(value)))
        ending += self._return()
        last = function.block.ops[-1] if function.block.ops else None
        role = last.role if last is not None else ""
        body += self.writer.finish(ending, Origin(None, role, quiet=True), 1)
        body = self._tidied(body, blocks)
        return wrapped(body, self.writer.origins) or [ast.Pass()]

    def _tidied(self, body: list[ast.stmt], blocks: Blocks) -> list[ast.stmt]:
        """The statements with loops and functions left where a person would leave them."""
        function, variables, origins = (
            self.function,
            self.writer.variables,
            self.writer.origins,
        )
        if not any(isinstance(node, ast.If | ast.For | ast.While) for node in body):
            return body
        if any(states_of(origin.span) for origin in origins.values()):
            return body
        own = frozenset(variables.nameless)
        body = Rounds(own, blocks.turned, blocks.heads, origins).tidy(body)
        given = {
            variables.name_of(v)
            for v in function.block.results
            if not v.name and v in self.live.segments
        }
        straight = not any(origin.role for origin in origins.values())
        return Exits(own, own | given, blocks.turned, origins).tidy(body, returns=straight)

    def _unpacking(self) -> list[ast.stmt]:
        """``w = params["w"]`` for each part of an argument that is used."""
        result: list[ast.stmt] = []
        for argument in self.function.arguments:
            for leaf, place in _places(argument.tree, ast.Name(argument.name)):
                whole = isinstance(place, ast.Name)
                if not whole and leaf in self.live.used:
                    result.append(ast.Assign([self.writer.variable(leaf)], place))
        return self.writer.finish(result, Origin(None, "", quiet=True), 1)

    def _return(self) -> list[ast.stmt]:
        returns = self.function.returns
        if isinstance(returns, Node) and returns.kind == "static" and returns.value is None:
            return []
        before: list[ast.stmt] = []
        for node in shared(returns):
            made = self._rebuilt(node)
            self.shared[id(node)] = name = self.names.new("made")
            before.append(ast.Assign([ast.Name(name, ast.Store())], made))
        return [*before, ast.Return(self._rebuilt(returns))]

    def _rebuilt(self, tree: Tree, leaves: Sequence[ast.expr] | None = None) -> ast.expr:
        """The expression that puts a nested result together; ``leaves`` are those of one
        element of a list."""
        if not isinstance(tree, Node):
            if leaves is not None:
                return leaves[tree]
            return self.writer.expression(self.function.block.results[tree])
        if id(tree) in self.shared:
            return ast.Name(self.shared[id(tree)])
        parts = [self._rebuilt(child, leaves) for child in tree.children]
        match tree.kind:
            case "tuple":
                return ast.Tuple(parts)
            case "list":
                return ast.List(parts, ast.Load())
            case "dict":
                return self._dict(tree, parts)
            case "static":
                return self._static(tree.value)
            case "argument":
                return self._argument(tree.value)
            case "each":
                return self._each(tree, parts)
            case "maybe":
                return ast.IfExp(parts[0], parts[1], ast.Constant(None))
            case "either":
                return ast.IfExp(*parts)
            case "object":
                make = partial(_revived, tree.cls, tree.keys)
                return ast.Call(self._bind(make, tree.cls.__name__), parts, [])
            case "namedtuple" if tree.cls in (dict, zip):
                return ast.Call(ast.Name(tree.cls.__name__), parts, [])
            case "namedtuple":
                return ast.Call(self._bind(tree.cls), parts, [])
            case _:
                named = zip(tree.keys, parts, strict=True)
                return ast.Call(
                    self._bind(tree.cls), [], [ast.keyword(k, v) for k, v in named]
                )

    def _argument(self, path: Sequence[Any]) -> ast.expr:
        """The caller's own object at ``path``."""
        kind, key, *steps = path
        given = self.function.arguments
        argument = given[key] if kind == "arg" else next(a for a in given if a.name == key)
        tree, place = argument.tree, cast("ast.expr", ast.Name(argument.name))
        for step in steps:
            for position, child in enumerate(tree.children):
                if tree.access(position)[1] == step:
                    tree, place = child, _reached(place, *tree.access(position))
                    break
        return place

    def _each(self, tree: Node, lists: list[ast.expr]) -> ast.expr:
        """``[(a, b) for a, b in zip(xs, ys)]``."""
        names = [self.names.new("item") for _ in lists]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        element = self._rebuilt(tree.value, [ast.Name(name, ast.Load()) for name in names])
        rows = ast.Call(ast.Name("zip"), lists, [])
        return ast.ListComp(element, [ast.comprehension(target, rows, [], 0)])

    def _dict(self, tree: Node, parts: list[ast.expr]) -> ast.expr:
        made: ast.expr = ast.Dict([self._static(key) for key in tree.keys], list(parts))
        if tree.cls in (None, dict):
            return made
        return ast.Call(self._bind(tree.cls), [made], [])

    def _static(self, value: Any) -> ast.expr:
        try:
            return constant(value)
        except InternalError:
            return self._bind(value)

    def _bind(self, thing: Any, wish: str = "") -> ast.expr:
        """A name for an object that cannot be written down."""
        if id(thing) not in self.bound:
            wish = wish or getattr(thing, "__name__", type(thing).__name__.lower())
            name = self.names.new(wish)
            self.bound[id(thing)] = name
            self.bindings[name] = thing
        return ast.Name(self.bound[id(thing)])

    # -- the whole ----------------------------------------------------------------------
    def emitted(self) -> Emitted:
        """The function's code."""
        body = self.statements()
        definition = ast.FunctionDef(
            name=self.function.name,
            args=_arguments(self.function.arguments),
            body=body,
            decorator_list=[],
            **_TYPE_PARAMS,
        )
        writer = self.writer
        count = sum(1 for origin in writer.origins.values() if origin.role)
        page = Page(writer.origins, writer.texts, explain=count > LONG_DERIVATIVE)
        helpers = [part for kind in writer.kinds for part in kind.helper.split("\n\n\n")]
        for helper in dict.fromkeys(part.strip("\n") for part in helpers if part):
            page.add(helper)
            page.add("\n")
        for line in signature_text(definition.name, definition.args):
            page.add(line, span=self.function.origin)
        page.add(f'"""{_doc(self.function)}"""', 1)
        page.statements(body, 1)
        text = "\n".join(page.lines) + "\n"
        imports = ["import numpy as np"]
        imports += [
            f"import {m}" for m in ("math", "builtins") if re.search(rf"\b{m}\.", text)
        ]
        for kind in writer.kinds:
            imports += [line for line in kind.imports if line not in imports]
        name = self.function.name
        return Emitted(text, name, page.line_map, tuple(imports), self.bindings, definition)


_TYPE_PARAMS: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeVar") else {}


def _revived(cls: type, names: Sequence[str], *values: Any) -> Any:
    """An object of a registered class, which may have an ``__init__`` of any kind."""
    return revived(cls, names, values)


def _hidden(function: Function) -> frozenset[str]:
    """Builtins that the user's argument names hide in the function's code.

    Raises:
        InputTypeError: an argument is called as a module that the code needs.
    """
    names = frozenset(a.name for a in function.arguments)
    for module in sorted(names & {"np", "math", "builtins"}):
        raise InputTypeError(
            f"an argument is called `{module}`, which is what the generated code calls the "
            "module; give the argument another name",
            function.origin,
        )
    return names & frozenset(dir(builtins))


def _modules(function: Function) -> set[str]:
    """Names that the templates of the function's ops may bring in."""
    found: set[str] = set()
    for op in function.block.walk():
        for line in (*op.kind.imports, *op.kind.helper.splitlines()):
            words = line.replace("(", " ").replace(":", " ").replace(",", " ").split()
            if words and words[0] in ("import", "from", "def"):
                found.update(word.split(".")[0] for word in words[1:])
    return found


def _places(tree: Tree, node: ast.expr) -> Iterator[tuple[Value, ast.expr]]:
    """Each leaf of an argument with the expression that reaches it."""
    if not isinstance(tree, Node):
        yield tree, node
        return
    for position, child in enumerate(tree.children):
        yield from _places(child, _reached(node, *tree.access(position)))


def _reached(owner: ast.expr, how: str, key: Any) -> ast.expr:
    """A part of a container."""
    if how == "attr":
        return ast.Attribute(owner, key)
    return ast.Subscript(owner, constant(key))


def _arguments(arguments: Sequence[Argument]) -> ast.arguments:
    """The user's signature, without defaults, captured values after it."""
    kinds: dict[str, list[ast.arg]] = {}
    star = any(a.kind == "var_positional" for a in arguments)
    for argument in arguments:
        kind = argument.kind
        if argument.capture is not None:
            kind = (
                "keyword_only"
                if star or "keyword_only" in kinds
                else "positional_or_keyword"
            )
        kinds.setdefault(kind, []).append(ast.arg(argument.name))
    only = kinds.get("keyword_only", [])
    var, double = kinds.get("var_positional", []), kinds.get("var_keyword", [])
    return ast.arguments(
        posonlyargs=kinds.get("positional_only", []),
        args=kinds.get("positional_or_keyword", []),
        vararg=var[0] if var else None,
        kwonlyargs=only,
        kw_defaults=[None for _ in only],
        kwarg=double[0] if double else None,
        defaults=[],
    )


def signature_text(name: str, arguments: ast.arguments) -> list[str]:
    """The ``def`` line; one parameter group a line where it is too long."""
    parameters = list(_parameters(arguments))
    line = f"def {name}({', '.join(parameters)}):"
    if len(line) <= LINE:
        return [line]
    lines, current = [f"def {name}("], "   "
    for part in parameters:
        if len(current) + len(part) + 2 > LINE:
            lines.append(current)
            current = "   "
        current += f" {part},"
    last = current.removesuffix(",") if arguments.kwarg is not None else current
    return [*lines, last, "):"]


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    """The parts of a signature."""
    positional = [*arguments.posonlyargs, *arguments.args]
    plain = len(positional) - len(arguments.defaults)
    given = [None] * plain + arguments.defaults
    for position, (p, default) in enumerate(zip(positional, given, strict=True), 1):
        yield _with_default(p, default)
        if position == len(arguments.posonlyargs):
            yield "/"
    if arguments.vararg is not None:
        yield f"*{arguments.vararg.arg}"
    elif arguments.kwonlyargs:
        yield "*"
    for p, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _with_default(p, default)
    if arguments.kwarg is not None:
        yield f"**{arguments.kwarg.arg}"


def _with_default(parameter: ast.arg, default: ast.expr | None) -> str:
    # astor would put numbers in brackets here.
    return parameter.arg if default is None else f"{parameter.arg}={ast.unparse(default)}"


def _doc(function: Function) -> str:
    if function.doc:
        text = " ".join(function.doc.split())
    elif function.origin is not None:
        text = f"Generated from {function.origin}."
    else:
        text = "Generated by symgrad."
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return text if len(text) <= LINE - 10 else text[: LINE - 14].rstrip() + " ..."


CONTROL = frozenset({"if", "for", "while"})
"""The ops with regions that have statements."""


def emit(function: Function, *, captured_as_arguments: bool = True) -> Emitted:
    """The function as Python text. It has to have been through ``transforms.reuse``.

    Raises:
        InternalError: an op that has no code, such as a derivative, has not been expanded.
    """
    for op in function.block.walk():
        if op.regions and op.name not in CONTROL:
            raise InternalError(f"op {op.name!r} has not been expanded", spot=op)
    return Emission(function).emitted()


__all__ = ["Emitted", "Origin", "emit", "signature_text"]
