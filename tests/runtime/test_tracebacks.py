"""What people see of an error: their own line, the generated one, and nothing of the compiler."""

from __future__ import annotations

import inspect
import io
import pdb
import traceback
import types

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import CallError, ShapeError, UnsupportedSyntaxError

X = np.arange(3.0)


def shown(f, *args, error=Exception):
    """What Python prints when ``f(*args)`` raises."""
    with pytest.raises(error) as caught:
        f(*args)
    return "".join(traceback.format_exception(caught.value))


def misshaped(x):
    return x @ np.ones((7, 7))


def calling(x):
    y = misshaped(x)
    return np.sum(y)


def indexing(x, i):
    return np.sum(x[i])


def defining(x):
    class Inner:
        pass

    return x


def misspelt(x):
    return np.summ(x)


class Options:
    rate = 1.0


def misspelt_attribute(x):
    return x * Options.rat


def wrong_argument(x):
    return np.sum(x, axes=0)


def raising(x):
    raise ValueError("from here")


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (sg.grad(calling), (X,)),
        (sg.grad(indexing), (X, np.array([7]))),
        (sg.compile(defining), (X,)),
        (sg.compile(misspelt), (X,)),
        (sg.compile(misspelt_attribute), (X,)),
        (sg.compile(wrong_argument), (X,)),
        (sg.compile(raising), (X,)),
        (sg.grad(calling), ("no array",)),
        (sg.grad(calling, argnums=3), (X,)),
        (sg.grad(calling).lower, (X,)),
        (sg.grad(calling).cost, (X,)),
    ],
)
def test_no_frame_of_symgrad_is_shown(f, args):
    text = shown(f, *args)
    assert "test_tracebacks.py" in text
    assert "/symgrad/" not in text
    assert "<symgrad dispatch" not in text


@sg.custom_jvp
def wrong(x):
    return np.sin(x)


wrong.defjvps(lambda t, out, x: 2 * t)


@pytest.mark.parametrize("check", [sg.testing.check_grads, sg.testing.gradcheck])
def test_checks_show_the_test_s_line(check):
    text = shown(check, lambda x: np.sum(wrong(x)), (X,), error=AssertionError)
    assert "/symgrad/" not in text and "is not what differences say" in text


def test_the_debugger_steps_through_generated_code():
    out = io.StringIO()
    typed = "b np.cumsum\n" + "s\n" * 60 + "c\n"
    compiled = sg.grad(lambda x: np.sum(np.sin(x) ** 2))
    compiled(X)
    pdb.Pdb(stdin=io.StringIO(typed), stdout=out).runcall(compiled, X)
    for line in compiled.source.splitlines()[2:]:
        if not line.lstrip().startswith("#"):
            assert f"-> {line.strip()}" in out.getvalue()


def test_generated_lines_are_shown():
    text = shown(sg.grad(indexing), X, np.array([7]), error=IndexError)
    assert "\n    g_x[i] = 1.0\n" in text
    assert "<- test_tracebacks.py:" in text


def test_a_helper_says_who_has_called_it():
    text = shown(sg.grad(calling), X, error=ShapeError)
    assert text.index("x @ np.ones((7, 7))") < text.index("in `misshaped`, called here:")
    assert text.rstrip().endswith("y = misshaped(x)\n            ^^^^^^^^^^^^")


def calling_what_defines(x):
    return np.sum(defining(x))


def test_a_helper_that_cannot_be_read_says_who_has_called_it():
    text = shown(sg.grad(calling_what_defines), X, error=UnsupportedSyntaxError)
    assert "in `defining`, called here:" in text
    assert text.rstrip().endswith("return np.sum(defining(x))\n" + " " * 22 + "^" * 11)
    scope: dict = {}
    exec("def hidden(x):\n    return x", scope)
    hidden = scope["hidden"]
    text = shown(sg.compile(lambda x: hidden(x)), X, error=OSError)
    assert "no source for `hidden`" in text and text.rstrip().endswith(" ^^^^^^^^^")


def test_syntax_is_shown_as_python_does():
    with pytest.raises(UnsupportedSyntaxError) as caught:
        sg.compile(defining)(X)
    line = inspect.getsourcelines(defining)[1] + 1
    error = caught.value
    assert (error.lineno, error.offset, error.text.strip()) == (line, 5, "class Inner:")
    text = "".join(traceback.format_exception_only(error))
    assert text.count(f"line {line}") == 1
    assert text.splitlines()[1].strip() == "class Inner:"
    assert text.splitlines()[2].strip().startswith("^")


def test_nothing_stands_before_the_refusal_of_a_call():
    text = shown(sg.compile(wrong_argument), X, error=CallError)
    assert "direct cause" not in text


def test_errors_of_the_user_s_own_code_keep_their_frames():
    class Odd:
        @property
        def value(self):
            raise ValueError("from the property")

    odd = Odd()
    text = shown(sg.compile(lambda x: x * odd.value), X, error=ValueError)
    assert 'raise ValueError("from the property")' in text


def test_everything_is_shown_when_debugging():
    with sg.config(debug=True):
        text = shown(sg.grad(calling), X)
    assert "/symgrad/frontend/" in text


def test_faults_of_symgrad_keep_their_frames(monkeypatch):
    monkeypatch.setattr("symgrad.runtime.dispatch.specialise", None)
    assert "in _compile" in shown(sg.compile(lambda x: x + 1), X, error=TypeError)


def test_a_module_without_an_attribute():
    empty = types.ModuleType("symgrading")
    text = shown(sg.compile(lambda x: x * empty.rate), X, error=AttributeError)
    assert "has no attribute 'rate'" in text
    assert "/symgrad/" not in text
