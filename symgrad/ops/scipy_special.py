"""``scipy.special``; loaded once the user has imported that.

A function is a line: its name, its arguments and their slopes, in the names of the arguments,
``out`` and ops. An argument without a slope may be data; its derivative has no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.special

from ..errors import DTypeError, NotDifferentiableError
from ..ir.builder import Builder
from ..ir.expr import Expr, f
from ..ir.types import ArrayType, ScalarType, Type, is_complex
from ..ir.values import Value
from . import scipy_softmax
from ._arguments import as_array, integer
from .elementwise import _jvp, _vjp, elementwise, strengthened, weak
from .formula import parse
from .table import SURFACE, surface

IMPORT = "from scipy import special"
ROOT_PI = math.sqrt(math.pi)
ROOT_2PI = math.sqrt(2 * math.pi)


def refuse_slope(name: str, argument: str, seed: str) -> Callable[..., Any]:
    """The rule of an argument that may only be data."""

    def refuse() -> Any:
        raise NotDifferentiableError(
            f"scipy.special.{name} has no derivative in closed form with respect to "
            f"`{argument}`; stop the gradient of what is passed there"
        )

    rule: Any = (lambda g: refuse()) if seed == "g" else (lambda t: refuse())
    rule.refuses = True
    return rule  # type: ignore[no-any-return]


SCALED_BY_REAL_PART = frozenset({"ive"})


@lru_cache(maxsize=1024)
def _dtype(name: str, types: tuple[Any, ...]) -> np.dtype[Any]:
    """The dtype of a result: not all of SciPy's functions are ufuncs that can be asked."""
    values = [t(1) if isinstance(t, type) else np.ones(1, t) for t in types]
    with np.errstate(all="ignore"):
        try:
            return np.asarray(getattr(scipy.special, name)(*values)).dtype
        except TypeError as error:
            raise DTypeError(f"scipy.special.{name}: {error}") from None


def _rule(name: str) -> Callable[..., Type]:
    def infer(dims: Any, inputs: tuple[Value, ...]) -> Type:
        types = [v.type for v in inputs]
        if name in SCALED_BY_REAL_PART and any(map(is_complex, types)):
            raise DTypeError(
                f"scipy.special.{name} of complex numbers is scaled by exp(-abs(x.real)), which "
                f"is not supported; write scipy.special.{name[:-1]} and the factor"
            )
        if all(isinstance(t, ScalarType) for t in types):
            found = _dtype(name, tuple(map(weak, types)))
            return ScalarType("complex" if found.kind == "c" else "float")
        shape = dims.broadcast_shapes(*(t.shape for t in types))  # type: ignore[union-attr]
        return ArrayType(_dtype(name, tuple(map(weak, types))), shape)

    return infer


def special(name: str, inputs: str = "x", *, kink: str = "", **slopes: str) -> None:
    """One function of ``scipy.special``, with a slope per argument that has one."""
    names = inputs.split()
    rules = {x: parse(text) for x, text in slopes.items()}
    data = [x for x in names if x not in slopes and slopes]
    made = {
        seed: {x: rule(r, names, False) for x, r in rules.items()}
        | {x: refuse_slope(name, x, seed) for x in data}
        for seed, rule in (("g", _vjp), ("t", _jvp))
    }
    call = f"special.{name}({', '.join(names)})"
    elementwise(
        f"special_{name}", inputs=inputs, emit=call, emit_scalar=f"{call}.item()",
        ufunc=getattr(scipy.special, name), infer=_rule(name), imports=(IMPORT,),
        math_name="", kink=kink, vjp=made["g"], jvp=made["t"],
        traits="" if slopes else "nondiff", doc=f"scipy.special.{name}.",
    )  # fmt: skip


