"""The command line, ``symgrad`` or ``python -m symgrad``:

symgrad show pkg.mod:f "float64[8, 3]" 0.5 --wrt x   # the generated code, or what is asked for
symgrad export pkg.mod:f "float64[8, 3]" 0.5 --wrt x --out loss.py
symgrad check pkg.mod:f "float64[8, 3]" 0.5          # derivatives against differences
symgrad ops median                                   # what of NumPy is supported
"""

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

from .errors import ArgnumsError, SymgradError
from .ops import TABLE
from .ops.coverage import page, told
from .runtime import CompiledFunction, compile, hessian, spec, value_and_grad

_SPEC = re.compile(r"(\w+)\[([\d\s,]*)\]")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(argv)
    sys.path.insert(0, os.getcwd())
    try:
        print(options.said(options), end="")
    except (SymgradError, ImportError, AttributeError, ValueError, OSError) as error:
        print(f"symgrad: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="symgrad", description=__doc__, formatter_class=plain
    )
    commands = parser.add_subparsers(required=True)
    show = commands.add_parser("show", help="print the code generated for a function")
    _add_function(show)
    what = show.add_mutually_exclusive_group()
    what.add_argument("--ir", action="store_true", help="print the IR instead")
    what.add_argument("--passes", action="store_true", help="print the IR after each pass")
    what.add_argument("--map", action="store_true", help="print where each line comes from")
    what.add_argument("--saved", action="store_true", help="print what the backward keeps")
    what.add_argument("--explain", metavar="NAME", help="print how a gradient came about")
    what.add_argument("--html", metavar="FILE", help="write both codes side by side")
    show.set_defaults(said=_shown)
    export = commands.add_parser("export", help="write a module that needs NumPy only")
    _add_function(export)
    export.add_argument("--out", required=True, metavar="FILE", help="where to")
    export.set_defaults(said=_exported)
    check = commands.add_parser(
        "check", help="compare derivatives with differences at random arguments"
    )
    check.add_argument("function", help="where it is: package.module:name")
    check.add_argument("args", nargs="*", help='its arguments: "float64[8, 3]", or a value')
    check.add_argument("--order", type=int, default=2, help="1 or 2 (default)")
    check.add_argument("--seed", type=int, default=0, help="of the random arguments")
    check.set_defaults(said=_checked)
    ops = commands.add_parser("ops", help="what of NumPy is supported")
    ops.add_argument("name", nargs="?", default="", help="one function: numpy.sum, or sum")
    ops.add_argument("--markdown", action="store_true", help="the page docs/ops.md")
    ops.set_defaults(said=_ops)
    return parser


def _add_function(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", help="where it is: package.module:name")
    parser.add_argument(
        "args", nargs="*", help='its arguments: "float64[8, 3]", or a value'
    )
    by = parser.add_mutually_exclusive_group()
    by.add_argument("--grad", type=_positions, help="differentiate by position: 0, or 0,1")
    by.add_argument("--wrt", help="differentiate by name: x, or x,y")
    parser.add_argument(
        "--order",
        type=int,
        help="0: the function itself, 1: value and gradient, 2: Hessian",
    )


# ------------------------------------------------------------------------------ commands
def _ops(options: argparse.Namespace) -> str:
    if options.markdown:
        return page()
    entry = TABLE.get(options.name.rpartition(".")[2])
    formulas = {} if entry is None else entry.formulas
    rules = (f"  d {options.name} / d {x} = {text}\n" for x, text in formulas.items())
    return told(options.name) + "".join(rules)


def _shown(options: argparse.Namespace) -> str:
    lowered = _compiled(options).lower(*map(_argument, options.args))
    if options.ir:
        return str(lowered.ir)
    if options.passes:
        return "\n".join(f"# {record.name}\n{record.text}" for record in lowered.passes)
    if options.map:
        spans = {n: f"{span}: {span.text}" for n, span in lowered.line_map}
        lines = enumerate(lowered.source.splitlines(), 1)
        return "".join(
            f"{n:4d}  {text:<60}  {spans.get(n, '')}".rstrip() + "\n" for n, text in lines
        )
    if options.saved:
        return f"{lowered.saved}\n"
    if options.explain:
        return lowered.explain(options.explain) + "\n"
    if options.html:
        lowered.to_html(options.html)
        return f"written to {options.html}\n"
    return str(lowered.source)


def _exported(options: argparse.Namespace) -> str:
    _compiled(options).lower(*map(_argument, options.args)).export(options.out)
    return f"written to {options.out}\n"


def _checked(options: argparse.Namespace) -> str:
    from .testing import check_grads

    rng = np.random.default_rng(options.seed)
    args = tuple(_drawn(_argument(text), rng) for text in options.args)
    check_grads(_function(options.function), args, order=options.order, seed=options.seed)
    modes = "both modes" + (" and second order" if options.order > 1 else "")
    return f"{options.function}: derivatives agree with differences, in {modes}\n"


def _drawn(x: Any, rng: np.random.Generator) -> Any:
    """Random entries for an array; a number as it is."""
    if not hasattr(x, "placeholder"):
        return x
    if x.dtype.kind in "fc":
        return np.asarray(rng.standard_normal(x.shape), x.dtype)
    return rng.integers(0, 2, x.shape).astype(x.dtype)


# -------------------------------------------------------------------------- the function
def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    function: Any = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    return function


def _compiled(options: argparse.Namespace) -> CompiledFunction:
    """The function, or the derivative that is asked for."""
    function = _function(options.function)
    by: dict[str, Any] = {}
    if options.grad is not None:
        by["argnums"] = options.grad
    if options.wrt is not None:
        names = tuple(options.wrt.split(","))
        by["argnames"] = names if len(names) > 1 else names[0]
    order = options.order if options.order is not None else int(bool(by))
    made: Any = {0: compile, 1: value_and_grad, 2: hessian}.get(order)
    if made is None:
        raise ArgnumsError(f"--order is 0, 1 or 2, not {order}")
    if not order and by:
        raise ArgnumsError("--order 0 is the function itself, without --grad or --wrt")
    found: CompiledFunction = made(function, **by)
    return found


def _positions(text: str) -> int | tuple[int, ...]:
    listed = tuple(int(part) for part in text.split(",") if part)
    return listed if "," in text else listed[0]


def _argument(text: str) -> Any:
    found = _SPEC.fullmatch(text)
    if found is None:
        return ast.literal_eval(text)
    lengths = tuple(int(part) for part in found[2].split(",") if part.strip())
    return spec(lengths, np.dtype(found[1]))
