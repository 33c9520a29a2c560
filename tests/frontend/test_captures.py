"""What functions read from outside: runtime inputs, or static and guarded."""

import functools
import math
import sys
import types
from collections import namedtuple

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import InputTypeError
from symgrad.frontend.names.captures import Captures, Found
from symgrad.frontend.requests import Place
from symgrad.frontend.sources.getsource import parse

WEIGHTS = np.ones((2, 1))
RATE = 0.1
START = np.ones(4)
COUNT = 3
MODE = "relu"
FLAG = True
PARAMS = {"w": WEIGHTS, "more": [np.zeros(2), RATE]}
BAD = np.array([None])
Pair = namedtuple("Pair", "left right")
PAIR = Pair(np.ones(1), "x")


def helper(x):
    return x


class Model:
    bias = np.zeros(2)

    def __init__(self) -> None:
        self.w = WEIGHTS
        self.mode = "fast"
        self.layers = [np.ones(2), np.ones(3)]
        self._lock = object()

    def forward(self, x):
        return x @ self.w

    @property
    def scale(self):
        return 2.0

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def act(x):
        return x


MODEL = Model()


def reader(x, start=START, *, stop=5):
    return x


class Reading:
    """Captures of ``reader`` whose runtime inputs are their names."""

    def __init__(self, statics=frozenset(), taken=()):
        self.captures = Captures(lambda c: f"<{c.name}>", statics, set(taken))

    def find(self, name):
        return self.captures.lookup(parse(reader), name)

    def read(self, name):
        return self.captures.read(self.find(name))

    def attribute(self, name, *names):
        found = self.find(name)
        for inner in names:
            member = self.captures.attribute(found, inner)
            found = member.found
        return member

    @property
    def broken(self):
        return [guard.place.text for guard in self.captures.guards if not guard.holds()]


def test_numbers_and_arrays_are_runtime_inputs():
    r = Reading(taken={"RATE"})
    assert [r.read(n) for n in ("WEIGHTS", "RATE", "COUNT")] == [
        "<WEIGHTS>",
        "<RATE_2>",
        "<COUNT>",
    ]
    assert r.read("WEIGHTS") == "<WEIGHTS>"
    assert [c.name for c in r.captures.captures] == ["WEIGHTS", "RATE_2", "COUNT"]
    types_ = [str(c.type) for c in r.captures.captures]
    assert types_ == ["float64[WEIGHTS_0, 1]", "float", "int"]
    assert r.captures.guards == ()


def test_inputs_are_fetched_at_each_call(monkeypatch):
    r = Reading()
    r.read("RATE")
    [capture] = r.captures.captures
    monkeypatch.setitem(globals(), "RATE", 0.5)
    assert capture.fetch() == 0.5


def test_closure_cells():
    factor = 2.0

    def inner(x):
        return factor * x

    captures = Captures(lambda c: c)
    capture = captures.read(captures.lookup(parse(inner), "factor"))
    assert (capture.name, capture.place.text) == ("factor", "factor")
    factor = 3.0
    assert capture.fetch() == 3.0


def test_empty_cell_and_unknown_name():
    def inner(x):
        return later

    assert Captures(lambda c: c).lookup(parse(inner), "later") is None
    assert Reading().find("nowhere") is None
    if Reading is None:
        later = 1


def test_static_things_are_guarded(monkeypatch):
    for name, other in (("MODE", "tanh"), ("FLAG", False), ("helper", lambda x: x)):
        r = Reading()
        assert r.read(name).value is globals()[name]
        assert r.broken == []
        with monkeypatch.context() as patched:
            patched.setitem(globals(), name, other)
            assert r.broken == [name]
            patched.delitem(globals(), name)
            assert r.broken == [name]


def test_flag_is_not_a_number(monkeypatch):
    r = Reading()
    r.read("FLAG")
    monkeypatch.setitem(globals(), "FLAG", 1)
    assert r.broken == ["FLAG"]


def test_an_int_is_static_on_request(monkeypatch):
    place = Reading().find("COUNT").place
    r = Reading(frozenset({("capture", place)}))
    assert r.read("COUNT").value == 3
    monkeypatch.setitem(globals(), "COUNT", 4)
    assert r.broken == ["COUNT"]


def test_modules_are_not_guarded_and_libraries_hold_constants():
    r = Reading()
    assert r.read("np").value is np
    assert r.captures.read(r.attribute("np", "pi").found).value == np.pi
    assert r.captures.read(r.attribute("math", "pi").found).value == math.pi
    assert (r.captures.guards, r.captures.captures) == ((), ())


def test_pi_imported_by_name_is_a_constant(monkeypatch):
    monkeypatch.setitem(globals(), "pi", math.pi)
    r = Reading()
    assert r.read("pi").value == math.pi
    monkeypatch.setitem(globals(), "pi", 3)
    assert r.broken == ["pi"]


def test_numbers_in_the_users_modules_are_inputs(monkeypatch):
    module = types.ModuleType("settings")
    module.rate = 0.5
    monkeypatch.setitem(globals(), "settings", module)
    r = Reading()
    assert r.captures.read(r.attribute("settings", "rate").found) == "<rate>"
    assert r.captures.captures[0].place.text == "settings.rate"


def test_builtins_may_be_shadowed(monkeypatch):
    r = Reading()
    assert r.read("abs").value is abs
    assert r.broken == []
    monkeypatch.setitem(globals(), "abs", helper)
    assert r.broken == ["abs"]


