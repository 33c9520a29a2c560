"""Models that one line of code makes a loss of: compiled once, each with its own gradients."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from symgrad import nn
from symgrad.errors import UnsupportedFunctionError, UnsupportedSyntaxError
from symgrad.nn.closures import settled

X = np.random.default_rng(0).normal(size=(6, 3))


class Model(nn.Module):
    """A layer on a layer, and what may differ from model to model."""

    def __init__(self, seed: int, bent: bool = True) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        self.a = nn.Parameter(rng.normal(size=(3, 3)))
        self.b = nn.Parameter(rng.normal(size=(3, 3)))
        self.bent = bent

    def forward(self, x: Any) -> Any:
        hidden = x @ self.a
        return (np.tanh(hidden) if self.bent else hidden) @ self.b


def loss_of(model: Model) -> Any:
    return lambda x: np.sum(model(x) ** 2)


def expected(model: Model) -> tuple[Any, Any]:
    """The gradients, by hand."""
    hidden = X @ model.a.data
    out = np.tanh(hidden) if model.bent else hidden
    g = 2 * out @ model.b.data
    slope = 1 - out**2 if model.bent else 1.0
    return X.T @ (g @ model.b.data.T * slope), out.T @ g


def check(model: Model) -> None:
    nn.backward(loss_of(model), X)
    g_a, g_b = expected(model)
    if model.a is model.b:
        np.testing.assert_allclose(model.a.grad, g_a + g_b)
        return
    for p, g in ((model.a, g_a), (model.b, g_b)):
        if p.requires_grad:
            np.testing.assert_allclose(p.grad, g)
        else:
            assert p.grad is None


def codes() -> int:
    standin, _ = settled(loss_of(Model(0)))
    return len(nn.compiled_backward(standin).specializations)


def test_each_model_gets_its_own_gradients() -> None:
    check(Model(0))
    check(Model(1))
    before = codes()
    for seed in range(2, 6):
        check(Model(seed))
    assert codes() == before


def test_models_that_differ_are_told_apart() -> None:
    check(Model(0))
    frozen = Model(1)
    frozen.a.requires_grad = False
    for model in (Model(2, bent=False), frozen, Model(3)):
        check(model)
        model.zero_grad()
        check(model)


def test_parameters_that_are_one_in_another_model() -> None:
    check(Model(0))
    check(Model(1))
    tied, seen = Model(2), []
    tied.b = tied.a
    tied.a.register_hook(lambda g: seen.append(g.copy()))
    check(tied)
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], tied.a.grad)
    step = nn.value_and_grad(tied, lambda model, x: np.sum(model(x) ** 2))
    np.testing.assert_allclose(step(tied, X)[1]["a"], tied.a.grad)
    check(Model(3))


def test_a_replaced_parameter_gets_the_gradient() -> None:
    model = Model(0)
    loss = loss_of(model)
    nn.backward(loss, X)
    old, model.a = model.a, nn.Parameter(np.ones((3, 3)))
    kept = old.grad.copy()
    nn.backward(loss, X)
    np.testing.assert_allclose(model.a.grad, expected(model)[0])
    np.testing.assert_array_equal(old.grad, kept)


def test_models_are_not_kept() -> None:
    for seed in range(2):
        check(Model(seed))
    model = Model(2)
    check(model)
    gone = weakref.ref(model)
    del model
    check(Model(3))
    gc.collect()
    assert gone() is None


def test_models_in_threads() -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for k in range(3):
                check(Model(10 * number + k))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_hooks_of_parameters_run_from_the_last_to_the_first() -> None:
    model, seen = Model(0), []
    for name, p in model.named_parameters():
        p.register_hook(lambda g, name=name: seen.append(name))
        p.register_post_accumulate_grad_hook(lambda p, name=name: seen.append(f"{name}+"))
    check(model)
    assert seen == ["b", "b+", "a", "a+"]


def test_hooks_of_the_module_that_is_the_loss() -> None:
    class Loss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w, self.k = nn.Parameter(np.ones(3)), 1.0

        def forward(self, x: Any) -> Any:
            return self.k * np.sum(self.w * x)

    loss, seen = Loss(), []
    nn.backward(loss, X)
    handle = loss.register_forward_hook(lambda m, args, out: seen.append(out))
    assert nn.backward(loss, X) == seen[0] == loss(X)
    handle.remove()
    loss.k = 3.0
    np.testing.assert_allclose(nn.backward(loss, X), 3 * seen[0])
    assert len(seen) == 2


def test_a_scale_is_a_number() -> None:
    for scale in ("a", np.ones(2), True):
        with pytest.raises(TypeError, match="scale has to be a real number, not"):
            nn.backward(loss_of(Model(0)), X, scale=scale)  # type: ignore[arg-type]


def test_parameters_and_modules_are_not_made_in_a_loss() -> None:
    for make in (lambda: nn.Parameter(np.ones(3)), lambda: Model(0)):
        with pytest.raises(UnsupportedFunctionError, match="cannot be made inside"):
            nn.backward(lambda x, make=make: np.sum(x) * (make() is None), X)


def test_a_new_array_for_a_buffer() -> None:
    class Mean(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(np.ones(3))
            self.register_buffer("mean", np.zeros(3))

        def forward(self, x: Any) -> Any:
            self.mean = 0.9 * self.mean + 0.1 * np.mean(x, axis=0)
            return np.sum(self.w * (x - self.mean))

    model, plain = Mean(), Mean()
    for _ in range(3):
        value = nn.backward(model, X)
        assert value == plain(X)
        np.testing.assert_array_equal(model.mean, plain.mean)
    assert model.state_dict()["mean"] is model.mean
    assert len(nn.compiled_backward(model).specializations) == 1


class Counting(nn.Module):
    """State of all kinds, changed by ``forward``."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(np.ones(3))
        self.register_buffer("steps", np.array(0))
        self.calls, self.last, self.norms = 0, None, []

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.steps = self.steps + 1
        self.last = self.w * x
        self.norms.append(np.sum(self.last**2))
        return np.sum(self.last)


