"""Every entry of the op table that takes complex numbers, with its samples made complex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from symgrad.errors import DTypeError, GradcheckError, SymgradError
from symgrad.ops import SURFACE, TABLE
from symgrad.testing.check_op import Sample, _Check
from symgrad.testing.single_op import call_surface

from .test_table import ENTRIES, SAMPLES

ONLY_REAL = frozenset("cov histogram_bin_edges joined linspace python_sum".split())
"""NumPy gives complex numbers where nobody means them, or none at all."""
UP_TO_PHASES = frozenset(
    "linalg_eig_pair linalg_eigh linalg_svd scipy_eigh scipy_schur schur_back schur_turn".split()
)
"""Complex vectors are of any phase; what does not depend on it is tested with the functions."""
LEFT_OUT = ONLY_REAL | UP_TO_PHASES


def samples(name: str) -> Iterator[Sample]:
    """The op's real samples with all inputs complex, and with each alone complex."""
    rng = np.random.default_rng(5)

    def turned(x: Any) -> Any:
        made = x + 1j * rng.uniform(-0.4, 0.4, np.shape(x))
        return made if isinstance(x, np.ndarray | np.generic) else complex(made)

    for given in SAMPLES.get(name, [])[:1]:
        real = [i for i, x in enumerate(given.inputs) if np.asarray(x).dtype == float]
        if any(np.iscomplexobj(x) for x in given.inputs):
            continue
        for chosen in [real, *([i] for i in real if len(real) > 1)]:
            inputs = enumerate(given.inputs)
            made = tuple(turned(x) if i in chosen else x for i, x in inputs)
            if chosen:
                yield Sample(made, given.attrs)


@pytest.mark.parametrize(
    "name", sorted(n for n in ENTRIES if not TABLE[n].has("nondiff") and n not in LEFT_OUT)
)
def test_rules_hold_for_complex_numbers(name: str) -> None:
    codes: dict[Any, Any] = {}
    for given in samples(name):
        try:
            with np.errstate(all="ignore"):
                _Check(TABLE[name], given, codes, "complex").run(set(), order=1)
        except GradcheckError:
            raise
        except (SymgradError, TypeError, ValueError, np.exceptions.ComplexWarning):
            continue  # not for complex numbers, which NumPy or the type rule says


def test_real_functions_say_so() -> None:
    from symgrad.ops.activation import erf, sigmoid

    for surface in (erf, sigmoid):
        SURFACE[surface] = surface
        try:
            with pytest.raises(DTypeError, match="takes real numbers"):
                call_surface(surface, np.ones(2, complex))
        finally:
            del SURFACE[surface]
