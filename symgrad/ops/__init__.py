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
    linalg_products,
    lists,
    markers,
    masked_reductions,
    matrices,
    mutating,
    nanreductions,
    norms,
    opaque,
    operators,
    ordering,
    padding,
    polynomials,
    power,
    products,
    quantiles,
    random,
    rearranging,
    reductions,
    reshaping,
    roots,
    rounding,
    selection,
    sets,
    shaping,
    singular,
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

SURFACE.waiting |= {
    "scipy.linalg": ".scipy_matrices",
    "scipy.signal": ".scipy_signal",
    "scipy.special": ".scipy_special",
    "scipy.stats": ".scipy_stats",
}

__all__ = ["ATTRIBUTES", "METHODS", "MUTATORS", "SURFACE", "TABLE"]