def test_state_that_forward_changes() -> None:
    model, plain, other = Counting(), Counting(), Counting()

    def loss(x: Any) -> Any:
        return model(x) * model.calls

    for k in range(1, 4):
        nn.backward(loss, X)
        plain(X)
        np.testing.assert_array_equal(model.last, plain.last)
        assert (model.calls, model.steps, model.norms) == (k, k, plain.norms)
        assert model.steps.shape == () and isinstance(model.steps, np.ndarray)
    assert not np.shares_memory(model.last, model.w.grad)
    np.testing.assert_allclose(model.w.grad, np.sum(X, axis=0) * (1 + 2 + 3))
    assert len(nn.compiled_backward(loss).specializations) == 1
    nn.functional_call(other, {"w": np.zeros(3)}, X)
    nn.backward(lambda x: nn.functional_call(other, {"w": other.w * 2}, x), X)
    assert other.calls == 0 and other.last is None


def test_state_is_kept_where_backward_fails() -> None:
    model = Counting()
    model.norms = None  # and so nothing can be appended

    with pytest.raises(AttributeError, match="append"):
        nn.backward(model, X)
    model.norms = []
    model.w.register_hook(lambda g: g.tolist())
    with pytest.raises(TypeError, match="has to return an array"):
        nn.backward(model, X)
    assert model.calls == 0 and model.last is None and model.w.grad is None


def test_parameters_are_not_replaced_in_forward() -> None:
    class Replacing(nn.Module):
        def __init__(self, what: str) -> None:
            super().__init__()
            self.w, self.inner, self.what = nn.Parameter(np.ones(3)), nn.ReLU(), what

        def forward(self, x: Any) -> Any:
            if self.what == "kept":
                self.last = self.w
            else:
                setattr(self, self.what, x)
            return np.sum(self.w * x)

    for what, text in (("w", "Parameter"), ("inner", "ReLU"), ("kept", "of the parameter")):
        with pytest.raises(UnsupportedSyntaxError, match=text):
            nn.backward(Replacing(what), X)


def test_normalising_a_single_value_is_refused_as_when_not_compiled() -> None:
    norm = nn.BatchNorm1d(3).double()
    with pytest.raises(ValueError, match="more than one value per channel"):
        norm(X[:1])
    count = norm.num_batches_tracked.copy()
    with pytest.raises(ValueError, match="more than one value per channel"):
        nn.backward(lambda x: np.sum(norm(x)), X[:1])
    assert norm.num_batches_tracked == count


def test_models_as_arguments_share_code() -> None:
    """The first model has its own, all others of one structure one."""
    from symgrad.nn import training

    def loss(y: Any, model: Any, x: Any) -> Any:
        return np.mean((model(x) - y) ** 2)

    def closing_over(model: Any) -> Any:
        return lambda y, x: loss(y, model, x)

    before = training._shared.cache_info().misses
    models = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)) for _ in range(4)]
    x, y = X.astype(np.float32), np.ones((len(X), 1), np.float32)
    for _ in range(2):
        for model in models:
            model.zero_grad()
            value = nn.backward(loss, y, model, x)
            (g,) = [p.grad.copy() for p in model[0].parameters()][:1]
            model.zero_grad()
            assert nn.backward(closing_over(model), y, x) == value
            np.testing.assert_array_equal(model[0].weight.grad, g)
    assert training._shared.cache_info().misses == before + 1
    other = nn.Sequential(nn.Linear(3, 1))
    nn.backward(loss, y, other, x, scale=0.5)
    half = other[0].bias.grad.copy()
    other.zero_grad()
    nn.backward(loss, y, other, x)
    np.testing.assert_array_equal(other[0].bias.grad, 2 * half)


def test_two_models_as_arguments() -> None:
    def loss(first: Any, x: Any, second: Any) -> Any:
        return np.sum(first(second(x)))

    a, b, c = (nn.Linear(3, 3) for _ in range(3))
    x = X.astype(np.float32)
    for one, two in ((a, b), (b, a), (a, c), (c, c)):
        assert nn.backward(loss, one, x, two) == loss(one, x, two)
