"""What a traceback shows: the user's lines and the generated ones, not the compiler's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import ParamSpec, TypeVar

from ..errors import InternalError, SymgradError
from .settings import settings

P = ParamSpec("P")
R = TypeVar("R")
DISPATCH = "<symgrad dispatch "


def shorten(error: Exception) -> None:
    """Take symgrad's own frames out of the traceback, and out of those of the errors that
    ``error`` comes from.

    A refusal says itself which line it is about, so that nothing else of its way is left.
    Faults of symgrad keep theirs, and with ``sg.config(debug=True)`` all errors do.
    """
    if settings().debug:
        return
    seen: set[int] = set()
    met: BaseException | None = error
    while met is not None and id(met) not in seen:
        seen.add(id(met))
        if not isinstance(met, InternalError):
            _without_own_cause(met)
            met.__traceback__ = _kept(met)
        met = met.__cause__ or met.__context__


def shortened(method: Callable[P, R]) -> Callable[P, R]:
    """``method`` with short tracebacks."""

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    return call


def _without_own_cause(error: BaseException) -> None:
    """A refusal that names a line has said what symgrad's own code ran into."""
    cause = error.__cause__
    if cause is not None and _is_placed(error):
        frames = _frames(cause)
        if not frames or _is_own(frames[-1]):
            error.__cause__ = None


def _is_placed(error: BaseException) -> bool:
    return isinstance(error, SymgradError) and error.span is not None


def _frames(error: BaseException) -> list[TracebackType]:
    frames = []
    here = error.__traceback__
    while here is not None:
        frames.append(here)
        here = here.tb_next
    return frames


def _kept(error: BaseException) -> TracebackType | None:
    if _is_placed(error):
        return None
    frames = _frames(error)
    if frames and _is_own(frames[-1]) and _is_fault(error):
        return error.__traceback__
    kept: TracebackType | None = None
    for frame in reversed(frames):
        if not _is_own(frame):
            kept = TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return kept


def _is_fault(error: BaseException) -> bool:
    """Whether what symgrad's own code has raised is about that code. A missing attribute of an
    object of the user's is not."""
    if not isinstance(error, AttributeError):
        return not isinstance(error, SymgradError)
    owner = error.obj if isinstance(error.obj, type | ModuleType) else type(error.obj)
    place = getattr(owner, "__module__", None) or owner.__name__
    return place.partition(".")[0] in ("symgrad", "builtins")


def _is_own(frame: TracebackType) -> bool:
    module = str(frame.tb_frame.f_globals.get("__name__", ""))
    dispatched = frame.tb_frame.f_code.co_filename.startswith(DISPATCH)
    return dispatched or module.partition(".")[0] == "symgrad"


__all__ = ["shorten", "shortened"]
