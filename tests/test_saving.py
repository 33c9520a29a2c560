"""``save`` and ``load``: what comes back, what the file is to others, what is refused."""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import symgrad as sg
from symgrad import nn, optim
from symgrad.errors import FileFormatError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.safetensors"


def back(obj: Any, path: Path) -> Any:
    sg.save(obj, path)
    return sg.load(path)


def alike(a: Any, b: Any) -> bool:
    """Equal in types, in order, and bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    return repr(a) == repr(b)


OBJECTS = [
    {"z": np.arange(3.0), "a": np.ones((2, 0, 3), np.float32), "": np.array(True)},
    {"a": {"b": np.ones(2)}, "a/b": np.zeros(3), "__metadata__": np.ones(1)},
    [
        1,
        (2.5, -0.0, float("nan"), float("inf")),
        [],
        (),
        {},
        None,
        True,
        "text\ud800\n",
        2**300,
    ],
    {
        3: {"x": "y"},
        -1: [np.float32(2.5), np.bool_(False), np.int8(3), np.complex128(-0.0 + 1j)],
    },
    np.array(5.0),
    np.array([complex(np.nan, -0.0), complex(-np.inf, 2)]),
    np.array([[1 + 2j]], np.complex64),
    7,
    [np.array([1, 2], dtype) for dtype in ("u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8")],
]


@pytest.mark.parametrize("obj", OBJECTS, ids=range(len(OBJECTS)))
def test_comes_back_bit_for_bit(obj: Any, path: Path) -> None:
    assert alike(back(obj, path), obj)


def test_any_layout_and_byte_order(path: Path) -> None:
    x = np.arange(24.0).reshape(4, 6)
    views = [
        x.T,
        np.asfortranarray(x),
        x[::2, ::-3],
        np.broadcast_to(x[0], (3, 6)),
        x[1:2, 2:3],
    ]
    views += [x.astype(">f8").T, x.astype(">i4")]
    for view, found in zip(views, back(views, path), strict=True):
        np.testing.assert_array_equal(found, view)
        assert found.flags.c_contiguous and found.flags.writeable and found.dtype.isnative


def test_a_flat_dict_is_an_ordinary_safetensors_file(path: Path) -> None:
    state = {
        "fc.weight": np.arange(6.0).reshape(2, 3).T,
        "fc.bias": np.float32([1, 2]),
        "n": np.array(3),
    }
    sg.save(state, path)
    found = load_file(path)
    assert found.keys() == state.keys()
    for name, x in state.items():
        assert alike(found[name], np.require(x, requirements="C"))


def test_a_file_of_another_library(path: Path) -> None:
    save_file({"b": np.ones(2), "a": np.zeros((), np.float16)}, path, {"format": "pt"})
    found = sg.load(path)
    assert found.keys() == {"a", "b"} and found["a"].shape == ()


def test_dicts_of_other_kinds_come_back_as_dicts(path: Path) -> None:
    found = back(collections.OrderedDict(b=1, a=np.ones(1)), path)
    assert type(found) is dict and list(found) == ["b", "a"]


class Pair(collections.namedtuple("Pair", "a b")):
    pass


LOOP: list[Any] = []
LOOP.append({"again": LOOP})
REFUSED: list[tuple[type[Exception], str, Any]] = [
    (TypeError, "entry a/0 is an array of object", {"a": [np.array([None])]}),
    (TypeError, "array of <U1", np.array(["x"])),
    (TypeError, "array of datetime64", np.array(["2020-01-01"], "M8[D]")),
    (TypeError, "array of (float128|float96)", np.ones(1, np.longdouble)),
    (TypeError, "the object is a set", {1, 2}),
    (TypeError, "entry 0 is a function", [len.__class__ and alike]),
    (TypeError, r"a Pair.*save its _asdict\(\)", [Pair(1, 2)]),
    (TypeError, r"entry model is a Linear.*its state_dict\(\)", {"model": nn.Linear(2, 2)}),
    (TypeError, "a Parameter.*its data", [nn.Parameter(np.ones(1))]),
    (TypeError, r"a Generator.*bit_generator\.state", {"rng": np.random.default_rng(0)}),
    (TypeError, "MaskedArray", np.ma.masked_equal([1, 2], 2)),
    (TypeError, "the key 1.5", {"a": {1.5: 0}}),
    (TypeError, "the key True", {True: 0}),
    (ValueError, "entry 0/again contains itself", LOOP),
]


@pytest.mark.parametrize(("error", "text", "obj"), REFUSED)
def test_refused_and_nothing_written(error: Any, text: str, obj: Any, path: Path) -> None:
    sg.save({"old": 1}, path)
    with pytest.raises(error, match=text):
        sg.save(obj, path)
    assert sg.load(path) == {"old": 1}
    assert os.listdir(path.parent) == [path.name]


def test_the_same_object_twice_is_no_loop(path: Path) -> None:
    part = {"x": np.ones(1)}
    found = back([part, part], path)
    assert alike(found, [part, part])


def test_a_write_that_fails_leaves_the_old_file(path: Path, monkeypatch: Any) -> None:
    sg.save({"old": 1}, path)

    def full(*args: Any) -> None:
        Path(args[1]).write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("symgrad.saving.save_file", full)
    with pytest.raises(OSError, match="disk full"):
        sg.save({"new": 2}, path)
    assert sg.load(path) == {"old": 1}
    assert os.listdir(path.parent) == [path.name]


def test_what_was_loaded_does_not_change_with_the_file(path: Path) -> None:
    found = back({"x": np.ones(1000)}, path)
    path.write_bytes(bytes(path.stat().st_size))
    assert found["x"].sum() == 1000


@pytest.mark.skipif(os.name == "nt", reason="files have no such modes there")
def test_the_file_is_as_readable_as_others(path: Path) -> None:
    sg.save({}, path)
    (path.parent / "other").touch()
    assert path.stat().st_mode == (path.parent / "other").stat().st_mode


def test_damaged_files(path: Path) -> None:
    sg.save({"x": np.arange(100.0), "n": [1, (2,)]}, path)
    good = path.read_bytes()
    for bad in (b"", good[:5], good[:-1], good[:200], b"\xff" * 50, b"a zip file"):
        path.write_bytes(bad)
        with pytest.raises(FileFormatError, match=r"state\.safetensors cannot be read"):
            sg.load(path)
    with pytest.raises(FileNotFoundError):
        sg.load(path.parent / "absent")


@pytest.mark.parametrize(
    "text", ["{", '["array", "gone"]', '["odd", 1]', "[1, 2, 3]", '["dict", 3]']
)
def test_a_damaged_structure(text: str, path: Path) -> None:
    save_file({"x": np.ones(1)}, path, {"symgrad": text})
    with pytest.raises(
        FileFormatError, match="does not say how its arrays belong together"
    ):
        sg.load(path)


def test_data_that_numpy_has_not(path: Path) -> None:
    header = json.dumps(
        {"x": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}
    ).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    with pytest.raises(FileFormatError, match=r"data that NumPy has not.*bfloat16"):
        sg.load(path)


def test_the_metadata_is_json(path: Path) -> None:
    sg.save({"x": np.ones(1), "epoch": 3}, path)
    with safe_open(path, framework="np") as file:
        assert json.loads(file.metadata()["symgrad"])[0] == "dict"


def test_r05_tied_parameters_count_once_and_stay_tied(path: Path) -> None:
    class Part(nn.Module):
        def __init__(self, table: nn.Parameter) -> None:
            super().__init__()
            self.table = table

    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.enc = Part(nn.Parameter(np.full((3, 2), 2.0)))
            self.dec = Part(self.enc.table)

        def forward(self) -> Any:
            return np.sum(self.enc.table * self.dec.table)

    model = Tied()
    (w,) = model.parameters()
    loss = nn.backward(lambda m: m(), model)
    assert loss == 24 and w.grad is not None and np.all(w.grad == 4)
    optim.SGD(model.parameters(), lr=0.1).step()
    np.testing.assert_allclose(w.data, 1.6)
    other = Tied()
    other.load_state_dict(back(model.state_dict(), path))
    assert other.enc.table is other.dec.table
    np.testing.assert_array_equal(other.dec.table.data, w.data)


def test_safetensors_is_imported_only_when_used() -> None:
    code = "import sys, symgrad; assert 'safetensors' not in sys.modules; symgrad.save"
    subprocess.run([sys.executable, "-c", code], check=True)
