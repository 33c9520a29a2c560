"""A block for all examples of a batch at once."""
