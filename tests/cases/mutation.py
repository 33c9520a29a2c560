"""Arrays changed in place, and their aliases."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def m01_fill_in_loop(x):
    n = x.shape[0]
    out = np.zeros(n)
    for k in range(n):
        out[k] = np.dot(x[k], x[k - 1])
    return np.dot(out, out)


_M01 = np.array([[0.5, -1.0, 2.0], [1.0, 0.3, -0.2], [0.0, 0.7, 0.1], [-0.4, 1.2, 0.9]])


def _m01_expected(x):
    prev, nxt = np.roll(x, 1, axis=0), np.roll(x, -1, axis=0)
    o = np.sum(x * prev, axis=1)
    return [2 * o[:, None] * prev + 2 * np.roll(o, -1)[:, None] * nxt]


_add(
    id="M01",
    kind="mutation",
    origin="HIPS/autograd#177",
    title="results stored element by element into a preallocated array",
    fn=m01_fill_in_loop,
    args=lambda: (_M01.copy(),),
    expected=_m01_expected,
)


def m03_chart_cell(y):
    c = np.zeros((1, 1))
    for i in range(3):
        c[0, 0] = c[0, 0] * y[i] + y[i]
    return c[0, 0]


_add(
    id="M03",
    kind="mutation",
    origin="HIPS/autograd#13",
    title="recurrence kept in one array cell (dynamic-programming chart)",
    fn=m03_chart_cell,
    args=lambda: (np.array([2.0, 3.0, 5.0]),),
    # c3 = y0*y1*y2 + y1*y2 + y2
    expected=[np.array([15.0, 15.0, 10.0])],
    note="c = y2*(1 + y1*(1 + y0)): d/dy0 = y1*y2, d/dy1 = y2*(1+y0), d/dy2 = 1+y1*(1+y0).",
)


def m05_write_through_view(x):
    y = x.copy()
    v = y[1:3]
    v *= 3.0
    return np.sum(y**2)


_add(
    id="M05",
    kind="mutation",
    refusal_ok=True,
    origin="pytorch/pytorch#3313, pytorch/pytorch#36608, rsokl/MyGrad#323",
    title="in-place update through a slice changes the base array",
    fn=m05_write_through_view,
    args=lambda: (np.array([1.0, 2.0, 3.0, 4.0]),),
    expected=[np.array([2.0, 36.0, 54.0, 8.0])],
    want=("inputs-unchanged",),
    jax="[2,4,6,8] silently when fn is run on jnp arrays (v *= 3 only rebinds v)",
)


def m07_read_after_store(x):
    y = x * 1.0
    y[0] = y[1] * y[0]
    return np.sum(y * x)


_add(
    id="M07",
    kind="mutation",
    origin="rsokl/MyGrad#98",
    title="store whose value reads the same array, original also used later",
    fn=m07_read_after_store,
    args=lambda: (np.array([2.0, 3.0, 5.0]),),
    # y0 = x0*x1: f = x0^2 x1 + x1^2 + x2^2
    expected=[np.array([12.0, 10.0, 10.0])],
)


def m09_rebinding_vs_inplace(x):
    a = x * 1.0
    b = a
    a = a + 1.0  # new array: b keeps the old one
    c = a
    a *= 10.0  # same array: c sees it
    return np.sum(a * b) + 2.0 * np.sum(c)


_add(
    id="M09",
    kind="mutation",
    origin="NVIDIA/warp#202, EnzymeAD/Enzyme.jl#701",
    refusal_ok=True,
    title="a = a + 1 makes a new array, a *= 10 changes the shared one",
    fn=m09_rebinding_vs_inplace,
    args=lambda: (np.array([1.0, 2.0]),),
    # f = sum(10*(x+1)*x) + 2*sum(10*(x+1))
    expected=[np.array([50.0, 70.0])],
)
