"""Checks for users and for symgrad itself.

``check_grads`` compares derivatives with differences, in both modes and both orders;
``gradcheck`` and ``gradgradcheck`` compare whole Jacobians and have PyTorch's argument names;
``assert_source_equal`` compares generated code with what was expected; ``check_op`` puts an
entry of the op table through every check. ``plugin`` is for pytest.
"""

from .check_grads import check_grads
from .check_op import Sample, check_op, sample
from .gradcheck import gradcheck, gradgradcheck
from .source import assert_source_equal

__all__ = [
    "Sample",
    "assert_source_equal",
    "check_grads",
    "check_op",
    "gradcheck",
    "gradgradcheck",
    "sample",
]
