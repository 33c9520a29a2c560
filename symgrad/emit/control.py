"""Blocks as lists of statements: loops and branches, and what is carried through them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir.order import carried
from ..ir.types import ArrayType, ScalarType
from ..ir.values import Block, Op, Value
from .expressions import build
from .inline import room_at
from .open_reads import open_reads, stand_in
from .popping import popped
from .statements import Origin, Writer, negated

Move = tuple[Value, Value]
"""``(target, source)``: the target's variable gets the source's value."""


class Blocks:
    """Writes blocks with a ``Writer``."""

    __slots__ = (
        "_finishers", "_open", "_read", "depth", "heads", "replaced", "turned", "used",
        "writer",
    )  # fmt: skip

    def __init__(self, writer: Writer, block: Block) -> None:
        self._open = open_reads(block, writer.variables.together)
        self.writer = writer
        self.used = writer.variables.live.used
        self._read = {writer.variables.root(v) for v in self.used}
        self.depth = 1
        self.replaced: set[Op] = set()
        self.turned: set[ast.stmt] = set()
        self.heads: set[ast.stmt] = set()
        self._finishers: dict[int, str] = {}

    def body(self, block: Block, skip: Op | None = None) -> list[ast.stmt]:
        """The block's ops; not its results."""
        result: list[ast.stmt] = []
        around: list[tuple[Op, list[ast.stmt]]] = []
        for op in block.ops:
            if op.name == "try_begin":
                around.append((op, result))
                result = []
                self.depth += 1
            elif op.name == "try_end":
                result = self._guarded(*around.pop(), result)
            elif op.name == "forget":
                result += self._forget(block, op)
            elif op is not skip and op.name not in ("const", "undef") and self._stands(op):
                result += self.statement(op)
        while around:
            result = self._guarded(*around.pop(), result)
        return result

    def _guarded(
        self, begin: Op, before: list[ast.stmt], body: list[ast.stmt]
    ) -> list[ast.stmt]:
        """The statements of a ``try``, and what is done if they raise."""
        self.depth -= 1
        if not body:
            return before
        finish = ast.Expr(_call(self._finisher(begin)))
        handler = ast.ExceptHandler(
            ast.Name("BaseException"), None, [finish, ast.Raise(None, None)]
        )
        return before + self._finish([ast.Try(body, [handler], [], [])], begin, quiet=True)

    def _finisher(self, op: Op) -> str:
        """The variable that has what a ``finally`` does."""
        key = op.attrs["key"]
        if key not in self._finishers:
            self._finishers[key] = self.writer.names.new("finish")
        return self._finishers[key]

    def _forget(self, block: Block, op: Op) -> list[ast.stmt]:
        """``del`` for the arrays of the block that are not read any more."""
        variables = self.writer.variables
        made: list[Op] = []
        for other in block.ops[: block.ops.index(op)]:
            if other.name == "forget":
                made = [o for o in made if not variables.dying(o, other)]
            elif not other.regions and self._stands(other):
                made.append(other)
        names = dict.fromkeys(name for o in made for name in variables.dying(o, op))
        if not names:
            return []
        targets: list[ast.expr] = [ast.Name(name) for name in names]
        return self._finish([ast.Delete(targets)], op, quiet=True)

    def _stands(self, op: Op) -> bool:
        return op not in self.writer.nested and op not in self.replaced

    def statement(self, op: Op) -> list[ast.stmt]:
        """One op that has a statement of its own."""
        if op.name == "if":
            return self._if(op)
        if op.name == "for":
            return self._for(op)
        if op.name == "while":
            return self._while(op)
        if op.name == "try_note":
            told = build(op, self.writer.inputs(op))
            target = ast.Name(self._finisher(op))
            return self._finish([ast.Assign([target], told)], op, quiet=True)
        statements = self.writer.op(op)
        for made in statements:
            if isinstance(made, ast.If):  # an assert
                origin = Origin(op.span, op.role, quiet=True)
                made.body = self.writer.finish(made.body, origin, self.depth + 1)
        return self._finish(statements, op)

    def _finish(
        self, statements: list[ast.stmt], op: Op, *, quiet: bool = False
    ) -> list[ast.stmt]:
        return self.writer.finish(statements, Origin(op.span, op.role, quiet), self.depth)

    # -- moves --------------------------------------------------------------------------
    def moves(self, pairs: Sequence[Move], op: Op) -> list[ast.stmt]:
        """Assignments to be done at the same time, those to the same variable left out."""
        variables = self.writer.variables
        wanted: dict[str, ast.expr] = {}
        node: ast.expr
        for target, source in pairs:
            undefined = source.op is not None and source.op.name == "undef"
            if variables.root(target) not in self._read:
                continue
            touched = target in self._open.touched
            if undefined and not touched and target not in self._open.passed:
                continue
            if undefined:
                node = stand_in(target.type) if touched else ast.Constant(None)
            else:
                node = self.writer.expression(source)
            name = variables.name_of(target)
            if not (isinstance(node, ast.Name) and node.id == name):
                wanted[name] = node
        return self._finish(_sequence(wanted), op, quiet=True)

    # -- branches -----------------------------------------------------------------------
    def _if(self, op: Op) -> list[ast.stmt]:
        test = self._test(op.inputs[0])
        then, orelse = (self._branch(r, op) for r in op.regions)
        flag = _flag(then, orelse)
        if flag is not None:
            if not isinstance(op.inputs[0].type, ScalarType):
                test = _call("bool", test)
            return self._finish([ast.Assign([ast.Name(flag)], test)], op)
        return self._branches(test, then, orelse, op)

    def _test(self, value: Value) -> ast.expr:
        """``a and b`` for ``np.logical_and(a, b)`` of two truth values, where it is tested."""
        node, op = self.writer.expression(value), value.op
        kind = CONNECTIVES.get(op.name) if op is not None else None
        if kind is None or op is None or op not in self.writer.nested:
            return node
        if not isinstance(node, ast.Call) or not all(map(_is_single, op.inputs)):
            return node
        return ast.BoolOp(kind(), [self._test(v) for v in op.inputs])

    def _branch(self, block: Block, op: Op) -> list[ast.stmt]:
        self.depth += 1
        result = self.body(block)
        if not (result and isinstance(result[-1], ast.Raise)):
            result += self.moves(list(zip(op.results, block.results, strict=True)), op)
        self.depth -= 1
        return result

    def _branches(
        self, test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt], op: Op
    ) -> list[ast.stmt]:
        if not then and not orelse:
            return []
        if then:
            return self._finish([ast.If(test, then, orelse)], op)
        turned = ast.If(negated(test, whole=_is_of_integers(op.inputs[0])), orelse, [])
        self.turned.add(turned)
        return self._finish([turned], op)

    # -- loops --------------------------------------------------------------------------
    def _for(self, op: Op) -> list[ast.stmt]:
        target, iterator = self._header(op)
        before = self.moves([(v[1], v[0]) for v in carried(op)], op)
        self.depth += 1
        body = self._loop_body(op)
        self.depth -= 1
        loop = ast.For(target, iterator, body or [ast.Pass()], [])
        return before + self._finish([loop], op)

    def _header(self, op: Op) -> tuple[ast.expr, ast.expr]:
        """A loop's variable and what it runs over."""
        pops = list(popped(op, self.used).items())
        while pops:
            target, iterator = self._popping(pops)
            text = f"for {ast.unparse(target)} in {ast.unparse(iterator)}:"
            if len(text) <= room_at(self.depth) or len(pops) == 1:
                self.replaced.update(p for p, _ in pops)
                return target, iterator
            pops.pop()
        index = op.regions[0].params[0]
        iterator = _range([self.writer.expression(v) for v in op.inputs[:3]])
        if index in self.used:
            return self.writer.variable(index), iterator
        return ast.Name("_"), _uncounted(iterator)

    def _popping(self, pops: list[tuple[Op, Value]]) -> tuple[ast.expr, ast.expr]:
        """A header that takes an entry off each of some lists."""
        parts = [_call("reversed", self.writer.expression(v)) for _, v in pops]
        names: list[ast.expr] = [self.writer.variable(p.results[1]) for p, _ in pops]
        if len(parts) == 1:
            return names[0], parts[0]
        return ast.Tuple(names), _call("zip", *parts)

    def _while(self, op: Op) -> list[ast.stmt]:
        before = self.moves([(v[1], v[0]) for v in carried(op)], op)
        condition = op.regions[0]
        [value] = condition.results
        self.depth += 1
        first = self.body(condition)
        test = self._test(value)
        always = isinstance(test, ast.Constant) and test.value is True
        if first and not always:
            leave = ast.If(negated(test), self._finish([ast.Break()], op, quiet=True), [])
            self.heads.add(leave)
            first += self._finish([leave], op, quiet=True)
            test = ast.Constant(True)
        body = first + self._loop_body(op)
        self.depth -= 1
        loop = ast.While(test, body or [ast.Pass()], [])
        return before + self._finish([loop], op)

    def _loop_body(self, op: Op) -> list[ast.stmt]:
        body = op.regions[-1]
        targets = [v[1] for v in carried(op)]
        if not op.attrs["breaks"]:
            pairs = list(zip(targets, body.results, strict=True))
            return self.body(body) + self.moves(pairs, op)
        return self._tail(body, body.results[0], body.results[1:], targets, op)

    def _tail(
        self,
        block: Block,
        stop: Value,
        following: Sequence[Value],
        targets: list[Value],
        op: Op,
    ) -> list[ast.stmt]:
        """The end of a loop's body that may leave the loop. Where the stop flag comes from an
        ``if`` at the end, each of its branches moves the carried values and leaves itself."""
        last = block.ops[-1] if block.ops else None
        if last is None or last.name != "if" or stop.op is not last:
            pairs = list(zip(targets, following, strict=True))
            if stop.is_constant and stop.constant:  # there is no next round
                pairs = [
                    m for m, r in zip(pairs, op.results, strict=True) if r in self.used
                ]
            return self.body(block) + self.moves(pairs, op) + self._leave(stop, op)
        result = self.body(block, skip=last)
        parts = []
        self.depth += 1
        for region in last.regions:
            inner = dict(zip(last.results, region.results, strict=True))
            ahead = [inner.get(v, v) for v in following]
            parts.append(self._tail(region, inner[stop], ahead, targets, op))
        self.depth -= 1
        test = self._test(last.inputs[0])
        then, orelse = parts
        if _leaves(orelse) and not _leaves(then):
            test, then, orelse = negated(test), orelse, then
        if _leaves(then) and orelse and not any(isinstance(s, ast.If) for s in orelse):
            return result + self._finish([ast.If(test, then, [])], last) + orelse
        return result + self._branches(test, then, orelse, last)

    def _leave(self, stop: Value, op: Op) -> list[ast.stmt]:
        if stop.is_constant:
            return self._finish([ast.Break()], op, quiet=True) if stop.constant else []
        leave: list[ast.stmt] = self._finish([ast.Break()], op, quiet=True)
        return self._finish(
            [ast.If(self.writer.expression(stop), leave, [])], op, quiet=True
        )


