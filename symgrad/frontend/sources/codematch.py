"""Which definition in a text is the one that a code object was compiled from."""

from __future__ import annotations
import __future__

import ast
import copy
import inspect
import textwrap
import threading
import types
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Chain = tuple[ast.AST, ...]
Definition = ast.FunctionDef | ast.Lambda
AnyDefinition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


def find(
    text: str, code: types.CodeType, *, check: bool, rewritten: bool
) -> Definition | None:
    """The definition of ``code`` in ``text``; None where there is none with the same code.

    Args:
        check: compare the code; else name, place and arguments are enough.
        rewritten: assertions may have been rewritten when the module was imported.
    """
    tree = _tree(text)
    if tree is None:
        tree = _block(text, code.co_firstlineno)
    if tree is None:
        return None
    candidates = sorted(_candidates(tree, code), key=lambda c: _rank(c[0], code))
    for node, chain in candidates:
        if not same_arguments(node, code):
            continue
        at_place = first_line(node) == code.co_firstlineno
        trusted = at_place and (not check or (rewritten and _asserts(node)))
        if trusted or _verified(tree, node, chain[0], code):
            found: Definition = _finished(node, chain)
            return found
    return None


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def _verified(
    tree: ast.Module, node: AnyDefinition, top: ast.AST, code: types.CodeType
) -> bool:
    """Whether compiling ``node`` where it stands gives ``code``."""
    line = first_line(node)
    if isinstance(node, ast.Lambda):
        # Several lambdas may share a line: move this one where no other is.
        copied: dict[int, Any] = {}
        top = copy.deepcopy(top, copied)
        ast.increment_lineno(copied[id(node)], _FAR)
        line += _FAR
    for imports in (_imports(tree), _future_imports(tree)):
        compiled = _compile([*imports, top], code.co_flags & _FUTURE)
        for other in _codes(compiled, code.co_name):
            if other.co_firstlineno == line and same_code(code, other):
                return True
    return False


_FAR = 1_000_000
_QUIET = threading.Lock()
"""What Python warns of in the user's text it has said when that was imported. Filters of warnings
are not for several threads at once."""


@lru_cache(maxsize=16)
def _tree(text: str) -> ast.Module | None:
    try:
        with _QUIET, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError:
        return None


def _block(text: str, number: int) -> ast.Module | None:
    """The block that starts at one line, where the whole text does not parse (a notebook's
    magic commands, a file that is being edited)."""
    lines = text.splitlines(keepends=True)[number - 1 :]
    if not lines:
        return None
    block = "".join(inspect.getblock(lines))
    indent = len(block) - len(block.lstrip())
    tree = _tree(textwrap.dedent(block))
    if tree is None:
        return None
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(
            node, ast.expr | ast.stmt | ast.excepthandler | ast.arg | ast.keyword
        ):
            node.col_offset += indent
            node.end_col_offset = (node.end_col_offset or 0) + indent
    return ast.increment_lineno(tree, number - 1)


def _candidates(
    tree: ast.Module, code: types.CodeType
) -> list[tuple[AnyDefinition, Chain]]:
    """Definitions of the right name, each with the nodes around it, outermost first."""
    return _definitions(tree).get(code.co_name, [])


@lru_cache(maxsize=16)
def _definitions(tree: ast.Module) -> dict[str, list[tuple[AnyDefinition, Chain]]]:
    """All definitions by their names."""
    found: dict[str, list[tuple[AnyDefinition, Chain]]] = {}
    stack: list[tuple[ast.AST, Chain]] = [(node, ()) for node in tree.body]
    while stack:
        node, chain = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            name = getattr(node, "name", "<lambda>")
            found.setdefault(name, []).append((node, (*chain, node)))
        inner = (*chain, node) if isinstance(node, ast.stmt) else chain
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]
    return found


