"""``Module``: registering, iterating, state, and what is done to all of a tree."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.errors import ParameterNameError, StateDictError


class Leaf(nn.Module):
    """A parameter, a buffer, and one that is not saved."""

    def __init__(self, size: int = 2) -> None:
        super().__init__()
        self.w = nn.Parameter(np.ones(size))
        self.register_buffer("mean", np.zeros(size))
        self.register_buffer("scratch", np.zeros(1), persistent=False)
        self.register_parameter("bias", None)

    def forward(self, x: Any) -> Any:
        return self.w * x

    def extra_repr(self) -> str:
        return f"size={self.w.size}"


class Tree(nn.Module):
    """Two leaves, one of them under two names, and a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.a = Leaf()
        self.b = Leaf(3)
        self.again = self.a
        self.own = nn.Parameter(np.zeros(1))

    def forward(self, x: Any) -> Any:
        return self.a(x) + self.own


def names(pairs: Any) -> list[str]:
    return [name for name, _ in pairs]


# ------------------------------------------------------------------------- registering
def test_before_init() -> None:
    class Early(nn.Module):
        def __init__(self) -> None:
            self.w = nn.Parameter(np.ones(1))

    class Registers(nn.Module):
        def __init__(self) -> None:
            self.register_buffer("m", np.ones(1))

    for cls in (Early, Registers):
        with pytest.raises(AttributeError, match=rf"before {cls.__name__}\.__init__"):
            cls()


def test_used_without_init() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            self.k = 3

        def forward(self, x: Any) -> Any:
            return np.sum(x)

    bare = Bare()
    for use in (bare, lambda x: nn.backward(bare, x), lambda x: list(bare.parameters())):
        with pytest.raises(AttributeError, match=r"Bare.__init__ has not called super\(\)"):
            use(np.ones(2))


def test_what_is_not_there() -> None:
    layer = nn.Linear(2, 2)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wieght'"):
        _ = layer.wieght
    assert not hasattr(copy.deepcopy(layer), "wieght")


def test_assigning_over_what_is_registered() -> None:
    m = Tree()
    new = nn.Parameter(np.ones(4))
    m.own = new
    assert dict(m.named_parameters())["own"] is new
    with pytest.raises(
        TypeError, match=r"`own` is a parameter: only a Parameter.*\.data\["
    ):
        m.own = np.ones(1)
    with pytest.raises(TypeError, match="`mean` is a buffer: only an array or None"):
        m.a.mean = 3
    with pytest.raises(TypeError, match="`a` is a module: only a Module or None"):
        m.a = 3
    m.own = None
    m.a.mean = np.ones(2)
    m.b = None
    assert names(m.named_parameters()) == ["a.w"]
    m.plain = 3
    m.plain = [nn.Parameter(np.ones(1))]
    assert names(m.named_parameters()) == ["a.w"]
    del m.a
    assert not hasattr(m, "a")
    assert names(m.named_children()) == ["again"]


@pytest.mark.parametrize(
    ("method", "kind", "good", "bad"),
    [
        ("register_parameter", "parameter", nn.Parameter(np.ones(1)), np.ones(1)),
        ("register_buffer", "buffer", np.ones(1), [1.0]),
        ("register_module", "module", Leaf(), 3),
        ("add_module", "module", Leaf(), 3),
    ],
)
def test_register(method: str, kind: str, good: Any, bad: Any) -> None:
    m = Tree()
    register = getattr(m, method)
    register("new", good)
    assert m.new is good
    register("new", None)
    register("new", good)
    with pytest.raises(TypeError, match="`new` has to be"):
        register("new", bad)
    with pytest.raises(TypeError, match=f"the name of a {kind} is a string, not int"):
        register(3, good)
    with pytest.raises(ParameterNameError, match=r"cannot contain a dot: 'x\.y'"):
        register("x.y", good)
    with pytest.raises(ParameterNameError, match="cannot be empty"):
        register("", good)
    with pytest.raises(KeyError, match="has an attribute `forward` already"):
        register("forward", good)


