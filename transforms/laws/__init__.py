"""The laws of ``simplify``, by what they are about."""
