"""Rules of the user's: ``Function`` classes, custom derivatives, hooks and inserts, code that
runs as it is.
"""
