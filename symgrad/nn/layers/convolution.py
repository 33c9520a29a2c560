"""Convolutions and their transposes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import double, single, uniform

Array = Any
MODES = ("zeros", "reflect", "replicate", "circular")


def _sides(kernel_size: Any, padding: Any, dilation: Any) -> tuple[int, ...]:
    """The padding as ``functional.pad`` wants it, the last axis first."""
    sides: tuple[int, ...] = ()
    for axis, (k, d) in enumerate(zip(kernel_size, dilation, strict=True)):
        total = d * (k - 1) if padding == "same" else 0
        pair = (total // 2, total - total // 2)
        if not isinstance(padding, str):
            pair = (padding[axis], padding[axis])
        sides = pair + sides
    return sides


class _Convolution(Module):
    """What all of them share: their parameters and options."""

    transposed = False
    axes = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        options: Mapping[str, Any],
        bias: bool,
        dtype: Any,
        generator: Any,
    ) -> None:
        super().__init__()
        each: Callable[[Any], Any] = single if self.axes == 1 else double
        groups, padding_mode = options["groups"], options["padding_mode"]
        padding: Any = options["padding"]
        padding = padding if isinstance(padding, str) else each(padding)
        kernel_size, stride, dilation, output_padding = (
            each(options[name])
            for name in ("kernel_size", "stride", "dilation", "output_padding")
        )
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{in_channels} and {out_channels} channels do not make {groups} equal groups"
            )
        if padding_mode not in (("zeros",) if self.transposed else MODES):
            raise ValueError(f"padding_mode {padding_mode!r} is not supported here")
        known = () if self.transposed else ("same", "valid")
        if isinstance(padding, str) and padding not in known:
            raise ValueError(
                f"padding must be integers, 'same' or 'valid', got {padding!r}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' needs stride 1")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.padding, self.output_padding = padding, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        self._sides = _sides(kernel_size, padding, dilation)
        first, second = in_channels, out_channels
        if not self.transposed:
            first, second = out_channels, in_channels
        shape = (first, second // groups, *kernel_size)
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        self.weight = uniform(shape, bound, dtype, generator)
        self.register_parameter(
            "bias", uniform(out_channels, bound, dtype, generator) if bias else None
        )

    def extra_repr(self) -> str:
        nought, one = (0,) * len(self.kernel_size), (1,) * len(self.kernel_size)
        parts = [f"{self.in_channels}, {self.out_channels}"]
        parts += [f"kernel_size={self.kernel_size}, stride={self.stride}"]
        for name, usual in [
            ("padding", nought), ("dilation", one), ("output_padding", nought), ("groups", 1),
        ]:  # fmt: skip
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Direct(_Convolution):
    """A convolution, not a transposed one."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        options = {
            "kernel_size": kernel_size, "stride": stride, "padding": padding,
            "dilation": dilation, "output_padding": 0, "groups": groups,
            "padding_mode": padding_mode,
        }  # fmt: skip
        super().__init__(in_channels, out_channels, options, bias, dtype, generator)

    def forward(self, x: Array) -> Array:
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = F.pad(x, self._sides, self.padding_mode), 0
        convolve = F.conv1d if self.axes == 1 else F.conv2d
        rest = (self.stride, padding, self.dilation, self.groups)
        return convolve(x, self.weight, self.bias, *rest)


class _Transposed(_Convolution):
    """A transposed convolution."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        *,
        dtype: Any = np.float32,
        generator: Any = None,
    ) -> None:
        options = {
            "kernel_size": kernel_size, "stride": stride, "padding": padding,
            "dilation": dilation, "output_padding": output_padding, "groups": groups,
            "padding_mode": padding_mode,
        }  # fmt: skip
        super().__init__(in_channels, out_channels, options, bias, dtype, generator)

    def forward(self, x: Array) -> Array:
        convolve = F.conv_transpose1d if self.axes == 1 else F.conv_transpose2d
        rest = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        return convolve(x, self.weight, self.bias, *rest)


class Conv1d(_Direct):
    """Cross-correlation of signals (n, in_channels, length).

    The arguments are those of ``Conv2d``, for one axis.

    >>> nn.Conv1d(2, 4, 3)(np.ones((1, 2, 8), np.float32)).shape
    (1, 4, 6)
    """

    axes = 1


class Conv2d(_Direct):
    """Cross-correlation of images (n, in_channels, height, width).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the windows; one integer or two, as what follows.
        stride: the distance of the windows.
        padding: rows and columns on each side, ``"valid"`` or ``"same"``.
        dilation: the distance of the entries of a window.
        groups: the channels are taken in so many groups.
        bias: whether there is one.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        dtype: of the parameters.
        generator: where their initial values come from, uniform within ``1 / sqrt(fan_in)``;
            by default NumPy's global state.

    Raises:
        ValueError: the groups are not equally large, or an unknown padding.

    >>> nn.Conv2d(3, 8, 3, padding=1)(np.ones((2, 3, 5, 5), np.float32)).shape
    (2, 8, 5, 5)
    """


class ConvTranspose1d(_Transposed):
    """The adjoint of ``Conv1d``; the arguments are those of ``ConvTranspose2d``.

    >>> nn.ConvTranspose1d(2, 4, 3)(np.ones((1, 2, 8), np.float32)).shape
    (1, 4, 10)
    """

    axes = 1


class ConvTranspose2d(_Transposed):
    """The adjoint of ``Conv2d``: images become larger by ``stride``.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the windows; one integer or two, as what follows.
        stride: the distance of the windows in the output.
        padding: rows and columns that are cut off on each side.
        output_padding: rows and columns more, below and right.
        groups: the channels are taken in so many groups.
        bias: whether there is one.
        dilation: the distance of the entries of a window.
        padding_mode: ``"zeros"``.
        dtype: of the parameters.
        generator: where their initial values come from, as for ``Conv2d``.

    Raises:
        ValueError: the groups are not equally large, or another ``padding_mode``.

    >>> nn.ConvTranspose2d(2, 4, 3)(np.ones((1, 2, 8, 8), np.float32)).shape
    (1, 4, 10, 10)
    """
