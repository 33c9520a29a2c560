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

from ..ir.expr import Expr
from ..ir.opdef import REQUIRED
from ..ir.types import BOOL, ArrayType, Type
from ..ir.values import Value
from ._arguments import as_array, axis_of
from ._emission import np_call, static
from ._infer import reduced_shape
from .elementwise import refuse
from .reshaping import ravel
from .static import need_static
from .table import METHODS, NO_GRADIENT, SURFACE, nondiff

Types = Mapping[str, ArrayType]
Given = Mapping[str, Any]
Results = Callable[[Any, Types, Given], "Type | tuple[Type, ...]"]

INDEX, TRUTH = np.dtype(np.intp), np.dtype(np.bool_)


def data(function: Any, arrays: str, results: Results, *, refused: str = "") -> None:
    """One function of data.

    Args:
        arrays: its arguments that are arrays; the others are static.
        results: ``results(dims, types, options)``: the types of the results, from the arrays'
            by name and the static arguments that are given.
        refused: arguments that have to keep their defaults.
    """
    name, signature = function.__name__, inspect.signature(function)
    names, closed = arrays.split(), refused.split()

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
        plain = {k: usual[k] for k in closed}
        refuse(f"np.{name}", {k: bound.pop(k) for k in closed if k in bound}, **plain)
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
    nondiff(name, "*arrays", infer, emit, attrs={"given": REQUIRED, "options": ()}, doc=doc)
    SURFACE[function] = call
    NO_GRADIENT.add(function)


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
data(np.argpartition, "a kth", _ordered, refused="order")
METHODS["argpartition"] = SURFACE[np.argpartition]
data(np.digitize, "x bins", like("x", INDEX))
data(np.isin, "element test_elements", like("element", TRUTH), refused="kind")
data(np.array_equiv, "a1 a2", _truth)
data(np.nanargmax, "a", _extreme)
data(np.nanargmin, "a", _extreme)


def _lexsort(b: Any, keys: Any, axis: Any = -1) -> Any:
    value = as_array(b, keys)
    place = axis_of(axis, value.ndim - 1)
    return Expr(b, b.op("lexsort", value.value, axis=place))


nondiff(
    "lexsort", "keys",
    lambda dims, inputs, axis: ArrayType(INDEX, inputs[0].type.shape[1:]),  # type: ignore[union-attr]
    "np.lexsort(keys, axis=axis)", attrs={"axis": -1}, traits="allocates", batch="each",
    doc="The order that sorts by the last key, equals by the one before it, and so on.",
)  # fmt: skip
SURFACE[np.lexsort] = _lexsort
NO_GRADIENT.add(np.lexsort)


# ------------------------------------------------------------------------ sets of numbers
def _union(b: Any, ar1: Any, ar2: Any) -> Any:
    both = [ravel(b, as_array(b, x)) for x in (ar1, ar2)]
    return SURFACE[np.unique](b, SURFACE[np.concatenate](b, both))


def _chosen(invert: bool) -> Callable[..., Any]:
    def call(b: Any, ar1: Any, ar2: Any, assume_unique: Any = False, **options: Any) -> Any:
        refuse("a set operation", options, return_indices=False)
        x = as_array(b, ar1)
        x = ravel(b, x) if need_static(assume_unique) else SURFACE[np.unique](b, x)
        inside = SURFACE[np.isin](b, x, ar2, invert=invert)
        return SURFACE[np.extract](b, inside, x)

    return call


SURFACE[np.union1d] = _union
SURFACE[np.intersect1d] = _chosen(invert=False)
SURFACE[np.setdiff1d] = _chosen(invert=True)