def test_items_of_containers(monkeypatch):
    r = Reading()
    entries = r.captures.entries(r.find("PARAMS"))
    assert r.captures.read(entries["w"]) == "<w>"
    zeros, rate = r.captures.items(entries["more"])
    assert (r.captures.read(zeros), r.captures.read(rate)) == ("<more>", "<more_2>")
    assert r.captures.captures[2].place.text == "PARAMS['more'][1]"
    last = r.captures.item(entries["more"], -1)
    assert r.captures.read(last) == "<more_2>"
    monkeypatch.setitem(globals(), "PARAMS", {"w": WEIGHTS, "more": [1.0, RATE]})
    assert r.broken == []
    monkeypatch.setitem(PARAMS, "w", 2.0)
    monkeypatch.setitem(PARAMS, "new", 2.0)
    assert r.broken == ["PARAMS"]
    monkeypatch.setitem(globals(), "PARAMS", {"w": WEIGHTS, "more": [RATE]})
    assert r.broken == ["PARAMS['more']"]


def test_namedtuples():
    r = Reading()
    left, right = r.captures.items(r.find("PAIR"))
    assert r.captures.read(left) == "<PAIR>"
    assert r.captures.read(right).value == "x"


def test_attributes_of_objects(monkeypatch):
    r = Reading()
    assert r.captures.read(r.attribute("MODEL", "w").found) == "<w>"
    assert r.captures.read(r.attribute("MODEL", "bias").found) == "<bias>"
    assert r.captures.read(r.attribute("MODEL", "mode").found).value == "fast"
    with pytest.raises(AttributeError, match="nothing"):
        r.attribute("MODEL", "nothing")
    other = Model()
    monkeypatch.setitem(globals(), "MODEL", other)
    assert r.broken == []
    other.mode = "slow"
    assert r.broken == ["MODEL.mode"]
    monkeypatch.setitem(globals(), "MODEL", Reading)
    assert "type(MODEL)" in r.broken


def test_methods_and_properties(monkeypatch):
    r = Reading()
    method = r.attribute("MODEL", "forward")
    assert (method.kind, method.found.value) == ("method", Model.forward)
    assert method.receiver.value is MODEL
    getter = r.attribute("MODEL", "scale")
    assert (getter.kind, getter.found.value) == ("property", Model.scale.fget)
    made = r.attribute("MODEL", "make")
    assert (made.found.value, made.receiver.value) == (Model.make.__func__, Model)
    assert r.attribute("Model", "make").receiver.value is Model
    assert r.attribute("MODEL", "act").kind == "value"
    assert r.attribute("Model", "forward").kind == "value"
    assert r.broken == []
    monkeypatch.setattr(Model, "forward", lambda self, x: x)
    assert r.broken == ["Model.forward"]


def test_same_array_by_two_ways_is_one_input(monkeypatch):
    r = Reading()
    assert r.read("WEIGHTS") == "<WEIGHTS>"
    assert r.captures.read(r.attribute("MODEL", "w").found) == "<WEIGHTS>"
    assert r.broken == []
    monkeypatch.setattr(MODEL, "w", WEIGHTS.copy())
    assert r.broken == ["MODEL.w"]


def test_defaults_are_captured():
    r = Reading()
    start = r.captures.default(reader, "start")
    assert r.captures.read(start) == "<start>"
    assert r.captures.captures[0].fetch() is reader.__defaults__[0]
    assert start.place.text == "start"
    assert r.captures.read(r.captures.default(reader, "stop")).value == 5
    assert r.broken == []


def test_partial():
    captures = Captures(lambda c: c.place.text)
    bound = functools.partial(helper, np.ones(2), k="s")
    function, args, kwargs = captures.parts(Found(bound))
    assert (function.value, kwargs["k"].value) == (helper, "s")
    assert captures.read(args[0]) == "x"


def test_pinned_object(monkeypatch):
    r = Reading()
    assert r.captures.pin(r.find("MODEL")) is MODEL
    assert r.broken == []
    monkeypatch.setitem(globals(), "MODEL", Model())
    assert r.broken == ["MODEL"]


def test_array_that_cannot_be_compiled():
    with pytest.raises(InputTypeError, match="captured `BAD` has dtype object; convert"):
        Reading().read("BAD")
    masked = np.ma.masked_array([1.0])
    with pytest.raises(InputTypeError, match=r"captured `m` is a numpy.ma.MaskedArray"):
        Captures(lambda c: c).read(Found(masked, Place({"m": masked}, (("global", "m"),))))


def test_places():
    place = Place(sys, label="sys").attr("path").item(0)
    assert (place.text, place.name, place.fetch()) == ("sys.path[0]", "path", sys.path[0])
    assert place == Place(sys).attr("path").item(0)
    assert place != Place(math).attr("path").item(0)
    assert repr(place) == "<place sys.path[0]>"
    assert Place([1]).item(0).name == "captured"


def test_method_hidden_by_an_attribute(monkeypatch):
    r = Reading()
    r.attribute("MODEL", "forward")
    assert r.broken == []
    monkeypatch.setattr(MODEL, "forward", helper, raising=False)
    assert r.broken == ["MODEL"]


def test_code_replaced_in_place():
    def f(x):
        return x

    captures = Captures(lambda c: c)
    captures.code(f)
    [guard] = captures.guards
    assert guard.holds()
    f.__code__ = (lambda x: -x).__code__
    assert not guard.holds()


FACTOR = 3.0


def test_global_of_a_name_that_is_only_read():
    def f(x):
        global FACTOR
        return FACTOR * x

    assert sg.grad(f)(2.0) == FACTOR
