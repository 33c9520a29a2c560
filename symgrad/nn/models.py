"""Residual networks for images (He et al., 2016), as torchvision has them.

Names and shapes of the state equal torchvision's, so that its weights, saved as safetensors,
load with ``load_state_dict``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import init
from .containers import Sequential
from .layers import AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Linear, MaxPool2d, ReLU
from .module import Module

Array = Any


def _conv(channels: int, outs: int, size: int, stride: int = 1, **made: Any) -> Conv2d:
    return Conv2d(channels, outs, size, stride, padding=size // 2, bias=False, **made)


class BasicBlock(Module):
    """Two convolutions, added to the input; ``downsample`` makes the input fit."""

    expansion = 1

    def __init__(
        self,
        channels: int,
        width: int,
        stride: int = 1,
        downsample: Module | None = None,
        **made: Any,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(channels, width, 3, stride, **made)
        self.bn1 = BatchNorm2d(width, dtype=self.conv1.weight.dtype)
        self.relu = ReLU()
        self.conv2 = _conv(width, width, 3, **made)
        self.bn2 = BatchNorm2d(width, dtype=self.conv1.weight.dtype)
        self.downsample = downsample

    def forward(self, x: Array) -> Array:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(Module):
    """A convolution between two that change the number of channels, added to the input."""

    expansion = 4

    def __init__(
        self,
        channels: int,
        width: int,
        stride: int = 1,
        downsample: Module | None = None,
        **made: Any,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(channels, width, 1, **made)
        dtype = self.conv1.weight.dtype
        self.bn1 = BatchNorm2d(width, dtype=dtype)
        self.conv2 = _conv(width, width, 3, stride, **made)
        self.bn2 = BatchNorm2d(width, dtype=dtype)
        self.conv3 = _conv(width, 4 * width, 1, **made)
        self.bn3 = BatchNorm2d(4 * width, dtype=dtype)
        self.relu = ReLU()
        self.downsample = downsample

    def forward(self, x: Array) -> Array:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet(Module):
    """Four stages of blocks, each half as wide and high as the one before.

    Args:
        block: ``BasicBlock`` or ``Bottleneck``.
        layers: how many blocks the four stages have.
        num_classes: the length of the result.
        zero_init_residual: begin with blocks that hand their input on.
        width: channels of the first stage.
        in_channels: channels of the images.
        dtype: of parameters and buffers.
        generator: where initial values come from; by default NumPy's global state.
    """

    def __init__(
        self,
        block: type[BasicBlock | Bottleneck],
        layers: tuple[int, int, int, int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        *,
        width: int = 64,
        in_channels: int = 3,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        super().__init__()
        made = {"dtype": dtype, "generator": generator}
        self.conv1 = Conv2d(in_channels, width, 7, 2, 3, bias=False, **made)
        self.bn1 = BatchNorm2d(width, dtype=dtype)
        self.relu = ReLU()
        self.maxpool = MaxPool2d(3, 2, 1)
        channels = width
        for k, count in enumerate(layers):
            stage = _stage(block, channels, width * 2**k, count, 1 if k == 0 else 2, made)
            setattr(self, f"layer{k + 1}", stage)
            channels = width * 2**k * block.expansion
        self.avgpool = AdaptiveAvgPool2d((1, 1))
        self.fc = Linear(channels, num_classes, **made)
        for module in self.modules():
            if isinstance(module, Conv2d):
                init.kaiming_normal_(
                    module.weight, mode="fan_out", nonlinearity="relu", generator=generator
                )
            if zero_init_residual and isinstance(module, BasicBlock | Bottleneck):
                last = module.bn2 if isinstance(module, BasicBlock) else module.bn3
                init.zeros_(last.weight)

    def forward(self, x: Array) -> Array:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = self.avgpool(x)
        return self.fc(np.reshape(x, (x.shape[0], x.shape[1])))


def _stage(
    block: type[BasicBlock | Bottleneck],
    channels: int,
    width: int,
    count: int,
    stride: int,
    made: dict[str, Any],
) -> Sequential:
    """Blocks in a row; the first one changes size and channels."""
    outs, downsample = width * block.expansion, None
    if stride != 1 or channels != outs:
        norm = BatchNorm2d(outs, dtype=made["dtype"])
        downsample = Sequential(_conv(channels, outs, 1, stride, **made), norm)
    blocks = [block(channels, width, stride, downsample, **made)]
    blocks += [block(outs, width, **made) for _ in range(1, count)]
    return Sequential(*blocks)


def resnet18(num_classes: int = 1000, **options: Any) -> ResNet:
    """18 layers. The options are those of ``ResNet``.

    >>> model = resnet18(num_classes=10, width=4, generator=np.random.default_rng(0))
    >>> model.eval()(np.ones((1, 3, 32, 32), np.float32)).shape
    (1, 10)
    """
    return ResNet(BasicBlock, (2, 2, 2, 2), num_classes, **options)


def resnet34(num_classes: int = 1000, **options: Any) -> ResNet:
    """34 layers. The options are those of ``ResNet``."""
    return ResNet(BasicBlock, (3, 4, 6, 3), num_classes, **options)


def resnet50(num_classes: int = 1000, **options: Any) -> ResNet:
    """50 layers. The options are those of ``ResNet``."""
    return ResNet(Bottleneck, (3, 4, 6, 3), num_classes, **options)
