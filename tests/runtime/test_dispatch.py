"""Which calls share code, and which get code of their own."""

from __future__ import annotations

import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import RecompileWarning, ShapeError
from symgrad.runtime import specialise


def loss(w: Any, x: Any) -> Any:
    return np.sum(np.tanh(x @ w) ** 2)


def scaled(x: Any, n: Any) -> Any:
    return np.sum(x * n)


def by_axis(x: Any, axis: Any) -> Any:
    return np.sum(np.sum(x * x, axis=axis) ** 2)


def test_every_length_shares_one_specialisation() -> None:
    f = sg.value_and_grad(loss)
    for n in (2, 3, 7, 100):
        x, w = np.ones((n, 4)), np.full(4, 0.1)
        value, g = f(w, x)
        assert value == loss(w, x)
        assert g.shape == (4,)
    assert len(f.specializations) == 1


def test_a_length_of_one_another_rank_and_another_dtype_are_new() -> None:
    f = sg.compile(scaled)
    f(np.ones(3), 2.0)
    f(np.ones(1), 2.0)
    assert len(f.specializations) == 2
    f(np.ones((3, 2)), 2.0)
    assert len(f.specializations) == 3
    f(np.ones(3, np.float32), 2.0)
    assert len(f.specializations) == 4
    f(np.ones(5, np.float32), 3.0)
    f(np.ones((4, 4)), 2.0)
    assert len(f.specializations) == 4


def test_ints_are_runtime_values_unless_they_cannot_be() -> None:
    f = sg.compile(scaled)
    assert f(np.ones(3), 2) == 6
    assert f(np.ones(3), 5) == 15
    assert len(f.specializations) == 1
    g = sg.grad(by_axis)
    x = np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, 0, 1):
        inner = np.sum(x * x, axis=axis, keepdims=True)
        np.testing.assert_allclose(g(x, axis), 4 * x * inner)
    assert len(g.specializations) == 2


def test_static_arguments_can_be_declared() -> None:
    f = sg.compile(static_argnums=1)(scaled)
    assert f(np.ones(3), 2) == 6
    assert f(np.ones(3), 3) == 9
    assert len(f.specializations) == 2
    g = sg.compile(scaled, static_argnames="n")
    assert g(np.ones(3), n=2) == 6
    assert g(np.ones(3), 3) == 9
    assert len(g.specializations) == 2


def test_keywords_defaults_and_positions_are_the_same_call() -> None:
    def f(x: Any, y: Any = 2.0, *, z: Any = 3.0) -> Any:
        return np.sum(x * y * z)

    c = sg.compile(f)
    x = np.ones(3)
    assert c(x) == c(x, 2.0) == c(y=2.0, x=x) == c(x, z=3.0) == 18
    assert len(c.specializations) == 1
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        c()
    with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
        c(x, q=1)


def test_a_derived_length_of_one_is_right_too() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x[1:-1] * y)

    g = sg.grad(f, argnums=(0, 1))
    for n in (5, 3, 4):
        x = np.arange(1.0, n + 1)
        y = np.arange(1.0, max(n - 2, 3) + 1) if n == 3 else np.arange(1.0, n - 1)
        g_x, g_y = g(x, y)
        expected = np.zeros(n)
        expected[1:-1] = np.sum(y) if n == 3 else y
        np.testing.assert_allclose(g_x, expected)
        np.testing.assert_allclose(g_y, np.broadcast_to(x[1:-1], y.shape))


def test_lengths_that_do_not_fit_are_an_error_even_where_no_code_is_left_for_them() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum((2 * x) @ y)

    g = sg.grad(f)
    np.testing.assert_array_equal(g(np.ones(3), np.ones(3)), [2, 2, 2])
    assert "@" not in g.source  # nothing is left that would complain
    with pytest.raises(ShapeError, match=r"(?s)lengths 3 and 4 .*test_dispatch.py.*\^"):
        g(np.ones(3), np.ones(4))


SCALE = np.array([1.0, 2.0, 3.0])
MODE = "double"


def helper(x: Any) -> Any:
    return x * 2


def uses_outside(x: Any) -> Any:
    y = helper(x) if MODE == "double" else x
    return np.sum(y * SCALE)


