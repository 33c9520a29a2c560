"""Loops, branches, early exits."""

# ruff: noqa
import numpy as np

from .registry import add as _add, softmax as _softmax


def c01_swap(x):
    lo = x * x
    hi = 5.0 * x
    for _ in range(5):
        lo, hi = hi, lo
    return 3.0 * lo + hi


_add(
    id="C01",
    kind="control-flow",
    origin="FluxML/Zygote.jl#1198, FluxML/Zygote.jl#1637",
    title="loop that swaps two carried variables",
    fn=c01_swap,
    args=lambda: (2.0,),
    expected=[19.0],
    note="The adjoint loop needs a parallel copy; a sequential one loses the seed.",
)


def c03_newton_sqrt(x):
    y = x
    while np.abs(y * y - x) > 1e-13 * x:
        y = 0.5 * (y + x / y)
    return y


_add(
    id="C03",
    kind="control-flow",
    origin="tensorflow/tensorflow#16504, tensorflow/tensorflow#1093",
    title="while loop with a data-dependent trip count",
    fn=c03_newton_sqrt,
    args=lambda: (7.0,),
    expected=[0.5 / 7.0**0.5],
    calls=[((2.0,), [0.5 / 2.0**0.5]), ((0.25,), [1.0])],
)


def c05_continue_argmax(x, c):
    best = -np.inf
    for p in range(c.shape[0]):
        for q in range(c.shape[1]):
            if c[p, q] == 0.0:
                continue
            v = x * c[p, q] * (p + 1.0) * (q + 2.0)
            if v > best:
                best = v
    return best


_C05 = np.array([[1.0, 0.0, -2.0], [0.0, 3.0, 0.0]])
_add(
    id="C05",
    kind="control-flow",
    origin="NVIDIA/warp#1552, vgvassilev/clad#833",
    title="continue inside nested loops with a running maximum",
    fn=c05_continue_argmax,
    args=lambda: (2.0, _C05.copy()),
    expected=[18.0],
    calls=[((-2.0, _C05.copy()), [-8.0])],
    note="x>0: winner c[1,1]=3 with factor 2*3 -> slope 18. x<0: winner c[0,2]=-2 with "
    "factor 1*4 -> slope -8.",
)


def c07_constant_branch(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0.5:
            y = 5.0
        else:
            y = 3.0 * x[i] - 1.0
        s = s + y
    return s


_add(
    id="C07",
    kind="control-flow",
    origin="google/tangent#82",
    title="if/else where one branch does not depend on the input",
    fn=c07_constant_branch,
    args=lambda: (np.array([-1.0, 3.0]),),
    expected=[np.array([0.0, 3.0])],
    calls=[((np.array([-1.0, -3.0]),), [np.array([0.0, 0.0])])],
)


def c08_logsumexp_loops(a):
    top = a[0]
    for v in a[1:]:
        if v > top:
            top = v
    tot = 0.0
    for v in a:
        tot = tot + np.exp(v - top)
    return top + np.log(tot)


_add(
    id="C08",
    kind="control-flow",
    origin="google/tangent#66",
    title="log-sum-exp written with loops and a running maximum",
    fn=c08_logsumexp_loops,
    args=lambda: (np.array([0.5, 3.0, -1.0, 2.0]),),
    expected=lambda a: [_softmax(a)],
)


def c10_power_by_while(x, n):
    acc = 1.0
    i = 0
    while i < n:
        acc = acc * x
        i = i + 1
    return acc


_add(
    id="C10",
    kind="control-flow",
    origin="elixir-nx/nx#1747",
    title="loop body whose slope in the accumulator is the input itself",
    fn=c10_power_by_while,
    args=lambda: (0.5, 3),
    expected=[0.75],
    calls=[((0.5, 2), [1.0]), ((0.5, 0), [0.0])],
    note="1.3125 (the sum of even powers) is the reported wrong answer. With n=0 the result "
    "does not depend on x: 0.0, not None and not an error.",
)


def c12_dead_then_augmented(p, q, r, s, u):
    unused = p * q / r
    total = p * s * u
    unused += total / r
    total += u * u * (p - q)
    rate = unused / 3.0
    return total


_add(
    id="C12",
    kind="control-flow",
    origin="google/tangent#64",
    title="augmented assignments mixed with results nobody uses",
    fn=c12_dead_then_augmented,
    args=lambda: (2.0, 3.0, 4.0, 5.0, 0.5),
    argnums=(0, 2, 4),
    expected=[2.75, 0.0, 9.0],
    note="r only feeds dead code: its gradient is 0.0, not None or a missing name.",
)


def c14_indexed_by_counter(a, y):
    state = a * np.array([1.0, -1.0])
    out = 0.0
    n = len(y)
    for t in range(n):
        state = np.tanh(a * state) + y[t]
        out = out + y[n - 1 - t] * np.sum(state * state)
    return out


def _c14_expected(a, y):
    # dual numbers by hand
    s, ds, out = a * np.array([1.0, -1.0]), np.array([1.0, -1.0]), 0.0
    for t in range(len(y)):
        th = np.tanh(a * s)
        ds = (1 - th * th) * (s + a * ds)
        s = th + y[t]
        out += y[len(y) - 1 - t] * 2 * np.sum(s * ds)
    return [out]


_add(
    id="C14",
    kind="control-flow",
    origin="EnzymeAD/Reactant.jl#3119, NVIDIA/warp#174",
    title="recurrence that also reads data at the loop counter",
    fn=c14_indexed_by_counter,
    args=lambda: (0.9, np.sin(np.arange(12.0))),
    expected=_c14_expected,
)
