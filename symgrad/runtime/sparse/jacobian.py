"""Sparse Jacobians: the function that users hold."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InternalError, MissingToolError, UnsupportedFunctionError
from ...ir.values import Function
from ..compiled import CompiledFunction
from .calls import called, filled, kind_of, leaves_of, like_arguments


@dataclass(frozen=True, slots=True)
class Plan:
    """How the blocks of one leaf are had: a matrix of ones for each of the other leaves, a color
    for each column, the number of colors, a result of one pass, and the code of that."""

    matrices: list[Any]
    colors: Any
    count: int
    like: Any
    function: Function


class SparseJacobian:
    """``jacfwd``, ``jacrev`` or ``hessian`` with ``sparse=True``.

    The result has the structure of the dense one, with a ``scipy.sparse.csr_array`` of shape
    ``(y.size, x.size)`` in the place of each array. Which entries there may be is found out from
    the code of the derivative at the point asked for, and kept for arguments of the same shapes
    where it does not depend on their data.
    """

    def __init__(self, kind: str, fun: Any, options: dict[str, Any]) -> None:
        _scipy(kind)
        functools.update_wrapper(self, fun, updated=())
        self._kind = kind
        self._options = options
        self._reverse = kind == "jacrev"
        self._target = fun
        if kind == "hessian":
            self._target = CompiledFunction("grad", fun, tuple(options.items()))
        self._made: dict[tuple[int, bool], CompiledFunction] = {}
        self._plans: dict[Any, Plan] = {}
        self._value = CompiledFunction("compile", self._target, ())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        chosen, single = self._chosen(args, kwargs)
        xs = [x for tree in chosen for x in leaves_of(tree)]
        if self._reverse:
            out = self._value(*args, **kwargs)
            ys = list(leaves_of(out))
            rows = [self._blocks(k, y, args, kwargs) for k, y in enumerate(ys)]
            found = [[m.T.tocsr() for m in row] for row in rows]
        else:
            columns = [self._blocks(k, x, args, kwargs) for k, x in enumerate(xs)]
            out = self._plan(0, xs[0], args, kwargs).like
            found = [list(row) for row in zip(*columns, strict=True)]
        rows_left = iter(found)
        return filled(out, (like_arguments(chosen, single, row) for row in rows_left))

    def colors(self, *args: Any, **kwargs: Any) -> list[int]:
        """How many passes the Jacobian takes: a number for each array to differentiate by, in
        reverse mode for each array of the result."""
        if self._reverse:
            leaves = list(leaves_of(self._value(*args, **kwargs)))
        else:
            leaves = [x for tree in self._chosen(args, kwargs)[0] for x in leaves_of(tree)]
        return [self._plan(k, x, args, kwargs).count for k, x in enumerate(leaves)]

    @property
    def source(self) -> str:
        """The generated code for a batch of combined columns, or rows."""
        return self._function(0, batched=True).source

    @property
    def __symgrad_request__(self) -> Any:
        raise UnsupportedFunctionError(
            f"`{self._kind}` with sparse=True gives matrices of scipy.sparse, which compiled "
            "functions have not; leave out sparse=True, or call it from code that is not compiled"
        )

    def __repr__(self) -> str:
        name = getattr(self, "__qualname__", type(self._target).__name__)
        return f"<symgrad sparse {self._kind} of {name}>"

    # -- arguments ----------------------------------------------------------------------
    def _chosen(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], bool]:
        """The arguments to differentiate by. Those that there are not get an error later."""
        names, numbers = self._options["argnames"], self._options["argnums"]
        if names is not None:
            listed = (names,) if isinstance(names, str) else names
            bound = inspect.signature(self._target).bind(*args, **kwargs).arguments
            return tuple(bound[n] for n in listed if n in bound), isinstance(names, str)
        listed = (numbers,) if isinstance(numbers, int) else numbers
        there = [n for n in listed if -len(args) <= n < len(args)]
        return tuple(args[n] for n in there), isinstance(numbers, int)

    def _function(self, leaf: int, *, batched: bool) -> CompiledFunction:
        key = (leaf, batched)
        if key not in self._made:
            from ...frontend.sources.getsource import underlying

            options = {
                "argnums": self._options["argnums"],
                "argnames": self._options["argnames"],
                "leaf": leaf,
                "reverse": self._reverse,
                "batched": batched,
            }
            if underlying(self._target) is not None:  # else all is passed on as it comes
                options["parameters"] = ("vectors", ...)
            made = CompiledFunction("compressed", self._target, tuple(options.items()))
            self._made[key] = made
        return self._made[key]

    # -- blocks -------------------------------------------------------------------------
    def _blocks(self, k: int, x: Any, args: tuple[Any, ...], kwargs: Any) -> list[Any]:
        """The blocks of leaf ``k``, one for each leaf on the other side; columns belong to the
        entries of the leaf."""
        from scipy import sparse

        plan = self._plan(k, x, args, kwargs)
        size, dtype = np.size(x), np.asarray(x).dtype
        parts: list[Any] = [np.zeros((0, np.size(y)), dtype) for y in leaves_of(plan.like)]
        if plan.count:
            vectors = np.zeros((plan.count, size), dtype)
            vectors[plan.colors, np.arange(size)] = 1
            shaped = vectors.reshape(plan.count, *np.shape(x))
            result = self._function(k, batched=True)(shaped, *args, **kwargs)
            parts = [np.reshape(y, (plan.count, -1)) for y in leaves_of(result)]
        found = []
        for matrix, part in zip(plan.matrices, parts, strict=True):
            rows, columns = matrix.nonzero()
            data = part[plan.colors[columns], rows]
            found.append(sparse.csr_array((data, (rows, columns)), shape=matrix.shape))
        return found

    def _plan(self, k: int, x: Any, args: tuple[Any, ...], kwargs: Any) -> Plan:
        from .coloring import colored
        from .dependence import Unknown, dependence

        single = self._function(k, batched=False)
        vector = np.ones_like(x)[()] if isinstance(x, np.ndarray) else type(x)(1)
        function, values, names = called(single, (vector, *args), kwargs)
        key = (k, id(function), tuple(map(kind_of, values)))
        known = self._plans.get(key)
        if known is not None:
            return known
        like = single(vector, *args, **kwargs)
        sizes = [np.size(y) for y in leaves_of(like)]
        try:
            found = dependence(function, values, names[0])
            matrices, by_data = found.matrices, found.by_data
        except Unknown:
            matrices, by_data = [_full(n, np.size(x)) for n in sizes], True
        if [m.shape[0] for m in matrices] != sizes:
            raise InternalError("a sparse Jacobian's results are not where they should be")
        colors, count = colored(_stacked(matrices, np.size(x)))
        plan = Plan(matrices, colors, count, like, function)
        if not by_data:
            self._plans[key] = plan
        return plan


def _scipy(kind: str) -> None:
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        raise MissingToolError(
            f"`{kind}` with sparse=True needs SciPy, which is not installed: "
            "`pip install symgrad[scipy]`; without sparse=True it is not needed"
        ) from None


def _full(rows: int, columns: int) -> Any:
    from scipy import sparse

    return sparse.csr_array(np.ones((rows, columns), np.int8))


def _stacked(matrices: Sequence[Any], columns: int) -> Any:
    from scipy import sparse

    if not matrices:
        return sparse.csr_array((0, columns), dtype=np.int8)
    return sparse.csr_array(sparse.vstack(matrices, format="csr"))
