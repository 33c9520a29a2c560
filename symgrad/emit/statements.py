"""Statements for single ops."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InternalError
from ..ir.literals import constant
from ..ir.opdef import OpDef
from ..ir.order import has_memory
from ..ir.structure import item
from ..ir.types import ArrayType
from ..ir.values import Op, Value
from ..source import Span
from .errstates import states_of
from .expressions import build, dotted, is_scalar, template_of
from .inline import Nested, room_at
from .memory import Memory
from .names import Names
from .printing import header, text_of
from .variables import Variables
from .zero_rank import Sources, is_number, points_into


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a statement comes from: the user's code, and which derivative it is part of.
    ``quiet`` ones get no comment."""

    span: Span | None
    role: str
    quiet: bool = False


@dataclass(slots=True)
class Writer:
    """Makes statements; ``origins`` and ``texts`` remember what they stand for."""

    nested: dict[Op, Nested]
    variables: Variables
    memory: Memory
    names: Names
    hidden: frozenset[str] = frozenset()
    among: Sources = field(default_factory=dict)
    returned: frozenset[Value] = frozenset()
    origins: dict[ast.stmt, Origin] = field(default_factory=dict)
    texts: dict[ast.stmt, str] = field(default_factory=dict)
    kinds: dict[OpDef, None] = field(default_factory=dict)
    _parts: dict[ast.expr, Value] = field(default_factory=dict)

    # -- expressions --------------------------------------------------------------------
    def expression(self, value: Value) -> ast.expr:
        """The value's variable, constant, or nested expression."""
        op = value.op
        if op is not None and op in self.nested:
            self.kinds.setdefault(op.kind)
            node = self._built(op, self.inputs(op))
            self._parts[node] = value
            return node
        if value.is_constant:
            node = constant(value.constant)
            if isinstance(node, ast.Call):  # so that it can have a name of its own
                self._parts[node] = value
            return node
        return self.variable(value)

    def inputs(self, op: Op) -> list[ast.expr]:
        """The inputs' expressions; all lengths of one array, in order, as its ``shape``."""
        if not op.kind.variadic or op.kind.inputs[-1] != "*lengths":
            convert = _converts(op)
            return [self.expression(self._given(v) if convert else v) for v in op.inputs]
        fixed = len(op.kind.inputs) - 1
        lengths = list(op.inputs[fixed:])
        nodes: list[ast.expr] = []
        while lengths:
            whole = self._whole_shape(lengths)
            if whole is None:
                nodes.append(self.expression(lengths.pop(0)))
            else:
                rank = whole.type.ndim  # type: ignore[union-attr]
                shape = ast.Attribute(self.expression(whole), "shape")
                alone = not nodes and len(lengths) == rank
                nodes.append(shape if alone else ast.Starred(shape))
                del lengths[:rank]
        return [self.expression(v) for v in op.inputs[:fixed]] + nodes

    def _given(self, value: Value) -> Value:
        """What is made a float of right where that is used."""
        op = value.op
        if op is None or op not in self.nested or op.attrs.get("kind") != "float":
            return value
        return op.inputs[0] if op.kind.has("to_number") else value

    def _whole_shape(self, lengths: list[Value]) -> Value | None:
        """The array of rank 2 or more whose lengths stand at the beginning of the list."""
        first = lengths[0].op
        if first is None or first.name != "shape":
            return None
        x = first.inputs[0]
        rank = x.type.ndim  # type: ignore[union-attr]
        if rank < 2 or x.is_constant or (x.op is not None and x.op in self.nested):
            return None
        ops = [v.op for v in lengths[:rank] if v.op is not None and v.op in self.nested]
        shapes = [o for o in ops if o.name == "shape" and o.inputs[0] is x]
        return x if [o.attrs["axis"] for o in shapes] == list(range(rank)) else None

    def variable(self, value: Value) -> ast.Name:
        """The variable that holds the value."""
        return ast.Name(self.variables.name_of(value))

    # -- ops ----------------------------------------------------------------------------
    def op(self, op: Op) -> list[ast.stmt]:
        """The statement of a plain op, after those of parts that do not fit on its line."""
        if op.kind.emit_effect is not None:
            return [op.kind.emit_effect(self.inputs(op), dict(op.attrs))]
        self.kinds.setdefault(op.kind)
        read = any(r in self.variables.live.used for r in op.results)
        if op.kind.has("effect") and not (read and op.kind.has("returns")):
            return [ast.Expr(build(op, self.inputs(op)))]
        if op.kind.emit_store is not None:
            return [self._store(op)]
        if op.name == "list_pop":
            xs, *at = (self.expression(v) for v in op.inputs)
            pop = ast.Call(ast.Attribute(item(xs, at), "pop"), [], [])
            return [ast.Assign([self.variable(op.results[1])], pop)]
        inputs = self.inputs(op)
        taken = self.memory.into.get(op)
        if taken is not None:
            return [self._into(op, inputs, taken)]
        targets: list[ast.expr] = [self.variable(r) for r in op.results]
        if not targets:
            return [ast.Expr(build(op, inputs))]
        counted = self._counted(op, inputs)
        if counted is not None:
            return [counted]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets)
        made = self._built(op, inputs)
        if (
            isinstance(made, ast.Name)
            and isinstance(target, ast.Name)
            and made.id == target.id
        ):
            return []
        return [ast.Assign([target], made)]

    def _built(self, op: Op, inputs: list[ast.expr]) -> ast.expr:
        """The op's expression; one entry of an array is a number, not a view of the entry."""
        node = build(op, inputs)
        pointing = points_into(op) and op.results[0] not in self.returned
        return ast.Subscript(node, ast.Tuple([])) if pointing else node

    def _counted(self, op: Op, inputs: list[ast.expr]) -> ast.stmt | None:
        """``n += 1`` for numbers, which are never changed in place."""
        result = op.results[0]
        template = template_of(op.kind, is_scalar(op))
        if has_memory(result.type) or not isinstance(template, ast.BinOp):
            return None
        if not is_number(op.inputs[0], self.among):
            return None
        target = self.variable(result)
        if isinstance(inputs[0], ast.Name) and inputs[0].id == target.id:
            return ast.AugAssign(target, template.op, inputs[1])
        return None

    def _store(self, op: Op) -> ast.stmt:
        assert op.kind.emit_store is not None
        if op.name == "store":
            augmented = self._augmented(op)
            if augmented is not None:
                return augmented
        inputs = [self.expression(v) for v in op.inputs]
        plain = _plain_number(op)
        if plain is not None:
            inputs[1] = plain
        node = op.kind.emit_store(inputs, dict(op.attrs))
        match node:
            case ast.AugAssign(
                op=ast.Add(), value=ast.UnaryOp(op=ast.USub(), operand=part)
            ):
                return ast.AugAssign(node.target, ast.Sub(), part)
        return node

    def _augmented(self, op: Op) -> ast.stmt | None:
        """``x[i] += v`` for a store of ``x[i] + v``; same dtype, so that it is the same."""
        x, v, *operands = op.inputs
        inner = v.op
        if inner is None or inner not in self.nested or not inner.inputs:
            return None
        template = template_of(inner.kind, is_scalar(inner))
        read = inner.inputs[0].op
        if not isinstance(template, ast.BinOp) or read is None or read not in self.nested:
            return None
        same = (
            read.name == "index"
            and read.attrs["index"] == op.attrs["index"]
            and self.variables.together(read.inputs[0], x)
            and list(read.inputs[1:]) == operands
            and v.type.dtype == x.type.dtype  # type: ignore[union-attr]
            and v.type.shape == inner.inputs[0].type.shape  # type: ignore[union-attr]
        )
        if not same:
            return None
        target = build(read, [self.variable(x), *(self.expression(o) for o in operands)])
        assert isinstance(target, ast.Subscript)
        return ast.AugAssign(target, template.op, self.expression(inner.inputs[1]))

    def _into(self, op: Op, inputs: list[ast.expr], taken: int) -> ast.stmt:
        """The op with its result in the memory of input number ``taken``."""
        template = template_of(op.kind, scalar=False)
        buffer, result = op.inputs[taken], op.results[0]
        together = self.variables.together(buffer, result)
        target = self.variable(result)
        if isinstance(template, ast.BinOp):
            other = inputs[1 - taken]
            if together and (taken == 0 or op.kind.has("commutative")):
                return ast.AugAssign(target, template.op, other)
            call = ast.Call(dotted("np", op.name), inputs, [])
        elif isinstance(template, ast.UnaryOp):
            call = ast.Call(dotted("np", op.name), inputs, [])
        else:
            node = build(op, inputs)
            if not isinstance(node, ast.Call):
                raise InternalError(f"op {op.name!r} has no form with out=", spot=op)
            call = node
        call.keywords.append(ast.keyword("out", self.variable(buffer)))
        return ast.Expr(call) if together else ast.Assign([target], call)

    # -- finishing ----------------------------------------------------------------------
    def finish(
        self, statements: list[ast.stmt], origin: Origin, depth: int
    ) -> list[ast.stmt]:
        """Note origins; name parts of statements that are too long for a line."""
        result: list[ast.stmt] = []
        room = room_at(depth + len(states_of(origin.span)))
        for node in statements:
            before: list[ast.stmt] = []
            compound = isinstance(node, ast.For | ast.While | ast.If | ast.Try)
            if self.hidden:
                _reveal(node, self.hidden)
            printer = header if compound else text_of
            text = printer(node)
            while len(text) > room and not isinstance(node, ast.While | ast.Try):
                piece = self._split(node, len(text) - room)
                if piece is None:
                    break
                before += self.finish([piece], origin, depth)  # may read earlier ones
                text = printer(node)
            self.texts[node] = text
            for one in (*before, node):
                self.origins.setdefault(one, origin)
            result += [*before, node]
        return result

    def _split(self, node: ast.stmt, excess: int) -> ast.stmt | None:
        """Take the smallest part out of a statement that makes it short enough, else the
        largest there is; returns the assignment that names it."""
        best: tuple[int, ast.AST, str, Any, ast.expr] | None = None
        for parent, name, position, child in _children(node):
            whole = isinstance(node, ast.Assign) and child is node.value
            if whole or child not in self._parts:  # the whole has a name already
                continue
            width = len(text_of(child))
            gain = width - 8
            better = best is None or (
                (gain >= excess, -gain if gain >= excess else gain)
                > (best[0] >= excess, -best[0] if best[0] >= excess else best[0])
            )
            if gain > 0 and better:
                best = (gain, parent, name, position, child)
        if best is None:
            return None
        _, parent, name, position, child = best
        value = self._parts[child]
        variable = self.variables.new_name(value)
        new = ast.Name(variable)
        if position is None:
            setattr(parent, name, new)
        else:
            getattr(parent, name)[position] = new
        return ast.Assign([ast.Name(variable)], child)


