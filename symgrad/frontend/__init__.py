"""Python functions to IR.

``getsource`` finds the syntax, ``fence`` refuses what is outside the language, ``describe``
says what the arguments are, ``captures`` what names mean, ``binding`` which argument goes
where. May import ``ops``, ``ir``, ``source`` and ``errors``.
"""
