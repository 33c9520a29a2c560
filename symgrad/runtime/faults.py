"""Faults of symgrad itself: whatever a pass or the emission raises that is no refusal becomes
an error that shows the IR, with the spot marked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from ..errors import InternalError, SymgradError
from ..ir.printer import to_text
from ..ir.values import Block, Function, Op


@contextmanager
def guarded(stage: str, function: Function) -> Iterator[None]:
    """What ``stage`` does with ``function``.

    Raises:
        InternalError: it failed; the text has the IR that it was given.
    """
    try:
        yield
    except InternalError as fault:
        if fault.shown:
            raise
        spot = fault.spot or _last_op(fault.__traceback__, function)
        raise _shown(stage, function, fault.message, spot) from fault
    except (SymgradError, Warning):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise _shown(
            stage, function, reason, _last_op(error.__traceback__, function)
        ) from error


def _shown(
    stage: str, function: Function, reason: str, spot: Op | Block | None
) -> InternalError:
    text = to_text(function, mark=spot, note=reason.partition("\n")[0])
    return InternalError(
        f"{reason}\nThis is a fault of symgrad (in `{stage}`), not of the function; please "
        f"report it with this text:\n{text}",
        spot.span if isinstance(spot, Op) else function.origin,
        shown=True,
    )


def _last_op(traceback: TracebackType | None, function: Function) -> Op | None:
    """The op of ``function`` that the innermost frame was at work on."""
    known = set(function.block.walk())
    found = None
    while traceback is not None:
        held = [x for x in traceback.tb_frame.f_locals.values() if isinstance(x, Op)]
        found = next((op for op in held if op in known), found)
        traceback = traceback.tb_next
    return found
