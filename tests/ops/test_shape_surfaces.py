"""NumPy's functions on shapes, indices, products and matrices: what they give, and gradients."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import symgrad as sg
from symgrad.ir.builder import Builder
from symgrad.ir.expr import Expr
from symgrad.ops import ATTRIBUTES, METHODS, SURFACE, kernels

from .building import gradient, surface, value

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
Q = np.array([[3.1, 0.4, -0.7], [0.2, 2.5, 0.6], [-0.5, 0.3, 4.2]])
C = np.arange(24.0).reshape(2, 3, 4) % 7 - 2.6
V = np.array([0.4, -1.3, 2.2])


class Traced:
    """``np`` for expressions."""

    def __init__(self, b: Builder, module: Any = np) -> None:
        self.b = b
        self.module = module

    def __getattr__(self, name: str) -> Any:
        target = getattr(self.module, name)
        if target in SURFACE:
            return lambda *args, **options: SURFACE[target](self.b, *args, **options)
        return Traced(self.b, target) if isinstance(target, ModuleType) else target


FUNCTIONS: list[tuple[Callable[..., Any], Any]] = [
    (lambda np, x: np.reshape(x, (3, -1)), A),
    (lambda np, x: np.reshape(x, (3, 2), order="F"), A),
    (lambda np, x: np.ravel(x), A),
    (lambda np, x: np.moveaxis(x, (0, 1), (-1, 0)), C),
    (lambda np, x: np.rollaxis(x, 2, 1), C),
    (lambda np, x: np.swapaxes(x, 0, -1), C),
    (lambda np, x: np.squeeze(np.expand_dims(x, (0, 2)), 0), A),
    (lambda np, x: np.broadcast_arrays(x, np.expand_dims(x, 1)), V),
    (lambda np, x: np.atleast_2d(x), V),
    (lambda np, x: np.atleast_3d(x), A),
    (lambda np, x: np.vstack([x, np.zeros(3)]), A),
    (lambda np, x: np.hstack([x, np.ones_like(x)]), A),
    (lambda np, x: np.dstack([x, x]), A),
    (lambda np, x: np.column_stack([x, np.arange(3)]), V),
    (lambda np, x: np.concatenate([x, x], axis=None), A),
    (lambda np, x: np.stack([x, x * 2], axis=-1), A),
    (lambda np, x: np.append(x, x * 3), A),
    (lambda np, x: np.split(x, 2), A),
    (lambda np, x: np.split(x, [1, 2], axis=1), A),
    (lambda np, x: np.hsplit(x, 3), C),
    (lambda np, x: np.vsplit(x, [1]), A),
    (lambda np, x: np.tile(x, (2, 1, 2)), A),
    (lambda np, x: np.repeat(x, [1, 0, 2], axis=1), A),
    (lambda np, x: np.repeat(x, 2), A),
    (lambda np, x: np.flip(x), C),
    (lambda np, x: np.fliplr(np.flipud(x)), A),
    (lambda np, x: np.rot90(x, 1, (1, 0)), A),
    (lambda np, x: np.rot90(x, 3), A),
    (lambda np, x: np.roll(x, (1, -1), (0, 1)), A),
    (lambda np, x: np.roll(x, 2), A),
    (lambda np, x: np.pad(x, ((1, 0), (0, 2)), constant_values=1.5), A),
    (lambda np, x: np.pad(x, 1, "edge"), A),
    (lambda np, x: np.pad(x, (2, 1), "reflect"), V),
    (lambda np, x: np.pad(x, (2, 1), "symmetric"), V),
    (lambda np, x: np.pad(x, {0: (1, 2)}, "wrap"), A),
    (lambda np, x: np.take(x, [[0, 2], [1, 1]], axis=1), A),
    (lambda np, x: np.take(x, 4), A),
    (lambda np, x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1), A),
    (lambda np, x: np.sort(x, axis=None), A),
    (lambda np, x: np.unique(x), A),
    (lambda np, x: np.compress([True, False, True], x, axis=1), A),
    (lambda np, x: np.extract(x > 0, x), A),
    (lambda np, x: np.bincount([0, 2, 2], x, minlength=4), V),
    (lambda np, x: np.diag(np.diag(x, 1), -1), Q),
    (lambda np, x: np.diagflat(x), A),
    (lambda np, x: np.trace(x, 1, 0, 2), C),
    (lambda np, x: np.tril(np.triu(x, -1)), Q),
    (lambda np, x: np.meshgrid(x, x * 2), V),
    (lambda np, x: np.meshgrid(x, x, indexing="ij", sparse=True), V),
    (lambda np, x: np.dot(x, 2.0), A),
    (lambda np, x: np.dot(x, np.transpose(x, (0, 2, 1))), C),
    (lambda np, x: np.inner(x, x), A),
    (lambda np, x: np.outer(x, np.arange(2.0)), V),
    (lambda np, x: np.vdot(x, x), A),
    (lambda np, x: np.tensordot(x, x, ((2, 0), (2, 0))), C),
    (lambda np, x: np.einsum("ij,kj", x, x), A),
    (lambda np, x: np.einsum(x, [0, 1], x, [0, 2], [2, 1]), A),
    (lambda np, x: np.einsum("...ij,...kj->...ik", x, x), C),
    (lambda np, x: np.einsum("ijij->", np.reshape(x, (2, 3, 2, 3))), np.outer(A, A)),
    (lambda np, x: np.linalg.matrix_power(x, -3), Q),
    (lambda np, x: np.linalg.multi_dot([x, x, np.take(x, 1, 0)]), Q),
    (lambda np, x: np.linalg.slogdet(x), Q),
    (lambda np, x: np.linalg.solve(np.stack([x, x * 2]), V), Q),
    (lambda np, x: np.linalg.norm(x, 1), Q),
    (lambda np, x: np.linalg.norm(x, 3, axis=1), Q),
    (lambda np, x: np.linalg.norm(x, np.inf, axis=0, keepdims=True), Q),
    (lambda np, x: np.linspace(np.sum(x), 2.0, 4), V),
    (lambda np, x: np.full((2, 3), x), V),
    (lambda np, x: np.array([[x, x * 2], [x, x]]), V),
]  # fmt: skip


def weighted(np_like: Any, result: Any) -> Any:
    """One number in which every entry counts differently."""
    total: Any = 0.0
    for k, part in enumerate(result if isinstance(result, tuple | list) else [result]):
        flat = np_like.reshape(part, (-1,))
        total = total + np_like.sum(
            flat * np_like.cos(np_like.arange(np_like.size(flat)) + k)
        )
    return total


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_function(number: int) -> None:
    call, x = FUNCTIONS[number]
    expected, got = call(np, x), value(lambda e: call(Traced(e.builder), e), x)
    many = expected if isinstance(expected, tuple | list) else [expected]
    found = got if isinstance(expected, tuple | list) else [got]
    for a, b in zip(found, many, strict=True):
        assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-13)
    slope = gradient(lambda e: weighted(Traced(e.builder), call(Traced(e.builder), e)), x)
    step = np.sin(3 + np.arange(x.size)).reshape(x.shape) * 1e-6
    change = weighted(np, call(np, x + step)) - weighted(np, call(np, x - step))
    assert abs(np.sum(slope * step) * 2 - change) < 1e-6 * (abs(change) + 1e-6)


METHOD_CALLS: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: x.reshape(2, -1), C),
    (lambda x: x.reshape((4, 6)), C),
    (lambda x: x.ravel(), A),
    (lambda x: x.flatten("F"), A),
    (lambda x: x.transpose(2, 0, 1), C),
    (lambda x: x.transpose(), C),
    (lambda x: x.T, C),
    (lambda x: x.mT, C),
    (lambda x: x.swapaxes(0, 1), A),
    (lambda x: x.squeeze(), A[:1]),
    (lambda x: x.take([1, 0], axis=0), A),
    (lambda x: x.repeat(2, axis=1), A),
    (lambda x: x.diagonal(1), Q),
    (lambda x: x.trace(), Q),
    (lambda x: x.dot(V), Q),
    (lambda x: x.copy(), A),
    (lambda x: x.astype(np.float32), A),
    (lambda x: x.item(2), V),
    (lambda x: x.item(), np.float64(2.5)),
    (lambda x: x.argsort(), V),
    (lambda x: x.nonzero(), A),
    (lambda x: x.shape, A),
    (lambda x: x.size, A),
    (lambda x: (x.ndim, x.itemsize), A),
]


class Array:
    """An expression with ndarray's methods and attributes."""

    def __init__(self, x: Expr) -> None:
        self.x = x

    def __getattr__(self, name: str) -> Any:
        b = self.x.builder
        if name in ATTRIBUTES:
            return ATTRIBUTES[name](b, self.x)
        return lambda *args, **options: METHODS[name](b, self.x, *args, **options)


