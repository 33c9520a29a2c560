"""What the gradients of kernels keep and copy, read from their text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg

from . import solvers, stencils

KERNELS = {kernel.fun: kernel for room in (solvers, stencils) for kernel in room.KERNELS}


def gradient_text(kernel: Callable[..., Any]) -> str:
    """The gradient of a sum of squares of what a kernel leaves in its arguments."""
    args = KERNELS[kernel].args()
    real = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]

    def loss(*given: Any) -> Any:
        result = kernel(*given)
        total = np.sum(given[real[0]] ** 2)
        for i in real[1:]:
            total += np.sum(given[i] ** 2)
        return total if result is None else total + np.sum(result[0] ** 2)

    return sg.grad(loss, argnums=tuple(real)).lower(*args).source


@pytest.mark.parametrize(
    "kernel", [stencils.jacobi_1d, stencils.jacobi_2d, stencils.heat_3d, stencils.fdtd_2d]
)
def test_linear_time_loops_save_nothing(kernel: Callable[..., Any]) -> None:
    source = gradient_text(kernel)
    assert "= []" not in source and "np.empty" not in source


def test_a_linear_recurrence_in_place_saves_nothing() -> None:
    source = gradient_text(stencils.seidel_2d)
    assert "= []" not in source and "np.empty" not in source


@pytest.mark.parametrize(
    "kernel", [solvers.lu, solvers.ludcmp, solvers.cholesky, stencils.seidel_2d]
)
def test_inner_loops_touch_no_whole_array(kernel: Callable[..., Any]) -> None:
    lines = gradient_text(kernel).splitlines()
    inner = [line for line in lines if line.startswith(" " * 8)]
    whole = ("= A.copy()", "= g_A.copy()", "np.zeros(", "zeros_like(A")
    assert len(inner) > 5
    assert not [line for line in inner if any(text in line for text in whole)]
