"""``with sg.insert_grad_of(x) as dx:``: the body is run in the backward, where the gradient of
``x`` is complete. It is compiled; what cannot be (``breakpoint()``, appending to a list) runs as
it is, as a function of the local variables that it reads.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import CallError, CustomRuleError, SymgradError, UnsupportedSyntaxError
from ...ir.rewrite import Env, copy_op, free_values
from ...ir.tree import Tree
from ...ir.types import is_inexact
from ...ir.values import Block, Value
from ...ops.opaque import like
from ..arguments.leaftypes import as_value, result_text, type_of
from ..control.flow import run
from ..derivatives.tracing import check_unchanged
from ..dispatch import Flow, evaluate, held
from ..machine import Machine
from ..names.captures import Found
from ..names.lookup import bind, read_name
from ..names.scope import is_variable
from ..names.static import pinned
from ..parts import skeleton
from ..values import MISSING, Ref
from .asis import attempt
from .fitting import fit
from .opaque import call_opaque
from .running import fitted, own

WORD = "insert_grad_of"


def insertion(m: Machine, node: ast.With) -> Any:
    """The argument of a ``with insert_grad_of(...)`` statement; None for any other."""
    call = node.items[0].context_expr
    if not isinstance(call, ast.Call):
        return None
    function = pinned(m, held(m, call.func)) if _is_named(m, call.func) else None
    return call if getattr(function, "__symgrad_insert__", False) else None


def _is_named(m: Machine, node: ast.expr) -> bool:
    """Whether a function is named, alone or in a module, so that looking at it does nothing."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return False
    owner = evaluate(m, node) if names else None
    owner = owner.value if isinstance(owner, Found) else owner
    while len(names) > 1 and isinstance(owner, types.ModuleType):
        owner = getattr(owner, names.pop(), None)
    return not names or isinstance(owner, types.ModuleType)


def traced(m: Machine, node: ast.Expr) -> ast.With | None:
    """``set_trace(x)`` as a ``with insert_grad_of(x) as dx: breakpoint()``; None for any other
    statement."""
    call = node.value
    if not isinstance(call, ast.Call) or not _is_named(m, call.func):
        return None
    if not getattr(pinned(m, evaluate(m, call.func)), "__symgrad_trace__", False):
        return None
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else "x"
    stop = ast.Expr(ast.Call(ast.Name("breakpoint", ast.Load()), [], []))
    made = ast.With([ast.withitem(call, ast.Name(f"d{name}", ast.Store()))], [stop])
    for inner in (made, *ast.walk(stop), made.items[0].optional_vars):
        ast.copy_location(inner, node)  # type: ignore[type-var]
    return made


def insert(m: Machine, node: ast.With, call: ast.Call) -> Flow:
    """Put the body into the backward."""
    word = ast.unparse(call.func).rpartition(".")[2]
    if len(call.args) != 1 or call.keywords or len(node.items) != 1:
        place = ", in a `with` of its own" if word == WORD else ""
        raise CallError(f"`{word}` takes one variable{place}", m.span(node))
    for statement in node.body:
        _stays(m, statement)
    x = evaluate(m, call.args[0])
    if not isinstance(x, Ref | Value) or not is_inexact(x.type):
        raise CallError(
            f"`{word}` takes an array or number of floats, not {result_text(x)}",
            m.span(node),
        )
    if not isinstance(call.args[0], ast.Name):
        raise UnsupportedSyntaxError(
            f"`{word}` takes a variable: give `{ast.unparse(call.args[0])}` a name, use that, "
            "and go on with it",
            m.span(node),
        )
    made = _inserted(m, node, x)
    if isinstance(x, Ref) and not x.path:
        m.inserted[made] = x.storage.current
        m.set_current(x.storage, made)
    else:
        bind(m, call.args[0].id, m.wrap(made))
    return frozenset({"next"})