@pytest.mark.parametrize("number", range(len(METHOD_CALLS)))
def test_method(number: int) -> None:
    call, x = METHOD_CALLS[number]
    expected, got = call(x), value(lambda e: call(Array(e)), x)
    many = isinstance(expected, tuple) and len(expected) > 1
    for a, b in zip(got if many else [got], expected if many else [expected], strict=True):
        assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.zeros((2, 3)), lambda np: np.ones(3, int), lambda np: np.eye(3, k=1),
        lambda np: np.eye(2, 3), lambda np: np.identity(2), lambda np: np.arange(2, 9, 3),
        lambda np: np.arange(9, 2, -2), lambda np: np.arange(0.5, 2, 0.5),
        lambda np: np.linspace(0, 1, 5), lambda np: np.linspace(0, 1, 4, endpoint=False),
        lambda np: np.logspace(0, 2, 3), lambda np: np.tri(3, 4, 1), lambda np: np.full(3, 7),
        lambda np: np.tril_indices(4, -1), lambda np: np.triu_indices(3, 0, 5),
        lambda np: np.indices((2, 3)), lambda np: np.array([[1, 2], [3, 4]]),
    ],
)  # fmt: skip
def test_creation(call: Any) -> None:
    expected, got = call(np), value(lambda e: call(Traced(e.builder)), V)
    many = isinstance(expected, tuple)
    for a, c in zip(got if many else [got], expected if many else [expected], strict=True):
        assert a.dtype == c.dtype
        np.testing.assert_array_equal(a, c)


