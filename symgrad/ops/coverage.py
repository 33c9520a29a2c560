"""Which of NumPy's public functions are supported, told by the op table and by NumPy itself; and
which of SciPy's."""

from __future__ import annotations

import types
from collections.abc import Container, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from ..ir.builder import Builder
from ..ir.expr import Expr
from ..ir.opdef import OpDef
from .probing import moves
from .scipy.coverage import supported as scipy_supported
from .scope import OUT_OF_SCOPE, REFUSED, RUN_WHEN_COMPILING
from .table import ATTRIBUTES, GENERATOR, METHODS, MUTATORS, SURFACE, TABLE, Surface
from .written.functions import UFUNC_METHODS, WHEN_COMPILING, WRITTEN

Status = Literal["supported", "no gradient", "when compiling", "out of scope", "missing"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One public name.

    Args:
        name: with its module, ``numpy.sum`` or ``ndarray.sum``.
        status: ``supported`` has derivatives in both modes and of every order, ``no gradient``
            a derivative of zero or a result that is data, ``when compiling`` takes what is
            known then; the rest cannot be compiled.
        kink: what is returned where the derivative is not unique.
        reason: why it is out of scope.
        note: how it is done, where that is worth knowing.
    """

    name: str
    status: Status
    kink: str = ""
    reason: str = ""
    note: str = ""

    @property
    def modes(self) -> str:
        """In which modes it has derivatives."""
        return "forward, reverse" if self.status == "supported" else ""


def entries() -> list[Entry]:
    """Every public callable of numpy, numpy.linalg, numpy.fft and numpy.random, of arrays, of
    ufuncs and of random generators; of SciPy, where that is installed, what is supported."""
    modules = (np, np.linalg, np.fft, np.random)
    found = [e for m in modules for e in _of_module(m)]
    found += [*_of_series(), *_of_arrays(), *_operators(), *_of_ufuncs(), *_of_generators()]
    return [*found, *_of_scipy()]


def _of_series() -> Iterator[Entry]:
    """Functions on the coefficients of series, and the classes."""
    for family in "polynomial chebyshev legendre hermite hermite_e laguerre".split():
        module = getattr(np.polynomial, family)
        for name in module.__all__:
            target = getattr(module, name)
            if callable(target):
                now = _is_in(WHEN_COMPILING, target)
                status: Status = "when compiling" if now else "supported"
                kink = "0 to coefficients at the end that are left out" * _trims(name)
                yield Entry(f"numpy.polynomial.{name}", status, kink=kink)


def _trims(name: str) -> bool:
    return name.endswith(("add", "sub", "mul", "mulx", "div", "pow", "trim"))


def _of_scipy() -> Iterator[Entry]:
    for name, moving, kink, note in scipy_supported():
        yield Entry(name, "supported" if moving else "no gradient", kink=kink, note=note)


def counts(listed: list[Entry]) -> dict[str, int]:
    """How many entries have each status."""
    found: dict[str, int] = {}
    for entry in listed:
        found[entry.status] = found.get(entry.status, 0) + 1
    return found


# -------------------------------------------------------------------------------- modules
def _of_module(module: types.ModuleType) -> Iterator[Entry]:
    for name in sorted(dir(module)):
        target = getattr(module, name)
        hidden = name.startswith("_") or isinstance(target, types.ModuleType)
        broken = isinstance(target, type) and issubclass(target, BaseException)
        if callable(target) and not hidden and not broken:
            yield _entry(module.__name__, name, target)
    for name in ("r_", "c_") if module is np else ():
        yield _entry("numpy", name, getattr(np, name))


def _entry(module: str, name: str, target: Any) -> Entry:
    full = f"{module}.{name}"
    if _is_in(RUN_WHEN_COMPILING, target):
        return Entry(full, "when compiling")
    if any(_is_in(known, target) for known in (SURFACE, MUTATORS, WRITTEN)):
        surface = SURFACE.get(target)
        if module == "numpy.random":
            return _drawn(full, surface)
        op = _op(module, getattr(target, "__name__", name)) or _op(module, name)
        return _described(full, op, surface)
    return _left_out(full, name)


def _is_in(known: Container[Any], target: Any) -> bool:
    try:
        return target in known
    except TypeError:  # not hashable, so no callable of the table's
        return False


def _op(module: str, name: str) -> OpDef | None:
    """The op that bears the name of a function."""
    prefix = module.removeprefix("numpy").removeprefix(".")
    return TABLE.get(f"{prefix}_{name}" if prefix else name)


def _described(full: str, op: OpDef | None, surface: Surface | None) -> Entry:
    """The entry of what is in the table; without a surface, it is written out or overwrites
    an argument, and moves with it."""
    moving = surface is None or moves(surface)
    status: Status = "supported" if moving else "no gradient"
    return Entry(full, status, kink=op.kink if op is not None else "")


def _left_out(full: str, name: str) -> Entry:
    for reason, names in OUT_OF_SCOPE.items():
        if name in names.split():
            return Entry(full, "out of scope", reason=reason)
    return Entry(full, "missing")


# -------------------------------------------------------------------------------- arrays
def _of_arrays() -> Iterator[Entry]:
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        full = f"ndarray.{name}"
        if name not in REFUSED and name in {*METHODS, *MUTATORS, *ATTRIBUTES}:
            surface = METHODS.get(name) or ATTRIBUTES.get(name)
            yield _described(full, TABLE.get(name), surface)
        else:
            yield _left_out(full, "resize_method" if name == "resize" else name)


_OPERATORS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide",
    "%": "remainder", "**": "power", "@": "matmul", "-x": "negative", "+x": "positive",
    "abs": "absolute", "~": "invert", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor",
    "<<": "left_shift", ">>": "right_shift", "<": "less", "<=": "less_equal", ">": "greater",
    ">=": "greater_equal", "==": "equal", "!=": "not_equal", "x[key]": "index",
    "x[key] = v": "store", "x[key] += v": "add_store",
}  # fmt: skip


def _operators() -> Iterator[Entry]:
    for sign, name in _OPERATORS.items():
        status: Status = "no gradient" if TABLE[name].has("nondiff") else "supported"
        yield Entry(f"ndarray {sign}", status, kink=TABLE[name].kink)


# ------------------------------------------------------------------- ufuncs, generators
def _of_ufuncs() -> Iterator[Entry]:
    """The methods of ufuncs: some in one call of NumPy's, the others by a written loop."""
    names = [n for n in sorted(dir(np)) if isinstance(getattr(np, n), np.ufunc)]
    for method in sorted(("outer", *UFUNC_METHODS)):
        targets = {n: getattr(getattr(np, n), method) for n in names}
        at_once = [
            n for n, t in targets.items() if _is_in(SURFACE, t) or _is_in(MUTATORS, t)
        ]
        others = "; others by a loop" if method in UFUNC_METHODS else ""
        note = f"in one call for {', '.join(at_once)}{others}" if at_once else "by a loop"
        yield Entry(f"ufunc.{method}", "supported", note=note)


def _of_generators() -> Iterator[Entry]:
    for name in sorted(n for n in dir(np.random.Generator) if not n.startswith("_")):
        full = f"Generator.{name}"
        known = name in GENERATOR
        yield _drawn(full, _with_generator(name)) if known else _left_out(full, name)


def _with_generator(name: str) -> Surface:
    def surface(b: Builder, *args: Any) -> Any:
        return GENERATOR[name](b, Expr(b, b.op("default_rng")), *args)

    return surface


def _drawn(full: str, surface: Surface | None) -> Entry:
    """A draw; what puts the entries of an array into another order moves with them."""
    if surface is None or moves(surface):
        return Entry(full, "supported", note="to the entries that are drawn, in order")
    return Entry(full, "no gradient", note="drawn in order")


# ---------------------------------------------------------------------------- one or all
def told(name: str = "") -> str:
    """What the command line says of one function, or of all.

    Raises:
        ValueError: there is no public function of that name.
    """
    listed = entries()
    if not name:
        numbers = ", ".join(f"{n} {status}" for status, n in sorted(counts(listed).items()))
        return "\n".join([*(_line(e) for e in listed), numbers, ""])
    full = name.replace("np.", "numpy.", 1) if name.startswith("np.") else name
    found = [e for e in listed if full == e.name or full == e.name.partition(".")[2]]
    if not found:
        known = [e.name for e in listed]
        near = get_close_matches(full, [*known, *(k.partition(".")[2] for k in known)])
        advice = f"; near: {', '.join(near)}" if near else ""
        raise ValueError(f"there is no public function {name!r}{advice}")
    return "".join(f"{_line(e)}\n" for e in found)


def _line(entry: Entry) -> str:
    said = [entry.status, entry.modes, entry.reason, entry.note]
    said += [f"at kinks: {entry.kink}"] if entry.kink else []
    return f"{entry.name}: {'; '.join(part for part in said if part)}"


# ------------------------------------------------------------------------------ the page
SECTIONS = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.polynomial", "ndarray", "ufunc",
    "numpy.random", "Generator",
    "scipy.special", "scipy.linalg", "scipy.stats", "scipy.signal", "scipy.integrate",
    "scipy.optimize",
)  # fmt: skip


