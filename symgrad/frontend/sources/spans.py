"""From syntax nodes to places in the user's text."""

from __future__ import annotations

from typing import Any

from ...source import Source, Span


def span_of(source: Source, node: Any) -> Span:
    """Where ``node`` is in ``source``, columns counted in characters."""
    first, last = source.line(node.lineno), source.line(node.end_lineno)
    return Span(
        source,
        node.lineno,
        _characters(first, node.col_offset),
        node.end_lineno,
        _characters(last, node.end_col_offset),
    )


def _characters(line: str, offset: int) -> int:
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))