def _reveal(node: ast.stmt, hidden: frozenset[str]) -> None:
    """Call builtins that an argument's name hides as ``builtins.name``."""
    for call in ast.walk(node):
        match call:
            case ast.Call(func=ast.Name(id=name)) if name in hidden:
                call.func = dotted("builtins", name)


def _plain_number(op: Op) -> ast.expr | None:
    """``1.0`` for a NumPy number that is put into an array of its kind, or added to one there."""
    if not op.kind.has("store") or not op.inputs[1].is_constant:
        return None
    kind, number = op.inputs[0].type, op.inputs[1].constant
    if not isinstance(kind, ArrayType) or not isinstance(number, np.floating):
        return None
    same = kind.dtype == number.dtype and np.isfinite(number)
    return constant(float(number)) if same else None


def _converts(op: Op) -> bool:
    """Whether the op is a call of ``math``'s that makes a float of what it is given."""
    match template_of(op.kind, is_scalar(op)):
        case ast.Call(func=ast.Attribute(value=ast.Name("math"), attr=name)):
            return name not in ("ceil", "floor", "trunc")
    return False


def negated(test: ast.expr, *, whole: bool = False) -> ast.expr:
    """``not test``; of ``whole`` numbers, one is less than another or not."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.Compare(left, [op], right) if type(op) in (OPPOSITE if whole else UNEQUAL):
            return ast.Compare(left, [OPPOSITE[type(op)]()], right)
    return ast.UnaryOp(ast.Not(), test)


UNEQUAL: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **UNEQUAL,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _children(node: ast.AST, top: bool = True) -> Any:
    """Every expression below a statement, with the place it stands in."""
    for name, value in ast.iter_fields(node):
        if top and name in ("body", "orelse", "targets", "target"):
            continue
        for position, child in (
            enumerate(value) if isinstance(value, list) else ((None, value),)
        ):
            if isinstance(child, ast.expr):
                yield node, name, position, child
            if isinstance(child, ast.AST):
                yield from _children(child, top=False)


__all__ = ["Origin", "Writer", "negated"]
