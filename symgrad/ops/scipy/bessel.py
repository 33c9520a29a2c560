"""``scipy.special``: Bessel functions, integrals, hypergeometric functions, polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.special

from ...ir.builder import Builder
from ...ir.expr import Expr, f
from ...ir.types import is_complex
from ..contraction import conj
from ..elementwise import _jvp, _vjp
from ..formula import parse
from ..rules.arguments import as_array, integer
from ..table import surface
from .words import ROOT_PI, special


def shrunk(part: str, of_reals: str = "") -> Callable[..., Any]:
    """What a factor ``exp(-abs(part of x))`` adds to a slope, in both modes: it is not
    holomorphic. Of real numbers it adds nothing, or the slope is ``of_reals``."""

    def add(rule: Callable[..., Any], seed: str) -> Callable[..., Any]:
        made = _vjp if seed == "g" else _jvp
        real = made(parse(of_reals), ["v", "x"], True) if of_reals else rule

        def sign_of(x: Expr) -> Any:
            return f.sign(getattr(f, part)(x))

        def vjp(g: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
            x = inputs[-1]
            if not is_complex(x.type):
                return real(g, inputs, out)
            change = sign_of(x) * f.real(conj(g) * out)
            return rule(g, inputs, out) - (change if part == "real" else 1j * change)

        def jvp(t: Expr, inputs: tuple[Expr, ...], out: Expr) -> Any:
            x = inputs[-1]
            if not is_complex(x.type):
                return real(t, inputs, out)
            return rule(t, inputs, out) - sign_of(x) * getattr(f, part)(t) * out

        return vjp if seed == "g" else jvp

    return add


def settling(near: str, order: str, growing: bool = False) -> str:
    """The slope of a Bessel function without its exponential. Far out it is nearly that of
    ``1 / sqrt(x)``, and the differences in ``near`` cancel: there by the logarithm of the
    asymptotic series (Abramowitz and Stegun, 9.7.1, 9.7.2)."""
    far = f"absolute(real(x)) > 10000 * (1 + {order} * {order})"
    y = "(-absolute(x))" if growing else "x"
    slope = f"-out / x * (0.5 + (0.5 * {order} * {order} - 0.125) / {y} * (1 - 1 / {y}))"
    return f"where({far}, {slope}, {near})"


# ------------------------------------------------------------------------ Bessel functions
special("j0", x="-special_j1(x)")
special("j1", x="0.5 * (special_j0(x) - special_jv(2, x))")
special("y0", x="-special_y1(x)")
special("y1", x="0.5 * (special_y0(x) - special_yv(2, x))")
special("i0", x="special_i1(x)")
special("i1", x="0.5 * (special_i0(x) + special_iv(2, x))")
special("i0e", x=settling("special_i1e(x) - sign(x) * out", "0", growing=True))
_NEAR = "0.5 * (special_i0e(x) + special_ive(2, x)) - sign(x) * out"
special("i1e", x=settling(_NEAR, "1", growing=True))
special("k0", x="-special_k1(x)")
special("k1", x="-0.5 * (special_k0(x) + special_kv(2, x))")
special("k0e", x=settling("out - special_k1e(x)", "0"))
special("k1e", x=settling("out - special_k0e(x) - out / x", "1"))
special("jv", "v x", x="0.5 * (special_jv(v - 1, x) - special_jv(v + 1, x))")
special("yv", "v x", x="0.5 * (special_yv(v - 1, x) - special_yv(v + 1, x))")
special("yn", "v x", x="0.5 * (special_yn(v - 1, x) - special_yn(v + 1, x))")
special("iv", "v x", x="0.5 * (special_iv(v - 1, x) + special_iv(v + 1, x))")
special("kv", "v x", x="-0.5 * (special_kv(v - 1, x) + special_kv(v + 1, x))")
special("kn", "v x", x="-0.5 * (special_kv(v - 1, x) + special_kv(v + 1, x))")
_NEAR = "out - 0.5 * (special_kve(v - 1, x) + special_kve(v + 1, x))"
special("kve", "v x", x=settling(_NEAR, "v"))
_MEAN = "0.5 * (special_ive(v - 1, x) + special_ive(v + 1, x))"
special("ive", "v x", x=_MEAN,
        turn=shrunk("real", settling(f"{_MEAN} - sign(x) * out", "v", growing=True)),
        kink="x = 0 (its real part): the mean of both sides")  # fmt: skip
special("jve", "v x", x="0.5 * (special_jve(v - 1, x) - special_jve(v + 1, x))",
        turn=shrunk("imag"), kink="imaginary part 0: along the real axis")  # fmt: skip
special("yve", "v x", x="0.5 * (special_yve(v - 1, x) - special_yve(v + 1, x))",
        turn=shrunk("imag"), kink="imaginary part 0: along the real axis")  # fmt: skip
special("hankel1", "v x", x="0.5 * (special_hankel1(v - 1, x) - special_hankel1(v + 1, x))")
special("hankel2", "v x", x="0.5 * (special_hankel2(v - 1, x) - special_hankel2(v + 1, x))")
special("hankel1e", "v x",
        x="0.5 * (special_hankel1e(v - 1, x) - special_hankel1e(v + 1, x)) - 1j * out")  # fmt: skip
special("hankel2e", "v x",
        x="0.5 * (special_hankel2e(v - 1, x) - special_hankel2e(v + 1, x)) + 1j * out")  # fmt: skip
_STRUVE = f"exp(special_xlogy(v, 0.5 * x) - special_gammaln(v + 1.5)) / {ROOT_PI}"
special(
    "struve", "v x", x=f"0.5 * (special_struve(v - 1, x) - special_struve(v + 1, x) + {_STRUVE})"
)  # fmt: skip

# ------------------------------------------------------ integrals and hypergeometric functions
special("exp1", x="-exp(-x) / x")
special("expi", x="exp(x) / x")
special("expn", "n x", x="-special_expn(n - 1, x)")
special("hyp0f1", "v x", x="special_hyp0f1(v + 1, x) / v")
special("hyp1f1", "a b x", x="a / b * special_hyp1f1(a + 1, b + 1, x)")
special("hyp2f1", "a b c x", x="a * b / c * special_hyp2f1(a + 1, b + 1, c + 1, x)")
special("hyperu", "a b x", x="-a * special_hyperu(a + 1, b + 1, x)")
special("owens_t", "h a",
        h="-0.19947114020071635 * exp(-0.5 * h * h) * special_erf(0.7071067811865476 * a * h)",
        a="0.15915494309189535 * exp(-0.5 * h * h * (1 + a * a)) / (1 + a * a)")  # fmt: skip
special("wofz", x=f"{2 / ROOT_PI}j - 2 * x * out")
special("lambertw", "x k", x="exp(-out) / (1 + out)", kink="infinite at -1/e", calls=())


@surface(scipy.special.lambertw)
def lambertw(b: Builder, z: Any, k: Any = 0, tol: Any = 1e-8) -> Expr:
    """``scipy.special.lambertw``, to full precision whatever ``tol`` says."""
    return f.special_lambertw(as_array(b, z), integer(k, "the branch of lambertw"))  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------- polynomials
special("eval_legendre", "n x", x="0.5 * (n + 1) * special_eval_jacobi(n - 1, 1, 1, x)")
special("eval_chebyt", "n x", x="n * special_eval_gegenbauer(n - 1, 1, x)")
special("eval_chebyu", "n x", x="2 * special_eval_gegenbauer(n - 1, 2, x)")
_LESS = "where(n == -1, n, n - 1)"  # of order -1 it is 0: SciPy gives nan for lower ones
special("eval_gegenbauer", "n a x", x=f"2 * a * special_eval_gegenbauer({_LESS}, a + 1, x)")
special("eval_laguerre", "n x", x="-special_eval_genlaguerre(n - 1, 1, x)")
special("eval_genlaguerre", "n a x", x=f"-special_eval_genlaguerre({_LESS}, a + 1, x)")
special("eval_jacobi", "n a b x",
        x=f"0.5 * (n + a + b + 1) * special_eval_jacobi({_LESS}, a + 1, b + 1, x)")  # fmt: skip
special("eval_hermite", "n x", x="2 * n * special_eval_hermite(maximum(n - 1, 0), x)")
special("eval_hermitenorm", "n x", x="n * special_eval_hermitenorm(maximum(n - 1, 0), x)")
