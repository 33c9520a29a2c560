"""Optimizers, which change ``nn.Parameter`` in place, and schedules of their learning rates.

``optimizer`` has what all share; an optimizer is a file with its rule, made of ``kernels``.
Names, options and results are PyTorch's. May import ``nn``; begin at ``sgd``.
"""

from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
