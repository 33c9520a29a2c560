"""Schedules of learning rates, with PyTorch's names, arguments and rates.

``scheduler`` has what all share; ``decays``, ``ramps``, ``cosine``, ``cyclic`` and ``one_cycle``
(with ``phases``) follow a formula, ``plateau`` a metric, ``combined`` puts schedulers together.
"""

from .combined import ChainedScheduler, SequentialLR
from .cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from .cyclic import CyclicLR
from .decays import ExponentialLR, LambdaLR, MultiplicativeLR, MultiStepLR, StepLR
from .one_cycle import OneCycleLR
from .plateau import ReduceLROnPlateau
from .ramps import ConstantLR, LinearLR, PolynomialLR
from .scheduler import LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
