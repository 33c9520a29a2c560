"""Types of IR values: arrays, Python scalars, and lists that grow at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .dims import Dim, Dimension, multiply, symbol

ScalarKind = Literal["bool", "int", "float", "complex"]
SCALAR_DTYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    "int": np.dtype(np.int64),
    "float": np.dtype(np.float64),
    "complex": np.dtype(np.complex128),
}


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An ndarray, or a NumPy scalar when ``shape`` is ``()``."""

    dtype: np.dtype[Any]
    shape: tuple[Dimension, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Dimension:
        total: Dimension = 1
        for d in self.shape:
            total = multiply(total, d)
        return total

    def __str__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A Python ``bool``, ``int``, ``float`` or ``complex``: weak in NumPy 2's promotion."""

    kind: ScalarKind

    @property
    def dtype(self) -> np.dtype[Any]:
        return SCALAR_DTYPES[self.kind]

    @property
    def shape(self) -> tuple[Dimension, ...]:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    @property
    def size(self) -> Dimension:
        return 1

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class ListType:
    """A Python list: one that what loops save goes on and comes off again at its end, or one of
    the program's ``own``, which is read anywhere. Elements of which a length is ``ANY`` may
    differ in it."""

    element: Type
    own: bool = False

    def __str__(self) -> str:
        return f"{'sequence' if self.own else 'list'}[{self.element}]"


ANY: Dimension = symbol("any")
"""In the type of a list's elements: a length that is not the same for all of them."""


def element_type(t: ListType, dims: Any) -> Type:
    """The type of one element, lengths that differ being new symbols."""
    e = t.element
    if not isinstance(e, ArrayType) or ANY not in e.shape:
        return e
    return ArrayType(e.dtype, tuple(dims.fresh() if d == ANY else d for d in e.shape))


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A Python object passed through untouched, such as a random generator."""

    name: str

    def __str__(self) -> str:
        return f"object[{self.name}]"


Type = ArrayType | ScalarType | ListType | ObjectType

BOOL = ScalarType("bool")
INT = ScalarType("int")
FLOAT = ScalarType("float")
COMPLEX = ScalarType("complex")


def is_inexact(t: Type) -> bool:
    """Whether values of this type are real or complex numbers (can carry a derivative)."""
    if isinstance(t, ListType):
        return is_inexact(t.element)
    return not isinstance(t, ObjectType) and t.dtype.kind in "fc"


def is_complex(t: Type) -> bool:
    """Whether values of this type are complex."""
    if isinstance(t, ListType):
        return is_complex(t.element)
    return not isinstance(t, ObjectType) and t.dtype.kind == "c"


def scalar_of(value: bool | int | float | complex) -> ScalarType:
    """The type of a Python scalar."""
    for kind, cls in (("bool", bool), ("int", int), ("float", float), ("complex", complex)):
        if isinstance(value, cls):
            return ScalarType(kind)  # type: ignore[arg-type]
    raise TypeError(f"{value!r} is not a Python scalar")


def type_of_constant(value: Any) -> Type:
    """The type of a constant: a Python scalar, a NumPy scalar or a small array."""
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, ())
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, tuple(value.shape))
    return scalar_of(value)


def tangent_type(t: Type) -> Type:
    """The type of a value's tangent and cotangent: its own."""
    if not is_inexact(t):
        raise TypeError(f"{t} has no tangents")
    return t


def batched(t: Type, length: Dimension) -> Type:
    """The type of ``length`` values of type ``t``: one axis more, in front."""
    if isinstance(t, ListType):
        return ListType(batched(t.element, length), t.own)
    if isinstance(t, ObjectType):
        raise TypeError(f"{t} cannot be one of a batch")
    return ArrayType(t.dtype, (length, *t.shape))


__all__ = [
    "ANY",
    "BOOL",
    "COMPLEX",
    "FLOAT",
    "INT",
    "ArrayType",
    "Dim",
    "Dimension",
    "ListType",
    "ObjectType",
    "ScalarType",
    "Type",
    "batched",
    "element_type",
    "is_complex",
    "is_inexact",
    "scalar_of",
    "tangent_type",
    "type_of_constant",
]
