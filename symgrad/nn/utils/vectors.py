"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import ShapeError
from ..parameter import Parameter

Array = np.ndarray[Any, Any]


def parameters_to_vector(parameters: Iterable[Parameter]) -> Array:
    """The entries of all parameters, one after another, in a new vector.

    Raises:
        TypeError: something is no parameter.
        ValueError: there are none.

    >>> nn.utils.parameters_to_vector([nn.Parameter(np.eye(2)), nn.Parameter(np.array(5.0))])
    array([1., 0., 0., 1., 5.])
    """
    found = _checked(parameters)
    if not found:
        raise ValueError("there are no parameters to make a vector of")
    return np.concatenate([x.data.reshape(-1) for x in found])


def vector_to_parameters(vec: Array, parameters: Iterable[Parameter]) -> None:
    """Copy the entries of a vector into the parameters' arrays, one after another.

    Raises:
        TypeError: ``vec`` is no array or of another kind, or something is no parameter.
        ShapeError: ``vec`` has not as many entries as the parameters; nothing is copied.

    >>> x = nn.Parameter(np.zeros((2, 2)))
    >>> nn.utils.vector_to_parameters(np.arange(4.0), [x])
    >>> x.data
    array([[0., 1.],
           [2., 3.]])
    """
    if not isinstance(vec, np.ndarray):
        raise TypeError(f"vec has to be an array, not {type(vec).__name__}")
    found = _checked(parameters)
    total = sum(x.size for x in found)
    if vec.shape != (total,):
        raise ShapeError(f"vec has shape {vec.shape}, the parameters {total} entries")
    for x in found:
        if not np.can_cast(vec.dtype, x.dtype, "same_kind"):
            raise TypeError(f"entries of {vec.dtype} do not fit a parameter of {x.dtype}")
    start = 0
    for x in found:
        np.copyto(x.data, vec[start : start + x.size].reshape(x.shape), casting="same_kind")
        start += x.size


def _checked(parameters: Iterable[Parameter]) -> list[Parameter]:
    found = list(parameters)
    for x in found:
        if not isinstance(x, Parameter):
            raise TypeError(f"this takes nn.Parameter, not {type(x).__name__}")
    return found