# -------------------------------------------------------------- errors, normal distribution
special("erf", x=f"{2 / ROOT_PI} * exp(-(x * x))")
special("erfc", x=f"{-2 / ROOT_PI} * exp(-(x * x))")
special("erfcx", x=f"2 * x * out - {2 / ROOT_PI}")
special("erfi", x=f"{2 / ROOT_PI} * exp(x * x)")
special("dawsn", x="1 - 2 * x * out")
special("erfinv", x=f"{ROOT_PI / 2} * exp(out * out)")
special("erfcinv", x=f"{-ROOT_PI / 2} * exp(out * out)")
special("ndtr", x=f"exp(-0.5 * x * x) / {ROOT_2PI}")
special("log_ndtr", x=f"exp(-0.5 * x * x - out) / {ROOT_2PI}")
special("ndtri", x=f"{ROOT_2PI} * exp(0.5 * out * out)")
special("ndtri_exp", x=f"{ROOT_2PI} * exp(0.5 * out * out + x)")

# ------------------------------------------------------------------- gamma, beta and zeta
special("gamma", x="out * special_digamma(x)", kink="nan at the poles")
special("gammaln", x="special_digamma(x)")
special("loggamma", x="special_digamma(x)")
special("rgamma", x="-out * special_digamma(x)", kink="nan at 0, -1, -2, ...")
special("digamma", x="special_zeta(2, x)")
special("zeta", "s x", x="-s * special_zeta(s + 1, x)")
special("beta", "a b", a="out * (special_digamma(a) - special_digamma(a + b))",
        b="out * (special_digamma(b) - special_digamma(a + b))")  # fmt: skip
special("betaln", "a b", a="special_digamma(a) - special_digamma(a + b)",
        b="special_digamma(b) - special_digamma(a + b)")  # fmt: skip
special("poch", "z m", z="out * (special_digamma(z + m) - special_digamma(z))",
        m="out * special_digamma(z + m)")  # fmt: skip
special("gammainc", "a x", x="exp(special_xlogy(a - 1.0, x) - x - special_gammaln(a))")
special("gammaincc", "a x", x="-exp(special_xlogy(a - 1.0, x) - x - special_gammaln(a))")
special(
    "gammaincinv", "a y", y="exp(special_gammaln(a) + out - special_xlogy(a - 1.0, out))"
)
special(
    "gammainccinv", "a y", y="-exp(special_gammaln(a) + out - special_xlogy(a - 1.0, out))"
)
_BETA = (
    "special_xlogy(a - 1.0, {0}) + special_xlog1py(b - 1.0, -{0}) - special_betaln(a, b)"
)
special("betainc", "a b x", x=f"exp({_BETA.format('x')})")
special("betaincinv", "a b y", y=f"exp(-({_BETA.format('out')}))")
if hasattr(scipy.special, "betaincc"):
    special("betaincc", "a b x", x=f"-exp({_BETA.format('x')})")
    special("betainccinv", "a b y", y=f"-exp(-({_BETA.format('out')}))")
special("gammasgn")
special(
    "stdtr",
    "df x",
    x=f"""exp(special_gammaln(0.5 * df + 0.5) - special_gammaln(0.5 * df)
    - (0.5 * df + 0.5) * log1p(x * x / df)) / sqrt(df * {math.pi})""".replace("\n", " "),
)

# --------------------------------------------------------------- logarithms, probabilities
special("expit", x="out * special_expit(-x)")
special("logit", x="1 / (x * (1 - x))")
special("log_expit", x="special_expit(-x)")
special("xlogy", "x y", x="log(y)", y="where(x == 0, 0, x / y)", kink="x = 0: 0 to y")
special("xlog1py", "x y", x="log1p(y)", y="where(x == 0, 0, x / (1 + y))",
        kink="x = 0: 0 to y")  # fmt: skip
