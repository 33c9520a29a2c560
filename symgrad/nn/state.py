"""A module's state as a dict of arrays, there and back; conversion of all its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import StateDictError
from .parameter import Parameter
from .registry import TRANSIENT
from .walking import join, modules

if TYPE_CHECKING:
    from .module import Module

Array = np.ndarray[Any, Any]


class LoadResult(NamedTuple):
    """Names that a state lacked, and names that it had too many."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<all keys matched>"
        return (
            f"LoadResult(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def _slots(module: Module, prefix: str) -> dict[str, tuple[Module, str]]:
    """Where each entry of the state lives: a module and a name in it."""
    found = {}
    for path, each in modules(module, prefix, once=False):
        for kind in ("parameter", "buffer"):
            for name, value in each._own(kind):
                saved = each._kinds.get(name) != TRANSIENT
                if value is not None and saved:
                    found[join(path, name)] = (each, name)
    return found


def _array(slot: tuple[Module, str]) -> Array:
    value = registered(*slot)
    return value.data if isinstance(value, Parameter) else value


def registered(module: Module, name: str) -> Any:
    """The parameter or buffer called ``name`` in ``module``."""
    return dict((*module._own("parameter"), *module._own("buffer")))[name]


def collected(module: Module, prefix: str = "") -> dict[str, Array]:
    """See ``Module.state_dict``."""
    return {name: _array(slot) for name, slot in _slots(module, prefix).items()}


def load(
    module: Module, given: Mapping[str, Any], *, strict: bool, assign: bool
) -> LoadResult:
    """See ``Module.load_state_dict``."""
    if not isinstance(given, Mapping):
        raise TypeError(f"a state is a mapping of names, not {type(given).__name__}")
    slots = _slots(module, "")
    _check_keys(given)
    arrays = {k: v.data if isinstance(v, Parameter) else v for k, v in given.items()}
    missing = [name for name in slots if name not in arrays]
    unexpected = [name for name in arrays if name not in slots]
    wrong = {}
    for name, slot in slots.items():
        if name in arrays:
            trouble = _trouble(_array(slot), arrays[name], assign)
            if trouble:
                wrong[name] = trouble
    if wrong or strict and (missing or unexpected):
        raise _error(module, missing, unexpected, wrong)
    # First all copies, which may fail or be of the module's own arrays, then what changes it.
    ready = {
        name: np.asarray(arrays[name])
        if assign
        else np.array(arrays[name], _array(slot).dtype)
        for name, slot in slots.items()
        if name in arrays
    }
    for name, new in ready.items():
        _store(slots[name], new, assign)
    return LoadResult(missing, unexpected)


def _check_keys(given: Mapping[Any, Any]) -> None:
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"the names in a state are strings, not {key!r}")


def _trouble(mine: Array, new: Any, assign: bool) -> str:
    """Why ``new`` cannot be loaded, or nothing."""
    if not isinstance(new, np.ndarray | np.generic):
        return f"is a {type(new).__name__}, not an array"
    if new.shape != mine.shape:
        return f"has shape {new.shape}, the module's {mine.shape}"
    same_kind = np.can_cast(new.dtype, mine.dtype, "same_kind")
    if new.dtype.kind != mine.dtype.kind if assign else not same_kind:
        return f"has dtype {new.dtype}, the module's {mine.dtype}"
    if not assign and not mine.flags.writeable:
        return "cannot be copied into an array that is read-only"
    return ""


def _store(slot: tuple[Module, str], new: Array, assign: bool) -> None:
    if not assign:
        np.copyto(_array(slot), new)
        return
    put(*slot, new)


def put(module: Module, name: str, array: Array) -> None:
    """Make ``array`` the data of a parameter, or the buffer, called ``name``."""
    value = registered(module, name)
    if isinstance(value, Parameter):
        value.data = array
    else:
        module.__dict__[name] = array


def _error(
    module: Module, missing: list[str], unexpected: list[str], wrong: dict[str, str]
) -> StateDictError:
    lines = [f"the state does not fit {type(module).__name__}; nothing has been loaded"]
    if missing:
        lines.append(f"missing: {', '.join(missing)}")
    if unexpected:
        lines.append(f"unexpected: {', '.join(unexpected)}")
    lines += [f"`{name}` {text}" for name, text in wrong.items()]
    error = StateDictError("\n  ".join(lines))
    error.missing, error.unexpected = tuple(missing), tuple(unexpected)
    error.mismatched = tuple(wrong.items())
    return error


def convert(module: Module, dtype: np.dtype[Any]) -> None:
    """See ``Module.to``."""
    if dtype.kind not in "fc":
        raise TypeError(
            f"modules are converted to floats or complex numbers, not to {dtype}"
        )
    kinds = "fc" if dtype.kind == "c" else "f"
    done: dict[int, tuple[Any, Any]] = {}
    for _, each in modules(module):
        for name, value in (*each._own("parameter"), *each._own("buffer")):
            if value is None or value.dtype.kind not in kinds:
                continue
            if id(value) not in done:
                done[id(value)] = (value, _converted(value, dtype))
            if not isinstance(value, Parameter):
                put(each, name, done[id(value)][1])


def _converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """The buffer in another dtype; a parameter is converted in place."""
    if not isinstance(value, Parameter):
        return value.astype(dtype, copy=False)
    gradient, value.grad = value.grad, None
    value.data = value.data.astype(dtype, copy=False)
    value.grad = None if gradient is None else gradient.astype(dtype, copy=False)
    return value
