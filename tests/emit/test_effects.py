"""Asserts, raises and prints look like the user's, and say where they are."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg


def careful(x):
    assert x.sum() > 0, "positive"
    total = 0.0
    for v in x:
        if v < -1:
            raise ValueError("negative")
        elif v > 10:  # noqa: RET506
            total = total + 2 * v
        else:
            total = total + v * v
    print(total)
    a, b = x[x > 0]
    return a * b * total


TEXT = """\
    # test_effects.py:12: assert x.sum() > 0, "positive"
    if not np.sum(x) > 0:
        raise AssertionError('positive')
    total = 0.0
    # test_effects.py:14: for v in x:
    for i in range(x.shape[0]):
        v = x[i]
        if v < -1:
            # test_effects.py:16: raise ValueError("negative")
            raise ValueError('negative')
        elif v > 10:
            # test_effects.py:18: total = total + 2 * v
            total += 2 * v
        else:
            # test_effects.py:20: total = total + v * v
            total += v * v
    # test_effects.py:21: print(total)
    print(total)
    # test_effects.py:22: a, b = x[x > 0]
    gather_x = x[x > 0]
    _require_length(gather_x.shape[0], 2)
"""


def test_text() -> None:
    source = sg.compile(careful).lower(np.ones(2)).source
    assert TEXT in source
    assert "_require(" not in source


@pytest.mark.parametrize(
    ("x", "error", "line"),
    [
        ([-1.0, -1.0], AssertionError, "assert x.sum() > 0"),
        ([-2.0, 5.0], ValueError, 'raise ValueError("negative")'),
        ([1.0, 1.0, 1.0], ValueError, "a, b = x[x > 0]"),
    ],
)
@pytest.mark.parametrize("verb", [sg.compile, sg.grad])
def test_errors_name_the_line(
    x: list[float], error: type[Exception], line: str, verb: object
) -> None:
    with pytest.raises(error) as caught:
        verb(careful)(np.array(x))  # type: ignore[operator]
    assert line in "".join(caught.value.__notes__)
    with pytest.raises(error) as plain:
        careful(np.array(x))
    assert str(plain.value).startswith(str(caught.value))  # pytest adds to an assert's


def talkative(x):
    if x[0] > 1:
        raise ValueError(
            "the first entry is larger than 1, which is more than what is 'allowed' here"
        )
    if x[1] > 1:
        raise ValueError(f"the second entry is {x[1]}, which is more than 1 {'and so' * 9}")
    return x[0] * x[1]


@pytest.mark.parametrize("x", [[2.0, 0.0], [0.0, 2.0]])
def test_long_messages_take_several_lines(x: list[float]) -> None:
    verb = sg.compile(talkative)
    source = verb.lower(np.ones(2)).source
    assert max(map(len, source.splitlines())) <= 88
    with pytest.raises(ValueError, match="more than") as caught:
        verb(np.array(x))
    with pytest.raises(ValueError, match="more than") as plain:
        talkative(np.array(x))
    assert str(caught.value) == str(plain.value)
