"""Every entry of the op table through every check."""

import pytest

from symgrad.ops import TABLE
from symgrad.testing import check_op

from . import (
    samples,
    samples_fft,
    samples_linalg,
    samples_math,
    samples_numpy,
    samples_scipy,
    samples_shape,
    samples_special,
)

TOPICS = (
    samples,
    samples_fft,
    samples_linalg,
    samples_math,
    samples_numpy,
    samples_scipy,
    samples_shape,
    samples_special,
)
SAMPLES = {name: given for topic in TOPICS for name, given in topic.SAMPLES.items()}


APART = ("effect", "random", "marker", "list", "once")
"""Traits of what is tested elsewhere."""
ENTRIES = [n for n, op in TABLE.items() if op.has("slope") or not any(map(op.has, APART))]


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.filterwarnings("ignore:The `disp` argument is deprecated")
@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_entry(name: str) -> None:
    check_op(name, *SAMPLES.get(name, []))


def test_samples_are_of_entries() -> None:
    assert set(SAMPLES) <= set(TABLE)
    assert len(SAMPLES) == sum(len(topic.SAMPLES) for topic in TOPICS)
