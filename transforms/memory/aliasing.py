"""Which values may stand in the same memory, before any decision on copies has been made.

Memory is known by *atoms*: the value that allocated it, a parameter of the function, or a
carried parameter of a loop ("whatever is carried there"). Every array value may stand in the
memory of a few atoms.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.order import Order, carried, has_memory
from ...ir.types import ListType
from ...ir.values import Block, Function, Op, Value

Atoms = frozenset[Value]
NONE: Atoms = frozenset()


def is_view(op: Op) -> bool:
    """Whether the op's result may share its first input's memory."""
    return op.kind.has("view") or op.kind.has("maybe_view")


def is_inner(op: Op) -> bool:
    """Whether the op's result is a list that its first input goes on holding."""
    return (
        op.kind.has("gives") and not is_store(op) and isinstance(op.result.type, ListType)
    )


def is_store(op: Op) -> bool:
    """Whether the op turns its first input's memory into its (first) result."""
    return op.kind.has("store")


def held(op: Op) -> list[int]:
    """Positions of the inputs that a list holds from now on."""
    if not op.kind.has("holds"):
        return []
    return [
        i
        for i, v in enumerate(op.inputs)
        if has_memory(v.type)
        and not (i == 0 and is_store(op))
        and op.kind.input_name(i) not in op.kind.shape_only
    ]


