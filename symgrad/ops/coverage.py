"""Which of NumPy's public functions are supported, told by the op table and by NumPy itself."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from ..ir.opdef import OpDef
from .scope import NOT_YET, OUT_OF_SCOPE, RUN_WHEN_COMPILING
from .table import ATTRIBUTES, METHODS, MUTATORS, NO_GRADIENT, SURFACE, TABLE
from .written import WRITTEN

Status = Literal[
    "supported", "no gradient", "when compiling", "out of scope", "not yet", "missing"
]


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
    """

    name: str
    status: Status
    kink: str = ""
    reason: str = ""

    @property
    def modes(self) -> str:
        """In which modes it has derivatives."""
        return "forward, reverse" if self.status == "supported" else ""


def entries() -> list[Entry]:
    """Every public callable of numpy, numpy.linalg and numpy.fft, and of arrays."""
    modules = (np, np.linalg, np.fft)
    return [*(e for m in modules for e in _of_module(m)), *_of_arrays(), *_operators()]


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
    if _known(target):
        op = _op(module, getattr(target, "__name__", name)) or _op(module, name)
        return _described(full, op, target in NO_GRADIENT)
    if target in RUN_WHEN_COMPILING:
        return Entry(full, "when compiling")
    return _left_out(full, name)


def _known(target: Any) -> bool:
    try:
        return target in SURFACE or target in MUTATORS or target in WRITTEN
    except TypeError:  # not hashable, so no callable of the table's
        return False


def _op(module: str, name: str) -> OpDef | None:
    """The op that bears the name of a function."""
    prefix = module.removeprefix("numpy").removeprefix(".")
    return TABLE.get(f"{prefix}_{name}" if prefix else name)


def _described(full: str, op: OpDef | None, data: bool) -> Entry:
    without = (
        data or op is not None and op.has("nondiff") or _last(full) in WITHOUT_GRADIENT
    )
    status: Status = "no gradient" if without else "supported"
    return Entry(full, status, kink=op.kink if op is not None else "")


def _last(full: str) -> str:
    return full.rpartition(".")[2]


def _left_out(full: str, name: str) -> Entry:
    for reason, names in OUT_OF_SCOPE.items():
        if name in names.split():
            return Entry(full, "out of scope", reason=reason)
    return Entry(full, "not yet" if name in NOT_YET.split() else "missing")


WITHOUT_GRADIENT = frozenset(
    """
    around fix round argmax argmin argsort argpartition nonzero searchsorted count_nonzero any
    all zeros zeros_like ones ones_like empty empty_like eye identity tri arange indices
    iscomplexobj isrealobj shape ndim size tril_indices triu_indices ix_ bartlett blackman
    hamming hanning dtype itemsize nbytes __len__ isclose allclose array_equal
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp longlong bool_ byte short
    intc int_ long ubyte ushort uintc uint ulong matrix_rank
    """.split()
)
"""Compositions and constructors whose result is no real number that moves."""


# -------------------------------------------------------------------------------- arrays
def _of_arrays() -> Iterator[Entry]:
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        full = f"ndarray.{name}"
        if name in METHODS or name in MUTATORS or name in ATTRIBUTES:
            yield _described(full, TABLE.get(name), False)
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
        yield _described(f"ndarray {sign}", TABLE[name], False)


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
        raise ValueError(f"NumPy has no public function {name!r}{advice}")
    return "".join(f"{_line(e)}\n" for e in found)


def _line(entry: Entry) -> str:
    said = [entry.status, entry.modes, entry.reason]
    said += [f"at kinks: {entry.kink}"] if entry.kink else []
    return f"{entry.name}: {'; '.join(part for part in said if part)}"


# ------------------------------------------------------------------------------ the page
def page() -> str:
    """``docs/ops.md``."""
    listed = entries()
    lines = [_HEAD, "| status | names |", "| --- | --- |"]
    lines += [f"| {status} | {n} |" for status, n in sorted(counts(listed).items())]
    for title in ("numpy", "numpy.linalg", "numpy.fft", "ndarray"):
        lines += _section(title, [e for e in listed if _module(e) == title])
    return "\n".join(lines) + "\n"


_HEAD = """# What of NumPy is supported

Made by `python -m symgrad ops --markdown > docs/ops.md` from the op table; a test keeps it so.
*Supported* functions have derivatives in forward and reverse mode and of every order. Where a
derivative is not unique, the table says what is returned.
"""


def _module(entry: Entry) -> str:
    if entry.name.startswith("ndarray"):
        return "ndarray"
    return entry.name.rpartition(".")[0]


def _section(title: str, listed: list[Entry]) -> list[str]:
    lines = [
        "",
        f"## {title}",
        "",
        "| function | gradient | at kinks |",
        "| --- | --- | --- |",
    ]
    for entry in listed:
        if entry.status in ("supported", "no gradient"):
            gradient = "both modes" if entry.status == "supported" else "none"
            lines.append(f"| `{_short(entry, title)}` | {gradient} | {entry.kink} |")
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
