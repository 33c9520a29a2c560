"""Complex numbers, and what must not cost too much."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def x01_one_pole(x):
    w = np.linspace(0.1, 2.0, 6)
    h = 1.0 / (1.0 + 1j * w * x)
    turn = np.exp(1j * x * w) * (2.0 - 1j)
    return np.sum(np.abs(h) * w) + np.sum(np.real(turn)) + np.sum(np.imag(h))


def _x01_expected(x):
    w = np.linspace(0.1, 2.0, 6)
    q = 1 + (w * x) ** 2
    d_abs = -(w**2) * x * q**-1.5 * w
    d_re = w * (-2 * np.sin(w * x) + np.cos(w * x))
    d_im = -w / q + 2 * w**3 * x**2 / q**2
    return [float(np.sum(d_abs + d_re + d_im))]


_add(
    id="X01",
    kind="complex",
    level="should",
    refusal_ok=True,
    origin="HIPS/autograd#77",
    title="real parameter through complex intermediates to a real result",
    fn=x01_one_pole,
    args=lambda: (0.7,),
    expected=_x01_expected,
    rtol=1e-9,
    want=("real",),
)


def x03_modulus(re, im):
    return np.sum(np.abs(re + 1j * im))


_add(
    id="X03",
    kind="complex",
    level="should",
    refusal_ok=True,
    origin="jax-ml/jax#10515, FluxML/Zygote.jl#1472, HIPS/autograd#100",
    title="modulus of a complex number at 0",
    fn=x03_modulus,
    args=lambda: (np.array([3.0, 0.0]), np.array([4.0, 0.0])),
    argnums=(0, 1),
    expected=[np.array([0.6, 0.0]), np.array([0.8, 0.0])],
    accept=[[np.array([0.6, 1.0]), np.array([0.8, 0.0])]],
    want=("finite", "real"),
    check="convex",
    torch="0",
    jax="0",
)

# --------------------------------------------------------------------------------- perf (F)


def f01_long_chain(y):
    for i in range(20000):
        y = y * (1.0 - 2e-5) + 1e-3
    return y


_add(
    id="F01",
    kind="perf",
    origin="karpathy/micrograd#90, pytorch/pytorch#5534, FluxML/Tracker.jl#49",
    title="20000 dependent steps: no recursion limit, and about linear time",
    fn=f01_long_chain,
    args=lambda: (2.0,),
    expected=[(1 - 2e-5) ** 20000],
    rtol=1e-9,
    note="Should take well under a second or two in plain Python. Also run 2000 and 20000 "
    "steps and require a time ratio below 20.",
)

_add(
    id="F03",
    kind="perf",
    origin="HIPS/autograd#219",
    title="peak memory of the backward pass of a long matrix recurrence",
    recipe="step(a, h): 80 times h = np.tanh(np.dot(a, h)), then the sum of h; a and h are "
    "300x300 float64 (0.72 MB each). With tracemalloc, the peak of the gradient wrt a "
    "must be at most about two saved matrices per step plus a handful of temporaries; "
    "saving a again every step or keeping every cotangent alive fails. After the call "
    "and dropping the result, memory returns to the start.",
)

_add(
    id="F05",
    kind="perf",
    origin="LinjianMa/AutoHOOT#101, craffel/nntools#63",
    title="very long straight-line functions compile in reasonable time",
    recipe="Write to a file, import and compile a function with 3000 statements "
    "`t1 = np.sin(t0) * 1.0001` ... and also one expression nested 300 deep. Must "
    "compile without RecursionError, in time roughly linear in the length (3000 "
    "statements within a factor 20 of 300), first AND second derivative.",
)
