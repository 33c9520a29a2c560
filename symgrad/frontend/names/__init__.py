"""What names mean: variables of running functions, closures, globals, objects found around a
function, and what is changed in them.
"""