# --------------------------------------------------------------------------- iterating
def test_iteration() -> None:
    m = Tree()
    assert names(m.named_parameters()) == ["own", "a.w", "b.w"]
    assert names(m.named_parameters(remove_duplicate=False)) == [
        "own", "a.w", "b.w", "again.w"
    ]  # fmt: skip
    assert names(m.named_parameters("net", recurse=False)) == ["net.own"]
    assert names(m.named_buffers()) == ["a.mean", "a.scratch", "b.mean", "b.scratch"]
    assert names(m.named_modules()) == ["", "a", "b"]
    assert names(m.named_children()) == ["a", "b"]
    assert list(m.children()) == [m.a, m.b]
    assert next(iter(m.modules())) is m
    assert [b.shape for b in m.buffers()] == [(2,), (1,), (3,), (1,)]
    assert next(m.parameters()) is m.own


def test_lookups() -> None:
    m = Tree()
    assert m.get_submodule("") is m
    assert m.get_submodule("a") is m.a
    assert m.get_parameter("b.w") is m.b.w
    assert m.get_buffer("a.mean") is m.a.mean
    for look, path in (
        (m.get_submodule, "a.nothing"),
        (m.get_parameter, "a.mean"),
        (m.get_parameter, "a.bias"),
        (m.get_buffer, "a.w"),
        (m.get_submodule, "own"),
    ):
        with pytest.raises(AttributeError, match=f"looking for '{path}'"):
            look(path)


# ------------------------------------------------------------------------------- state
def test_state_dict_shares_memory() -> None:
    m = Tree()
    state = m.state_dict()
    assert list(state) == ["own", "a.w", "a.mean", "b.w", "b.mean", "again.w", "again.mean"]
    assert state["a.w"] is m.a.w.data
    assert list(m.a.state_dict("p")) == ["p.w", "p.mean"]


def test_loading_copies_in_place() -> None:
    m = Tree()
    kept, before = m.a.w, m.a.w.data
    state = {k: np.full_like(v, 7, dtype=np.float32) for k, v in m.state_dict().items()}
    assert m.load_state_dict(state) == ([], [])
    assert repr(m.load_state_dict(state)) == "<all keys matched>"
    assert m.a.w is kept
    assert kept.data is before
    assert kept.dtype == np.float64
    np.testing.assert_array_equal(before, 7)
    np.testing.assert_array_equal(m.b.mean, 7)


def test_assign_takes_the_arrays_over() -> None:
    m = Leaf()
    w, mean = np.zeros(2, np.float32), np.ones(2)
    m.load_state_dict({"w": w, "mean": mean}, assign=True)
    assert m.w.data is w
    assert m.mean is mean


def test_nothing_is_loaded_if_anything_does_not_fit() -> None:
    m = Tree()
    before = copy.deepcopy(m.state_dict())
    state = {k: v + 5 for k, v in before.items()}
    del state["own"]
    state.update(
        {"more": np.ones(1), "a.w": np.ones(5), "b.w": [1.0], "b.mean": 1j * np.ones(3)}
    )
    with pytest.raises(StateDictError, match="nothing has been loaded") as caught:
        m.load_state_dict(state)
    error = caught.value
    assert error.missing == ("own",)
    assert error.unexpected == ("more",)
    assert dict(error.mismatched) == {
        "a.w": "has shape (5,), the module's (2,)",
        "b.w": "is a list, not an array",
        "b.mean": "has dtype complex128, the module's float64",
    }
    for name, array in m.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_loading_in_part() -> None:
    m = Leaf()
    found = m.load_state_dict({"w": np.zeros(2), "x": 1}, strict=False)
    assert found == (["mean"], ["x"])
    assert repr(found) == "LoadResult(missing_keys=['mean'], unexpected_keys=['x'])"
    np.testing.assert_array_equal(m.w.data, 0)
    with pytest.raises(StateDictError, match="has shape"):
        m.load_state_dict({"w": np.zeros(3)}, strict=False)
    with pytest.raises(TypeError, match="a mapping of names, not list"):
        m.load_state_dict([1])  # type: ignore[arg-type]
    m.w.data.flags.writeable = False
    with pytest.raises(StateDictError, match="read-only"):
        m.load_state_dict({"w": np.zeros(2), "mean": np.ones(2)})
    with pytest.raises(StateDictError, match="`w` has dtype int64"):
        m.load_state_dict({"w": np.zeros(2, int)}, strict=False, assign=True)


