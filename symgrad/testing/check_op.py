"""Every check that an entry of the op table has to pass, from sample inputs alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import GradcheckError
from ..ir.evaluate import evaluate
from ..ir.opdef import OpDef
from ..ir.types import ArrayType, is_inexact
from ..ir.values import Function, Value
from ..ops import SURFACE, TABLE
from ..ops.static import NeedsStatic
from ..transforms.cse import frozen
from ..transforms.dce import dce
from .derived import Code, wrt_of
from .single_op import (
    Sample,
    all_double,
    call_surface,
    copy_of,
    differences,
    dot,
    dtype_of,
    fits,
    function_of,
    in_single,
    inexact_results,
    lengths_of,
    run,
    sample,
    shown,
)

TOLERANCE = 2e-6
DOUBLE = (np.float64, np.complex128)


def check_op(name: str, *samples: Sample, data: Sequence[Any] = (np.uint8,)) -> None:
    """Check the entry ``name``: type rule, value, both modes, both orders, emission,
    broadcasting, float32, empty and non-contiguous arrays, Python scalars, data.

    Args:
        data: dtypes of whole numbers that one input in turn is held as.

    Raises:
        GradcheckError: saying what failed, and for which inputs.

    Example:
        >>> testing.check_op("tanh", testing.sample(np.array([0.1, 0.5])))
    """
    kind = TABLE[name]
    if not samples:
        raise GradcheckError(f"op {name!r} has no samples")
    if not kind.doc:
        raise GradcheckError(f"op {name!r} has no doc")
    moved: set[str] = set()
    codes: dict[Any, Code] = {}
    for given in samples:
        _Check(kind, given, codes).run(moved)
        against_numpy(kind, given)
        for label, variant in variants(kind, given):
            _Check(kind, variant, codes, label).run(set(), order=1)
    for label, variant in held_as_data(samples, data):
        if _makes_floats(kind, variant):
            _Check(kind, variant, codes, label).run(set(), order=1)
    still = {x for x in kind.vjp if not hasattr(kind.vjp[x], "refuses")} - moved
    if still and not kind.has("nondiff"):
        raise GradcheckError(
            f"op {name!r}: no sample has a gradient for {', '.join(sorted(still))}"
        )


NUMPY_ARGUMENTS = {"axis", "keepdims", "dtype", "ddof", "decimals"}


def against_numpy(kind: OpDef, given: Sample) -> None:
    """NumPy's function of the op's name, called through its surface, gives what NumPy gives."""
    target: Any = getattr(np, kind.name, None)
    if target not in SURFACE or kind.variadic or not NUMPY_ARGUMENTS.issuperset(kind.attrs):
        return
    args, named = _arguments(target, kind, given)
    if given.attrs and not _takes(target, args, named):
        return  # an argument that is not named so
    with np.errstate(all="ignore"):
        expected = target(*args, **named)
        try:
            got = call_surface(target, *args, **named)
        except NeedsStatic:
            return  # a length, which is not known here
    same = dtype_of(got) == dtype_of(expected) and np.array_equal(
        got, expected, equal_nan=dtype_of(got).kind in "fc"
    )
    if not same:
        raise GradcheckError(
            f"np.{kind.name}{given.inputs}: {got!r} instead of {expected!r}"
        )


def _arguments(target: Any, kind: OpDef, given: Sample) -> tuple[list[Any], dict[str, Any]]:
    """The call of NumPy's function; inputs that it has a name for go by that name."""
    try:
        names = list(inspect.signature(target).parameters)
    except ValueError:
        names = []
    args, named = [], dict(given.attrs)
    for position, value in enumerate(given.inputs):
        word = kind.input_name(position)
        if word in names and names.index(word) != position:
            named[word] = value
        else:
            args.append(value)
    return args, named


def _takes(target: Any, args: list[Any], named: dict[str, Any]) -> bool:
    try:
        inspect.signature(target).bind(*args, **named)
    except TypeError:
        return False
    return True


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


def held_as_data(
    samples: Sequence[Sample], dtypes: Sequence[Any]
) -> Iterator[tuple[str, Sample]]:
    """Variants of the first sample of several floats: one of them is whole numbers, which are
    not differentiated."""
    several = [s for s in samples if sum(map(_floats, s.inputs)) > 1]
    for given in several[:1]:
        for i, x in enumerate(given.inputs):
            for dtype in dtypes if _floats(x) and x.dtype.kind == "f" else ():
                whole = (1 + np.floor(7 * np.abs(np.nan_to_num(x)))).astype(dtype)
                yield f"input {i} as {np.dtype(dtype)}", _with(given, i, whole)


def _makes_floats(kind: OpDef, given: Sample) -> bool:
    """Whether NumPy takes these inputs, and makes finite floats of them."""
    try:
        function, values = function_of(kind, given)
        with np.errstate(all="ignore"):
            results = run(function, values)
    except (ValueError, TypeError):
        return False
    floats = (x for x in results if dtype_of(x) == np.float64)
    return any(_is_double(r) for r in function.block.results) and all(
        np.isfinite(x).all() for x in floats
    )


def _shape_of(given: Sample, function: Function) -> Any:
    """What the function of a sample follows from."""
    inputs = [x if isinstance(x, bool | int) else None for x in given.inputs]
    return frozen([inputs, dict(given.attrs), [p.type for p in function.params]])


