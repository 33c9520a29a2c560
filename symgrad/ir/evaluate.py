"""Reference interpreter: what a function's IR means, op by op, by its emission templates.

Slow and simple; tests compare passes and emitted code with it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InternalError
from .opdef import OpDef
from .types import ScalarType
from .values import Block, Function, Op, Value

Env = dict[Value, Any]
Results = tuple[Any, ...]
Watch = Callable[[Op, Sequence[Any], Results], None]


class Watched(Env):
    """Values of a run in which ``watch`` is told of each plain op, its inputs and results."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch


def evaluate(function: Function, flat_args: Sequence[Any]) -> Results:
    """The function's results for one value per parameter. Arguments are never changed."""
    env: Env = {}
    return run(function.block, flat_args, env)


def run(block: Block, args: Sequence[Any], env: Env) -> Results:
    """One block's results; ``env`` has the outer values and gets the block's own."""
    env.update(zip(block.params, args, strict=True))
    for op in block.ops:
        results = _STRUCTURAL.get(op.kind.name, _plain)(op, env)
        if isinstance(env, Watched) and not op.regions:
            env.watch(op, [env[v] for v in op.inputs], results)
        env.update(zip(op.results, results, strict=True))
    return tuple(env[r] for r in block.results)


# --------------------------------------------------------------------------- structural
def _const(op: Op, env: Env) -> Results:
    value = op.attrs["value"]
    return (value.copy() if isinstance(value, np.ndarray) else value,)


def _undef(op: Op, env: Env) -> Results:
    return (None,)


def _list_pop(op: Op, env: Env) -> Results:
    rest = deepcopy(env[op.inputs[0]])
    target = rest
    for i in op.inputs[1:]:
        target = target[env[i]]
    return (rest, target.pop())


def _if(op: Op, env: Env) -> Results:
    return run(op.regions[0 if env[op.inputs[0]] else 1], (), env)


def _for(op: Op, env: Env) -> Results:
    start, stop, step, *carried = (env[v] for v in op.inputs)
    for i in range(start, stop, step):
        leave, carried = _round(op, op.regions[0], (i, *carried), env)
        if leave:
            break
    return tuple(carried)


def _while(op: Op, env: Env) -> Results:
    condition, body = op.regions
    carried = [env[v] for v in op.inputs]
    while run(condition, carried, env)[0]:
        leave, carried = _round(op, body, carried, env)
        if leave:
            break
    return tuple(carried)


def _round(op: Op, body: Block, args: Sequence[Any], env: Env) -> tuple[bool, list[Any]]:
    results = list(run(body, args, env))
    return (bool(results.pop(0)) if op.attrs["breaks"] else False), results


def _unexpanded(op: Op, env: Env) -> Results:
    raise InternalError(f"{op.kind.name} has to be expanded before it is evaluated")


_STRUCTURAL: dict[str, Callable[[Op, Env], Results]] = {
    "const": _const,
    "undef": _undef,
    "list_pop": _list_pop,
    "if": _if,
    "for": _for,
    "while": _while,
    "reverse": _unexpanded,
    "forward": _unexpanded,
    "vmap": _unexpanded,
    "vjp": _unexpanded,
    "pullback": _unexpanded,
    "custom_vjp": _unexpanded,
    "custom_jvp": _unexpanded,
    "checkpoint": _unexpanded,
    "forget": lambda op, env: (),
}


# ------------------------------------------------------------------------------- others
def _plain(op: Op, env: Env) -> Results:
    result = compute_op(op, tuple(env[v] for v in op.inputs))
    return result if len(op.results) != 1 else (result,)


def compute_op(op: Op, inputs: Sequence[Any]) -> Any:
    """What a plain op gives for these inputs."""
    if op.kind.emit is None and op.kind.emit_store is not None:
        return _stored(op, tuple(inputs))
    scalar = bool(op.inputs) and all(isinstance(v.type, ScalarType) for v in op.inputs)
    return compute(op.kind, inputs, op.attrs, scalar=scalar)


def compute(kind: OpDef, inputs: Sequence[Any], attrs: Any, *, scalar: bool) -> Any:
    """What the op's expression gives; ``scalar`` if all inputs are Python scalars."""
    emit = kind.emit_scalar if scalar and kind.emit_scalar is not None else kind.emit
    if emit is None:
        raise InternalError(f"{kind.name} has no emission template")
    if callable(emit):
        names = [f"_{k}" for k in range(len(inputs))]
        expression = emit([ast.Name(n) for n in names], dict(attrs))
        code = _code(ast.Expression(expression), "eval")
        return eval(code, {**_namespace(kind), **dict(zip(names, inputs, strict=True))})
    given = frozenset(k for k, v in attrs.items() if not _is_default(kind, k, v))
    scope = {**_namespace(kind), **attrs, **kind.named_inputs(tuple(inputs))}
    return eval(_template_code(emit, frozenset(attrs) - given), scope)


def _stored(op: Op, inputs: tuple[Any, ...]) -> Any:
    target = deepcopy(inputs[0])
    names = [f"_{k}" for k in range(len(inputs))]
    assert op.kind.emit_store is not None
    statement = op.kind.emit_store([ast.Name(n) for n in names], dict(op.attrs))
    scope = {**_namespace(op.kind), **dict(zip(names, (target, *inputs[1:]), strict=True))}
    exec(_code(ast.Module([statement], []), "exec"), scope)
    return scope["_0"]


def _is_default(kind: OpDef, name: str, value: Any) -> bool:
    default = kind.attrs.get(name)
    return default is value or (type(default) is type(value) and default == value)


@lru_cache(maxsize=1024)
def _template_code(emit: ast.expr, left_out: frozenset[str]) -> Any:
    """A template's code, without keyword arguments whose attribute has its default."""
    return _code(ast.Expression(without_keywords(emit, left_out)), "eval")


def without_keywords(emit: ast.expr, left_out: frozenset[str]) -> ast.expr:
    """A copy of a template without the keyword arguments named in ``left_out``."""
    copied = ast.parse(ast.unparse(emit), mode="eval").body
    for node in ast.walk(copied):
        if isinstance(node, ast.Call):
            node.keywords = [k for k in node.keywords if not _passes(k, left_out)]
    return copied


def _passes(keyword: ast.keyword, names: frozenset[str]) -> bool:
    return isinstance(keyword.value, ast.Name) and keyword.value.id in names


def _code(tree: ast.Expression | ast.Module, mode: str) -> Any:
    """Compiled by way of text: entries need not fill in contexts and places."""
    return compile(ast.unparse(ast.fix_missing_locations(tree)), "<symgrad op>", mode)


@lru_cache(maxsize=1024)
def _namespace(kind: OpDef) -> dict[str, Any]:
    scope: dict[str, Any] = {"np": np, "math": math}
    for line in kind.imports:
        exec(line, scope)
    exec(kind.helper, scope)
    return scope
