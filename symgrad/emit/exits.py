"""Ways out as a person writes them: ``return`` where the result is there, ``else`` of a loop.

The IR leaves a function at its end only, and flags say what is not to be done until there. Here
what leaves does so at once, and flags go that nobody reads any more. Names that the user has
given are not touched: a flag of his own stays.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .inline import room_at
from .mentions import Block, assigned, blocks, filled, plain, reads, replaced, statements
from .printing import text_of
from .statements import Origin, negated


@dataclass(frozen=True, slots=True)
class Path:
    """What is done from some place on: statements, then ``up``; ``leave`` is where ``break``
    goes. No ``up`` is the next round, or the end of the function without ``return``."""

    rest: Sequence[ast.stmt]
    up: Path | None = None
    leave: Path | None = None


@dataclass(slots=True)
class Exits:
    """The work on one function's statements; ``nameless`` are the compiler's own variables,
    ``results`` these and those that hold what the user has given no name when he returned it;
    ``turned`` are the branches whose first side was empty."""

    nameless: frozenset[str]
    results: frozenset[str]
    turned: Container[ast.stmt]
    origins: dict[ast.stmt, Origin]
    changed: bool = field(default=False)

    def tidy(self, body: Block, *, returns: bool) -> Block:
        """The body with its ways out; with ``returns`` also those of the whole function."""
        if returns:
            self._thread(body, None, None, 1)
            if self.changed:
                self._ends(body, 1)
                body = _settled(body, self._known(body))
            self._push(body)
        self._orelse(body, body)
        if self.changed:
            self._ends(body, 1)
            body = _needed(body, reads(body))
        return body

    def _copy(self, node: ast.stmt) -> ast.stmt:
        new = copy.deepcopy(node)
        if node in self.origins:
            self.origins[new] = self.origins[node]
        return new

    # -- breaks that lead straight to a return --------------------------------------------
    def _thread(
        self, block: Block, up: Path | None, leave: Path | None, depth: int
    ) -> None:
        for position, node in enumerate(block):
            here = Path(block[position + 1 :], up, leave)
            match node:
                case ast.For() | ast.While():
                    self._thread(node.body, None, here, depth + 1)
                case ast.If():
                    self._thread(node.body, here, leave, depth + 1)
                    self._thread(node.orelse, here, leave, depth + 1)
        if block and isinstance(block[-1], ast.Break):
            path = self._followed(leave, block[:-1])
            if path is not None and all(len(text_of(s)) <= room_at(depth) for s in path):
                block[-1:] = [self._copy(s) for s in path]
                self.changed = True

    def _followed(self, path: Path | None, before: Block) -> Block | None:
        """The way to a ``return`` of what is made right ``before``, if it is short."""
        known: dict[str, bool] = {}
        made: set[str] = set()
        for node in reversed(before):
            if not isinstance(node, ast.Assign):
                break
            match node:
                case ast.Assign([ast.Name(name)], ast.Constant(bool(value))):
                    if name not in made:
                        known[name] = value
            made |= assigned(node)
        steps = _steps(path, known)
        if steps is None or len(steps) > 2 or not _is_short(steps[-1]):
            return None
        return steps if reads(steps[-1:]).keys() & self.results & made else None

    def _known(self, body: Block) -> dict[str, bool]:
        """Flags that have one value wherever they are set, and are read by tests only."""
        found: dict[str, bool] = {}
        for name in sorted(self.nameless):
            values = _constants(body, name)
            if len(set(values)) == 1:
                found[name] = values[0]
        return found

    # -- results of branches --------------------------------------------------------------
    def _push(self, block: Block) -> None:
        """``return`` in the branches that make what is returned."""
        match block:
            case [*_, ast.If() as choice, ast.Return(ast.Name(name)) as last]:
                pass
            case _:
                return
        if name not in self.results or not _makes(choice, name):
            return
        for branch in (choice.body, choice.orelse):
            if not (branch and isinstance(branch[-1], ast.Raise)):
                branch.append(self._copy(last))
        new = choice
        if choice in self.turned:
            new = ast.If(negated(choice.test), choice.orelse, choice.body)
            self.origins[new] = self.origins[choice]
        block[-2:], new.orelse = [new, *new.orelse], []
        self.changed = True
        self._push(new.body)
        self._push(block)

    def _ends(self, block: Block, depth: int) -> None:
        """``return x * y`` for ``t = x * y`` and ``return t``; nothing is kept that is not
        returned."""
        for node in block:
            for inner in blocks(node):
                self._ends(inner, depth + 1)
        if not block or not isinstance(block[-1], ast.Return):
            return
        last = block.pop()
        while block and isinstance(made := block[-1], ast.Assign):
            kept = _only(made, reads([last]))
            if kept is None:
                block.pop()
                continue
            block[-1] = kept
            self.origins.setdefault(kept, self.origins[made])
            new = self._taken(kept, last, depth)
            if new is None:
                break
            self.origins[new] = self.origins[kept]
            block.pop()
            last = new
        block.append(last)

    def _taken(self, made: ast.Assign, last: ast.stmt, depth: int) -> ast.stmt | None:
        match made:
            case ast.Assign([ast.Name(name)], value) if name in self.results:
                pass
            case _:
                return None
        if reads([last])[name] != 1:
            return None
        new = replaced(copy.deepcopy(last), {name: value})
        return new if len(text_of(new)) <= room_at(depth) else None

    # -- else of loops --------------------------------------------------------------------
    def _orelse(self, block: Block, body: Block) -> None:
        """``else`` of a loop for what a flag says that only the loop sets."""
        for position, node in enumerate(block):
            for inner in blocks(node):
                self._orelse(inner, body)
            match node, block[position + 1 : position + 2]:
                case (
                    ast.For(orelse=[]) | ast.While(orelse=[]),
                    [ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag)), then, []) as guard],
                ) if flag in self.nameless and _tells_of(node, flag, body):
                    node.orelse = then
                    block.remove(guard)
                    self.changed = True


def _steps(path: Path | None, known: dict[str, bool]) -> Block | None:
    """The statements on the way to a ``return``, where flags decide; None if there is none."""
    found: Block = []
    while path is not None:
        if not path.rest:
            path = path.up
            continue
        node, *rest = path.rest
        behind = Path(rest, path.up, path.leave)
        match node:
            case ast.If() if (way := _decided(node.test, known)) is not None:
                path = Path(node.body if way else node.orelse, behind, path.leave)
            case ast.Break():
                path = path.leave
            case ast.Return():
                return [*found, node]
            case ast.Assign([ast.Name(name)], _):
                found.append(node)
                known.pop(name, None)
                path = behind
            case _:
                return None
    return None


def _decided(test: ast.expr, known: Mapping[str, bool]) -> bool | None:
    match test:
        case ast.Name(name):
            return known.get(name)
        case ast.UnaryOp(ast.Not(), ast.Name(name)) if name in known:
            return not known[name]
    return None


def _is_short(last: ast.stmt) -> bool:
    """Whether a ``return`` only hands on what is there."""
    allowed = ast.Return | ast.Name | ast.Constant | ast.Tuple | ast.expr_context
    return all(isinstance(n, allowed) for n in ast.walk(last))


def _sets(node: ast.stmt, flag: str, way: bool) -> bool:
    match node:
        case ast.Assign([ast.Name(name)], ast.Constant(bool(value))):
            return name == flag and value is way
    return False


def _constants(body: Block, name: str) -> list[bool]:
    """The truth values that a variable is set to; none if that is not all that happens to it."""
    found: list[bool] = []
    tests = 0
    for node in statements(body):
        if name in assigned(node):
            if not (_sets(node, name, True) or _sets(node, name, False)):
                return []
            found.append(_sets(node, name, True))
        if isinstance(node, ast.If) and _decided(node.test, {name: True}) is not None:
            tests += 1
    return found if reads(body)[name] == tests else []


def _settled(block: Block, known: Mapping[str, bool]) -> Block:
    """The block without the tests of flags that are known, and without these."""
    result: Block = []
    for node in block:
        if isinstance(node, ast.Assign) and assigned(node) & known.keys():
            continue
        if isinstance(node, ast.If) and (way := _decided(node.test, known)) is not None:
            result += _settled(node.body if way else node.orelse, known)
            continue
        if isinstance(node, ast.If | ast.For | ast.While):
            inside = _settled(node.body, known), _settled(node.orelse, known)
            result += filled(node, *inside)
        else:
            result.append(node)
        if isinstance(node, ast.Raise) or _never_ends(node):
            break
    return result


def _never_ends(node: ast.stmt) -> bool:
    """Whether a loop is left by ``return`` only."""
    match node:
        case ast.While(ast.Constant(True), body, []):
            return not any(isinstance(inner, ast.Break) for inner in _own(body))
    return False


def _own(block: Block) -> Iterator[ast.stmt]:
    """The statements of a loop's body that are not those of a loop in it."""
    for node in block:
        yield node
        if isinstance(node, ast.If):
            yield from _own([*node.body, *node.orelse])
        elif isinstance(node, ast.For | ast.While):
            yield from _own(node.orelse)


