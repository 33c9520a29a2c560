"""Compiled functions for other processes: by name where they can be imported, else by source.

What is pickled of them is the user's function, and the other process compiles it again. A lambda,
or a function inside another one, goes as its text with the values of its closure and its
defaults. A pullback goes as its generated code, which needs NumPy only, with what is saved.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import sys
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiled import CompiledFunction
    from .pipeline import Program


def reduced(compiled: CompiledFunction) -> Any:
    """What ``__reduce__`` of a compiled function returns."""
    if _found(compiled) is compiled:
        return compiled.__qualname__
    fun, options = compiled._fun, compiled._options
    if isinstance(fun, types.FunctionType) and _found(fun) is not fun:
        portable = _portable(fun, dict(options).get("source"))
        return (_again, (compiled._kind, portable, options))
    return (type(compiled), (compiled._kind, fun, options))


def _found(thing: Any) -> Any:
    """What stands in the thing's module under its name."""
    found: Any = sys.modules.get(thing.__module__)
    with contextlib.suppress(AttributeError):
        return functools.reduce(getattr, str(thing.__qualname__).split("."), found)
    return None


@dataclass(frozen=True, slots=True)
class Portable:
    """A function as its text and what that reads."""

    text: str
    name: str
    qualname: str
    module: str
    cells: dict[str, Any]
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None

    def function(self) -> types.FunctionType:
        """The function again, among the globals of its module."""
        lines = [f"def _make({', '.join(self.cells)}):"]
        lines += [f"    {line}" for line in self.text.splitlines()]
        scope: dict[str, Any] = {}
        namespace = vars(importlib.import_module(self.module))
        code = compile("\n".join(lines) + f"\n    return {self.name}", "<pickled>", "exec")
        exec(code, scope)
        make = types.FunctionType(scope["_make"].__code__, namespace)
        made: types.FunctionType = make(**self.cells)
        made.__defaults__, made.__kwdefaults__ = self.defaults, self.keyword_defaults
        made.__qualname__ = self.qualname
        return made


def _portable(fun: types.FunctionType, given: str | None) -> Portable:
    from ..frontend.sources.getsource import parse

    node = parse(fun).node
    cells = {
        name: cell.cell_contents
        for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True)
    }
    name = fun.__name__
    if isinstance(node, ast.Lambda):
        name = "_lambda"
        text = f"{name} = {ast.unparse(_without_defaults(node))}"
    else:
        text = ast.unparse(_without_defaults(node))
    return Portable(
        text,
        name,
        fun.__qualname__,
        fun.__module__,
        cells,
        fun.__defaults__,
        fun.__kwdefaults__,
    )


def _without_defaults(node: Any) -> Any:
    """The definition without decorators; defaults are given as objects."""
    again = ast.parse(ast.unparse(node)).body[0]
    inner: Any = again.value if isinstance(again, ast.Expr) else again
    none = ast.Constant(None)
    inner.args.defaults = [none for _ in inner.args.defaults]
    inner.args.kw_defaults = [None if d is None else none for d in inner.args.kw_defaults]
    if isinstance(inner, ast.FunctionDef):
        inner.decorator_list = []
    return inner


def _again(kind: str, portable: Portable, options: tuple[tuple[str, Any], ...]) -> Any:
    from .compiled import CompiledFunction

    function = portable.function()
    text = portable.text.removeprefix("_lambda = ")
    if kind == "compile":
        return CompiledFunction(kind, function, (*options, ("source", text)))
    inner = CompiledFunction("compile", function, (("source", text),))
    return CompiledFunction(kind, inner, options)


def code_of(program: Program) -> Any:
    """What ``__reduce__`` of something that runs a program's code returns."""
    e = program.emitted
    return (Loaded, (e.text, e.name, e.imports, e.bindings))


class Loaded:
    """Generated code that came from another process."""

    def __init__(self, *code: Any) -> None:
        from ..emit import Emitted, LineMap, load
        from .files import filename_of

        text, name, imports, bindings = self._code = code
        emitted = Emitted(text, name, LineMap(), imports, bindings)
        self._call = load(emitted, filename_of(emitted, "unpickled", to_file=False))

    def __call__(self, *args: Any) -> Any:
        return self._call(*args)

    def __reduce__(self) -> Any:
        return (Loaded, self._code)


__all__ = ["Loaded", "Portable", "code_of", "reduced"]
