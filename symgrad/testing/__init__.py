"""Checks for users and for symgrad itself.

``check_grads`` compares derivatives with differences, in both modes and both orders;
``assert_source_equal`` compares generated code with what was expected.
"""

from .check_grads import check_grads
from .source import assert_source_equal

__all__ = ["assert_source_equal", "check_grads"]
