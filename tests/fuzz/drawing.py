"""How many random programs there are: a few each time, the same ones; many for ``make fuzz``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

COUNT = int(os.environ.get("SYMGRAD_FUZZ", "0"))

many = settings(
    max_examples=COUNT or 24,
    derandomize=not COUNT,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink) if COUNT else (Phase.generate,),
    suppress_health_check=list(HealthCheck),
)

__all__ = ["COUNT", "many"]
