"""Python's and NumPy's numbers: the same results as without compiling."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads
from tests.frontend.outcomes import alike

SMALL = np.float64(2.5)


def summed(a, b, c):
    return sum([a, b, c, 1e-16])


def summed_from(a, b, c):
    return sum((a, b, c), 0.5)


def summed_list(a, b, c):
    xs = []
    for v in np.array([a, b, c, -a, a * 3]):
        xs.append(float(v) * 0.1)
    return sum(xs)


def summed_rounds(a, b, c):
    return sum(i * a for i in range(int(abs(b)) % 40 + 3))


@pytest.mark.parametrize("f", [summed, summed_from, summed_list, summed_rounds])
def test_sums_of_floats_are_as_exact_as_this_python_makes_them(f):
    rng = np.random.default_rng(0)
    compiled = sg.compile(f)
    for _ in range(30):
        args = [float(v) for v in rng.uniform(-1, 1, 3) * 10.0 ** rng.integers(-8, 8, 3)]
        assert compiled(*args) == f(*args)
    check_grads(f, (1.5, 2.5, 0.3), order=1)


CASES = [
    (lambda a, b: a // b, [(7, 2), (-7, 2), (7.5, -2), (np.int32(7), -2), (1e300, 1e-300)]),
    (lambda a, b: a % b, [(7, -2), (-7.5, 2), (np.int8(100), 7), (5, 2.5), (-0.0, 3.0)]),
    (divmod, [(7, -2), (-7.5, 2), (np.float64(7.5), -2), (9, 4.0)]),
    (lambda a, b: a**b, [(2, -1), (2, 3), (-2, 3), (2.0, -2), (np.float64(2), 0.5)]),
    (pow, [(2, 5), (2, -2), (2.5, 2)]),
    (lambda a, b: max(a, b), [(2.5, 2), (np.float64(2), np.float64(3)), (1, 2)]),
    (lambda a, b: min(a, b), [(2.5, np.float64(2.5)), (np.int64(2), np.int64(1))]),
    (lambda a, b: round(a, b), [(2.675, 2), (np.float64(2.5), 0), (12345, -2)]),
    (math.pow, [(2.0, 3.0), (2, -1), (np.float64(2), 3)]),
    (math.gcd, [(12, np.int64(18)), (np.int8(100), 15)]),
    (math.comb, [(np.int32(7), 5), (5, 2)]),
    (lambda a, b: a << b, [(3, 2), (np.int64(3), 2)]),
    (lambda a, b: a + b, [(np.uint8(250), np.uint8(10)), (np.int8(100), np.int8(100))]),
    (lambda a, b: a * b, [(np.int64(2**62), 4), (2**62, 4), (np.float32(1.5), 3)]),
]


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("number", range(len(CASES)))
def test_arithmetic(number):
    f, samples = CASES[number]
    for args in samples:
        found, expected = sg.compile(f)(*args), f(*args)
        assert repr(found) == repr(expected) or _as_numpy(found, expected), (args, found)


def _as_numpy(found, expected):
    """A Python number may become NumPy's where it stands beside one of NumPy's."""
    return isinstance(found, np.generic) and found == expected


@pytest.mark.parametrize("args", [(-2.5, 0.5), (0.0, -1.0), (1e300, 2.0)])
def test_math_pow_raises_as_math_does(args):
    with pytest.raises((ValueError, OverflowError)) as expected:
        math.pow(*args)
    with pytest.raises(type(expected.value)) as found:
        sg.compile(lambda a, b: math.pow(a, b))(*args)
    assert found.value.args == expected.value.args


def of_two_parts(x, t):
    z = 0j
    for i in range(len(x)):
        z = z * complex(t, x[i]) + complex(float(x[i]), 2)
    return z, complex(t), complex(imag=t), complex(1.0, 2) * t, complex(z, t)


@pytest.mark.parametrize("t", [0.5, -0.0, math.inf])
def test_complex_of_two_numbers(t):
    alike(of_two_parts, np.array([0.3, 0.5]), t)


def test_the_derivative_of_complex():
    def f(x, t):
        z = of_two_parts(x, t)
        return abs(z[0]) + z[2].imag * t

    check_grads(f, (np.array([0.3, 0.5]), 0.5), 2)


def both_parts(a, b):
    q, r = divmod(a, b)
    return q + r


@pytest.mark.parametrize("f", [divmod, both_parts, lambda a, b: divmod(a, b)[1]])
@pytest.mark.parametrize("args", [(7, 0), (7.0, 0), (7, 0.0), (7.0, 2)])
def test_what_divmod_by_zero_says(f, args):
    alike(lambda a, b: f(a, b), *args)


def methods_of_ints(a, b):
    n = int(a * 4) + b
    exact = pow(n, 3, 7), pow(b, -1, 7), pow(n, b)
    parts = n.numerator, b.denominator, n.as_integer_ratio(), n.real, n.conjugate()
    return (
        exact,
        parts,
        n.bit_length(),
        int.bit_length(-b),
        n.bit_count(),
        np.int64(b).bit_count(),
    )


def methods_of_floats(a, b):
    v = np.array([a, 2.0])
    wholes = (
        a.is_integer(),
        float(b).is_integer(),
        v[1].is_integer(),
        float.is_integer(a / 0.5),
    )
    ratios = a.as_integer_ratio(), v[0].as_integer_ratio(), (a * 1e300 * 1e300).is_integer()
    return wholes, ratios, a.conjugate(), a.imag, complex(a, b).conjugate()


def of_no_number(a, b):
    try:
        return (a * 1e300 * 1e300).as_integer_ratio()
    except OverflowError:
        return pow(b, -1, b)


def written(a, b):
    print(hex(b), bin(-b), oct(b), chr(b + 60), f"{b:#b}")
    return a


@pytest.mark.parametrize("f", [methods_of_ints, methods_of_floats, of_no_number, written])
@pytest.mark.parametrize("args", [(1.25, 5), (-2.0, 12)])
def test_methods_of_numbers(f, args, capsys):
    alike(f, *args)
    theirs, mine = np.array_split(capsys.readouterr().out.split(), 2)
    assert list(theirs) == list(mine)


def test_powers_modulo_are_of_ints():
    with pytest.raises(TypeError, match="with three arguments takes"):
        sg.compile(lambda a: pow(a, 2, 3))(2.5)


def scaled(x):
    n = int(x[0])
    return x[1] / 2**n * sum(10 ** (k - 1) * x[2] for k in range(n)), 2**n, n**n


def searched(x):
    n = 2
    while x[1] < 10**n:
        n -= 1
    return x / 10**n * 3 ** -abs(n), n


def staged(x):
    total, stage = 0.0, 0
    while 2**stage < x[2]:
        for k in range(2**stage):
            total += x[1] ** k
        stage += 1
    return total, stage


@pytest.mark.parametrize("f", [scaled, searched, staged])
@pytest.mark.parametrize("first", [3.2, -2.5])
def test_whether_a_power_is_an_int_is_found_when_it_runs(f, first):
    x = np.array([first, 0.7, 6.5])
    alike(f, x)
    check_grads(lambda x: np.sum(f(x)[0]), (x,))


def test_a_power_that_has_to_be_an_int_is_checked():
    def counted(x):
        return sum(x[1] for _ in range(2 ** int(x[0])))

    compiled = sg.compile(counted)
    assert compiled(np.array([2.0, 1.5])) == 6.0
    with pytest.raises(TypeError, match="negative power is a float, and an int is needed"):
        compiled(np.array([-2.0, 1.5]))
