"""A function's syntax tree, found in its file and checked against its code object."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
import types
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import SourceUnavailableError
from ...source import Source, Span
from ..requests import Request
from . import fence
from .assigning import with_plain_conditions
from .codematch import Definition, find, same_arguments
from .matching import without_match
from .spans import span_of
from .yielding import with_plain_yields


@dataclass(frozen=True, slots=True)
class Parsed:
    """A function and its syntax. Positions in ``node`` are those in the user's file (columns
    in bytes, as ``ast`` counts them: use ``span``)."""

    node: Definition
    source: Source
    function: types.FunctionType

    @property
    def name(self) -> str:
        """The function's name; ``lambda`` for lambdas."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda's expression as a return."""
        if isinstance(self.node, ast.FunctionDef):
            return self.node.body
        return [ast.copy_location(ast.Return(self.node.body), self.node.body)]

    @property
    def globals(self) -> dict[str, Any]:
        return self.function.__globals__

    @property
    def cells(self) -> Mapping[str, types.CellType]:
        """The closure by name (``__class__`` among them where ``super()`` is used)."""
        names = self.function.__code__.co_freevars
        return dict(zip(names, self.function.__closure__ or (), strict=True))

    @property
    def origin(self) -> Span:
        """The line of the definition."""
        return self.span(self.node)

    def span(self, node: ast.AST) -> Span:
        """Where ``node`` is."""
        return span_of(self.source, node)


_given: weakref.WeakKeyDictionary[types.FunctionType, tuple[str | None, bool]]
_given = weakref.WeakKeyDictionary()
_parsed: weakref.WeakKeyDictionary[types.CodeType, tuple[Definition, Source]]
_parsed = weakref.WeakKeyDictionary()


def parse(function: Any, source: str | None = None, *, check: bool = True) -> Parsed:
    """The syntax of a Python function, within the supported language.

    Args:
        function: a function; bound methods, ``staticmethod``, ``functools.partial``, cached
            functions and objects with ``__call__`` stand for the function that they run.
        source: its text, where the file is not to be had or not to be trusted.
        check: whether to compare the text found with the code that runs.

    Raises:
        SourceUnavailableError: no text, or not that of the running code.
        UnsupportedSyntaxError: something in it cannot be compiled.
    """
    plain = underlying(function)
    if plain is None:
        name = getattr(function, "__name__", None) or type(function).__name__
        raise SourceUnavailableError(
            f"no source for `{name}`: it is not a Python function ({type(function).__name__})"
        )
    code = plain.__code__
    if source is None and check:
        source, check = _given.get(plain, (None, True))
    if source is not None:
        node, text = _from_text(plain, source)
        fence.check(node, text)
        return Parsed(plainer(node), text, plain)
    # Equal code objects of different files compare equal, but their file names differ.
    found = _parsed.get(code)
    if found is None or found[1].filename != code.co_filename:
        node, text = _find(plain, check)
        fence.check(node, text)
        found = _parsed[code] = (plainer(node), text)
    return Parsed(*found, plain)


def plainer(node: Definition) -> Any:
    """``node`` without the syntax that other syntax stands for."""
    return with_plain_conditions(without_match(with_plain_yields(node)))


def heed(request: Request) -> None:
    """Keep to what ``compile(source=..., check_source=...)`` said about a function's text."""
    function = underlying(request.fun)
    source, check = request.option("source"), request.option("check_source", True)
    if function is not None and (source is not None or not check):
        _given[function] = (source, bool(check))


def underlying(function: Any) -> types.FunctionType | None:
    """The Python function that runs when ``function`` is called, if there is one."""
    for _ in range(100):
        if isinstance(function, types.FunctionType):
            return function
        inner = _one_inside(function)
        if inner is None:
            return None
        function = inner
    return None


def _one_inside(function: Any) -> Any:
    if isinstance(function, types.MethodType | staticmethod | classmethod):
        return function.__func__
    if isinstance(function, type):
        return None
    if isinstance(function, functools.partial):
        return function.func
    request = getattr(function, "__symgrad_request__", None)
    if request is not None:
        return request.fun
    rule = getattr(function, "__symgrad_custom__", None)
    if rule is not None:
        return rule.function
    if type(function).__name__.endswith("Dispatcher"):
        return getattr(function, "py_func", None)
    if hasattr(function, "cache_info"):
        # functools.lru_cache: calling it gives what the wrapped function gives. The
        # `__wrapped__` of a plain wrapper is not followed: the wrapper is what runs.
        return getattr(function, "__wrapped__", None)
    call = inspect.getattr_static(type(function), "__call__", None)
    return call if isinstance(call, types.FunctionType) else None


def _find(function: types.FunctionType, check: bool) -> tuple[Definition, Source]:
    code = function.__code__
    stale = False
    for lines in _texts(function):
        source = Source(code.co_filename, tuple(line.rstrip("\n") for line in lines))
        rewritten = "@pytest_ar" in function.__globals__
        node = find("".join(lines), code, check=check, rewritten=rewritten)
        if node is not None:
            return node, source
        # From 3.13 on the text of `python -c` is kept as "<string>", which is also what the code
        # of any exec is called: another text of that name says nothing about this function.
        stale = code.co_filename != "<string>"
    name = function.__qualname__
    where = f"{code.co_filename}:{code.co_firstlineno}"
    if stale:
        raise SourceUnavailableError(
            f"the source of `{name}` at {where} is not what runs: the file changed since it was "
            "imported, or the code was rewritten; import it again, or pass its text as `source=`"
        )
    raise SourceUnavailableError(
        f"no source for `{name}` ({where}); define it in a file or a notebook cell, or pass its "
        "text as `source=`"
    )


def _texts(function: types.FunctionType) -> Iterator[list[str]]:
    """Candidates for the lines of the function's file, the likeliest first."""
    code = function.__code__
    first = linecache.getlines(code.co_filename, function.__globals__)
    if first:
        yield first
    # From Python 3.13 on, what was typed at the prompt is kept per code object.
    by_code = getattr(linecache, "_getlines_from_code", None)
    if by_code is not None:
        typed = by_code(code)
        if typed and typed != first:
            yield typed
    linecache.checkcache(code.co_filename)
    again = linecache.getlines(code.co_filename, function.__globals__)
    if again and again != first:
        yield again


def _from_text(function: types.FunctionType, text: str) -> tuple[Definition, Source]:
    """The definition in a text given by the user."""
    name, code = function.__name__, function.__code__
    text = textwrap.dedent(text)
    source = Source(f"<source of {name}>", tuple(text.splitlines()))
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise SourceUnavailableError(
            f"the `source=` of `{name}` is not Python: {error}"
        ) from None
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if getattr(node, "name", "<lambda>") == name and same_arguments(node, code):
            return node, source  # type: ignore[return-value]  # the fence refuses async
    raise SourceUnavailableError(
        f"the `source=` given holds no definition of `{name}` with its arguments"
    )


__all__ = ["Definition", "Parsed", "heed", "parse", "span_of", "underlying"]