def test_captured_arrays_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sg.grad(uses_outside)
    x = np.ones(3)
    np.testing.assert_allclose(f(x), 2 * SCALE)
    monkeypatch.setattr(f"{__name__}.SCALE", np.array([5.0, 6.0, 7.0]))
    np.testing.assert_allclose(f(x), [10, 12, 14])
    assert len(f.specializations) == 1
    monkeypatch.setattr(f"{__name__}.SCALE", np.array(5.0))
    np.testing.assert_allclose(f(x), [10, 10, 10])
    assert len(f.specializations) == 2


def test_captured_statics_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sg.compile(uses_outside)
    x = np.ones(3)
    assert f(x) == 12
    monkeypatch.setattr(f"{__name__}.MODE", "single")
    assert f(x) == 6
    monkeypatch.setattr(f"{__name__}.MODE", "double")
    monkeypatch.setattr(f"{__name__}.helper", lambda x: x * 10)
    assert f(x) == 60
    assert len(f.specializations) == 3
    monkeypatch.undo()
    assert f(x) == 12
    assert len(f.specializations) == 3


def test_closure_cells_are_read_at_each_call() -> None:
    scale = np.ones(2)

    def f(x: Any) -> Any:
        return np.sum(x * scale)

    c = sg.compile(f)
    assert c(np.ones(2)) == 2
    scale = np.full(2, 4.0)
    assert c(np.ones(2)) == 8
    scale[0] = 0
    assert c(np.ones(2)) == 4
    assert len(c.specializations) == 1


def test_nested_arguments() -> None:
    def f(params: Any, x: Any) -> Any:
        h = x
        for w, b in params["layers"]:
            h = np.tanh(h @ w + b)
        return np.sum(h * params["scale"])

    def params(n: int) -> Any:
        layers = [(np.full((3, 3), 0.1), np.zeros(3)) for _ in range(n)]
        return {"layers": layers, "scale": 2.0}

    g = sg.grad(f)
    gradient = g(params(2), np.ones((5, 3)))
    assert list(gradient) == ["layers", "scale"]
    assert [type(x) for x in gradient["layers"]] == [tuple, tuple]
    assert gradient["layers"][0][0].shape == (3, 3)
    assert isinstance(gradient["scale"], float)
    g(params(2), np.ones((7, 3)))
    assert len(g.specializations) == 1
    g(params(3), np.ones((7, 3)))
    assert len(g.specializations) == 2


def test_threads_compile_each_kind_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    real = specialise.lower

    def slow(*args: Any, **kwargs: Any) -> Any:
        compiled.append(args)
        time.sleep(0.05)
        return real(*args, **kwargs)

    monkeypatch.setattr(specialise, "lower", slow)
    f = sg.grad(loss)
    results = []
    gate = threading.Barrier(8)

    def work(dtype: Any) -> None:
        gate.wait()
        results.append(f(np.ones(4, dtype), np.ones((3, 4), dtype)))

    kinds = [np.float32, np.float64] * 4
    threads = [threading.Thread(target=work, args=(kind,)) for kind in kinds]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 8
    assert len(f.specializations) == len(compiled) == 2


def test_many_specialisations_are_mentioned() -> None:
    f = sg.compile(scaled, static_argnums=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(34):
            assert f(np.ones(2), n) == 2 * n
    [warning] = [w for w in caught if w.category is RecompileWarning]
    assert "`scaled` has been compiled for 32 kinds of arguments" in str(warning.message)
    assert f(np.ones(2), 0) == 0  # beyond the inline tests
    assert len(f.specializations) == 34


def test_cache_clear() -> None:
    f = sg.compile(scaled)
    f(np.ones(2), 1.0)
    f.cache_clear()
    assert f.specializations == ()
    assert f(np.ones(2), 1.0) == 2
    assert len(f.specializations) == 1


def test_memory_maps_and_arrays_are_alike(tmp_path: Any) -> None:
    m = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3,))
    m[:] = 2.0
    f = sg.compile(scaled)
    assert f(m, 2.0) == f(np.asarray(m), 2.0) == f(m, 2.0) == 12
    assert len(f.specializations) == 1


def test_strided_and_fortran_arrays() -> None:
    f = sg.grad(loss)
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4) / 10)
    w = np.arange(8.0)[::2] / 10
    np.testing.assert_allclose(f(w, x), f(w.copy(), np.ascontiguousarray(x)))
    assert len(f.specializations) == 1
