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


def neighbours(xs: Any) -> Iterator[Any]:
    """``itertools.pairwise(xs)`` of a sequence."""
    for i in range(len(xs) - 1):
        yield xs[i], xs[i + 1]


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


def comes(source: Any, wanted: Any) -> Any:
    """``wanted in source``."""
    return any(item == wanted for item in source)


def ready(iterator: Any) -> Any:
    """Whether an iterator has a next element: known to the compiler."""
    raise NotImplementedError


def take(iterator: Any) -> Any:
    """The next element of an iterator that is ready: known to the compiler."""
    raise NotImplementedError


def rest(iterator: Any) -> Iterator[Any]:
    """What is left of an iterator."""
    while ready(iterator):
        yield take(iterator)


def side_by_side(iterators: Any) -> Iterator[Any]:
    """``zip(*iterators)``."""
    more = True
    while more:
        more = False
        for row in one_row(iterators, ()):
            more = True
            yield row


def one_row(iterators: Any, row: Any) -> Iterator[Any]:
    """The next elements, if all have one."""
    if not iterators:
        yield row
    elif ready(iterators[0]):
        yield from one_row(iterators[1:], (*row, take(iterators[0])))


def stepped(iterator: Any) -> Iterator[Any]:
    """What an object with a ``__next__`` of its own gives."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def called(function: Any, last: Any) -> Iterator[Any]:
    """``iter(function, last)``."""
    while True:
        item = function()
        if item == last:
            return
        yield item


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
