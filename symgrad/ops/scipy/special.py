"""``scipy.special``; loaded once the user has imported that.

A function is a line: its name, its arguments and their slopes, in the names of the arguments,
``out`` and ops. An argument without a slope may be data; its derivative has no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.opdef import REQUIRED
from ...ir.types import is_complex
from ..composed import composed
from ..elementwise import elementwise, real_rule, strengthened
from ..formula import times
from ..kernels import text_of
from ..rules.arguments import as_array, integer
from ..rules.infer import same
from ..slopes import slope
from ..static import known, need_static
from ..table import SURFACE, surface
from . import bessel as scipy_bessel
from . import densities as scipy_densities
from . import softmax as scipy_softmax
from .kernels import (
    _complex_polygamma,
    _polygamma_short_step,
    _polygamma_step,
    _powers_apart,
)
from .words import IMPORT, ROOT_2PI, ROOT_PI, asked, special

# -------------------------------------------------------------- errors, normal distribution
slope(
    "bell", "exp(-(s * x * x))",
    {
        "x": "level_off(-2 * s * x * out, isinf(x))",  # infinity times 0 otherwise
        "s": "-x * (x * out)",
    },
    inputs="x s", expression="exp(-s * x**2)", ufunc=np.divide, emit="np.exp(-(s * x * x))",
    traits="positive",
)  # fmt: skip
special("erf", level="x", x=f"{2 / ROOT_PI} * bell(x, 1)")
special("erfc", level="x", x=f"{-2 / ROOT_PI} * bell(x, 1)")
_FAR = (
    "(1 / where(absolute(real(x)) > 50, x, 1) ** 2)"  # of series where differences cancel
)
_TAIL = f"(1 - {_FAR} * (1.5 - {_FAR} * (3.75 - 13.125 * {_FAR})))"
special(
    "erfcx",
    traits="may_overflow",
    x=f"where(real(x) > 50, {-1 / ROOT_PI} * {_FAR} * {_TAIL}, 2 * x * out - {2 / ROOT_PI})",
)
special("erfi", x=f"{2 / ROOT_PI} * exp(x * x)")
_DAWSN = f"-{_FAR} * (0.5 + {_FAR} * (0.75 + {_FAR} * (1.875 + 6.5625 * {_FAR})))"
special("dawsn", x=f"where(absolute(real(x)) > 50, {_DAWSN}, 1 - 2 * x * out)")
special("erfinv", x=f"{ROOT_PI / 2} * exp(out * out)")
special("erfcinv", x=f"{-ROOT_PI / 2} * exp(out * out)")
special("ndtr", level="x", x=f"bell(x, 0.5) / {ROOT_2PI}")
special("log_ndtr", x=f"{2 / ROOT_2PI} / special_erfcx({-math.sqrt(0.5)} * x)")
special("ndtri", x=f"{ROOT_2PI} * exp(0.5 * out * out)")
special("ndtri_exp", x=f"{ROOT_2PI} * exp(0.5 * out * out + x)")

# ------------------------------------------------------------------- gamma, beta and zeta
special("gamma", x="out * special_digamma(x)", kink="nan at the poles")
special("gammaln", x="special_digamma(x)")
special("loggamma", x="special_digamma(x)")
# An entire function, whose zeros are poles of digamma: there by the formula of reflection.
_MIRROR = "where(real(x) < 0.5, 1 - x, x)"
special(
    "rgamma",
    x=f"""where(real(x) < 0.5, special_gamma({_MIRROR}) * (cos(pi * x)
        - sin(pi * x) * special_digamma({_MIRROR}) / pi), -out * special_digamma({_MIRROR}))""",
)


def _of_complex_numbers(rule: Callable[..., Any], seed: str) -> Callable[..., Any]:
    """The slope of digamma at complex numbers, which SciPy's zeta does not take."""

    def vjp(g: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        [x] = inputs
        if not is_complex(x.type):
            return rule(g, inputs, out)
        return times(g, f.complex_polygamma(x), conjugate=True)

    def jvp(t: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
        [x] = inputs
        return t * f.complex_polygamma(x) if is_complex(x.type) else rule(t, inputs, out)

    return vjp if seed == "g" else jvp


def _by_step(g: Expr, x: Expr, h: Expr, n: int) -> Any:
    return g * ((-1) ** n * math.factorial(n + 1) * f.special_zeta(n + 2, x + h))


elementwise(
    "complex_polygamma", infer=same, emit="_complex_polygamma(x, n)",
    helper=text_of(_complex_polygamma), calls=(), math_name="", attrs={"n": 1},
    vjp={"x": lambda g, x, n: times(g, f.complex_polygamma(x, n=n + 1), conjugate=True)},
    jvp={"x": lambda t, x, n: t * f.complex_polygamma(x, n=n + 1)},
    doc="The derivative number n of digamma at complex numbers.",
)  # fmt: skip
special("digamma", x="special_zeta(2, x)", turn=_of_complex_numbers)
special("polygamma", "n x", x="special_polygamma(n + 1, x)")
special("zeta", "s x", x="-s * special_zeta(s + 1, x)", calls=())
elementwise(
    "polygamma_step", inputs="x h", infer=real_rule("digamma", np.divide), attrs={"n": 0},
    emit="_polygamma_step(x, h, n)", emit_scalar="_polygamma_step(x, h, n).item()",
    helper=text_of(_polygamma_step, _polygamma_short_step, _powers_apart), imports=(IMPORT,),
    calls=(), math_name="",
    vjp={"x": lambda g, x, h, n: g * f.polygamma_step(x, h, n=n + 1), "h": _by_step},
    jvp={
        "x": lambda t, x, h, n: t * f.polygamma_step(x, h, n=n + 1),
        "h": lambda t, x, h, n: _by_step(t, x, h, n),
    },
    doc="The derivative number n of digamma at x + h less that at x, without cancellation.",
)  # fmt: skip
special("beta", "a b", a="-out * polygamma_step(a, b)", b="-out * polygamma_step(b, a)")
special("betaln", "a b", a="-polygamma_step(a, b)", b="-polygamma_step(b, a)")
special("poch", "z m", z="out * polygamma_step(z, m)",
        m="out * special_digamma(z + m)")  # fmt: skip
_DENSITY = "level_off(gamma_density(a, x), isinf(x))"
special("gammainc", "a x", x=_DENSITY)
special("gammaincc", "a x", x=f"-{_DENSITY}")
special(
    "gammaincinv", "a y", y="exp(special_gammaln(a) + out - special_xlogy(a - 1.0, out))"
)
special(
    "gammainccinv", "a y", y="-exp(special_gammaln(a) + out - special_xlogy(a - 1.0, out))"
)
_BETA = (
    "special_xlogy(a - 1.0, {0}) + special_xlog1py(b - 1.0, -{0}) - special_betaln(a, b)"
)
special("betainc", "a b x", x="beta_density(a, b, x)")
special("betaincinv", "a b y", y=f"exp(-({_BETA.format('out')}))")
special("betaincc", "a b x", x="-beta_density(a, b, x)")
special("betainccinv", "a b y", y=f"-exp(-({_BETA.format('out')}))")
special("gammasgn")
_T = """exp(-special_betaln(0.5 * df, 0.5) - (0.5 * df + 0.5)
        * log1p({0} * {0} / df)) / sqrt(df)""".replace("\n", " ")
special("stdtr", "df x", x=_T.format("x"))
special("stdtrit", "df p", p=f"1 / ({_T.format('out')})")
_CHI2 = "0.5 * exp(special_xlogy(0.5 * v - 1, 0.5 * {0}) - 0.5 * {0} - special_gammaln(0.5 * v))"
special("chdtr", "v x", x=_CHI2.format("x"))
special("chdtrc", "v x", x=f"-{_CHI2.format('x')}")
special("chdtri", "v p", p=f"-1 / ({_CHI2.format('out')})")
_GAMMA = "exp(special_xlogy(b - 1, a * x) - a * x - special_gammaln(b))"
special("gdtr", "a b x", a=f"x * {_GAMMA}", x=f"a * {_GAMMA}")
special("gdtrc", "a b x", a=f"-x * {_GAMMA}", x=f"-a * {_GAMMA}")
_POISSON = "exp(special_xlogy(floor(k), m) - m - special_gammaln(floor(k) + 1))"
special("pdtr", "k m", m=f"-{_POISSON}")
special("pdtrc", "k m", m=_POISSON)
special("binom", "n k", n="out * polygamma_step(n - k + 1, k)",
        k="out * polygamma_step(k + 1, n - 2 * k)")  # fmt: skip

# --------------------------------------------------------------- logarithms, probabilities
special("expit", level="x", x="expit_slope(x)")
slope(
    "expit_slope", "special_expit(x) * special_expit(-x)", "-out * tanh(0.5 * x)", level="x",
    expression="exp(x) / (1 + exp(x))**2", emit="special.expit(x) * special.expit(-x)",
    imports=(IMPORT,), traits="positive",
)  # fmt: skip
special("logit", x="1 / (x * (1 - x))")
special("log_expit", x="special_expit(-x)")
slope(
    "quotient", "x / where(logical_and(x == 0, y == 0), 1, y)",
    {"x": "over(1, y)", "y": "-over(out, y)"},  # in the limit they are infinite and 0
    inputs="x y", ufunc=np.divide, emit="x / np.where((x == 0) & (y == 0), 1, y)",
    doc="x / y, 0 where both are 0.",
)  # fmt: skip
special(
    "xlogy", "x y", x="special_xlogy(seed, y)", y="quotient(x, y)", kink="x = 0: 0 to y"
)
special(
    "xlog1py", "x y", x="special_xlog1py(seed, y)", y="quotient(x, 1 + y)",
    kink="x = 0: 0 to y",
)  # fmt: skip
special("entr", x="-log(x) - 1")
_RATIO = "where(absolute(x - y) < 0.5 * y, log1p(-lack(x, y)), log(x) - log(y))"
elementwise(
    "lack", "1 - x / y", inputs="x y", ufunc=np.divide, emit="(y - x) / y", calls=(),
    derivative={"x": "-1 / y", "y": "x / y / y"},  # of the difference over y it cancels
)  # fmt: skip
special("rel_entr", "x y", x=f"{_RATIO} + 1", y="-x / y")
special("kl_div", "x y", x=_RATIO, y="lack(x, y)")
special("exprel", x="0.5 * special_hyp1f1(2, 3, x)")
special("cosm1", x="-sin(x)")
special("exp2", x="0.6931471805599453 * out")
special("exp10", x="2.302585092994046 * out")
special("expm1", x="exp(x)")
special("log1p", x="1 / (1 + x)")
special("cbrt", x="over(1, 3 * out * out)", kink="infinite at 0")
special("softplus", x="special_expit(x)")
special("boxcox", "x p", x="x ** (p - 1)",
        p="log(x) * log(x) * 0.5 * special_hyp1f1(2, 3, p * log(x))")  # fmt: skip
special("boxcox1p", "x p", x="(1 + x) ** (p - 1)",
        p="log1p(x) * log1p(x) * 0.5 * special_hyp1f1(2, 3, p * log1p(x))")  # fmt: skip
_BOXED = "where({0} == 0, {0} ** (1 - p), {0} / (1 + p * y))"
special("inv_boxcox", "y p", y=_BOXED.format("out"))
special("inv_boxcox1p", "y p", y=_BOXED.format("special_inv_boxcox(y, p)"))
special("huber", "d r", d="where(absolute(r) > d, absolute(r) - d, 0)",
        r="where(absolute(r) > d, d * sign(r), r)")  # fmt: skip
_RISE = "r * over(r, hypot(r, d) + d)"  # hypot(r, d) - d
special("pseudo_huber", "d r", d=f"{_RISE} * over({_RISE}, hypot(r, d))",
        r="d * cosine(r, d, hypot(r, d))")  # fmt: skip
special("round")


# ------------------------------------------------------------------------------- composed
def _multigammaln(a: Expr, d: int) -> Any:
    total: Any = d * (d - 1) * 0.25 * math.log(math.pi)
    for i in range(d):
        total = f.special_gammaln(a - 0.5 * i) + total
    return total


composed(
    "special_multigammaln", "a", "special.multigammaln(a, d)", _multigammaln,
    attrs={"d": REQUIRED}, imports=(IMPORT,), batch="leading",
    dtype=lambda a, d: asked("multigammaln", a, d), doc="scipy.special.multigammaln.",
)  # fmt: skip


@surface(scipy.special.multigammaln)
def multigammaln(b: Builder, a: Any, d: Any) -> Expr:
    """``scipy.special.multigammaln``."""
    count = integer(d, "the dimension of multigammaln")
    return f.special_multigammaln(as_array(b, a), d=count)  # type: ignore[no-any-return]


@surface(scipy.special.zeta)
def zeta(b: Builder, x: Any, q: Any = 1.0) -> Expr:
    """``scipy.special.zeta``, Riemann's without ``q``."""
    order, at = strengthened(b, [x, q])
    return f.special_zeta(order, at)  # type: ignore[no-any-return]


REPEATS_ARE_MASKED = scipy.special.comb(0.3, 2, repetition=True) == 0
"""Whether this SciPy has no draws with repetition where there are fewer things than draws."""


@surface(scipy.special.comb)
def comb(b: Builder, N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    """``scipy.special.comb``; the exact number is of numbers known when compiling."""
    if need_static(exact):
        return scipy.special.comb(
            need_static(N),
            need_static(k),
            exact=True,
            repetition=bool(need_static(repetition)),
        )
    n, few = as_array(b, N), as_array(b, k)
    if need_static(repetition):
        n = n + few - 1
        if not REPEATS_ARE_MASKED:
            nothing = f.logical_and(f.equal(few, 0), f.greater_equal(n, -1))
            return f.where(nothing, 1.0, f.special_binom(n, few))
    inside = f.logical_and(f.less_equal(few, n), f.greater_equal(n, 0))
    return f.where(
        f.logical_and(inside, f.greater_equal(few, 0)), f.special_binom(n, few), 0.0
    )


@surface(scipy.special.factorial)
def factorial(b: Builder, n: Any, exact: Any = False) -> Any:
    """``scipy.special.factorial``; the exact number is of a number known when compiling."""
    if isinstance(known(n), int):
        return scipy.special.factorial(known(n), exact=bool(need_static(exact)))
    x = as_array(b, n)
    return f.where(f.less(x, 0), 0.0, f.special_gamma(x + 1.0))


for _alias, _name in (("psi", "digamma"), ("jn", "jv")):
    _target = getattr(scipy.special, _alias, None)
    if _target is not None and _target not in SURFACE:
        SURFACE[_target] = SURFACE[getattr(scipy.special, _name)]

__all__ = ["scipy_bessel", "scipy_densities", "scipy_softmax"]
