"""SciPy's functions, loaded once the user has imported the part of SciPy they are in."""
