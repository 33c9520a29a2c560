"""What runs through a generator and yields on, and what never ends, written out in Python:
compiled where it is called, like a generator of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def enumerated(source: Any, start: Any) -> Iterator[Any]:
    """``enumerate(source, start)``."""
    i = start
    for item in source:
        yield i, item
        i += 1


def zipped(before: Any, source: Any, after: Any) -> Iterator[Any]:
    """``zip(*before, source, *after)``; the others are sequences."""
    i = 0
    if any(i >= len(xs) for xs in before):
        return
    for item in source:
        if any(i >= len(xs) for xs in after):
            return
        yield *[xs[i] for xs in before], item, *[xs[i] for xs in after]
        i += 1
        if any(i >= len(xs) for xs in before):
            return


def mapped(function: Any, source: Any) -> Iterator[Any]:
    """``itertools.starmap(function, source)``."""
    for items in source:
        yield function(*items)


def filtered(function: Any, source: Any) -> Iterator[Any]:
    """``filter(function, source)``."""
    for item in source:
        if function(item):
            yield item


def chained(parts: Any) -> Iterator[Any]:
    """``itertools.chain(*parts)``."""
    for part in parts:
        yield from part


def sliced(source: Any, start: Any, stop: Any, step: Any) -> Iterator[Any]:
    """``itertools.islice(source, start, stop, step)``."""
    i = 0
    if stop is not None and i >= stop:
        return
    for item in source:
        if i >= start and (i - start) % step == 0:
            yield item
        i += 1
        if stop is not None and i >= stop:
            return


def pairs(source: Any) -> Iterator[Any]:
    """``itertools.pairwise(source)``."""
    before: Any
    for i, item in enumerate(source):
        if i > 0:
            yield before, item  # noqa: F821
        before = item


def taken(test: Any, source: Any) -> Iterator[Any]:
    """``itertools.takewhile(test, source)``."""
    for item in source:
        if not test(item):
            return
        yield item


def dropped(test: Any, source: Any) -> Iterator[Any]:
    """``itertools.dropwhile(test, source)``."""
    found = False
    for item in source:
        found = found or not test(item)
        if found:
            yield item


def totals(source: Any, function: Any) -> Iterator[Any]:
    """``itertools.accumulate(source, function)``."""
    total: Any
    for i, item in enumerate(source):
        total = item if i == 0 else function(total, item)  # noqa: F821
        yield total


def counting(start: Any, step: Any) -> Iterator[Any]:
    """``itertools.count(start, step)``."""
    i = start
    while True:
        yield i
        i += step


def repeated(x: Any) -> Iterator[Any]:
    """``itertools.repeat(x)``."""
    while True:
        yield x


def cycled(xs: Any) -> Iterator[Any]:
    """``itertools.cycle(xs)`` of a sequence."""
    while len(xs) > 0:
        yield from xs
