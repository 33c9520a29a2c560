"""What ``gradcheck`` checks besides Jacobians: cotangents of None, dtypes, batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import GradcheckError
from ..runtime.batching import vmap
from ..runtime.directional import jvp, vjp
from ._jacobians import JacobianCheck, copied, is_float, like, outputs_of, projection


def undefined(check: JacobianCheck) -> None:
    """A cotangent of None has to be as good as one of zeros."""
    outs, pull = check.pullback()
    full = [like(y, projection(np.shape(y), 3)) for y in outs]
    for k, y in enumerate(outs):
        given, zero = list(full), list(full)
        given[k], zero[k] = None, like(y, np.zeros(np.shape(y)))
        for i, a, b in zip(check.varied, pull(given), pull(zero), strict=True):
            if not np.array_equal(a, b, equal_nan=True):
                raise GradcheckError(
                    f"gradcheck: with None as the cotangent of result {k} the gradient of "
                    f"input {i} is {a!s}, with zeros it is {b!s}"
                )


def dtypes(check: JacobianCheck) -> None:
    """Gradients have to have the dtypes of their inputs."""
    outs, pull = check.pullback()
    ones = [like(y, np.ones(np.shape(y))) for y in outs]
    for i, g in zip(check.varied, pull(ones), strict=True):
        due = np.asarray(check.inputs[i]).dtype
        if np.asarray(g).dtype != due:
            raise GradcheckError(
                f"gradcheck: the gradient of input {i} is {np.asarray(g).dtype}, the input "
                f"{due}"
            )


def batched(check: JacobianCheck) -> None:
    """The gradients of a batch of cotangents have to be those of its entries."""
    outs, pull = check.pullback()
    several = isinstance(check.fun(*map(copied, check.inputs)), tuple)
    rows = [np.stack([projection(np.shape(y), s) for s in (4, 5)]) for y in outs]

    def gradients(*cotangents: Any) -> Any:
        _, back = vjp(check.fun, *check.inputs)
        return back(cotangents if several else cotangents[0])

    together = vmap(gradients)(*rows)
    for n in range(2):
        alone = pull([like(y, r[n]) for y, r in zip(outs, rows, strict=True)])
        for i, g in zip(check.varied, alone, strict=True):
            got = np.asarray(together[i][n])
            if not np.allclose(got, g, check.rtol, check.atol):
                raise GradcheckError(
                    f"gradcheck: the gradient of input {i} under vmap is {got}, alone {g}"
                )


def batched_forward(check: JacobianCheck) -> None:
    """The tangents of a batch have to be those of its entries."""
    for i in check.varied:
        x = check.inputs[i]
        rows = np.stack([like(x, projection(np.shape(x), s)) for s in (4, 5)])
        moved = outputs_of(vmap(_along(check.fun, check.inputs, i))(rows))
        together = [y for y in moved if is_float(y)]
        alone = [check.push(i, like(x, row)) for row in rows]
        for k, (got, *due) in enumerate(zip(together, *alone, strict=True)):
            if not np.allclose(got, np.stack(due), check.rtol, check.atol):
                raise GradcheckError(
                    f"gradcheck: the tangents of result {k} by input {i} under vmap are "
                    f"{got}, alone {np.stack(due)}"
                )


def _along(fun: Callable[..., Any], inputs: Sequence[Any], i: int) -> Callable[[Any], Any]:
    """The tangents of the results, as a function of that of one input."""
    before, x, after = tuple(inputs[:i]), inputs[i], tuple(inputs[i + 1 :])

    def tangents(t: Any) -> Any:
        return jvp(lambda x: fun(*before, x, *after), (x,), (t,))[1]

    return tangents


__all__ = ["batched", "batched_forward", "dtypes", "undefined"]
