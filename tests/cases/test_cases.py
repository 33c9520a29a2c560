"""Every field case that is a function: the right numbers, in reverse and in forward mode."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError

from . import (  # noqa: F401  (each adds its cases)
    complex_and_cost,
    control_flow,
    dtype_and_shape,
    higher_order,
    matrices,
    mutation,
    nan_safe,
    source,
    ties,
)
from .registry import CASES, answers

FUNCTIONS = [c for c in CASES if "fn" in c]
GRADIENTS = [c for c in FUNCTIONS if c["mode"] == "grad"]


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(c, id=c["id"]) for c in cases]


def derivative(case: dict[str, Any], args: tuple[Any, ...]) -> list[Any]:
    """What the case asks for, as a list with an entry for each argnum."""
    fn, argnums = case["fn"], tuple(case["argnums"])
    if case["mode"] == "grad":
        return list(sg.grad(fn, argnums)(*args))
    if case["mode"] == "hess":
        n = np.size(args[argnums[0]])
        return [np.reshape(sg.hessian(fn, argnums[0])(*args), (n, n))]
    if case["mode"] in ("d2", "d3"):
        second = sg.grad(sg.grad(fn))
        return [(second if case["mode"] == "d2" else sg.grad(second))(*args)]
    inner = sg.grad(fn, case["wrt"])

    def penalty(*given):
        return np.sum(inner(*given) ** 2)

    return list(sg.grad(penalty, argnums)(*args))


def check(case: dict[str, Any], got: list[Any], wanted: list[list[Any]]) -> None:
    tolerance = {"rtol": case["rtol"], "atol": case["atol"], "equal_nan": True}
    assert any(
        all(
            np.shape(g) == np.shape(e) and np.allclose(g, e, **tolerance)
            for g, e in zip(got, answer, strict=True)
        )
        for answer in wanted
    ), f"got {got}, wanted one of {wanted}"


def acceptable(case: dict[str, Any], error: Exception) -> bool:
    """Whether an error is an answer."""
    if "error_ok" in case or case["refusal_ok"]:
        return isinstance(error, SymgradError | np.linalg.LinAlgError)
    return False


@pytest.mark.parametrize("case", named(FUNCTIONS))
def test_reverse(case: dict[str, Any]) -> None:
    args = case["args"]()
    want = case["want"]
    with warnings.catch_warnings():
        if "no-warning" not in want:
            warnings.simplefilter("ignore")
        try:
            got = derivative(case, args)
        except Exception as error:
            if acceptable(case, error):
                return
            raise
    check(case, got, answers(case))
    if case["mode"] == "grad":
        for more, expected in case.get("calls", ()):
            check(case, derivative(case, more), [expected])
    if "finite" in want:
        assert all(np.all(np.isfinite(g)) for g in got)
    if "inputs-unchanged" in want:
        for now, before in zip(args, case["args"](), strict=True):
            np.testing.assert_array_equal(now, before)
    chosen = [args[i] for i in case["argnums"]]
    if "dtype=argument" in want:
        assert [np.asarray(g).dtype for g in got] == [np.asarray(a).dtype for a in chosen]
    if "real" in want:
        assert all(np.isrealobj(g) for g in got)
    if "no-alias" in want:
        arrays = [*got, *(a for a in args if isinstance(a, np.ndarray))]
        for k, a in enumerate(arrays):
            assert not any(np.may_share_memory(a, b) for b in arrays[k + 1 :])


@pytest.mark.parametrize("case", named(GRADIENTS))
def test_forward(case: dict[str, Any]) -> None:
    args = case["args"]()
    rng = np.random.default_rng(1)
    fn, argnums = case["fn"], tuple(case["argnums"])
    chosen = [args[i] for i in argnums]
    if not all(np.asarray(a).dtype.kind == "f" for a in chosen):
        return

    direction = tuple(
        np.asarray(rng.uniform(0.5, 1.5, np.shape(a)), np.asarray(a).dtype)[()]
        for a in chosen
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            gradient = sg.grad(fn, argnums)(*case["args"]())
            _, slope = sg.jvp(
                lambda *given: fn(*_put(args, argnums, given)), tuple(chosen), direction
            )
        except SymgradError:
            if case["refusal_ok"] or "error_ok" in case:
                return
            raise
    total = sum(np.sum(g * d) for g, d in zip(gradient, direction, strict=True))
    np.testing.assert_allclose(slope, total, rtol=max(case["rtol"], 1e-6), atol=1e-8)


def _put(args, argnums, given):
    full = list(args)
    for i, a in zip(argnums, given, strict=True):
        full[i] = a
    return full
