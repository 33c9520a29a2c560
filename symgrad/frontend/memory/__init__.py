"""Arrays in memory: stores through views, layouts, arrays of rank 0, which array a
name may hold.
"""
