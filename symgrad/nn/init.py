"""Initial values: PyTorch's names and distributions; arrays or parameters are filled in place.

Every function returns what it was given. ``generator`` is a NumPy ``Generator``; without one,
NumPy's global state is drawn from, which ``np.random.seed`` sets.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from .parameter import Parameter

Array = Any
GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 0.75,
}


def _fill(tensor: Array, values: Any) -> Array:
    target = tensor.data if isinstance(tensor, Parameter) else tensor
    target[...] = values
    return tensor


def _source(generator: Any) -> Any:
    return np.random if generator is None else generator


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What keeps the variance of activations; ``param`` is the slope of ``"leaky_relu"``.

    Raises:
        ValueError: an unknown nonlinearity.

    >>> init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in GAINS:
        known = ", ".join([*GAINS, "leaky_relu"])
        raise ValueError(f"nonlinearity must be one of {known}, got {nonlinearity!r}")
    return GAINS[nonlinearity]


def fans(tensor: Array) -> tuple[int, int]:
    """How many inputs an output of this weight has, and outputs an input.

    Raises:
        ValueError: fewer than two axes.

    >>> init.fans(nn.Parameter(np.empty((8, 3, 5, 5))))
    (75, 200)
    """
    if tensor.ndim < 2:
        raise ValueError(f"a weight needs at least two axes, got shape {tensor.shape}")
    each = math.prod(tensor.shape[2:])
    return tensor.shape[1] * each, tensor.shape[0] * each


# ----------------------------------------------------------------------- given distributions
def uniform_(tensor: Array, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Array:
    """Uniform from ``a`` to ``b``.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.uniform_(w, -1.0, 1.0, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    return _fill(tensor, _source(generator).uniform(a, b, tensor.shape))


def normal_(
    tensor: Array, mean: float = 0.0, std: float = 1.0, generator: Any = None
) -> Array:
    """Normal.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.normal_(w, 0.0, 0.1, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    return _fill(tensor, _source(generator).normal(mean, std, tensor.shape))


def trunc_normal_(
    tensor: Array,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Array:
    """Normal, within ``a`` to ``b``: from uniform probabilities by the inverse.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.trunc_normal_(w, 0.0, 1.0, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    normal = NormalDist(mean, std)
    low, high = normal.cdf(a), normal.cdf(b)
    chances = _source(generator).uniform(low, high, tensor.shape)
    chances = np.clip(chances, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)
    values = np.vectorize(normal.inv_cdf, otypes=[float])(chances)
    return _fill(tensor, np.clip(values, a, b))


def constant_(tensor: Array, val: float) -> Array:
    """One value.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.constant_(w, 3.0).data
    array([[3., 3., 3.],
           [3., 3., 3.]])
    """
    return _fill(tensor, val)


def ones_(tensor: Array) -> Array:
    """Ones.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.ones_(w).data
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return _fill(tensor, 1)


def zeros_(tensor: Array) -> Array:
    """Zeros.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.zeros_(w).data
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    return _fill(tensor, 0)


def eye_(tensor: Array) -> Array:
    """Ones on the diagonal of a matrix.

    Raises:
        ValueError: it has not two axes.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.eye_(w).data
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError(f"eye_ needs two axes, got shape {tensor.shape}")
    return _fill(tensor, np.eye(*tensor.shape))


def dirac_(tensor: Array, groups: int = 1) -> Array:
    """A convolution that hands its channels on, as many as there are outputs for.

    Raises:
        ValueError: it has not three to five axes, or the groups are not equally large.

    >>> init.dirac_(nn.Parameter(np.empty((1, 1, 3)))).data
    array([[[0., 1., 0.]]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"dirac_ needs three to five axes, got shape {tensor.shape}")
    if tensor.shape[0] % groups:
        raise ValueError(f"{tensor.shape[0]} outputs do not make {groups} equal groups")
    values = np.zeros(tensor.shape)
    middle = tuple(n // 2 for n in tensor.shape[2:])
    each = tensor.shape[0] // groups
    for group in range(groups):
        for channel in range(min(each, tensor.shape[1])):
            values[(group * each + channel, channel, *middle)] = 1
    return _fill(tensor, values)


# ------------------------------------------------------------------------ for a weight's size
def xavier_uniform_(tensor: Array, gain: float = 1.0, generator: Any = None) -> Array:
    """Uniform with variance ``2 gain**2 / (inputs + outputs)`` (Glorot and Bengio, 2010).

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.xavier_uniform_(w, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Array, gain: float = 1.0, generator: Any = None) -> Array:
    """Normal with this variance.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.xavier_normal_(w, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    return normal_(tensor, 0, gain * math.sqrt(2 / sum(fans(tensor))), generator)


def _kaiming_std(tensor: Array, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode must be 'fan_in' or 'fan_out', got {mode!r}")
    fan = fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Array,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Array:
    """Uniform with variance ``gain**2 / fan`` (He et al., 2015); ``a`` is a leaky slope.

    Raises:
        ValueError: fewer than two axes, an unknown mode or nonlinearity.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.kaiming_uniform_(w, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    bound = math.sqrt(3) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Array,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Array:
    """Normal with this variance.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.kaiming_normal_(w, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Array, gain: float = 1.0, generator: Any = None) -> Array:
    """Rows, or columns if there are fewer of them, at right angles (Saxe et al., 2013).

    Raises:
        ValueError: fewer than two axes.

    >>> w = nn.Parameter(np.empty((2, 3)))
    >>> init.orthogonal_(w, generator=np.random.default_rng(0)).shape
    (2, 3)
    """
    fans(tensor)
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    draws = _source(generator).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(draws)
    q *= np.sign(np.diag(r))  # makes them uniformly distributed
    q = q.T if rows < columns else q
    return _fill(tensor, gain * q.reshape(tensor.shape))


def sparse_(
    tensor: Array, sparsity: float, std: float = 0.01, generator: Any = None
) -> Array:
    """Normal, with this share of every column set to 0 (Martens, 2010).

    Raises:
        ValueError: it has not two axes.

    >>> w = nn.Parameter(np.empty((4, 3)))
    >>> np.sum(init.sparse_(w, 0.5, generator=np.random.default_rng(0)).data == 0, axis=0)
    array([2, 2, 2])
    """
    if tensor.ndim != 2:
        raise ValueError(f"sparse_ needs two axes, got shape {tensor.shape}")
    rows, columns = tensor.shape
    values = _source(generator).normal(0, std, tensor.shape)
    for column in range(columns):
        gone = _source(generator).permutation(rows)[: math.ceil(sparsity * rows)]
        values[gone, column] = 0
    return _fill(tensor, values)
