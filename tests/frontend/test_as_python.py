"""What else compiled functions might do in silence otherwise than Python: conditions that raise,
operators in place on containers, who is who in results, what exceptions are given."""

from __future__ import annotations

import copy
import math
from collections import namedtuple
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest

import symgrad as sg
from tests.frontend.lowered import same
from tests.frontend.outcomes import alike


@dataclass
class Pair:
    a: float = 1.0
    b: list = field(default_factory=list)


class Failed(Exception):
    pass


Named = namedtuple("Named", "p q")


class Never:
    def __bool__(self):
        return False


X = np.array([1.0, 2.0, 3.0])


def condition_raises(x, known):
    y = 0.0
    if x.sum() > 0:
        if known[5] > 0:
            y = 1.0
        y += 1
    return y


def condition_assigns(x, known):
    total, i = 0.0, 0
    while (v := known[i]) < 3:
        total += v
        i += 1
    return total, v, x


def in_place(x, known):
    same, d = known, {"a": x[0]}
    also = d
    same += [1.0]
    same *= 2
    d |= {"b": 2.0}
    return same is known, also, also is d


def counted(x, known):
    t = (1, x[0], 1, x[1])
    return t.count(1), t.count(x[1]), t.index(x[1]), known.count(x[0])


def compared(x, known):
    pairs = Pair(x[0]) == Pair(1.0), Pair(x[0]) != Pair(1.0), (x[0], 1) == (x[0], 1)
    named = Named(x[0], 2) == (x[0], 2), Named(1, 2) != (1, 2), Named(1, 2) == (1, 2)
    nothing = x == None, x != None, x[0] == None  # noqa: E711
    return named, nothing, x == "a", pairs


def truths(x, known):
    return bool(Never()), bool(known), bool([]), bool(zip(x, x, strict=True)), bool("")


def raises_after(x, known):
    x.sort()
    if known:
        raise Failed("late")


def not_reached(x, known):
    z = 0.0
    if x[0] > 100:
        z = {"a": 1.0}["b"]
    if x[0] > 100 and int("q") > 0:
        z = math.sqrt(-1.0)
    elif x[0] > 200:
        z = 1 // 0
        known.index(9.0)
    return z


def round_raises(x, known):
    s = 0.0
    for a, _ in ((1, 2), (1, 2, 3)):
        if x[0] < 0:
            break
        s += a
    return s


def condition_caught(x, known):
    try:
        if known[5] > 0:
            x[0] = 7.0
        x[1] = 7.0
    except IndexError:
        x[2] = 7.0
    return x


def fails(x, what):
    x[0] = 9.0
    if what == "list":
        return [1.0][7]
    if what == "key":
        return {"a": 1}["b"]
    if what == "text":
        return int("q")
    if what == "math":
        return math.sqrt(-1.0)
    if what == "pop":
        return [].pop()
    if what == "index":
        return [1].index(5)
    return (1,)[3]


@pytest.mark.parametrize("what", ["list", "key", "text", "math", "pop", "index", "tuple"])
def test_what_is_stored_before_known_values_raise_stays(what):
    alike(fails, X, what)


