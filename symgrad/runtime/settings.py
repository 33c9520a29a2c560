"""``sg.config``: what holds for the whole process."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set.

    Args:
        deterministic: gradients of several threads add up to the same, bit for bit, in
            whatever order they arrive.
        debug: the IR is verified after every pass, and what rules have saved is checked.
        dump_dir: the directory that generated code is written to, if any.
    """

    deterministic: bool = False
    debug: bool = False
    dump_dir: str | None = None


class _Holder:
    """The settings of the process: all threads see the same."""

    __slots__ = ("current", "lock")

    def __init__(self) -> None:
        self.current = Settings()
        self.lock = threading.Lock()


_PROCESS = _Holder()


def settings() -> Settings:
    """What is set now.

    >>> with sg.config(deterministic=True):
    ...     extend.settings().deterministic
    True
    """
    return _PROCESS.current


class config:  # noqa: N801
    """Set something for all threads; as a context manager, until the end of the block.

    Args:
        deterministic: make ``nn.backward`` sum up gradients so that the result depends on
            neither the order nor the timing of threads: it is the exact sum, rounded once,
            when ``grad`` is read. An addition takes about a hundred times as long, a
            tenth of a second for a million numbers.
        debug: verify the intermediate representation after every pass of what is compiled from
            now on, and raise a ``SavedValueError`` where an array that a rule of the user's has
            saved, in code that cannot be compiled, is changed before its backward runs.
        dump_dir: write generated code to files in this directory, where debuggers can set
            breakpoints; an empty text for no files. It goes before ``SYMGRAD_DUMP_DIR``.

    Raises:
        TypeError: not a bool, or not a path.

    >>> import symgrad as sg
    >>> with sg.config(deterministic=True):
    ...     pass  # start threads that call nn.backward, and wait for them
    """

    __slots__ = ("_before",)

    def __init__(
        self,
        *,
        deterministic: bool | None = None,
        debug: bool | None = None,
        dump_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        flags = {"deterministic": deterministic, "debug": debug}
        for name, flag in flags.items():
            if flag is not None and not isinstance(flag, bool):
                raise TypeError(f"{name} is True or False, not {flag!r}")
        given: dict[str, Any] = {k: flag for k, flag in flags.items() if flag is not None}
        if dump_dir is not None:
            given["dump_dir"] = os.fspath(dump_dir)
        with _PROCESS.lock:
            self._before = _PROCESS.current
            _PROCESS.current = replace(self._before, **given)

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
