"""Generated text made into a function, known to tracebacks and debuggers."""

from __future__ import annotations

import linecache
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .function import Emitted

# Finalizers may run in the middle of ``load``, in the same thread.
_LOCK = threading.RLock()
_LOADED: dict[str, tuple[int, Emitted]] = {}
"""Code in use, by file name: how many functions were made of it, and what it is."""


def load(emitted: Emitted, filename: str) -> Callable[..., Any]:
    """The function. Its text is found under ``filename`` for as long as it is in use."""
    scope: dict[str, Any] = dict(emitted.bindings)
    for line in emitted.imports:
        exec(line, scope)
    exec(compile(emitted.text, filename, "exec"), scope)
    function = scope[emitted.name]
    with _LOCK:
        count = _LOADED.get(filename, (0, emitted))[0]
        _LOADED[filename] = (count + 1, emitted)
    register(emitted, filename)
    weakref.finalize(function, _forget, filename).atexit = False
    return function  # type: ignore[no-any-return]


def register(emitted: Emitted, filename: str) -> None:
    """Let ``linecache`` know the text (again, if its cache has been cleared)."""
    lines = emitted.text.splitlines(keepends=True)
    linecache.cache[filename] = (len(emitted.text), None, lines, filename)


def _forget(filename: str) -> None:
    with _LOCK:
        count, emitted = _LOADED[filename]
        if count > 1:
            _LOADED[filename] = (count - 1, emitted)
            return
        del _LOADED[filename]
        linecache.cache.pop(filename, None)


def annotate(error: BaseException, emitted: Emitted | None = None) -> None:
    """Add a note to an exception for each generated line it passed: the user's line there."""
    traceback = error.__traceback__
    known = getattr(error, "__notes__", [])
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        found = _LOADED.get(filename)
        if found is not None and emitted in (None, found[1]):
            note = _note(found[1], traceback.tb_lineno)
            if note and note not in known:
                error.add_note(note)
        traceback = traceback.tb_next


def _note(emitted: Emitted, line: int) -> str:
    span = emitted.line_map.to_original(line)
    return f"generated line {line} <- {span}: {span.text}" if span is not None else ""
