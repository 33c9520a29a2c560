"""Elementwise derivatives found by SymPy; made by ``python -m symgrad.ops.symbolic``."""

DERIVED: dict[str, dict[str, str]] = {
    "add": {"x": "1", "y": "1"},
    "subtract": {"x": "1", "y": "-1"},
    "multiply": {"x": "y", "y": "x"},
    "negative": {"x": "-1"},
    "exp": {"x": "out"},
    "log": {"x": "1 / x"},
    "tanh": {"x": "1 - out**2"},
    "sin": {"x": "cos(x)"},
    "cos": {"x": "-sin(x)"},
    "sqrt": {"x": "1 / (2 * out)"},
}
