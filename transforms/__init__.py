"""The compiler's passes, IR -> IR, one a file. Imported as ``symgrad.transforms``.

Each is ``name(function) -> function`` in the file of its name, leaves its input as it is, and
says at the top of the file what holds before and after. ``runtime/pipeline.py`` has the order.

- ``expand``: derivative ops to plain ops, by ``reverse`` (with ``reverse_control``, ``loops``,
  ``saving``, ``stacks``, ``adjoints``, ``activity``, ``taps``; under masks ``choices``,
  ``doubts``, ``suspects``, ``guards``, ``operands``, ``first_mask``), ``forward``, and the
  room ``batching``
- ``settle``: numbers that meet others of another kind, before derivatives are taken
- ``chains``: long chains of branches, put into pieces before derivatives are taken
- ``fold``: what is known when compiling
- ``simplify``: algebra, by the laws in the room ``laws``
- ``cse``: equal values once
- ``twins``: loops that compute the same once
- ``dce``: what nothing needs
- ``shift``: maxima that cancel, as in softmax, are constants to derivatives
- ``factors``: what stays the same in backward loops is multiplied by once
- ``licm``: what does not change in a loop
- ``checks``: what NumPy checks itself is not checked twice
- ``numbers``: Python floats handed to NumPy as they are
- ``memory.filled``: arrays of one number that loops change
- ``memory.reuse``: values to buffers, last of all

May import ``ir`` and ``ops``. A new pass is a file here, a line in the pipeline, and a file of
before/after pairs in ``tests/transforms``.
"""

if __name__ != "symgrad.transforms":
    raise ImportError("the passes are imported as symgrad.transforms")
