"""Going through a tree of modules, and finding things in it by dotted name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .module import Module


def modules(
    module: Module, prefix: str = "", once: bool = True, _seen: set[int] | None = None
) -> Iterator[tuple[str, Module]]:
    """``module`` and all below it, with dotted names."""
    seen = set() if _seen is None else _seen
    if once and id(module) in seen:
        return
    seen.add(id(module))
    yield prefix, module
    for name, child in module._own("module"):
        if child is not None:
            yield from modules(child, join(prefix, name), once, seen)


def named(
    module: Module, kind: str, prefix: str, recurse: bool, once: bool
) -> Iterator[tuple[str, Any]]:
    """What is registered as ``kind`` in ``module``, and if ``recurse`` below it."""
    seen: set[int] = set()
    # Names of what occurs several times are complete only if every path is followed.
    places = modules(module, prefix, once) if recurse else iter(((prefix, module),))
    for path, each in places:
        for name, value in each._own(kind):
            if value is None or once and id(value) in seen:
                continue
            seen.add(id(value))
            yield join(path, name), value


def join(prefix: str, name: str) -> str:
    """``prefix.name``."""
    return f"{prefix}.{name}" if prefix else name


def submodule(module: Module, path: str) -> Module:
    """The module of a dotted name.

    Raises:
        AttributeError: there is none.
    """
    found = module
    for name in path.split(".") if path else ():
        child = dict(found._own("module")).get(name)
        if child is None:
            raise AttributeError(
                f"{type(found).__name__} has no module `{name}` (looking for {path!r})"
            )
        found = child
    return found


def lookup(module: Module, kind: str, path: str) -> Any:
    """The parameter or buffer of a dotted name.

    Raises:
        AttributeError: there is none.
    """
    place, _, name = path.rpartition(".")
    owner = submodule(module, place)
    found = dict(owner._own(kind)).get(name)
    if found is None:
        raise AttributeError(
            f"{type(owner).__name__} has no {kind} `{name}` (looking for {path!r})"
        )
    return found
