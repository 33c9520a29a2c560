"""Every construct outside the language is refused by name, with its place and a way out."""

import ast
import textwrap

import pytest

from symgrad.errors import UnsupportedSyntaxError
from symgrad.frontend.sources import fence
from symgrad.frontend.sources.getsource import parse
from symgrad.source import Source

REFUSED = [
    ("y = 1 + (yield x)", "`yield` within an expression cannot be compiled", "yield x"),
    ("h = lambda: (yield x)", "`yield` within an expression cannot", "yield x"),
    ("y = yield from x", "the value of `yield from` cannot be compiled", "yield from x"),
    ("try:\n    pass\nfinally:\n    yield x", "`yield` in a `finally` cannot", "yield x"),
    ("try:\n    pass\nexcept E:\n    yield x", "`yield` in an `except` cannot", "yield x"),
    ("with np.errstate():\n    yield x", "`yield` in a `with` cannot", "yield x"),
    ("class A:\n    pass", "the class definition `A` cannot", "class A:"),
    ("global g\ng = x", "`global g` cannot be compiled; return the new value", "global g"),
    ("try:\n    x = 1\nexcept* E:\n    pass", "`except*` cannot", "try:"),
    ("with open(x):\n    pass", "`with open(x)` cannot be compiled; only", "open(x)"),
    ("with np.errstate() as e:\n    pass", "`with np.errstate()` cannot", "np.errstate()"),
    ("del x.y", "`del x.y` cannot be compiled", "x.y"),
    ("async def h(): pass", "`async def` cannot be compiled; use a plain", "async def h"),
]
ASYNC = [
    ("await x", "`await` cannot be compiled"),
    ("async for i in x: pass", "`async for` cannot"),
    ("async with x: pass", "`async with` cannot"),
    ("[i async for i in x]", "an async comprehension cannot"),
]
ALLOWED = [
    "with np.errstate(divide='ignore'):\n    x = 1 / x",
    "h = lambda y: y",
    "yield x",
    "yield from x",
    "y = yield",
    "def h(y): return y",
    "@g\ndef h(y): return y",
    "return [i for i in x]",
    "import math",
    "from math import sin",
    "del x",
    "y: 'a yield b' = x",
    "assert x",
    "match x:\n    case 1 | 2 | None:\n        pass\n    case y if y > 3:\n        pass",
    "raise ValueError(x)",
    "global g\nreturn g + x",
]


def defined(text: str):
    namespace: dict = {}
    exec(text, namespace)
    return namespace["f"]


def in_function(body: str, head: str = "def f(x):") -> str:
    return f"{head}\n{textwrap.indent(body, '    ')}\n"


@pytest.mark.parametrize(("body", "message", "marked"), REFUSED)
def test_refused(body, message, marked):
    text = in_function(body)
    with pytest.raises(UnsupportedSyntaxError) as caught:
        parse(defined(text), text)
    assert message in caught.value.message
    lines = text.splitlines()
    line = next(n for n, content in enumerate(lines, 1) if marked in content)
    assert caught.value.lineno == line
    shown, caret = str(caught.value).splitlines()[-2:]
    assert shown[4:] == lines[line - 1]
    assert caret.index("^") - 4 == lines[line - 1].index(marked)


@pytest.mark.parametrize(("body", "message"), ASYNC)
def test_async_inside_is_refused(body, message):
    text = in_function(body, "async def f(x):")
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.AsyncFunctionDef)
    with pytest.raises(UnsupportedSyntaxError, match=message):
        fence.check(definition.body[0], Source("t.py", tuple(text.splitlines())))


def test_async_function_is_refused():
    text = "async def f(x):\n    return x\n"
    with pytest.raises(UnsupportedSyntaxError, match="`async def` cannot be compiled"):
        parse(defined(text), text)


def test_star_import_is_refused():
    text = "from math import *"
    with pytest.raises(
        UnsupportedSyntaxError, match="a star import cannot be compiled; name"
    ):
        fence.check(ast.parse(text).body[0], Source("t.py", (text,)))


@pytest.mark.skipif("sys.version_info < (3, 12)", reason="syntax of Python 3.12")
def test_type_statement_is_refused():
    text = in_function("type T = int")
    with pytest.raises(
        UnsupportedSyntaxError, match="a `type` statement cannot be compiled"
    ):
        parse(defined(text), text)


@pytest.mark.parametrize("body", ALLOWED)
def test_allowed(body):
    text = in_function(body)
    assert parse(defined(text), text).name == "f"
