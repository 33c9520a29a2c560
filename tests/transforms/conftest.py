"""Passes are tested on IR text: what comes out, and that it computes the same."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgrad.ir.evaluate import evaluate
from symgrad.ir.parser import parse
from symgrad.ir.printer import to_text
from symgrad.ir.values import Function
from symgrad.ir.verify import verify
from symgrad.ops import TABLE


def equal(a: Any, b: Any, exact: bool) -> None:
    """Two results agree, in type too; to the last bit if ``exact``."""
    assert type(a) is type(b)
    if isinstance(a, list):
        assert len(a) == len(b)
        return
    if exact:
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.fixture
def check() -> Callable[..., Function]:
    """``check(step, before, after, *args)``: ``step`` turns ``before`` into ``after`` (the
    same if None), and both give the same for ``args``."""

    def run(
        step: Callable[[Function], Function],
        before: str,
        after: str | None,
        *args: Any,
        exact: bool = True,
    ) -> Function:
        start = parse(textwrap.dedent(before), TABLE)
        verify(start)
        text = to_text(start)
        result = step(start)
        verify(result)
        assert to_text(start) == text, "the pass changed its input"
        verify(start)
        wanted = text if after is None else to_text(parse(textwrap.dedent(after), TABLE))
        assert to_text(result) == wanted
        assert to_text(step(result)) == wanted, "the pass is not at its fixed point"
        if args:
            pairs = zip(evaluate(start, args), evaluate(result, args), strict=True)
            for old, new in pairs:
                equal(old, new, exact)
        return result

    return run