special("entr", x="-log(x) - 1")
special("rel_entr", "x y", x="log(x / y) + 1", y="-x / y")
special("kl_div", "x y", x="log(x / y)", y="1 - x / y")
special("exprel", x="0.5 * special_hyp1f1(2, 3, x)")
special("cosm1", x="-sin(x)")
special("exp10", x="2.302585092994046 * out")
special("huber", "d r", d="where(absolute(r) > d, absolute(r) - d, 0)",
        r="where(absolute(r) > d, d * sign(r), r)")  # fmt: skip

# ------------------------------------------------------------------------ Bessel functions
special("j0", x="-special_j1(x)")
special("j1", x="0.5 * (special_j0(x) - special_jv(2, x))")
special("y0", x="-special_y1(x)")
special("y1", x="0.5 * (special_y0(x) - special_yv(2, x))")
special("i0", x="special_i1(x)")
special("i1", x="0.5 * (special_i0(x) + special_iv(2, x))")
special("i0e", x="special_i1e(x) - sign(x) * out")
special("i1e", x="0.5 * (special_i0e(x) + special_ive(2, x)) - sign(x) * out")
special("k0", x="-special_k1(x)")
special("k1", x="-0.5 * (special_k0(x) + special_kv(2, x))")
special("k0e", x="out - special_k1e(x)")
special("k1e", x="out - 0.5 * (special_k0e(x) + special_kve(2, x))")
special("jv", "v x", x="0.5 * (special_jv(v - 1, x) - special_jv(v + 1, x))")
special("yv", "v x", x="0.5 * (special_yv(v - 1, x) - special_yv(v + 1, x))")
special("yn", "v x", x="0.5 * (special_yn(v - 1, x) - special_yn(v + 1, x))")
special("iv", "v x", x="0.5 * (special_iv(v - 1, x) + special_iv(v + 1, x))")
special(
    "ive", "v x", x="0.5 * (special_ive(v - 1, x) + special_ive(v + 1, x)) - sign(x) * out"
)
special("kv", "v x", x="-0.5 * (special_kv(v - 1, x) + special_kv(v + 1, x))")
special("kve", "v x", x="out - 0.5 * (special_kve(v - 1, x) + special_kve(v + 1, x))")

# ------------------------------------------------------ integrals and hypergeometric functions
special("exp1", x="-exp(-x) / x")
special("expi", x="exp(x) / x")
special("expn", "n x", x="-special_expn(n - 1, x)")
special("hyp0f1", "v x", x="special_hyp0f1(v + 1, x) / v")
special("hyp1f1", "a b x", x="a / b * special_hyp1f1(a + 1, b + 1, x)")
special("hyp2f1", "a b c x", x="a * b / c * special_hyp2f1(a + 1, b + 1, c + 1, x)")


# ------------------------------------------------------------------------------- composed
@surface(scipy.special.polygamma)
def polygamma(b: Builder, n: Any, x: Any) -> Expr:
    """``scipy.special.polygamma`` of a static order."""
    order, at = integer(n, "the order of scipy.special.polygamma"), as_array(b, x)
    if order == 0:
        return f.special_digamma(at)  # type: ignore[no-any-return]
    return (-1.0) ** (order + 1) * math.factorial(order) * f.special_zeta(order + 1, at)  # type: ignore[no-any-return]


@surface(scipy.special.multigammaln)
def multigammaln(b: Builder, a: Any, d: Any) -> Expr:
    """``scipy.special.multigammaln``."""
    [x], count = strengthened(b, [a]), integer(d, "the dimension of multigammaln")
    total: Any = count * (count - 1) * 0.25 * math.log(math.pi)
    for i in range(count):
        total = f.special_gammaln(x - 0.5 * i) + total
    return total  # type: ignore[no-any-return]


for _alias, _name in (("psi", "digamma"), ("jn", "jv")):
    _target = getattr(scipy.special, _alias, None)
    if _target is not None and _target not in SURFACE:
        SURFACE[_target] = SURFACE[getattr(scipy.special, _name)]

__all__ = ["scipy_softmax", "special"]
