"""What users of other tools expect is there: both modes, and both again.

Entries of the op table go through ``check_op`` in ``test_table``; here their samples are looked
at. What has no entry of its name has a call, which is checked here.
"""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.ops import TABLE
from symgrad.ops.coverage import entries
from symgrad.testing import Sample
from symgrad.testing.derived import Code

from .calls import derivatives_agree
from .reference_calls import CALLS
from .reference_names import DATA, KNOWN, MORE
from .test_table import ENTRIES, SAMPLES

LISTED = {e.name: e for e in entries()}
PREFIXES = {"numpy.linalg": "linalg_", "scipy.linalg": "linalg_"}
RENAMED = {"scipy.linalg.schur": "scipy_schur"}


def names(of: str) -> Iterator[str]:
    for line in of.strip().splitlines():
        module, rest = line.split(": ")
        if module.startswith("numpy") or importlib.util.find_spec("scipy"):
            yield from (f"{module}.{name}" for name in rest.split())


def op_of(name: str) -> Any:
    """The entry that bears a function's name, or the name that it has elsewhere."""
    module, _, last = name.rpartition(".")
    other = getattr(getattr(importlib.import_module(module), last), "__name__", last)
    words = [RENAMED.get(name, ""), *(PREFIXES.get(module, "") + w for w in (other, last))]
    return next(TABLE[word] for word in [*words, other] if word in TABLE)


EXPECTED = [*names(KNOWN), *names(MORE)]
WITH_CALL = [n for n in EXPECTED if n in CALLS]
LEVEL = {*names(DATA), "scipy.special.gammasgn"} - {"numpy.full_like"}
SOLVERS = {"scipy.integrate.odeint"}  # in tests/solvers, to second order too
WITH_ENTRY = [n for n in EXPECTED if n not in {*CALLS, *LEVEL, *SOLVERS}]


def test_every_name_is_listed_once_and_as_what_it_is() -> None:
    assert set(WITH_CALL) == set(CALLS)
    assert len(set(EXPECTED)) == len(EXPECTED)
    assert {n for n in (*EXPECTED, *names(DATA)) if LISTED[n].modes == ""} == LEVEL
    assert {LISTED[n].status for n in LEVEL} == {"no gradient", "when compiling"}


@pytest.mark.parametrize("name", WITH_ENTRY)
def test_entry_has_both_modes_and_samples_of_real_numbers(name: str) -> None:
    kind = op_of(name)
    assert kind.name in ENTRIES  # so check_op goes through both modes, and both again
    assert kind.vjp and (kind.jvp or kind.has("linear") or kind.has("additive"))
    assert any(map(is_real, SAMPLES[kind.name])), kind.name


def is_real(given: Sample) -> bool:
    return any(np.asarray(x).dtype.kind in "fc" for x in given.inputs)


@pytest.mark.parametrize("name", WITH_CALL)
def test_call(name: str) -> None:
    function, args = CALLS[name]
    compiled = sg.compile(lambda *x: function(*x))
    got, expected = compiled(*args), function(*args)
    many = isinstance(expected, tuple | list)
    for x, y in zip(got if many else [got], expected if many else [expected], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)
    code = Code(compiled.lower(*args).function)
    derivatives_agree(code, list(args), 2, 1e-5, name)
