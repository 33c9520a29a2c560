"""Every check that an entry of the op table has to pass, from sample inputs alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import GradcheckError
from ..ir.builder import Builder
from ..ir.dims import Dimension, Sym, as_symbol, substitute, symbol
from ..ir.evaluate import evaluate
from ..ir.opdef import OpDef
from ..ir.tree import Node
from ..ir.types import ArrayType, ScalarType, Type, is_inexact, type_of_constant
from ..ir.values import Argument, Function
from ..ops import TABLE
from ..runtime.pipeline import build
from ..transforms.expand import expand
from .derived import forward_of, reverse_of, wrt_of

EPS = 1e-6
TOLERANCE = 2e-6


@dataclass(frozen=True, slots=True)
class Sample:
    """Inputs and attributes to call an op with. Python ints and bools are constants."""

    inputs: tuple[Any, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)


def sample(*inputs: Any, **attrs: Any) -> Sample:
    """Lists become float arrays, everything else is taken as it is."""
    return Sample(tuple(np.array(x) if isinstance(x, list) else x for x in inputs), attrs)


def check_op(name: str, *samples: Sample) -> None:
    """Check the entry ``name``: type rule, value, both modes, both orders, emission,
    broadcasting, float32, empty and non-contiguous arrays, Python scalars.

    Raises:
        GradcheckError: saying what failed, and for which inputs.
    """
    kind = TABLE[name]
    if not samples:
        raise GradcheckError(f"op {name!r} has no samples")
    if not kind.doc:
        raise GradcheckError(f"op {name!r} has no doc")
    moved: set[str] = set()
    for given in samples:
        _Check(kind, given).run(moved)
        for label, variant in variants(kind, given):
            _Check(kind, variant, label).run(set(), order=1)
    still = set(kind.vjp) - moved
    if still and not kind.has("nondiff"):
        raise GradcheckError(
            f"op {name!r}: no sample has a gradient for {', '.join(sorted(still))}"
        )


# ---------------------------------------------------------------------------- variants
def variants(kind: OpDef, given: Sample) -> Iterator[tuple[str, Sample]]:
    """Further samples made of one: other memory, other lengths, other kinds of numbers."""
    arrays = [i for i, x in enumerate(given.inputs) if _floats(x)]
    if not arrays:
        return
    yield "non-contiguous", _mapped(given, _strided)
    if not kind.has("elementwise"):
        return
    yield "empty", _mapped(given, lambda x: x[:0])
    if all(_is_real_number(x) for x in given.inputs) and kind.emit_scalar is not None:
        numbers = tuple(_first(x) for x in given.inputs)
        yield "Python scalars", Sample(numbers, given.attrs)
    if len(given.inputs) < 2:
        return
    for i in arrays:
        yield f"input {i} of length 1", _with(given, i, given.inputs[i][..., :1])
        yield f"input {i} a NumPy scalar", _with(given, i, given.inputs[i].flat[0])
        if given.inputs[i].dtype == np.float64:
            yield f"input {i} a Python float", _with(given, i, _first(given.inputs[i]))
        stacked = np.stack([given.inputs[i], given.inputs[i] * 0.96875])
        yield f"input {i} of higher rank", _with(given, i, stacked)


def _floats(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim > 0 and x.dtype.kind in "fc"


def _is_real_number(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "biuf"


def _first(x: Any) -> Any:
    return np.asarray(x).flat[0].item()


def _with(given: Sample, position: int, value: Any) -> Sample:
    inputs = list(given.inputs)
    inputs[position] = value
    return replace(given, inputs=tuple(inputs))


def _mapped(given: Sample, change: Callable[[Any], Any]) -> Sample:
    inputs = [
        change(x) if isinstance(x, np.ndarray) and x.ndim else x for x in given.inputs
    ]
    return replace(given, inputs=tuple(inputs))


def _strided(x: Any) -> Any:
    return np.repeat(x, 2, axis=-1)[..., ::2]


# ------------------------------------------------------------------------------ checks
@dataclass(slots=True)
class _Check:
    """One op with one set of inputs."""

    kind: OpDef
    sample: Sample
    label: str = ""
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def run(self, moved: set[str], order: int = 2) -> None:
        """All checks; names of inputs with a gradient that is not zero go to ``moved``."""
        function, values = function_of(self.kind, self.sample)
        with np.errstate(all="ignore"):
            self.value(function, values)
            if not wrt_of(function) or not any(
                is_inexact(r.type) for r in function.block.results
            ):
                return
            self.derivatives(function, values, order, "")
            self.gradient(function, values, moved, emission=order > 1)
            if order > 1 and _all_double(values):
                self.single(values)

    def value(self, function: Function, values: list[Any]) -> None:
        """The results are of the types that the type rule says; inputs are left alone."""
        before = [np.array(v) for v in values]
        results = evaluate(function, values)
        lengths = _lengths(function, values)
        for got, expected in zip(results, function.block.results, strict=True):
            if not _fits(got, expected.type, lengths):
                self.fail(f"type rule says {expected.type}, got {_shown(got)}")
        for now, then in zip(values, before, strict=True):
            if not np.array_equal(now, then, equal_nan=then.dtype.kind in "fc"):
                self.fail("an input has been changed")

    def derivatives(
        self, function: Function, values: list[Any], order: int, done: str
    ) -> None:
        """Forward mode against differences, reverse mode against forward, then again."""
        forward, reverse = forward_of(function), reverse_of(function)
        tangents = [self.like(values[i]) for i in wrt_of(function)]
        weights = [self.like(r) for r in inexact_results(function, values)]
        moved = _run(forward, [*values, *tangents])
        slopes = differences(function, values, tangents)
        for got, expected in zip(moved, slopes, strict=True):
            self.compare(got, expected, f"{done}forward mode")
        gradients = _run(reverse, [*values, *weights])
        total = sum(_dot(w, t) for w, t in zip(weights, moved, strict=True))
        again = sum(_dot(g, t) for g, t in zip(gradients, tangents, strict=True))
        self.compare(again, total, f"{done}reverse mode")
        if order > 1:
            self.derivatives(forward, [*values, *tangents], 1, "forward, then ")
            self.derivatives(reverse, [*values, *weights], 1, "reverse, then ")

    def gradient(
        self, function: Function, values: list[Any], moved: set[str], *, emission: bool
    ) -> None:
        """Gradients have their inputs' types; the emitted code computes the same."""
        weights = [self.like(r) for r in inexact_results(function, values)]
        reverse = reverse_of(function)
        everything = [*values, *weights]
        gradients = _run(reverse, everything)
        names = [p.name for p in function.params]
        for i, got in zip(wrt_of(function), gradients, strict=True):
            x = values[i]
            if _dtype(got) != _dtype(x) or np.shape(got) != np.shape(x):
                self.fail(f"the gradient of {_shown(x)} is {_shown(got)}")
            if np.any(got):
                moved.add(names[i].partition("_")[0])
        if emission:
            emitted = build(reverse, "check_op").call(*[_copy(v) for v in everything])
            for got, expected in zip(emitted, gradients, strict=True):
                self.compare(got, expected, "emitted code of reverse mode")

    def single(self, values: list[Any]) -> None:
        """float32 stays float32, in every step of the backward."""
        function, low = function_of(self.kind, _mapped_single(self.sample))
        results = _run(function, low)
        for op in expand(reverse_of(function)).block.walk():
            for r in op.results:
                if isinstance(r.type, ArrayType) and r.type.dtype in (
                    np.float64,
                    np.complex128,
                ):
                    self.fail(f"float32 in, but {op.name} in the backward gives {r.type}")
        high = _run(function_of(self.kind, self.sample)[0], values)
        for got, expected in zip(results, high, strict=True):
            if not np.allclose(got, expected, rtol=1e-3, atol=1e-3, equal_nan=True):
                self.fail(f"float32 gives {got!r}, float64 {expected!r}")

    # -- tools --------------------------------------------------------------------------
    def like(self, x: Any) -> Any:
        """A random value of the type of ``x``."""
        made = self.rng.uniform(0.5, 1.5, np.shape(x)) * self.rng.choice(
            [-1, 1], np.shape(x)
        )
        if _dtype(x).kind == "c":
            made = made + 1j * self.rng.uniform(-1, 1, np.shape(x))
        if isinstance(x, float | complex) and not isinstance(x, np.generic):
            return type(x)(made)
        made = np.asarray(made, _dtype(x))
        return made if isinstance(x, np.ndarray) else made[()]

    def compare(self, got: Any, expected: Any, what: str) -> None:
        """Equal up to what differences can tell."""
        if np.shape(got) != np.shape(expected):
            self.fail(f"{what}: shape {np.shape(got)} instead of {np.shape(expected)}")
        if not np.allclose(
            got, expected, rtol=TOLERANCE * 5, atol=TOLERANCE, equal_nan=True
        ):
            self.fail(f"{what}: expected {expected!r}, got {got!r}")

    def fail(self, message: str) -> None:
        """Raise, naming op and inputs."""
        of = f" ({self.label})" if self.label else ""
        lines = [f"op {self.kind.name!r}{of}: {message}"]
        lines += [f"  input {x!r}" for x in self.sample.inputs]
        lines += [f"  {k}={v!r}" for k, v in self.sample.attrs.items()]
        raise GradcheckError("\n".join(lines))


