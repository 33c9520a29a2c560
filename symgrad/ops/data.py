"""NumPy's functions whose results are data: positions, truths, orders.

They have no gradient. Each is emitted as the NumPy call it is; a line says which arguments are
arrays, and of what type the results are.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import DTypeError
from ..ir.expr import Expr
from ..ir.opdef import REQUIRED
from ..ir.types import BOOL, ArrayType, Type
from ..ir.values import Value
from .elementwise import refuse
from .rules.arguments import as_array, axis_of, lengths_of
from .rules.emission import np_call, static
from .rules.infer import reduced_shape
from .selection import refuse_fields
from .static import need_static
from .table import METHODS, SURFACE, nondiff

Types = Mapping[str, ArrayType]
Given = Mapping[str, Any]
Results = Callable[[Any, Types, Given], "Type | tuple[Type, ...]"]

INDEX, TRUTH = np.dtype(np.intp), np.dtype(np.bool_)


def data(function: Any, arrays: str, results: Results, *, traits: str = "") -> None:
    """One function of data.

    Args:
        arrays: its arguments that are arrays; the others are static.
        results: ``results(dims, types, options)``: the types of the results, from the arrays'
            by name and the static arguments that are given.
        traits: the op's.
    """
    name, signature = function.__name__, inspect.signature(function)
    names = arrays.split()

    def infer(dims: Any, inputs: tuple[Value, ...], given: Any, options: Any) -> Any:
        types = {k: v.type for k, v in zip(given, inputs, strict=True)}
        return results(dims, types, dict(options))  # type: ignore[arg-type]

    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        named = dict(zip(attrs["given"], inputs, strict=True))
        first = [named.pop(k) for k in list(named) if k in names[:2] and _leading(names, k)]
        return np_call(name, *first, **named, **{k: static(v) for k, v in attrs["options"]})

    def call(b: Any, *args: Any, **kw: Any) -> Any:
        bound = signature.bind(*args, **kw).arguments
        usual = {k: p.default for k, p in signature.parameters.items()}
        bound = {k: v for k, v in bound.items() if not (v is None and usual[k] is None)}
        refuse_fields(bound.pop("order", None))
        inputs = {k: as_array(b, bound.pop(k)) for k in names if k in bound}
        options = tuple((k, _static(v)) for k, v in bound.items())
        attrs = {"given": tuple(inputs), "options": options}
        found = b.op(name, *(v.value for v in inputs.values()), **attrs)
        many = isinstance(found, tuple)
        return tuple(Expr(b, v) for v in found) if many else Expr(b, found)

    def _leading(names: list[str], key: str) -> bool:
        order = list(signature.parameters)
        return order.index(key) == names.index(key)

    doc = (inspect.getdoc(function) or name).strip().splitlines()[0]
    attrs: dict[str, Any] = {"given": REQUIRED, "options": ()}
    nondiff(name, "*arrays", infer, emit, attrs=attrs, traits=traits, doc=doc)
    SURFACE[function] = call


def _static(x: Any) -> Any:
    x = need_static(x)
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return tuple(map(_static, x)) if isinstance(x, list | tuple) else x


# ------------------------------------------------------------------------- types of results
def like(argument: str, dtype: np.dtype[Any]) -> Results:
    """An array of the shape of an argument."""
    return lambda dims, types, given: ArrayType(dtype, types[argument].shape)


def _truth(dims: Any, types: Types, given: Given) -> Type:
    return BOOL


def _ordered(dims: Any, types: Types, given: Given) -> Type:
    t = types["a"]
    return ArrayType(INDEX, t.shape if given.get("axis", -1) is not None else (t.size,))


def _extreme(dims: Any, types: Types, given: Given) -> Type:
    t, axis = types["a"], given.get("axis")
    axes = None if axis is None else (axis_of(axis, t.ndim),)
    return ArrayType(INDEX, reduced_shape(t, axes, bool(given.get("keepdims", False))))


# ------------------------------------------------------------------------------ the list
data(np.argpartition, "a kth", _ordered)
METHODS["argpartition"] = SURFACE[np.argpartition]
data(np.digitize, "x bins", like("x", INDEX))
data(np.isin, "element test_elements", like("element", TRUTH))
data(np.array_equiv, "a1 a2", _truth)
data(np.nanargmax, "a", _extreme, traits="of_some")
data(np.nanargmin, "a", _extreme, traits="of_some")


def _lexsort(b: Any, keys: Any, axis: Any = -1) -> Any:
    value = as_array(b, keys)
    place = axis_of(axis, value.ndim - 1)
    return Expr(b, b.op("lexsort", value.value, axis=place))


nondiff(
    "lexsort", "keys",
    lambda dims, inputs, axis: ArrayType(INDEX, inputs[0].type.shape[1:]),
    "np.lexsort(keys, axis=axis)", attrs={"axis": -1}, traits="allocates", batch="each",
    doc="The order that sorts by the last key, equals by the one before it, and so on.",
)  # fmt: skip
SURFACE[np.lexsort] = _lexsort


# --------------------------------------------------------------------------- positions
def _unravelled(b: Any, indices: Any, shape: Any, order: Any = "C") -> tuple[Any, ...]:
    refuse("np.unravel_index", {"order": order}, order="C")
    rest: Any = as_array(b, indices)
    if rest.dtype.kind not in "iu":
        raise DTypeError(f"np.unravel_index needs integers, got {rest.type}")
    found: list[Any] = []
    for n in reversed(lengths_of(b, shape)):
        length = Expr(b, n)
        found.insert(0, rest % length)
        rest = rest // length
    return tuple(found)


def _ravelled(
    b: Any, multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C"
) -> Any:
    """Positions out of bounds are told by what is indexed."""
    refuse("np.ravel_multi_index", {"mode": mode, "order": order}, mode="raise", order="C")
    places: Any = None
    for part, n in zip(multi_index, lengths_of(b, dims), strict=True):
        index = as_array(b, part)
        places = index if places is None else places * Expr(b, n) + index
    return places


def _diagonal(b: Any, n: Any, ndim: Any = 2) -> Any:
    return (SURFACE[np.arange](b, n),) * int(need_static(ndim))


def _diagonal_of(b: Any, arr: Any) -> Any:
    x = as_array(b, arr)
    return _diagonal(b, x.length(0), x.ndim)


def _triangle_of(function: Any) -> Any:
    def call(b: Any, arr: Any, k: Any = 0) -> Any:
        x = as_array(b, arr)
        return SURFACE[function](b, x.length(0), k, x.length(1))

    return call


def _masked(b: Any, n: Any, mask_func: Any, k: Any = 0) -> Any:
    ones = SURFACE[np.ones](b, (n, n), int)
    return SURFACE[np.nonzero](b, SURFACE[mask_func](b, ones, k))


SURFACE[np.unravel_index] = _unravelled
SURFACE[np.ravel_multi_index] = _ravelled
SURFACE[np.diag_indices] = _diagonal
SURFACE[np.diag_indices_from] = _diagonal_of
SURFACE[np.tril_indices_from] = _triangle_of(np.tril_indices)
SURFACE[np.triu_indices_from] = _triangle_of(np.triu_indices)
SURFACE[np.mask_indices] = _masked
