"""``bisect`` and ``heapq``: places in sorted lists, and lists that are kept as heaps."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import bisect
import heapq


# ----------------------------------------------------------------------------- sorted lists
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """``bisect.bisect_left``."""
    return _between(a, lo, hi, lambda item: (item if key is None else key(item)) < x)


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """``bisect.bisect_right``."""
    return _between(a, lo, hi, lambda item: not x < (item if key is None else key(item)))


def _between(a, low, high, is_before):
    if low < 0:
        raise ValueError("lo must be non-negative")
    high = len(a) if high is None else high
    while low < high:
        middle = (low + high) // 2
        if is_before(a[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def insort_left(a, x, lo=0, hi=None, *, key=None):
    """``bisect.insort_left``."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    """``bisect.insort_right``."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


# ------------------------------------------------------------------------------------ heaps
def heappush(heap, item):
    """``heapq.heappush``."""
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap):
    """``heapq.heappop``."""
    last = heap.pop()
    if len(heap) == 0:
        return last
    return heapreplace(heap, last)


def heapreplace(heap, item):
    """``heapq.heapreplace``."""
    smallest = heap[0]
    heap[0] = item
    _settle(heap, 0)
    return smallest


def heappushpop(heap, item):
    """``heapq.heappushpop``."""
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


def heapify(x):
    """``heapq.heapify``."""
    for place in reversed(range(len(x) // 2)):
        _settle(x, place)


def _settle(heap, top):
    """Put the item at ``top`` where it belongs below: its smaller children move up to the end of
    the heap, and then it rises from there."""
    item = heap[top]
    place, child = top, 2 * top + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = item
    _rise(heap, top, place)


def _rise(heap, top, place):
    item = heap[place]
    while place > top and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def nlargest(n, iterable, key=None):
    """``heapq.nlargest``."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def nsmallest(n, iterable, key=None):
    """``heapq.nsmallest``."""
    return sorted(iterable, key=key)[: max(n, 0)]


WRITTEN_ORDERED = {
    bisect.bisect_left: bisect_left,
    bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left,
    bisect.insort_right: insort_right,
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop,
    heapq.heapify: heapify,
    heapq.nlargest: nlargest,
    heapq.nsmallest: nsmallest,
}

__all__ = ["WRITTEN_ORDERED"]
