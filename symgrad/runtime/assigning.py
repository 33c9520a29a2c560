"""Code that changes objects returns a pair: its result, and what to put there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from types import MappingProxyType
from typing import Any

from ..errors import AliasError
from ..frontend.arguments.keys import value_at
from ..frontend.control.telling import grounded, listening
from ..frontend.requests import Path, Place, Target
from ..ir.nodes import attributes_of
from .nans import is_trouble


def assigning(call: Callable[..., Any], targets: Sequence[Target]) -> Callable[..., Any]:
    """``call`` as a function that returns its result alone and puts the rest in place."""

    lent = [target for target in targets if target.place is None]

    def run(*args: Any, **kwargs: Any) -> Any:
        if lent:
            _check_apart([t.path for t in lent], args, kwargs, lent[0].apart)
        found = call(*args, **kwargs)
        if is_trouble(found):
            return found
        result, values = found
        assign(targets, values, args, kwargs)
        return result

    return run


def telling(call: Callable[..., Any]) -> Callable[..., Any]:
    """``call`` as a function that, where it raises, has changed what the original has by then."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with listening() as told:
            try:
                return call(*args, **kwargs)
            except Exception:
                for what in told:
                    assign(what[0], grounded(what, args, kwargs), args, kwargs)
                raise

    return run


def assign(
    targets: Sequence[Target],
    values: Sequence[Any],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Change objects: all, or none where one cannot be changed.

    Args:
        targets: where they are.
        values: what to put there.
        args, kwargs: of the call, for objects that are among them.
    """
    owners = [
        t.place.fetch() if t.place is not None else value_at(args, kwargs, t.path)
        for t in targets
    ]
    undo: list[Callable[[], Any]] = []
    try:
        for target, owner, value in zip(targets, owners, values, strict=True):
            undo.append(_put(target, owner, value))
    except Exception:
        for back in reversed(undo):
            back()
        raise


def each_once(call: Callable[..., Any], paths: Sequence[Path]) -> Callable[..., Any]:
    """``call`` as a function that refuses these containers where they are given twice."""

    def run(*args: Any, **kwargs: Any) -> Any:
        _check_apart(paths, args, kwargs)
        return call(*args, **kwargs)

    return run


def _check_apart(
    paths: Sequence[Path], args: Any, kwargs: Any, others: Sequence[Place] = ()
) -> None:
    """Refuse a container among the arguments that is changed and can be reached in another way
    too: the code was made for different ones."""
    met = [id(x) for x in _containers((args, kwargs))]
    met += [id(place.fetch()) for place in others]
    for path in paths:
        owner = value_at(args, kwargs, path)
        if met.count(id(owner)) > 1:
            raise AliasError(
                f"a {type(owner).__name__} that the function changes is given to it twice, or is "
                "read by it as a variable from outside too: pass a copy"
            )


def _containers(x: Any) -> Iterator[Any]:
    """The containers and objects that arguments consist of."""
    if isinstance(x, list | tuple | dict):
        yield x
        for child in x.values() if isinstance(x, dict) else x:
            yield from _containers(child)
    elif (names := attributes_of(x)) is not None:
        yield x
        for name in names:
            yield from _containers(getattr(x, name))


def _put(target: Target, owner: Any, new: dict[Any, Any]) -> Callable[[], Any]:
    """Make one change; what takes it back."""
    if target.kind == "attributes":
        before = {name: getattr(owner, name) for name in new if hasattr(owner, name)}
        back = partial(_set, owner, before, new.keys() - before.keys())
        try:
            _set(owner, new)
        except Exception:
            back()
            raise
        return back
    kept = copy(owner)
    if target.kind in ("elements", "whole"):
        owner[:] = new[0] if target.kind == "whole" else new.values()
        return partial(_refill, owner, kept)
    for key, value in new.items():
        owner[key] = value
    for key in target.removed:
        del owner[key]
    return partial(_refill, owner, kept)


def _set(owner: Any, values: dict[str, Any], gone: Collection[str] = ()) -> None:
    for name, value in values.items():
        setattr(owner, name, value)
    for name in gone:
        if hasattr(owner, name):
            delattr(owner, name)


def _refill(owner: Any, content: Any) -> None:
    owner.clear()
    (owner.extend if isinstance(owner, list) else owner.update)(content)


__all__ = ["assign", "assigning", "each_once", "telling"]
