"""From values to buffers: what may stand in the same memory, and where copies are needed."""
