"""What the compiler knows about one kind of operation; ``symgrad.ops`` makes the entries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .dims import Dimension
from .types import Type


class Required:
    """Marks an attribute without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = Required()

Rule = Callable[..., Any]
"""A derivative rule. Its parameter names say what it wants: ``g`` (cotangent) or ``t``
(tangent), ``out``, ``inputs`` (all, as a tuple), any input or attribute of the op, ``attrs`` (all
attributes, to be handed on), ``acc`` (see
``OpDef.vjp``), ``position`` (which input it is called for: the rule of a variadic input is
called for each). For ops with several results ``g`` and ``out`` are tuples, ``g`` with None for
zero. A rule returns None for zero."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpDef:
    """One operation.

    Args:
        name: NumPy's name where there is one.
        inputs: names of the inputs; a last name starting with ``*`` takes any number.
        attrs: names of the static attributes, with defaults (or ``REQUIRED``).
        infer: ``infer(dims, inputs, **attrs) -> Type | tuple[Type, ...]``; ``dims`` is the
            builder's ``Dims``, ``inputs`` are the input *values*.
        emit: the NumPy expression, in the names of inputs and attributes. A keyword argument
            whose attribute has its default is left out. Alternatively a function
            ``emit(inputs, attrs) -> ast.expr`` of the inputs' expressions.
        emit_scalar: the same where all inputs are Python scalars.
        emit_store: for ``store`` ops, ``emit_store(inputs, attrs) -> ast.stmt``: the statement
            that turns the first input's memory into the result.
        emit_effect: for ops with an effect, the statement ``emit_effect(inputs, attrs)`` that
            reads better than the expression; then no helper is needed.
        vjp: a rule per input name. A rule naming ``acc`` gets the adjoint summed so far (zeros
            at first) and returns the new sum, so that it may add to a part in place.
            Inputs without a rule have no derivative.
        jvp: a rule per input name, each with ``t``; or one function with parameters
            ``t_<input>`` (None where the tangent is zero).
        put: for views: ``put(base, new, <index operands and attributes>)`` gives the base
            after its view has been overwritten by ``new``.
        dim: for integer results: the value as a length, from the inputs' lengths.
        traits: what passes may ask. ``elementwise``, ``commutative``, ``linear`` (jointly, in
            the inputs that have rules), ``view`` (the result shares the first input's
            memory), ``maybe_view``, ``alone_view`` (NumPy's may be a view where it has one
            input; ours is not), ``store`` (the result may take over the first input's
            memory), ``effect``, ``random``, ``cheap`` (recompute rather than store),
            ``inplace`` (has a form with ``out=``), ``singular`` (derivative may divide by
            zero where the value is fine), ``nondiff``, ``allocates`` (fresh memory), ``moves``
            (each entry of the result is one of the first input, of any dtype), ``joins`` (is
            one of the inputs), ``may_overflow`` (for moderate inputs),
            ``returns`` (an effect whose results are read), ``shares`` (keeps its inputs and
            may return memory in use elsewhere), ``once`` (refuses to be differentiated),
            ``may_be_nonfinite``, ``may_warn`` (or raise, for some finite inputs), ``additive``
            (linear like ``linear``, by rules of its own), ``scales`` (linear in the first input,
            in any one input if commutative), ``loose`` (the result may be of another dtype than
            its type says), ``list`` (of lists), ``holds`` (the result is a list that holds
            arrays it is given as they are),
            ``gives`` (results are what a list holds), ``selects`` (entries of inputs may have
            no part in the result), ``keeps_nan`` (unless they are nan), ``matrices`` (acts on
            the last two axes of its first input), ``tries`` (says whether an op succeeds). What
            it may raise: ``places`` (asks for one that may not be there), ``unpacks`` (asks for
            a number of elements), ``fails`` (for some matrices), ``of_some`` (needs an entry at
            least), ``drops_ones`` (axes that have to have length 1), ``recounts`` (lengths of
            the result have to make up the same number of entries), ``to_number`` (of Python's),
            ``of_finite`` (numbers), ``of_units`` (for ints without an inverse).
        shape_only: inputs of which only shape and dtype matter.
        as_given: inputs that NumPy computes with in their own dtype, and rules do, too.
        batch: how the op is done for a batch of inputs. ``"leading"``: as it is, it acts on
            the last axes; ``"broadcast"``: as it is, ranks made equal; ``"each"``: one example
            at a time; or a rule, which may ask for ``batched`` (which inputs have a batch axis
            in front), ``size`` (the length of it) and ``like`` (the results' types for one
            example) besides inputs and attributes, and returns the results with a batch axis
            in front, or None for one example at a time. Left empty, elementwise ops broadcast
            and the attributes ``axis``, ``axes``, ``axis1``, ``axis2`` of others are shifted.
        follow: for inputs that the result is linear in, ``follow(band, op, position)``: where
            the axes of the input number ``position`` are in the result
            (``ops/rules/following.py``).
        kink: what is returned where the derivative is not unique.
        imports: import statements the template needs besides NumPy's and ``math``.
        helper: source of functions that the template calls; written once into the module.
        formulas: derivatives by input as text, where they are formulas.
        flops: ``flops(inputs, out, attrs)`` of actual arrays, where it is not one for each entry
            nor what the letters say.
        letters: for sums of products ``letters(ranks, attrs)``: from the inputs' ranks a letter
            for each axis of each input and of the result, as einsum has it.
    """

    name: str
    inputs: tuple[str, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    infer: Callable[..., Type | tuple[Type, ...]]
    emit: ast.expr | Callable[..., ast.expr] | None = None
    emit_scalar: ast.expr | Callable[..., ast.expr] | None = None
    emit_store: Callable[..., ast.stmt] | None = None
    emit_effect: Callable[..., ast.stmt] | None = None
    vjp: Mapping[str, Rule] = field(default_factory=dict)
    jvp: Mapping[str, Rule] | Rule | None = None
    put: Callable[..., Any] | None = None
    batch: str | Rule = ""
    dim: Callable[..., Dimension | None] | None = None
    traits: frozenset[str] = frozenset()
    shape_only: frozenset[str] = frozenset()
    as_given: frozenset[str] = frozenset()
    kink: str = ""
    doc: str = ""
    imports: tuple[str, ...] = ()
    helper: str = ""
    flops: Callable[..., int] | None = None
    follow: Callable[..., Any] | None = None
    letters: Callable[..., tuple[str, ...]] | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)

    def has(self, trait: str) -> bool:
        """Whether the op has ``trait``."""
        return trait in self.traits

    @property
    def variadic(self) -> bool:
        return bool(self.inputs) and self.inputs[-1].startswith("*")

    def named_inputs(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """Inputs by name; the variadic one as a tuple, without its star."""
        if not self.variadic:
            return dict(zip(self.inputs, values, strict=True))
        fixed = len(self.inputs) - 1
        named = dict(zip(self.inputs[:-1], values[:fixed], strict=True))
        named[self.inputs[-1][1:]] = tuple(values[fixed:])
        return named

    def input_name(self, position: int) -> str:
        """The name of input number ``position`` (without star)."""
        if self.variadic and position >= len(self.inputs) - 1:
            return self.inputs[-1][1:]
        return self.inputs[position]

    def __repr__(self) -> str:
        return f"<op {self.name}>"
