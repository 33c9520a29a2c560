"""Checks the handwritten gradients (`bench.py --self-test`), on reduced sizes in float64.

For every workload: the handwritten value is the plain function's value, and every entry of every
handwritten gradient is the plain function's central difference (second differences for the
Hessian-vector product and the Hessian).  In w5 the plain function needs the gradient of the
critic inside: differences supply it for the value, and the handwritten value, so confirmed, is
what is then differenced.
"""

import importlib
from types import SimpleNamespace

import numpy as np

import workloads
from handwritten import HANDWRITTEN
from workloads import WORKLOADS

FIRST, SECOND = 1e-6, 1e-4  # steps of first and second differences


def difference(f, x, step=FIRST):
    """Central differences of f at x, one per entry of x."""
    x = np.asarray(x, dtype=np.float64)
    out = np.empty(x.size)
    for i in range(x.size):
        d = np.zeros(x.size)
        d[i] = step
        d = d.reshape(x.shape)
        out[i] = (f(x + d) - f(x - d)) / (2 * step)
    return out.reshape(x.shape)


def second_difference(f, x, v):
    """The Hessian of f at x times v."""

    def along_v(z):
        return (f(z + SECOND * v) - f(z - SECOND * v)) / (2 * SECOND)

    return difference(along_v, x, SECOND)


def with_argument(f, args, k):
    """f as a function of its k-th argument alone."""
    return lambda z: f(*args[:k], z, *args[k + 1 :])


def numeric_grad(f):
    """Stands for sg.grad inside a plain function."""
    return lambda *args: difference(with_argument(f, args, 0), args[0])


def expected(name, args):
    """The plain function's derivatives by differences, and the error they may have."""
    workload = WORKLOADS[name]
    f, x = workload.function, args[workload.argnums[0]]
    if workload.order == "hvp":
        return [second_difference(f, x, args[-1])], 1e-5
    if workload.order == "hessian":
        f = with_argument(f, args, 0)
        return [np.array([second_difference(f, x, e) for e in np.eye(len(x))])], 1e-5
    if workload.derivative_inside:

        def f(*args):
            return HANDWRITTEN[name](*args)[0]

    return [difference(with_argument(f, args, k), args[k]) for k in workload.argnums], 1e-6


def relative(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"shapes {a.shape} and {b.shape}"
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def to_float64(args):
    return [a.astype(float) if getattr(a, "dtype", None) == np.float32 else a for a in args]


def check(name):
    """The worst errors (value, gradients) of one workload; AssertionError if too large."""
    workload = WORKLOADS[name]
    for module in workload.needs:
        importlib.import_module(module)
    args = to_float64(workload.inputs(**workload.small))
    before = [np.copy(a) for a in args]
    value, gradients = HANDWRITTEN[name](*args)
    assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True)), (
        "the arguments were changed"
    )
    workloads.sg = SimpleNamespace(grad=numeric_grad)
    value_error = relative(value, workload.value(args))
    assert value_error < 1e-8, (
        f"value differs from the plain function's by {value_error:.0e}"
    )
    wanted, limit = expected(name, args)
    assert len(gradients) == len(wanted), f"{len(gradients)} gradients, not {len(wanted)}"
    errors = [relative(g, w) for g, w in zip(gradients, wanted, strict=True)]
    assert max(errors) < limit, f"errors of the gradients: {[f'{e:.0e}' for e in errors]}"
    return value_error, max(errors)


def main(names):
    failures = 0
    for name in names:
        try:
            value_error, error = check(name)
            print(
                f"{name:5s} ok: value within {value_error:.0e}, derivatives within {error:.0e}"
            )
        except ImportError as missing:
            print(f"{name:5s} not checked: {missing}")
        except Exception as exception:  # report, and go on with the next
            failures += 1
            print(f"{name:5s} FAILED: {type(exception).__name__}: {exception}")
    return 1 if failures else 0