def _stays(m: Machine, node: ast.AST, loop: bool = False) -> None:
    """Refuse to leave the body; ``loop``: in a loop of its own."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return
    leaves = isinstance(node, ast.Return) or (
        not loop and isinstance(node, ast.Break | ast.Continue)
    )
    if leaves:
        raise UnsupportedSyntaxError(
            f"the body of `{WORD}` is left by `{type(node).__name__.lower()}`; it is run in the "
            "backward, where there is nothing to leave",
            m.span(node),
        )
    for child in ast.iter_child_nodes(node):
        _stays(m, child, loop or isinstance(node, ast.For | ast.While))


def _inserted(m: Machine, node: ast.With, x: Any) -> Value:
    """``x`` again, as the result of an op with the body as its reverse rule."""
    value = as_value(m, x)
    region = m.new_region()
    region.always = True
    builder = region.builder
    params = [builder.param(value.type, value.name) for _ in range(2)]
    g = builder.param(value.type, f"g_{value.name}" if value.name else "")
    m.independent.update([*params, g])
    mark = m.heap.mark
    with m.inside(region):
        new = attempt(
            m,
            f"the body of `{WORD}`",
            lambda: _compiled(m, node, x, g, region.birth, mark),
            lambda reason: _as_is(m, node, x, g, reason),
        )
    m.heap.undo(mark)
    m.builder.dims.learn(builder.dims)
    body = builder.block([*params, g], [new])
    free = [v for v in free_values(body) if v is not value]
    inputs = [value, *free]
    blocks = [
        _identity(m, inputs),
        _lifted(m, body, inputs),
        _identity(m, inputs, jvp=True),
    ]
    [result] = m.builder.custom_(
        inputs, blocks, forward=False, rule=WORD, outs=1, moving=(0,), wrt=(0,), jvp=True
    )
    result.name = value.name
    return result


def _identity(m: Machine, inputs: Sequence[Value], *, jvp: bool = False) -> Block:
    """From the inputs to the first of them; or from their tangents to its tangent."""
    inner = m.builder.sub()
    params = [inner.param(v.type, v.name) for v in inputs]
    if not jvp:
        return inner.block(params, params[:1])
    params.append(inner.param(inputs[0].type))
    moved = [inner.param(v.type) for v in inputs if is_inexact(v.type)]
    return inner.block([*params, *moved], moved[:1])


def _lifted(m: Machine, body: Block, inputs: Sequence[Value]) -> Block:
    """The body with parameters for what it reads from outside."""
    inner = m.builder.sub()
    params = [inner.param(v.type, v.name) for v in inputs]
    out = inner.param(inputs[0].type)
    g = inner.param(body.params[-1].type, body.params[-1].name)
    env: Env = {**dict(zip(inputs, params, strict=True)), body.params[-1]: g}
    env[body.params[0]], env[body.params[1]] = params[0], out
    for op in body.ops:
        env.update(zip(op.results, copy_op(inner, op, env), strict=True))
    return inner.block([*params, out, g], [env.get(r, r) for r in body.results])


def _name(node: ast.With) -> str:
    target = node.items[0].optional_vars
    return target.id if isinstance(target, ast.Name) else ""


# ------------------------------------------------------------------------------ compiled
def _compiled(m: Machine, node: ast.With, x: Any, g: Value, birth: int, mark: int) -> Value:
    name = _name(node)
    if name:
        bind(m, name, m.wrap(g))
    run(m, node.body)
    new = m.frame.scope.data[name] if name else m.wrap(g)
    scope = m.frame.scope
    own = scope.birth
    scope.birth = birth  # its variables are undone, arrays and objects have to be as before
    try:
        check_unchanged(m, WORD, "inserted", birth, mark)
    finally:
        scope.birth = own
    return _fitted(m, node, new, x, g)


def _fitted(m: Machine, node: ast.With, new: Any, x: Any, g: Value) -> Value:
    try:
        [found] = fit(m, new, x, "gradient", f"`{_name(node) or 'x'}`")
    except SymgradError as error:
        raise CustomRuleError(f"`{WORD}`: {error.message}", m.span(node)) from None
    if found is None:
        raise CustomRuleError(
            f"`{WORD}` leaves `{_name(node)}` without a gradient; assign zeros for none",
            m.span(node),
        )
    return found


# ---------------------------------------------------------------------------------- as is
@dataclass(frozen=True, slots=True, eq=False)
class RunsInsert:
    """The body as a function of the gradient and of local variables.

    Args:
        run: the function; gives the gradient after it.
        takes: the structure of its arguments, the gradient first.
        changes: whether the gradient is assigned anew, and thus returned.
    """

    run: Callable[..., Any]
    takes: Tree
    changes: bool
    due: Any

    def __call__(self, *args: Any) -> Any:
        found = self.run(*own(self.takes, args))
        if not self.changes:
            return True
        return fitted(found, self.due, args, f"`{WORD}`: the gradient", None)


def _as_is(m: Machine, node: ast.With, x: Any, g: Value, reason: Exception) -> Value:
    name = _name(node) or "_"
    listed = _read(m, node, name)
    if any(_sees_all(n) for s in node.body for n in ast.walk(s)):
        listed += _others(m, {name, *(n.id for n in listed)})
    leaves: list[Any] = []
    try:
        values = [m.wrap(g), *(read_name(m, n) for n in listed)]
        takes = skeleton(m, tuple(values), leaves)
    except LookupError:
        raise reason from None
    for inner in (n for s in node.body for n in ast.walk(s)):
        wrong = next((n.id for n in listed if _changes(inner, n.id)), None)
        if wrong is not None:
            raise UnsupportedSyntaxError(
                f"the body of `{WORD}` changes `{wrong}`, which is not the gradient; it is run "
                "in the backward, where that is over",
                m.span(inner),
            )
    changes = any(_assigns(n, name) for s in node.body for n in ast.walk(s))
    function = _function(m, node, name, [n.id for n in listed])
    due = like(type_of(m.wrap(g)), 0)
    callee = RunsInsert(function, takes, changes, due)
    [found] = call_opaque(
        m, node, callee, leaves, (due if changes else "bool",), name="inserted"
    )
    return as_value(m, found) if changes else g


def _read(m: Machine, node: ast.With, name: str) -> list[ast.Name]:
    """The local variables that the body reads, those of functions around it too."""
    found: dict[str, ast.Name] = {}
    for n in (n for s in node.body for n in ast.walk(s)):
        if isinstance(n, ast.AugAssign):
            n = n.target
        elif not isinstance(getattr(n, "ctx", None), ast.Load):
            continue
        if isinstance(n, ast.Name) and n.id != name:
            frame: Any = m.frame
            while frame is not None:
                if frame.scope.data.get(n.id, MISSING) is not MISSING:
                    found.setdefault(n.id, n)
                frame = frame.parent
    return list(found.values())


def _sees_all(n: ast.AST) -> bool:
    """Whether a node is the call of something that looks at the variables around it."""
    if not isinstance(n, ast.Call):
        return False
    word = n.func.id if isinstance(n.func, ast.Name) else getattr(n.func, "attr", "")
    return word in ("breakpoint", "set_trace", "locals", "vars", "eval", "exec")


def _others(m: Machine, known: set[str]) -> list[ast.Name]:
    """The local variables with arrays, numbers and containers of these."""
    found = []
    for name, value in m.frame.scope.data.items():
        if not is_variable(name) or name in known or value is MISSING:
            continue
        with contextlib.suppress(LookupError, SymgradError):
            skeleton(m, value, [])
            found.append(ast.Name(name, ast.Load()))
    return found


def _changes(n: ast.AST, name: str) -> bool:
    """Whether a node writes into what the variable ``name`` holds."""
    if isinstance(n, ast.AugAssign):
        return isinstance(n.target, ast.Name) and n.target.id == name
    return not isinstance(n, ast.Name) and _assigns(n, name)


def _assigns(n: ast.AST, name: str) -> bool:
    """Whether a node stores into the variable ``name``."""
    if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store):
        inner: ast.expr = n.value
        return isinstance(inner, ast.Name) and inner.id == name
    return isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)


def _function(
    m: Machine, node: ast.With, name: str, names: Sequence[str]
) -> Callable[..., Any]:
    """The body as a function, at its place in the user's file."""
    parsed = m.frame.parsed
    assert parsed is not None
    back = ast.copy_location(ast.Return(ast.Name(name, ast.Load())), node.body[-1])
    args = ast.arguments([], [ast.arg(n) for n in (name, *names)], None, [], [], None, [])
    inner = ast.parse("def inserted(): pass").body[0]
    assert isinstance(inner, ast.FunctionDef)
    inner.args, inner.body = args, [*copy.deepcopy(node.body), back]
    ast.copy_location(inner, node)
    cells = {k: c for k, c in parsed.cells.items() if k not in (name, *names)}
    outer = ast.parse(f"def made({', '.join(cells)}): return inserted").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body.insert(0, inner)
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    scope: dict[str, Any] = {}
    exec(compile(tree, parsed.source.filename, "exec"), scope)
    made = scope["made"]
    bound = types.FunctionType(made.__code__, parsed.globals)
    return bound(*(_content(c) for c in cells.values()))  # type: ignore[no-any-return]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


__all__ = ["insert", "insertion", "traced"]
