"""One line about a compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compiled import CompiledFunction


def told(compiled: CompiledFunction) -> str:
    """``<symgrad grad of pkg.mod.f wrt x: 14 ops, 2 saved, float64[n] -> float64[n]>``."""
    from .saved import count_ops, saved_values, types_text

    place = getattr(compiled, "__module__", None)
    name = getattr(compiled, "__qualname__", None) or compiled._title()
    full = f"{place}.{name}" if place else name
    what = "" if compiled._kind == "compile" else f"{compiled._kind} of "
    head = f"<symgrad {what}{full}{_wrt(compiled)}"
    found = compiled.specializations
    if not found:
        return f"{head}: not compiled yet>"
    final = found[-1].specialisation.program.final
    saved = len(saved_values(final))
    kept = f", {saved} saved" if saved else ""
    more = f", {len(found)} specialisations" if len(found) > 1 else ""
    return f"{head}: {count_ops(final)} ops{kept}, {types_text(final)}{more}>"


def _wrt(compiled: CompiledFunction) -> str:
    options = dict(compiled._options)
    names = options.get("argnames")
    if names is None:
        argnums = options.get("argnums")
        if argnums is None:
            return ""
        listed = (argnums,) if isinstance(argnums, int) else argnums
        signature = getattr(compiled, "__signature__", None)
        known = tuple(signature.parameters) if signature is not None else ()
        names = [known[n] if -len(known) <= n < len(known) else str(n) for n in listed]
    return f" wrt {names if isinstance(names, str) else ', '.join(names)}"


__all__ = ["told"]
