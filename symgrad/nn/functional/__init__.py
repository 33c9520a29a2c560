"""Functions for neural networks, in plain NumPy: they run uncompiled, and compile.

Images have channels first, (n, channels, height, width). Names, order and defaults of the
arguments are PyTorch's; where it says ``dim``, ``axis`` is understood as well. What stands after
the target of a loss is given by keyword.

=====================  =================================================================
``activation``         relu, sigmoid, softmax, ...
``attention``          scaled dot-product attention
``convolution``        linear maps and convolutions
``loss``               losses between numbers
``losses_of_classes``  losses for class numbers and probabilities
``normalization``      batch, layer, group and instance norm
``pooling``            means and maxima over windows
``resizing``           padding, interpolation
``sampling``           dropout, embeddings, one-hot vectors
=====================  =================================================================
"""

from ...extend import erf, relu
from .activation import (
    celu,
    elu,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    logsumexp,
    mish,
    prelu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from .attention import (
    scaled_dot_product_attention,
)
from .convolution import (
    bilinear,
    conv1d,
    conv2d,
    conv_transpose1d,
    conv_transpose2d,
    linear,
)
from .loss import (
    cosine_embedding_loss,
    cosine_similarity,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    pairwise_distance,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from .losses_of_classes import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    kl_div,
    nll_loss,
)
from .normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    normalize,
    rms_norm,
)
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
    max_unpool2d,
)
from .resizing import (
    interpolate,
    pad,
)
from .sampling import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    embedding,
    one_hot,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "elu",
    "embedding",
    "erf",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "logsumexp",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_unpool2d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "triplet_margin_loss",
]
