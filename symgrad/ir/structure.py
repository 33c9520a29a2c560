"""Structural ops: constants, lengths, control flow, lists, derivatives not yet expanded.

They have no rules of their own here: constants and lengths have no derivative, and control
flow and lists are differentiated by ``transforms``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InternalError
from .dims import Dimension, maximum, slice_length
from .opdef import REQUIRED, OpDef
from .types import INT, ListType, Type, element_type, type_of_constant
from .values import Value


def template(text: str) -> ast.expr:
    """An emission template: one Python expression."""
    return ast.parse(text, mode="eval").body


def fill(expression: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of a template with names replaced by expressions."""
    return _Fill(names).visit(copy.deepcopy(expression))  # type: ignore[no-any-return]


class _Fill(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.names.get(node.id, node))


def _statement(text: str, **names: ast.expr) -> ast.stmt:
    return ast.Expr(fill(template(text), names))


def _traits(*names: str) -> frozenset[str]:
    return frozenset(names)


def _infer_given(dims: Any, inputs: tuple[Value, ...], type: Type) -> Type:
    return type


def _infer_const(dims: Any, inputs: tuple[Value, ...], value: Any) -> Type:
    return type_of_constant(value)


def _infer_int(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    return INT


def _infer_push(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return inputs[0].type


def _infer_pop(dims: Any, inputs: tuple[Value, ...], type: Type | None) -> tuple[Type, ...]:
    kind = within(inputs[0].type, len(inputs) - 1)
    return (inputs[0].type, element_type(kind, dims) if type is None else type)


def within(t: Type, depth: int) -> ListType:
    """The type of a list that deep inside of others."""
    for _ in range(depth):
        assert isinstance(t, ListType)
        t = t.element
    assert isinstance(t, ListType)
    return t


def item(xs: ast.expr, at: Sequence[ast.expr]) -> ast.expr:
    """``xs[i][j]``"""
    for i in at:
        xs = ast.Subscript(xs, i)
    return xs


def _infer_regions(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> tuple[Type, ...]:
    raise InternalError("ops with regions are made by the builder's methods for them")


def _infer_pullback(dims: Any, inputs: tuple[Value, ...]) -> tuple[Type, ...]:
    made = inputs[0].op
    assert made is not None
    [body] = made.regions
    return tuple(body.params[i].type for i in made.attrs["wrt"])


def _range_dim(
    start: Dimension | None, stop: Dimension | None, step: Dimension | None
) -> Dimension | None:
    if start is None or stop is None or step != 1:
        return None
    return maximum(0, stop - start)


def _slice_dim(*ends: Dimension | None) -> Dimension | None:
    length, start, stop, step = ends
    if length is None or start is None or stop is None or not isinstance(step, int):
        return None
    return slice_length(length, start, stop, step)


def _emit_range_length(inputs: list[ast.expr]) -> ast.expr:
    start, stop, step = inputs
    simple = [
        isinstance(x, ast.Constant) and x.value == v for x, v in ((start, 0), (step, 1))
    ]
    if all(simple):
        return ast.Call(ast.Name("max"), [stop, ast.Constant(0)], [])
    args = inputs[:2] if simple[1] else inputs
    return ast.Call(ast.Name("len"), [ast.Call(ast.Name("range"), args, [])], [])


CONST = OpDef(
    name="const",
    inputs=(),
    attrs={"value": REQUIRED},
    infer=_infer_const,
    traits=_traits("cheap", "nondiff"),
    doc="A Python or NumPy scalar, or a small array, written into the code.",
)
UNDEF = OpDef(
    name="undef",
    inputs=(),
    attrs={"type": REQUIRED},
    infer=_infer_given,
    traits=_traits("cheap", "nondiff"),
    doc="A value that is never read, on a path that does not define it.",
)
SHAPE = OpDef(
    name="shape",
    inputs=("x",),
    attrs={"axis": REQUIRED},
    infer=_infer_int,
    emit=template("x.shape[axis]"),
    dim=lambda inputs, axis: inputs[0].type.shape[axis],
    traits=_traits("cheap", "nondiff"),
    shape_only=frozenset({"x"}),
    doc="One length of an array.",
)
SIZE = OpDef(
    name="size",
    inputs=("x",),
    infer=_infer_int,
    emit=template("x.size"),
    dim=lambda inputs: inputs[0].type.size,
    traits=_traits("cheap", "nondiff"),
    shape_only=frozenset({"x"}),
    doc="The number of an array's entries.",
)
RANGE_LENGTH = OpDef(
    name="range_length",
    inputs=("start", "stop", "step"),
    infer=_infer_int,
    emit=lambda inputs, attrs: _emit_range_length(inputs),
    dim=lambda inputs: _range_dim(*(v.dim for v in inputs)),
    traits=_traits("cheap", "nondiff"),
    doc="The number of rounds of range(start, stop, step).",
)
SLICE_LENGTH = OpDef(
    name="slice_length",
    inputs=("length", "start", "stop", "step"),
    infer=_infer_int,
    emit=template("len(range(length)[start:stop:step])"),
    dim=lambda inputs: _slice_dim(*(v.dim for v in inputs)),
    traits=_traits("cheap", "nondiff"),
    doc="The length of x[start:stop:step] along an axis of the given length.",
)
LIST_NEW = OpDef(
    name="list_new",
    inputs=(),
    attrs={"type": REQUIRED},
    infer=_infer_given,
    emit=template("[]"),
    traits=_traits("allocates", "list"),
    doc="An empty list.",
)
LIST_PUSH = OpDef(
    name="list_push",
    inputs=("xs", "x", "*at"),
    infer=_infer_push,
    emit_store=lambda inputs, attrs: _statement(
        "xs.append(x)", xs=item(inputs[0], inputs[2:]), x=inputs[1]
    ),
    traits=_traits("store", "holds", "list"),
    doc="The list with one more element at its end; `at`: at that of the list xs[i][j] in it.",
)
LIST_POP = OpDef(
    name="list_pop",
    inputs=("xs", "*at"),
    attrs={"type": None},
    infer=_infer_pop,
    traits=_traits("store", "gives", "list", "places"),
    doc="The list without its last element, and that element; ``type`` is known of it, `at` as "
    "for list_push.",
)
IF = OpDef(
    name="if",
    inputs=("condition",),
    infer=_infer_regions,
    traits=_traits("control"),
    doc="Two blocks without parameters, of which one runs; results of the same types.",
)
FOR = OpDef(
    name="for",
    inputs=("start", "stop", "step", "*init"),
    attrs={"breaks": False, "budget": 0},
    infer=_infer_regions,
    traits=_traits("control"),
    doc=(
        "for i in range(start, stop, step). The block's parameters are i and the carried "
        "values, its results their next values; with breaks=True a bool comes first among "
        "the results: whether to leave the loop after this round. With a budget, reverse mode "
        "keeps the carried values of that many rounds at a time, and computes the rest again."
    ),
)
WHILE = OpDef(
    name="while",
    inputs=("*init",),
    attrs={"breaks": False, "budget": 0},
    infer=_infer_regions,
    traits=_traits("control"),
    doc=(
        "Two blocks over the carried values: the condition (result: one bool) and the body "
        "(results: next values; with breaks=True preceded by a bool as in for); budget as in for."
    ),
)
REVERSE = OpDef(
    name="reverse",
    inputs=("*args",),
    attrs={"wrt": REQUIRED, "label": ""},
    infer=_infer_regions,
    traits=_traits("control", "derivative"),
    doc=(
        "Value and gradient. The block maps args to (value, *aux); results are value, *aux "
        "and the gradient of value with respect to each parameter listed in wrt. The label is "
        "the heading of the code it becomes."
    ),
)
FORWARD = OpDef(
    name="forward",
    inputs=("*args",),
    attrs={"wrt": REQUIRED},
    infer=_infer_regions,
    traits=_traits("control", "derivative"),
    doc=(
        "Value and tangent. Inputs are the block's arguments, then a tangent for each "
        "parameter listed in wrt; results are the block's, then the tangent of each result "
        "of inexact type."
    ),
)
VJP = OpDef(
    name="vjp",
    inputs=("*args",),
    attrs={"wrt": REQUIRED, "outs": REQUIRED},
    infer=_infer_regions,
    traits=_traits("control", "derivative"),
    doc=(
        "The block's results, and a pullback: what `pullback` needs to go back from the first "
        "`outs` results to the parameters listed in wrt."
    ),
)
PULLBACK = OpDef(
    name="pullback",
    inputs=("of", "*cotangents"),
    infer=_infer_pullback,
    traits=_traits("derivative"),
    doc="One gradient for each wrt of a `vjp`, from a cotangent for each of its outs.",
)
VMAP = OpDef(
    name="vmap",
    inputs=("*args",),
    attrs={"batched": REQUIRED, "out": REQUIRED, "basis": 0},
    infer=_infer_regions,
    traits=_traits("control", "derivative"),
    doc=(
        "The block for each example of a batch. The arguments at the positions listed in "
        "batched have one axis more than the block's parameters, in front; so have the results "
        "for which out is true, the others are the same for every example. With a basis the "
        "argument is that number times the basis vectors of the block's one parameter, in which "
        "the block is linear if rules of the user's are."
    ),
)
CUSTOM_VJP = OpDef(
    name="custom_vjp",
    inputs=("*args",),
    attrs={
        "rule": REQUIRED,
        "outs": REQUIRED,
        "moving": REQUIRED,
        "wrt": REQUIRED,
        "used": False,
        "jvp": False,
    },
    infer=_infer_regions,
    traits=_traits("control", "marker"),
    doc=(
        "A function with a reverse rule of the user's, called `rule`. Its blocks: forward maps "
        "args to the outputs (their number is `outs`) and what it saves besides; backward maps "
        "args, all of forward's results and a cotangent for each output listed in `moving` to "
        "a gradient for each argument listed in `wrt`. Perhaps a third that gives the outputs "
        "where no derivative is `used`; with jvp=True, a last one maps args, all of forward's "
        "results and a tangent for each inexact argument to a tangent for each of `moving`."
    ),
)
CUSTOM_JVP = OpDef(
    name="custom_jvp",
    inputs=("*args",),
    attrs={"rule": REQUIRED, "outs": REQUIRED, "moving": REQUIRED, "wrt": REQUIRED},
    infer=_infer_regions,
    traits=_traits("control", "marker"),
    doc=(
        "A function with a forward rule of the user's. Its blocks: one maps args to the "
        "outputs, one args and a tangent for each argument listed in `wrt` to a tangent for "
        "each output listed in `moving`."
    ),
)
CHECKPOINT = OpDef(
    name="checkpoint",
    inputs=("*after",),
    attrs={"stage": "plain"},
    infer=_infer_regions,
    traits=_traits("control", "marker"),
    doc=(
        "A block without parameters whose inside is not kept for derivatives. Reverse mode "
        'makes two of it: one of the stage "first", and later one of the stage "again", which '
        "repeats its code when there is `after`, for the gradients that are its results."
    ),
)
AGAIN = OpDef(
    name="again",
    inputs=("x", "*after"),
    infer=lambda dims, inputs: inputs[0].type,
    emit=template("x"),
    traits=_traits("view", "cheap", "nondiff"),
    doc="The same value, not to be read before there is `after`: what is computed of it is "
    "not what was computed of x before.",
)
FORGET = OpDef(
    name="forget",
    inputs=(),
    infer=lambda dims, inputs: (),
    traits=_traits("effect", "nondiff"),
    doc="Arrays that are not read any more give up their memory here.",
)

ENTRIES = (
    CONST,
    UNDEF,
    SHAPE,
    SIZE,
    RANGE_LENGTH,
    SLICE_LENGTH,
    LIST_NEW,
    LIST_PUSH,
    LIST_POP,
    IF,
    FOR,
    WHILE,
    REVERSE,
    FORWARD,
    VMAP,
    VJP,
    PULLBACK,
    CUSTOM_VJP,
    CUSTOM_JVP,
    CHECKPOINT,
    AGAIN,
    FORGET,
)
STRUCTURE = {entry.name: entry for entry in ENTRIES}
