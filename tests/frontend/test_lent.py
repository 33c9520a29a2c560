"""Dicts, lists and objects among the arguments, which the function changes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import AliasError, UnsupportedSyntaxError
from tests.frontend.lowered import same
from tests.frontend.outcomes import alike

X, Y = np.array([1.0, 2.0]), np.array([3.0, -1.0])
OUTSIDE: dict[str, Any] = {"k": 2.0}


@dataclass
class State:
    u: Any
    v: Any
    count: int = 0
    log: list[Any] = field(default_factory=list)

    def push(self, dt: float) -> None:
        self.u = self.u + dt * self.v
        self.count += 1


def step(state: Any, dt: float) -> Any:
    state["u"] = state["u"] + dt * state["v"]
    state["v"] = state["v"] - dt * state["u"]
    state["n"] += 1
    return np.sum(state["u"] ** 2)


def rounds(state: Any, n: int) -> Any:
    for _ in range(n):
        state["u"] = state["u"] * 0.5 + state["v"]
        if np.sum(state["u"]) > 3.0:
            state["v"] = state["v"] * 0.25
    return np.sum(state["u"])


def swapped(state: Any) -> None:
    state["u"], state["v"] = state["v"], state["u"]


def in_place_and_anew(state: Any) -> None:
    u = state["u"]
    u += 1.0
    state["u"] = u * state["v"]
    u *= 2.0


def keys(state: Any) -> None:
    state["new"] = state.pop("u") * 2
    del state["v"]
    state.setdefault("n", 7.0)
    state.update(other=1.5)


def nested(state: Any) -> Any:
    inner = state["inner"]
    inner["a"] = inner["a"] * 3
    old = state["inner"]
    state["inner"] = {"a": inner["a"] + 1}
    old["a"] = inner["a"] * 10
    return np.sum(state["inner"]["a"])


def elements(xs: Any, y: Any) -> Any:
    xs[0] = y * 2
    xs.append(xs[0] + xs[1])
    xs.insert(0, y)
    xs.pop(2)
    xs.reverse()
    return np.sum(xs[0])


def gone(xs: Any) -> None:
    xs.clear()


def grown(xs: Any, y: Any) -> None:
    xs += [y, y * 2]


def moved(state: Any, dt: float) -> Any:
    state.push(dt)
    state.push(dt)
    state.log.append(np.sum(state.u))
    state.v = state.u * 2
    return np.sum(state.v)


def helper(state: Any, factor: float) -> None:
    state["u"] = state["u"] * factor


def by_helper(state: Any) -> Any:
    helper(state, 2.0)
    helper(state, 3.0)
    return state["u"]


def on_a_branch(state: Any, t: float) -> None:
    if t > 0.5:
        state["u"] = state["u"] + 1
    else:
        state["v"] = state["v"] * 2


def keyword(*, state: Any, dt: float) -> None:
    state["u"] = state["u"] * dt


def state_of() -> dict[str, Any]:
    return {"u": X.copy(), "v": Y.copy(), "n": 0}


CASES: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (step, (state_of(), 0.1), {}),
    (rounds, (state_of(), 4), {}),
    (swapped, (state_of(),), {}),
    (in_place_and_anew, (state_of(),), {}),
    (keys, (state_of(),), {}),
    (nested, ({"inner": {"a": X.copy()}},), {}),
    (elements, ([X.copy(), Y.copy()], X.copy()), {}),
    (gone, ([X.copy(), 1.0],), {}),
    (grown, ([X.copy()], Y.copy()), {}),
    (moved, (State(X.copy(), Y.copy()), 0.1), {}),
    (by_helper, (state_of(),), {}),
    (on_a_branch, (state_of(), 0.9), {}),
    (on_a_branch, (state_of(), 0.1), {}),
    (keyword, (), {"state": state_of(), "dt": 0.5}),
]
IDS = [f"{f.__name__}{i}" for i, (f, *_) in enumerate(CASES)]


def plain(x: Any) -> Any:
    """Objects as dicts, to be compared."""
    if isinstance(x, State):
        return plain(vars(x))
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, list | tuple) else x


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_callers_own_are_changed_as_in_python(case: Any) -> None:
    f, args, kwargs = case
    compiled = sg.compile(f)
    mine, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    for _ in range(2):  # the second call meets what the first has put there
        if f is keys or f is gone:
            mine, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
        same(compiled(*mine[0], **mine[1]), f(*theirs[0], **theirs[1]))
        same(plain(mine), plain(theirs))
    if f in (keys, step):
        assert list(mine[0][0]) == list(theirs[0][0])


def test_what_is_swapped_is_the_same_arrays() -> None:
    state = state_of()
    u, v = state["u"], state["v"]
    sg.compile(swapped)(state)
    assert state["u"] is v and state["v"] is u


def changed(d: Any) -> Any:
    d["u"] = d["u"] * 2
    return d


def beside_others(d: Any) -> Any:
    d["u"] = d["u"] * 2
    return np.sum(d["u"]), [d]


def appended(d: Any) -> Any:
    d.append(d[0] * 2)
    return d


def an_attribute(d: Any) -> Any:
    d.u = d.u * 2
    return {"state": d}


def inner(d: Any) -> Any:
    d["inner"]["a"] = d["inner"]["a"] * 2
    return d["inner"]


def put_into_another(d: Any) -> Any:
    d["all"] = d["inner"]
    return d


def on_one_way(d: Any) -> Any:
    d["u"] = d["u"] * 2
    return d if np.sum(d["u"]) > 3.0 else None


RETURNING: list[tuple[Any, Any, Any]] = [
    (changed, lambda: {"u": X}, lambda r, d: r is d),
    (lambda d: d, lambda: {"u": X}, lambda r, d: r is d),
    (beside_others, lambda: {"u": X}, lambda r, d: r[1][0] is d),
    (on_one_way, lambda: {"u": X}, lambda r, d: r is d),
    (on_one_way, lambda: {"u": X * 0}, lambda r, d: r is None),
    (appended, lambda: [X], lambda r, d: r is d),
    (an_attribute, lambda: State(X, Y), lambda r, d: r["state"] is d),
    (inner, lambda: {"inner": {"a": X}}, lambda r, d: r is d["inner"]),
    (put_into_another, lambda: {"inner": [X]}, lambda r, d: r["all"] is d["inner"]),
]


@pytest.mark.parametrize(("f", "make", "holds"), RETURNING)
def test_what_is_returned_is_the_callers_own(f: Any, make: Any, holds: Any) -> None:
    mine, theirs = make(), make()
    found, expected = sg.compile(f)(mine), f(theirs)
    assert holds(expected, theirs)
    assert holds(found, mine)
    same(plain(mine), plain(theirs))


def test_a_list_that_aliases_keeps_its_identity() -> None:
    xs = [X.copy(), Y.copy()]
    held = xs
    sg.compile(elements)(xs, X)
    assert held is xs and len(held) == 3


@pytest.mark.parametrize("of", [sg.grad, sg.value_and_grad, sg.hessian])
def test_derivatives_leave_the_callers_alone(of: Any) -> None:
    state = state_of()
    of(step, argnums=1)(state, 0.1)
    same(state, state_of())


def test_derivatives_know_the_changes() -> None:
    dt, h = 0.3, 1e-6
    expected = (step(state_of(), dt + h) - step(state_of(), dt - h)) / (2 * h)
    np.testing.assert_allclose(
        sg.grad(step, argnums=1)(state_of(), dt), expected, rtol=1e-8
    )

    def whole(state: Any, dt: Any) -> Any:
        for _ in range(3):
            step(state, dt)
        return np.sum(state["u"] * state["v"])

    sg.testing.check_grads(lambda u, dt: whole({"u": u, "v": Y, "n": 0}, dt), (X, 0.3))


def test_one_container_in_two_ways_is_refused() -> None:
    def two(a: Any, b: Any) -> Any:
        a["u"] = a["u"] * 2
        return np.sum(b["u"])

    def outside(a: Any) -> Any:
        a["k"] = a["k"] * 2
        return a["k"] * OUTSIDE["k"]

    state, other = state_of(), state_of()
    compiled = sg.compile(two)
    assert compiled(state, other) == 3.0
    with pytest.raises(AliasError, match="given to it twice"):
        compiled(other, other)
    same(other, state_of())
    assert sg.compile(outside)({"k": 3.0}) == 12.0
    with pytest.raises(AliasError, match="as a variable from outside"):
        sg.compile(outside)(OUTSIDE)
    assert OUTSIDE == {"k": 2.0}


def test_one_of_several_on_a_branch_is_changed() -> None:
    def f(a: Any, b: Any, t: float) -> Any:
        c = a if t > 0.5 else b
        c["u"] = c["u"] * 2
        return c["u"] + a["u"]

    for t in (0.7, 0.2):
        alike(f, {"u": X}, {"u": Y}, t)


def test_one_of_several_after_an_if_is_refused() -> None:
    def f(a: Any, b: Any, t: float) -> None:
        c = b
        if t > 0.5:
            c = a
        c["u"] = c["u"] * 2

    with pytest.raises((AliasError, UnsupportedSyntaxError)):
        sg.compile(f)(state_of(), state_of(), 0.7)


def test_a_list_gets_a_length_that_depends_on_data() -> None:
    def f(xs: Any, n: Any) -> None:
        k = 0.0
        while k < n:
            xs.append(k)
            k += 1.0

    alike(f, [1.0], 3.0)


def test_memory_mapped_arrays(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "x", np.float64, "w+", shape=(2,))
    state = {**state_of(), "u": mapped}
    with pytest.raises(AliasError, match="memory-mapped"):
        sg.compile(step)(state, 0.1)
    assert state["u"] is mapped


def test_batches_leave_the_callers_alone() -> None:
    state = state_of()
    sg.vmap(lambda u, s: step(s, u), in_axes=(0, None))(X, state)
    same(state, state_of())


def test_frozen_and_special_objects_are_refused() -> None:
    @dataclass(frozen=True)
    class Frozen:
        u: Any

    def f(s: Any) -> None:
        s.u = s.u * 2

    with pytest.raises(UnsupportedSyntaxError, match="frozen"):
        sg.compile(f)(Frozen(X))


def test_what_is_exported_or_pickled_says_what_it_returns(tmp_path: Any) -> None:
    compiled = sg.compile(step)
    compiled(state_of(), 0.1)
    again = pickle.loads(pickle.dumps(compiled))
    state = state_of()
    again(state, 0.1)
    assert state["n"] == 1


def replaces(a: Any, b: Any, t: Any) -> Any:
    a["u"] = a["u"] * t
    return np.sum(b["u"]) * t**2


def fills(a: Any, b: Any, t: Any) -> Any:
    a[0] = a[0] * t
    return np.sum(b[0]) * t**2


@pytest.mark.parametrize(
    ("f", "make"), [(replaces, lambda: {"u": X.copy()}), (fills, lambda: [X.copy()])]
)
@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: sg.grad(f, argnums=2),
        lambda f: sg.grad(sg.grad(f, argnums=2), argnums=2),
        lambda f: sg.hessian(f, argnums=2),
        lambda f: lambda a, b, t: sg.vjp(f, a, b, t),
    ],
)
def test_derivatives_refuse_one_container_in_two_places(
    f: Any, make: Any, derivative: Any
) -> None:
    derivative(f)(make(), make(), 2.0)
    held = make()
    with pytest.raises((AliasError, UnsupportedSyntaxError)):
        derivative(f)(held, held, 2.0)


def test_derivatives_inside_refuse_one_container_in_two_places() -> None:
    def inner(t: Any) -> Any:
        d = {"u": X}
        return sg.grad(replaces, argnums=2)(d, d, t)

    with pytest.raises(AliasError, match="passed to it twice"):
        sg.compile(inner)(2.0)


def test_what_is_only_read_may_be_given_twice() -> None:
    def f(a: Any, b: Any, t: Any) -> Any:
        return np.sum(a["u"] * b["u"]) * t

    d = {"u": X}
    np.testing.assert_allclose(sg.grad(f, argnums=2)(d, d, 2.0), X @ X)


class Stops(Exception):
    pass


@dataclass
class Kept:
    n: float
    w: object
    log: list


COUNTER = Kept(0, None, [])


def raises_between(x, q, d, k):
    q.append(x[0])
    d["z"] = x * 2
    k.n += x[1]
    if x[0] > 0.5:
        raise Stops(x[0])
    k.log.append(q[0])
    return x[q[0]]


def raises_in_a_loop(x, q, d, k):
    for i in range(5):
        q[0] += 1
        k.w = x * i
        k.w[0] = 7.0
        k.log.append(x[i])
    return q


def raises_in_numpy(x, q, d, k):
    d["a"] = x[0] * 2
    d["b"] = np.linalg.inv(np.zeros((2, 2)) * x[0])


def raises_only_there(x, q, d, k):
    if x[0] > 0.5:
        x[1] = 9.0
        d["q"] = q
        q.extend(v for v in x if v > 1)
        raise Stops
    return d


def raises_what_is_known(x, q, d, k):
    del q[0]
    d["b"] = k.w
    COUNTER.n += 1
    return d["nothing"]


@pytest.mark.parametrize("first", [1.0, 0.0])
@pytest.mark.parametrize(
    "f",
    [
        *(raises_between, raises_in_a_loop, raises_in_numpy),
        *(raises_only_there, raises_what_is_known),
    ],
)
def test_what_has_been_changed_when_the_code_raises_is(f, first):
    COUNTER.n = 0
    x = np.array([first, 2.0, 3.0])
    alike(f, x, [7], {"a": 1.0}, Kept(1.0, np.ones(2), []))
    assert COUNTER.n in (0, 2)


def test_code_that_cannot_raise_after_a_change_tells_nothing():
    def f(x, q):
        q.append(x[0])
        return x * 2

    source = sg.compile(f).lower(X, [1.0]).source
    assert "try:" not in source and "changed" not in source


def test_a_list_of_the_callers_that_gets_an_unknown_length_in_a_derivative():
    def f(x, q):
        def inner(y):
            q.extend(v for v in x if v > 1)
            return np.sum(y)

        return sg.grad(inner)(x)

    with pytest.raises(sg.errors.UnsupportedSyntaxError, match="of the caller's becomes"):
        sg.compile(f)(X, [1.0])
