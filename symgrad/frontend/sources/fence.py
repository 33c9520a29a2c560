"""The supported language: one method per Python construct that cannot be compiled.

What is not refused here may still be refused while lowering, where it depends on values.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...errors import UnsupportedSyntaxError
from ...source import Source
from .liveness import yields
from .spans import span_of


def check(node: ast.AST, source: Source) -> None:
    """Refuse the first construct in ``node`` that is outside the language.

    Raises:
        UnsupportedSyntaxError: naming it, where it is, and what to write instead.
    """
    _Fence(source).enter(node)


class _Fence(ast.NodeVisitor):
    def __init__(self, source: Source) -> None:
        self.source = source
        self.around: list[ast.AST] = []

    def enter(self, node: ast.AST) -> None:
        """Visit a definition: its decorators and annotations are not compiled."""
        if isinstance(node, ast.AsyncFunctionDef):
            self.visit_AsyncFunctionDef(node)
        body = node.body if isinstance(node, ast.FunctionDef) else [node]
        self.around.append(node)
        for inner in body:
            self.visit(inner)
        self.around.pop()

    def refuse(self, node: Any, what: str, instead: str) -> None:
        message = f"{what} cannot be compiled; {instead}"
        raise UnsupportedSyntaxError(message, span_of(self.source, node))

    # -- generators and coroutines --------------------------------------------------------
    def visit_Expr(self, node: ast.Expr) -> None:
        is_yield = isinstance(node.value, ast.Yield | ast.YieldFrom)
        self.generic_visit(node.value if is_yield else node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """What a ``yield`` gives is None where nothing is sent."""
        for target in node.targets:
            self.visit(target)
        is_yield = isinstance(node.value, ast.Yield)
        (self.generic_visit if is_yield else self.visit)(node.value)

    def visit_Yield(self, node: ast.Yield) -> None:
        self.refuse(node, "`yield` within an expression", "make it a statement")

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.refuse(node, "the value of `yield from`", "have it yielded, or return a list")

    def _refuse_yields(self, nodes: Sequence[Any], where: str, instead: str) -> None:
        for inner in yields(ast.Module([*nodes], [])):
            self.refuse(inner, f"`yield` in {where}", instead)

    def visit_Await(self, node: ast.Await) -> None:
        self.refuse(node, "`await`", "await outside and pass the result as an argument")

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.refuse(node, "`async def`", "use a plain `def` and call it from the coroutine")

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self.refuse(node, "`async for`", "collect the items outside and use `for`")

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self.refuse(node, "`async with`", "enter the context outside the compiled function")

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            self.refuse(node.target, "an async comprehension", "collect the items outside")
        self.generic_visit(node)

    # -- definitions and scopes -----------------------------------------------------------
    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.refuse(
            node, f"the class definition `{node.name}`", "move it out of the function"
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.around.append(node)
        for inner in node.body:
            self.visit(inner)
        self.around.pop()

    def visit_Global(self, node: ast.Global) -> None:
        """Said of names that are only read, it says nothing."""
        if not any(_assigns(self.around[-1], name) for name in node.names):
            return
        self.refuse(
            node,
            f"`global {', '.join(node.names)}`",
            "return the new value and assign it outside",
        )

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if any(alias.name == "*" for alias in node.names):
            self.refuse(node, "a star import", "name what is imported")

    # -- statements -----------------------------------------------------------------------
    def visit_Try(self, node: ast.Try) -> None:
        for inner in node.finalbody:
            for way in ast.walk(inner):
                if isinstance(way, ast.Return | ast.Break | ast.Continue):
                    self.refuse(way, "leaving a `finally`", "leave after it")
        after = "keep the value, and yield it after the `try`"
        self._refuse_yields(node.handlers, "an `except`", after)
        self._refuse_yields(node.finalbody, "a `finally`", after)
        self.generic_visit(node)

    def visit_TryStar(self, node: ast.AST) -> None:
        self.refuse(node, "`except*`", "catch outside the compiled function")

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if not _is_setting(item) and not _is_insertion(item):
                self.refuse(
                    item.context_expr,
                    f"`with {ast.unparse(item.context_expr)}`",
                    "only `with np.errstate(...)`, `with sg.no_grad()` and "
                    "`with sg.insert_grad_of(x) as dx` can stand inside; enter others outside",
                )
        self._refuse_yields(
            [node], "a `with`", "keep the value, and yield it after the `with`"
        )
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                self.refuse(
                    target, f"`del {ast.unparse(target)}`", "delete it outside the function"
                )

    def visit_TypeAlias(self, node: ast.AST) -> None:
        self.refuse(node, "a `type` statement", "move it out of the function")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)


def _assigns(function: ast.AST, name: str) -> bool:
    """Whether a function, or one inside it, assigns a name."""
    return any(
        (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.FunctionDef) and n is not function and n.name == name)
        or (isinstance(n, ast.alias) and name in (n.asname, n.name.partition(".")[0]))
        for n in ast.walk(function)
    )


SETTINGS = ("errstate", "no_grad", "enable_grad", "set_grad_enabled")


def _is_setting(item: ast.withitem) -> bool:
    return item.optional_vars is None and _called(item) in SETTINGS


def _is_insertion(item: ast.withitem) -> bool:
    return isinstance(item.optional_vars, ast.Name | None) and (
        _called(item) == "insert_grad_of"
    )


def _called(item: ast.withitem) -> str:
    """The last name of what a ``with`` item calls."""
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return ""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
