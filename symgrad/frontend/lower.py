"""The entry: a request and the trees of its arguments, to IR."""

from __future__ import annotations

import ast
import inspect
import keyword
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import (
    AliasError,
    InternalError,
    SymgradError,
    UnsupportedFunctionError,
)
from ..ir.builder import Builder
from ..ir.dims import as_symbol, symbols
from ..ir.expr import Maker
from ..ir.tree import Node, Tree, leaves, map_leaves
from ..ir.types import ArrayType
from ..ir.values import Argument, Function, Value
from ..ops import TABLE
from ..ops.static import NeedsStatic
from ..source import Source, Span
from . import assignments, calls, copying, iterators, operations, statements, subscripts  # noqa: F401  (these register what they lower)
from .arguments.arriving import found, given
from .arguments.leaftypes import name_of
from .arguments.lending import CALLERS, lend
from .arguments.misuse import shown
from .control import branches, comprehensions, conditions, loops, raising  # noqa: F401  (these register what they lower)
from .control.kinds import of_two
from .control.telling import Telling, matters, raises
from .derivatives import (  # noqa: F401  (these register what they lower)
    batching,
    checkpoints,
    compressed,
    directional,
    jacobians,
    linearize,
    slices,
    untracked,
)
from .derivatives import gradients as derivatives
from .derivatives.transforming import request_of
from .dispatch import NeverReturns
from .machine import Machine
from .names import captured, fields  # noqa: F401  (these register what they lower)
from .names.captures import Captures, Found
from .names.lookup import Unsettled
from .names.scope import Frame
from .names.specialise import (
    UnknownPositionError,
    UnknownSignError,
    deciding_paths,
    in_public,
)
from .names.static import unwrap
from .requests import (
    ArgLeaf,
    Capture,
    Lowered,
    NeedsSpecialisation,
    Path,
    Place,
    Request,
)
from .results import Results
from .rules import bending, functions, taps  # noqa: F401  (these register what they lower)
from .sources.getsource import heed, parse, underlying
from .values import (
    Cell,
    Record,
    Ref,
    Scope,
    Storage,
    new_dict,
    new_list,
)


def lower(
    request: Request,
    args: tuple[Tree, ...],
    kwargs: dict[str, Tree],
    statics: frozenset[Path] = frozenset(),
    *,
    static_shapes: bool = False,
) -> Lowered:
    """The IR of a request for one kind of arguments.

    Args:
        args, kwargs: trees whose leaves are ``ArgLeaf``.
        statics: paths of captured values that have to be static; arguments that are have
            static nodes in their trees already.
        static_shapes: lengths of captured arrays are known numbers.

    Raises:
        NeedsSpecialisation: a runtime integer has to be known; make it static and try again.
        SymgradError: what the user wrote cannot be compiled.
    """

    def attempt(**ways: Any) -> Lowered:
        lowering = _Lowering(request, args, kwargs, statics, static_shapes, **ways)
        made = _lowered(lowering)
        return _told(lowering, made) if lowering.leaves_changed(made) else made

    def tried(**ways: Any) -> Lowered:
        try:
            return attempt(**ways)
        except SymgradError as error:
            reasons = []
            for more in _other_ways(error, ways.get("keyed", frozenset())):
                if "keyed" in more or not ways.keys() & more.keys():
                    try:
                        return tried(**{**ways, **more})
                    except SymgradError as reason:
                        reasons.append(in_public(reason))
            if not reasons:
                raise
            if isinstance(error, UnknownSignError):
                raise reasons[-1] from None
            if getattr(error, "maker", None) is not None:
                raise reasons[0] from None
            raise

    try:
        return tried()
    except UnknownPositionError as error:
        raise in_public(error) from None


def _other_ways(error: SymgradError, keyed: frozenset[Maker]) -> tuple[dict[str, Any], ...]:
    """What may help, one after the other; ``keyed`` is where dicts are made whose keys are taken
    for known at run time only.

    What a loop leaves may have to be told apart after it: in all loops, then. A power of ints
    is a float, or where an int is needed, one. Lists of known length are indexed by what is not
    known; or there is code to be made for each of the few values that something may have.
    """
    if isinstance(error, AliasError):
        return ({"picking": True},)
    if isinstance(error, UnknownSignError):
        return {"powers": "float"}, {"powers": "int"}
    if isinstance(error, UnknownPositionError):
        maker = error.maker
        one_more = maker is not None and maker not in keyed
        dicts = ({"keyed": keyed | {maker}},) if one_more else ()
        return *dicts, {"listing": True}, {"choosing": True}
    return ()


