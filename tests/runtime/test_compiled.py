"""The compiled function as an object: names, inspection, methods, pickling, notes."""

from __future__ import annotations

import copy
import gc
import inspect
import operator
import pickle
import re
import subprocess
import sys
import traceback
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import SymgradError


@sg.compile
def loss(w: Any, x: Any, bias: Any = 0.5) -> Any:
    """How far off."""
    h = np.tanh(x @ w + bias)
    return np.sum(h**2)


def plain(w: Any, x: Any) -> Any:
    return np.sum((x @ w) ** 2)


loss_grad = sg.grad(loss)

W, X = np.full(4, 0.1), np.ones((3, 4))


def test_what_is_kept_of_the_original() -> None:
    assert loss.__name__ == "loss"
    assert loss.__doc__ == "How far off."
    assert loss.__module__ == __name__
    assert list(inspect.signature(loss).parameters) == ["w", "x", "bias"]
    assert loss.__signature__ == inspect.signature(loss.__wrapped__)
    assert inspect.signature(sg.grad(loss)) == inspect.signature(loss)
    request = loss.__symgrad_request__
    assert (request.kind, request.fun) == ("compile", loss.__wrapped__)


def test_inspection_before_and_after_a_call() -> None:
    f = sg.value_and_grad(plain)
    for look in ("source", "ir", "passes", "line_map", "filename"):
        with pytest.raises(
            SymgradError, match=r"`plain` has no .* yet.*`\.lower\(\*args\)`"
        ):
            getattr(f, look)
    assert (
        repr(f) == f"<symgrad value_and_grad of {__name__}.plain wrt w: not compiled yet>"
    )
    f(W, X)
    assert re.search(r"plain wrt w: \d+ ops.*, float64\[.*\] -> float64", repr(f))
    assert "symgrad" not in f.source.split('"""')[2]
    assert f.source.startswith("def plain_value_and_grad(w, x):")
    assert "reverse" in f.ir
    assert f.passes[0].name == "lower"
    assert "reverse" not in f.passes[-1].text
    assert f.filename.startswith("<symgrad ")
    assert "def plain(" in f.original_source
    [original] = {span.source.filename for _, span in f.line_map}
    assert original == __file__


def test_lower_takes_placeholders_and_runs_nothing() -> None:
    f = sg.grad(plain)
    lowered = f.lower(sg.spec(4, np.float32), sg.spec((3, 4), "float32"))
    assert lowered.source == lowered.as_text() == f.source
    assert "float32" in lowered.key
    f(W.astype(np.float32), X.astype(np.float32))
    assert len(f.specializations) == 1
    f(W, X)
    assert len(f.specializations) == 2
    np.testing.assert_array_equal(f.lower(W, X)(W, X), f(W, X))
    with pytest.raises(TypeError, match="this code is for arguments"):
        lowered(W, X)


def test_spec_refuses_wrong_lengths() -> None:
    with pytest.raises(TypeError, match="non-negative ints, not -1"):
        sg.spec((2, -1))


def test_derivatives_as_methods_are_cached() -> None:
    assert loss.grad() is loss.grad()
    assert loss.grad() is not loss.grad(1)
    assert loss.value_and_grad((0, 1)) is loss.value_and_grad((0, 1))
    np.testing.assert_array_equal(loss.grad()(W, X), loss_grad(W, X))


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = np.full(3, scale)

    @sg.compile
    def energy(self, x: Any) -> Any:
        return np.sum(self.scale * x**2)


def test_methods() -> None:
    a, b = Model(1.0), Model(3.0)
    x = np.ones(3)
    assert a.energy(x) == 3
    assert b.energy(x) == 9
    assert a.energy is a.energy
    assert a.energy is not b.energy
    np.testing.assert_allclose(sg.grad(b.energy)(x), 6 * x)
    a.scale = np.full(3, 5.0)
    assert a.energy(x) == 15
    assert len(a.energy.specializations) == 1
    twin = copy.deepcopy(a)
    twin.scale[:] = 1
    assert (twin.energy(x), a.energy(x)) == (3, 15)
    assert isinstance(Model.energy, sg.CompiledFunction)


def test_static_methods() -> None:
    class Box:
        @staticmethod
        @sg.compile
        def inner(x: Any) -> Any:
            return np.sum(x)

        @sg.compile
        @staticmethod
        def outer(x: Any) -> Any:
            return np.sum(x)

    assert Box().inner(np.ones(2)) == Box().outer(np.ones(2)) == Box.outer(np.ones(2)) == 2