def _flag(then: list[ast.stmt], orelse: list[ast.stmt]) -> str | None:
    """The variable that the branches only set to whether the condition holds."""
    match then, orelse:
        case (
            [ast.Assign(targets=[ast.Name(id=a)], value=ast.Constant(value=True))],
            [ast.Assign(targets=[ast.Name(id=b)], value=ast.Constant(value=False))],
        ) if a == b:
            return a
    return None


CONNECTIVES: dict[str, type[ast.boolop]] = {"logical_and": ast.And, "logical_or": ast.Or}


def _is_single(value: Value) -> bool:
    """Whether a value is one number or truth."""
    return isinstance(value.type, ScalarType) or (
        isinstance(value.type, ArrayType) and value.type.ndim == 0
    )


def _is_of_integers(test: Value) -> bool:
    """Whether a test compares whole numbers, so that its contrary is a comparison, too."""
    types = [v.type for v in test.op.inputs] if test.op is not None else []
    return bool(types) and all(
        isinstance(t, ScalarType) and t.dtype.kind == "i" for t in types
    )


def _leaves(statements: list[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], ast.Break)


def _sequence(wanted: dict[str, ast.expr]) -> list[ast.stmt]:
    """Assignments one after the other where none reads what an earlier one has changed, else
    a single parallel one of those that read each other's variables, after the rest."""
    reads = {
        name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - {name}
        for name, node in wanted.items()
    }
    names = list(wanted)
    clash = any(reads[b] & set(names[:k]) for k, b in enumerate(names))
    read = set[str]().union(*reads.values())
    linked = [n for n in names if clash and (n in read or reads[n] & wanted.keys())]
    alone = [ast.Assign([ast.Name(n)], wanted[n]) for n in names if n not in linked]
    if not linked:
        return list(alone)
    targets: list[ast.expr] = [ast.Name(n) for n in linked]
    together = ast.Assign([ast.Tuple(targets)], ast.Tuple([wanted[n] for n in linked]))
    return [*alone, together]


def _range(bounds: list[ast.expr]) -> ast.expr:
    """``range(...)`` with what is usual left out; counting down to 0 is ``reversed``."""
    start, stop, step = bounds
    if _is(step, -1) and _is(stop, -1):
        match start:
            case ast.BinOp(left=count, op=ast.Sub(), right=one) if _is(one, 1):
                return _call("reversed", _call("range", count))
            case ast.Constant(value=int(last)):
                return _call("reversed", _call("range", ast.Constant(last + 1)))
    if not _is(step, 1):
        return _call("range", start, stop, step)
    return _call("range", stop) if _is(start, 0) else _call("range", start, stop)


def _uncounted(iterator: ast.expr) -> ast.expr:
    """The order does not matter where nobody looks at the index."""
    match iterator:
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
            return inner
    return iterator


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(args), [])


def _is(node: ast.expr, number: int) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is(node.operand, -number)
    return (
        isinstance(node, ast.Constant) and type(node.value) is int and node.value == number
    )