def _lowered(lowering: _Lowering) -> Lowered:
    try:
        return lowering.run()
    except (InternalError, AssertionError) as fault:
        raise shown(fault, lowering.builder) from fault


def _told(lowering: _Lowering, made: Lowered) -> Lowered:
    """The code that also tells what it has changed where it raises, if it may raise after that,
    and that can be said."""
    try:
        told = _lowered(replace(lowering, telling=True))
    except SymgradError:
        return made
    return told if matters(told.function.block) else made


@dataclass(slots=True)
class _Lowering:
    request: Request
    args: tuple[Tree, ...]
    kwargs: dict[str, Tree]
    statics: frozenset[Path]
    static_shapes: bool
    picking: bool = False
    listing: bool = False
    keyed: frozenset[Maker] = frozenset()
    choosing: bool = False
    powers: str = ""
    telling: bool = False
    builder: Builder = field(init=False)
    machine: Machine = field(init=False)
    params: list[Value] = field(init=False, default_factory=list)
    captured: list[Value] = field(init=False, default_factory=list)
    storages: list[tuple[Storage, Value]] = field(init=False, default_factory=list)
    made: list[Value] = field(init=False, default_factory=list)
    value: Any = field(init=False, default=None)
    leaders: dict[Path, Ref] = field(init=False, default_factory=dict)
    lent: list[tuple[Cell, Path]] = field(init=False, default_factory=list)

    def run(self) -> Lowered:
        self._heed_sources()
        self.builder = self._new_builder()
        names = {
            leaf.name for t in (*self.args, *self.kwargs.values()) for leaf in leaves(t)
        }
        names |= {*self._names(), *self.kwargs}
        captures = Captures(
            self._capture, self.statics, names, static_shapes=self.static_shapes
        )
        self.machine = m = Machine(self.builder, captures)
        m.statics, m.static_shapes = self.statics, self.static_shapes
        m.picking, m.choosing = self.picking, self.choosing
        m.listing, m.keyed = self.listing or self.choosing, self.keyed
        m.orders = self.request.option("orders", 0)
        m.writes_captured = self.request.kind not in _CHANGING_NOTHING
        arguments: list[Argument] = []
        given: list[Any] = []
        for i, (name, tree) in enumerate(zip(self._names(), self.args, strict=True)):
            arguments.append(
                self._argument(name, tree, ("arg", i), "positional_or_keyword")
            )
            given.append(self.value)
        named: dict[str, Any] = {}
        for name, tree in self.kwargs.items():
            arguments.append(self._argument(name, tree, ("kwarg", name), "keyword_only"))
            named[name] = self.value
        node, frame = self._call_site()
        m.frames.append(frame)
        telling = Telling(node) if self.telling else None
        if telling is not None:
            telling.begin(m)
        try:
            result = derivatives.lower_request(m, node, self.request, tuple(given), named)
        except NeverReturns:
            result = None
        except Unsettled as unsettled:
            paths = deciding_paths(m, unsettled.condition) if unsettled.condition else None
            if paths is not None:
                raise NeedsSpecialisation(*paths) from None
            result = unsettled.held
            if (
                self.request.kind != "compile"
                or unsettled.of is not node
                or not of_two(result)
            ):
                raise unsettled.error from None
        except RecursionError:
            raise UnsupportedFunctionError(
                "branches, calls or expressions are nested too deeply in this function; compute "
                "parts of them in statements of their own",
                self.builder.span or m.span(node),
            ) from None
        except NeedsStatic as needed:
            raise self._static_error(needed, node) from None
        if telling is not None:
            telling.end(m)
        return self._lowered(result, arguments, node)

    def _new_builder(self) -> Builder:
        made = Builder(TABLE)
        made.dims.unproven = []
        made.dims.powers, made.dims.any_step = self.powers, self.choosing
        return made

    def leaves_changed(self, made: Lowered) -> bool:
        """Whether it may raise, and changes the caller's containers or objects."""
        changes = any(not isinstance(cell, Storage) for cell in self.machine.stored)
        wanted = self.request.kind == "compile" and not self.telling and changes
        return wanted and any(map(raises, made.function.block.walk()))

    def _heed_sources(self) -> None:
        request: Request | None = self.request
        while request is not None:
            heed(request)
            request = request_of(request.fun)

    def _static_error(self, needed: NeedsStatic, node: ast.AST) -> Exception:
        paths = deciding_paths(self.machine, needed.value, floats=True)
        if paths is not None:
            return NeedsSpecialisation(*paths)
        span = needed.span or self.builder.span
        if needed.sign:
            return UnknownSignError(
                "whether this exponent is negative is known at run time only, so the power is an "
                "int or a float; write float(...) around the base, or abs(...) around the exponent",
                span,
            )
        unknown = UnknownPositionError(
            "a value that is known at run time only is needed when compiling here (as an axis, "
            "a dict key, a position in a list); make it a number among the arguments that is not "
            "differentiated, or a constant",
            span,
        )
        unknown.maker = needed.maker
        return unknown

    # -- arguments --------------------------------------------------------------------------
    def _names(self) -> list[str]:
        listed: list[str] = []
        star = "args"
        given = self.request.option("parameters")
        try:
            signature = inspect.signature(self.request.fun, follow_wrapped=False)
            for p in signature.parameters.values():
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                    listed.append(p.name)
                elif p.kind is p.VAR_POSITIONAL:
                    star = p.name
        except (TypeError, ValueError):
            star = "x"
        if given is not None:
            before = [name for name in given if name is not Ellipsis]
            listed = [*before, *(listed if Ellipsis in given else ())]
        names = []
        for i, tree in enumerate(self.args):
            known = listed[i] if i < len(listed) else f"{star}_{i - len(listed)}"
            names.append(tree.name if isinstance(tree, ArgLeaf) else known)
        return names

    def _argument(self, name: str, tree: Tree, path: Path, kind: str) -> Argument:
        self.value = self._abstract(tree, path)
        wanted = iter(self.made)
        self.made = []
        return Argument(name, map_leaves(lambda leaf: next(wanted), tree), kind)

    def _abstract(self, tree: Tree, path: Path) -> Any:
        """The abstract value of an argument, its parameters made on the way."""
        if isinstance(tree, ArgLeaf):
            value = self.builder.param(tree.type, tree.name, entry=True)
            self.params.append(value)
            self.made.append(value)
            self.machine.paths[value] = path
            made = self._owned(value, tree, "argument")
            if isinstance(made, Ref):
                aliases = self.request.option("aliases", ())
                made = given(self.machine, made, tree, path, aliases, self.leaders)
            return made
        assert isinstance(tree, Node)
        if tree.kind == "static":
            return self._static(tree.value, path)
        parts = []
        for i, child in enumerate(tree.children):
            parts.append(self._abstract(child, (*path, tree.access(i)[1])))
        if tree.kind == "tuple":
            return tuple(parts)
        if tree.kind == "namedtuple":
            return tree.cls._make(parts)
        cell: Cell
        if tree.kind == "list":
            cell = new_list(parts, CALLERS)
        elif tree.kind == "dict":
            cell = new_dict(dict(zip(tree.keys, parts, strict=True)), CALLERS)
        else:
            cell = Record(tree.cls, dict(zip(tree.keys, parts, strict=True)), CALLERS)
        self.lent.append((cell, path))
        return lend(cell, path) if self.request.kind == "compile" else cell

    def _static(self, value: Any, path: Path) -> Any:
        """An argument that is known when compiling; what may change in an object is looked
        at from there."""
        if not hasattr(type(value), "__symgrad_static__"):
            return value
        first = self._names()[path[1]] if path[0] == "arg" else path[1]
        words = "_".join(str(step) for step in (first, *path[2:]))
        label = words if words.isidentifier() else str(first)
        return unwrap(self.machine, Found(value, Place(value, label=label)))

    def _owned(self, value: Value, seen: ArgLeaf | Capture, origin: Any) -> Any:
        if not isinstance(seen.type, ArrayType) or not (seen.type.shape or seen.boxed):
            return value
        return self._memory(value, origin, seen.name)

    def _memory(self, value: Value, origin: Any, name: str) -> Ref:
        """Memory that has been there before the function was called."""
        ref = self.machine.new_storage(value, origin, name)
        ref.storage.birth = 0
        self.storages.append((ref.storage, value))
        return ref

    def _capture(self, capture: Capture) -> Any:
        value = self.builder.param(capture.type, capture.name, entry=True)
        self.captured.append(value)
        found(self.machine, value, capture)
        return self._owned(value, capture, "captured")

    # -- the call -----------------------------------------------------------------------------
    def _call_site(self) -> tuple[ast.AST, Frame]:
        """A frame that stands for the caller, and a place to point at: the definition."""
        function = underlying(self.request.fun)
        if function is None:
            source = Source("<call>", (f"{_name(self.request)}(...)",))
            return _at(1, 0, 1), Frame("caller", source, None, Scope({}))
        parsed = parse(function)
        origin = parsed.origin
        node = _at(origin.line, origin.column, _width(origin))
        return node, Frame("caller", parsed.source, parsed, Scope({}))

    # -- the result ---------------------------------------------------------------------------
    def _lowered(self, result: Any, arguments: list[Argument], node: ast.AST) -> Lowered:
        m = self.machine
        self.builder.span = None
        self._settle_lengths()
        found = Results(m, self.request.kind == "compile", node)
        results, returns = found.values, found.tree(result)
        given = fields.assigned(m, node)
        if given:
            parts = (found.tree(new_dict(what.values)) for what in given)
            returns = Node("tuple", (returns, Node("tuple", tuple(parts))))
        params = [*self.params, *self.captured, *m.late]
        mutates = []
        for storage, first in self.storages:
            if _plain(m, storage.current) is not first:
                mutates.append((params.index(first), len(results)))
                results.append(storage.current)
        for capture, value in zip(m.captures.captures, self.captured, strict=True):
            arguments.append(Argument(capture.name, value, "keyword_only", capture=capture))
        function = underlying(self.request.fun)
        parsed = parse(function) if function is not None else None
        made = Function(
            name=_name(self.request),
            block=self.builder.block(params, results),
            arguments=tuple(arguments),
            returns=returns,
            mutates=tuple(mutates) if self.request.kind != "backward" else (),
            not_one=tuple(self.builder.dims.not_one),
            equal=self.builder.dims.equal_at_entry(),
            doc=inspect.getdoc(function) or "" if function is not None else "",
            origin=parsed.origin if parsed is not None else None,
        )
        names = {m.paths[v]: v.name for v in self.captured}
        stored = tuple(
            ("kwarg", names[path]) if path in names else path
            for path in (m.paths[v] for storage, v in self.storages if storage in m.stored)
        )
        called = {storage: value.name for storage, value in self.storages}
        return Lowered(
            made,
            m.captures.captures,
            m.captures.guards,
            stored,
            m.gradients_by,
            tuple(called[storage] for storage in m.written),
            tuple(what.target for what in given),
            m.unwinds,
            self.telling,
            tuple(path for cell, path in self.lent if cell in m.stored),
        )

    def _settle_lengths(self) -> None:
        """Where all shapes are known, nothing may be left to assume about lengths: integers
        that decide one have to be known too."""
        dims = self.builder.dims
        if not self.static_shapes:
            return
        assumed = {s for d in dims.not_one for s in symbols(d)}
        assumed |= {s for pair in dims.equal_at_entry() for d in pair for s in symbols(d)}
        deciding = [v for v in self.machine.paths if v.dim and as_symbol(v.dim) in assumed]
        if deciding:
            raise NeedsSpecialisation(*(self.machine.paths[v] for v in deciding))


_CHANGING_NOTHING = ("vmap", "compressed")
"""Kinds of requests that run the function several times at once: what it changes outside of
itself would have no meaning."""


def _plain(m: Machine, value: Value) -> Value:
    """A value without what ``insert_grad_of`` puts into its backward."""
    while value in m.inserted:
        value = m.inserted[value]
    return value


def _name(request: Request) -> str:
    given, inner = request.option("name"), request_of(request.fun)
    if given:
        name = str(given)
    else:
        name = _name(inner) if inner is not None else name_of(request.fun)
    if not name.isidentifier() or keyword.iskeyword(name):
        name = "f"
    return name if request.kind == "compile" else f"{name}_{request.kind}"


def _at(line: int, column: int, width: int) -> ast.AST:
    node = ast.Name("call")
    node.lineno = node.end_lineno = line
    node.col_offset, node.end_col_offset = column, column + width
    return node


def _width(span: Span) -> int:
    return max(len(span.source.line(span.line)) - span.column, 1)
