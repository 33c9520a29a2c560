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
from ..errors import DoubleBackwardError
from ..ops.written import WRITTEN
from ..runtime import jvp, spec, vjp

OdeSolution = namedtuple("OdeSolution", "t y")


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
        raise DoubleBackwardError(
            "a solution of scipy.integrate has a first and a second derivative, no third"
        )


class Derivative(Function):
    """A row with the state for each time; its derivatives are not differentiated again."""

    @staticmethod
    def forward(solver, fun, options, y0, t, *args):
        return Solved.apply(solver, fun, options, y0, t, *args)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.solver, ctx.fun, ctx.options, _, t, *args = inputs
        ctx.save_for_backward(output, t, *args)

    @staticmethod
    def backward(ctx, g):
        return backwards(Solved, ctx, g)

    @staticmethod
    def jvp(ctx, solver_t, fun_t, options_t, y0_t, t_t, *args_t):
        return forwards(Solved, ctx, y0_t, t_t, args_t)


class Trajectory(Function):
    """A row with the state for each time."""

    @staticmethod
    def forward(solver, fun, options, y0, t, *args):
        return Solved.apply(solver, fun, options, y0, t, *args)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.solver, ctx.fun, ctx.options, _, t, *args = inputs
        ctx.save_for_backward(output, t, *args)

    @staticmethod
    def backward(ctx, g):
        return backwards(Derivative, ctx, g)

    @staticmethod
    def jvp(ctx, solver_t, fun_t, options_t, y0_t, t_t, *args_t):
        return forwards(Derivative, ctx, y0_t, t_t, args_t)


def backwards(solve, ctx, g):
    """The adjoint equation, from one time to the one before."""
    states, t, *args = ctx.saved_arrays
    fun, n = ctx.fun, states.shape[1]
    back = functools.partial(adjoint, fun)
    sizes = [np.size(p) for p in args]
    a, sums, by_time = np.zeros(n), np.zeros(sum(sizes)), np.zeros(len(t))
    for i in range(len(t) - 1, 0, -1):
        by_time[i] = np.dot(g[i], fun(states[i], t[i], *args))
        start = np.concatenate([states[i], a + g[i], sums])
        times = np.stack([t[i], t[i - 1]])
        end = solve.apply(ctx.solver, back, ctx.options, start, times, *args)[-1]
        a, sums = end[n : 2 * n], end[2 * n :]
    by_time[0] = -np.dot(a, fun(states[0], t[0], *args))
    parts, first = [], 0
    for p, size in zip(args, sizes, strict=True):
        parts.append(np.reshape(sums[first : first + size], np.shape(p))[()])
        first += size
    return None, None, None, a + g[0], by_time, *parts


def forwards(solve, ctx, y0_t, t_t, args_t):
    """The sensitivities along with the states."""
    states, t, *args = ctx.saved_arrays
    fun, n = ctx.fun, states.shape[1]
    start = y0_t - fun(states[0], t[0], *args) * t_t[0]
    both = np.concatenate([states[0], start])
    forth = functools.partial(sensitivity, fun)
    moved = solve.apply(ctx.solver, forth, ctx.options, both, t, *args, *args_t)[:, n:]
    out = np.zeros(states.shape)
    for i in range(len(t)):
        out[i] = moved[i] + fun(states[i], t[i], *args) * t_t[i]
    return out


# ------------------------------------------------------------------------------ the solvers
def by_odeint(fun, y0, t, args, options):
    """``scipy.integrate.odeint``."""
    rtol, atol, mxstep = options
    return scipy.integrate.odeint(fun, y0, t, args, rtol=rtol, atol=atol, mxstep=mxstep)


def by_solve_ivp(fun, y0, t, args, options):
    """``scipy.integrate.solve_ivp``, the state at the first time in front."""
    method, rtol, atol = options

    def turned(time, y):
        return fun(y, time, *args)

    found = scipy.integrate.solve_ivp(
        turned, (t[0], t[-1]), y0, method, t_eval=t[1:], rtol=rtol, atol=atol
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return np.concatenate([np.reshape(y0, (1, -1)), found.y.T])


# ------------------------------------------------------------------------- SciPy's functions
def odeint(func, y0, t, args=(), *, rtol=None, atol=None, mxstep=0, tfirst=False):
    """``scipy.integrate.odeint``."""
    fun = functools.partial(rate, func, tfirst)
    start = np.atleast_1d(np.asarray(y0, float))
    times = np.asarray(t, float)
    return Trajectory.apply(by_odeint, fun, (rtol, atol, mxstep), start, times, *args)


def solve_ivp(fun, t_span, y0, method="RK45", *, t_eval, args=(), rtol=1e-3, atol=1e-6):
    """``scipy.integrate.solve_ivp`` at given times, up to the last of which it solves."""
    rhs = functools.partial(rate, fun, True)
    start = np.atleast_1d(np.asarray(y0, float))
    times = np.concatenate([np.asarray([t_span[0]], float), np.asarray(t_eval, float)])
    options = (method, rtol, atol)
    states = Trajectory.apply(by_solve_ivp, rhs, options, start, times, *args)
    return OdeSolution(times[1:], states[1:].T)


WRITTEN[scipy.integrate.odeint] = odeint
WRITTEN[scipy.integrate.solve_ivp] = solve_ivp
