"""Random draws: effects that keep their order, from NumPy's global state or a generator.

What is drawn has no gradient: write ``loc + scale * rng.standard_normal(n)`` to have one of the
parameters. Entries of an array that are picked at random are picked by an index, so they do.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import BOOL, FLOAT, INT, ArrayType, ObjectType, Type
from ..ir.values import Value
from .elementwise import refuse
from .indexing import getitem, setitem
from .reshaping import ravel
from .rules.arguments import as_array, as_expr, axis_of, lengths_of
from .rules.emission import method_call, np_call, shape_tuple, static
from .rules.infer import as_dimension
from .static import known, need_static
from .table import GENERATOR, SURFACE, mutator, op

WHOLE = frozenset(
    "integers randint poisson binomial geometric hypergeometric logseries negative_binomial zipf "
    "multinomial multivariate_hypergeometric choice permutation permuted".split()
)
"""Draws that give integers."""
VECTORS = {
    "multivariate_normal": "mean",
    "dirichlet": "alpha",
    "multinomial": "pvals",
    "multivariate_hypergeometric": "colors",
}
"""Draws of vectors, by the parameter that has their length."""
DRAWS = (
    "beta binomial chisquare dirichlet exponential f gamma geometric gumbel hypergeometric "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f normal pareto poisson power random rayleigh "
    "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "uniform vonmises wald weibull zipf"
).split()


# --------------------------------------------------------------------------------- the op
def _parts(values: Any, attrs: Any) -> tuple[list[Any], dict[str, Any], list[Any]]:
    """The generator if there is one, parameters by name, lengths."""
    first = int(attrs["generator"])
    named = dict(zip(attrs["given"], values[first:], strict=False))
    return list(values[:first]), named, list(values[first + len(named) :])


def _infer_draw(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    name, options = attrs["name"], dict(attrs["options"])
    _, named, lengths = _parts(inputs, attrs)
    whole = name in WHOLE
    dtype = np.dtype(options.get("dtype", np.int64 if whole else np.float64))
    shape = tuple(as_dimension(dims, n) for n in lengths)
    if name == "permuted":
        return ArrayType(dtype, named["x"].type.shape)
    if name == "permutation":
        return ArrayType(dtype, (as_dimension(dims, named["x"]),))
    if not attrs["sized"]:
        shape = _together(dims, name, named)
    if name in VECTORS:
        return ArrayType(dtype, (*shape, named[VECTORS[name]].type.shape[-1]))
    if shape or attrs["sized"]:
        return ArrayType(dtype, shape)
    if name == "integers" or "dtype" in options and whole:
        return ArrayType(dtype, ())
    return INT if whole else FLOAT


def _together(dims: Any, name: str, named: dict[str, Value]) -> Any:
    """The shape that the parameters have together."""
    if name in VECTORS or name == "choice":
        return ()
    return dims.broadcast_shapes(*(v.type.shape for v in named.values()))  # type: ignore[union-attr]


def _emit_draw(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
    generator, named, lengths = _parts(inputs, attrs)
    options = {k: static(v) for k, v in attrs["options"]}
    if attrs["sized"]:
        options["size"] = shape_tuple(lengths)
    leading = [named.pop(k) for k in attrs["leading"]]
    if generator:
        return method_call(attrs["name"], generator[0], *leading, **named, **options)
    return np_call(f"random.{attrs['name']}", *leading, **named, **options)


op(
    "draw", "*values", _infer_draw, _emit_draw,
    attrs={
        "name": REQUIRED, "generator": False, "given": (), "leading": (), "sized": False,
        "options": (),
    },
    traits="random nondiff allocates", doc="A random draw; there is no gradient.",
)  # fmt: skip
op(
    "default_rng", "*seed", lambda dims, inputs, cls: ObjectType(cls), lambda inputs, attrs:
    np_call("random.default_rng" if attrs["cls"] == "Generator" else "random.RandomState", *inputs),
    attrs={"cls": "Generator"}, traits="random nondiff", doc="A random generator.",
)  # fmt: skip
op(
    "seed", "*value", lambda dims, inputs: BOOL, lambda inputs, attrs:
    np_call("random.seed", *inputs), traits="effect nondiff",
    doc="Seeds NumPy's global generator.",
)  # fmt: skip


# ------------------------------------------------------------------------------- drawing
def _draw(
    b: Builder, rng: Any, name: str, named: dict[str, Any], size: Any, options: Any = ()
) -> Any:
    given = {k: as_expr(b, v) for k, v in named.items() if v is not None}
    lengths = [] if size is None else lengths_of(b, size)
    order = list(named)
    leading = []
    for k in order:
        if (
            k not in given or k == "p" and name == "choice"
        ):  # what comes before it is optional
            break
        leading.append(k)
    values = [*([rng.value] if rng is not None else []), *(v.value for v in given.values())]
    attrs: dict[str, Any] = {
        "name": name, "generator": rng is not None, "given": tuple(given),
        "sized": size is not None, "leading": tuple(leading), "options": tuple(options),
    }  # fmt: skip
    return Expr(b, b.op("draw", *values, *lengths, **attrs))


def _drawing(name: str, function: Any) -> Callable[..., Any]:
    """The surface of one draw: parameters that are given, ``size``, static options."""
    signature = inspect.signature(function)
    fixed = ("dtype", "method", "endpoint", "check_valid", "tol", "out")

    def call(b: Builder, rng: Any, *args: Any, **kw: Any) -> Any:
        bound = signature.bind(*args, **kw).arguments
        refuse(
            f"random {name}", {k: bound.pop(k) for k in ("out",) if k in bound}, out=None
        )
        size = known(bound.pop("size", None))
        options = [(k, _static(k, bound.pop(k))) for k in fixed if k in bound]
        named = {k: bound.get(k) for k in signature.parameters if k not in ("size", *fixed)}
        return _draw(b, rng, name, named, size, options)

    return call


def _static(name: str, value: Any) -> Any:
    value = need_static(value)
    return np.dtype(value) if name == "dtype" else value


def _register(name: str, surface: Callable[..., Any]) -> None:
    """``surface(b, rng, ...)`` for the global function and for generators' method."""
    legacy = getattr(np.random, name, None)
    if legacy is not None:
        SURFACE[legacy] = lambda b, *args, **kw: surface(b, None, *args, **kw)
    GENERATOR[name] = surface


