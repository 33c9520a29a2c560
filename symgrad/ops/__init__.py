"""The op table: one entry per op, by topic in the order of NumPy's reference.

``table.py`` has the words (``op``, ``linear``, ``nondiff``), ``elementwise.py`` the word for
elementwise functions, ``symbolic.py`` the way from and to SymPy. May import ``ir`` only.
"""

from . import (
    activation,
    arithmetic,
    builtin,
    calculus,
    choosing,
    comparison,
    complexes,
    contraction,
    convolution,
    creating,
    creation,
    cumulative,
    data,
    effects,
    exponential,
    extremes,
    factorisations,
    fft,
    histograms,
    indexing,
    joining,
    linalg,
    markers,
    matrices,
    mutating,
    nanreductions,
    norms,
    operators,
    ordering,
    polynomials,
    power,
    products,
    quantiles,
    rearranging,
    reductions,
    reshaping,
    roots,
    rounding,
    selection,
    shaping,
    special,
    spectral,
    summation,
    trigonometric,
    ufuncs,
    unbroadcasting,
    whole,
    windows,
)
from .table import ATTRIBUTES, METHODS, MUTATORS, SURFACE, TABLE

__all__ = ["ATTRIBUTES", "METHODS", "MUTATORS", "SURFACE", "TABLE"]
