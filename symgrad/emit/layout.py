"""The text: statements with indentation, comments above groups, and the line map."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence

from ..source import Span
from .inline import room_at
from .linemap import LineMap
from .printing import header, text_of
from .statements import Origin

LONG_DERIVATIVE = 12


class Page:
    """Collects lines. ``explain`` says whether derivative code names the user's lines too."""

    __slots__ = (
        "_origins",
        "_place",
        "_role",
        "_texts",
        "derived",
        "explain",
        "lines",
        "spans",
    )

    def __init__(
        self, origins: dict[ast.stmt, Origin], texts: dict[ast.stmt, str], explain: bool
    ) -> None:
        self.lines: list[str] = []
        self.spans: dict[int, Span] = {}
        self.derived: set[int] = set()
        self.explain = explain
        self._origins = origins
        self._texts = texts
        self._role = ""
        self._place: object = None

    @property
    def line_map(self) -> LineMap:
        """Which line comes from where."""
        return LineMap(dict(self.spans), frozenset(self.derived))

    def add(self, text: str, depth: int = 0, span: Span | None = None) -> None:
        """One or more lines, indented."""
        for line in text.split("\n"):
            self.lines.append("    " * depth + line if line else "")
            if span is not None:
                self.spans[len(self.lines)] = span
                if self._role:
                    self.derived.add(len(self.lines))

    def statements(self, nodes: Sequence[ast.stmt], depth: int) -> None:
        """Statements with everything below them."""
        for node in nodes:
            origin = self._origins.get(node)
            if origin is not None:
                self._comment(node, origin, depth)
            self._statement(node, depth, origin.span if origin is not None else None)

    def _statement(self, node: ast.stmt, depth: int, span: Span | None) -> None:
        text = self._texts.get(node)
        if isinstance(node, ast.If):
            self._branches(node, depth, span, text or header(node))
        elif isinstance(node, ast.For | ast.While | ast.With):
            self.add(text or header(node), depth, span)
            self.statements(node.body, depth + 1)
            if not isinstance(node, ast.With) and node.orelse:
                self.add("else:", depth, span)
                self.statements(node.orelse, depth + 1)
        elif isinstance(node, ast.Try):
            self._try(node, depth)
        elif isinstance(node, ast.Return):
            self.add(_filled(node, text or text_of(node), depth), depth, span)
        else:
            self.add(
                _spread(node, _told(node, text or text_of(node), depth), depth), depth, span
            )

    def _try(self, node: ast.Try, depth: int) -> None:
        self.add("try:", depth)
        self.statements(node.body, depth + 1)
        self.add("except BaseException:", depth)
        self.statements(node.handlers[0].body, depth + 1)

    def _branches(self, node: ast.If, depth: int, span: Span | None, text: str) -> None:
        self.add(text, depth, span)
        self.statements(node.body, depth + 1)
        match node.orelse:
            case []:
                return
            case [ast.If() as inner]:
                origin = self._origins.get(inner)
                text = self._texts.get(inner) or header(inner)
                self._branches(inner, depth, origin.span if origin else span, "el" + text)
            case _:
                self.add("else:", depth, span)
                self.statements(node.orelse, depth + 1)

    def _comment(self, node: ast.stmt, origin: Origin, depth: int) -> None:
        """A heading where the role changes, the user's line where the statement does."""
        if origin.role != self._role:
            self._role = origin.role
            self._place = None
            if origin.role:
                self.add(f"# {origin.role}", depth)
        span = origin.span
        if origin.quiet or span is None or (origin.role and not self.explain):
            return
        place = (span.source.filename, span.line)
        if place != self._place:
            self._place = place
            compound = isinstance(node, ast.If | ast.For | ast.While)
            if not compound or span.text != self._texts.get(node):
                self.add(_shortened(f"# {span}: {span.text}", depth), depth)


def _filled(node: ast.Return, text: str, depth: int) -> str:
    """The results, over several lines where they are too many for one."""
    room = room_at(depth)
    quoted = any(
        isinstance(n, ast.Constant) and " " in str(n.value) for n in ast.walk(node)
    )
    if len(text) <= room or quoted or type(node.value) not in (ast.Tuple, ast.Dict):
        return text
    inside, first, last = text.removeprefix("return "), "(", ")"
    if isinstance(node.value, ast.Dict):
        first, inside, last = inside[0], inside[1:-1], inside[-1]
    lines = textwrap.wrap(inside, room - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"return {first}", *(f"    {line}" for line in lines), last])


def _spread(node: ast.stmt, text: str, depth: int) -> str:
    """A call with a list as its first argument, or a list that is computed, over several lines
    where it is long."""
    room = room_at(depth)
    match getattr(node, "value", None):
        case ast.ListComp() if len(text) > room and "\n" not in text:
            before, _, inside = text.partition(" = [")
            made = f"{before} = [\n    {inside.removesuffix(']')}\n]"
            return made if _reads_alike(made, text) else text
        case ast.Call(args=[ast.List(), *_]) if len(text) > room and "\n" not in text:
            before, _, rest = text.partition("([")
            inside, _, after = rest.rpartition("]")
        case _:
            return text
    lines = textwrap.wrap(inside, room - 4, break_long_words=False, break_on_hyphens=False)
    made = "\n".join([f"{before}([", *(f"    {line}" for line in lines), f"]{after}"])
    return made if _reads_alike(made, text) else text


def _reads_alike(made: str, text: str) -> bool:
    try:
        return ast.dump(ast.parse(made)) == ast.dump(ast.parse(text))
    except SyntaxError:
        return False


def _told(node: ast.stmt, text: str, depth: int) -> str:
    """A message in several pieces, where it is too long for one line."""
    room = room_at(depth)
    call = node.exc if isinstance(node, ast.Raise) else getattr(node, "value", None)
    match call:
        case ast.Call(args=[ast.Constant(value=str(message))], keywords=[]):
            pass
        case ast.Call(
            args=[ast.Call(func=ast.Attribute(ast.Constant(str(message)), "format"))],
            keywords=[],
        ):
            pass
        case _:
            return text
    first, quoted, rest = text.partition(repr(message))
    if len(text) <= room or not quoted:
        return text
    pieces = textwrap.TextWrapper(
        room - 6,
        expand_tabs=False,
        replace_whitespace=False,
        drop_whitespace=False,
        break_on_hyphens=False,
    ).wrap(message)
    assert "".join(pieces) == message
    lines = [f"    {piece!r}" for piece in pieces]
    lines[-1] += rest.removesuffix(")")
    return "\n".join([first, *lines, ")"])


def _shortened(text: str, depth: int) -> str:
    room = room_at(depth)
    return text if len(text) <= room else text[: room - 4].rstrip() + " ..."
