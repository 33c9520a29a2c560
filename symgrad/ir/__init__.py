"""The intermediate representation: typed SSA with structured control flow.

``dims``, ``types``, ``values`` are the data; ``Builder`` makes it, ``Expr`` gives values
operators, ``structure`` holds the structural ops. May import ``errors`` and ``source`` only.
"""
