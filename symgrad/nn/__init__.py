"""Neural networks: ``functional`` has convolution, pooling, activations and losses."""

from . import functional

__all__ = ["functional"]