def _floats(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.ndim > 0 and x.dtype.kind in "fc"


def _is_real_number(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "biuf"


def _first(x: Any) -> Any:
    return np.asarray(x).flat[0].item()


def _is_double(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype in DOUBLE


def _is_count(value: Value, counted: set[Value]) -> bool:
    if value in counted or not isinstance(value.type, ArrayType):
        return True
    return not is_inexact(value.type)


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
    """One op with one set of inputs. ``codes`` are those of the op so far, by what they
    follow from: inputs of other values, or that lie elsewhere in memory, have the same."""

    kind: OpDef
    sample: Sample
    codes: dict[Any, Code]
    label: str = ""
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def run(self, moved: set[str], order: int = 2) -> None:
        """All checks; names of inputs with a gradient that is not zero go to ``moved``."""
        function, values = function_of(self.kind, self.sample)
        code = self.codes.setdefault(_shape_of(self.sample, function), Code(function))
        with np.errstate(all="ignore"):
            self.value(code.function, values)
            if not wrt_of(function) or not any(
                is_inexact(r.type) for r in function.block.results
            ):
                return
            self.derivatives(code, values, order, "")
            self.gradient(code, values, moved, emission=order > 1)
            if order > 1 and all_double(values) and "dtype" not in self.sample.attrs:
                self.single(values)

    def value(self, function: Function, values: list[Any]) -> None:
        """The results are of the types that the type rule says; inputs are left alone."""
        before = [np.array(v) for v in values]
        results = evaluate(function, values)
        lengths = lengths_of(function, values)
        for got, expected in zip(results, function.block.results, strict=True):
            if not fits(got, expected.type, lengths):
                self.fail(f"type rule says {expected.type}, got {shown(got)}")
        for now, then in zip(values, before, strict=True):
            if not np.array_equal(now, then, equal_nan=then.dtype.kind in "fc"):
                self.fail("an input has been changed")
        self.memory(function, values, results)

    def memory(
        self, function: Function, values: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Only what the traits call a view shares memory with the input it is a view of."""
        traits = ("view", "maybe_view", "store")
        [op] = [op for op in function.block.ops if op.kind is self.kind]
        said = op.inputs[:1] if any(self.kind.has(t) for t in traits) else ()
        for param, value in zip(function.params, values, strict=True):
            if param in said:
                continue
            for got in results:
                arrays = isinstance(got, np.ndarray) and isinstance(value, np.ndarray)
                if arrays and np.shares_memory(got, value):
                    self.fail(
                        "the result shares memory with an input, and no trait says so"
                    )

    def derivatives(self, code: Code, values: list[Any], order: int, done: str) -> None:
        """Forward mode against differences, reverse mode against forward, then again."""
        tangents = [self.like(values[i]) for i in wrt_of(code.plain)]
        weights = [self.like(r) for r in inexact_results(code.plain, values)]
        moved = evaluate(code.forward.plain, [*values, *tangents])
        slopes = differences(code.plain, values, tangents)
        for got, expected in zip(moved, slopes, strict=True):
            self.compare(got, expected, f"{done}forward mode")
        gradients = evaluate(code.reverse.plain, [*values, *weights])
        total = sum(dot(w, t) for w, t in zip(weights, moved, strict=True))
        again = sum(dot(g, t) for g, t in zip(gradients, tangents, strict=True))
        self.compare(again, total, f"{done}reverse mode")
        if order > 1:
            self.derivatives(code.forward, [*values, *tangents], 1, "forward, then ")
            self.derivatives(code.reverse, [*values, *weights], 1, "reverse, then ")

    def gradient(
        self, code: Code, values: list[Any], moved: set[str], *, emission: bool
    ) -> None:
        """Gradients have their inputs' types; the emitted code computes the same."""
        weights = [self.like(r) for r in inexact_results(code.plain, values)]
        everything = [*values, *weights]
        gradients = evaluate(code.reverse.plain, everything)
        names = [p.name for p in code.function.params]
        for i, got in zip(wrt_of(code.function), gradients, strict=True):
            x = values[i]
            if dtype_of(got) != dtype_of(x) or np.shape(got) != np.shape(x):
                self.fail(f"the gradient of {shown(x)} is {shown(got)}")
            if np.any(got):
                moved.add(names[i].partition("_")[0])
        if emission:
            emitted = code.reverse.emitted(*[copy_of(v) for v in everything])
            for got, expected in zip(emitted, gradients, strict=True):
                self.compare(got, expected, "emitted code of reverse mode")

    def single(self, values: list[Any]) -> None:
        """float32 stays float32, in every step of the backward."""
        function, low = function_of(self.kind, in_single(self.sample))
        results = run(function, low)
        if any(_is_double(r) for r in function.block.results):
            return  # NumPy itself computes it in double precision
        counted: set[Value] = set()
        for op in dce(Code(function).reverse.plain).block.walk():
            if all(_is_count(v, counted) for v in op.inputs):
                counted.update(op.results)  # made of integers and Python's numbers alone
                continue
            for r in op.results:
                if _is_double(r):
                    self.fail(f"float32 in, but {op.name} in the backward gives {r.type}")
        high = run(function_of(self.kind, self.sample)[0], values)
        for got, expected in zip(results, high, strict=True):
            if not np.allclose(got, expected, rtol=1e-3, atol=1e-3, equal_nan=True):
                self.fail(f"float32 gives {got!r}, float64 {expected!r}")

    # -- tools --------------------------------------------------------------------------
    def like(self, x: Any) -> Any:
        """A random value of the type of ``x``."""
        made = self.rng.uniform(0.5, 1.5, np.shape(x)) * self.rng.choice(
            [-1, 1], np.shape(x)
        )
        if dtype_of(x).kind == "c":
            made = made + 1j * self.rng.uniform(-1, 1, np.shape(x))
        if isinstance(x, float | complex) and not isinstance(x, np.generic):
            return type(x)(made)
        made = np.asarray(made, dtype_of(x))
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


__all__ = ["Sample", "check_op", "sample"]
