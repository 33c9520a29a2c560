"""Sample inputs for ``scipy.special``; none without SciPy."""

from importlib.util import find_spec

import numpy as np

from symgrad.ops import SURFACE
from symgrad.testing.check_op import Sample, sample

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
POSITIVE = np.array([[0.3, 1.2, 2.5], [0.7, 1.9, 2.2]])
MORE = np.array([[1.3, 0.4, 0.9], [2.1, 0.6, 1.6]])
UNIT = np.array([[0.3, 0.2, 0.5], [0.7, 0.9, 0.1]])
ORDER = np.array([[2, 0, 3], [1, 2, 1]])

SAMPLES: dict[str, list[Sample]] = {}
if find_spec("scipy") is not None:
    import scipy.special

    assert scipy.special.erf in SURFACE  # loads the entries
    of_any = (
        "erf erfc erfcx erfi dawsn ndtr log_ndtr expit log_expit exprel cosm1 exp10 j0 j1 "
        "exp2 expm1 cbrt softplus wofz round"
    )
    of_positive = (
        "gamma gammaln loggamma rgamma digamma entr y0 y1 k0 k1 k0e k1e exp1 expi log1p"
    )
    SAMPLES |= {
        f"special_{n}": [sample(A)] for n in (*of_any.split(), "i0", "i1", "i0e", "i1e")
    }
    SAMPLES |= {f"special_{n}": [sample(POSITIVE)] for n in of_positive.split()}
    SAMPLES |= {f"special_{n}": [sample(UNIT)] for n in ("logit", "erfcinv", "ndtri")}
    SAMPLES |= {f"special_{n}": [sample(2 * UNIT - 0.95)] for n in ("erfinv",)}
    SAMPLES |= {
        f"special_{n}": [sample(POSITIVE, MORE)]
        for n in (
            "xlogy xlog1py rel_entr kl_div beta betaln poch boxcox boxcox1p pseudo_huber owens_t"
        ).split()
    }
    SAMPLES |= {
        f"special_{n}": [sample(ORDER, POSITIVE), sample(2, POSITIVE)]
        for n in "jv yv yn iv kv kn kve hankel1 hankel2 hankel1e hankel2e struve".split()
    }
    SAMPLES |= {
        "special_ndtri_exp": [sample(-POSITIVE)],
        "special_gammasgn": [sample(A)],
        "special_zeta": [sample(3, POSITIVE)],
        "special_gammainc": [sample(2, POSITIVE), sample(ORDER + 1, POSITIVE)],
        "special_gammaincc": [sample(2, POSITIVE), sample(ORDER + 1, POSITIVE)],
        "special_gammaincinv": [sample(2, UNIT)],
        "special_gammainccinv": [sample(2, UNIT)],
        "special_betainc": [sample(np.int64(2), np.int64(3), UNIT)],
        "special_betaincc": [sample(np.int64(2), np.int64(3), UNIT)],
        "special_betaincinv": [sample(np.int64(2), np.int64(3), UNIT)],
        "special_betainccinv": [sample(np.int64(2), np.int64(3), UNIT)],
        "special_stdtr": [sample(ORDER + 1, A)],
        "special_ive": [sample(2, POSITIVE), sample(ORDER, A + 0.4j * MORE)],
        "special_jve": [sample(2, POSITIVE), sample(ORDER, A + 0.4j * MORE)],
        "special_yve": [sample(2, POSITIVE), sample(ORDER, A + 0.4j * MORE)],
        "special_lambertw": [sample(POSITIVE, 0), sample(A + 0.4j * MORE, 1)],
        "complex_polygamma": [sample(POSITIVE + 0.7j), sample(UNIT - 1.3j, n=2)],
        "special_polygamma": [sample(ORDER, POSITIVE), sample(2, POSITIVE)],
        "special_multigammaln": [sample(POSITIVE + 1, d=3)],
        "special_binom": [sample(POSITIVE + 2, MORE)],
        "special_inv_boxcox": [sample(POSITIVE, 2)],
        "special_inv_boxcox1p": [sample(POSITIVE, 2)],
        "special_stdtrit": [sample(3, UNIT)],
        "special_chdtri": [sample(np.int64(3), UNIT)],
        "special_hyperu": [sample(2, 3, POSITIVE)],
        "special_expn": [sample(3, POSITIVE)],
        "special_huber": [sample(MORE, 2 * A)],
        "special_hyp0f1": [sample(2, A)],
        "special_hyp1f1": [sample(2, 3, A)],
        "special_hyp2f1": [sample(2, 1, 3, UNIT * 0.8)],
    }  # fmt: skip
    SAMPLES |= {
        f"special_{n}": [sample(np.int64(3), POSITIVE)]
        for n in "chdtr chdtrc pdtr pdtrc".split()
    }
    SAMPLES |= {
        f"special_{n}": [sample(MORE, np.int64(2), POSITIVE)] for n in ("gdtr", "gdtrc")
    }
    SAMPLES |= {
        f"special_eval_{n}": [sample(ORDER, 2 * UNIT - 1.1)]
        for n in "legendre chebyt chebyu laguerre hermite hermitenorm".split()
    }
    SAMPLES |= {
        f"special_eval_{n}": [sample(ORDER, 2, 2 * UNIT - 1.1)]
        for n in ("gegenbauer", "genlaguerre")
    }
    SAMPLES["special_eval_jacobi"] = [sample(ORDER, 1, 2, 2 * UNIT - 1.1)]
    SAMPLES = {n: s for n, s in SAMPLES.items() if hasattr(scipy.special, n[8:])}
    SAMPLES["expit_slope"] = [sample(A)]
    for end in ("", "_slope"):
        SAMPLES[f"gamma_density{end}"] = [sample(POSITIVE, MORE)]
        SAMPLES[f"beta_density{end}"] = [sample(POSITIVE, MORE, UNIT)]
    SAMPLES |= {
        "bell": [sample(A, MORE)],
        "lack": [sample(POSITIVE, MORE)],
        "quotient": [sample(A, MORE)],
    }
    SAMPLES["polygamma_step"] = [sample(POSITIVE, MORE), sample(1.3, 0.4, n=1)]
    SAMPLES |= {
        f"weighted_logsumexp_{n}": [
            sample(x, POSITIVE),
            sample(x, MORE, axis=(1,)),
            sample(x, MORE, axis=(0,), keepdims=True),
        ]
        for n, x in (("whole", A), ("size", A), ("sign", A + 0.4j * MORE))
    }
    for name in ("softmax", "log_softmax"):
        SAMPLES[name] = [sample(A), sample(A, axis=(1,)), sample(A, axis=(0,))]
    SAMPLES["logsumexp"] = [*SAMPLES["softmax"], sample(A, axis=(1,), keepdims=True)]
