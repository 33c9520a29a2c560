"""``np.fft``: odd lengths, ``n=``, repeated axes, ``norm=``."""

import numpy as np
import pytest

from symgrad.errors import ShapeError
from symgrad.ops import SURFACE

from .building import surface, value
from .calls import Call, call, check, check_derivatives

F = np.fft
RNG = np.random.default_rng(3)
X = {n: RNG.normal(size=n) for n in (1, 4, 5)}
XS = RNG.normal(size=(3, 4, 5))
Z = {n: RNG.normal(size=n) + 1j * RNG.normal(size=n) for n in (1, 4, 5)}
ZS = XS + 1j * RNG.normal(size=(3, 4, 5))
CALLS = [
    *(call(t, x[n]) for t in (F.fft, F.ifft) for x in (X, Z) for n in (1, 4, 5)),
    *(call(t, Z[5], n, norm=m) for t in (F.fft, F.ifft) for n, m in ((3, "ortho"), (8, "forward"))),
    *(call(t, x, n) for t in (F.rfft, F.ihfft) for x in X.values() for n in (None, 3, 6)),
    *(call(t, z, n, norm="ortho") for t in (F.irfft, F.hfft) for z in Z.values() for n in (3, 6)),
    *(call(t, x[4]) for t in (F.irfft, F.hfft) for x in (X, Z)),
    call(F.fft, XS, axis=0), call(F.rfft, XS, 7, axis=1, norm="forward"), call(F.irfft, ZS, axis=0),
    *(call(getattr(F, f"{t}{d}"), ZS) for t in ("fft", "ifft", "irfft") for d in ("2", "n")),
    *(call(getattr(F, f"rfft{d}"), XS) for d in ("2", "n")),
    call(F.fftn, ZS, (4, 3), (0, 2), "ortho"), call(F.ifftn, ZS, axes=(1, 1)),
    call(F.fftn, ZS, axes=(0, 1, 0)), call(F.rfftn, XS, (2, 6), (2, 0)), call(F.fft2, XS, (6, 2)),
    call(F.irfftn, ZS, (3, 5), (1, 2), "forward"), call(F.irfft2, ZS, (5, 7)),
    call(F.irfft2, ZS, (3, -1)),
    *(call(t, x) for t in (F.fftshift, F.ifftshift) for x in (X[5], XS)),
    call(F.fftshift, XS, axes=1), call(F.ifftshift, XS, axes=(0, 2)),
]  # fmt: skip


@pytest.mark.parametrize("given", CALLS, ids=str)
def test_call(given: Call) -> None:
    check(given)


def test_frequencies_are_data() -> None:
    for target in (F.fftfreq, F.rfftfreq):
        for n in (4, 5):

            def twice(x, t=target, n=n):  # type: ignore[no-untyped-def]
                length = x.length(0)
                return SURFACE[t](x.builder, length) * surface(t)(n, length * 0.06)

            got = value(twice, X[n])
            np.testing.assert_allclose(got, target(n) * target(n, n * 0.06))


def test_a_gradient_by_the_step_between_samples() -> None:
    freq = surface(F.rfftfreq)
    check_derivatives(lambda d: freq(5, d), np.float64(0.3))


def test_float32_stays() -> None:
    assert value(surface(F.rfft), X[5].astype(np.float32)).dtype == np.complex64


def test_refused() -> None:
    with pytest.raises(ShapeError, match="norm='other' is none of"):
        value(lambda x: surface(F.fft)(x, norm="other"), X[5])
    with pytest.raises(ShapeError, match="do not fit axes"):
        value(lambda x: surface(F.fftn)(x, (2,), (0, 1)), XS)
