"""The op table: one entry per op, by topic in the order of NumPy's reference.

``rules`` has what they are written in; ``linalg`` and ``scipy`` are rooms of their own.
``table.py`` has the words (``op``, ``linear``, ``nondiff``), ``elementwise.py`` the word for
elementwise functions, ``symbolic.py`` the way from and to SymPy. May import ``ir`` only.
"""

from . import (
    activation,
    arithmetic,
    averages,
    builtin,
    calculus,
    choosing,
    comparison,
    complex_math,
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
    fft,
    guards,
    histograms,
    indexing,
    joining,
    lists,
    logsum,
    markers,
    masked_reductions,
    mathematics,
    matrices,
    mutating,
    nanreductions,
    number_methods,
    opaque,
    operators,
    ordering,
    padding,
    places,
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
    schedule,
    selection,
    sets,
    shaping,
    special,
    summation,
    taps,
    through,
    trigonometric,
    ufuncs,
    unbroadcasting,
    weighted_quantiles,
    whole,
    windows,
)
from .linalg import factorisations, norms, singular, spectral
from .linalg import products as linalg_products
from .linalg import systems as linalg
from .table import ATTRIBUTES, METHODS, MUTATORS, SURFACE, TABLE

SURFACE.waiting |= {
    "scipy.linalg": ".scipy.matrices",
    "scipy.signal": ".scipy.signal",
    "scipy.special": ".scipy.special",
    "scipy.stats": ".scipy.stats",
}

__all__ = ["ATTRIBUTES", "METHODS", "MUTATORS", "SURFACE", "TABLE"]
