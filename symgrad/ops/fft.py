"""``np.fft``.

Every transform is linear. Its adjoint is the transform back, with the scale of the other side:
that of ``fft(norm="backward")`` is ``ifft(norm="forward")``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..ir.builder import Builder
from ..ir.dims import add, floordiv
from ..ir.expr import Expr, f, lift
from ..ir.opdef import REQUIRED
from ..ir.types import ArrayType, Type
from ..ir.values import Value
from .indexing import getitem
from .kernels import text_of
from .linalg.kernels import _fit
from .rearranging import roll
from .rules.arguments import as_array, axis_of, length_of
from .rules.emission import np_call, static
from .rules.infer import as_dimension
from .static import known, need_static
from .table import linear, nondiff, surface

BACK = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
Norm = str


# ------------------------------------------------------------------------------- types
def _array(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def _complex(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.fft.fft(np.zeros(1, dtype)).dtype


def _with(t: ArrayType, axis: int, n: Any, dtype: Any) -> ArrayType:
    return ArrayType(dtype, (*t.shape[:axis], n, *t.shape[axis + 1 :]))


def _infer_fft(dims: Any, inputs: tuple[Value, ...], **attrs: Any) -> Type:
    t = _array(inputs[0])
    return ArrayType(_complex(t.dtype), t.shape)


def _infer_rfft(dims: Any, inputs: tuple[Value, ...], axis: int, norm: Norm) -> Type:
    t = _array(inputs[0])
    n = add(floordiv(dims.canonical(t.shape[axis]), 2), 1)
    return _with(t, axis, n, _complex(t.dtype))


def _infer_irfft(dims: Any, inputs: tuple[Value, ...], axis: int, norm: Norm) -> Type:
    t, n = _array(inputs[0]), as_dimension(dims, inputs[1])
    return _with(t, axis, n, np.zeros(0, _complex(t.dtype)).real.dtype)


def _infer_fit(dims: Any, inputs: tuple[Value, ...], axis: int) -> Type:
    t = _array(inputs[0])
    return _with(t, axis, as_dimension(dims, inputs[1]), t.dtype)


def _infer_freq(dims: Any, inputs: tuple[Value, ...]) -> Type:
    return ArrayType(np.dtype(np.float64), (as_dimension(dims, inputs[0]),))


def _infer_rfreq(dims: Any, inputs: tuple[Value, ...]) -> Type:
    n = add(floordiv(as_dimension(dims, inputs[0]), 2), 1)
    return ArrayType(np.dtype(np.float64), (n,))


# ---------------------------------------------------------------------------- emission
def _emit(one: str, many: str) -> Callable[..., ast.expr]:
    def emit(inputs: list[ast.expr], attrs: dict[str, Any]) -> ast.expr:
        axes, norm = attrs["axes"], attrs["norm"]
        more = {} if norm == "backward" else {"norm": static(norm)}
        if len(axes) == 1:
            return np_call(f"fft.{one}", *inputs, axis=static(axes[0]), **more)
        return np_call(f"fft.{many}", *inputs, axes=static(axes), **more)

    return emit


# ------------------------------------------------------------------------------- rules
def _halves(g: Expr, n: Any, axis: int) -> Expr:
    """How often ``rfft`` leaves out an entry: 1 at both ends of the spectrum, else 2."""
    b = g.builder
    ends = (b.const(0), lift(b, g.length(axis)), b.const(1))
    k = Expr(b, b.op("arange", *ends, dtype=np.dtype(np.intp)))
    real = np.zeros(0, g.dtype).real.dtype
    alone = f.equal(f.remainder(2 * k, n), 0)
    weight = f.astype(f.where(alone, 1, 2), dtype=real)
    behind = tuple(range(1, g.ndim - axis))
    return f.expand_dims(weight, axes=behind) if behind else weight  # type: ignore[no-any-return]


def _rfft_back(g: Expr, x: Expr, axis: int, norm: Norm) -> Expr:
    n = x.length(axis)
    return f.irfft(g / _halves(g, n, axis), n, axis=axis, norm=BACK[norm])  # type: ignore[no-any-return]


def _irfft_back(g: Expr, n: Expr, axis: int, norm: Norm) -> Expr:
    back = f.rfft(g, axis=axis, norm=BACK[norm])
    return back * _halves(back, n, axis)  # type: ignore[no-any-return]


def _fft_back(other: str) -> Callable[..., Expr]:
    return lambda g, axes, norm: getattr(f, other)(g, axes=axes[::-1], norm=BACK[norm])


for _name, _many, _other in (("fft", "fftn", "ifft"), ("ifft", "ifftn", "fft")):
    linear(
        _name, "x", _infer_fft, _emit(_name, _many), attrs={"axes": REQUIRED, "norm": "backward"},
        transpose={"x": _fft_back(_other)},
        traits="allocates", doc="The discrete Fourier transform along axes, or its inverse.",
    )  # fmt: skip
linear(
    "rfft", "x", _infer_rfft, "np.fft.rfft(x, axis=axis, norm=norm)",
    attrs={"axis": REQUIRED, "norm": "backward"}, transpose={"x": _rfft_back},
    traits="allocates", doc="The first half of the Fourier transform of real numbers.",
)  # fmt: skip
linear(
    "irfft", "x n", _infer_irfft, "np.fft.irfft(x, n, axis=axis, norm=norm)",
    attrs={"axis": REQUIRED, "norm": "backward"}, transpose={"x": _irfft_back},
    traits="allocates", doc="n real numbers from the first half of their Fourier transform.",
)  # fmt: skip
linear(
    "fit_length", "x n", _infer_fit, "_fit(x, n, axis)", helper=text_of(_fit),
    attrs={"axis": REQUIRED}, traits="maybe_view",
    transpose={"x": lambda g, x, axis: f.fit_length(g, x.length(axis), axis=axis)},
    doc="x cut or filled with zeros to length n.",
)  # fmt: skip
nondiff("fftfreq", "n", _infer_freq, "np.fft.fftfreq(n)", doc="Frequencies of fft.")
nondiff("rfftfreq", "n", _infer_rfreq, "np.fft.rfftfreq(n)", doc="Frequencies of rfft.")


# --------------------------------------------------------------------------- the surface
def _norm_of(norm: Any) -> Norm:
    norm = need_static(norm) or "backward"
    if norm not in BACK:
        raise ShapeError(f"np.fft: norm={norm!r} is none of {', '.join(BACK)}")
    return str(norm)


def fitted(b: Builder, x: Expr, n: Any, axis: int) -> Expr:
    """``x`` with length ``n`` along an axis, cut or filled with zeros."""
    n, have = known(n), known(x.length(axis))
    if n is None or (isinstance(n, int) and n == have):
        return x
    if isinstance(n, int) and isinstance(have, int) and n < have:
        return getitem(b, x, (*[slice(None)] * axis, slice(0, n)))
    return Expr(b, b.op("fit_length", x.value, length_of(b, n), axis=axis))


def _axes_and_lengths(x: Expr, s: Any, axes: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Axes, in which one may come twice, and the length wanted along each (or None)."""
    s, axes = known(s), known(axes)
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    found = tuple(axis_of(a, x.ndim) for a in axes)
    lengths = (
        [None] * len(found) if s is None else [None if known(n) == -1 else n for n in s]
    )
    if len(lengths) != len(found):
        raise ShapeError(f"np.fft: lengths {s} do not fit axes {found}")
    if len(set(found)) < len(found):
        pairs = zip(found, lengths, strict=True)
        lengths = [x.length(a) if n is None else n for a, n in pairs]
    return found, lengths


