"""What is done to many parameters at once: clipping gradients, and parameters as one vector."""

from .clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_
from .norms import get_total_norm
from .vectors import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]
