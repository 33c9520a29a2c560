"""Pooling, padding and interpolation as modules."""

from __future__ import annotations

from typing import Any

from .. import functional as F  # noqa: N812
from ..module import Module
from ._making import double

Array = Any


class _MaxPool(Module):
    """What ``MaxPool1d`` and ``MaxPool2d`` share."""

    axes = 2

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode
        self.return_indices = return_indices

    def forward(self, x: Array) -> Any:
        pool = F.max_pool1d if self.axes == 1 else F.max_pool2d
        rest = (self.padding, self.dilation, self.ceil_mode, self.return_indices)
        return pool(x, self.kernel_size, self.stride, *rest)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Maxima over windows of the last axis; the arguments are those of ``MaxPool2d``.

    >>> nn.MaxPool1d(2)(np.arange(6.0).reshape(1, 1, 6))
    array([[[1., 3., 5.]]])
    """

    axes = 1


class MaxPool2d(_MaxPool):
    """Maxima over windows of the last two axes.

    Args:
        kernel_size: height and width of the windows; one integer or two, as what follows.
        stride: their distance; by default they lie side by side.
        padding: rows and columns on each side which are never the largest.
        dilation: the distance of the entries of a window.
        return_indices: return a pair, whose second are positions for ``MaxUnpool2d``.
        ceil_mode: also windows that reach beyond the edge.

    >>> nn.MaxPool2d(2)(np.arange(16.0).reshape(1, 1, 4, 4))
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """


class MaxUnpool2d(Module):
    """Images that are 0 but where ``MaxPool2d`` found its maxima.

    Args:
        kernel_size: of the windows there; one integer or two, as what follows.
        stride: their distance.
        padding: rows and columns on each side there.

    The call takes maxima and their positions, and the shape of the result if it is another one
    than these tell.

    >>> pool = nn.MaxPool2d(2, return_indices=True)
    >>> h, places = pool(np.arange(16.0).reshape(1, 1, 4, 4))
    >>> nn.MaxUnpool2d(2)(h, places)
    array([[[[ 0.,  0.,  0.,  0.],
             [ 0.,  5.,  0.,  7.],
             [ 0.,  0.,  0.,  0.],
             [ 0., 13.,  0., 15.]]]])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = double(kernel_size)
        self.stride = self.kernel_size if stride is None else double(stride)
        self.padding = double(padding)

    def forward(self, x: Array, indices: Array, output_size: Any = None) -> Array:
        rest = (self.kernel_size, self.stride, self.padding, output_size)
        return F.max_unpool2d(x, indices, *rest)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        )


class _AvgPool(Module):
    """What ``AvgPool1d`` and ``AvgPool2d`` share."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        )


class AvgPool1d(_AvgPool):
    """Means over windows of the last axis; the arguments are those of ``AvgPool2d``.

    >>> nn.AvgPool1d(2)(np.arange(6.0).reshape(1, 1, 6))
    array([[[0.5, 2.5, 4.5]]])
    """

    def forward(self, x: Array) -> Array:
        rest = (self.stride, self.padding, self.ceil_mode, self.count_include_pad)
        return F.avg_pool1d(x, self.kernel_size, *rest)


class AvgPool2d(_AvgPool):
    """Means over windows of the last two axes.

    Args:
        kernel_size: height and width of the windows; one integer or two, as what follows.
        stride: their distance; by default they lie side by side.
        padding: rows and columns of zeros on each side.
        ceil_mode: also windows that reach beyond the edge.
        count_include_pad: whether the zeros count.
        divisor_override: what sums are divided by instead of the number of entries.

    >>> nn.AvgPool2d(2)(np.arange(16.0).reshape(1, 1, 4, 4))
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, x: Array) -> Array:
        rest = (self.ceil_mode, self.count_include_pad, self.divisor_override)
        return F.avg_pool2d(x, self.kernel_size, self.stride, self.padding, *rest)


class _AdaptiveAvgPool(Module):
    """What ``AdaptiveAvgPool1d`` and ``AdaptiveAvgPool2d`` share."""

    axes = 2

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, x: Array) -> Array:
        pool = F.adaptive_avg_pool1d if self.axes == 1 else F.adaptive_avg_pool2d
        return pool(x, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means over ``output_size`` equal shares of the last axis.

    >>> nn.AdaptiveAvgPool1d(2)(np.arange(6.0).reshape(1, 1, 6))
    array([[[1., 4.]]])
    """

    axes = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means over equal shares of the last two axes.

    Args:
        output_size: height and width of the result; one integer or two, None for the length
            there is.

    >>> nn.AdaptiveAvgPool2d(2)(np.arange(16.0).reshape(1, 1, 4, 4))
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """


class Upsample(Module):
    """Signals (n, channels, length) or images (n, channels, height, width) of another size.

    Args:
        size: the lengths of the result; or else
        scale_factor: how much longer the axes become.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"`` or ``"bicubic"``.
        align_corners: whether the outermost entries stay where they are.

    Raises:
        ValueError: from the call, a mode that does not fit.

    >>> nn.Upsample(scale_factor=2)(np.array([[[1.0, 2.0]]]))
    array([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners = mode, align_corners

    def forward(self, x: Array) -> Array:
        rest = (self.scale_factor, self.mode, self.align_corners)
        return F.interpolate(x, self.size, *rest)

    def extra_repr(self) -> str:
        factor = self.scale_factor
        if isinstance(factor, int):
            factor = float(factor)
        given = f"size={self.size}" if factor is None else f"scale_factor={factor}"
        return f"{given}, mode={self.mode!r}"


# ------------------------------------------------------------------------------- padding
class _Pad(Module):
    """``padding``: one integer, or left, right, top, bottom."""

    mode = "constant"
    axes = 2

    def __init__(self, padding: Any) -> None:
        super().__init__()
        one = isinstance(padding, int)
        self.padding = (padding,) * (2 * self.axes) if one else tuple(padding)

    def forward(self, x: Array) -> Array:
        return F.pad(x, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(_Pad):
    """Zeros around images; ``padding`` is one integer, or left, right, top, bottom.

    >>> nn.ZeroPad2d(1)(np.ones((1, 1, 1, 1)))
    array([[[[0., 0., 0.],
             [0., 1., 0.],
             [0., 0., 0.]]]])
    """


class ReflectionPad2d(_Pad):
    """Images mirrored at their edges; ``padding`` as for ``ZeroPad2d``.

    >>> nn.ReflectionPad2d((1, 1, 0, 0))(np.arange(3.0).reshape(1, 1, 1, 3))
    array([[[[1., 0., 1., 2., 1.]]]])
    """

    mode = "reflect"


class ReplicationPad2d(_Pad):
    """Images whose edges go on; ``padding`` as for ``ZeroPad2d``.

    >>> nn.ReplicationPad2d((1, 1, 0, 0))(np.arange(3.0).reshape(1, 1, 1, 3))
    array([[[[0., 0., 1., 2., 2.]]]])
    """

    mode = "replicate"