class Aliases:
    """One walk over the function.

    ``atoms[v]``: where ``v`` may stand if nothing is copied. ``required[loop]``: positions of
    carried values whose memory is written inside the loop. ``private[loop]``: those whose
    memory nobody else can reach through the loop. ``kept``: memory that lists
    and opaque calls hold without a copy.
    ``written``: memory that some store writes. ``fixed``: values that must not be written,
    such as broadcast views.
    """

    __slots__ = (
        "_next", "atoms", "fixed", "kept", "order", "popped", "private", "pushed", "required",
        "shared", "stores", "written",
    )  # fmt: skip

    def __init__(self, function: Function, order: Order) -> None:
        self.order = order
        self.atoms: dict[Value, Atoms] = {}
        self.fixed: set[Value] = set()
        self.required: dict[Op, set[int]] = {}
        self.private: dict[Op, set[int]] = {}
        self.written: set[Value] = set()
        self.stores: list[tuple[Op, Atoms]] = []
        self.pushed: list[tuple[Op, Value]] = []
        self.shared: set[Value] = set()
        self.popped: list[Value] = []
        self._next: dict[Value, Atoms] = {}
        self._fresh(function.params)
        self._block(function.block)
        self.written = self.reach(self.written)  # the next round writes what it is handed
        self.kept: Atoms = NONE
        for _ in range(2):  # the second time knows what goes from one list into another
            lasting = (v for op, v in self.pushed if not self.changes_later(op, v))
            self.kept = NONE.union(*(self.reach(self.atoms.get(v, NONE)) for v in lasting))
            self._next.update(dict.fromkeys(self.popped, self.kept))

    def reach(self, atoms: Iterable[Value]) -> set[Value]:
        """The atoms, and for what a loop carries all that it may have been before."""
        found: set[Value] = set()
        todo = list(atoms)
        while todo:
            atom = todo.pop()
            if atom not in found:
                found.add(atom)
                todo += self._next.get(atom, NONE)
        return found

    def changes_later(self, op: Op, value: Value) -> bool:
        """Whether the memory of ``value``, which ``op`` hands on, may be written while somebody
        holds it. What each round of a loop allocates, fills and then hands on does not."""
        reach = self.reach(self.atoms.get(value, NONE))
        if reach.isdisjoint(self.written):
            return False
        block = self.order.block_of[op]
        if not all(self._made_in(block, atom) for atom in reach):
            return True
        return any(
            not reach.isdisjoint(self.reach(atoms))
            and not (
                self.order.end[store] < self.order.start[op]
                and all(self._made_in(block, atom) for atom in atoms)
            )
            for store, atoms in self.stores
        )

    def _made_in(self, block: Block, atom: Value) -> bool:
        """Whether running ``block`` once more makes this memory once more."""
        home = self.order.home[atom]
        if home is block:
            return atom.op is not None
        owner = self.order.owner[home]
        while owner is not None and self.order.block_of[owner] is not block:
            owner = self.order.owner[self.order.block_of[owner]]
        return owner is not None

    # -- the walk -----------------------------------------------------------------------
    def _fresh(self, values: Iterable[Value]) -> None:
        for value in values:
            if has_memory(value.type):
                self.atoms[value] = frozenset((value,))

    def _block(self, block: Block) -> set[Value]:
        """Visit the ops; gives the atoms written in the block."""
        written: set[Value] = set()
        for op in block.ops:
            if op.name == "if":
                written |= self._if(op)
            elif op.name in ("for", "while"):
                written |= self._loop(op)
            else:
                written |= self._op(op)
        return written

    def _op(self, op: Op) -> set[Value]:
        if op.name == "undef":
            return set()
        self._fresh(op.results)
        if op.kind.has("shares"):
            self.pushed += ((op, v) for v in op.inputs if has_memory(v.type))
            self.popped += op.results
            self.shared.update(op.results)
            return set()
        if not op.inputs or not op.results or op.results[0] not in self.atoms:
            return set()
        base = op.inputs[0]
        self.pushed += ((op, op.inputs[i]) for i in held(op))
        if is_inner(op):
            self.atoms[op.result] = self.atoms.get(base, NONE)
        elif op.kind.has("gives"):
            self.popped.append(op.results[-1])
        if is_store(op):
            self.atoms[op.results[0]] = self.atoms.get(base, NONE)
            self.written |= self.atoms.get(base, NONE)
            self.stores.append((op, self.atoms.get(base, NONE)))
            return set(self.atoms.get(base, NONE))
        if is_view(op):
            self.atoms[op.results[0]] = self.atoms.get(base, NONE)
            if op.kind.put is None or base in self.fixed:
                self.fixed.add(op.results[0])
        return set()

    def _if(self, op: Op) -> set[Value]:
        written = set().union(*(self._block(r) for r in op.regions))
        for position, result in enumerate(op.results):
            ends = [r.results[position] for r in op.regions]
            if has_memory(result.type):
                self.atoms[result] = NONE.union(*(self.atoms.get(e, NONE) for e in ends))
                if any(e in self.fixed for e in ends):
                    self.fixed.add(result)
        return written

    def _loop(self, op: Op) -> set[Value]:
        columns = carried(op)
        for values in columns:
            init, param = values[0], values[-3]
            self._fresh((param,))
            if has_memory(param.type):
                for other in values[1:-2]:
                    self.atoms[other] = self.atoms[param]
                if init in self.fixed:
                    self.fixed.update(values[1:-2])
        written: set[Value] = set()
        for region in op.regions:
            written |= self._block(region)
        self._close(op, columns, written)
        for init, *_, param, following, result in columns:
            if has_memory(result.type):
                ends = self.atoms.get(init, NONE) | self.atoms.get(following, NONE)
                self._next[param] = ends
                self.atoms[result] = self.atoms[param] | ends
                if following in self.fixed or init in self.fixed:
                    self.fixed.add(result)
        for position in self.required[op]:
            written |= self.atoms.get(columns[position][0], NONE)
            self.written |= self.atoms.get(columns[position][0], NONE)
            self.stores.append((op, self.atoms.get(columns[position][0], NONE)))
        return written

    def _close(self, op: Op, columns: list[tuple[Value, ...]], written: set[Value]) -> None:
        """Which carried values need memory of their own, and which have it anyway."""
        params = {values[-3]: i for i, values in enumerate(columns)}
        todo = [i for param, i in params.items() if param in written]
        required: set[int] = set()
        while todo:
            position = todo.pop()
            if position not in required:
                required.add(position)
                ahead = self.atoms.get(columns[position][-2], NONE)
                todo += [params[a] for a in ahead if a in params]
        self.required[op] = required
        inside = _defined(op)
        following = [self.atoms.get(values[-2], NONE) for values in columns]
        holders: dict[Value, int] = {}
        for atoms in following:
            for atom in atoms:
                holders[atom] = holders.get(atom, 0) + 1
        self.private[op] = {
            i
            for i, values in enumerate(columns)
            if values[-2] not in self.fixed
            and following[i].isdisjoint(self.shared)
            and all(a is values[-3] or a in inside for a in following[i])
            and all(holders[a] == 1 for a in following[i])
        }


def _defined(op: Op) -> set[Value]:
    """Memory allocated in the loop: results of ops inside."""
    return {r for region in op.regions for inner in region.walk() for r in inner.results}


__all__ = ["NONE", "Aliases", "Atoms", "held", "is_inner", "is_store", "is_view"]
