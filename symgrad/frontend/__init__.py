"""Python functions to IR.

``getsource`` finds the syntax, ``fence`` refuses what is outside the language, ``describe``
says what the arguments are (``keys``: as a cache key), ``captures`` what names mean that are
not local, ``binding`` which argument goes to which parameter, ``derivatives`` turns a
transform met on the way into an op.

``lower`` is the entry of the abstract interpretation. ``values`` says what a name can hold,
``machine`` holds the state, ``heap`` undoes changes, ``dispatch`` knows which function lowers
which syntax; then a file for each topic. ``join`` makes one value of two (``branches``,
``carrying`` for ``loops``), ``storage`` writes into arrays and refuses what cannot be decided.
May import ``ops``, ``ir``, ``source`` and ``errors``.
"""

from .describe import Described, describe
from .keys import key, leaf_key
from .lower import lower
from .requests import (
    SHAPES,
    ArgLeaf,
    Capture,
    Guard,
    Lowered,
    NeedsSpecialisation,
    Place,
    Request,
)

__all__ = [
    "SHAPES",
    "ArgLeaf",
    "Capture",
    "Described",
    "Guard",
    "Lowered",
    "NeedsSpecialisation",
    "Place",
    "Request",
    "describe",
    "key",
    "leaf_key",
    "lower",
]