def test_windows_are_a_view_with_an_overlapping_adjoint() -> None:
    def call(e: Expr) -> Any:
        return surface(sliding_window_view)(e, (2, 2), axis=(1, 2))

    np.testing.assert_array_equal(
        value(call, C), sliding_window_view(C, (2, 2), axis=(1, 2))
    )
    slope = gradient(lambda e: surface(np.sum)(call(e)), C)
    counts = np.outer([1, 2, 1], [1, 2, 2, 1])
    np.testing.assert_array_equal(slope, np.stack([counts, counts]))


def test_kernels_are_written_without_type_hints() -> None:
    text = kernels.text_of(kernels._padded, kernels._conv2d, kernels._sum_rows)
    assert text.startswith("def _padded(x, padding, fill=0):\n")
    assert "Array" not in text and "->" not in text
    assert max(map(len, text.splitlines())) <= 92
    compile(text, "kernels", "exec")


def test_split_of_an_empty_array_of_a_length_known_at_run_time() -> None:
    halves = sg.compile(lambda x: np.split(x, 2, axis=1))
    for shape in ((3, 4), (0, 4), (3, 0)):
        assert [p.shape for p in halves(np.ones(shape))] == [(shape[0], shape[1] // 2)] * 2
    with pytest.raises(ValueError, match="cannot reshape"):
        halves(np.ones((3, 5)))


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="from NumPy 2.1")
def test_running_sums_of_nothing_begin_with_their_initial_value() -> None:
    for function in (np.cumulative_sum, np.cumulative_prod):
        of = sg.compile(lambda x, f=function: f(x, axis=0, include_initial=True))
        for shape in ((2, 3), (0, 3)):
            x = np.ones(shape)
            np.testing.assert_array_equal(of(x), function(x, axis=0, include_initial=True))
