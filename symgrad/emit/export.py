"""A module that can be run without symgrad."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputTypeError
from .function import Emitted, signature_text

LITERALS = (str, int, bool, float, type(None))


@dataclass(frozen=True, slots=True)
class Interface:
    """How an exported function is called.

    Args:
        fixed: arguments that the code is for one value of; others are refused.
        defaults: of arguments, numbers, strings, None and tuples of them.
        captured: arguments that are none of the user's function.
    """

    fixed: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    captured: frozenset[str] = frozenset()


def module_text(
    emitted: Emitted,
    origin: str = "",
    version: str = "",
    kinds: str = "",
    interface: Interface | None = None,
) -> str:
    """The text of a module that defines the function and needs NumPy only (and what else the
    function itself uses).

    Args:
        emitted: the generated code.
        origin: where it comes from, for the first line.
        version: symgrad's version, for the first line.
        kinds: of the arguments that the code is for.
        interface: defaults and the like.

    Raises:
        InputTypeError: the result contains objects that cannot be imported by name.
    """
    title = (
        f"{emitted.name}, generated from {origin}"
        if origin
        else f"{emitted.name}, generated"
    )
    maker = f"symgrad {version}".strip()
    head = [f'"""{title} by {maker} (NumPy {np.__version__}).']
    if kinds:
        head += ["", *textwrap.wrap(f"For arguments {kinds}.", 88, break_long_words=False)]
    head = [*head[:-1], f'{head[-1]}"""', ""]
    imports = sorted({*emitted.imports, *_bound(emitted.bindings)}, key=_import_order)
    exported = ["", f'__all__ = ["{emitted.name}"]', "", "", ""]
    text = _guarded(emitted, interface or Interface())
    return "\n".join([*head, *imports, *exported]) + text


def _guarded(emitted: Emitted, interface: Interface) -> str:
    """The code, which refuses other values of arguments that it is for one value of."""
    tests = []
    for name, value in interface.fixed.items():
        if type(value) in LITERALS and value == value:
            other = "is not" if value is None or value is True or value is False else "!="
            told = repr(f"this code is for {name}={value!r}")
            tests += [
                f"    if {name} {other} {value!r}:",
                f"        raise ValueError({told})",
            ]
    lines = emitted.text.splitlines()
    start = next(i for i, t in enumerate(lines) if t.startswith(f"def {emitted.name}("))
    doc = next(i for i in range(start, len(lines)) if lines[i].startswith('    """'))
    head = _signed(emitted, interface) if interface.defaults else lines[start:doc]
    parts = (*lines[:start], *head, lines[doc], *tests, *lines[doc + 1 :])
    return "\n".join(parts) + "\n"


def _signed(emitted: Emitted, interface: Interface) -> list[str]:
    """The signature with defaults. What is captured is given by name then; as in Python, only
    the last ones of the positional parameters have defaults."""
    assert emitted.tree is not None
    a = emitted.tree.args
    captured = [p for p in a.args if p.arg in interface.captured]
    args = [p for p in a.args if p not in captured]
    ends: list[ast.expr] = []
    for p in reversed([*a.posonlyargs, *args]):
        if p.arg not in interface.defaults:
            break
        ends.insert(0, _literal(interface.defaults[p.arg]))
    only = [*a.kwonlyargs, *captured] if ends else a.kwonlyargs
    given = [
        _literal(interface.defaults[p.arg]) if p.arg in interface.defaults else None
        for p in only
    ]
    signed = ast.arguments(
        posonlyargs=a.posonlyargs,
        args=args if ends else a.args,
        vararg=a.vararg,
        kwonlyargs=only,
        kw_defaults=given,
        kwarg=a.kwarg,
        defaults=ends,
    )
    return signature_text(emitted.name, signed)


def _literal(value: Any) -> ast.expr:
    """The expression of a number, a string, None or a tuple of them."""
    if isinstance(value, tuple):
        return ast.Tuple([_literal(v) for v in value], ast.Load())
    if isinstance(value, float | complex) and not np.isfinite(value):
        maker = ast.Name(type(value).__name__, ast.Load())
        return ast.Call(maker, [ast.Constant(str(value))], [])
    return ast.parse(repr(value), mode="eval").body


def _import_order(line: str) -> tuple[bool, str]:
    return (line.startswith("from"), line)


def _bound(bindings: dict[str, Any]) -> list[str]:
    lines = []
    for name, thing in bindings.items():
        module, path = (
            getattr(thing, "__module__", None),
            getattr(thing, "__qualname__", ""),
        )
        importable = inspect.isclass(thing) and module not in (None, "__main__")
        if not importable or not path.isidentifier():
            raise InputTypeError(
                f"the result contains {thing!r}, which an exported module cannot import; "
                "define it at the top level of a module, or return a tuple or dict"
            )
        renamed = "" if path == name else f" as {name}"
        lines.append(f"from {module} import {path}{renamed}")
    return lines
