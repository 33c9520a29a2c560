"""Densities of the gamma and the beta distribution, and their slopes.

As exponentials of logarithms they are finite whatever the parameters; by the chain rule the second
derivative would be a difference of squares of ``(a - 1) / x``, of which nothing is left where
``(a - 1) * (a - 2)`` is small.
"""

from __future__ import annotations

from ..slopes import slope
from .words import IMPORT, type_rule


def density(
    name: str,
    inputs: str,
    integral: str,
    text: str,
    log_slope: str,
    curve: str,
    **parameters: tuple[str, str],
) -> None:
    """One density by ``x``, the last of its inputs.

    Args:
        integral: what it is the slope of.
        text: in SciPy's words.
        log_slope: of its logarithm, by ``x``.
        curve: its second derivative, in terms of the density ``{0}``.
        parameters: slopes of its logarithm by a parameter, and of ``log_slope`` by that.
    """
    listed, rule = ", ".join(inputs.split()), type_rule(integral)
    itself = f"{name}({listed})"
    by = {p: f"out * ({s})" for p, (s, _) in parameters.items()}
    bent = {p: f"out * ({s}) + {b.format(itself)}" for p, (s, b) in parameters.items()}
    for end, factor, slopes in (
        ("", "", {**by, "x": f"{name}_slope({listed})"}),
        ("_slope", log_slope, {**bent, "x": curve.format(itself)}),
    ):
        written = f"{text} * ({factor})" if end else text
        numpy = written.replace("exp(", "np.exp(", 1).replace("where", "np.where")
        slope(
            name + end, written.replace("special.", "special_"), slopes, inputs=inputs,
            emit=numpy, infer=rule, imports=(IMPORT,), doc=f"The {name}{end}.".replace("_", " "),
        )  # fmt: skip


# Where the exponent is 0 there is no pole at the end.
_LEFT, _RIGHT = (
    "where(a == 1, 0.0, (a - 1.0) / x)",
    "where(b == 1, 0.0, (b - 1.0) / (1.0 - x))",
)
_BENT = "where(a == 1, 0.0, {{0}} / x * ((a - 1.0) * (a - 2.0) / x - 2.0 * (a - 1.0) * {}))"
density(
    "gamma_density", "a x", "gammainc",
    "exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))",
    f"{_LEFT} - 1.0",
    f"{_BENT.format(1.0)} + {{0}}",
    a=("log(x) - special_digamma(a)", "{0} / x"),
)  # fmt: skip
density(
    "beta_density", "a b x", "betainc",
    "exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, 0.0 - x) - special.betaln(a, b))",
    f"{_LEFT} - {_RIGHT}",
    f"{_BENT.format(_RIGHT)} + where(b == 1, 0.0, {{0}} * (b - 2.0) / (1.0 - x) * {_RIGHT})",
    a=("log(x) + polygamma_step(a, b)", "{0} / x"),
    b=("log1p(0.0 - x) + polygamma_step(b, a)", "-{0} / (1.0 - x)"),
)  # fmt: skip
