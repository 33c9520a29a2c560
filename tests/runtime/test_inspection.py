"""What is kept, what it costs, how it came about, and pictures of it."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import MissingToolError, SymgradError

RNG = np.random.default_rng(0)
ARGS = (RNG.random((3, 2)), RNG.random(2), RNG.random((5, 3)), RNG.random((5, 2)))


def loss(w: Any, b: Any, x: Any, y: Any) -> Any:
    h = np.tanh(x @ w + b)
    return np.mean((h - y) ** 2)


def loop(x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x)


def gradient() -> Any:
    made = sg.value_and_grad(loss, argnums=(0, 1))
    made(*ARGS)
    return made


def test_repr_is_one_line() -> None:
    made = sg.grad(loss, argnames=("w", "b"))
    assert repr(made) == f"<symgrad grad of {__name__}.loss wrt w, b: not compiled yet>"
    assert "wrt w: not" in repr(sg.grad(loss, argnames="w"))
    made(*ARGS)
    text = repr(made)
    assert "\n" not in text
    assert re.search(
        r"wrt w, b: \d+ ops, 2 saved, float64\[w_0, w_1\], .* -> float64\[", text
    )
    made(*(a.astype("f4") for a in ARGS))
    assert repr(made).endswith(", 2 specialisations>")
    assert "wrt" not in repr(sg.compile(loss))
    assert "wrt x" in repr(sg.grad(np.sin))


def test_saved() -> None:
    made = gradient()
    kept = made.lower(*ARGS).saved
    assert len(kept) == 2 and {v.nbytes for v in kept} == {5 * 2 * 8} and kept.nbytes == 160
    assert "h " in str(kept) and "80 B" in str(kept) and "in all" in str(kept)
    assert made.saved.nbytes is None and "? B" in repr(made.saved)
    assert repr(made.saved).endswith(
        "? B  the lengths are those of a call: .lower(*args).saved"
    )
    assert repr(kept).endswith(" B")
    assert str(sg.compile(loss).lower(*ARGS).saved) == "nothing is kept for a backward"
    stacked = sg.grad(loop).lower(np.ones(4), 7).saved
    assert [v.nbytes for v in stacked] == [7 * 4 * 8]
    specs = [sg.spec(np.shape(a)) for a in ARGS]
    assert made.lower(*specs).saved.nbytes == 160


def test_cost() -> None:
    forward = sg.compile(loss).cost(*ARGS)
    both = gradient().cost(*ARGS)
    assert forward.flops["matmul"] == 2 * 5 * 3 * 2 and forward.backward == 0
    assert both.flops["matmul"] == 2 * forward.flops["matmul"]
    assert both.calls["tanh"] == 1 and both.backward > 0 and both.nbytes > 0
    assert both.total == both.forward + both.backward
    assert f"{both.total:,} floating-point operations" in str(both)
    assert sg.grad(loop).cost(np.ones(4), 7).calls["cos"] == 7
    image, weight = np.ones((2, 3, 8, 8)), np.ones((4, 3, 3, 3))

    def convolve(x: Any, w: Any) -> Any:
        return np.sum(sg.nn.functional.conv2d(x, w) ** 2)

    cost = sg.grad(convolve, argnums=(0, 1)).cost(image, weight)
    assert cost.flops["conv2d"] == 2 * (2 * 4 * 6 * 6) * 3 * 3 * 3
    assert cost.flops["conv2d_input_grad"] == cost.flops["conv2d_weight_grad"]
    contracted = sg.compile(lambda x, y: np.tensordot(x, y, axes=2)).cost(image, image.T)
    assert contracted.flops["tensordot"] == 2 * (2 * 3 * 3 * 2) * 64
    thrice = sg.compile(lambda x: np.einsum("ij,jk,kl->il", x, x, x)).cost(np.ones((4, 4)))
    assert thrice.flops["einsum"] == 3 * 4**4


def test_cost_leaves_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        print("seen")
        x += np.random.random(3)
        return x

    x, state = np.zeros(3), np.random.get_state()[1].copy()  # type: ignore[index, union-attr]
    sg.compile(f).cost(x)
    assert capsys.readouterr().out == "" and not x.any()
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # type: ignore[index]


def test_explain() -> None:
    made = gradient()
    text = made.explain("w")
    assert text.startswith("g_w is the gradient of `w`") and "g_w = x.T @" in text
    assert "through `tanh`: d tanh / d x = 1 - out**2" in text
    assert "h = np.tanh(x @ w + b)" in text
    assert made.explain("g_w") == text
    assert made.explain("h").startswith("h is a value of the function")
    line = loss.__code__.co_firstlineno + 1
    text = made.explain(line)
    assert "`matmul`: the op's own rule for x" in text and "g_w = x.T @" in text
    with pytest.raises(SymgradError, match=r"is called `zz`; there are: .*g_w"):
        made.explain("zz")
    with pytest.raises(SymgradError, match="line 1 has no operations; these have:"):
        made.explain(1)
    linear = sg.grad(lambda x: np.sum(np.where(x > 0, x, 0.0)))
    linear(ARGS[1])
    assert "linear in x, so its transpose" in linear.explain("x")


def looping(x: Any, w: Any) -> Any:
    h = x * w
    for _ in range(3):
        h = np.sin(h)
    if np.sum(h) > 0:
        h = np.exp(h) * h
    return np.sum(h)


def swapping(x: Any, w: Any) -> Any:
    a, b = x * w, x * 1.5
    for _ in range(3):
        a, b = b, np.sin(a)
    return np.sum(a * b)


def test_explain_of_loops_and_branches() -> None:
    made = sg.grad(looping, argnums=1).lower(ARGS[1], 2.0)
    first = looping.__code__.co_firstlineno
    text = made.explain("g_h")
    assert ": if greater:\n" in text
    assert "through `exp`: d exp / d x = out" in text
    assert " in reversed(range(3)):\n  line " in text and ":     g_h = " in text
    assert "through `sin`: d sin / d x = cos(x)" in text
    assert 'computed from g_h: see explain("g_h")' in made.explain("w")
    text = made.explain(first + 2)
    assert "`for`: its backward goes through the rounds from the last to the first" in text
    text = made.explain(first + 4)
    assert "`if`: its backward takes the branch that was taken" in text
    assert "undef" not in text


def test_values_assigned_together_are_explained() -> None:
    made = sg.grad(swapping, argnums=1).lower(ARGS[1], 2.0)
    [number] = [n for n, t in enumerate(made.source.splitlines(), 1) if ", g_b = " in t]
    assert f"line {number}:" in made.explain("g_b")


def test_the_line_map_names_rules() -> None:
    made = sg.grad(looping, argnums=1).lower(ARGS[1], 2.0)
    lines, rules = made.source.splitlines(), made.line_map.rules
    assert set(rules) <= set(range(lines.index("    # backward") + 1, len(lines)))
    for n, text in enumerate(lines, 1):
        if "np.cos(" in text:
            assert rules[n] == ("`sin`: d sin / d x = cos(x)",)
    assert sg.compile(looping).lower(ARGS[1], 2.0).line_map.rules == {}


class Ids(HTMLParser):
    """Ids and links of a page; whether tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.links.append(found["href"].removeprefix("#"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html(tmp_path: Path) -> None:
    made = gradient()
    text = made.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == text == made._repr_html_()
    assert "<script" not in text and "h = np.tanh(x @ w + b)" in text
    page = Ids()
    page.feed(text)
    assert not page.open and len(set(page.ids)) == len(page.ids)
    assert page.links and set(page.links) <= set(page.ids)
    assert sg.compile(loss)._repr_html_() is None


def test_dot_and_svg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = gradient()
    text = made.to_dot()
    assert text.startswith('digraph "loss_value_and_grad" {') and "tanh" in text
    names = set(re.findall(r"\b([op]\d+) \[", text))
    assert {n for edge in re.findall(r"(\w+) -> (\w+);", text) for n in edge} <= names
    short = made.to_dot(max_nodes=3)
    assert len(re.findall(r"\bg\d+ \[", short)) == 3 and "operations" in short
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingToolError, match="Graphviz's program `dot`"):
        made.to_svg()
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/dot")

    def run(command: list[str], input: str, **options: Any) -> Any:
        assert command == ["/bin/dot", "-Tsvg"] and input == text
        return subprocess.CompletedProcess(command, 0, "<svg/>", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert made.to_svg(tmp_path / "graph.svg") == "<svg/>"
    assert (tmp_path / "graph.svg").read_text() == "<svg/>"


def awkward(x: Any) -> Any:
    h = np.exp(x) + len('"<&>\\N')
    return np.sum(h)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not there")
@pytest.mark.parametrize("nodes", [200, 3, 2, 1])
@pytest.mark.parametrize("f", [awkward, looping, sg.grad(looping), sg.hessian(looping)])
def test_graphviz_draws_it(f: Any, nodes: int, tmp_path: Path) -> None:
    args = (ARGS[1],) if f is awkward else (ARGS[1], 2.0)
    made = sg.compile(f).lower(*args)
    command = ["dot", "-Tplain"]
    done = subprocess.run(command, input=made.to_dot(nodes), capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    drawn = ElementTree.fromstring(made.to_svg(tmp_path / "graph.svg", max_nodes=nodes))
    assert drawn.tag.endswith("svg")
    assert ElementTree.parse(tmp_path / "graph.svg").getroot().attrib == drawn.attrib
    texts = [e.text for e in drawn.iter() if e.tag.endswith("text")]
    assert any("more line" in str(t) for t in texts) or nodes > 1
    if f is awkward and nodes == 200:
        assert any("""len('"<&>\\\\N')""" in str(t) for t in texts)


def test_pretty_printing() -> None:
    class Printer:
        written = ""

        def text(self, text: str) -> None:
            self.written += text

    printer, made = Printer(), gradient()
    made._repr_pretty_(printer, False)
    assert printer.written == repr(made)


def test_what_a_pass_changed() -> None:
    found = sg.grad(lambda x: x * 1.0 + 0 * x).lower(2.0).passes
    assert found.diff(1).splitlines()[:2] == [
        f"--- {found[0].name}",
        f"+++ {found[1].name}",
    ]
    assert found.diff(-1) == found.diff(len(found) - 1)
    with pytest.raises(IndexError, match="nothing before it"):
        found.diff(0)
    with pytest.raises(IndexError):
        found.diff(len(found))


def test_the_ir_is_a_text_and_a_list_of_operations() -> None:
    made = sg.grad(looping, argnums=1).lower(ARGS[1], 2.0)
    text = str(made.ir)
    assert text.startswith("function looping_grad(x: float64[x_0], w: float)")
    assert repr(made.ir) == text and "reverse(" in made.ir and "nowhere" not in made.ir
    names = [op.name for op in made.ir]
    assert len(names) == len(made.ir) and {"reverse", "for", "sin", "if", "exp"} <= {*names}
    [sin] = [op for op in made.ir if op.name == "sin"]
    assert sin in made.ir and [str(r.type) for r in sin.results] == ["float64[x_0]"]
    assert sin.span is not None and sin.span.line == looping.__code__.co_firstlineno + 3
    compiled = sg.compile(looping)
    compiled(ARGS[1], 2.0)
    assert str(compiled.ir) == str(compiled.lower(ARGS[1], 2.0).ir)


def test_the_format_of_an_export(tmp_path: Path) -> None:
    made = sg.compile(looping)
    made(ARGS[1], 2.0)
    for exporting in (made, made.lower(ARGS[1], 2.0)):
        exporting.export(tmp_path / "made.py", format="py")
        assert "def looping(" in (tmp_path / "made.py").read_text()
        with pytest.raises(ValueError, match=r"the format is .py., .* not 'onnx'"):
            exporting.export(tmp_path / "made.py", format="onnx")


def chosen(
    x: Any, b: Any = None, *, mode: str = "sum", times: int = 2, on: bool = True
) -> Any:
    h = x if b is None else x + b
    for _ in range(times):
        h = h * h if on else h
    return np.sum(h) if mode == "sum" else np.mean(h)


GAIN = np.array([3.0])


def defaulted(
    x: Any,
    far: float = float("inf"),
    shape: Any = (1, ("a, **b", -2.5)),
    bias: Any = None,
    *,
    gain: Any = GAIN,
    mode: str = "sums, and ** more of that which makes lines long",
    times: int = 2,
    on: bool = True,
) -> Any:
    y = np.sum(x * gain) * shape[1][1] * shape[0] if x.ndim and far > 5 else np.sum(x)
    return y * times * GAIN[0] if on and bias is None and mode else y


def test_exported_code_has_the_defaults(tmp_path: Path) -> None:
    x = ARGS[1]
    f = sg.grad(defaulted)

    def exported(*args: Any, **kwargs: Any) -> Any:
        f.lower(*args, **kwargs).export(tmp_path / "made.py")
        scope: dict[str, Any] = {}
        exec((tmp_path / "made.py").read_text(), scope)
        return scope["defaulted_grad"]

    run = exported(x)
    np.testing.assert_array_equal(run(x, gain=GAIN, GAIN=GAIN), f(x))
    np.testing.assert_array_equal(run(x, 2.0, gain=GAIN, GAIN=GAIN), f(x, 2.0))
    given = {n: p.default for n, p in inspect.signature(run).parameters.items()}
    none = inspect.Parameter.empty
    kept = inspect.signature(defaulted).parameters
    assert list(given) == [*kept, "GAIN"]
    for name, default in given.items():
        assert default == (none if name in ("x", "gain", "GAIN") else kept[name].default)
    run = exported(x, 1.0, (1, ("b", 2.5)), np.ones(1), times=2.5)
    given = {n: p.default for n, p in inspect.signature(run).parameters.items()}
    assert [n for n, default in given.items() if default is not none] == ["mode", "on"]


def test_exported_code_refuses_what_it_is_not_for(tmp_path: Path) -> None:
    sg.compile(chosen, static_argnames="times").lower(ARGS[1]).export(tmp_path / "made.py")
    text = (tmp_path / "made.py").read_text()
    assert "For arguments (float64[x_0], None, mode='sum', times=2, on=True)." in text
    scope: dict[str, Any] = {}
    exec(text, scope)
    run, right = scope["chosen"], {"mode": "sum", "times": 2, "on": True}
    assert run(ARGS[1], None, **right) == chosen(ARGS[1])
    for other in ({"mode": "mean"}, {"times": 3}, {"on": False}):
        [(name, _)] = other.items()
        with pytest.raises(ValueError, match=f"this code is for {name}={right[name]!r}"):
            run(ARGS[1], None, **{**right, **other})
    with pytest.raises(ValueError, match="this code is for b=None"):
        run(ARGS[1], ARGS[1], **right)
