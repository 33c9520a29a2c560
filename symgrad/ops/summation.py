"""``np.einsum``."""

from __future__ import annotations

import ast
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import Dimension
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type, is_complex
from ..ir.values import Value
from .contraction import conj
from .indexing import spread_at
from .keys import parse
from .reshaping import permute
from .rules import batching_products as batching
from .rules import following as following
from .rules.arguments import as_array, dtype_of
from .rules.emission import np_call
from .static import known, need_static
from .table import bilinear, surface


def _split(subscripts: str) -> tuple[list[str], str]:
    """The letters of each input, and those of the result."""
    inputs, _, output = subscripts.partition("->")
    return inputs.split(","), output


# ------------------------------------------------------------------------------- types
def _infer_einsum(
    dims: Any, inputs: tuple[Value, ...], subscripts: str, optimize: Any
) -> Type:
    terms, output = _split(subscripts)
    lengths: dict[str, Dimension] = {}
    types = []
    for term, value in zip(terms, inputs, strict=True):
        assert isinstance(value.type, ArrayType)
        types.append(value.type.dtype)
        for letter, n in zip(term, value.type.shape, strict=True):
            try:
                lengths[letter] = dims.broadcast(lengths.get(letter, 1), n)
            except ShapeError:
                raise ShapeError(
                    f"np.einsum {subscripts!r}: the axis {letter!r} has lengths "
                    f"{lengths[letter]} and {n}"
                ) from None
    return ArrayType(np.result_type(*types), tuple(lengths[letter] for letter in output))


def _emit_einsum(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    more = {"optimize": ast.Constant(True)} if attrs["optimize"] else {}
    call = np_call("einsum", ast.Constant(attrs["subscripts"]), *inputs, **more)
    term, _, output = attrs["subscripts"].partition("->")
    if set(term) != set(output):
        return call
    return ast.Call(ast.Attribute(call, "copy"), [], [])  # or it would be a view


# ------------------------------------------------------------------------------- rules
def _vjp(
    acc: Expr, g: Expr, xs: tuple[Expr, ...], position: int, subscripts: str, optimize: Any
) -> Expr:
    terms, output = _split(subscripts)
    term, x = terms[position], xs[position]
    others = [t for i, t in enumerate(terms) if i != position]
    key, order = _diagonal_key(x, term)
    known_letters = set(output).union(*others)
    wanted = "".join(letter for letter in order if letter in known_letters)
    factors = [g, *(conj(y) for i, y in enumerate(xs) if i != position)]
    part = contract(g.builder, [output, *others], wanted, factors, optimize)
    if is_complex(part.type) and not is_complex(x.type):
        part = f.real(part)
    absent = tuple(i for i, letter in enumerate(order) if letter not in known_letters)
    if absent:
        part = f.expand_dims(part, axes=absent)
    if len(order) == len(term):
        lengths = x.shape
        grown = f.broadcast_to(part, *lengths) if absent else _summed(part, x)
        return acc + grown
    if absent:
        part = f.broadcast_to(part, *(x.length(term.index(letter)) for letter in order))
    index, operands = parse(g.builder, acc, key)
    return spread_at(acc, part, tuple(Expr(g.builder, o) for o in operands), index)


def _summed(part: Expr, x: Expr) -> Expr:
    """``part`` summed over axes along which ``x``, of length 1 there, was broadcast."""
    dims = x.builder.dims
    pairs = enumerate(zip(part.dims, x.dims, strict=True))
    axes = tuple(i for i, (m, n) in pairs if dims.canonical(n) == 1 != dims.canonical(m))
    return f.sum(part, axis=axes, keepdims=True) if axes else part


def _diagonal_key(x: Expr, term: str) -> tuple[tuple[Any, ...], str]:
    """The key that reads the diagonal of axes with one letter, and the letters of the result's
    axes (index arrays side by side stay where they are, else they come first)."""
    b = x.builder
    repeated = [c for c in dict.fromkeys(term) if term.count(c) > 1]
    places = [i for i, c in enumerate(term) if c in repeated]
    key: list[Any] = [slice(None)] * len(term)
    for rank, letter in enumerate(repeated):
        ends = (b.const(0), lift(b, x.length(term.index(letter))), b.const(1))
        count = Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))
        others = tuple(i for i in range(len(repeated)) if i != rank)
        for i, c in enumerate(term):
            if c == letter:
                key[i] = f.expand_dims(count, axes=others) if others else count
    if not places:
        return tuple(key), term
    adjacent = places == list(range(places[0], places[-1] + 1))
    rest = [c for c in term if c not in repeated]
    place = places[0] if adjacent else 0
    return tuple(key), "".join([*rest[:place], *repeated, *rest[place:]])


bilinear(
    "einsum",
    "*xs",
    _infer_einsum,
    _emit_einsum,
    attrs={"subscripts": REQUIRED, "optimize": False},
    transpose={"xs": _vjp},
    traits="allocates alone_view contraction",
    letters=lambda ranks, attrs: tuple(attrs["subscripts"].replace("->", ",").split(",")),
    batch=batching.einsum,
    follow=following.summed,
    doc="Products of entries, summed over every letter that is not in the result.",
)


# ------------------------------------------------------------------------- plainer forms
def contract(
    b: Builder, terms: Sequence[str], output: str, xs: Sequence[Expr], optimize: Any
) -> Expr:
    """``np.einsum`` as a product of matrices, a transpose or a sum where it is one."""
    if len(xs) == 1:
        plain = _one(xs[0], terms[0], output)
    elif len(xs) == 2:
        plain = _product(xs, terms, output)
    else:
        plain = None
    if plain is not None:
        return plain
    subscripts = f"{','.join(terms)}->{output}"
    return f.einsum(*xs, subscripts=subscripts, optimize=optimize)  # type: ignore[no-any-return]


