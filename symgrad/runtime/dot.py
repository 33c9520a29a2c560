"""The operations of a function as a graph for Graphviz, grouped by the user's lines."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from ..errors import MissingToolError
from ..ir.rewrite import free_values
from ..ir.values import Function, Op, Value


def dot(function: Function, max_nodes: int = 200) -> str:
    """The graph of the outermost block. Control flow is one node; where there are more than
    ``max_nodes`` operations, each line of the user's is one."""
    ops = [op for op in function.block.ops if op.name not in ("const", "undef")]
    groups: dict[tuple[str, str], list[Op]] = {}
    for op in ops:
        groups.setdefault((_place(op), op.role), []).append(op)
    whole = len(ops) > max_nodes
    lines = [
        f"digraph {_quoted(function.name)} {{",
        '  node [shape=box, fontname="monospace"];',
    ]
    node: dict[Op, str] = {}
    for number, ((place, role), members) in enumerate(groups.items()):
        color = "lightblue" if role else "lightgrey"
        if whole and number < max_nodes:
            node.update(dict.fromkeys(members, f"g{number}"))
            count = f"{len(members)} operation{'s' * (len(members) > 1)}"
            label = f"{place}\n{role or 'forward'}: {count}"
            lines.append(
                f"  g{number} [label={_quoted(label)}, style=filled, fillcolor={color}];"
            )
        elif not whole:
            lines.append(
                f"  subgraph cluster_{number} {{ label={_quoted(place)}; color={color};"
            )
            for op in members:
                node[op] = f"o{len(node)}"
                lines.append(f"    {node[op]} [label={_quoted(_label(op))}];")
            lines.append("  }")
    if whole and len(groups) > max_nodes:
        left = f"{len(groups) - max_nodes} more lines"
        lines.append(f"  more [label={_quoted(left)}, shape=plaintext];")
    for position, p in enumerate(function.params):
        lines.append(
            f"  p{position} [label={_quoted(f'{p.name}: {p.type}')}, shape=ellipse];"
        )
    edges = dict.fromkeys(_edges(function, ops, node))
    lines += [f"  {a} -> {b};" for a, b in edges if a != b]
    return "\n".join([*lines, "}"]) + "\n"


def _edges(
    function: Function, ops: list[Op], node: dict[Op, str]
) -> Iterator[tuple[str, str]]:
    params = {p: f"p{k}" for k, p in enumerate(function.params)}
    for op in ops:
        if op not in node:
            continue
        for value in _reads(op):
            source = params.get(value) or (
                node.get(value.op) if value.op is not None else None
            )
            if source is not None:
                yield source, node[op]


def _reads(op: Op) -> Iterator[Value]:
    yield from op.inputs
    for region in op.regions:
        yield from free_values(region)


def _label(op: Op) -> str:
    names = ", ".join(r.name for r in op.results if r.name)
    return f"{names} = {op.name}" if names else op.name


def _place(op: Op) -> str:
    return "" if op.span is None else f"{op.span}: {op.span.text}"


def _quoted(text: str) -> str:
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + inner.replace("\n", "\\n") + '"'


def drawn(text: str) -> str:
    """The graph as SVG.

    Raises:
        MissingToolError: the program ``dot`` is not installed.
    """
    program = shutil.which("dot")
    if program is None:
        raise MissingToolError(
            "drawing needs Graphviz's program `dot`, which is not installed (apt install "
            "graphviz, or brew install graphviz); `to_dot()` gives the graph as text without it"
        )
    done = subprocess.run(
        [program, "-Tsvg"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


__all__ = ["dot", "drawn"]
