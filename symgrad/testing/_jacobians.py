"""Jacobians against central differences, for ``gradcheck``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GradcheckError, InputTypeError, SymgradError, SymgradWarning
from ..runtime.directional import jvp, vjp

Array = np.ndarray[Any, Any]


@dataclass(slots=True)
class JacobianCheck:
    """One function at one point; each method raises where it finds a difference."""

    fun: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    speed: str

    def validate(self) -> None:
        """Refuse what cannot be checked, warn of what will hardly agree."""
        if not any(map(is_float, self.inputs)):
            raise ValueError(
                "gradcheck: none of the inputs is a float or an array of floats"
            )
        for i, x in enumerate(self.inputs):
            if np.asarray(x).dtype.kind == "c":
                raise InputTypeError(
                    f"gradcheck: input {i} is complex; pass its real and imaginary part"
                )
            if not is_float(x):
                continue
            if np.asarray(x).dtype != np.float64:
                warnings.warn(
                    f"gradcheck: input {i} is {np.asarray(x).dtype}; differences are too coarse "
                    "in less than double precision",
                    SymgradWarning,
                    stacklevel=3,
                )
            if isinstance(x, np.ndarray) and x.size > 1 and 0 in x.strides:
                raise SymgradError(
                    f"gradcheck: input {i} has entries that share memory; pass a copy"
                )

    @property
    def varied(self) -> list[int]:
        return [i for i, x in enumerate(self.inputs) if is_float(x)]

    def results(self, inputs: Sequence[Any]) -> list[Any]:
        """The results that carry a derivative."""
        found = outputs_of(self.fun(*map(copied, inputs)))
        return [y for y in found if is_float(y)]

    def moved(self, i: int, direction: Array) -> tuple[list[Any], list[Any]]:
        """The results half a step to either side."""
        sides = []
        for step in (-self.eps, self.eps):
            at = list(self.inputs)
            at[i] = like(at[i], np.asarray(at[i], float) + step * direction)
            sides.append(self.results(at))
        return sides[0], sides[1]

    # -- reverse mode -------------------------------------------------------------------
    def pullback(self) -> tuple[list[Any], Callable[[list[Any]], list[Any]]]:
        """The results, and a function from cotangents to the gradients of varied inputs."""
        out, back = vjp(self.fun, *self.inputs)
        listed = outputs_of(out)
        places = [k for k, y in enumerate(listed) if is_float(y)]

        def pull(cotangents: list[Any]) -> list[Any]:
            full: list[Any] = [None] * len(listed)
            for k, g in zip(places, cotangents, strict=True):
                full[k] = g
            found = back(tuple(full) if isinstance(out, tuple) else full[0])
            return [found[i] for i in self.varied]

        if not places:
            raise ValueError("gradcheck: no result is a float or an array of floats")
        return [listed[k] for k in places], pull

    def backward(self, nondet_tol: float) -> None:
        outs, pull = self.pullback()
        for k, y in enumerate(outs):
            columns = [np.zeros((np.size(y), np.size(self.inputs[i]))) for i in self.varied]
            for row, g in self.cotangents(y):
                given = [like(o, np.zeros(np.shape(o))) for o in outs]
                given[k] = g
                for again, found in enumerate((pull(given), pull(given))):
                    self.note(columns, row, found, again, k, nondet_tol)
            for i, jacobian in zip(self.varied, columns, strict=True):
                self.compare(jacobian, k, i, "backward")

    def cotangents(self, y: Any) -> list[tuple[int, Any]]:
        """Rows and the cotangents that give them."""
        if self.speed == "fast":
            return [(0, like(y, projection(np.shape(y), 1)))]
        basis = np.eye(np.size(y)).reshape(np.size(y), *np.shape(y))
        return [(row, like(y, g)) for row, g in enumerate(basis)]

    def note(
        self,
        columns: list[Array],
        row: int,
        found: list[Any],
        again: int,
        k: int,
        tol: float,
    ) -> None:
        for n, (i, g) in enumerate(zip(self.varied, found, strict=True)):
            flat = np.asarray(g, float).reshape(-1)
            if not again:
                columns[n][row] = flat
            elif np.any(np.abs(columns[n][row] - flat) > tol):
                raise GradcheckError(
                    f"gradcheck: two runs of the backward give different gradients of result "
                    f"{k} by input {i}: {columns[n][row]} and {flat} (nondet_tol={tol})"
                )

    # -- forward mode -------------------------------------------------------------------
    def forward(self) -> None:
        outs = self.results(self.inputs)
        for i in self.varied:
            size = np.size(self.inputs[i])
            found = [np.zeros((np.size(y), size)) for y in outs]
            for column, t in self.tangents(i):
                for jacobian, moved in zip(found, self.push(i, t), strict=True):
                    jacobian[:, column] = np.asarray(moved, float).reshape(-1)
            for k, jacobian in enumerate(found):
                self.compare(jacobian, k, i, "forward")

    def tangents(self, i: int) -> list[tuple[int, Array]]:
        shape = np.shape(self.inputs[i])
        if self.speed == "fast":
            return [(0, projection(shape, 2))]
        size = np.size(self.inputs[i])
        return list(enumerate(np.eye(size).reshape(size, *shape)))

    def push(self, i: int, t: Array) -> list[Any]:
        """Tangents of the results where input ``i`` moves along ``t``."""
        varied = self.varied

        def fun(*xs: Any) -> Any:
            full = list(self.inputs)
            for n, x in zip(varied, xs, strict=True):
                full[n] = x
            return self.fun(*full)

        primals = tuple(self.inputs[n] for n in varied)
        zeros = [like(x, np.zeros(np.shape(x))) for x in primals]
        zeros[varied.index(i)] = like(self.inputs[i], t)
        out, moved = _pushed(fun, self.fun, primals, tuple(zeros), len(self.inputs))
        pairs = zip(outputs_of(out), outputs_of(moved), strict=True)
        return [t for y, t in pairs if is_float(y)]

    # -- comparing ------------------------------------------------------------------------
    def compare(self, found: Array, k: int, i: int, mode: str) -> None:
        """Raise where a Jacobian, or a product with it, is not what differences say."""
        if self.speed == "fast":
            u = projection((found.shape[0],), 1)
            v = projection(np.shape(self.inputs[i]), 2)
            before, after = self.moved(i, v)
            slope = (np.asarray(after[k], float) - before[k]).reshape(-1) / (2 * self.eps)
            wanted = np.atleast_2d(np.dot(u.reshape(-1), slope))
            got = found[0] @ v.reshape(-1) if mode == "backward" else u @ found[:, 0]
            self.judge(np.atleast_2d(got), wanted, k, i, f"{mode}, fast mode")
            return
        wanted = np.zeros_like(found)
        shape, size = np.shape(self.inputs[i]), np.size(self.inputs[i])
        for column, direction in enumerate(np.eye(size).reshape(size, *shape)):
            before, after = self.moved(i, direction)
            slope = (np.asarray(after[k], float) - before[k]) / (2 * self.eps)
            wanted[:, column] = slope.reshape(-1)
        self.judge(found, wanted, k, i, mode)

    def judge(self, found: Array, wanted: Array, k: int, i: int, mode: str) -> None:
        allowed = self.atol + self.rtol * np.abs(wanted)
        same = (found == wanted) | (np.abs(found - wanted) <= allowed)
        if np.all(same):
            return
        excess = np.where(same, -1.0, np.nan_to_num(np.abs(found - wanted), nan=np.inf))
        row, column = np.unravel_index(int(np.argmax(excess)), found.shape)
        raise GradcheckError(
            f"gradcheck: the derivative of result {k} by input {i} ({mode} mode) is not what "
            f"differences say\n"
            f"  worst at entry {int(row)} of the result, {int(column)} of the input: expected "
            f"{wanted[row, column]!s}, got {found[row, column]!s}\n"
            f"  tolerance: atol={self.atol}, rtol={self.rtol}, eps={self.eps}\n"
            f"  expected:\n{_indented(wanted)}\n  got:\n{_indented(found)}\n"
            f"  at input {i}:\n{_indented(self.inputs[i])}"
        )


def _pushed(
    fun: Callable[..., Any],
    whole: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    count: int,
) -> tuple[Any, Any]:
    """``jvp``, of the function itself where all of its arguments move."""
    found: tuple[Any, Any] = jvp(whole if len(primals) == count else fun, primals, tangents)
    return found


def outputs_of(out: Any) -> list[Any]:
    """The results: the entries of a tuple, or the one."""
    return list(out) if isinstance(out, tuple) else [out]


def is_float(x: Any) -> bool:
    """Whether ``x`` is a float or an array of floats."""
    if isinstance(x, np.ndarray | np.generic):
        return bool(x.dtype.kind == "f")
    return type(x) is float


def copied(x: Any) -> Any:
    """``x`` in memory of its own."""
    return x.copy() if isinstance(x, np.ndarray) else x


def like(model: Any, x: Any) -> Any:
    """``x`` as an array or number of the kind of ``model``."""
    if type(model) is float:
        return float(x)
    made = np.asarray(x, np.asarray(model).dtype)
    return made if isinstance(model, np.ndarray) else made[()]


def projection(shape: tuple[int, ...], seed: int) -> Array:
    """A random direction of length 1."""
    made = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(made / np.maximum(np.sqrt(np.sum(made**2)), 1e-30))


def _indented(x: Any) -> str:
    text = np.array2string(np.asarray(x), threshold=24, edgeitems=2, max_line_width=76)
    return "\n".join(f"    {line}" for line in text.splitlines())


__all__ = ["JacobianCheck", "copied", "is_float", "like", "outputs_of"]