def _one(x: Expr, term: str, output: str) -> Expr | None:
    if len(set(term)) < len(term):
        return None
    gone = tuple(i for i, c in enumerate(term) if c not in output)
    kept = [c for c in term if c in output]
    if gone and x.dtype.kind in "biu":
        return None  # np.sum widens small integers, np.einsum does not
    if gone:
        x = f.sum(x, axis=gone)
    return permute(x, [kept.index(c) for c in output])


def _product(xs: Sequence[Expr], terms: Sequence[str], output: str) -> Expr | None:
    """Two factors as ``x @ y``: one axis summed, at most one more in each, the rest shared."""
    s, t = terms
    if len(set(s)) < len(s) or len(set(t)) < len(t):
        return None
    summed = [c for c in s if c in t and c not in output]
    shared = "".join(c for c in output if c in s and c in t)
    rows, columns = (_only(a, b, output) for a, b in ((s, t), (t, s)))
    if (
        len(summed) != 1
        or rows is None
        or columns is None
        or max(len(rows), len(columns)) > 1
    ):
        return None
    if shared and not (rows and columns):
        return None
    if not _same_lengths(xs, terms, [*summed, *shared]):
        return None
    (x, y) = xs
    if rows and columns and output == shared + columns + rows:
        x, y, s, t, rows, columns = y, x, t, s, columns, rows
    if output != shared + rows + columns:
        return None
    left, right = shared + rows + summed[0], shared + summed[0] + columns
    return permute(x, [s.index(c) for c in left]) @ permute(y, [t.index(c) for c in right])


def _only(term: str, other: str, output: str) -> str | None:
    """The letters of ``term`` that ``other`` has not; None if one of them is summed."""
    own = [c for c in term if c not in other]
    return "".join(own) if all(c in output for c in own) else None


def _same_lengths(xs: Sequence[Expr], terms: Sequence[str], letters: Sequence[str]) -> bool:
    """Whether no axis is broadcast: matmul would refuse, or not, what einsum allows."""
    dims = xs[0].builder.dims
    for c in letters:
        m, n = (
            dims.canonical(x.dims[term.index(c)]) for x, term in zip(xs, terms, strict=True)
        )
        if m != n and not (dims.never_one(m) and dims.never_one(n)):
            return False
    return True


# --------------------------------------------------------------------------- the surface
@surface(np.einsum)
def einsum(b: Builder, *operands: Any, optimize: Any = False, **rest: Any) -> Expr:
    """``np.einsum``, in both its forms."""
    first = known(operands[0])
    if isinstance(first, str):
        text, arrays = first.replace(" ", ""), [as_array(b, x) for x in operands[1:]]
    else:
        text, arrays = _from_lists(b, operands)
    arrays = _converted(arrays, **rest)
    terms, output = _explicit(text, arrays)
    best = bool(need_static(optimize))
    if len(arrays) == 1 and set(terms[0]) != set(output):  # np.sum adds up in another order
        return f.einsum(*arrays, subscripts=f"{terms[0]}->{output}", optimize=best)  # type: ignore[no-any-return]
    return contract(b, terms, output, arrays, best)


def _converted(
    arrays: list[Expr], dtype: Any = None, casting: Any = "safe", order: Any = "K"
) -> list[Expr]:
    """The operands in the dtype that the sums are to have."""
    if dtype is None:
        return arrays
    wanted, rule = dtype_of(dtype), need_static(casting)
    for x in arrays:
        if not np.can_cast(x.dtype, wanted, rule):
            raise DTypeError(
                f"np.einsum does not cast {x.dtype} to {wanted} by the rule {rule!r}; "
                "casting='unsafe' allows it"
            )
    return [f.astype(x, dtype=wanted) if x.dtype != wanted else x for x in arrays]


def _from_lists(b: Builder, operands: Sequence[Any]) -> tuple[str, list[Expr]]:
    """The form ``einsum(x, [0, 1], y, [1, 2], [0, 2])`` as text."""
    count = len(operands) // 2
    lists = [need_static(known(operands[2 * i + 1])) for i in range(count)]
    if len(operands) % 2:
        lists.append(need_static(known(operands[-1])))
    words = ["".join(_letter(k) for k in labels) for labels in lists]
    text = ",".join(words[:count])
    if len(operands) % 2:
        text += "->" + words[-1]
    return text, [as_array(b, operands[2 * i]) for i in range(count)]


def _letter(label: Any) -> str:
    return "..." if label is Ellipsis else string.ascii_letters[int(label)]


def _explicit(text: str, arrays: Sequence[Expr]) -> tuple[list[str], str]:
    """Inputs and result in letters only: ellipses replaced, the result written out."""
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        raise ShapeError(f"np.einsum {text!r}: {len(terms)} terms for {len(arrays)} arrays")
    free = [c for c in reversed(string.ascii_letters) if c not in text]
    more = 0
    for i, (term, x) in enumerate(zip(terms, arrays, strict=True)):
        extra = x.ndim - len(term.replace("...", ""))
        if extra < 0 or (extra and "..." not in term):
            raise ShapeError(f"np.einsum {text!r}: {term!r} does not fit rank {x.ndim}")
        terms[i] = term.replace("...", "".join(reversed(free[:extra])))
        more = max(more, extra)
    spread = "".join(reversed(free[:more]))
    if arrow:
        return terms, output.replace("...", spread)
    letters = "".join(terms)
    once = [c for c in sorted(set(letters)) if letters.count(c) == 1 and c not in spread]
    return terms, spread + "".join(once)
