"""Initial value problems: SciPy solves them, and the derivatives are again solutions of such
problems, of the adjoint equation backwards and of the sensitivities forwards (Pontryagin 1962).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import functools
import warnings
from collections import namedtuple

import numpy as np
import scipy.integrate

from ..custom import Function
from ..ops.written.functions import WRITTEN
from ..runtime import jvp, spec, vjp

OdeSolution = namedtuple(
    "OdeSolution",
    "t y sol t_events y_events status message success",
    defaults=(None, None, None, 0, "solved to the end", True),
)


# -------------------------------------------------------------- right-hand sides, y(t, *args)
def rate(fun, tfirst, y, t, *args):
    """``fun`` as an array, the state first."""
    return np.asarray(fun(t, y, *args) if tfirst else fun(y, t, *args))


def sensitivity(fun, s, t, *given):
    """A state and how fast a change of it grows; ``given`` are arguments and their changes."""
    n, half = len(s) // 2, len(given) // 2
    moved = (s[n:], np.zeros(()), *given[half:])
    slope, change = jvp(fun, (s[:n], np.asarray(t, float), *given[:half]), moved)
    return np.concatenate([slope, change])


def adjoint(fun, s, t, *args):
    """A state, its adjoint, and what the adjoints of the arguments add up to."""
    n = (len(s) - sum([np.size(p) for p in args])) // 2
    slope, back = vjp(fun, s[:n], np.asarray(t, float), *args)
    state, _, *parts = back(s[n : 2 * n])
    return np.concatenate([slope, -state, *[-np.ravel(p) for p in parts]])


# -------------------------------------------------------------------------------- the rules
class Solved(Function):
    """``solver(fun, y0, t, args, options)``, which runs as it is: SciPy calls ``fun`` back."""

    __symgrad_as_is__ = "SciPy's solver"

    @staticmethod
    def forward(ctx, solver, fun, options, y0, t, *args):
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.integrate.ODEintWarning)  # no result then
            return solver(fun, y0, t, args, options)

    @staticmethod
    def shape(solver, fun, options, y0, t, *args):
        return spec((len(t), len(y0)), np.float64)

    @staticmethod
    def backward(ctx, g):
        raise AssertionError("the rule of what calls it comes first")


class Trajectory(Function):
    """A row with the state for each time."""

    orders = 1  # and as many as transforms around the call ask for

    @staticmethod
    def forward(solver, fun, options, y0, t, *args):
        return Solved.apply(solver, fun, options, y0, t, *args)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.solver, ctx.fun, ctx.options, _, t, *args = inputs
        ctx.save_for_backward(output, t, *args)

    @staticmethod
    def backward(ctx, g):
        return backwards(ctx, g)

    @staticmethod
    def jvp(ctx, solver_t, fun_t, options_t, y0_t, t_t, *args_t):
        return forwards(ctx, y0_t, t_t, args_t)


class Stepped(Function):
    """``by_own_steps``, which runs as it is."""

    __symgrad_as_is__ = "SciPy's solver"

    @staticmethod
    def forward(ctx, fun, options, y0, span, *args):
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.integrate.ODEintWarning)
            return by_own_steps(fun, y0, span, args, options[0])

    @staticmethod
    def shape(fun, options, y0, span, *args):
        return spec((None,), np.float64), spec((None, len(y0)), np.float64)

    @staticmethod
    def backward(ctx, g_times, g):
        raise AssertionError("the rule of what calls it comes first")


class Steps(Function):
    """Times and states at the solver's own steps between two times. The steps are what the
    solver makes of them: only the first and the last time move."""

    orders = 1

    @staticmethod
    def forward(fun, options, y0, span, *args):
        return Stepped.apply(fun, options, y0, span, *args)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.fun, ctx.options, _, _, *args = inputs
        ctx.solver = by_solve_ivp
        ctx.save_for_backward(output[1], output[0], *args)

    @staticmethod
    def backward(ctx, g_times, g):
        _, _, _, start, by_time, *parts = backwards(ctx, g)
        moved = by_time + g_times
        return None, None, start, np.stack([moved[0], moved[-1]]), *parts

    @staticmethod
    def jvp(ctx, fun_t, options_t, y0_t, span_t, *args_t):
        t = ctx.saved_arrays[1]
        moved = np.zeros(t.shape)
        moved[0], moved[-1] = span_t[0], span_t[1]
        return moved, forwards(ctx, y0_t, moved, args_t)


def backwards(ctx, g):
    """The adjoint equation, from one time to the one before."""
    states, t, *args = ctx.saved_arrays
    fun, n = ctx.fun, states.shape[1]
    settings, _ = ctx.options
    back = functools.partial(adjoint, fun)
    sizes = [np.size(p) for p in args]
    a, sums, by_time = np.zeros(n), np.zeros(sum(sizes)), np.zeros(len(t))
    for i in range(len(t) - 1, 0, -1):
        by_time[i] = np.dot(g[i], fun(states[i], t[i], *args))
        start = np.concatenate([states[i], a + g[i], sums])
        times = np.stack([t[i], t[i - 1]])
        end = Trajectory.apply(ctx.solver, back, (settings, None), start, times, *args)[-1]
        a, sums = end[n : 2 * n], end[2 * n :]
    by_time[0] = -np.dot(a, fun(states[0], t[0], *args))
    parts, first = [], 0
    for p, size in zip(args, sizes, strict=True):
        parts.append(np.reshape(sums[first : first + size], np.shape(p))[()])
        first += size
    return None, None, None, a + g[0], by_time, *parts


def forwards(ctx, y0_t, t_t, args_t):
    """The sensitivities along with the states."""
    states, t, *args = ctx.saved_arrays
    fun, n = ctx.fun, states.shape[1]
    start = y0_t - fun(states[0], t[0], *args) * t_t[0]
    both = np.concatenate([states[0], start])
    forth = functools.partial(sensitivity, fun)
    moved = Trajectory.apply(ctx.solver, forth, ctx.options, both, t, *args, *args_t)[:, n:]
    out = np.zeros(states.shape)
    for i in range(len(t)):
        out[i] = moved[i] + fun(states[i], t[i], *args) * t_t[i]
    return out


# ------------------------------------------------------------------------------ the solvers
def by_odeint(fun, y0, t, args, options):
    """``scipy.integrate.odeint``."""
    rtol, atol, mxstep = options[0]
    return scipy.integrate.odeint(fun, y0, t, args, rtol=rtol, atol=atol, mxstep=mxstep)


def by_solve_ivp(fun, y0, t, args, options):
    """``scipy.integrate.solve_ivp``, the state at the first time in front."""
    settings, end = options
    span = (t[0], t[-1] if end is None else end)
    if span[0] == span[1]:
        return np.repeat(np.reshape(y0, (1, -1)), len(t), axis=0)
    found = solved(fun, y0, span, args, settings, t_eval=t[1:])
    return np.concatenate([np.reshape(y0, (1, -1)), found.y.T])


def by_own_steps(fun, y0, span, args, settings):
    """``scipy.integrate.solve_ivp``: the times of its steps, and the states."""
    found = solved(fun, y0, (span[0], span[1]), args, settings)
    return found.t, found.y.T


def solved(fun, y0, span, args, settings, **places):
    """SciPy's result; an error where there is none."""
    method, rtol, atol, max_step = settings

    def turned(time, y):
        return fun(y, time, *args)

    found = scipy.integrate.solve_ivp(
        turned, span, y0, method, rtol=rtol, atol=atol, max_step=max_step, **places
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return found


# ------------------------------------------------------------------------- SciPy's functions
def numbers(args):
    """Arguments of the right-hand side, lists of numbers as arrays."""
    given = args if isinstance(args, tuple) else (args,)
    return [np.asarray(a) if isinstance(a, list | tuple) else a for a in given]


def odeint(func, y0, t, args=(), *, rtol=None, atol=None, mxstep=0, tfirst=False):
    """``scipy.integrate.odeint``."""
    fun = functools.partial(rate, func, tfirst)
    start = np.atleast_1d(np.asarray(y0, float))
    times = np.asarray(t, float)
    options = ((rtol, atol, mxstep), None)
    return Trajectory.apply(by_odeint, fun, options, start, times, *numbers(args))


def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, *, args=None, rtol=1e-3, atol=1e-6,
    max_step=np.inf, vectorized=False,
):  # fmt: skip
    """``scipy.integrate.solve_ivp``; without ``t_eval`` at its own steps."""
    rhs = functools.partial(rate, fun, True)
    start = np.atleast_1d(np.asarray(y0, float))
    settings = (method, rtol, atol, max_step)
    given = () if args is None else numbers(args)
    if t_eval is None:
        span = np.stack([np.asarray(t_span[0], float), np.asarray(t_span[1], float)])
        times, states = Steps.apply(rhs, (settings, None), start, span, *given)
        return OdeSolution(times, states.T)
    times = np.concatenate([np.asarray([t_span[0]], float), np.asarray(t_eval, float)])
    options = (settings, np.asarray(t_span[1], float))
    states = Trajectory.apply(by_solve_ivp, rhs, options, start, times, *given)
    return OdeSolution(times[1:], states[1:].T)


WRITTEN[scipy.integrate.odeint] = odeint
WRITTEN[scipy.integrate.solve_ivp] = solve_ivp
