"""Roots and fixed points: SciPy finds them; the implicit function theorem gives derivatives."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import functools
import warnings
from collections import namedtuple

import numpy as np
import scipy.optimize

from ..custom import Function
from ..ops.written.functions import WRITTEN
from ..runtime import jacfwd, jvp, spec, vjp

RootResult = namedtuple("RootResult", "x")


def residual(fun, x, *args):
    """``fun`` as an array of the shape of ``x``."""
    return np.reshape(np.asarray(fun(x, *args)), np.shape(x))


def excess(fun, x, *args):
    """What ``fun`` adds to ``x``."""
    return np.asarray(fun(x, *args)) - x


def slope(fun, x, args):
    """The Jacobian by ``x``, as a matrix."""
    n = np.size(x)
    return np.reshape(jacfwd(fun)(x, *args), (n, n))


class Found(Function):
    """``solver(fun, x0, args, options)``, which runs as it is: SciPy calls ``fun`` back."""

    __symgrad_as_is__ = "SciPy's solver"

    @staticmethod
    def forward(ctx, solver, fun, options, x0, *args):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a failure is an error below
            return solver(fun, x0, args, options)

    @staticmethod
    def shape(solver, fun, options, x0, *args):
        return spec(np.shape(x0), np.float64)

    @staticmethod
    def backward(ctx, g):
        raise AssertionError("the rule of what calls it comes first")


class Root(Function):
    """Where ``fun(x, *args)`` is zero."""

    @staticmethod
    def forward(solver, fun, options, x0, *args):
        return Found.apply(solver, fun, options, x0, *args)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, fun, _, _, *args = inputs
        ctx.fun = fun
        ctx.save_for_backward(output, *args)

    @staticmethod
    def backward(ctx, g):
        x, *args = ctx.saved_arrays
        weight = np.linalg.solve(slope(ctx.fun, x, args).T, -np.ravel(g))
        _, back = vjp(ctx.fun, x, *args)
        _, *parts = back(np.reshape(weight, np.shape(x)))
        return None, None, None, np.zeros(np.shape(x)), *parts

    @staticmethod
    def jvp(ctx, solver_t, fun_t, options_t, x0_t, *args_t):
        x, *args = ctx.saved_arrays
        still = np.zeros(np.shape(x))
        _, moved = jvp(ctx.fun, (x, *args), (still, *args_t))
        step = np.linalg.solve(slope(ctx.fun, x, args), -np.ravel(moved))
        return np.reshape(step, np.shape(x))


def by_root(fun, x0, args, options):
    """``scipy.optimize.root``."""
    method, tol = options
    found = scipy.optimize.root(fun, x0, args, method, tol=tol)
    if not found.success:
        raise RuntimeError(f"root: {found.message}")
    return found.x


def by_fixed_point(fun, x0, args, options):
    """``scipy.optimize.fixed_point``; ``fun`` is the difference."""
    xtol, maxiter, method = options

    def mapped(x, *args):
        return fun(x, *args) + x

    found = scipy.optimize.fixed_point(mapped, x0, args, xtol, maxiter, method)
    return np.asarray(found, float)


def root(fun, x0, args=(), method="hybr", *, tol=None):
    """``scipy.optimize.root``, as far as its ``x``; not to find one is an error."""
    rest = functools.partial(residual, fun)
    start = np.ravel(np.asarray(x0, float))
    given = args if isinstance(args, tuple) else (args,)
    return RootResult(Root.apply(by_root, rest, (method, tol), start, *given))


def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    """``scipy.optimize.fixed_point``."""
    rest = functools.partial(excess, func)
    start = np.asarray(x0, float)
    return Root.apply(by_fixed_point, rest, (xtol, maxiter, method), start, *args)


WRITTEN[scipy.optimize.root] = root
WRITTEN[scipy.optimize.fixed_point] = fixed_point
