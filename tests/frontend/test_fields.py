"""Attributes of objects from outside, and lists and dicts, that a function changes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedSyntaxError

X = np.array([0.5, -1.0, 2.0])


class State:
    """What functions here change."""

    def __init__(self) -> None:
        self.n = 0
        self.v = 1.5
        self.last: Any = None
        self.seen = False
        self.log: list[Any] = []
        self.table: dict[Any, Any] = {"k": 1}
        self.pair = [0.0, 1.0]
        self.mean = np.zeros(3)


STATE = State()


def counts(x: Any) -> Any:
    for _ in range(3):
        STATE.n += 1
        STATE.v = STATE.v * 0.5
    return x * STATE.v


def branches(x: Any) -> Any:
    if x.sum() > 0:
        STATE.n += 1
        STATE.mean = 0.9 * STATE.mean + 0.1 * x
    else:
        STATE.v = STATE.v + 1
    return x * STATE.n


def first_time(x: Any) -> Any:
    if not STATE.seen:
        STATE.scale = x.std()
        STATE.seen = True
    return x / STATE.scale


def while_loop(x: Any) -> Any:
    i = 0
    while i < x.shape[0]:
        STATE.n += i
        i += 1
    return x + STATE.n


def structures(x: Any) -> Any:
    STATE.last = []
    h = x
    for _ in range(2):
        h = np.tanh(h)
        STATE.last.append(h)
    STATE.info = {"h": h, "name": "abc", "more": (1, None, x.dtype, np.tanh)}
    return h


def reads_back(x: Any) -> Any:
    STATE.last = x * 2
    setattr(STATE, "extra", STATE.last + 1)  # noqa: B010
    return STATE.last + (STATE.extra if hasattr(STATE, "extra") else 0)


def recurrent(x: Any) -> Any:
    STATE.last = np.tanh(x if STATE.last is None else STATE.last + x)
    return STATE.last


def containers(x: Any) -> Any:
    STATE.pair[0] = x.sum()
    STATE.table["h"] = x * STATE.pair[0]
    STATE.table["k"] += 1
    STATE.table.pop("gone", None)
    STATE.table.setdefault("list", []).append(1)
    return STATE.table["h"]


def logs(x: Any) -> Any:
    for i in range(x.shape[0]):
        STATE.log.append(x[i])
    STATE.log.append((x, "text", {"n": 3}))
    STATE.log.extend([x.sum(), None])
    STATE.log += [x[0]]
    return x


def stores_before(x: Any) -> Any:
    y = x * 2
    STATE.last = y
    y[0] = 5.0
    return y


def rows(x: Any) -> Any:
    found = []
    for i in range(len(x)):
        found.append(2 * x[i])
    STATE.last = found
    return x


ALL = [
    rows,
    counts, branches, first_time, while_loop, structures, reads_back, recurrent, containers,
    logs, stores_before,
]  # fmt: skip


def same(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and bool(np.array_equal(a, b))


@pytest.mark.parametrize("f", ALL, ids=[f.__name__ for f in ALL])
def test_as_when_not_compiled(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    states = []
    for function in (f, sg.compile(f)):
        state = State()
        monkeypatch.setitem(globals(), "STATE", state)
        found = []
        for x in (X, X, -X, X[:2] if f is not branches else X):
            if f is recurrent and len(x) == 2:
                continue
            found.append((function(x.copy()), copy.deepcopy(vars(state))))
        states.append(found)
    assert same(*states)


def test_counters_are_inputs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "STATE", State())
    compiled = sg.compile(counts)
    for _ in range(3):
        compiled(X)
    assert len(compiled.specializations) == 1
    assert "{'n':" in compiled.source.splitlines()[-1]


def test_objects_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    monkeypatch.setitem(globals(), "STATE", state)
    pair, table, log = state.pair, state.table, state.log

    def f(x: Any) -> Any:
        STATE.last = STATE.pair
        STATE.table["state"] = STATE
        return containers(x) + logs(x)

    sg.compile(f)(X)
    assert state.pair is pair and state.table is table and state.log is log
    assert state.last is pair and state.table["state"] is state


def test_what_fails_has_changed_what_comes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    monkeypatch.setitem(globals(), "STATE", state)

    def f(x: Any) -> Any:
        STATE.n += 1
        STATE.table["h"] = x
        return np.linalg.inv(x)

    with pytest.raises(np.linalg.LinAlgError):
        sg.compile(f)(np.zeros((2, 2)))
    assert state.n == 1 and state.table["h"].shape == (2, 2)


def test_all_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        __slots__ = ("n",)

    state, half = State(), Half()
    half.n = 1

    def f(x: Any) -> Any:
        state.fresh = x
        state.pair[0] = x
        state.table["h"] = x
        half.n = 2
        half.other = x
        return x

    with pytest.raises(AttributeError, match="other"):
        sg.compile(f)(X)
    assert half.n == 1 and not hasattr(state, "fresh")
    assert state.pair == [0.0, 1.0] and state.table == {"k": 1}


V = np.array([1.0, -2.0, 0.5])


def total(f: Any) -> Any:
    return lambda x: np.sum(f(x))


TRANSFORMS: dict[str, Any] = {
    "grad": lambda f: sg.grad(total(f))(X),
    "vjp": lambda f: sg.vjp(f, X)[1](V),
    "linearize": lambda f: sg.linearize(f, X)[1](V),
    "hvp": lambda f: sg.hvp(total(f))(V, X),
    "jacfwd": lambda f: sg.jacfwd(f)(X),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("f", ALL, ids=[f.__name__ for f in ALL])
def test_derivatives_change_what_a_plain_run_changes(
    f: Any, transform: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = []
    for function in (lambda f: f(X.copy()), transform):
        state = State()
        monkeypatch.setitem(globals(), "STATE", state)
        for _ in range(2):
            function(f)
        states.append(vars(state))
    assert same(*states)


def test_a_batch_changes_nothing() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="several examples at once"):
        sg.vmap(lambda x: counts(x))(X)


def test_derivatives_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    monkeypatch.setitem(globals(), "STATE", state)

    def f(x: Any) -> Any:
        return sg.grad(lambda x: np.sum(counts(x) ** 2))(x)

    np.testing.assert_allclose(sg.compile(f)(X), 2 * 0.1875**2 * X)
    assert (state.n, state.v) == (3, 0.1875)
    again = sg.compile(lambda x: sg.checkpoint(lambda x: np.sum(counts(x)))(x))
    np.testing.assert_allclose(again(X), np.sum(X) * 0.1875 / 8)
    assert (state.n, state.v) == (6, 0.1875 / 8)
    tangent = sg.compile(lambda x: sg.jvp(logs, (x,), (x,))[1])
    np.testing.assert_array_equal(tangent(X), X)
    assert len(state.log) == 7
