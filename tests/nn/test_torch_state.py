"""A file that PyTorch has written, and one that is written as it does, byte for byte."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import StateDictError

from .make_torch_state import MODEL, PATH


def made() -> Any:
    return eval(MODEL, {"nn": nn})


def test_a_file_of_pytorch() -> None:
    state = sg.load(PATH)
    expected = state.pop("expected")
    model = made()
    assert model.load_state_dict(state) == ([], [])
    assert all(v.dtype == state[k].dtype for k, v in model.state_dict().items())
    assert model["stem"][1].num_batches_tracked == 1
    model.eval()
    x = np.linspace(-1, 1, 2 * 2 * 6 * 6, dtype=np.float32).reshape(2, 2, 6, 6)
    images = model["stem"](x)
    h, _ = model["rnn"](model["norm"](images[:, 0]))
    h, _ = model["attention"](h, h, h)
    out = model["head"](h + model["names"](np.array([[0, 1, 2, 4]])))
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


def test_what_is_saved_here_is_what_pytorch_saves(tmp_path: Path) -> None:
    """The tensors; the order in the file is that of the library for both."""
    model, state = made(), sg.load(PATH)
    del state["expected"]
    model.load_state_dict(state)
    sg.save(model.state_dict(), tmp_path / "mine.safetensors")
    mine, theirs = (_tensors(p) for p in (tmp_path / "mine.safetensors", PATH))
    del theirs["expected"]
    assert mine == theirs


def _tensors(path: Path) -> dict[str, Any]:
    """Dtype, shape and bytes by name, read by hand."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    data = raw[8 + size :]
    return {
        name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
        for name, entry in header.items()
    }


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    tensors = {
        "weight": ("F32", [1, 2], np.array([[0.5, -2.0]], "<f4")),
        "bias": ("F32", [1], np.array([0.25], "<f4")),
    }
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name in sorted(tensors):
        dtype, shape, x = tensors[name]
        offsets = [len(data), len(data) + x.nbytes]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += x.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = tmp_path / "linear.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    model = nn.Linear(2, 1)
    model.load_state_dict(sg.load(path))
    np.testing.assert_array_equal(model(np.ones((1, 2), np.float32)), [[-1.25]])


def test_a_file_for_another_model_changes_nothing() -> None:
    state = sg.load(PATH)
    model = made()
    before = {k: v.copy() for k, v in model.state_dict().items()}
    with pytest.raises(StateDictError, match="expected"):
        model.load_state_dict(state)
    del state["expected"]
    state["head.weight"] = state["head.weight"][:1]
    with pytest.raises(StateDictError, match=r"head\.weight"):
        model.load_state_dict(state, strict=False)
    for k, v in model.state_dict().items():
        np.testing.assert_array_equal(v, before[k])