def test_copies_keep_what_is_shared() -> None:
    m = Tree()
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert other.again is other.a
        assert other.a.w is not m.a.w
        assert names(other.named_parameters()) == names(m.named_parameters())


# ----------------------------------------------------------------------------- for all
def test_train_and_eval() -> None:
    m = Tree()
    assert m.eval() is m
    assert [each.training for each in m.modules()] == [False, False, False]
    m.train()
    assert m.b.training
    with pytest.raises(ValueError, match="is a bool, not 1"):
        m.train(1)  # type: ignore[arg-type]


def test_apply_goes_from_below() -> None:
    m, seen = Tree(), []
    assert m.apply(seen.append) is m
    assert seen == [m.a, m.b, m]


def test_freezing_and_zeroing() -> None:
    m = Tree()
    assert m.requires_grad_(False) is m
    assert not any(p.requires_grad for p in m.parameters())
    m.requires_grad_()
    g = m.a.w.grad = np.ones(2)
    m.zero_grad(set_to_none=False)
    assert m.a.w.grad is g
    assert not g.any()
    assert m.own.grad is None
    m.zero_grad()
    assert m.a.w.grad is None


def test_conversion() -> None:
    m = Tree()
    m.a.register_buffer("count", np.array(3))
    m.a.w.grad = np.ones(2)
    w = m.a.w
    assert m.float() is m
    assert m.a.w is w
    assert (w.dtype, w.grad.dtype, m.b.mean.dtype) == (np.float32,) * 3
    assert m.a.count.dtype == np.array(3).dtype
    assert m.half().a.w.dtype == np.float16
    assert m.double().a.w.dtype == np.float64
    assert m.to(np.complex64).a.w.dtype == np.complex64
    with pytest.raises(TypeError, match="not to int32"):
        m.to(np.int32)


def test_a_buffer_in_two_modules_stays_one() -> None:
    m = Tree()
    m.b.register_buffer("shared", m.a.mean)
    m.float()
    assert m.b.shared is m.a.mean


def test_text() -> None:
    assert repr(Leaf()) == "Leaf(size=2)"
    assert repr(nn.Module()) == "Module()"
    assert repr(Tree()) == (
        "Tree(\n  (a): Leaf(size=2)\n  (b): Leaf(size=3)\n  (again): Leaf(size=2)\n)"
    )
    nested = nn.Sequential(nn.Sequential(Leaf()))
    assert repr(nested) == (
        "Sequential(\n  (0): Sequential(\n    (0): Leaf(size=2)\n  )\n)"
    )


def test_without_forward() -> None:
    with pytest.raises(NotImplementedError, match="Module has no method `forward`"):
        nn.Module()(1.0)
    with pytest.raises(AttributeError):
        nn.Module().nothing  # noqa: B018


def test_a_state_made_of_the_modules_own_arrays() -> None:
    pair = nn.ParameterList([nn.Parameter(np.ones(2)), nn.Parameter(np.zeros(2))])
    state = pair.state_dict()
    pair.load_state_dict({"0": state["1"], "1": state["0"]})
    np.testing.assert_array_equal(pair[0].data, 0)
    np.testing.assert_array_equal(pair[1].data, 1)


def test_a_state_whose_conversion_fails_changes_nothing() -> None:
    norm = nn.BatchNorm1d(2)
    state = {
        k: np.array(v, float if v.ndim else v.dtype) for k, v in norm.state_dict().items()
    }
    state["weight"] += 1
    state["running_var"][0] = 1e300
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        norm.load_state_dict(state)
    np.testing.assert_array_equal(norm.weight.data, 1)
    with pytest.raises(TypeError, match="are strings, not 3"):
        norm.load_state_dict({3: np.ones(2)})


def test_a_number_for_a_buffer_of_rank_0() -> None:
    norm = nn.BatchNorm1d(2)
    norm.num_batches_tracked = norm.num_batches_tracked + 1
    assert type(norm.num_batches_tracked) is np.ndarray
    assert norm.state_dict()["num_batches_tracked"] == 1
