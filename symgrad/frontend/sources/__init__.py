"""Where code comes from: syntax trees found and checked, what is outside the language, syntax
rewritten before it is lowered (``match``, ``while (x := ...)``), which variables are still read.
"""
