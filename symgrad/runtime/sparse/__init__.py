"""Jacobians as sparse matrices: which entries there may be, and few passes for all of them.

``links`` says for one operation which entries of its result read which of its input,
``dependence`` follows that through a whole function, ``coloring`` puts columns together that
share no row, and ``jacobian`` makes the matrices.
"""
