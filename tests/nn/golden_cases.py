"""What is compared with PyTorch: expressions that mean the same in both libraries.

Modules are given as ``nn.Linear(3, 4)``, functions as ``F.relu(a)``. Inputs are words:
``5x3`` normal numbers, ``i4:5x3`` integers from 0 to 3, ``p:5x3`` numbers between 0 and 1,
``k:3`` the same without a gradient, ``c:5`` counts as floats, ``s:5`` signs,
``b:5x5`` bools with a true diagonal; they are called a, b, c in expressions.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

MODULES = {
    # linear maps
    "nn.Linear(3, 4)": "5x3",
    "nn.Linear(3, 4, bias=False)": "2x5x3",
    "nn.Bilinear(2, 3, 4)": "5x2 5x3",
    "nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2)": "2x4x7",
    "nn.Conv1d(2, 3, 3, dilation=2, padding='same')": "2x2x7",
    "nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2))": "2x2x6x5",
    "nn.Conv2d(4, 2, 2, padding='same', groups=2, bias=False)": "2x4x4x3",
    "nn.Conv2d(2, 2, 3, padding=1)": "2x4x3",
    "nn.Conv2d(2, 2, 3, padding=1, padding_mode='reflect')": "1x2x4x4",
    "nn.Conv2d(2, 2, 3, padding=2, padding_mode='circular')": "1x2x4x4",
    "nn.Conv2d(2, 2, (3, 2), padding='same', padding_mode='replicate')": "1x2x4x4",
    "nn.ConvTranspose1d(2, 3, 3, stride=2, padding=1, output_padding=1)": "2x2x4",
    "nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1)": "2x2x3x3",
    "nn.ConvTranspose2d(4, 2, (2, 3), stride=(1, 2), groups=2, dilation=2)": "1x4x3x2",
    # normalisation
    "nn.BatchNorm1d(3)": "5x3",
    "nn.BatchNorm1d(3, eps=0.1, momentum=None)": "5x3x2",
    "nn.BatchNorm1d(3, affine=False, track_running_stats=False)": "5x3",
    "nn.BatchNorm2d(2, momentum=0.3)": "3x2x2x2",
    "nn.BatchNorm2d(2).eval()": "3x2x2x2",
    "nn.InstanceNorm2d(2)": "2x2x3x3",
    "nn.InstanceNorm2d(2, affine=True, track_running_stats=True)": "2x2x3x3",
    "nn.LayerNorm(4)": "2x3x4",
    "nn.LayerNorm((3, 4), eps=0.1, bias=False)": "2x3x4",
    "nn.RMSNorm(4)": "2x3x4",
    "nn.GroupNorm(2, 4)": "2x4x3",
    "nn.GroupNorm(1, 4, affine=False)": "2x4x2x2",
    # pooling and size
    "nn.MaxPool1d(2, stride=1, padding=1)": "2x5",
    "nn.MaxPool2d((2, 3), stride=(2, 1), padding=(0, 1))": "2x1x5x5",
    "nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True)": "1x2x6x6",
    "nn.MaxPool2d(2, stride=2, dilation=2)": "1x2x6x6",
    "nn.AvgPool1d(3, stride=2, padding=1, count_include_pad=False)": "2x2x6",
    "nn.AvgPool2d(3, stride=2, padding=1)": "1x2x5x5",
    "nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True)": "1x2x6x6",
    "nn.AvgPool2d(2, stride=2, ceil_mode=True, count_include_pad=False)": "1x2x5x5",
    "nn.AvgPool2d((2, 3), divisor_override=4)": "1x2x4x6",
    "nn.AdaptiveAvgPool1d(3)": "2x2x7",
    "nn.AdaptiveAvgPool2d((3, 2))": "1x2x5x4",
    "nn.AdaptiveAvgPool2d((None, 1))": "1x2x3x4",
    "nn.AdaptiveAvgPool2d(1)": "1x2x3x4",
    "nn.Upsample(scale_factor=2)": "1x2x2x3",
    "nn.Upsample(size=(5, 4))": "1x2x3x3",
    "nn.Upsample(size=5, mode='nearest-exact')": "1x2x3",
    "nn.Upsample(scale_factor=2, mode='bilinear')": "1x2x2x3",
    "nn.Upsample(size=(5, 3), mode='bilinear', align_corners=True)": "1x2x3x2",
    "nn.Upsample(scale_factor=(0.5, 1.5), mode='bilinear')": "1x1x6x4",
    "nn.Upsample(size=7, mode='linear')": "1x2x3",
    "nn.Upsample(scale_factor=2, mode='bicubic')": "1x1x3x4",
    "nn.Upsample(size=(4, 6), mode='bicubic', align_corners=True)": "1x1x3x4",
    "nn.ZeroPad2d((1, 0, 2, 1))": "1x2x3x2",
    "nn.ReflectionPad2d(1)": "1x2x3x2",
    "nn.ReplicationPad2d((1, 2, 0, 1))": "1x2x3x2",
    "nn.Flatten()": "2x3x2",
    "nn.Unflatten(1, (2, 3))": "2x6",
    # activations
    "nn.ReLU()": "3x4",
    "nn.ReLU6()": "3x4",
    "nn.LeakyReLU(0.2)": "3x4",
    "nn.PReLU(3)": "2x3x2",
    "nn.ELU(1.5)": "3x4",
    "nn.CELU(1.5)": "3x4",
    "nn.SELU()": "3x4",
    "nn.GELU()": "3x4",
    "nn.GELU('tanh')": "3x4",
    "nn.SiLU()": "3x4",
    "nn.Mish()": "3x4",
    "nn.Sigmoid()": "3x4",
    "nn.LogSigmoid()": "3x4",
    "nn.Softplus(beta=2)": "3x4",
    "nn.Softplus(beta=2, threshold=1)": "3x4",
    "nn.Tanh()": "3x4",
    "nn.Tanhshrink()": "3x4",
    "nn.Softsign()": "3x4",
    "nn.Hardtanh(-0.5, 0.7)": "3x4",
    "nn.Hardsigmoid()": "3x4",
    "nn.Hardswish()": "3x4",
    "nn.Hardshrink()": "3x4",
    "nn.Softshrink()": "3x4",
    "nn.Threshold(0.1, 2.0)": "3x4",
    "nn.GLU()": "3x4",
    "nn.Softmax(1)": "3x4",
    "nn.Softmin(0)": "3x4",
    "nn.LogSoftmax(-1)": "3x4",
    # sequences
    "nn.Embedding(5, 3)": "i5:2x4",
    "nn.Embedding(5, 3, padding_idx=1)": "i5:2x4",
    "nn.Embedding(5, 3, max_norm=0.5)": "i5:2x4",
    "nn.Embedding(5, 3, padding_idx=-1, max_norm=0.5, norm_type=1.5)": "i5:2x4",
    "nn.Embedding(5, 3, scale_grad_by_freq=True)": "i5:2x4",
    "nn.RNN(3, 4)": "5x2x3",
    "nn.RNN(3, 2, 2, 'relu', bidirectional=True, batch_first=True)": "2x4x3 4x2x2",
    "nn.LSTM(3, 4)": "5x2x3",
    "nn.LSTM(3, 2, 2, bidirectional=True, bias=False)": "4x2x3",
    "nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)": "4x2x3",
    "nn.GRU(3, 4)": "5x3",
    "nn.GRU(3, 2, 2, bidirectional=True)": "4x2x3 4x2x2",
    "nn.RNNCell(3, 2)": "4x3",
    "nn.LSTMCell(3, 2)": "4x3",
    "nn.GRUCell(3, 2)": "4x3 4x2",
    "nn.MultiheadAttention(4, 2)": "3x2x4 5x2x4 5x2x4",
    "nn.MultiheadAttention(4, 2, batch_first=True, kdim=3, vdim=2)": "2x3x4 2x5x3 2x5x2",
    "nn.MultiheadAttention(4, 2, bias=False)": "3x4 5x4 5x4",
    "nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)": "3x2x4 5x2x4 5x2x4",
    # losses
    "nn.MSELoss()": "3x4 3x4",
    "nn.L1Loss(reduction='sum')": "3x4 3x4",
    "nn.SmoothL1Loss(beta=0.5)": "3x4 3x4",
    "nn.HuberLoss(delta=0.7)": "3x4 3x4",
    "nn.CrossEntropyLoss()": "5x3 i3:5",
    "nn.NLLLoss(reduction='none')": "5x3 i3:5",
    "nn.BCELoss()": "p:3x4 p:3x4",
    "nn.BCEWithLogitsLoss()": "3x4 p:3x4",
    "nn.KLDivLoss(reduction='batchmean')": "3x4 p:3x4",
    "nn.PoissonNLLLoss(full=True)": "3x4 c:3x4",
    "nn.GaussianNLLLoss(full=True)": "3x4 3x4 p:3x4",
    "nn.SoftMarginLoss()": "6 s:6",
    "nn.MarginRankingLoss(0.3)": "6 6 s:6",
    "nn.HingeEmbeddingLoss(0.5)": "6 s:6",
    "nn.CosineEmbeddingLoss(0.1)": "6x3 6x3 s:6",
    "nn.TripletMarginLoss()": "6x3 6x3 6x3",
    "nn.CosineSimilarity()": "4x3 4x3",
    "nn.PairwiseDistance()": "4x3 4x3",
}

FUNCTIONS = {
    # maxima and where they are
    "F.max_pool1d(a, 2, return_indices=True)": "2x3x5",
    "F.max_pool2d(a, (2, 3), (2, 1), (0, 1), return_indices=True)": "2x1x5x5",
    "F.max_pool2d(a, 2, dilation=2, ceil_mode=True, return_indices=True)": "1x2x6x5",
    "F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2)": "2x2x4x6",
    "F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2, output_size=[5, 5])": "2x5x5",
    "F.cross_entropy(a, b, c, label_smoothing=0.2)": "5x3 i3:5 k:3",
    "F.cross_entropy(a, b, c, reduction='none', ignore_index=1)": "5x3 i3:5 k:3",
    "F.cross_entropy(a, b, c, ignore_index=1, label_smoothing=0.2)": "5x3 i3:5 k:3",
    "F.cross_entropy(a, b, ignore_index=1)": "5x3 i3:5",
    "F.cross_entropy(a, b, c)": "2x3x2x2 i3:2x2x2 k:3",
    "F.cross_entropy(a, b, reduction='none')": "2x3x4 i3:2x4",
    "F.cross_entropy(a[0], b[0])": "2x3 i3:2",
    "F.cross_entropy(a, b, label_smoothing=0.1)": "5x3 p:5x3",
    "F.cross_entropy(a, b, c, reduction='sum')": "2x3x2 p:2x3x2 k:3",
    "F.nll_loss(a, b, c)": "5x3 i3:5 k:3",
    "F.nll_loss(a, b, reduction='sum', ignore_index=2)": "2x3x4 i3:2x4",
    "F.binary_cross_entropy(a, b, c, reduction='sum')": "p:3x4 p:3x4 k:3x4",
    "F.binary_cross_entropy_with_logits(a, b, pos_weight=c)": "3x4 p:3x4 k:4",
    "F.binary_cross_entropy_with_logits(a, b, c)": "3x4 p:3x4 k:3x4",
    "F.kl_div(a, b, log_target=True, reduction='sum')": "3x4 3x4",
    "F.poisson_nll_loss(a, b, log_input=False)": "p:3x4 i4:3x4",
    "F.smooth_l1_loss(a, b, beta=0)": "3x4 3x4",
    "F.pairwise_distance(a, b, p=1, keepdim=True)": "4x3 4x3",
    "F.normalize(a)": "3x4",
    "F.normalize(a, p=1, dim=0)": "3x4",
    "F.softmax(a, dim=0)": "3x4",
    "F.glu(a, dim=0)": "4x3",
    "F.pad(a, (1, -1, 2, 0), value=0.5)": "2x3x3",
    "F.pad(a, (2, 1), mode='reflect')": "2x2x4",
    "F.pad(a, (1, 2), mode='circular')": "2x2x4",
    "F.instance_norm(a)": "2x2x5",
    "F.linear(a, b)": "3x4 2x4",
    "F.scaled_dot_product_attention(a, b, c)": "2x3x4 2x5x4 2x5x2",
    "F.scaled_dot_product_attention(a, a, b, is_causal=True)": "2x3x4 2x3x4",
    "F.scaled_dot_product_attention(a, a, a, c, scale=0.3)": "2x3x4 1 b:3x3",
    "F.scaled_dot_product_attention(a, a, a, c)": "2x3x4 1 3x3",
    "nn_attention(a, attn_mask=c)": "3x2x4 1 3x3",
    "nn_attention(a, attn_mask=~c, need_weights=False)": "3x2x4 1 b:3x3",
    "nn_attention(a, key_padding_mask=~c, average_attn_weights=False)": "2x2x4 1 b:2x2",
}


def inputs(case: str, words: str) -> list[np.ndarray]:
    """The arrays of a case, always the same."""
    rng = np.random.default_rng(zlib.crc32(case.encode()))
    return [_input(rng, word) for word in words.split()]


def differentiated(words: str) -> list[bool]:
    """Which inputs have gradients."""
    return [word[0] not in "iksbc" for word in words.split()]


def _input(rng: np.random.Generator, word: str) -> np.ndarray:
    kind, _, lengths = word.rpartition(":")
    shape = tuple(int(n) for n in lengths.split("x"))
    if kind.startswith("i"):
        return rng.integers(0, int(kind[1:]), shape)
    if kind in ("p", "k"):
        return rng.uniform(0.1, 0.9, shape)
    if kind == "c":
        return rng.integers(0, 5, shape).astype(float)
    if kind == "s":
        return rng.choice([-1, 1], shape)
    if kind == "b":
        return (rng.random(shape) < 0.5) | np.eye(*shape[-2:], dtype=bool)
    return rng.normal(size=shape)


def state(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """What stands under a name of a state: small numbers, positive for variances."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {shape}".encode()))
    values = rng.normal(size=shape) * 0.5
    return np.abs(values) + 0.5 if name.endswith("var") else values


def weights(k: int, size: int) -> np.ndarray:
    """What the entries of result k are multiplied with to make a loss."""
    return np.cos(np.arange(size) + k)


def leaves(x: Any) -> list[Any]:
    """What stands in nested tuples, without None."""
    if isinstance(x, tuple):
        return [leaf for part in x for leaf in leaves(part)]
    return [] if x is None else [x]


def model_state(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """A state of a residual network that neither explodes nor vanishes."""
    return {name: _model_entry(name, shape) for name, shape in shapes.items()}


def _model_entry(name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("tracked"):
        return np.zeros(shape, np.int64)
    values = np.random.default_rng(zlib.crc32(name.encode())).uniform(-1, 1, shape)
    if len(shape) > 1:
        return values * np.sqrt(4 / np.prod(shape[1:]))
    return 1 + 0.5 * values if name.endswith(("var", "weight")) else 0.1 * values


def model_images() -> np.ndarray:
    """Two small images."""
    return np.random.default_rng(7).normal(size=(2, 3, 40, 33))
