"""Values and slopes that are infinite or undefined where they do not count."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def n01_root_unselected(x):
    return np.sum(np.where(x > 1.0, 2.0 * x, np.sqrt(1.0 - x)))


_add(
    id="N01",
    kind="nan-safe",
    origin="HIPS/autograd#802",
    level="stretch",
    title="selecting with where() past a branch whose value and slope are NaN",
    fn=n01_root_unselected,
    args=lambda: (np.array([3.0, 0.0]),),
    expected=[np.array([2.0, -0.5])],
    torch="nan",
    jax="nan",
    note="Users expect the derivative of the branch taken. A select on the adjoint followed by "
    "a multiply gives 0*nan; the select has to come last (or be a hard zero).",
)


def n03_masked_quotient(num, den):
    q = num / den
    return np.sum(np.where(den != 0, q, 0.0) * np.array([5.0, 7.0, 11.0]))


_add(
    id="N03",
    kind="nan-safe",
    origin="pytorch/pytorch#16317",
    level="stretch",
    title="0/0 replaced after the division",
    fn=n03_masked_quotient,
    args=lambda: (np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 4.0])),
    argnums=(0,),
    expected=[np.array([0.0, 3.5, 2.75])],
    want=("finite",),
    torch="nan at [0]",
    jax="nan at [0]",
)


def n04_double_where(p):
    sq = np.sum(p * p, axis=1)
    far = sq > 0.1
    dist = np.sqrt(np.where(far, sq, 1.0))
    return np.sum(np.where(far, dist, 0.0))


_add(
    id="N04",
    kind="nan-safe",
    origin="jax-ml/jax#347",
    title="the usual workaround (where inside AND outside) must stay NaN-free",
    fn=n04_double_where,
    args=lambda: (np.array([[0.3, 0.4], [5.0, -12.0], [0.0, 0.0]]),),
    expected=[np.array([[0.6, 0.8], [5 / 13, -12 / 13], [0.0, 0.0]])],
    want=("finite", "no-warning"),
)


def n05_norm_squared(x):
    return 3.0 / (1.0 + np.linalg.norm(x) ** 2)


_add(
    id="N05",
    kind="nan-safe",
    level="should",
    origin="HIPS/autograd#183, HIPS/autograd#586, jax-ml/jax#4177",
    title="smooth function of a squared norm, at the origin",
    fn=n05_norm_squared,
    args=lambda: (np.zeros(3),),
    expected=[np.zeros(3)],
    want=("finite",),
    torch="0",
    jax="nan",
    note="The whole function is differentiable; only the norm inside is not.",
)


def n07_prod_one_zero(x):
    return np.prod(x)


_add(
    id="N07",
    kind="nan-safe",
    origin="HIPS/autograd#378, tinygrad/tinygrad#17404, pytorch/pytorch#773",
    title="product with exactly one zero factor",
    fn=n07_prod_one_zero,
    args=lambda: (np.array([4.0, 0.0, 5.0]),),
    expected=[np.array([0.0, 20.0, 0.0])],
    want=("finite", "no-warning"),
)


def n09_cumprod_zeros(x, w):
    return np.sum(w * np.cumprod(x))


_add(
    id="N09",
    kind="nan-safe",
    level="should",
    origin="tensorflow/tensorflow#119430, pymc-devs/pytensor#1956, tensorflow/tensorflow#3862",
    title="cumulative product with zeros in the middle",
    fn=n09_cumprod_zeros,
    args=lambda: (np.array([3.0, 0.0, 0.0, 2.0]), np.array([1.0, 10.0, 100.0, 1000.0])),
    expected=[np.array([1.0, 30.0, 0.0, 0.0])],
    refusal_ok=True,
    want=("finite",),
)


def n11_std(x):
    return np.std(x)


_add(
    id="N11",
    kind="nan-safe",
    level="should",
    origin="pytorch/pytorch#4320, jax-ml/jax#11716, keras-team/keras#2960",
    title="standard deviation of a constant array",
    fn=n11_std,
    args=lambda: (np.full(4, 3.0),),
    expected=[np.zeros(4)],
    want=("finite",),
    torch="0",
    jax="nan",
    check="convex",
)


def n12_pow_both(a, b):
    return np.sum(a**b)


_add(
    id="N12",
    kind="nan-safe",
    origin="pytorch/pytorch#27134, Theano/Theano#1780",
    title="a**b where a has a zero: d/db is a**b*log(a) -> 0, not NaN",
    fn=n12_pow_both,
    args=lambda: (np.array([0.0, 3.0, 0.0]), np.array([1.0, 2.0, 3.0])),
    argnums=(0, 1),
    expected=[np.array([1.0, 6.0, 0.0]), np.array([0.0, 9 * np.log(3.0), 0.0])],
    want=("finite",),
)


def n14_cube_negative(x):
    return np.sum(x**3.0) + np.sum(x**2)


_add(
    id="N14",
    kind="nan-safe",
    origin="tinygrad/tinygrad#155, tensorflow/tfjs#346",
    title="negative base with a constant exponent must not touch log(base)",
    fn=n14_cube_negative,
    args=lambda: (np.array([-2.0, -1.0, 3.0]),),
    expected=[np.array([8.0, 1.0, 33.0])],
    want=("finite", "no-warning"),
)


def n15_logsumexp_masked(x):
    m = np.max(x)
    return np.log(np.sum(np.exp(x - m))) + m


_add(
    id="N15",
    kind="nan-safe",
    origin="jax-ml/jax#23842, pytorch/pytorch#49724",
    title="log-sum-exp with one entry at -inf",
    fn=n15_logsumexp_masked,
    args=lambda: (np.array([-np.inf, 1.0, 2.0]),),
    expected=[np.array([0.0, 1 / (1 + np.e), np.e / (1 + np.e)])],
    want=("finite",),
    check="cd-finite",
)


def n17_softplus(x):
    return np.sum(np.logaddexp(0.0, x))


_add(
    id="N17",
    kind="nan-safe",
    origin="jax-ml/jax#1315, tracel-ai/burn#5373, tenstorrent/tt-metal#56397",
    title="softplus over the whole range",
    fn=n17_softplus,
    args=lambda: (np.array([-1000.0, -1.0, 0.0, 1.0, 1000.0]),),
    expected=[np.array([0.0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1.0])],
    want=("finite", "no-warning"),
    check="mp-softplus",
)


def n20_sinc(x):
    return np.sinc(x)


_add(
    id="N20",
    kind="higher-order",
    level="should",
    refusal_ok=True,
    origin="jax-ml/jax#5054, pytorch/pytorch#53989, pytorch/pytorch#187803",
    title="second derivative of sinc at 0",
    fn=n20_sinc,
    args=lambda: (0.0,),
    mode="d2",
    expected=[-(np.pi**2) / 3],
    want=("finite",),
    check="mp-sinc",
    torch="nan",
    jax="as expected",
)


def n22_arctan2(y, x):
    return np.sum(np.arctan2(y, x) * np.array([1.0, 10.0, 100.0, 1000.0]))


_add(
    id="N22",
    kind="nan-safe",
    origin="tensorflow/tensorflow#6095, e3nn/e3nn#112",
    title="arctan2 on the coordinate axes",
    fn=n22_arctan2,
    args=lambda: (np.array([2.0, -2.0, 0.0, 3.0]), np.array([0.0, 0.0, 4.0, 4.0])),
    argnums=(0, 1),
    expected=[np.array([0.0, 0.0, 25.0, 160.0]), np.array([-0.5, 5.0, 0.0, -120.0])],
    want=("finite", "no-warning"),
)
