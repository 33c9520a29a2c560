"""``np.vectorize``: the user's function in a loop over what its arguments broadcast to."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

import numpy as np


def vectorized(function, kinds, cores, made, excluded, *args, **kwargs):
    """A call of ``np.vectorize(function)``.

    ``kinds``: dtypes of the results, None: those of the first; ``cores`` and ``made``: from the
    signature, for each argument and each result the names of the axes that the function takes
    or makes as a whole; ``excluded``: positions and names of arguments that are handed on as
    they are.
    """
    places = [i for i in range(len(args)) if i not in excluded]
    names = [name for name in kwargs if name not in excluded]
    arrays = [
        np.asarray(x) for x in (*[args[i] for i in places], *[kwargs[n] for n in names])
    ]
    cores = [()] * len(arrays) if cores is None else cores
    made = [()] * len(kinds) if made is None and kinds is not None else made
    if len(cores) != len(arrays):
        raise TypeError("wrong number of positional arguments: the signature has another")
    if any(a.ndim < len(core) for a, core in zip(arrays, cores, strict=True)):
        raise ValueError("an argument has fewer axes than the signature")
    lengths = check(arrays, cores)

    def at(k):
        given, named = [*args], {**kwargs}
        for number in range(len(places)):
            given[places[number]] = rows[number][k]
        for number in range(len(names)):
            named[names[number]] = rows[len(places) + number][k]
        found = function(*given, **named)
        return found if isinstance(found, tuple) else (found,)

    loops = [a[(..., *(0,) * len(core))] for a, core in zip(arrays, cores, strict=True)]
    shape = np.broadcast_arrays(*loops)[0].shape
    rows = [_rows(a, shape, len(core)) for a, core in zip(arrays, cores, strict=True)]
    count = len(rows[0])
    if kinds is not None and all(name in lengths for core in made for name in core):
        shapes = [tuple(lengths[name] for name in core) for core in made]
        outs = [np.empty((count, *s), k) for s, k in zip(shapes, kinds, strict=True)]
        start = 0
    else:
        if count == 0:
            raise ValueError(
                "cannot call `vectorize` on size 0 inputs unless `otypes` is set"
            )
        first = [np.asarray(x) for x in at(0)]
        shapes = [x.shape for x in first]
        kinds = [x.dtype for x in first] if kinds is None else kinds
        outs = [np.empty((count, *s), k) for s, k in zip(shapes, kinds, strict=True)]
        for number in range(len(outs)):
            outs[number][0] = first[number]
        start = 1
    for k in range(start, count):
        found = at(k)
        for number in range(len(outs)):
            outs[number][k] = found[number]
    whole = tuple([o.reshape(*shape, *s) for o, s in zip(outs, shapes, strict=True)])
    return whole if len(whole) > 1 else whole[0]


def _rows(a, shape, core):
    """An array broadcast to this shape, all but its last axes as one."""
    inner = a.shape[a.ndim - core :]
    return np.broadcast_to(a, (*shape, *inner)).reshape(-1, *inner)


def check(arrays, cores):
    """The lengths of axes by name, which are the same wherever a name stands."""
    lengths: dict[str, int] = {}
    for a, core in zip(arrays, cores, strict=True):
        for place in range(len(core)):
            n = a.shape[a.ndim - len(core) + place]
            if core[place] in lengths and lengths[core[place]] != n:
                raise ValueError("axes of one name in the signature differ in length")
            lengths[core[place]] = n
    return lengths
