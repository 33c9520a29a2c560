"""Functions written out in Python, and compiled where they are called like the user's."""
