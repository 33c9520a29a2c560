"""Second and third derivatives."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def _h02_affine(theta, s):
    return np.dot(s, theta) ** 2 * 0.5


def h02_helper_call(theta):
    s = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    e = _h02_affine(theta, s) - 1.0
    return np.mean(e * e, axis=(0,))


_add(
    id="H02",
    kind="higher-order",
    origin="google/tangent#84",
    title="Hessian of a function that calls another function",
    fn=h02_helper_call,
    args=lambda: (np.array([0.7, -0.4]),),
    mode="hess",
    expected=lambda theta: [_h02_hess(theta)],
)


def _h02_hess(theta):
    s = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    h = np.zeros((2, 2))
    for r in s:
        p = r @ theta
        # e = p^2/2 - 1 ; d2(e^2)/dp2 = 2*p*p + 2*e
        h += (2 * p * p + 2 * (p * p * 0.5 - 1.0)) * np.outer(r, r)
    return h / len(s)


def h03_branch_second(x):
    if x > 1.0:
        return np.log(x - 1.0)
    return 3.0 * x * x


_add(
    id="H03",
    kind="higher-order",
    origin="casadi/casadi#1878, casadi/casadi#1805",
    title="second derivative where the other branch has no real value",
    fn=h03_branch_second,
    args=lambda: (-2.0,),
    mode="d2",
    expected=[6.0],
    want=("finite",),
)

_add(
    id="H05",
    kind="higher-order",
    origin="JuliaDiff/ReverseDiff.jl#45, JuliaDiff/ForwardDiff.jl#83, pytorch/pytorch#32576",
    title="nested derivatives over a captured outer variable (perturbation confusion)",
    recipe="With D the scalar derivative operator, in every mix of forward and reverse: "
    "D(x -> x**2 * D(y -> x*y + y**3, at 2), at 3) must be 99; "
    "D(x -> x * D(y -> x - y, at 1), at 1) must be -1; and with "
    "g(x) = [D(y -> y*y*(x - y)) at y=x], D(g) at 1.5 must be -3. If an inner "
    "derivative over a captured variable is not supported, a clear error is right; "
    "another number is not.",
    recipe_check=lambda: _h05_check(),
)


def _h05_check():
    def D(f, x, h=1e-3):
        return (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h)

    a = D(lambda x: x**2 * D(lambda y: x * y + y**3, 2.0), 3.0)
    b = D(lambda x: x * D(lambda y: x - y, 1.0), 1.0)
    c = D(lambda x: D(lambda y: y * y * (x - y), x), 1.5)
    return bool(abs(a - 99) < 1e-6 and abs(b + 1) < 1e-6 and abs(c + 3) < 1e-6)
