"""The command line: ``python -m symgrad show pkg.mod:f "float64[8, 3]" 0.5 --grad 0``, and
``python -m symgrad ops median``."""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import SymgradError
from .ops.coverage import page, told
from .runtime import compile, spec, value_and_grad

_SPEC = re.compile(r"(\w+)\[([\d\s,]*)\]")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(argv)
    sys.path.insert(0, os.getcwd())
    try:
        print(options.said(options), end="")
    except (SymgradError, ImportError, AttributeError, ValueError) as error:
        print(f"symgrad: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="symgrad", description=__doc__)
    commands = parser.add_subparsers(required=True)
    show = commands.add_parser("show", help="print the code generated for a function")
    show.add_argument("function", help="where it is: package.module:name")
    show.add_argument("args", nargs="*", help='its arguments: "float64[8, 3]", or a value')
    show.add_argument("--grad", type=_positions, help="differentiate: 0, or 0,1")
    what = show.add_mutually_exclusive_group()
    what.add_argument("--ir", action="store_true", help="print the IR instead")
    what.add_argument("--passes", action="store_true", help="print the IR after each pass")
    show.set_defaults(said=_shown)
    ops = commands.add_parser("ops", help="what of NumPy is supported")
    ops.add_argument("name", nargs="?", default="", help="one function: numpy.sum, or sum")
    ops.add_argument("--markdown", action="store_true", help="the page docs/ops.md")
    ops.set_defaults(said=_ops)
    return parser


def _ops(options: argparse.Namespace) -> str:
    return page() if options.markdown else told(options.name)


def _shown(options: argparse.Namespace) -> str:
    module, _, name = options.function.partition(":")
    function: Any = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    if options.grad is None:
        compiled = compile(function)
    else:
        compiled = value_and_grad(function, argnums=options.grad)
    lowered = compiled.lower(*map(_argument, options.args))
    if options.ir:
        return str(lowered.ir)
    if options.passes:
        return "\n".join(f"# {record.name}\n{record.text}" for record in lowered.passes)
    return str(lowered.source)


def _positions(text: str) -> int | tuple[int, ...]:
    listed = tuple(int(part) for part in text.split(",") if part)
    return listed if "," in text else listed[0]


def _argument(text: str) -> Any:
    found = _SPEC.fullmatch(text)
    if found is None:
        return ast.literal_eval(text)
    lengths = tuple(int(part) for part in found[2].split(",") if part.strip())
    return spec(lengths, np.dtype(found[1]))
