"""Python functions to IR.

``lower`` is the entry of the abstract interpretation. ``values`` says what a name can hold,
``machine`` holds the state, ``heap`` undoes changes, ``dispatch`` knows which function lowers
which syntax; then a file for each kind of expression and statement, and rooms:

- ``sources``: the syntax tree of a function, found, checked and made plainer
- ``arguments``: what a call is made with, without the data
- ``names``: what names mean, and objects from outside
- ``control``: branches, loops, comprehensions, ways out
- ``memory``: arrays, views and stores
- ``lists``, ``recursion``: of lengths and depths that are known at run time only
- ``derivatives``: transforms met on the way become ops
- ``rules``: the user's own

May import ``ops``, ``ir``, ``source`` and ``errors``.
"""

from .arguments.describe import Described, describe
from .arguments.keys import key, leaf_key
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
    counted_from_the_end,
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
    "counted_from_the_end",
    "describe",
    "key",
    "leaf_key",
    "lower",
]