def first_line(node: AnyDefinition) -> int:
    """What ``co_firstlineno`` is for this definition: its first decorator's line."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(d.lineno for d in decorators)])


def _rank(node: AnyDefinition, code: types.CodeType) -> tuple[int, int, int]:
    """Sort key: the right line first; among lambdas on it the smallest whose body holds every
    instruction; then by distance."""
    distance = abs(first_line(node) - code.co_firstlineno)
    if not isinstance(node, ast.Lambda) or distance:
        return distance, 0, 0
    body = node.body
    start = (body.lineno, body.col_offset)
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    inside = all(start <= a and b <= end for a, b in _instruction_ranges(code))
    size = (end[0] - start[0]) * 10_000 + end[1] - start[1]
    return distance, int(not inside), size


def _instruction_ranges(code: types.CodeType) -> Iterator[tuple[Any, Any]]:
    for line, end_line, column, end_column in code.co_positions():
        if None in (line, end_line, column, end_column) or column == end_column:
            continue
        yield (line, column), (end_line, end_column)


def _imports(tree: ast.Module) -> list[ast.AST]:
    """The imports at module level: calls of functions in an imported module are compiled
    differently from those of methods."""
    found: list[ast.AST] = _future_imports(tree)
    todo: list[ast.AST] = list(reversed(tree.body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.excepthandler):
            todo += [c for c in ast.iter_child_nodes(node) if isinstance(c, _STATEMENTS)]
    return found


_STATEMENTS = (ast.stmt, ast.excepthandler)


def _future_imports(tree: ast.Module) -> list[ast.AST]:
    """What alone goes before a statement where each is compiled by itself, as in notebooks."""
    return [
        s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"
    ]


def _compile(body: list[ast.AST], flags: int) -> types.CodeType | None:
    """A top-level statement compiled as a whole, so that closures, classes and private names
    are what they are in the file."""
    try:
        with _QUIET, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(
                ast.Module(body, []),  # type: ignore[arg-type]
                "<check>",
                "exec",
                flags,
                dont_inherit=True,
            )
    except (SyntaxError, ValueError):
        return None
    assert isinstance(code, types.CodeType)
    return code


def _codes(code: types.CodeType | None, name: str) -> Iterator[types.CodeType]:
    for constant in code.co_consts if code is not None else ():
        if isinstance(constant, types.CodeType):
            if constant.co_name == name:
                yield constant
            yield from _codes(constant, name)


def same_code(a: types.CodeType, b: types.CodeType) -> bool:
    """Whether two code objects do the same, file and line numbers aside."""
    for attribute in ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars"):
        if getattr(a, attribute) != getattr(b, attribute):
            return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    return all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, types.CodeType):
        return same_code(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return a == b and repr(a) == repr(b) if isinstance(a, int | float | complex) else a == b


def same_arguments(node: AnyDefinition, code: types.CodeType) -> bool:
    """Whether the definition has the code's argument names."""
    a = node.args
    listed = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    listed += [star for star in (a.vararg, a.kwarg) if star is not None]
    counts = (len(a.posonlyargs), len(a.posonlyargs) + len(a.args), len(a.kwonlyargs))
    if counts != (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount):
        return False
    found = code.co_varnames[: len(listed)]
    return all(map(_same_name, (arg.arg for arg in listed), found))


def _same_name(written: str, name: str) -> bool:
    return name == written or (written.startswith("__") and name.endswith(written))


def _finished(node: AnyDefinition, chain: Chain) -> Any:
    """The node with private names (``self.__x`` in a class) spelled as they are at run time."""
    classes = [c.name.lstrip("_") for c in chain if isinstance(c, ast.ClassDef)]
    if not classes or not classes[-1]:
        return node
    mangled = copy.deepcopy(node)
    for inner in ast.walk(mangled):
        if inner is not mangled:
            _mangle(inner, classes[-1])
    return mangled


def _mangle(node: Any, owner: str) -> None:
    for name in ("id", "attr", "arg", "name"):
        written = getattr(node, name, None)
        if not isinstance(written, str) or isinstance(node, ast.keyword):
            continue
        if written.startswith("__") and not written.endswith("__"):
            setattr(node, name, f"_{owner}{written}")


__all__ = ["Definition", "find", "first_line", "same_arguments", "same_code"]
