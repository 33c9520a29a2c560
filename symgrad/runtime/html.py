"""The user's code and the generated code side by side, as HTML that needs no scripts: lines that
belong together light up together where the pointer is over one, and are links to each other.
"""

from __future__ import annotations

import html
import linecache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pipeline import Program

STYLE = """
.symgrad { display: grid; grid-template-columns: 1fr 1fr; gap: 1em; font-size: 13px;
  font-family: ui-monospace, monospace; line-height: 1.45; }
.symgrad h4 { font: bold 13px sans-serif; margin: 0.3em 0; }
.symgrad a { display: block; white-space: pre; color: inherit; text-decoration: none;
  padding: 0 0.4em; }
.symgrad i { color: #888; font-style: normal; user-select: none; }
.symgrad .c { color: #777; }
.symgrad .b { border-left: 3px solid #9bc; }
.symgrad .f { border-left: 3px solid transparent; }
.symgrad a:hover, .symgrad a:target { background: #fe9; }
"""


def page(program: Program) -> str:
    """A fragment of HTML with its own style; a page of its own in every browser."""
    generated = program.emitted.text.splitlines()
    spans = dict(program.emitted.line_map)
    lines = sorted({(s.source.filename, s.line) for s in spans.values()})
    numbers = {place: k for k, place in enumerate(lines)}
    groups = {n: numbers[s.source.filename, s.line] for n, s in spans.items()}
    prefix = "g" + "".join(c for c in program.filename.rpartition("#")[2] if c.isalnum())
    backward = next(
        (n for n, t in enumerate(generated, 1) if t.strip().startswith("# backward")),
        len(generated) + 1,
    )
    left = [
        _left(prefix, k, filename, line, _first(groups, k))
        for (filename, line), k in numbers.items()
    ]
    right = [
        _right(prefix, n, text, groups.get(n), n > backward)
        for n, text in enumerate(generated, 1)
    ]
    hover = "\n".join(
        f".symgrad:has(.{prefix}-{k}:hover) .{prefix}-{k} {{ background: #fe9; }}"
        for k in numbers.values()
    )
    title = html.escape(program.emitted.name)
    return (
        f"<!-- {title}, by symgrad -->\n<style>{STYLE}{hover}\n</style>\n"
        f'<div class="symgrad">\n<div><h4>written</h4>\n{"".join(left)}</div>\n'
        f"<div><h4>generated: {title}</h4>\n{''.join(right)}</div>\n</div>\n"
    )


def _first(groups: dict[int, int], k: int) -> int:
    return min(n for n, group in groups.items() if group == k)


def _left(prefix: str, k: int, filename: str, line: int, target: int) -> str:
    text = linecache.getline(filename, line).rstrip("\n")
    return (
        f'<a class="{prefix}-{k}" id="{prefix}-o{k}" href="#{prefix}-{target}">'
        f"<i>{line:4d} </i>{html.escape(text)}</a>\n"
    )


def _right(prefix: str, n: int, text: str, k: int | None, backward: bool) -> str:
    comment = " c" if text.strip().startswith("#") else ""
    group = "" if k is None else f" {prefix}-{k}"
    link = "" if k is None else f' href="#{prefix}-o{k}"'
    side = "b" if backward else "f"
    return (
        f'<a class="{side}{comment}{group}" id="{prefix}-{n}"{link}>'
        f"<i>{n:4d} </i>{html.escape(text)}</a>\n"
    )


__all__ = ["page"]
