"""``gradcheck`` and ``gradgradcheck``: whole Jacobians against central differences, with the
argument names and defaults of ``torch.autograd.gradcheck``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import GradcheckError
from ..runtime.directional import vjp
from ..runtime.tracebacks import shortened
from . import _further as further
from ._jacobians import JacobianCheck, copied, is_float, like, outputs_of

Steps = Sequence[tuple[bool, Callable[[], None]]]


@shortened
def gradcheck(
    fun: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Compare the Jacobians of ``fun`` at ``inputs`` with central differences.

    Args:
        fun: a function of arrays and numbers that returns one or a tuple of them.
        inputs: its arguments, a tuple (or a single one); those of floats are varied.
        eps: the step of the differences.
        atol, rtol: an entry may differ by ``atol + rtol * abs(difference quotient)``.
        raise_exception: raise where the check fails, rather than return False.
        nondet_tol: how much two runs of the backward may differ.
        check_undefined_grad: also pass None as the cotangent of each result in turn.
        check_grad_dtypes: also require gradients of the dtypes of their arguments.
        check_batched_grad: also compare with the gradients of a batch of cotangents.
        check_batched_forward_grad: likewise with the tangents of a batch (``check_forward_ad``).
        check_forward_ad, check_backward_ad: the modes to check.
        fast_mode: compare one random product ``u @ J @ v`` instead of all entries.

    Returns:
        True, or False where it fails and ``raise_exception`` is off.

    Raises:
        GradcheckError: with the worst entry, its place, both values and the tolerance.
        ValueError: there is nothing to vary, no mode to check, or a batch of tangents without
            forward mode.

    Example:
        >>> testing.gradcheck(lambda x, y: np.sin(x) * y, (np.array([0.3, 1.0]), 2.0))
        True
    """
    _validate(check_forward_ad, check_backward_ad, check_batched_forward_grad)
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    check = JacobianCheck(fun, given, eps, atol, rtol, "fast" if fast_mode else "slow")
    steps: Steps = (
        (check_forward_ad, check.forward),
        (check_batched_forward_grad, lambda: further.batched_forward(check)),
        (check_backward_ad, lambda: check.backward(nondet_tol)),
        (check_backward_ad and check_undefined_grad, lambda: further.undefined(check)),
        (check_backward_ad and check_grad_dtypes, lambda: further.dtypes(check)),
        (check_backward_ad and check_batched_grad, lambda: further.batched(check)),
    )
    return _passes(check, steps, raise_exception)


def _validate(forward: bool, backward: bool, batched_forward: bool) -> None:
    if not (forward or backward):
        raise ValueError("gradcheck: both check_forward_ad and check_backward_ad are off")
    if batched_forward and not forward:
        raise ValueError("gradcheck: check_batched_forward_grad goes with check_forward_ad")


def _passes(check: JacobianCheck, steps: Steps, raise_exception: bool) -> bool:
    check.validate()
    try:
        for wanted, step in steps:
            if wanted:
                step()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


@shortened
def gradgradcheck(
    fun: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Compare second derivatives with differences of first ones: ``gradcheck`` of the gradient,
    as a function of the inputs and of the cotangents.

    Args:
        fun, inputs: as in ``gradcheck``.
        grad_outputs: a cotangent for each result; random ones by default.
        gen_non_contig_grad_outputs: make those non-contiguous.
        check_fwd_over_rev, check_rev_over_rev: the modes to check.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes,
            check_batched_grad, fast_mode: as in ``gradcheck``.

    Example:
        >>> testing.gradgradcheck(lambda x: np.sin(x), np.array([0.3, 1.0]))
        True
    """
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    varied = [i for i, x in enumerate(given) if is_float(x)]
    count = len(given)
    out = fun(*map(copied, given))
    several = isinstance(out, tuple)
    cotangents = _cotangents(outputs_of(out), grad_outputs, gen_non_contig_grad_outputs)

    def gradient(*args: Any) -> Any:
        _, pullback = vjp(fun, *args[:count])
        found = pullback(args[count:] if several else args[count])
        return tuple([found[i] for i in varied])

    return gradcheck(
        gradient,
        (*given, *cotangents),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def _cotangents(outputs: list[Any], given: Any, apart: bool) -> list[Any]:
    """One for each result, random where none are given."""
    if given is None:
        rng = np.random.default_rng(0)
        return [_random(rng, y, apart) for y in outputs]
    listed = list(given if isinstance(given, tuple) else (given,))
    if len(listed) != len(outputs):
        raise ValueError(
            f"gradgradcheck: {len(listed)} grad_outputs for {len(outputs)} results"
        )
    return listed


def _random(rng: np.random.Generator, y: Any, apart: bool) -> Any:
    made = rng.standard_normal(np.shape(y))
    if apart and made.ndim:
        made = np.repeat(made, 2, axis=-1)[..., ::2]
    return like(y, made) if not apart else np.asarray(made, np.asarray(y).dtype)


__all__ = ["gradcheck", "gradgradcheck"]