def page() -> str:
    """``docs/ops.md``."""
    listed = entries()
    lines = [_HEAD, "| status | names |", "| --- | --- |"]
    lines += [f"| {status} | {n} |" for status, n in sorted(counts(listed).items())]
    for title in SECTIONS:
        lines += _section(title, [e for e in listed if _module(e) == title])
    return "\n".join(lines) + "\n"


_HEAD = """# What of NumPy and SciPy is supported

Made by `python -m symgrad ops --markdown > docs/ops.md` from the op table; a test keeps it so.
*Supported* functions have derivatives in forward and reverse mode and of every order. Where a
derivative is not unique, the table says what is returned. SciPy is the extra `symgrad[scipy]`; its
functions that are not listed have no rule.
"""


def _module(entry: Entry) -> str:
    if entry.name.startswith("ndarray"):
        return "ndarray"
    if entry.name.startswith("scipy"):
        return ".".join(entry.name.split(".")[:2])
    return entry.name.rpartition(".")[0]


def _section(title: str, listed: list[Entry]) -> list[str]:
    last = "at kinks" if not any(e.note for e in listed) else "how"
    lines = [
        "",
        f"## {title}",
        "",
        f"| function | gradient | {last} |",
        "| --- | --- | --- |",
    ]
    for entry in listed:
        if entry.status in ("supported", "no gradient"):
            gradient = "both modes" if entry.status == "supported" else "none"
            said = "; ".join(part for part in (entry.kink, entry.note) if part)
            lines.append(f"| `{_short(entry, title)}` | {gradient} | {said} |")
    rest: dict[str, list[str]] = {}
    for entry in listed:
        if entry.status not in ("supported", "no gradient"):
            said = f"{entry.status}: {entry.reason}" if entry.reason else entry.status
            rest.setdefault(said, []).append(f"`{_short(entry, title)}`")
    for said, names in sorted(rest.items()):
        lines += ["", f"*{said[0].upper()}{said[1:]}*: {', '.join(names)}"]
    return lines


def _short(entry: Entry, title: str) -> str:
    return entry.name.removeprefix(title).lstrip(". ").replace("|", "\\|")
