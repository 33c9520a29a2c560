"""Linear algebra and indexing."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def l01_einsum_trace(a):
    return np.einsum("ii->", a) * 2.0 + np.sum(np.einsum("ii->i", a) ** 2)


_add(
    id="L01",
    kind="linalg",
    origin="HIPS/autograd#115, tensor4all/tenferro-rs#557",
    refusal_ok=True,
    title="einsum that takes a trace or a diagonal",
    fn=l01_einsum_trace,
    args=lambda: (np.array([[1.0, 2.0], [3.0, 4.0]]),),
    expected=[np.array([[4.0, 0.0], [0.0, 10.0]])],
)


def l03_einsum_summed_out(x):
    y = np.einsum("pqrs->sq", x)
    return np.sum(y**3)


_add(
    id="L03",
    kind="linalg",
    origin="HIPS/autograd#242",
    title="einsum that sums whole axes away",
    fn=l03_einsum_summed_out,
    args=lambda: (np.cos(np.arange(24.0)).reshape(2, 3, 1, 4),),
    expected=lambda x: [
        np.broadcast_to(3 * x.sum(axis=(0, 2), keepdims=True) ** 2, x.shape).copy()
    ],
    refusal_ok=True,
)


def l05_eigh_values(a):
    lam, vec = np.linalg.eigh(a)
    return np.sum(lam**3)


_L05 = np.diag([1.0, 1.0, 2.0])
_add(
    id="L05",
    kind="linalg",
    level="should",
    refusal_ok=True,
    origin="jax-ml/jax#669, adtzlr/matadi#114",
    title="function of eigenvalues only, with a repeated eigenvalue",
    fn=l05_eigh_values,
    args=lambda: (_L05.copy(),),
    expected=[3 * _L05 @ _L05],
    want=("finite",),
    check="symdir",
    note="sum(lambda^3) = trace(A^3), smooth everywhere; eigenvectors' 1/(li-lj) must not leak.",
)


def l07_det_singular(a):
    return np.linalg.det(a)


_add(
    id="L07",
    kind="linalg",
    level="should",
    refusal_ok=True,
    origin="tensorflow/tensorflow#119477, jax-ml/jax#2380",
    title="determinant of a singular matrix has the adjugate as gradient",
    fn=l07_det_singular,
    args=lambda: (np.array([[3.0, -6.0], [-1.0, 2.0]]),),
    expected=[np.array([[2.0, 1.0], [6.0, 3.0]])],
    want=("finite",),
    atol=1e-8,
    torch="all zeros",
    jax="as expected",
)

# ------------------------------------------------------------------------------ indexing (I)


def i01_repeat_take(x):
    return np.sum(x[[0, 0, 2]] * np.array([1.0, 10.0, 100.0]))


_add(
    id="I01",
    kind="indexing",
    origin="HIPS/autograd#39, HIPS/autograd#136",
    title="gather with a repeated index accumulates",
    fn=i01_repeat_take,
    args=lambda: (np.array([1.0, 2.0, 3.0]),),
    expected=[np.array([11.0, 0.0, 100.0])],
)


def i03_boolean_pick(x):
    return np.sum(x[x > 0] ** 2) * 0.5


_add(
    id="I03",
    kind="indexing",
    origin="ipython/ipython#11228",
    title="boolean mask that selects a data-dependent number of elements",
    fn=i03_boolean_pick,
    args=lambda: (np.array([[-1.0, 2.0], [3.0, -4.0]]),),
    expected=[np.array([[0.0, 2.0], [3.0, 0.0]])],
    calls=[((np.array([-1.0, -2.0]),), [np.zeros(2)])],
)


def i05_add_at(v, w):
    a = np.zeros(3)
    np.add.at(a, [0, 0, 1], v)
    return np.sum(a * w)


_add(
    id="I05",
    kind="indexing",
    refusal_ok=True,
    level="should",
    origin="HIPS/autograd#263, numpy/numpy#8866",
    title="np.add.at accumulates",
    fn=i05_add_at,
    args=lambda: (np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 11.0])),
    expected=[np.array([5.0, 5.0, 7.0])],
)
