"""NumPy's ways of making arrays, in terms of the ops in ``creation`` and ``shaping``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DTypeError, OptionError, ShapeError
from ..ir.builder import Builder
from ..ir.dims import may_be_one
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, is_complex
from .rules.arguments import (
    ARRAYS_ARE_NUMBERS,
    as_array,
    as_expr,
    dtype_of,
    is_number,
    length_of,
    lengths_of,
    nested_array,
)
from .rules.loose import is_loose
from .static import known, need_static
from .table import method, surface


def _made(name: str) -> Callable[..., Any]:
    def call(b: Builder, shape: Any, dtype: Any = float, order: Any = "C") -> Expr:
        _check_layout(order, permitted="CF")
        made = b.op(name, *lengths_of(b, shape), dtype=dtype_of(dtype or float))
        return laid_out(Expr(b, made), order, fresh=True)

    return call


def _made_like(name: str) -> Callable[..., Any]:
    def call(
        b: Builder,
        a: Any,
        dtype: Any = None,
        order: Any = "K",
        subok: Any = True,
        shape: Any = None,
    ) -> Expr:
        like = as_array(b, a)
        if shape is not None:
            return _made(name)(b, shape, dtype or like.dtype)  # type: ignore[no-any-return]
        given = None if dtype is None or dtype_of(dtype) == like.dtype else dtype_of(dtype)
        return Expr(b, b.op(f"{name}_like", like.value, dtype=given))

    return call


for _name in ("zeros", "ones", "empty"):
    surface(getattr(np, _name))(_made(_name))
    surface(getattr(np, f"{_name}_like"))(_made_like(_name))


def _check_layout(order: Any, permitted: str = "CFAK") -> None:
    if need_static(order) not in (*permitted, None):
        listed = " or ".join(map(repr, permitted))
        raise OptionError(f"order must be {listed}, got {order!r}")


@surface(np.full)
def full(
    b: Builder, shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C"
) -> Expr:
    """``np.full``."""
    _check_layout(order, permitted="CF")
    value = as_expr(b, fill_value)
    result = value.dtype if dtype is None else dtype_of(dtype)
    lengths = lengths_of(b, shape)
    if value.ndim:
        spread = Expr(b, b.op("broadcast_to", value.value, *lengths))
        made = f.copy(spread) if spread.dtype == result else f.astype(spread, dtype=result)
    else:
        given = None if result == value.dtype else result
        made = Expr(b, b.op("full", value.value, *lengths, dtype=given))
    return laid_out(made, order, fresh=True)


@surface(np.full_like)
def full_like(
    b: Builder, a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None,
) -> Expr:  # fmt: skip
    """``np.full_like``."""
    like, value = as_array(b, a), as_expr(b, fill_value)
    if shape is not None or value.ndim:
        return full(b, like.shape if shape is None else shape, value, dtype or like.dtype)  # type: ignore[no-any-return]
    given = None if dtype is None or dtype_of(dtype) == like.dtype else dtype_of(dtype)
    return Expr(b, b.op("full_like", like.value, value.value, dtype=given))


@surface(np.eye)
def eye(
    b: Builder, N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C"
) -> Expr:
    """``np.eye``."""
    _check_layout(order, permitted="CF")
    rows = length_of(b, N)
    columns = rows if M is None else length_of(b, M)
    return Expr(
        b, b.op("eye", rows, columns, length_of(b, k), dtype=dtype_of(dtype or float))
    )


@surface(np.identity)
def identity(b: Builder, n: Any, dtype: Any = None) -> Expr:
    """``np.identity``."""
    return eye(b, n, dtype=dtype)  # type: ignore[no-any-return]


@surface(np.arange)
def arange(
    b: Builder,
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    **rest: Any,
) -> Expr:
    """``np.arange``."""
    if stop is None:
        start, stop = 0, start
    ends = [known(x) for x in (start, stop, 1 if step is None else step)]
    values = [as_expr(b, int(x) if isinstance(x, np.integer) else x) for x in ends]
    for v in values:
        if v.ndim:
            raise ShapeError(f"np.arange takes numbers, got {v.type}")
    whole = all(v.dtype.kind in "biu" for v in values)
    if dtype is not None and dtype_of(dtype).kind in "iu" and not whole:
        raise DTypeError("np.arange of floats with an integer dtype is not supported")
    if dtype is None:
        dtype = np.result_type(*(v.dtype for v in values), np.intp)
        if all(v.dtype.kind in "biu" for v in values):
            values = [
                v if v.type == ScalarType("int") else f.item(v, kind="int") for v in values
            ]
    return Expr(b, b.op("arange", *(v.value for v in values), dtype=dtype_of(dtype)))


@surface(np.linspace)
def linspace(
    b: Builder, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
    dtype: Any = None, axis: Any = 0,
) -> Any:  # fmt: skip
    """``np.linspace``."""
    first, last, count = as_expr(b, start), as_expr(b, stop), length_of(b, num)
    last_included = bool(need_static(endpoint))
    if first.ndim or last.ndim:
        return _between_arrays(b, first, last, num, last_included, retstep, dtype, axis)
    given = np.result_type(*(_weak(x) for x in (first, last)), 0.0)
    attrs: dict[str, Any] = {"dtype": given, "endpoint": last_included}
    out = Expr(b, b.op("linspace", first.value, last.value, count, **attrs))
    if dtype is not None and dtype_of(dtype) != given:
        out = f.floor(out) if dtype_of(dtype).kind in "iu" else out
        out = f.astype(out, dtype=dtype_of(dtype))
    if not need_static(retstep):
        return out
    gaps = Expr(b, count) - 1 if last_included else Expr(b, count)
    return out, (as_array(b, last) - first) / gaps


def _between_arrays(
    b: Builder, first: Expr, last: Expr, num: Any, endpoint: bool, retstep: Any, dtype: Any,
    axis: Any,
) -> Any:  # fmt: skip
    from .padding import linspace_of
    from .reshaping import moveaxis

    out = linspace_of(b, first, last, num, endpoint)
    if dtype is not None and dtype_of(dtype) != out.dtype:
        out = f.astype(out, dtype=dtype_of(dtype))
    out = moveaxis(b, out, 0, need_static(axis))
    count = Expr(b, length_of(b, num))
    gaps = count - 1 if endpoint else count
    return (out, (last - first) / gaps) if need_static(retstep) else out


def _weak(x: Expr) -> Any:
    if isinstance(x.type, ArrayType):
        return x.dtype.type(0)
    return 0j if is_complex(x.type) else 0.0


@surface(np.logspace)
def logspace(
    b: Builder, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
    dtype: Any = None, axis: Any = 0,
) -> Expr:  # fmt: skip
    """``np.logspace``."""
    from .reshaping import broadcast_lengths, broadcast_to, moveaxis

    first, last, root = as_expr(b, start), as_expr(b, stop), as_expr(b, base)
    if root.ndim:  # bases stand beside starts and stops, behind the new axis
        shape = broadcast_lengths(b, [as_array(b, x) for x in (first, last, root)])
        first, root = (broadcast_to(b, as_array(b, x), shape) for x in (first, root))
        root = f.expand_dims(root, axes=(0,))
    out = f.power(root, linspace(b, first, last, num, endpoint))
    place = need_static(axis)
    out = moveaxis(b, out, 0, place) if place else out
    return out if dtype is None else f.astype(out, dtype=dtype_of(dtype))  # type: ignore[no-any-return]


def _triangle(name: str) -> Callable[..., Any]:
    def call(b: Builder, n: Any, k: Any = 0, m: Any = None) -> tuple[Expr, ...]:
        rows = length_of(b, n)
        columns = rows if m is None else length_of(b, m)
        return tuple(Expr(b, v) for v in b.op(name, rows, length_of(b, k), columns))

    return call


surface(np.tril_indices)(_triangle("tril_indices"))
surface(np.triu_indices)(_triangle("triu_indices"))


# -------------------------------------------------------------------- from what is there
def convert(
    b: Builder, x: Any, dtype: Any = None, *, copy: bool | None = None, order: Any = "K"
) -> Expr:
    """``np.array(x, dtype, copy=copy)``, a copy in the order C or in that of ``x``."""
    wanted = None if dtype is None else dtype_of(dtype)
    if isinstance(x, tuple | list):
        return nested_array(b, x, wanted)
    value = as_array(b, x)
    if wanted is not None and wanted != value.dtype:
        return f.astype(value, dtype=wanted)  # type: ignore[no-any-return]
    return _copied(value, order) if copy and value.ndim else value


def _copied(x: Expr, order: Any) -> Expr:
    return f.copy(x, order="C" if order == "C" or x.ndim == 1 else "K")  # type: ignore[no-any-return]


@surface(np.array)
def array(
    b: Builder, object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K",
    subok: Any = False, ndmin: Any = 0,
) -> Expr:  # fmt: skip
    """``np.array``."""
    fresh = bool(need_static(copy))
    order = need_static(order)
    out = laid_out(convert(b, object, dtype, copy=fresh, order=order), order, fresh=fresh)
    extra = int(need_static(ndmin)) - out.ndim
    return f.expand_dims(out, axes=tuple(range(extra))) if extra > 0 else out


def laid_out(x: Expr, order: Any, *, fresh: bool) -> Expr:
    """An array whose memory has its axes in the given order: as it is, if it has already and
    does not have to be ``fresh``."""
    _check_layout(order)
    order = need_static(order)
    if order not in ("C", "F") or x.ndim == 0 or (order == "C" and fresh):
        return x
    turned = order == "F" and x.ndim > 1
    straight = x.T if turned else x
    made = f.copy(straight) if fresh else f.contiguous(straight)
    return made.T if turned else made  # type: ignore[no-any-return]


@surface(np.asarray, np.asanyarray)
def asarray(
    b: Builder, a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None
) -> Expr:
    """``np.asarray`` and its like."""
    fresh = need_static(copy) is True
    order = need_static(order)
    return laid_out(convert(b, a, dtype, copy=fresh, order=order), order, fresh=fresh)


@surface(np.ascontiguousarray)
def ascontiguousarray(b: Builder, a: Any, dtype: Any = None) -> Expr:
    """``np.ascontiguousarray``."""
    x = convert(b, a, dtype)
    return laid_out(x if x.ndim else f.reshape(x, 1), "C", fresh=False)


@surface(np.asfortranarray)
def asfortranarray(b: Builder, a: Any, dtype: Any = None) -> Expr:
    """``np.asfortranarray``."""
    x = convert(b, a, dtype)
    return laid_out(x if x.ndim else f.reshape(x, 1), "F", fresh=False)


@surface(np.asarray_chkfinite)
def asarray_chkfinite(b: Builder, a: Any, dtype: Any = None, order: Any = None) -> Expr:
    """``np.asarray_chkfinite``."""
    x = asarray(b, a, dtype, order)
    if x.dtype.kind in "fc":
        text = "array must not contain infs or NaNs"
        b.op("require", f.all(f.isfinite(x)).value, error="ValueError", args=(text,))
    return x  # type: ignore[no-any-return]


@surface(np.copy)
def copy(b: Builder, a: Any, order: Any = "K", subok: Any = False) -> Expr:
    """``np.copy``."""
    order = need_static(order)
    return laid_out(convert(b, a, copy=True, order=order), order, fresh=True)


@method("copy", "__copy__")
def _copy(b: Builder, a: Expr, order: Any = "C") -> Expr:
    """``x.copy()``."""
    return copy(b, a, order)  # type: ignore[no-any-return]


@method("astype")
def astype(
    b: Builder, x: Expr, dtype: Any, order: Any = "K", casting: Any = "unsafe",
    subok: Any = True, copy: Any = True,
) -> Expr:  # fmt: skip
    """``x.astype(dtype)``."""
    wanted = dtype_of(dtype)
    _check_layout(order)
    if not np.can_cast(x.dtype, wanted, need_static(casting)):
        raise DTypeError(f"{x.dtype} cannot be cast to {wanted} by the rule {casting!r}")
    if wanted == x.dtype:
        return _copied(x, need_static(order)) if need_static(copy) and x.ndim else x
    return f.astype(x, dtype=wanted)  # type: ignore[no-any-return]


if hasattr(np, "astype"):  # from NumPy 2.1
    surface(np.astype)(
        lambda b, x, dtype, /, *, copy=True, device=None: astype(
            b, as_array(b, x), dtype, copy=copy
        )
    )


def _constructor(cls: Any) -> Callable[..., Any]:
    def call(b: Builder, x: Any = 0) -> Any:
        x = known(x)
        if not isinstance(x, Expr) and is_number(x):
            return cls(x)
        value = as_expr(b, x)
        if isinstance(value.type, ScalarType) or not value.ndim and is_loose(value.value):
            return f.asarray(value, dtype=np.dtype(cls))
        return convert(b, value, np.dtype(cls))

    return call


_NAMES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
for _kind in _NAMES.split():
    surface(getattr(np, _kind))(_constructor(getattr(np, _kind)))
for _cls in (np.complex64, np.complex128, np.intp, np.uintp, np.longlong, np.longdouble):
    surface(_cls)(_constructor(_cls))


# ---------------------------------------------------------------------- Python's scalars
KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


@method("item")
def item(b: Builder, x: Expr, *place: Any) -> Expr:
    """``x.item()``."""
    from .indexing import getitem
    from .reshaping import ravel

    if place:
        key = tuple(place[0]) if isinstance(place[0], tuple) else place
        x = getitem(b, x if len(key) > 1 or x.ndim == 1 else ravel(b, x), key)
    if x.ndim:
        x = _only(x)
    return f.item(x, kind=KINDS[x.dtype.kind])  # type: ignore[no-any-return]


def _only(x: Expr) -> Expr:
    b, size = x.builder, x.builder.dims.canonical(x.type.size)
    if not may_be_one(size):
        raise ShapeError(f"{x.type} cannot be made a Python scalar: it has {size} entries")
    if size != 1:
        text = "can only convert an array of size 1 to a Python scalar"
        b.op("require", f.equal(x.size, 1).value, error="ValueError", args=(text,))
    return f.index(x, index=(0,) * x.ndim)  # type: ignore[no-any-return]


@method("tolist")
def tolist(b: Builder, x: Expr) -> Any:
    """``x.tolist()`` of arrays whose lengths are known when compiling."""
    if not x.ndim:
        return item(b, x)
    count = need_static(x.length(0))
    return [tolist(b, f.index(x, index=(i,))) for i in range(count)]


def _python(cls: type) -> Callable[..., Any]:
    def call(b: Builder, x: Any = 0) -> Any:
        x = known(x)
        if not isinstance(x, Expr):
            return cls(x)
        if x.ndim and cls is not bool and not ARRAYS_ARE_NUMBERS:
            raise DTypeError(
                f"{cls.__name__}() of {x.type}: only arrays of rank 0 are made Python numbers; "
                "write x.item()"
            )
        if x.type == ScalarType(cls.__name__) and not is_loose(x.value):  # type: ignore[arg-type]
            return x
        if x.dtype.kind == "c" and cls is not complex:
            raise DTypeError(f"{cls.__name__}() of a complex number")
        return f.item(_only(x) if x.ndim else x, kind=cls.__name__)

    return call


for _builtin in (bool, int, float):
    surface(_builtin)(_python(_builtin))


@surface(complex)
def _complex(b: Builder, real: Any = 0, imag: Any = None) -> Any:
    """``complex(real, imag)``: a Python number of one or of two."""
    if imag is None or any(is_complex(as_expr(b, x).type) for x in (real, imag)):
        whole = _python(complex)(b, real)
        return whole if imag is None else whole + _python(complex)(b, imag) * 1j
    parts = [_python(float)(b, x) for x in (real, imag)]
    if not any(isinstance(x, Expr) for x in parts):
        return complex(*parts)
    return f.complex_of(*parts)
