"""Options of ``scipy.linalg``'s functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import scipy.linalg

from ...errors import UnsupportedFunctionError
from ...ir.builder import Builder
from ...ir.expr import Expr
from ..static import known
from ..table import SURFACE

HOW = frozenset(
    (
        "overwrite_a",
        "overwrite_b",
        "check_finite",
        "lapack_driver",
        "driver",
        "lwork",
        "turbo",
    )
)
"""Options that tell how, not what."""


def with_options(*names: str) -> Callable[..., Any]:
    """Decorator: the function takes the options ``names`` of SciPy's function of its name, bound
    by SciPy's signature; of the others it takes the defaults."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        target = getattr(scipy.linalg, function.__name__.removeprefix("scipy_"))
        signature = inspect.signature(target)
        required = [p.name for p in signature.parameters.values() if p.default is p.empty]

        def call(builder: Builder, /, *args: Any, **options: Any) -> Any:
            given = signature.bind(*args, **options).arguments
            for key, value in given.items():
                default = signature.parameters[key].default
                if key in HOW or key in names or key in required or value is default:
                    continue
                if isinstance(value, Expr) or known(value) is not default:
                    raise UnsupportedFunctionError(
                        f"scipy.linalg.{target.__name__} is not supported with `{key}=`; "
                        "leave it out"
                    )
            kept = {k: v for k, v in given.items() if k in names}
            return function(builder, *(given[n] for n in required), **kept)

        SURFACE[target] = call
        return call

    return register


__all__ = ["with_options"]
