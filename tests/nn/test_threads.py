"""Several threads: no gradient is lost, none gets into another's, and sums that do not depend on
who comes first."""

from __future__ import annotations

import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.nn.exact import ExactSum


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count: int, work: Callable[[int], Any]) -> None:
    """``work(0)``, ``work(1)``, ... at the same time; the first error of any is raised."""
    start, failed = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_large_gradients_from_many_threads() -> None:
    w = nn.Parameter(np.zeros(1_000_000))

    def loss(k: Any) -> Any:
        return k * np.sum(w)

    in_threads(4, lambda i: [nn.backward(loss, float(i + 1)) for _ in range(20)])
    np.testing.assert_array_equal(w.grad, 20 * (1 + 2 + 3 + 4))


def test_the_first_gradient_is_not_lost(eager_switching: None) -> None:
    for _ in range(100):
        w = nn.Parameter(np.zeros(2))
        in_threads(4, lambda i, w=w: w.accumulate(np.ones(2)))
        np.testing.assert_array_equal(w.grad, 4)


def test_hooks_run_in_the_thread_of_their_backward() -> None:
    w, seen = nn.Parameter(np.ones(2)), set()
    w.register_post_accumulate_grad_hook(lambda p: seen.add(threading.get_ident()))

    def loss(x: Any) -> Any:
        return np.sum(w * x)

    own: set[int] = set()

    def work(number: int) -> None:
        own.add(threading.get_ident())
        nn.backward(loss, np.ones(2))

    in_threads(3, work)
    assert seen == own
    np.testing.assert_array_equal(w.grad, 3)


def saving(x: Any, n: int) -> Any:
    """Loops that save values, and stores."""
    out = np.zeros_like(x)
    for i in range(n):
        out[i % len(x)] += np.sin(x[i % len(x)] * out[(i + 1) % len(x)] + i)
        x = x * 1.01
    while np.sum(x) > 1.0:
        x = x * 0.7
    return np.sum(out**2) + np.sum(x**3)


def test_a_compiled_function_in_many_threads(eager_switching: None) -> None:
    gradient = sg.value_and_grad(saving)
    rng = np.random.default_rng(0)
    calls = [(rng.normal(size=2 + k % 5), 1 + k % 7) for k in range(40)]
    plain = [sg.value_and_grad(saving)(*call) for call in calls[:1]]
    wanted = [gradient(*call) for call in calls]
    np.testing.assert_array_equal(plain[0][1], wanted[0][1])
    fresh = sg.value_and_grad(saving)

    def work(number: int) -> None:
        for k in range(300):
            at = (k * 7 + number * 5) % len(calls)
            value, g = fresh(*calls[at])
            assert value == wanted[at][0]
            np.testing.assert_array_equal(g, wanted[at][1])

    in_threads(8, work)


# ------------------------------------------------------------------------- deterministic
MIXED = [
    np.random.default_rng(k).normal(size=500) * 10.0 ** np.random.default_rng(k).integers(
        -9, 9, 500
    )
    for k in range(8)
]  # fmt: skip


def test_a_sum_that_does_not_depend_on_threads(eager_switching: None) -> None:
    w = nn.Parameter(np.zeros(500))

    def loss(x: Any) -> Any:
        return np.sum(w * x)

    exact = [math.fsum(column) for column in zip(*MIXED, strict=True)]
    with sg.config(deterministic=True):
        for turn in range(5):
            w.grad = None
            order = np.random.default_rng(turn).permutation(8)
            in_threads(4, lambda i, o=order: [nn.backward(loss, MIXED[k]) for k in o[i::4]])
            np.testing.assert_array_equal(w.grad, exact)


def test_reading_and_setting_in_between() -> None:
    w, one = nn.Parameter(np.zeros(1)), np.ones(1)
    with sg.config(deterministic=True):
        w.accumulate(2.0**53 * one)
        kept = w.grad
        w.accumulate(one.copy())
        w.accumulate(one.copy())
        assert w.grad is kept
        assert kept == 2.0**53 + 2
        w.accumulate(one.copy())
        w.grad = None
        w.accumulate(one.copy())
        assert w.grad == 1
        w.accumulate(one.copy())
    w.accumulate(one.copy())
    assert w.grad == 3


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(), (2, 3), (0,)])
def test_exact_sums_of_every_kind(dtype: Any, shape: Any) -> None:
    rng = np.random.default_rng(0)
    arrays = [
        np.asarray(rng.normal(size=shape) * 10.0**k, dtype=dtype) for k in range(-3, 4)
    ]
    found = ExactSum(arrays[0])
    for array in arrays[1:]:
        found.add(array)
    result = found.rounded(arrays[0])
    assert (result.dtype, result.shape) == (arrays[0].dtype, shape)
    wide = np.complex128 if dtype is np.complex128 else np.float64
    np.testing.assert_allclose(result, sum(a.astype(wide) for a in arrays), rtol=1e-3)


def test_exact_sums_round_once() -> None:
    parts = [1.0, 2.0**-53, 2.0**-80, -(2.0**-90)]
    for order in itertools.permutations(parts):
        found = ExactSum(np.array([order[0]]))
        for x in order[1:]:
            found.add(np.array([x]))
        assert found.rounded(np.zeros(1))[0] == math.fsum(parts) == 1 + 2.0**-52


def test_exact_sums_of_what_is_not_finite() -> None:
    found = ExactSum(np.array([np.inf, 1.0, np.nan, np.inf]))
    found.add(np.array([-np.inf, 2.0, 1.0, 1.0]))
    found.add(np.ones(4))
    np.testing.assert_array_equal(found.rounded(np.zeros(4)), [np.nan, 4, np.nan, np.inf])


def test_settings() -> None:
    from symgrad.runtime.settings import settings

    assert not settings().deterministic
    with sg.config(deterministic=True):
        assert settings().deterministic
        with sg.config(), sg.config(deterministic=False):
            assert not settings().deterministic
        assert settings().deterministic
    assert not settings().deterministic
    with pytest.raises(TypeError, match="deterministic is True or False, not 1"):
        sg.config(deterministic=1)  # type: ignore[arg-type]
