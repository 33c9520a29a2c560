"""``numpy.polynomial``: the functions on coefficients, and the classes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

P = np.polynomial
FAMILIES = {
    "poly": (P.polynomial, P.Polynomial),
    "cheb": (P.chebyshev, P.Chebyshev),
    "leg": (P.legendre, P.Legendre),
    "herm": (P.hermite, P.Hermite),
    "herme": (P.hermite_e, P.HermiteE),
    "lag": (P.laguerre, P.Laguerre),
}
A = np.array([0.4, -1.3, 2.2, 0.7, 1.1])
B = np.array([0.5, -1.2, 2.3])
X = np.array([[0.3, -1.2, 2.1], [-0.7, 0.9, 1.4]])
U, V, W = X[0], X[1], np.array([0.2, 0.4, -0.6])

FUNCTIONS: dict[str, list[tuple[Any, ...]]] = {
    "val": [
        (X, A),
        (X + 1j, A),
        (U.astype(np.float32), A.astype(np.float32)),
        (U, [1, 2, 3]),
        (X, A[:1] + 0),
        (X, B[:2] + 0),
        (0.3, A),
        (U, np.stack([V, W])),
    ],
    "val2d": [(U, V, X)],
    "val3d": [(U, V, W, np.stack([X, X**2]))],
    "grid2d": [(U, W, X)],
    "grid3d": [(U, V, W, np.stack([X, X**2]))],
    "add": [(A, B), (B, A)],
    "sub": [(A, B), (B, A)],
    "mul": [(A, B)],
    "mulx": [(A,)],
    "div": [(A, B), (B, A), (A, A[:1])],
    "pow": [(B, 3), (B, 0)],
    "der": [(A,), (A, 2, 1.5), (X, 1, 1, 1)],
    "int": [(A,), (A, 2, [0.5], 0.3, 2), (X, 1, 0.5, 0, 1, 1)],
    "fromroots": [(A,)],
    "companion": [(A,), (A[:2],)],
    "vander": [(U, 3), (U, 0)],
    "vander2d": [(U, V, [1, 2])],
    "vander3d": [(U, V, W, [1, 0, 2])],
    "trim": [(A, 0.9)],
    "line": [(1.5, 2.5)],
    "fit": [(A, np.sin(A), 2), (A, np.cos(A), [0, 2]), (A, np.stack([A**2, A]).T, 1)],
}


def same(got: Any, expected: Any) -> None:
    for x, y in zip(_flat(got), _flat(expected), strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11)


def _flat(x: Any) -> list[Any]:
    return [v for part in x for v in _flat(part)] if isinstance(x, tuple | list) else [x]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    f = getattr(P.chebyshev, f"cheb{name}")
    for args in FUNCTIONS[name]:
        same(sg.compile(f)(*args), f(*args))
    check_grads(f, FUNCTIONS[name][0], order=1)


@pytest.mark.parametrize("family", ["poly", "leg", "herm", "herme", "lag"])
@pytest.mark.parametrize("name", ["val", "mul", "der", "fit"])
def test_functions_of_the_other_families(name: str, family: str) -> None:
    f = getattr(FAMILIES[family][0], family + name)
    args = FUNCTIONS[name][0]
    same(sg.compile(f)(*args), f(*args))


def test_second_order() -> None:
    val, mul = P.legendre.legval, P.legendre.legmul
    check_grads(lambda x, a, b: val(x, mul(a, b)), (U, B[:2], W))


@pytest.mark.parametrize("family", FAMILIES)
def test_roots(family: str) -> None:
    roots = getattr(FAMILIES[family][0], f"{family}roots")
    ended = np.array([*A, 0.0])  # by a zero, which does not count
    np.testing.assert_allclose(sg.compile(roots)(ended), roots(ended), rtol=1e-9)
    check_grads(lambda a: np.sum(np.abs(roots(a))), (A,))


def test_numbers_only_are_computed_when_compiling() -> None:
    assert (
        "leggauss"
        not in sg.compile(lambda x: x * P.legendre.leggauss(3)[0]).lower(W).source
    )
    x, w = P.legendre.leggauss(5)
    integral = sg.compile(lambda a: P.legendre.leggauss(5)[1] @ np.exp(a * x))
    np.testing.assert_allclose(integral(0.5), w @ np.exp(0.5 * x), rtol=1e-14)


SERIES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda c, a, x: c(a)(x), (A, X)),
    (lambda c, a, x: c(a, domain=[0, 2.0], window=[-1, 3])(x), (A, X)),
    (lambda c, a, b, x: (c(a) * c(b) - 2)(x), (A, B, X)),
    (lambda c, a, b, x: (1.5 - c(a) ** 2)(x) + (-c(b))(x), (B, B, X)),
    (lambda c, a, b: divmod(c(a), c(b))[0].coef, (A, B)),
    (lambda c, a, b: (c(a) % c(b)).coef, (A, B)),
    (lambda c, a, x: (c(a) / 2.0)(x), (A, X)),
    (lambda c, a, x: c(a).deriv(2)(x), (A, X)),
    (lambda c, a, x: c(a).integ(1, k=[0.5], lbnd=0.2)(x), (A, X)),
    (lambda c, x, y: c.fit(x, y, 2)(0.3), (A, np.sin(A))),
    (lambda c, x, y: c.fit(x, y, 2, domain=[], w=y**2).coef, (A, np.sin(A))),
    (lambda c, r: c.fromroots(r).coef, (A,)),
    (lambda c, a: (c(a) * c(a[:2])).convert(kind=P.Polynomial).coef, (A,)),
    (lambda c, a, x: c.cast(P.Polynomial(a))(x), (B, X)),
    (lambda c, a: c(a).linspace(4), (A,)),
    (lambda c, a: c(a).truncate(2).coef, (A,)),
    (lambda c, a: c(a).cutdeg(1).coef, (A,)),
    (lambda c, a: c(a).trim(0.9).coef, (A,)),
    (lambda c, x: c.basis(3)(x) + c.identity()(x), (X,)),
    (lambda c, a: c(a).degree() + len(c(a)) * a[0], (A,)),
]


@pytest.mark.parametrize("number", range(len(SERIES)))
def test_series(number: int) -> None:
    function, args = SERIES[number]
    kind = P.Polynomial if number % 2 else P.Chebyshev

    def call(*arrays: Any) -> Any:
        return function(kind, *arrays)

    same(sg.compile(call)(*args), call(*args))
    check_grads(call, args, order=1)


@pytest.mark.parametrize("family", ["lag"])
def test_series_of_the_other_families(family: str) -> None:
    kind = FAMILIES[family][1]

    def call(a: Any, b: Any, x: Any) -> Any:
        p = kind(a) * kind(b)
        return p.deriv()(x) + p.integ()(x) + kind(a).convert(kind=P.Polynomial)(x)

    same(sg.compile(call)(A, B, X), call(A, B, X))
    check_grads(lambda a, b, x: (kind(a) * kind(b))(x), (A, B, X), order=1)


def test_trailing_zeros_are_left_out_and_have_no_slope() -> None:
    a = np.array([1.0, 2.0, 0.0, 0.0])
    same(sg.compile(P.polynomial.polymul)(a, a), P.polynomial.polymul(a, a))
    g = sg.grad(lambda a: np.sum(P.polynomial.polyval(2.0, P.polynomial.polyadd(a, a))))
    np.testing.assert_array_equal(g(a), [2, 4, 0, 0])
    np.testing.assert_array_equal(
        sg.grad(lambda a: P.polynomial.polyval(2.0, a))(a), [1, 2, 4, 8]
    )


def test_refusals() -> None:
    with pytest.raises(ValueError, match="maximum degree of at least 1"):
        sg.compile(lambda a: P.chebyshev.chebcompanion(a))(A[:1])
    with pytest.raises(ValueError, match="maximum degree of at least 1"):
        sg.compile(lambda a: P.chebyshev.chebcompanion(a))(np.array([2.0, 0.0, 0.0]))
    with pytest.raises(TypeError, match="Polynomial types differ"):
        sg.compile(lambda a: P.Polynomial(a) + P.Chebyshev(a))(A)
