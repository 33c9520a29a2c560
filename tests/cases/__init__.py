"""Field cases as tests; a file for each group, ``registry`` for what they share."""
