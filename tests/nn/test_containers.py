"""Containers: uncompiled and compiled, names, changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import nn
from symgrad.errors import ParameterNameError

X = np.array([1.0, 2.0])


class Times(nn.Module):
    """``factor * x``."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = nn.Parameter(np.array([factor]))

    def forward(self, x: Any) -> Any:
        return self.factor * x


class Many(nn.Module):
    """One container of each kind, used in every way."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList(Times(k) for k in (2.0, 3.0))
        self.by_name = nn.ModuleDict({"up": Times(5.0), "down": Times(0.5)})
        self.weights = nn.ParameterList([nn.Parameter(np.ones(2)), nn.Parameter(X)])
        self.chain = nn.Sequential(Times(7.0), Times(11.0))

    def forward(self, x: Any, which: str = "up") -> Any:
        for step in self.steps:
            x = step(x)
        for i, step in enumerate(self.steps[1:]):
            x = step(x) + i
        for w in self.weights:
            x = x * w
        if which in self.by_name:
            x = self.by_name[which](x)
        for name, module in self.by_name.items():
            x = module(x) if name == "down" else x
        last = self.steps[-1]
        return self.chain(last(x)) * len(self.chain) + self.weights[1]


WANTED = ((((X * 2 * 3) * 3) * X) * 5 * 0.5) * 3 * 77 * 2 + X


def test_uncompiled_and_compiled() -> None:
    m = Many()
    np.testing.assert_allclose(m(X), WANTED, rtol=1e-15)
    compiled = sg.compile(lambda x: m(x))
    np.testing.assert_allclose(compiled(X), WANTED, rtol=1e-15)
    assert "for " not in compiled.source
    assert "steps_0_factor" in compiled.source
    assert "by_name_down_factor" in compiled.source
    m.steps.append(Times(1.0))
    np.testing.assert_allclose(compiled(X), m(X))
    assert len(compiled.specializations) == 2


def test_names() -> None:
    m = Many()
    assert list(m.state_dict()) == [
        "steps.0.factor", "steps.1.factor", "by_name.up.factor", "by_name.down.factor",
        "weights.0", "weights.1", "chain.0.factor", "chain.1.factor",
    ]  # fmt: skip
    assert m.get_submodule("chain.1") is m.chain[1]
    named = nn.Sequential({"first": Times(2.0), "second": Times(3.0)})
    assert [name for name, _ in named.named_children()] == ["first", "second"]
    assert named.second is named[1]
    named.append(Times(4.0))
    named.insert(0, Times(1.0))
    assert [name for name, _ in named.named_children()] == ["0", "first", "second", "3"]
    del named[1]
    assert [name for name, _ in named.named_children()] == ["0", "second", "2"]
    with pytest.raises(AttributeError, match="Sequential has no attribute 'first'"):
        named.first  # noqa: B018


def test_as_lists() -> None:
    a, b, c = (Times(float(k)) for k in range(3))
    layers = nn.ModuleList([a]).extend([c])
    layers.insert(1, b)
    assert list(layers) == [a, b, c]
    assert isinstance(layers[1:], nn.ModuleList)
    assert list(layers[1:]) == [b, c]
    assert b in layers
    assert Times(1.0) not in layers
    layers[0] = c
    del layers[2]
    assert list(layers) == [c, b]
    assert isinstance(nn.Sequential(a, b)[:1], nn.Sequential)


def test_as_dicts() -> None:
    a, b = Times(1.0), Times(2.0)
    d = nn.ModuleDict({"a": a})
    d["b"] = b
    assert (list(d), list(d.keys()), list(d.values())) == (["a", "b"], ["a", "b"], [a, b])
    assert (len(d), "a" in d, d.pop("a")) == (2, True, a)
    del d["b"]
    assert not list(d.items())


def test_only_modules_and_parameters() -> None:
    with pytest.raises(TypeError, match="ModuleList holds modules, not int"):
        nn.ModuleList([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="ParameterList holds parameters, not ndarray"):
        nn.ParameterList().append(X)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ModuleDict holds modules, not Parameter"):
        nn.ModuleDict({"a": nn.Parameter(X)})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="keys of a ModuleDict are strings, not 3"):
        nn.ModuleDict({3: Times(1.0)})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="ParameterDict holds parameters, not ndarray"):
        nn.ParameterDict({"a": X})  # type: ignore[dict-item]
    with pytest.raises(ParameterNameError, match="a\\.b"):
        nn.ParameterDict({"a.b": nn.Parameter(X)})


def test_parameters_by_key() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.by_name = nn.ParameterDict({"up": nn.Parameter(X.copy())})
            self.by_name["down"] = nn.Parameter(X / 4)

        def forward(self, x: Any) -> Any:
            for p in self.by_name.values():
                x = p * x
            return x + self.by_name["up"]

    model = Scaled()
    assert list(model.state_dict()) == ["by_name.up", "by_name.down"]
    assert "(up): float64 (2,)" in repr(model)
    np.testing.assert_array_equal(sg.compile(lambda x: model(x))(X), model(X))
    nn.backward(lambda x: np.sum(model(x)), X)
    np.testing.assert_allclose(model.by_name["up"].grad, X * X / 4 + 1)
    np.testing.assert_allclose(model.by_name["down"].grad, X * X)
    assert model.by_name.pop("down").shape == (2,)
    assert [name for name, _ in model.named_parameters()] == ["by_name.up"]


def test_text_of_parameters() -> None:
    assert "(0): float64 (2,)" in repr(nn.ParameterList([nn.Parameter(X)]))


def test_lists_grow_and_shrink_as_lists_do() -> None:
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    same = layers
    layers += [nn.ELU(), nn.SELU()]
    assert same is layers and len(layers) == 4
    longer = layers[:2] + nn.ModuleList([nn.Mish()])
    assert [type(m).__name__ for m in longer] == ["ReLU", "Tanh", "Mish"]
    assert type(longer) is nn.ModuleList and len(layers) == 4
    assert isinstance(layers.pop(1), nn.Tanh) and isinstance(layers.pop(), nn.SELU)
    assert [name for name, _ in layers.named_children()] == ["0", "1"]
    with pytest.raises(TypeError, match="holds modules"):
        layers += [3]


def test_parts_of_a_sequential_keep_their_names() -> None:
    named = nn.Sequential({"a": nn.ReLU(), "b": nn.Tanh(), "c": nn.ELU()})
    assert [name for name, _ in named[1:].named_children()] == ["b", "c"]
    assert [name for name, _ in nn.Sequential(*named)[1:].named_children()] == ["1", "2"]
    both = named + nn.Sequential(nn.Mish())
    assert [name for name, _ in both.named_children()] == ["a", "b", "c", "3"]
    assert isinstance(named.pop(0), nn.ReLU)
    assert [name for name, _ in named.named_children()] == ["b", "c"]


def test_dicts_of_modules_check_their_keys() -> None:
    found = nn.ModuleDict()
    found.update([("x", nn.ReLU()), ("y", nn.Tanh())])
    found["x"] = nn.ELU()
    for key, text in (
        ("a.b", "contain a dot"),
        ("", "be empty"),
        ("keys", "attribute `keys`"),
    ):
        with pytest.raises(ParameterNameError, match=text):
            found[key] = nn.ReLU()
    found.clear()
    assert len(found) == 0


def test_equal_modules_in_a_row_are_one_line() -> None:
    layers = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Sequential(nn.Tanh()), nn.ReLU()])
    assert repr(layers) == (
        "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Sequential(\n    (0): Tanh()\n  )\n"
        "  (3): ReLU()\n)"
    )


def test_how_layers_print_their_options() -> None:
    for module, text in (
        (
            nn.Conv2d(3, 6, 3, padding=1, groups=3, bias=False, padding_mode="reflect"),
            "Conv2d(3, 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), groups=3, "
            "bias=False, padding_mode=reflect)",
        ),
        (
            nn.ConvTranspose1d(3, 6, 3, 2, 1, 1, dilation=2),
            "ConvTranspose1d(3, 6, kernel_size=(3,), stride=(2,), padding=(1,), "
            "dilation=(2,), output_padding=(1,))",
        ),
        (nn.Conv1d(1, 1, 3, padding="same").extra_repr(), "padding=same"),
        (nn.ELU(0.5, inplace=True), "ELU(alpha=0.5, inplace=True)"),
        (nn.Softshrink(0.3), "Softshrink(0.3)"),
        (nn.RNNCell(3, 4, nonlinearity="relu"), "RNNCell(3, 4, nonlinearity=relu)"),
        (nn.RNNCell(3, 4, bias=False), "RNNCell(3, 4, bias=False)"),
    ):
        assert text in str(module)


def test_modules_in_attributes_come_after_the_items() -> None:
    """As in PyTorch, where a subclass passes the items on and then assigns the others."""

    class Net(nn.Sequential):
        def __init__(self) -> None:
            super().__init__(nn.Linear(2, 2), nn.ReLU())
            self.head = nn.Linear(2, 1)

    net = Net()
    assert [name for name, _ in net.named_children()] == ["0", "1", "head"]
    assert list(net.state_dict()) == ["0.weight", "0.bias", "head.weight", "head.bias"]
