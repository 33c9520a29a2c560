"""What is said of a function without a rule: its public name, near names, how to give it one."""

import ctypes
import math
import zlib

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError
from symgrad.frontend.names.unknown import public_name


def message(function, *args):
    with pytest.raises(UnsupportedFunctionError) as caught:
        sg.grad(function)(*args)
    assert caught.value.lineno == function.__code__.co_firstlineno + 1
    return caught.value.message


def checksum(x):
    return zlib.crc32(x)


def iterated(x):
    return np.sum(np.nditer(x))


def test_its_name_near_names_and_how_to_give_it_a_rule() -> None:
    said = message(checksum, 1.5)
    assert said.startswith("`zlib.crc32` has no entry in the op table")
    assert said.endswith("; `symgrad.def_rule(zlib.crc32, vjp=...)` gives it a rule")


COUNTED = np.frompyfunc(lambda v: v, 1, 1)


def counted(x):
    return np.sum(COUNTED(x))


def from_c(x):
    return ctypes.pythonapi.PyFloat_AsDouble(x)


def test_functions_of_the_users_in_c() -> None:
    said = message(counted, np.ones(3))
    assert said.startswith("`<lambda> (vectorized)` has no entry in the op table")
    assert said.endswith("`symgrad.elementwise(f, '<slope in x and out>')` gives it a rule")
    said = message(from_c, 1.5)
    assert "PyFloat_AsDouble` has no entry in the op table, and cannot have one" in said
    assert said.endswith("call it in a function of yours with `symgrad.custom_vjp`")


def test_why_it_is_left_out() -> None:
    said = message(iterated, np.ones(3))
    assert "`numpy.nditer` has no entry in the op table (iterates in Python: write" in said


def test_scipys_names_are_the_public_ones() -> None:
    special = pytest.importorskip("scipy.special")

    def ufunc(x):
        return np.sum(special.agm(x, x))

    said = message(ufunc, np.ones(3))
    assert said.startswith("`scipy.special.agm` has no entry")
    assert "; `symgrad.elementwise(scipy.special.agm, '<slope in x and out>')`" in said
    assert public_name(special.diric) == "scipy.special.diric"
    assert public_name(math.sin) == "math.sin"
    assert public_name(len) == "len"
    assert public_name(np.exp) == "numpy.exp"
    if hasattr(special, "legendre_p"):  # an object that does not know its name
        assert public_name(special.legendre_p) == "scipy.special.legendre_p"


def test_methods_of_distributions_are_named_as_users_write_them() -> None:
    stats = pytest.importorskip("scipy.stats")

    def inverted(x):
        return np.sum(stats.norm.ppf(x))

    said = message(inverted, np.array([0.3]))
    assert said.startswith("`scipy.stats.norm.ppf` has no entry in the op table")

    def frozen(x):
        return np.sum(stats.norm(x, 1.0).pdf(0.3))

    said = message(frozen, np.array([0.3]))
    assert said.startswith("`scipy.stats.norm` has no entry in the op table")
    assert ".__" not in said
    assert "_distn_infrastructure" not in said


def test_similar_names_are_public_ones() -> None:
    special = pytest.importorskip("scipy.special")

    def near(x):
        return np.sum(special.modstruve(2, x))

    assert "similar names that are known: scipy.special.struve" in message(near, np.ones(3))
