"""Every entry of the op table through every check."""

import importlib

import pytest

from symgrad.ops import TABLE
from symgrad.testing.check_op import Sample, check_op

from .samples import SAMPLES


def all_samples() -> dict[str, list[Sample]]:
    found = dict(SAMPLES)
    found |= importlib.import_module(".samples_shape", __package__).SAMPLES
    return found


@pytest.mark.parametrize("name", sorted(TABLE))
def test_entry(name: str) -> None:
    check_op(name, *all_samples().get(name, []))
