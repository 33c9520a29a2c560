"""``np.linalg``: systems, factors, spectra, norms, and the kernels emitted with them."""
