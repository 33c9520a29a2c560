"""What every program has to satisfy, whatever it computes."""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import symgrad as sg
from symgrad.errors import InternalError, SymgradError

FLOATS = (0, 1, 2, 3)
"""Positions of what is differentiated: x, y, m, s."""

ALIKE = (UnboundLocalError, IndexError, ZeroDivisionError, AssertionError, ValueError)
"""Errors that a program raises by what it does, not by how it is run."""


class Refused(Exception):
    """A clean error of the compiler, with file and line."""


class Unfit(Exception):
    """The program itself raises, or is too rough for finite differences."""


class Raises(Unfit):
    """The program itself raises an error that the compiled one has to raise, too."""

    def __init__(self, error: Exception) -> None:
        super().__init__(repr(error))
        self.error = error


def arguments(n: int = 5, k: int = 3, seed: int = 0) -> tuple[Any, ...]:
    """Values for ``f(x, y, m, s, q)``."""
    rng = np.random.default_rng(seed)
    x, y, m = (rng.uniform(0.1, 1.0, shape) for shape in (n, n, (n, k)))
    return x, y, m, 0.6173, 3


def load(text: str, path: Path, name: str) -> Any:
    """The module with this text."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def rounding(f: Any, args: tuple[Any, ...]) -> float:
    """How far values may be from the original's: not at all, but where a derivative is taken
    inside, which has code of its own there and rounds as that does."""
    if "sg." not in inspect.getsource(f):
        return 0.0
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)
    return 1e-5 if single else 1e-11


def check_value(f: Any, args: tuple[Any, ...], same_type: bool = False) -> None:
    """The compiled function gives the same bits, and leaves the same in the arguments."""
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    expected = run(f, theirs)
    compiled = sg.compile(f)
    got = attempt(compiled, ours)
    rtol = rounding(f, args)
    alike(got, expected, "value", rtol)
    alike(ours, theirs, "arguments afterwards", rtol)
    check_text(compiled.source)
    again = sg.compile(f).lower(*copy.deepcopy(args)).source
    assert compiled.source == again, "the text is not the same the second time"


def check_gradient(f: Any, args: tuple[Any, ...], argnums: tuple[int, ...] = FLOATS) -> Any:
    """Reverse mode, forward mode and finite differences agree; nothing is shared."""
    kept = copy.deepcopy(args)
    run(f, copy.deepcopy(args))
    derivative = sg.value_and_grad(f, argnums)
    value, grads = attempt(derivative, args)
    alike(args, kept, "arguments of the gradient")
    rtol = rounding(f, args)
    alike(value, f(*copy.deepcopy(args)), "value beside the gradient", rtol)
    check_text(derivative.source)
    check_sharing(grads, args)
    for grad, i in zip(grads, argnums, strict=True):
        assert np.shape(grad) == np.shape(args[i]), (np.shape(grad), np.shape(args[i]))
    direction = directions(args, argnums)
    along = sum(np.sum(g * d) for g, d in zip(grads, direction, strict=True))
    forward = tangent(f, args, argnums, direction)
    close(forward, along, 1e-9, "forward and reverse mode")
    close(along, slope(f, args, argnums, direction), 2e-5, "gradient and differences")
    return derivative


def check_second(f: Any, args: tuple[Any, ...], argnums: tuple[int, ...] = FLOATS) -> None:
    """The gradient of a gradient against differences of the gradient."""
    directed = directions(args, argnums, seed=5)
    assert argnums == FLOATS

    def along(*given: Any) -> Any:
        grads = sg.grad(f, (0, 1, 2, 3))(*given)
        total = 0.0
        for g, d in zip(grads, directed, strict=True):
            total = total + np.sum(g * d)
        return total

    first = sg.grad(f, argnums)

    def plainly(*given: Any) -> Any:
        return sum(np.sum(g * d) for g, d in zip(first(*given), directed, strict=True))

    value, second = attempt(sg.value_and_grad(along, argnums), args)
    close(value, plainly(*args), 1e-9, "gradient inside and outside")
    direction = directions(args, argnums)
    got = sum(np.sum(g * d) for g, d in zip(second, direction, strict=True))
    close(got, slope(plainly, args, argnums, direction), 2e-4, "second derivative")


def singles(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with their arrays in single precision."""
    return tuple(
        a.astype(np.float32) if isinstance(a, np.ndarray) else a
        for a in copy.deepcopy(args)
    )


def check_single(f: Any, args: tuple[Any, ...]) -> None:
    """Arrays in single precision, mixed with double: values bit for bit, both modes alike."""
    given = singles(args)
    check_value(f, given)
    try:
        check_single_modes(f, given)
    except RuntimeWarning as warning:
        grads = attempt(sg.grad(f, FLOATS), args)
        if any(np.any(np.abs(g) > 1e30) for g in grads):
            raise Unfit("derivatives beyond single precision") from warning
        raise


