"""Modules and parameters in sequence or by key, registered as an attribute would be.

``_items`` holds them; compiled code goes through it when compiling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, cast, overload

from . import printing
from .module import Module
from .parameter import Parameter
from .registry import check_name

T = TypeVar("T")


def _checked(holder: _Listed[Any] | _Keyed[Any], item: Any) -> Any:
    """``item``, which is of the kind that the list or dict holds."""
    wanted = Parameter if holder._holds == "parameter" else Module
    if not isinstance(item, wanted):
        raise TypeError(
            f"{type(holder).__name__} holds {holder._holds}s, not {type(item).__name__}"
        )
    return item


class _Listed(Module, Generic[T]):
    """What lists of modules and lists of parameters share."""

    __symgrad_items__ = "_items"
    _items: list[T]
    _holds = "module"

    def __init__(self, items: Iterable[T] = ()) -> None:
        super().__init__()
        self.__dict__["_items"] = []
        self.extend(items)

    def _checked(self, item: Any) -> T:
        return cast("T", _checked(self, item))

    def _names(self) -> list[str]:
        return [str(i) for i in range(len(self._items))]

    def _own(self, kind: str) -> Iterator[tuple[str, Any]]:
        if kind == self._holds:
            yield from zip(self._names(), tuple(self._items), strict=True)
        yield from super()._own(kind)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> T | Self:
        if isinstance(index, slice):
            return type(self)(self._items[index])
        return self._items[index]

    def __setitem__(self, index: int, item: T) -> None:
        self._items[index] = self._checked(item)

    def __delitem__(self, index: int | slice) -> None:
        del self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return any(item is each for each in self._items)

    def append(self, item: T) -> Self:
        """Add one at the end.

        Raises:
            TypeError: it is not of the kind that the list holds.
        """
        self._items.append(self._checked(item))
        return self

    def extend(self, items: Iterable[T]) -> Self:
        """Add several at the end.

        Raises:
            TypeError: one is not of the kind that the list holds.
        """
        self._items.extend([self._checked(item) for item in items])
        return self

    def insert(self, index: int, item: T) -> None:
        """Add one before position ``index``.

        Raises:
            TypeError: it is not of the kind that the list holds.
        """
        self._items.insert(index, self._checked(item))

    def pop(self, index: int = -1) -> T:
        """Take one out."""
        item = self._items[index]
        del self[index]
        return item

    def __iadd__(self, items: Iterable[T]) -> Self:
        return self.extend(items)

    def __add__(self, items: Iterable[T]) -> Self:
        return self[:].extend(items)


class ModuleList(_Listed[Module]):
    """A list of modules; their names are their positions.

    >>> from symgrad import nn
    >>> layers = nn.ModuleList([nn.Module(), nn.Module()])
    >>> [name for name, _ in layers.named_children()]
    ['0', '1']
    """

    def __repr__(self) -> str:
        return printing.text(self, fold=True)


class ParameterList(_Listed[Parameter]):
    """A list of parameters; their names are their positions.

    >>> weights = nn.ParameterList([nn.Parameter(np.ones(2))])
    >>> [name for name, _ in weights.named_parameters()]
    ['0']
    """

    _holds = "parameter"

    def extra_repr(self) -> str:
        return _listing(enumerate(self._items))


class Sequential(_Listed[Module]):
    """Modules that are called one after the other, each with what the one before returns.

    Args:
        modules: the modules; or one mapping of names to modules.

    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    >>> model(np.ones((4, 2), np.float32)).shape
    (4, 3)
    """

    def __init__(self, *modules: Any) -> None:
        named = (
            modules[0] if len(modules) == 1 and isinstance(modules[0], Mapping) else None
        )
        super().__init__(named.values() if named is not None else modules)
        self.__dict__["_labels"] = None if named is None else list(named)

    def _names(self) -> list[str]:
        labels: list[str] | None = self.__dict__.get("_labels")
        plain = super()._names()
        return plain if labels is None else [*labels, *plain[len(labels) :]]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            names, items = self._names()[index], self._items[index]
            return Sequential(dict(zip(names, items, strict=True)))
        return self._items[index]

    def __delitem__(self, index: int | slice) -> None:
        super().__delitem__(index)
        if self._labels is not None:
            del self._labels[index]

    def insert(self, index: int, item: Module) -> None:
        super().insert(index, item)
        if self._labels is not None:
            self._labels.insert(index, str(index))

    def __getattr__(self, name: str) -> Any:
        labels = self.__dict__.get("_labels") or ()
        if name in labels:
            return self._items[labels.index(name)]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def forward(self, x: Any) -> Any:
        """``x`` through every module."""
        for module in self._items:
            x = module(x)
        return x


class _Keyed(Module, Generic[T]):
    """What dicts of modules and dicts of parameters share."""

    __symgrad_items__ = "_items"
    _items: dict[str, T]
    _holds = "module"

    def __init__(self, items: Mapping[str, T] | None = None) -> None:
        super().__init__()
        self.__dict__["_items"] = {}
        self.update({} if items is None else items)

    def _own(self, kind: str) -> Iterator[tuple[str, Any]]:
        if kind == self._holds:
            yield from tuple(self._items.items())
        yield from super()._own(kind)

    def update(self, items: Mapping[str, T] | Iterable[tuple[str, T]]) -> None:
        """Put in several.

        Raises:
            TypeError: one is not of the kind that the dict holds, or its key no string.
            ParameterNameError: a key is empty, has a dot, or is an attribute already.
        """
        for key, item in dict(items).items():
            self[key] = item

    def __getitem__(self, key: str) -> T:
        return self._items[key]

    def __setitem__(self, key: str, item: T) -> None:
        if not isinstance(key, str):
            raise TypeError(f"the keys of a {type(self).__name__} are strings, not {key!r}")
        _checked(self, item)
        if key not in self._items:
            check_name(self, key, self._holds)
        self._items[key] = item

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def keys(self) -> Iterable[str]:
        """The keys."""
        return self._items.keys()

    def values(self) -> Iterable[T]:
        """What the keys stand for."""
        return self._items.values()

    def items(self) -> Iterable[tuple[str, T]]:
        """Keys and what they stand for."""
        return self._items.items()

    def pop(self, key: str) -> T:
        """Take one out."""
        return self._items.pop(key)

    def clear(self) -> None:
        """Take all out."""
        self._items.clear()


class ModuleDict(_Keyed[Module]):
    """Modules by key, in the order in which they were put in.

    Args:
        items: keys and modules.

    >>> layers = nn.ModuleDict({"fc": nn.Linear(2, 3)})
    >>> [name for name, _ in layers.named_parameters()]
    ['fc.weight', 'fc.bias']
    """


class ParameterDict(_Keyed[Parameter]):
    """Parameters by key, in the order in which they were put in.

    Args:
        items: keys and parameters.

    >>> held = nn.ParameterDict({"scale": nn.Parameter(np.ones(3))})
    >>> [name for name, _ in held.named_parameters()]
    ['scale']
    """

    _holds = "parameter"

    def extra_repr(self) -> str:
        return _listing(self._items.items())


def _listing(parameters: Iterable[tuple[Any, Parameter]]) -> str:
    return "\n".join(f"({name}): {p.dtype} {p.shape}" for name, p in parameters)
