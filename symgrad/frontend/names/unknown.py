"""What is said of a library function that has no rule: its public name, what is near, and how to
give it a rule."""

from __future__ import annotations

import difflib
import sys
import types
from typing import Any

import numpy as np

from ...ops import SURFACE
from ...ops.scope import OUT_OF_SCOPE
from ...ops.written.functions import WRITTEN

_SCIPY = ("scipy.special", "scipy.signal", "scipy.stats", "scipy.linalg")


def public_name(f: Any) -> str:
    """The name under which users find a function: of the nearest module that shows it."""
    name = getattr(f, "__name__", None) or type(f).__name__
    module = getattr(f, "__module__", None) or ""
    if isinstance(f, types.MethodType) and module.startswith("scipy."):
        owner = public_name(f.__self__)  # a distribution
        return owner if name == "__call__" else f"{owner}.{name}"
    if isinstance(f, np.ufunc):
        module = next((m for m in (*_SCIPY, "numpy") if _shows(m, name, f)), "")
    parts = module.removeprefix("_").split(".")
    for end in range(1, len(parts) + 1):
        shown = ".".join(parts[:end])
        name = name if _shows(shown, name, f) else _name_in(shown, f) or name
        if _shows(shown, name, f):
            return f"{shown}.{name}" if shown != "builtins" else name
    return f"{module}.{name}" if module not in ("builtins", "") else name


def _shows(module: str, name: str, f: Any) -> bool:
    return getattr(sys.modules.get(module), name, None) is f


def _name_in(module: str, f: Any) -> str:
    """What a module calls an object that does not know its name."""
    if isinstance(f, types.FunctionType | types.BuiltinFunctionType):
        return ""
    inside = vars(sys.modules[module]) if module in sys.modules else {}
    return next((name for name, value in inside.items() if value is f), "")


def _is_private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))


def unknown(f: Any, first: Any = None) -> str:
    """The message for a call of ``f``, perhaps a method of ``first``."""
    own = getattr(type(first), getattr(f, "__name__", ""), None) is f
    full = public_name(types.MethodType(f, first) if own else f)
    last = full.rpartition(".")[2]
    listed: dict[str, str] = {}
    for target in (*SURFACE, *WRITTEN):
        listed.setdefault(getattr(target, "__name__", str(target)), public_name(target))
    public = sorted(name for name, shown in listed.items() if not _is_private(shown))
    near = difflib.get_close_matches(last, public, n=3)
    shown = ", ".join(listed[n] for n in near)
    advice = f"; similar names that are known: {shown}" if near else ""
    reason = next((r for r, names in OUT_OF_SCOPE.items() if last in names.split()), "")
    if reason and full.startswith("numpy."):
        return f"`{full}` has no entry in the op table ({reason}){advice}"
    code = full if full.replace(".", "").isidentifier() else "f"
    rule = f"`symgrad.def_rule({code}, vjp=...)`"
    if isinstance(f, np.ufunc):
        rule = f"`symgrad.elementwise({code}, '<slope in x and out>')`"
    return f"`{full}` has no entry in the op table{advice}; {rule} gives it a rule"


__all__ = ["public_name", "unknown"]
