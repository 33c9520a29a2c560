"""Recursion whose depth is known at run time only, as a loop with a stack: functions are cut at
their calls of each other.
"""
