"""Transforms met while lowering: the function becomes a block, its derivative an op."""
