"""Pieces of emitted expressions."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...ir.literals import constant


def np_name(path: str) -> ast.expr:
    """``np.path``; dots descend into submodules."""
    node: ast.expr = ast.Name("np")
    for part in path.split("."):
        node = ast.Attribute(node, part)
    return node


def np_call(name: str, *args: ast.expr, **keywords: ast.expr) -> ast.expr:
    """``np.name(...)``."""
    listed = [ast.keyword(k, v) for k, v in keywords.items()]
    return ast.Call(np_name(name), list(args), listed)


def method_call(name: str, x: ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.expr:
    """``x.name(...)``."""
    listed = [ast.keyword(k, v) for k, v in keywords.items()]
    return ast.Call(ast.Attribute(x, name), list(args), listed)


def shape_tuple(lengths: list[ast.expr]) -> ast.expr:
    """A shape as written in a call: ``n`` for one length, else a tuple."""
    return lengths[0] if len(lengths) == 1 else ast.Tuple(lengths)


def static(value: Any) -> ast.expr:
    """A static value as it is written."""
    return constant(value)


def dtype_keyword(dtype: Any) -> dict[str, ast.expr]:
    """``dtype=...`` unless it is NumPy's default."""
    if np.dtype(dtype) == np.float64:
        return {}
    return {"dtype": static(np.dtype(dtype))}
