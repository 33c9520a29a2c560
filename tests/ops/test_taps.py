"""``tap`` and ``tap_gradient``: values and gradients that pass through Python functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import HookError, UnsupportedSyntaxError
from symgrad.runtime.taps import new_call, tap, tap_gradients
from symgrad.testing import check_grads

X = np.array([1.0, 2.0, 3.0])
SEEN: list[Any] = []


class Box:
    """What two functions share."""

    def __init__(self) -> None:
        self.found: list[Any] = []


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    SEEN.clear()


def note(name: str, x: Any) -> None:
    SEEN.append((name, x.tolist()))


def twice(name: str, x: Any) -> Any:
    SEEN.append((name, x.tolist()))
    return 2 * x


def double(x: Any) -> Any:
    return 2 * x


def noted(x: Any) -> Any:
    return np.sum(tap("a note", note, ("x",), x * x) * x)


def test_what_a_function_is_shown() -> None:
    for call in (noted, sg.compile(noted)):
        assert call(X) == 36
        assert SEEN.pop() == ("x", [1.0, 4.0, 9.0])
    check_grads(noted, (X,), order=2)


def test_it_runs_once_with_every_derivative() -> None:
    for call in (sg.grad(noted), sg.jacfwd(noted), lambda x: sg.jvp(noted, (x,), (x,))):
        SEEN.clear()
        call(X)
        assert SEEN == [("x", [1.0, 4.0, 9.0])]


def test_effects_keep_their_order() -> None:
    def f(x: Any) -> Any:
        tap("a note", note, ("first",), x)
        for i in range(2):
            tap("a note", note, ("round",), x + i)
        tap("a note", note, ("last",), x)
        return x

    sg.compile(f)(X[:1])
    assert SEEN == [("first", [1]), ("round", [1]), ("round", [2]), ("last", [1])]


def test_replacing() -> None:
    def f(x: Any) -> Any:
        return np.sum(tap("a doubling", twice, ("x",), x))

    for call in (f, sg.compile(f)):
        assert call(X) == 12
    with pytest.raises(HookError, match="a doubling returned something, through which"):
        sg.grad(f)(X)


def test_compiled() -> None:
    def f(x: Any) -> Any:
        return np.sum(tap("a doubling", double, (), x, compiled=True) ** 2)

    compiled = sg.compile(f)
    assert compiled(X) == 56
    assert "doubling" not in compiled.source
    check_grads(f, (X,), order=2)


def test_structures() -> None:
    seen = []

    def swap(x: Any, pair: Any) -> Any:
        seen.append(x)
        return pair[::-1]

    def f(x: Any, k: Any) -> Any:
        a, b = tap("a swap", swap, (), (x, x + 1), {"k": k, "text": "t"})
        return a - b

    np.testing.assert_array_equal(sg.compile(f)(X, 3), 1)
    assert seen == [{"k": 3, "text": "t"}]

    def wrong(x: Any, k: Any) -> Any:
        return tap("a swap", swap, (), [x, x[1:]], k)

    with pytest.raises(HookError, match=r"a swap returned float64\[2\] as value 0"):
        sg.compile(wrong)(X, 3)


def note_sum(x: Any, nothing: Any) -> None:
    SEEN.append((x.sum(), nothing))


def test_nothing_to_pass() -> None:
    def f(x: Any) -> Any:
        tap("a note", note_sum, (), (), x)
        return x

    sg.compile(f)(X)
    assert SEEN == [(6.0, ())]


def test_functions_of_the_compiled_function_are_refused() -> None:
    def f(x: Any) -> Any:
        return tap("a note", lambda x: None, (), x)

    with pytest.raises(UnsupportedSyntaxError, match="define it outside"):
        sg.compile(f)(X)


def test_a_batch_is_shown_example_by_example() -> None:
    np.testing.assert_array_equal(sg.vmap(noted)(np.stack([X, 2 * X])), [36, 288])
    assert SEEN == [("x", [1, 4, 9]), ("x", [4, 16, 36])]


def gradients(box: Box, flows: Any, grads: Any) -> Any:
    box.found.append(grads)
    SEEN.append((flows, [None if g is None else g.tolist() for g in grads]))
    return tuple(None if g is None else 10 * g for g in grads)


def tapped(x: Any, y: Any) -> Any:
    box = new_call(Box)
    x, y, _ = tap_gradients("gradients", gradients, (), box, (x, y, "text"), (x, 3, y))
    return np.sum(x * y)


def test_gradients_pass_through_a_function() -> None:
    assert tapped(X, X) == sg.compile(tapped)(X, X) == 14
    assert not SEEN
    by_x, by_y = sg.grad(tapped, argnums=(0, 1))(X, 2 * X)
    np.testing.assert_array_equal(by_x, 20 * X)
    np.testing.assert_array_equal(by_y, 10 * X)
    assert SEEN == [((True, False, True), [[2, 4, 6], [1, 2, 3], None])]
    SEEN.clear()
    np.testing.assert_array_equal(sg.grad(tapped, argnums=1)(X, 2 * X), 10 * X)
    assert SEEN == [((False, False, True), [None, [1, 2, 3], None])]


def test_forward_mode_and_what_is_not_differentiated() -> None:
    assert sg.jvp(tapped, (X, X), (X, X)) == (14, 28)
    assert not SEEN
    assert "gradients(" not in sg.compile(tapped).lower(X, X).source


def test_a_gradient_of_gradients_that_were_replaced_is_refused() -> None:
    with pytest.raises(HookError, match="gradients returned something, through which"):
        sg.grad(lambda x: np.sum(sg.grad(tapped)(x, x * x)))(X)
