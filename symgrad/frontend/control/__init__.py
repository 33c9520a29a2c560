"""Branches, loops, comprehensions and ways out of them: lowered by doing, joined, undone."""
