"""Field cases: functions that other tools get wrong or refuse, with the right answers.

A case is a dict: ``id``, ``kind``, ``origin`` (the public report that gave the idea),
``title``, ``level``; ``fn``, ``args`` (makes fresh inputs), ``argnums``, ``mode`` (``grad``,
``hess``, ``d2``, ``d3``, ``gradpen``), ``expected`` and ``accept``, ``rtol`` and ``atol``,
``want`` (further things to assert), ``refusal_ok`` and ``error_ok`` (an error is an answer too),
``calls`` (more calls of the same function); ``torch`` and ``jax`` say what those return. The
wording and the code are our own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CASES: list[dict[str, Any]] = []
DEFAULTS: dict[str, Any] = {
    "level": "must",
    "refusal_ok": False,
    "argnums": (0,),
    "mode": "grad",
    "accept": (),
    "want": (),
    "rtol": 1e-6,
    "atol": 1e-9,
}


def add(**case: Any) -> None:
    """Add a case; what it leaves out has the usual value."""
    CASES.append(DEFAULTS | case)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x))
    return e / e.sum()


def answers(case: dict[str, Any]) -> list[Any]:
    """Every right answer, each a list with one entry per argnum."""
    expected = case["expected"]
    first = expected(*case["args"]()) if callable(expected) else expected
    return [first, *case["accept"]]
