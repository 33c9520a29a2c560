"""``check_grads`` accepts what is right and says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import GradcheckError, InputTypeError
from symgrad.testing import assert_source_equal, check_grads


def mixed(p: Any, x: Any, n: int) -> Any:
    h = np.tanh(x @ p["w"] + p["b"]) * n
    return {"h": h, "s": np.sum(h**2) * p["scale"]}


RNG = np.random.default_rng(0)
P = {"w": RNG.standard_normal((3, 2)), "b": RNG.standard_normal(2), "scale": 0.3}
X = RNG.standard_normal((4, 3))


def test_accepts_right_derivatives() -> None:
    check_grads(mixed, (P, X, 2))
    check_grads(sg.compile(mixed), (P, X, 2), order=1)
    check_grads(sg.grad(lambda x: np.sum(x**3)), (X,), modes=("fwd",))


def test_single_precision() -> None:
    check_grads(lambda x: np.tanh(x), (X.astype(np.float32),))


def test_the_arguments_are_left_alone() -> None:
    def store(x: Any) -> Any:
        y = x.copy()
        y[0] *= y[1]
        return y

    x = X.copy()
    check_grads(store, (x,))
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_reports_a_wrong_derivative(mode: str) -> None:
    # np.sign has the derivative 0, which differences across the jump deny.
    with pytest.raises(GradcheckError) as caught:
        check_grads(lambda x: np.sign(x), (np.array([1e-9, 1.0]),), order=1, modes=(mode,))
    text = str(caught.value)
    for word in (
        "forward" if mode == "fwd" else "reverse",
        "expected",
        "got",
        "point x",
        "direction x",
    ):
        assert word in text


def test_refuses_what_it_cannot_check() -> None:
    with pytest.raises(ValueError, match="modes"):
        check_grads(mixed, (P, X, 2), modes=("backward",))
    with pytest.raises(ValueError, match="order"):
        check_grads(mixed, (P, X, 2), order=3)
    with pytest.raises(InputTypeError, match="no real argument"):
        check_grads(lambda n: n * 2, (3,))
    with pytest.raises(InputTypeError, match="no real result"):
        check_grads(lambda x: x > 0, (X,))
    with pytest.raises(InputTypeError, match="complex"):
        check_grads(lambda x: x * 1j, (X,))


def test_assert_source_equal() -> None:
    f = sg.compile(lambda x: x * 2)
    f(X)
    assert_source_equal(f, f.source)
    assert_source_equal(f, "\n" + f.source.replace("\n", "\n\n"))
    with pytest.raises(AssertionError, match="generated"):
        assert_source_equal(f, "def f(x):\n    return x\n")


def test_what_a_function_does_to_its_arguments_counts():
    def scaled(x, y):
        x *= y
        y[0] = np.sin(x[1])

    x, y = np.array([0.3, 0.7]), np.array([1.1, -0.4])
    check_grads(scaled, (x, y))
    assert x[0] == 0.3 and y[0] == 1.1


def test_arguments_left_to_their_defaults():
    def scaled(x, factor=2.0):
        return np.sum(x * factor)

    check_grads(scaled, (np.array([0.3, 0.7]),))


def test_keyword_only_arguments_have_their_defaults() -> None:
    def scaled(x: Any, *, scale: float = 2.0, options: Any = (0.5, 1)) -> Any:
        return np.sum(scale * options[0] * x**2)

    check_grads(scaled, (X,))

    def off(x: Any, *, scale: float = 2.0) -> Any:
        return np.sum(scale * np.sign(x))

    with pytest.raises(GradcheckError, match="differences"):
        check_grads(off, (np.array([1e-9, 1.0]),), order=1)


def test_source_in_a_file(tmp_path: Any, monkeypatch: Any) -> None:
    f = sg.grad(lambda x: x**3)
    f(2.0)
    path = tmp_path / "expected" / "f.py"
    with pytest.raises(AssertionError, match=r"there is no .*f\.py.*--update-sources"):
        assert_source_equal(f, path)
    monkeypatch.setenv("SYMGRAD_UPDATE_SOURCES", "1")
    assert_source_equal(f, path)
    monkeypatch.setenv("SYMGRAD_UPDATE_SOURCES", "0")
    assert_source_equal(f, path)
    assert path.read_text() == f.source
    path.write_text("def f(x):\n    return x\n")
    with pytest.raises(AssertionError, match=r"(?s)--- .*f\.py.*\+.*def f_grad"):
        assert_source_equal(f, path)
