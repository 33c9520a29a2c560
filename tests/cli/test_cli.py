"""``python -m symgrad show``."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgrad import __version__
from symgrad.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = "import numpy as np\n\n\ndef loss(x, a):\n    return np.sum(np.exp(a * x))\n"
    (tmp_path / "shown_model.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shows_code_ir_and_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "shown_model:loss", "float32[5]", "2.0"]) == 0
    assert capsys.readouterr().out.startswith("def loss(x, a):")
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--grad", "0,1"]) == 0
    assert "return loss, (g_x, g_a)" in capsys.readouterr().out
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--ir"]) == 0
    assert "x: float32[" in capsys.readouterr().out
    assert main(["show", "shown_model:loss", "float32[5]", "2.0", "--passes"]) == 0
    assert "# lower" in capsys.readouterr().out


def test_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "shown_model:nothing", "2.0"]) == 1
    assert "nothing" in capsys.readouterr().err
    assert main(["show", "no_such_module:f"]) == 1
    assert "no_such_module" in capsys.readouterr().err


ARGS = ("shown_model:loss", "float64[5]", "2.0")


def test_show_by_name_and_of_second_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", *ARGS, "--wrt", "x"]) == 0
    assert "return loss, g_x" in capsys.readouterr().out
    assert main(["show", *ARGS, "--wrt", "x,a"]) == 0
    assert "return loss, (g_x, g_a)" in capsys.readouterr().out
    assert main(["show", *ARGS, "--wrt", "x", "--order", "2"]) == 0
    assert capsys.readouterr().out.startswith("def loss_hessian(x, a):")
    assert main(["show", *ARGS, "--order", "3"]) == 1
    assert "--order is 0, 1 or 2, not 3" in capsys.readouterr().err
    assert main(["show", *ARGS, "--wrt", "x", "--order", "0"]) == 1
    assert "--order 0 is the function itself" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["show", *ARGS, "--wrt", "x", "--grad", "0"])


def test_show_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", *ARGS, "--wrt", "x", "--map"]) == 0
    assert "shown_model.py:5: return np.sum(np.exp(a * x))" in capsys.readouterr().out
    assert main(["show", *ARGS, "--wrt", "x", "--saved"]) == 0
    assert "40 B" in capsys.readouterr().out
    assert main(["show", *ARGS, "--wrt", "x", "--explain", "x"]) == 0
    assert "g_x is the gradient of `x`" in capsys.readouterr().out
    assert main(["show", *ARGS, "--html", "page.html"]) == 0
    assert "written to page.html" in capsys.readouterr().out
    assert '<div class="symgrad">' in (folder / "page.html").read_text()


def test_export(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *ARGS, "--wrt", "x", "--out", "made.py"]) == 0
    assert "written to made.py" in capsys.readouterr().out
    scope: dict[str, object] = {}
    exec((folder / "made.py").read_text(), scope)
    assert "loss_value_and_grad" in scope
    assert main(["export", *ARGS, "--out", str(folder / "no" / "such")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *ARGS]) == 0
    assert capsys.readouterr().out == (
        "shown_model:loss: derivatives agree with differences, in both modes and second order\n"
    )
    (folder / "wrong_model.py").write_text(
        "import numpy as np, symgrad as sg\n\n\n@sg.custom_jvp\ndef f(x, n):\n"
        "    return np.sin(x)[n]\n\n\n"
        "f.defjvps(lambda t, out, x, n: t[n] * 2.0, None)\n"
    )
    assert main(["check", "wrong_model:f", "float64[3]", "int64[2]", "--order", "1"]) == 1
    assert "is not what differences say" in capsys.readouterr().err


OPTIONAL = """import numpy as np


def loss(x, b=None, rate=2.0, *, mode="sum", mask=None):
    h = x * rate
    if b is not None:
        h = h + b
    if mask is not None:
        h = h * mask
    return np.sum(h**2) if mode == "sum" else np.mean(h)


def fit(p, x):
    return np.sum((x @ p["w"] + p["b"]) ** 2)


class Net:
    @staticmethod
    def out(x):
        return np.sum(np.sin(x))
"""


@pytest.fixture
def optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "optional_model.py").write_text(OPTIONAL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


F, P = "optional_model:loss", "optional_model:fit"
TREE = "{'w': float64[4, 2], 'b': float64[2]}"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["show", F, "float64[3]"], "h = x * rate"),
        (["show", F, "float64[3]", "None", "--wrt", "x"], "return loss, g_x"),
        (["show", F, "float64[3]", "float64[3]", "--wrt", "x,b"], "h += b"),
        (["show", F, "float64[3]", "rate=3.0", "mask=float64[3]"], "h *= mask"),
        (["show", F, "float64[3]", "mode='mean'"], "np.mean(h)"),
        (["show", F, "float64[]", "--grad", "0"], "return loss, g_x"),
        (["show", P, TREE, "float64[8, 4]", "--wrt", "p"], "{'w': g_w, 'b': g_b}"),
        (["show", P, TREE, "float64[8, 4]", "--wrt", "p", "--map"], "(rules: matmul, add"),
        (["show", "optional_model:Net.out", "float64[3]"], "np.sin(x)"),
        (["check", F, "float64[3]"], "agree with differences"),
        (["check", F, "float64[3]", "None"], "agree with differences"),
        (["check", F, "float64[3]", "float64[3]", "mode='mean'"], "agree with"),
        (["check", F, "float64[3]", "mask=float64[3]"], "agree with differences"),
        (["check", P, TREE, "float64[8, 4]"], "agree with differences"),
        (["export", F, "float64[3]", "--out", "made.py"], "written to made.py"),
    ],
)
def test_arguments(
    words: list[str], part: str, optional: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    assert part in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["show", F], "loss() missing 1 required positional argument: 'x'"),
        (["show", F, "float64[3]", "rte=1.0"], "unexpected keyword argument 'rte'"),
        (["check", F], "loss() missing 1 required positional argument: 'x'"),
        (["show", "optional_model"], "is no function; there are: optional_model:loss, "),
        (["show", "optional_model:los"], "has no `los`; there are: optional_model:loss, "),
        (["show", "optional_model:Net.inn"], "`optional_model` has no `Net.inn`; there"),
        (["show", F, "float99[3]"], "there is no dtype 'float99'"),
        (["show", F, "float64[n]"], "'float64[n]' is no argument: give a value as Python"),
        (["show", F, "float64[3]", "mode=mean"], "\"'mean'\""),
        (["show", F, "{1:"], "'{1:' is no argument"),
        (["show", F, "float64[-1]"], "lengths must be non-negative ints"),
    ],
)
def test_wrong_arguments(
    words: list[str], part: str, optional: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    found = capsys.readouterr()
    assert found.err.startswith("symgrad: ") and part in found.err and not found.out


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words, part in [
        (["--version"], f"symgrad {__version__}"),
        (["--help"], "name=value passes an\nargument by name"),
        (["show", "--help"], "differentiate by name"),
    ]:
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 0
        assert part in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 2


def test_ops_tells_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "tanh"]) == 0
    assert "  d tanh / d x = 1 - out**2\n" in capsys.readouterr().out
