"""Every kernel: what it does to its arguments, what it returns, and its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

from . import dense, flow, graphs, networks, solvers, statistics, stencils, weather
from .kernel import Kernel

ROOMS = (dense, stencils, solvers, statistics, weather, networks, flow, graphs)
KERNELS = [kernel for room in ROOMS for kernel in room.KERNELS]


def same(got: Any, expected: Any) -> None:
    """The same types, and the same numbers to the last bit."""
    assert type(got) is type(expected)
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
        return
    if isinstance(expected, np.ndarray | np.generic):
        assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected, strict=True)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fun.__name__)
def test_does_what_the_original_does(kernel: Kernel) -> None:
    args, own = kernel.args(), kernel.args()
    expected = kernel.fun(*args)
    got = sg.compile(kernel.fun)(*own)
    same(got, expected)
    same(own, args)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fun.__name__)
def test_derivatives_in_both_modes(kernel: Kernel) -> None:
    args = kernel.args()
    check_grads(kernel.fun, args, kernel.order)
    same(args, kernel.args())