@pytest.mark.parametrize("x", [X, -X], ids=["above", "below"])
@pytest.mark.parametrize(
    "f",
    [
        *(condition_raises, condition_assigns, in_place, counted, compared, truths),
        *(raises_after, not_reached, condition_caught, round_raises),
    ],
)
def test_as_in_python(f, x):
    alike(f, x, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("first", [math.nan, 1.0, 0.0, 1])
@pytest.mark.parametrize("second", [math.nan, 1.0, -0.0, 1])
def test_of_equals_the_first_is_the_largest(first, second):
    def f(s, t):
        return max(s, t), max(t, s), min(s, t), min(t, s)

    assert repr(sg.compile(f)(first, second)) == repr(f(first, second))


def twice(x, d):
    a = [x[0]]
    p = Pair(x[1], a)
    d["new"] = p
    rows = [[0.0] * 2] * 2
    rows[0][1] = x[2]
    return a, p, {"p": p, "rows": rows, "a": [a, (a,)]}


def test_a_container_is_one_object_wherever_it_is_put():
    alike(twice, X, {"old": 1.0})
    d = {"old": 1.0}
    a, p, held = sg.compile(twice)(X, d)
    assert p.b is a and d["new"] is p and held["p"] is p
    assert held["a"][0] is a and held["a"][1][0] is a
    assert held["rows"][0] is held["rows"][1]
    source = sg.compile(twice).lower(X, {"old": 1.0}).source
    assert source.count("Pair(a=") == 1


OUTSIDE, ENTRIES = [1.0, 2.0], {"a": 1.0}


def from_outside(x):
    entries = ENTRIES
    entries |= {"b": x[0]}
    OUTSIDE[0] = x[1]
    return OUTSIDE, {"inside": (ENTRIES, x)}


def test_containers_from_outside_are_returned_themselves():
    compiled = sg.compile(from_outside)
    for _ in range(2):
        found, held = compiled(X)
        assert found is OUTSIDE and held["inside"][0] is ENTRIES and held["inside"][1] is X
        assert OUTSIDE == [2.0, 2.0] and ENTRIES == {"a": 1.0, "b": 1.0}
        OUTSIDE[0], ENTRIES["b"] = 5.0, 7.0


def tuples(x):
    raise Failed((x[0], 1), [x[1], {"k": x[2]}], (1, "a"), 2j)


def shapes(x):
    if x[0] > 0:
        raise ValueError(x.shape)
    return x


def read_again(x):
    try:
        raise Failed(x, (x[0], 1))
    except Failed as e:
        return e.args[0] is x, e.args[1], len(e.args)


def shown(x):
    try:
        raise Failed((x[0], 1))
    except Failed as e:
        raise ValueError(f"{e}, {e!s}") from None


@pytest.mark.parametrize("f", [tuples, shapes, read_again, shown])
def test_exceptions_are_given_what_python_gives_them(f):
    alike(f, X)


def held_elsewhere(x, q):
    u = [float(v) for v in x]
    w, d = [u, q], {"u": u}
    walk = iter(u)
    w[0][1] += 1.5
    d["u"].append(next(walk))
    for row in w:
        row[0] = float(x[2])
    return u, w, d, w[0] is u


def shrinks(x, q):
    u, seen = [float(v) for v in x], []
    for _ in u:
        del u[-1]
    for i, v in enumerate(u):
        u.pop()
        seen.append(v + i)
    return u, seen


def grows(x, q):
    total, u = 0.0, [float(v) for v in x]
    u.append(0.5)
    for i, v in enumerate(u):
        if len(u) < 9 and v > 0.75:
            u.append(v * 0.5)
        total += i * v
    return total, u


def refilled(x, q):
    total, u = 0.0, list(x)
    for i, v in enumerate(u):
        u[-1] = v + total
        total += v * i
    return total, u


def adds(u, v):
    u.append(v)


def grows_elsewhere(x, q):
    u = [float(v) for v in x]
    for i, (_, v) in enumerate(zip(x, u)):  # noqa: B905
        if len(u) < 6:
            adds(u, v + i)
    return u


def from_the_second(x, q):
    u = [float(v) for v in x]
    walk = iter(u)
    total = next(walk)
    for v in walk:
        total += v
        u[-1] += 1.0
    return total, u


@pytest.mark.parametrize(
    "f", [held_elsewhere, shrinks, grows, refilled, grows_elsewhere, from_the_second]
)
def test_lists_of_unknown_length_change_wherever_they_are_held(f):
    alike(f, X, [4.0, 5.0])


def test_a_default_of_a_function_that_holds_such_a_list():
    def f(x):
        u = [float(v) for v in x]
        kept = partial(max, u)
        u.append(0.5)
        return kept()

    with pytest.raises(sg.errors.AliasError, match="held by a function or method made bef"):
        sg.compile(f)(X)


def test_a_list_that_grows_behind_an_iterator():
    def f(x):
        u = [float(v) for v in x]
        walk = iter(u)
        total = next(walk)
        for v in walk:
            adds(u, v)
        return total

    with pytest.raises(sg.errors.AliasError, match="changes while an iterator runs throu"):
        sg.compile(f)(X)


def raises_first(s, d):
    if s > 1.5:
        raise Failed(s)
    try:
        d = d["not there"]
    except IndexError:
        d = 1.0
    return [d][1]


def prints_first(s, d):
    print(s)
    return [d][1]


@pytest.mark.parametrize("s", [1.0, 2.0])
@pytest.mark.parametrize("f", [raises_first, prints_first])
def test_what_is_known_to_raise_raises_after_what_is_before_it(f, s, capsys):
    alike(f, s, {"a": 1.0})
    assert capsys.readouterr().out in ("", f"{s}\n{s}\n")


def changes_all(s, x, b, q, n):
    b.b[0], n["k"] = s, [x[0]]
    q.append(b.b[0] * s)
    b.a += q[-1]
    return b.a * x[0] + q[0]


def test_derivatives_leave_containers_alone_that_the_function_changes():
    given = 0.5, X, Pair(2.0, [np.ones(2)]), [1.0], {"k": 1.0}
    kept = copy.deepcopy(given)
    value, (g_s, g_x) = sg.value_and_grad(changes_all, argnums=(0, 1))(*given)
    assert value == 3.25 and g_s == 1.0
    np.testing.assert_array_equal(g_x, [2.25, 0.0, 0.0])
    tangents = 1.0, np.ones(3), None, None, None
    assert sg.jvp(changes_all, given, tangents) == (3.25, 3.25)
    same(given, kept)


def made_after_a_return(x, s):
    if s > 5:
        return None
    w = []
    w.append(s)
    return w


def of_two_kinds(x, s):
    if s > 5:
        return [s]
    p = Pair(s, [])
    p.a = 2.0
    p.b.append(p.a + s)
    return {"p": p, "b": [p.b]}


def of_one_size(x, s):
    if s > 5:
        w = {"a": [s, 1.0], "b": x}
    else:
        w = {"a": [x[0]]}
        w["a"].append(s)
        w["b"] = x * 2
        w["b"][0] = 7.0
    return w


def filled_on_one_side(x, s):
    if s > 5:
        return [s]
    w = []
    for v in x:
        w.append(v * s)
    return w


def filled_or_none(x, s):
    if s > 5:
        return None
    return {"a": [v * s for v in x]}


def in_the_handler(x, s):
    try:
        w = [x[0]]
        w.append(math.sqrt(3.0 - s))
    except ValueError:
        w = []
        for v in (1.0, s):
            w.append(v)
    return w


@pytest.mark.parametrize("s", [1.0, 9.0])
@pytest.mark.parametrize(
    "f",
    [
        *(made_after_a_return, of_two_kinds, of_one_size),
        *(filled_on_one_side, filled_or_none, in_the_handler),
    ],
)
def test_what_is_made_and_changed_on_one_way_is_what_it_is_there(f, s):
    alike(f, X, s, types=f is not in_the_handler)
