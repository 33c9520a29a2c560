"""Every entry of the op table through every check."""

import pytest

from symgrad.ops import TABLE
from symgrad.testing import check_op

from . import samples, samples_linalg, samples_shape

SAMPLES = samples.SAMPLES | samples_shape.SAMPLES | samples_linalg.SAMPLES


@pytest.mark.parametrize("name", sorted(n for n in TABLE if not TABLE[n].has("effect")))
def test_entry(name: str) -> None:
    check_op(name, *SAMPLES.get(name, []))


def test_samples_are_of_entries() -> None:
    assert set(SAMPLES) <= set(TABLE)
    assert not set(samples.SAMPLES) & set(samples_shape.SAMPLES)
