"""What SciPy solves by calling the user's function: initial value problems, roots, fixed points.

SciPy's solver runs as it is, on the function as it is. The derivative is that of the solution, not
of the steps to it, and is compiled like any code. ``ops.written`` loads a module here when
the part of SciPy that it is about has been imported.
"""