def _transform(op: str, b: Builder, a: Any, s: Any, axes: Any, norm: Any) -> Expr:
    x = as_array(b, a)
    places, lengths = _axes_and_lengths(x, s, axes)
    if len(set(places)) < len(places):
        return _in_turn(op, b, x, list(zip(places, lengths, strict=True))[::-1], norm)
    for axis, n in zip(places, lengths, strict=True):
        x = fitted(b, x, n, axis)
    return getattr(f, op)(x, axes=places, norm=_norm_of(norm)) if places else x


def _in_turn(op: str, b: Builder, x: Expr, steps: Any, norm: Any) -> Expr:
    """One axis after the other, some more than once: each time with its own length."""
    for axis, n in steps:
        x = getattr(f, op)(fitted(b, x, n, axis), axes=(axis,), norm=_norm_of(norm))
    return x


def _lengths(n: Any) -> Any:
    return None if known(n) is None else (n,)


def _one_axis(op: str) -> Any:
    def call(b: Builder, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Expr:
        return _transform(op, b, a, _lengths(n), (axis,), norm)

    return call


def _axes(op: str, axes: Any) -> Any:
    def call(b: Builder, a: Any, s: Any = None, axes: Any = axes, norm: Any = None) -> Expr:
        return _transform(op, b, a, s, axes, norm)

    return call


for _op in ("fft", "ifft"):
    surface(getattr(np.fft, _op))(_one_axis(_op))
    surface(getattr(np.fft, f"{_op}2"))(_axes(_op, (-2, -1)))
    surface(getattr(np.fft, f"{_op}n"))(_axes(_op, None))


@surface(np.fft.rfft)
def rfft(b: Builder, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Expr:
    """``np.fft.rfft``."""
    x = as_array(b, a)
    place = axis_of(axis, x.ndim)
    return f.rfft(fitted(b, x, n, place), axis=place, norm=_norm_of(norm))  # type: ignore[no-any-return]


@surface(np.fft.irfft)
def irfft(b: Builder, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Expr:
    """``np.fft.irfft``; ``2 * (m - 1)`` numbers from ``m`` if not told."""
    x = as_array(b, a)
    place = axis_of(axis, x.ndim)
    n = 2 * (x.length(place) - 1) if known(n) is None else known(n)
    x = fitted(b, x, n // 2 + 1, place)
    return Expr(b, b.op("irfft", x.value, length_of(b, n), axis=place, norm=_norm_of(norm)))


def _rfftn(default: Any) -> Any:
    def call(
        b: Builder, a: Any, s: Any = None, axes: Any = default, norm: Any = None
    ) -> Expr:
        x = as_array(b, a)
        places, lengths = _axes_and_lengths(x, s, axes)
        steps = list(zip(places, lengths, strict=True))[-2::-1]
        if len(set(places)) < len(places):
            x = rfft(b, x, lengths[-1], places[-1], norm)
            return _in_turn("fft", b, x, steps, norm)
        for axis, n in zip(places, lengths, strict=True):
            x = fitted(b, x, n, axis)
        x = rfft(b, x, None, places[-1], norm)
        return _transform("fft", b, x, None, places[:-1], norm)

    return call


def _irfftn(default: Any) -> Any:
    def call(
        b: Builder, a: Any, s: Any = None, axes: Any = default, norm: Any = None
    ) -> Expr:
        x = as_array(b, a)
        places, lengths = _axes_and_lengths(x, s, axes)
        if known(s) is not None and lengths[-1] is None:
            lengths[-1] = x.length(places[-1])
        if len(set(places)) < len(places):
            if known(s) is None:
                lengths[-1] = 2 * (x.length(places[-1]) - 1)
            steps = list(zip(places, lengths, strict=True))[:-1]
            x = _in_turn("ifft", b, x, steps, norm)
            return irfft(b, x, lengths[-1], places[-1], norm)  # type: ignore[no-any-return]
        for axis, n in zip(places[:-1], lengths, strict=False):
            x = fitted(b, x, n, axis)
        x = _transform("ifft", b, x, None, places[:-1], norm)
        return irfft(b, x, lengths[-1], places[-1], norm)  # type: ignore[no-any-return]

    return call


for _suffix, _default in (("2", (-2, -1)), ("n", None)):
    surface(getattr(np.fft, f"rfft{_suffix}"))(_rfftn(_default))
    surface(getattr(np.fft, f"irfft{_suffix}"))(_irfftn(_default))


@surface(np.fft.hfft)
def hfft(b: Builder, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Expr:
    """``np.fft.hfft``."""
    return irfft(b, f.conjugate(as_array(b, a)), n, axis, BACK[_norm_of(norm)])  # type: ignore[no-any-return]


@surface(np.fft.ihfft)
def ihfft(b: Builder, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Expr:
    """``np.fft.ihfft``."""
    return f.conjugate(rfft(b, a, n, axis, BACK[_norm_of(norm)]))  # type: ignore[no-any-return]


def _shift(back: bool) -> Any:
    def call(b: Builder, x: Any, axes: Any = None) -> Expr:
        a, places = as_array(b, x), known(axes)
        listed = range(a.ndim) if places is None else places
        listed = (listed,) if isinstance(listed, int) else listed
        places = tuple(axis_of(i, a.ndim) for i in listed)
        half = [a.length(i) // 2 for i in places]
        return roll(b, a, tuple(-h if back else h for h in half), places)  # type: ignore[no-any-return]

    return call


surface(np.fft.fftshift)(_shift(False))
surface(np.fft.ifftshift)(_shift(True))


def _frequencies(op: str) -> Any:
    def call(b: Builder, n: Any, d: Any = 1.0, device: Any = None) -> Expr:
        found = Expr(b, b.op(op, length_of(b, n)))
        return found if known(d) == 1 else found / d

    return call


surface(np.fft.fftfreq)(_frequencies("fftfreq"))
surface(np.fft.rfftfreq)(_frequencies("rfftfreq"))