for _name in DRAWS:
    _bound = getattr(np.random.default_rng(0), _name)
    _register(_name, _drawing(_name, _bound))
    _legacy = getattr(np.random, _name)
    _call = _drawing(_name, _legacy)
    SURFACE[_legacy] = lambda b, *args, _c=_call, **kw: _c(b, None, *args, **kw)
for _name in ("integers", "multivariate_hypergeometric"):
    GENERATOR[_name] = _drawing(_name, getattr(np.random.default_rng(0), _name))
_randint = _drawing("randint", np.random.randint)
SURFACE[np.random.randint] = lambda b, *args, **kw: _randint(b, None, *args, **kw)
GENERATOR["randint"] = _randint


def _by_lengths(name: str) -> Callable[..., Any]:
    def call(b: Builder, rng: Any, *lengths: Any) -> Any:
        return _draw(b, rng, name, {}, lengths or None)

    return call


_register("rand", _by_lengths("random_sample"))
_register("randn", _by_lengths("standard_normal"))
for _name in ("random_sample", "ranf", "sample"):
    _register(
        _name, lambda b, rng, size=None: _draw(b, rng, "random_sample", {}, known(size))
    )


# ---------------------------------------------------------------------- orders and choices
def _permutation(b: Builder, rng: Any, x: Any, axis: Any = 0) -> Any:
    value = as_expr(b, x)
    if not value.ndim:
        return _draw(b, rng, "permutation", {"x": value}, None)
    place = axis_of(axis, value.ndim)
    order = _draw(b, rng, "permutation", {"x": value.length(place)}, None)
    return getitem(b, value, (*[slice(None)] * place, order))


def _permuted(b: Builder, rng: Expr, x: Any, axis: Any = None, out: Any = None) -> Any:
    """Each row in an order of its own."""
    value, axis = as_array(b, x), need_static(axis)
    rows = ravel(b, value) if axis is None else value
    place = 0 if axis is None else axis_of(axis, value.ndim)
    ends = (b.const(0), lift(b, rows.length(place)), b.const(1))
    counted = Expr(b, b.op("arange", *ends, dtype=np.dtype(np.int64)))
    shape = [1] * rows.ndim
    shape[place] = -1
    places = f.broadcast_to(f.reshape(counted, *shape), *rows.shape)
    order = _draw(b, rng, "permuted", {"x": places}, None, [("axis", place)])
    found = f.take_along_axis(rows, order, axis=place)
    return found if axis is not None else f.reshape(found, *value.shape)


def _choice(
    b: Builder, rng: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None,
    axis: Any = 0, shuffle: Any = True,
) -> Any:  # fmt: skip
    value = as_expr(b, a)
    place = axis_of(axis, value.ndim) if value.ndim else 0
    named = {"a": value.length(place) if value.ndim else value}
    flags = {"replace": replace, "shuffle": shuffle}
    options = [(k, False) for k, flag in flags.items() if not need_static(flag)]
    if p is not None:
        named["p"] = as_array(b, p)
    places = _draw(b, rng, "choice", named, known(size), options)
    if not value.ndim:
        return places
    return getitem(b, value, (*[slice(None)] * place, places))


def _shuffle(b: Builder, x: Expr, rng: Any = None, axis: Any = 0) -> Expr:
    """The new value of ``x`` after a shuffle."""
    return setitem(b, x, Ellipsis, _permutation(b, rng, x, axis))


_register("permutation", _permutation)
_register("choice", _choice)
mutator(np.random.shuffle)(lambda b, x: _shuffle(b, x))
GENERATOR["shuffle"] = _shuffle
GENERATOR["permuted"] = _permuted
SURFACE[np.random.seed] = lambda b, seed=None: Expr(
    b, b.op("seed", *([] if seed is None else [as_expr(b, seed).value]))
)


def _made(cls: str) -> Callable[..., Any]:
    def call(b: Builder, seed: Any = None) -> Any:
        values = [] if seed is None else [as_expr(b, seed).value]
        return Expr(b, b.op("default_rng", *values, cls=cls))

    return call


SURFACE[np.random.default_rng] = _made("Generator")
SURFACE[np.random.RandomState] = _made("RandomState")
