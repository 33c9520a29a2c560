"""``save`` and ``load``: nested dicts, lists and arrays in one safetensors file, without pickle.

Arrays are the file's tensors, named by their path (``model/fc.weight``); a flat dict of arrays
gives a file with the dict's own keys, which other libraries read, and theirs load here. All
else stands in the file's metadata as JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from .errors import FileFormatError

Array = np.ndarray[Any, Any]
KEY = "symgrad"  # of the metadata that is ours
PLAIN = (bool, int, float, str, type(None))


def save(obj: Any, path: str | os.PathLike[str]) -> None:
    """Write ``obj`` to a file, such as ``{"model": model.state_dict(), "epoch": 3}``.

    The file is complete or not there: it is written under another name first.

    Args:
        obj: arrays, NumPy scalars, numbers, strings, bools and None in any nesting of dicts,
            lists and tuples. Keys of dicts are strings or ints.
        path: of the file.

    Raises:
        TypeError: something else is in ``obj``, or an array of objects, text, dates or of
            extended precision; the message has the path to it. Nothing is written.
        ValueError: ``obj`` contains itself.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "state.safetensors")
    ...     sg.save({"x": np.arange(3.0), "epoch": 2}, path)
    ...     sg.load(path)
    {'x': array([0., 1., 2.]), 'epoch': 2}
    """
    tensors: dict[str, Array] = {}
    skeleton = _write(obj, (), tensors, ())
    target = Path(path)
    scratch = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        scratch.touch()
        mode = (
            scratch.stat().st_mode
        )  # what files have here: safetensors makes private ones
        save_file(tensors, scratch, {KEY: json.dumps(skeleton)})
        scratch.chmod(mode)
        with scratch.open("rb") as file:
            os.fsync(file.fileno())  # or a crash could leave the new name and no content
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Any:
    """Read what ``save`` has written, or a safetensors file of another library as a dict.

    Raises:
        OSError: there is no such file.
        FileFormatError: it is damaged, or no safetensors file, or has data NumPy has not.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "state.safetensors")
        ...     sg.save({"w": np.ones(2), "epoch": 3}, path)
        ...     sg.load(path)
        {'w': array([1., 1.]), 'epoch': 3}
    """
    try:
        with safe_open(path, framework="np") as file:
            names = file.keys()
            tensors: dict[str, Array] = {name: file.get_tensor(name) for name in names}
            metadata = file.metadata() or {}
    except SafetensorError as error:
        raise FileFormatError(f"{path} cannot be read as safetensors: {error}") from error
    except TypeError as error:
        raise FileFormatError(f"{path} has data that NumPy has not: {error}") from error
    if KEY not in metadata:
        return tensors
    try:
        return _read(json.loads(metadata[KEY]), tensors)
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(
            f"{path} does not say how its arrays belong together"
        ) from error


# A skeleton is a plain value, or a pair of one of these words and its content:
#   array: a tensor's name; complex: that of one with two parts; scalar: such a skeleton
#   dict: pairs of key and skeleton; list, tuple: skeletons
def _write(
    obj: Any, path: tuple[str, ...], tensors: dict[str, Array], inside: tuple[int, ...]
) -> Any:
    """The skeleton of ``obj``; its arrays are put into ``tensors``."""
    if type(obj) in PLAIN:
        return obj
    if isinstance(obj, np.generic):
        return ["scalar", _store(np.array(obj), path, tensors)]
    if type(obj) in (np.ndarray, np.memmap):
        return _store(obj, path, tensors)
    if id(obj) in inside:
        raise ValueError(f"{_title(path)} contains itself")
    within = (*inside, id(obj))
    if isinstance(obj, Mapping):
        items = [(_key(key, path), value) for key, value in obj.items()]
        return [
            "dict",
            [[k, _write(v, (*path, str(k)), tensors, within)] for k, v in items],
        ]
    if type(obj) in (list, tuple):
        parts = [_write(v, (*path, str(i)), tensors, within) for i, v in enumerate(obj)]
        return [type(obj).__name__, parts]
    raise TypeError(
        f"{_title(path)} is a {type(obj).__name__}, which cannot be saved{_hint(obj)}"
    )


def _store(x: Array, path: tuple[str, ...], tensors: dict[str, Array]) -> list[str]:
    """The skeleton of an array, which is put into ``tensors`` in C order."""
    if x.dtype.kind not in "biufc" or x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        raise TypeError(f"{_title(path)} is an array of {x.dtype}, which cannot be saved")
    word = "array"
    x = np.require(x, x.dtype.newbyteorder("="), "C")  # which keeps rank 0, unlike others
    if x.dtype.kind == "c":
        word, x = "complex", np.stack([x.real, x.imag], axis=-1)
    name = "/".join(path) or "array"
    while name in tensors or name == "__metadata__":
        name += "'"
    tensors[name] = x
    return [word, name]


def _read(skeleton: Any, tensors: dict[str, Array]) -> Any:
    """What a skeleton is the skeleton of."""
    if not isinstance(skeleton, list):
        return skeleton
    word, content = skeleton
    if word == "dict":
        return {key: _read(part, tensors) for key, part in content}
    if word in ("list", "tuple"):
        entries = [_read(part, tensors) for part in content]
        return entries if word == "list" else tuple(entries)
    if word == "scalar":
        return _read(content, tensors)[()]
    if word == "complex":
        parts = tensors[content]
        return parts.view(np.result_type(parts, np.complex64))[..., 0]
    if word != "array":
        raise ValueError(f"no such word: {word}")
    return tensors[content]


def _key(key: Any, path: tuple[str, ...]) -> str | int:
    if type(key) not in (str, int):
        raise TypeError(f"{_title(path)} has the key {key!r}; keys are strings or ints")
    found: str | int = key
    return found


def _title(path: tuple[str, ...]) -> str:
    return f"the entry {'/'.join(path)}" if path else "the object"


def _hint(obj: Any) -> str:
    if hasattr(obj, "state_dict"):
        return ": save its state_dict()"
    if isinstance(obj, np.random.Generator):
        return ": save its bit_generator.state"
    if hasattr(obj, "_asdict"):
        return ": save its _asdict()"
    if hasattr(obj, "data") and hasattr(obj, "grad"):
        return ": save its data"
    return ""
