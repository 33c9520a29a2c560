"""Elementwise derivatives found by SymPy; made by ``python -m symgrad.ops.symbolic``."""

DERIVED: dict[str, dict[str, str]] = {
    "add": {"x": "1", "y": "1"},
    "subtract": {"x": "1", "y": "-1"},
    "multiply": {"x": "y", "y": "x"},
    "negative": {"x": "-1"},
    "positive": {"x": "1"},
    "square": {"x": "2 * x"},
    "exp": {"x": "out"},
    "exp2": {"x": "0.6931471805599453 * out"},
    "log": {"x": "1 / x"},
    "log2": {"x": "1.4426950408889634 / x"},
    "log10": {"x": "0.4342944819032518 / x"},
    "log1p": {"x": "1 / (x + 1)"},
    "sin": {"x": "cos(x)"},
    "cos": {"x": "-sin(x)"},
    "tan": {"x": "out**2 + 1"},
    "sinh": {"x": "cosh(x)"},
    "cosh": {"x": "sinh(x)"},
    "tanh": {"x": "1 - out**2"},
    "deg2rad": {"x": "0.017453292519943295"},
    "rad2deg": {"x": "57.29577951308232"},
}