def check_single_modes(f: Any, given: tuple[Any, ...]) -> None:
    """Gradients in single precision are of that type and agree with forward mode."""
    value, grads = attempt(sg.value_and_grad(f, FLOATS), given)
    # Beside a gradient a number of Python's that meets a float32 is one.
    close(value, f(*copy.deepcopy(given)), 1e-5, "value beside the gradient")
    for grad, i in zip(grads, FLOATS, strict=True):
        assert np.shape(grad) == np.shape(given[i])
        assert not isinstance(grad, np.ndarray) or grad.dtype == given[i].dtype, grad.dtype
    direction = [
        np.asarray(d, np.float32) if np.ndim(d) else d for d in directions(given, FLOATS)
    ]
    along = float(sum(np.sum(g * d) for g, d in zip(grads, direction, strict=True)))
    scale = sum(np.sum(np.abs(g * d)) for g, d in zip(grads, direction, strict=True))
    forward = float(tangent(f, given, FLOATS, direction))
    assert abs(forward - along) <= 5e-3 * (1 + scale), f"modes: {forward!r}, {along!r}"


def check_error(f: Any, args: tuple[Any, ...], error: Exception) -> None:
    """What the original raises, the compiled function and its gradient raise."""
    for verb in (sg.compile(f), sg.value_and_grad(f, FLOATS)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                verb(*copy.deepcopy(args))
            except type(error):
                continue
            except SymgradError as refusal:
                raise Refused(str(refusal)) from refusal
        raise AssertionError(f"{verb} does not raise {error!r}")


# -- pieces -------------------------------------------------------------------------------
def run(f: Any, args: tuple[Any, ...]) -> Any:
    """The original's result; a program that raises is of no use here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = f(*args)
    except ALIKE as error:
        raise Raises(error) from error
    except Exception as error:
        raise Unfit(repr(error)) from error
    if not np.all(np.isfinite(result)) or np.any(np.abs(result) > 1e6):
        raise Unfit("not finite, or large")
    return result


def attempt(compiled: Any, args: tuple[Any, ...]) -> Any:
    """The compiled function's result. Anything but a clean refusal is a fault."""
    try:
        return compiled(*args)
    except InternalError:
        raise
    except SymgradError as error:
        assert error.span is not None, f"an error without a place: {error!r}"
        raise Refused(f"{type(error).__name__}: {error.message}\n{error}") from error


def alike(got: Any, expected: Any, what: str, rtol: float = 0.0) -> None:
    """The same structure, types, dtypes and bits, or with ``rtol`` nearly these."""
    if isinstance(expected, tuple | list):
        assert type(got) is type(expected) and len(got) == len(expected), what
        for g, e in zip(got, expected, strict=True):
            alike(g, e, what, rtol)
        return
    if isinstance(expected, np.ndarray | np.generic):  # a Python number may become NumPy's
        assert np.asarray(got).dtype == expected.dtype, (what, got, expected)
    if rtol:
        np.testing.assert_allclose(got, expected, rtol=rtol, err_msg=what)
    else:
        assert np.array_equal(got, expected, equal_nan=True), (what, got, expected)


def check_text(source: str) -> None:
    ast.parse(source)
    long = [line for line in source.splitlines() if len(line) > 88]
    assert not long, long


def check_sharing(grads: tuple[Any, ...], args: tuple[Any, ...]) -> None:
    arrays = [g for g in grads if isinstance(g, np.ndarray)]
    for i, g in enumerate(arrays):
        assert g.flags.writeable, "a gradient that cannot be written to"
        for other in [*arrays[:i], *(a for a in args if isinstance(a, np.ndarray))]:
            assert not np.shares_memory(g, other), "a gradient shares memory"


def directions(args: tuple[Any, ...], argnums: tuple[int, ...], seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    made = (rng.uniform(-1, 1, np.shape(args[i])) for i in argnums)
    return [d if d.ndim else float(d) for d in made]


def moved(
    args: tuple[Any, ...], argnums: tuple[int, ...], way: list[Any], by: float
) -> Any:
    given = list(copy.deepcopy(args))
    for i, d in zip(argnums, way, strict=True):
        given[i] = given[i] + by * d
    return given


def slope(f: Any, args: tuple[Any, ...], argnums: tuple[int, ...], way: list[Any]) -> float:
    """The derivative by differences; ``Unfit`` where two steps do not agree."""
    found = []
    for step in (1e-4, 0.5e-4, 1e-6):
        ahead, behind = (f(*moved(args, argnums, way, by)) for by in (step, -step))
        found.append((ahead - behind) / (2 * step))
    finer = (4 * found[1] - found[0]) / 3
    scale = 1 + abs(finer)
    if not all(abs(other - finer) < 2e-6 * scale for other in found[1:]):
        raise Unfit("rough")
    return float(finer)


def tangent(f: Any, args: tuple[Any, ...], argnums: tuple[int, ...], way: list[Any]) -> Any:
    """The derivative along a direction in forward mode."""
    tangents: list[Any] = [None] * len(args)
    for i, t in zip(argnums, way, strict=True):
        tangents[i] = t
    return attempt(sg.jvp, (f, copy.deepcopy(args), tuple(tangents)))[1]


def close(got: Any, expected: Any, tolerance: float, what: str) -> None:
    allowed = tolerance * (1 + abs(expected))
    assert abs(got - expected) <= allowed, f"{what}: {got!r}, {expected!r}"
