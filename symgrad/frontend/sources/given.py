"""What the compiler writes into syntax trees of its own."""

from __future__ import annotations

import ast
from typing import Any


class Given(ast.expr):
    """A value that is there already: a function of the compiler's, or an abstract value."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value

    def __deepcopy__(self, memo: Any) -> Given:
        return self
