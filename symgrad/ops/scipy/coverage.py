"""Which of SciPy's functions are supported, told by the op table; the rest of SciPy is refused."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...ir.opdef import OpDef
from ..probing import moves
from ..table import SURFACE, TABLE
from ..written.functions import WRITTEN

MODULES = (
    "scipy.special", "scipy.linalg", "scipy.signal", "scipy.integrate", "scipy.optimize",
)  # fmt: skip
PREFIXES = {"scipy.special": ("special_", ""), "scipy.linalg": ("scipy_", "linalg_", "")}


def supported() -> Iterator[tuple[str, bool, str, str]]:
    """Name, whether it has a derivative, convention at kinks, note, of each function."""
    if find_spec("scipy") is None:
        return
    for module in MODULES:
        for name, target in _functions(module):
            op = _op(module, name, target)
            surface = SURFACE.get(target)
            moving = bool(op.vjp) if op is not None else surface is None or _moves(surface)
            yield (
                f"{module}.{name}",
                moving,
                op.kink if op is not None else "",
                _data(op) if op is not None and moving else "",
            )
    for name, target in _methods():
        yield name, _moves(SURFACE[target]), "", ""


def _functions(module: str) -> list[tuple[str, Any]]:
    public = vars(import_module(module)).items()
    return sorted(
        (name, target)
        for name, target in public
        if not name.startswith("_") and callable(target) and _known(target)
    )


def _known(target: Any) -> bool:
    try:
        return target in SURFACE or target in WRITTEN
    except TypeError:  # not hashable
        return False


def _methods() -> list[tuple[str, Any]]:
    """Methods of the distributions of ``scipy.stats``."""
    stats = import_module("scipy.stats")
    assert stats.norm.pdf in SURFACE  # loads the entries
    names = {id(value): name for name, value in vars(stats).items()}
    found = [(t, names.get(id(getattr(t, "__self__", None)))) for t in SURFACE]
    return sorted((f"scipy.stats.{name}.{t.__name__}", t) for t, name in found if name)


def _op(module: str, name: str, target: Any) -> OpDef | None:
    """The op that bears the name of a function, or the name it has elsewhere."""
    other = getattr(target, "__name__", name)
    for prefix in PREFIXES.get(module, ("",)):
        for word in (name, other):
            if f"{prefix}{word}" in TABLE:
                return TABLE[f"{prefix}{word}"]
    return None


def _moves(surface: Any) -> bool:
    """A surface that no arguments of the trial fit is one with a derivative."""
    return moves(surface) is not False


def _data(op: OpDef) -> str:
    """The arguments that have no derivative, as a note."""
    data = [x for x, rule in op.vjp.items() if hasattr(rule, "refuses")]
    return f"none by `{'`, `'.join(data)}`" if data else ""


__all__ = ["supported"]
