"""``sg.config``: what holds for the whole process."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from types import TracebackType


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set.

    Args:
        deterministic: gradients of several threads add up to the same, bit for bit, in
            whatever order they arrive.
    """

    deterministic: bool = False


class _Holder:
    """The settings of the process: all threads see the same."""

    __slots__ = ("current", "lock")

    def __init__(self) -> None:
        self.current = Settings()
        self.lock = threading.Lock()


_PROCESS = _Holder()


def settings() -> Settings:
    """What is set now."""
    return _PROCESS.current


class config:  # noqa: N801
    """Set something for all threads; as a context manager, until the end of the block.

    Args:
        deterministic: make ``nn.backward`` sum up gradients so that the result depends on
            neither the order nor the timing of threads: it is the exact sum, rounded once,
            when ``grad`` is read. An addition takes about a hundred times as long, a
            tenth of a second for a million numbers.

    Raises:
        TypeError: not a bool.

    >>> import symgrad as sg
    >>> with sg.config(deterministic=True):
    ...     pass  # start threads that call nn.backward, and wait for them
    """

    __slots__ = ("_before",)

    def __init__(self, *, deterministic: bool | None = None) -> None:
        if deterministic is not None and not isinstance(deterministic, bool):
            raise TypeError(f"deterministic is True or False, not {deterministic!r}")
        with _PROCESS.lock:
            self._before = _PROCESS.current
            if deterministic is not None:
                _PROCESS.current = replace(self._before, deterministic=deterministic)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with _PROCESS.lock:
            _PROCESS.current = self._before
