"""The text of functions in awkward places, checked against the code that runs."""

import ast
import doctest
import functools
import linecache
import subprocess
import sys
import textwrap
import warnings

import pytest

from symgrad.errors import SourceUnavailableError
from symgrad.frontend.sources.getsource import parse

from . import awkward_sources as awkward


def text_of(function) -> str:
    return ast.unparse(parse(function).node)


@pytest.mark.parametrize(("function", "expected"), awkward.CASES)
def test_awkward_places(function, expected):
    parsed = parse(function)
    assert ast.unparse(parsed.node).endswith(expected)
    assert parsed.source.filename == awkward.__file__
    line = parsed.node.lineno
    marker = "lambda" if isinstance(parsed.node, ast.Lambda) else "def "
    assert marker in parsed.source.line(line)


def test_lambdas_are_told_apart_by_column():
    first, second = awkward.TWO
    assert parse(first).origin.column < parse(second).origin.column


def test_parts_of_a_parsed_function():
    parsed = parse(awkward.closure)
    assert (parsed.name, parsed.globals) == ("inner", vars(awkward))
    assert parsed.cells["factor"].cell_contents == 3
    assert parse(awkward.TWO[0]).name == "lambda"
    [statement] = parse(awkward.TWO[0]).body
    assert isinstance(statement, ast.Return)


def test_spans_count_characters():
    parsed = parse(awkward.umlaut)
    caret = parsed.span(parsed.body[0].value.right).caret()
    text, marker = caret.splitlines()[-2:]
    assert text[marker.index("^")] == "x"


def test_parsing_once():
    assert parse(awkward.plain).node is parse(awkward.plain).node


def test_wrapper_is_what_runs():
    assert "def wrapper" in text_of(awkward.wrapped)
    assert "def cached" in text_of(awkward.cached)


def test_assertions_rewritten_by_pytest():
    def f(x):
        assert x > 0
        return (lambda y: y * x)(2)

    assert text_of(f) == "def f(x):\n    assert x > 0\n    return (lambda y: y * x)(2)"


def load(path, name="f"):
    namespace = {"__name__": "loaded", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace[name]


def test_file_changed_since_import(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("def f(x):\n    return x + 1\n")
    f = load(path)
    path.write_text("def f(x):\n    return x + 2\n")
    with pytest.raises(SourceUnavailableError) as caught:
        parse(f)
    assert f"the source of `f` at {path}:1 is not what runs" in caught.value.message
    assert "changed since it was imported" in caught.value.message
    assert "`source=`" in caught.value.message
    assert text_of_given(f, "def f(x):\n    return x + 1") == "def f(x):\n    return x + 1"
    assert ast.unparse(parse(f, check=False).node) == "def f(x):\n    return x + 2"


def text_of_given(function, source: str) -> str:
    return ast.unparse(parse(function, source).node)


def test_what_python_warns_of_in_the_text(tmp_path):
    path = tmp_path / "model.py"
    path.write_text('def f(x, k):\n    "\\d"\n    return x + (k is 5)\n')
    with pytest.warns((SyntaxWarning, DeprecationWarning)):
        f = load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(f).name == "f"


def test_file_with_lines_added_above(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("f = lambda x: x + 1\n")
    f = load(path)
    path.write_text("# more\ng = lambda x: x * 2\nf = lambda x: x + 1\n")
    assert (text_of(f), parse(f).origin.line) == ("lambda x: x + 1", 3)


def test_file_that_does_not_parse_any_more(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("def f(x):\n    return x + 1\n")
    f = load(path)
    path.write_text("def f(x):\n    return x + 1\n\nx = = 2\n")
    assert text_of(f) == "def f(x):\n    return x + 1"


def test_consts_are_compared_with_their_types(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("def f(x):\n    return x + 1\n")
    f = load(path)
    path.write_text("def f(x):\n    return x + 1.0\n")
    with pytest.raises(SourceUnavailableError, match="is not what runs"):
        parse(f)


def test_exec_without_text():
    namespace: dict = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(
        SourceUnavailableError, match=r"no source for `f` \(<string>:1\); define"
    ):
        parse(namespace["f"])


def test_source_given():
    namespace: dict = {}
    exec("def f(x): return x", namespace)
    f = namespace["f"]
    assert text_of_given(f, "    def f(x):\n        return x") == "def f(x):\n    return x"
    assert parse(f, "def f(x): return x").source.filename == "<source of f>"
    with pytest.raises(
        SourceUnavailableError, match="no definition of `f` with its arguments"
    ):
        parse(f, "def f(y): return y")
    with pytest.raises(SourceUnavailableError, match="the `source=` of `f` is not Python"):
        parse(f, "def f(x: return x")


def test_no_python_function():
    with pytest.raises(
        SourceUnavailableError, match="no source for `len`: it is not a Python"
    ):
        parse(len)
    with pytest.raises(SourceUnavailableError, match="no source for `int`"):
        parse(int)


def test_notebook_cell():
    name = "<ipython-input-1-abc>"
    text = "import functools\n@functools.cache\ndef f(x):\n    return functools.cache(x)\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict = {}
    for statement in ast.parse(text).body:  # as IPython does
        exec(compile(ast.Module([statement], []), name, "exec"), namespace)
    assert parse(namespace["f"]).origin.line == 3
    del linecache.cache[name]


def test_notebook_cell_with_magic():
    name = "<ipython-input-1-abc>"
    text = "%matplotlib inline\nif True:\n    def f(x):\n        return x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict = {}
    exec(compile(text.replace("%", "#"), name, "exec"), namespace)
    parsed = parse(namespace["f"])
    assert (parsed.origin.line, parsed.origin.column) == (3, 4)
    del linecache.cache[name]


def test_doctest():
    """A function defined in a doctest."""
    found: list = []
    text = ">>> def f(x):\n...     return x\n>>> found.append(text_of(f))\n"
    test = doctest.DocTestParser().get_doctest(
        text, {"found": found, "text_of": text_of}, "name", None, 0
    )
    assert doctest.DocTestRunner().run(test).failed == 0
    assert found == ["def f(x):\n    return x"]


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt keeps text from 3.13 on")
def test_command_line():
    code = textwrap.dedent(
        """
        import ast
        from symgrad.frontend.sources.getsource import parse
        def f(x): return x
        print(ast.unparse(parse(f).node))
        """
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "def f(x):\n    return x\n", done.stderr


def test_partial_and_methods_name_their_function():
    model = awkward.Model()
    assert "def method" in text_of(model.method)
    assert "def __call__" in text_of(model)
    assert "def plain" in text_of(functools.partial(awkward.plain, 1))