# -------------------------------------------------------------------- functions of IR
def function_of(kind: OpDef, given: Sample) -> tuple[Function, list[Any]]:
    """The op alone as a function with symbolic lengths, and the values of its parameters."""
    builder = Builder(TABLE)
    inputs, values = [], []
    for position, x in enumerate(given.inputs):
        if isinstance(x, bool | int) and not isinstance(x, np.generic):
            inputs.append(builder.const(x))
            continue
        name = f"{kind.input_name(position)}_{position}"
        inputs.append(builder.param(symbolic_type(x, name), name, entry=True))
        values.append(x)
    params = [v for v in inputs if v.op is None]
    results = builder.append(kind, inputs, given.attrs).results
    block = builder.block(params, results)
    arguments = tuple(Argument(p.name, p) for p in params)
    returns = Node("tuple", tuple(range(len(results))))
    not_one = tuple(builder.dims.not_one)
    return Function(kind.name, block, arguments, returns, not_one=not_one), values


def symbolic_type(x: Any, name: str) -> Type:
    """The type of a value, every length other than 1 a symbol."""
    t = type_of_constant(x)
    if not isinstance(t, ArrayType):
        return t
    shape = [
        1 if n == 1 else symbol(f"{name}_{axis}", not_one=True)
        for axis, n in enumerate(t.shape)
    ]
    return ArrayType(t.dtype, tuple(shape))


