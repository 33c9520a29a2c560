"""The command line, ``symgrad`` or ``python -m symgrad``:

symgrad show pkg.mod:f "float64[8, 3]" rate=0.5 --wrt x   # the generated code, or what is asked for
symgrad export pkg.mod:f "float64[8, 3]" 0.5 --wrt x --out loss.py
symgrad check pkg.mod:f "float64[8, 3]" 0.5          # derivatives against differences
symgrad ops median                                   # what of NumPy is supported

Arguments are values as Python writes them, arrays dtype and lengths, containers of these:
"{'w': float64[3, 2], 'b': float64[2]}". What has a default may be left out; name=value passes an
argument by name, as functions want it that have arguments after a `*`.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._version import __version__
from .errors import ArgnumsError, InputTypeError, SymgradError
from .ops import TABLE
from .ops.coverage import page, told
from .runtime import CompiledFunction, compile, hessian, spec, value_and_grad
from .runtime.trees import Spec, map_structure

if TYPE_CHECKING:
    from .runtime.lowered import LoweredFunction

_GIVEN = 'its arguments: values, arrays as "float64[8, 3]", name=value'


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(argv)
    sys.path.insert(0, os.getcwd())
    try:
        print(options.said(options), end="")
    except (SymgradError, ImportError, TypeError, ValueError, OSError) as error:
        print(f"symgrad: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="symgrad", description=__doc__, formatter_class=plain
    )
    parser.add_argument("--version", action="version", version=f"symgrad {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
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
    check.add_argument("args", nargs="*", help=_GIVEN)
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
    parser.add_argument("args", nargs="*", help=_GIVEN)
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
    lowered = _lowered(options)
    if options.ir:
        return str(lowered.ir)
    if options.passes:
        return "\n".join(f"# {record.name}\n{record.text}" for record in lowered.passes)
    if options.map:
        return "".join(_mapped(lowered))
    if options.saved:
        return f"{lowered.saved}\n"
    if options.explain:
        return lowered.explain(options.explain) + "\n"
    if options.html:
        lowered.to_html(options.html)
        return f"written to {options.html}\n"
    return str(lowered.source)


def _lowered(options: argparse.Namespace) -> LoweredFunction:
    args, kwargs = _arguments(options.args)
    return _compiled(options).lower(*args, **kwargs)


def _mapped(lowered: LoweredFunction) -> Iterator[str]:
    """Each generated line with the user's, and the rules behind those of derivatives."""
    found = lowered.line_map
    spans = {n: f"{span}: {span.text}" for n, span in found}
    for n, text in enumerate(lowered.source.splitlines(), 1):
        ops = ", ".join(rule.split("`")[1] for rule in found.rules.get(n, ()))
        rules = f"  (rules: {ops})" if ops else ""
        yield f"{n:4d}  {text:<60}  {spans.get(n, '')}{rules}".rstrip() + "\n"


def _exported(options: argparse.Namespace) -> str:
    _lowered(options).export(options.out)
    return f"written to {options.out}\n"


def _checked(options: argparse.Namespace) -> str:
    from .testing import check_grads

    rng = np.random.default_rng(options.seed)
    given, by_name = map_structure(lambda x: _drawn(x, rng), _arguments(options.args))
    function = _function(options.function)
    if by_name:
        function = functools.partial(function, **by_name)
    check_grads(function, tuple(given), order=options.order, seed=options.seed)
    modes = "both modes" + (" and second order" if options.order > 1 else "")
    return f"{options.function}: derivatives agree with differences, in {modes}\n"


def _drawn(x: Any, rng: np.random.Generator) -> Any:
    """Random entries for an array; a number as it is."""
    if not isinstance(x, Spec):
        return x
    like = x.placeholder()
    if like.dtype.kind in "fc":
        return np.asarray(rng.standard_normal(like.shape), like.dtype)
    return rng.integers(0, 2, like.shape).astype(like.dtype)


# -------------------------------------------------------------------------- the function
def _function(place: str) -> Any:
    where, _, name = place.partition(":")
    function: Any = importlib.import_module(where)
    for part in filter(None, name.split(".")):
        if not hasattr(function, part):
            raise InputTypeError(f"`{where}` has no `{name}`{_offered(where)}")
        function = getattr(function, part)
    if not callable(function):
        raise InputTypeError(f"`{place}` is no function{_offered(where)}")
    return function


def _offered(where: str) -> str:
    """What functions a module defines."""
    found = [
        f"{where}:{name}"
        for name, x in vars(sys.modules[where]).items()
        if callable(x) and getattr(x, "__module__", where) == where
    ]
    return f"; there are: {', '.join(found)}" if found else ""


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


def _arguments(texts: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by position and by name."""
    named = [re.fullmatch(r"(\w+)=(?!=)(.*)", text, re.DOTALL) for text in texts]
    pairs = list(zip(texts, named, strict=True))
    args = [_argument(text) for text, match in pairs if match is None]
    return args, {match[1]: _argument(match[2]) for match in named if match is not None}


def _argument(text: str) -> Any:
    """One argument.

    Raises:
        InputTypeError: it is not written as one.
    """
    scalars = re.sub(r"\b(\w+)\[\s*\]", r"\1[()]", text)  # float64[] is no Python
    try:
        return _value(ast.parse(scalars.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        quoted = (
            f"; a text goes in quotes of its own: \"'{text}'\"" if text.isalnum() else ""
        )
        raise InputTypeError(
            f"{text!r} is no argument: give a value as Python writes it, or dtype and lengths "
            f"of an array, such as float64[8, 3]{quoted}"
        ) from None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Subscript(ast.Name(dtype), lengths):
            found = ast.literal_eval(lengths)
            try:
                kind = np.dtype(dtype)
            except TypeError:
                raise InputTypeError(f"there is no dtype {dtype!r}") from None
            return spec(found, kind)
        case ast.Tuple(items):
            return tuple(map(_value, items))
        case ast.List(items):
            return list(map(_value, items))
        case ast.Dict(keys, values) if None not in keys:
            names = [ast.literal_eval(k) for k in keys if k is not None]
            return dict(zip(names, map(_value, values), strict=True))
    return ast.literal_eval(node)
