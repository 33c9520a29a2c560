"""symgrad: a compiler from NumPy functions to NumPy functions that compute derivatives."""
