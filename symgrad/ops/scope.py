"""What of NumPy's public names is left out, and why; what is run when compiling.

``coverage.py`` makes the list of what is supported from the op table itself.
"""

from __future__ import annotations

import numpy as np

RUN_WHEN_COMPILING = frozenset(
    getattr(np, name)
    for name in """
    dtype finfo iinfo result_type promote_types can_cast issubdtype isdtype isscalar
    broadcast_shapes min_scalar_type mintypecode typename common_type
    iterable
    """.split()
    if hasattr(np, name)
)
"""Functions of static objects: dtypes, shapes, plain numbers."""

OUT_OF_SCOPE: dict[str, str] = {
    "reads or writes files": """
        load loadtxt save savetxt savez savez_compressed fromfile fromregex genfromtxt memmap
        tofile dump dumps""",
    "text": """
        array2string array_repr array_str base_repr binary_repr format_float_positional
        format_float_scientific fromstring str_ bytes_ character""",
    "dates": """
        busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data
        is_busday isnat timedelta64""",
    "records and objects": """
        recarray record rec void flexible object_ frompyfunc setfield getfield""",
    "np.matrix is deprecated: arrays with two axes": "asmatrix bmat matrix",
    "settings of NumPy": """
        errstate geterr seterr geterrcall seterrcall getbufsize setbufsize get_printoptions
        set_printoptions printoptions get_include info show_config show_runtime test
        set_numeric_ops""",
    "memory and its layout": """
        may_share_memory shares_memory isfortran frombuffer from_dlpack byteswap ctypes data
        flags strides base setflags tobytes to_device device ndarray require""",
    "bytes that hold bits": "packbits unpackbits",
    "iterates in Python: write the loop over the array": """
        nditer nested_iters ndenumerate ndindex flatiter fromiter broadcast flat""",
    "kinds of scalars, for isinstance: the concrete ones can be called": """
        clongdouble complex256 complexfloating floating generic inexact integer number
        signedinteger unsignedinteger ufunc ulonglong""",
    "reads numbers as other numbers: use astype": "view",
    "bits and states of random generators": """
        BitGenerator MT19937 PCG64 PCG64DXSM Philox SFC64 SeedSequence bytes bit_generator
        get_bit_generator get_state set_bit_generator set_state spawn""",
    "made by default_rng": "Generator",
    "changes the length of an array that others may see: use np.resize": "resize_method",
    "a polynomial with state: use the functions on coefficients": "poly1d",
    "says how np.einsum is computed, not what": "einsum_path",
    "the old name of another function": "row_stack trapz in1d random_integers",
}
"""Reasons, and the names they hold for."""

REFUSED = frozenset({"view"})
"""Methods that the table has for the sake of what they are refused with."""