def _lengths(function: Function, values: Sequence[Any]) -> dict[Sym, Dimension]:
    found: dict[Sym, Dimension] = {}
    for p, v in zip(function.params, values, strict=True):
        for d, n in zip(getattr(p.type, "shape", ()), np.shape(v), strict=True):
            single = as_symbol(d)
            if single is not None:
                found[single] = n
    return found


def _fits(got: Any, t: Type, lengths: dict[Sym, Dimension]) -> bool:
    if isinstance(t, ScalarType):
        return np.ndim(got) == 0 and np.asarray(got).dtype.kind in {
            "bool": "b", "int": "iu", "float": "fiub", "complex": "c",
        }[t.kind]  # fmt: skip
    if not isinstance(t, ArrayType):
        return True
    if _dtype(got) != t.dtype or np.ndim(got) != t.ndim:
        return False
    expected = [substitute(d, lengths) for d in t.shape]
    return all(
        not isinstance(d, int) or d == n
        for d, n in zip(expected, np.shape(got), strict=True)
    )


def differences(
    function: Function, values: Sequence[Any], tangents: Sequence[Any]
) -> list[Any]:
    """Central differences of the inexact results along the tangents."""
    ends = []
    for step in (-EPS, EPS):
        there = list(values)
        for i, t in zip(wrt_of(function), tangents, strict=True):
            there[i] = values[i] + step * t
        ends.append(inexact_results(function, there))
    return [(after - before) / (2 * EPS) for before, after in zip(*ends, strict=True)]


def _run(function: Function, values: Sequence[Any]) -> list[Any]:
    return list(evaluate(expand(function), values))


def _dtype(x: Any) -> np.dtype[Any]:
    return np.asarray(x).dtype


def inexact_results(function: Function, values: Sequence[Any]) -> list[Any]:
    """The results that have a derivative; Python's ``max(0.5, 1)`` is a float here."""
    found = zip(_run(function, values), function.block.results, strict=True)
    return [float(x) if isinstance(x, int) else x for x, r in found if is_inexact(r.type)]


def _all_double(values: Sequence[Any]) -> bool:
    return all(_dtype(v) in (np.float64, np.bool_) for v in values)


def _mapped_single(given: Sample) -> Sample:
    def lower(x: Any) -> Any:
        wide = isinstance(x, np.ndarray | np.generic) and x.dtype == np.float64
        return np.asarray(x, np.float32)[()] if wide else x

    return replace(given, inputs=tuple(map(lower, given.inputs)))


def _dot(a: Any, b: Any) -> float:
    return float(np.real(np.sum(np.conjugate(a) * b)))


def _copy(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def _shown(x: Any) -> str:
    if isinstance(x, np.ndarray | np.generic):
        return f"{x.dtype}{list(x.shape)}"
    return type(x).__name__
