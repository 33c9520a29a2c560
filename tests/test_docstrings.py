"""Every public name says what it is, with an example that runs."""

from __future__ import annotations

import doctest
import inspect
import io
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad import extend, nn, optim, testing

MODULES = (
    sg,
    sg.autograd,
    sg.tree,
    testing,
    nn,
    nn.functional,
    nn.init,
    nn.utils,
    optim,
    optim.lr_scheduler,
    sg.errors,
    sg.checkpoint_policies,
    extend,
)
NAMES = {
    "np": np,
    "sg": sg,
    "nn": nn,
    "F": nn.functional,
    "init": nn.init,
    "optim": optim,
    "lr_scheduler": optim.lr_scheduler,
    "testing": testing,
    "extend": extend,
    "errors": sg.errors,
    "tree": sg.tree,
    "scipy": scipy,
}
"""What examples may use without importing it."""


def public() -> Iterator[tuple[str, Any]]:
    """Every public class and function, once."""
    seen: set[int] = set()
    for module in MODULES:
        for name in names_of(module):
            thing = getattr(module, name)
            if callable(thing) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{module.__name__}.{name}", thing


def names_of(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    found = vars(module).items()
    own = (n for n, x in found if getattr(x, "__module__", "") == module.__name__)
    return [n for n in own if not n.startswith("_")]


def with_methods(thing: Any) -> Iterator[Any]:
    """A function or a class, and the methods that a class defines."""
    yield thing
    if inspect.isclass(thing):
        for name, method in vars(thing).items():
            plain = getattr(method, "__func__", method)
            if inspect.isfunction(plain) and not name.startswith("_"):
                yield plain


@pytest.mark.parametrize(("name", "thing"), [pytest.param(n, x, id=n) for n, x in public()])
def test_has_an_example_that_runs(name: str, thing: Any) -> None:
    text = inspect.getdoc(thing) or ""
    assert len(text.split()) > 2, f"{name} has no docstring"
    assert ">>>" in text, f"{name} has no example"
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    out = io.StringIO()
    for part in with_methods(thing):
        for test in finder.find(part, name, module=False, globs=dict(NAMES)):
            runner.run(test, out=out.write)
    assert not runner.summarize(verbose=False).failed, out.getvalue()


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_modules_say_what_they_hold(module: ModuleType) -> None:
    assert len((module.__doc__ or "").split()) > 2