def test_pickling_by_reference() -> None:
    assert pickle.loads(pickle.dumps(loss)) is loss
    assert pickle.loads(pickle.dumps(loss_grad)) is not loss
    again = pickle.loads(pickle.dumps(sg.value_and_grad(plain, argnums=(0, 1))))
    value, (g_w, g_x) = again(W, X)
    assert value == plain(W, X)
    assert (g_w.shape, g_x.shape) == (W.shape, X.shape)
    assert copy.deepcopy(loss) is loss


def test_known_functions_without_source() -> None:
    assert sg.grad(np.sin)(0.5) == pytest.approx(np.cos(0.5))
    assert sg.grad(operator.mul, argnums=(0, 1))(3.0, 4.0) == (4.0, 3.0)
    np.testing.assert_allclose(sg.grad(np.sum)(np.ones(3)), np.ones(3))


def test_partial_lambda_and_callable_objects() -> None:
    f = partial(plain, x=X)
    np.testing.assert_allclose(sg.grad(f)(W), sg.grad(plain)(W, X))
    assert sg.grad(lambda x: x * x)(3.0) == 6.0

    class Square:
        def __call__(self, x: Any) -> Any:
            return x * x

    assert sg.grad(Square())(3.0) == 6.0


def test_scalar_gradients_are_floats() -> None:
    g = sg.grad(lambda x, y: x * x * y)(3.0, 2)
    assert isinstance(g, float)
    g32 = sg.grad(lambda x: x * x)(np.float32(3))
    assert g32.dtype == np.float32


def test_a_compiled_function_changes_what_the_original_changes() -> None:
    def fill(x: Any, v: Any) -> Any:
        x[1:] = v
        return np.sum(x**2)

    x = np.ones(3)
    assert sg.compile(fill)(x, 4.0) == 33
    np.testing.assert_array_equal(x, [1, 4, 4])
    x = np.ones(3)
    np.testing.assert_array_equal(sg.grad(fill)(x, 4.0), [2, 0, 0])
    np.testing.assert_array_equal(x, [1, 1, 1])


def fails(x: Any, i: Any) -> Any:
    z = x * 2
    return np.sum(z) * z[i]


def test_errors_in_generated_code_name_the_users_line() -> None:
    f = sg.grad(fails)
    f(np.ones(3), 2)
    with pytest.raises(IndexError, match="out of bounds") as caught:
        f(np.ones(3), 3)
    [note] = caught.value.__notes__
    assert "test_compiled.py" in note
    assert "return np.sum(z) * z[i]" in note
    text = "".join(traceback.format_exception(caught.value))
    assert "<symgrad " in text
    shown = [line for line in text.splitlines() if "[i]" in line]
    assert len(shown) >= 2  # the generated line, and the user's in the note


def test_export_runs_without_symgrad(tmp_path: Path) -> None:
    f = sg.value_and_grad(plain, argnums=(0, 1))
    value, (g_w, _) = f(W, X)
    f.export(tmp_path / "plain_grad.py")
    script = (
        "import sys; sys.modules['symgrad'] = None\n"
        "import numpy as np, plain_grad\n"
        "v, (g, _) = plain_grad.plain_value_and_grad(np.full(4, 0.1), np.ones((3, 4)))\n"
        "print(repr(float(v)), g.tolist(), plain_grad.__all__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = f"{float(value)!r} {g_w.tolist()} ['plain_value_and_grad']\n"
    assert done.stdout == expected


def test_import_is_cheap() -> None:
    script = (
        "import sys, numpy; before = set(sys.modules); import symgrad\n"
        "new = set(sys.modules) - before\n"
        "print(*sorted(n for n in new if n.split('.')[0] in ('sympy', 'astor', 'optree')))\n"
        "print(len(new))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    heavy, count = done.stdout.split("\n")[:2]
    assert heavy == ""
    assert int(count) < 28


def test_what_one_branch_keeps_is_called_after_what_it_is() -> None:
    def f(x: Any) -> Any:
        s = 0.0
        for i in range(3):
            if x[i] > 0:
                s = s + x[i] ** 2
            else:
                s = s - np.sin(x[i]) * x[i]
        return s

    source = sg.grad(f).lower(np.ones(3)).source
    assert "undef" not in source
    assert "sin = 0.0" in source


def test_functions_that_are_gone_are_not_kept() -> None:
    def made(h: Any) -> Any:
        return lambda x: np.sum(np.sin(x) * h)

    gone = []
    for kind in (sg.compile, sg.grad, lambda f: sg.grad(lambda x: f(x) ** 2)):
        own = made(np.ones(3))
        kind(own)(np.ones(3))
        gone.append(weakref.ref(own))
        del own
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]