def _makes(node: ast.stmt, name: str) -> bool:
    """Whether a branch, or the last statement of one, is there to say what is returned."""
    match node:
        case ast.Assign([ast.Name(other)], _):
            return other == name
        case ast.If():
            ends = [branch[-1] for branch in blocks(node) if branch]
            made = [_makes(end, name) for end in ends if not isinstance(end, ast.Raise)]
            return bool(made) and all(made)
    return False


def _only(node: ast.Assign, needed: Mapping[str, int]) -> ast.Assign | None:
    """An assignment without what nobody needs; None if nothing is left of it."""
    match node:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
            pairs = list(zip(targets, values, strict=True))
        case _:
            pairs = [(node.targets[0], node.value)]
    kept = [
        (target, value)
        for target, value in pairs
        if not (isinstance(target, ast.Name) and target.id not in needed and plain(value))
    ]
    if len(kept) == len(pairs):
        return node
    match kept:
        case []:
            return None
        case [(target, value)]:
            return ast.Assign([target], value)
    left, right = zip(*kept, strict=True)
    return ast.Assign([ast.Tuple([*left])], ast.Tuple([*right]))


def _needed(block: Block, needed: Mapping[str, int]) -> Block:
    """The block without assignments of names and constants to variables that nobody reads."""
    result: Block = []
    for node in block:
        if isinstance(node, ast.If | ast.For | ast.While):
            result += filled(node, _needed(node.body, needed), _needed(node.orelse, needed))
        elif not isinstance(node, ast.Assign) or _only(node, needed) is not None:
            result.append(node)
    return result


def _tells_of(loop: ast.For | ast.While, flag: str, body: Block) -> bool:
    """Whether a flag is set where the loop is left and nowhere else, and read once."""
    sets = [node for node in statements(body) if flag in assigned(node)]
    before = list(_before_breaks(loop.body))
    return (
        bool(before)
        and reads(body)[flag] == 1
        and all(_sets(node, flag, True) or _sets(node, flag, False) for node in sets)
        and all(any(_sets(node, flag, True) for node in made) for made in before)
        and sum(_sets(node, flag, True) for node in sets) == len(before)
    )


def _before_breaks(block: Block) -> Iterator[Block]:
    """The assignments before each ``break`` that leaves the loop with this body."""
    for position, node in enumerate(block):
        if isinstance(node, ast.Break):
            start = position
            while start and isinstance(block[start - 1], ast.Assign):
                start -= 1
            yield block[start:position]
        elif isinstance(node, ast.If):
            yield from _before_breaks(node.body)
            yield from _before_breaks(node.orelse)
        elif isinstance(node, ast.For | ast.While):
            yield from _before_breaks(node.orelse)
