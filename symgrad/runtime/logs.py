"""What is compiled, told through ``logging``: the loggers ``symgrad.source``, ``symgrad.passes``
and ``symgrad.recompiles``.

``SYMGRAD_LOGS=source,passes,recompiles`` in the environment writes them to standard error, the
text alone.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .specialise import Origin, Specialisation

TOPICS = ("source", "passes", "recompiles")


class _FromEnvironment(logging.StreamHandler):  # type: ignore[type-arg]
    """The handler that ``SYMGRAD_LOGS`` asks for."""


def log(made: Specialisation, origin: Origin, count: int) -> None:
    """Tell of a specialisation, the ``count``-th of its function."""
    source, passes, recompiles = (_logger(topic) for topic in TOPICS)
    if recompiles.isEnabledFor(logging.INFO):
        name = f"{origin.module}.{made.program.emitted.name}"
        again = f"again ({count} kinds)" if count > 1 else "first"
        recompiles.info("%s is compiled %s, for %s", name, again, made.key)
    if passes.isEnabledFor(logging.INFO):
        for record in made.program.passes():
            passes.info("# %s\n%s", record.name, record.text)
    if source.isEnabledFor(logging.INFO):
        source.info("%s", made.program.source)


def _logger(topic: str) -> logging.Logger:
    logger = logging.getLogger(f"symgrad.{topic}")
    wanted = topic in os.environ.get("SYMGRAD_LOGS", "").replace(" ", "").split(",")
    mine = [h for h in logger.handlers if isinstance(h, _FromEnvironment)]
    if wanted and not mine:
        handler = _FromEnvironment()
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    for handler in () if wanted else mine:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    return logger


__all__ = ["log"]
