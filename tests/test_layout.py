"""The project's shape: rooms and the arrows between them, the package list, sizes."""

from __future__ import annotations

import ast
import statistics
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A room may import what stands here, and itself. Whatever is not listed may not be imported.
BASE = {"errors", "source", "_version"}
MIDDLE = BASE | {"ir", "ops"}
COMPILER = MIDDLE | {"frontend", "transforms", "emit", "runtime"}
MAY_IMPORT = {
    "errors": {"source"},  # for annotations only
    "source": {"errors"},
    "_version": set(),
    "ir": BASE,
    "ops": BASE | {"ir"},
    "frontend": MIDDLE,
    "transforms": MIDDLE,
    "emit": MIDDLE,
    "runtime": COMPILER,
    "custom": COMPILER,
    "extend": COMPILER,
    # What is built on top of the compiler uses what any other library could.
    "nn": {"", "errors", "extend"},
    "solvers": COMPILER | {"custom"},
    "saving": {"errors"},
    "optim": {"", "errors", "extend", "nn"},
    "testing": COMPILER | {"custom"},
    "__main__": {"cli"},
    "cli": COMPILER | {"custom", "testing", ""},
}

LONGEST_FILE = 500
MEDIAN_FILE = 150
LONGEST_FUNCTION = 60


def source_files() -> list[Path]:
    """Every file of the package, where it really lies."""
    return sorted([*ROOT.glob("symgrad/**/*.py"), *ROOT.glob("transforms/**/*.py")])


def module_parts(path: Path) -> tuple[str, ...]:
    """``symgrad/ir/dims.py`` -> ``("ir", "dims")``; an ``__init__`` ends in its room."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1:] if parts[0] == "symgrad" else parts


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and room (``""``: the root package) of every import from within symgrad."""
    package = module_parts(path)[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                words = alias.name.split(".")
                if words[0] in ("symgrad", "transforms"):
                    yield node.lineno, ".".join(words[1:2])
        elif isinstance(node, ast.ImportFrom):
            target = (node.module or "").split(".") if node.module else []
            if node.level:
                target = [*package[: len(package) - node.level + 1], *target]
            elif target[:1] == ["symgrad"]:
                target = target[1:]
            else:
                continue
            if target:
                yield node.lineno, target[0]
            else:  # from . import a, b: rooms, or names of the root package
                for alias in node.names:
                    yield node.lineno, alias.name if is_room(alias.name) else ""


def is_room(name: str) -> bool:
    return any((ROOT / "symgrad" / x).exists() for x in (name, f"{name}.py"))


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length in lines of every function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


@pytest.mark.parametrize("path", source_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_what_its_arrows_allow(path: Path) -> None:
    room = module_parts(path)[0]
    if room == "__init__":
        return
    allowed = MAY_IMPORT[room] | {room}
    wrong = [f"line {line}: {other or 'symgrad'}" for line, other in imported(path)
             if other not in allowed]  # fmt: skip
    assert not wrong, f"{room} may not import {', '.join(wrong)}"


def test_the_arrows_have_no_cycle() -> None:
    files = [p for p in source_files() if module_parts(p)[0] != "__init__"]
    edges = {
        (module_parts(p)[0], other)
        for p in files
        for _, other in imported(p)
        if module_parts(p)[0] not in ("errors", "source", other)
    }
    rooms, order = {room for edge in edges for room in edge}, []
    while rooms:
        free = {r for r in rooms if not any(a == r and b in rooms for a, b in edges)}
        assert free, f"a cycle among {sorted(rooms)}"
        order.append(free)
        rooms -= free
    assert len(order) > 3


def test_the_package_list_equals_the_tree() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {"symgrad.transforms"}
    for init in ROOT.glob("symgrad/**/__init__.py"):
        found.add(".".join(init.relative_to(ROOT).parent.parts))
    for init in ROOT.glob("transforms/*/**/__init__.py"):
        found.add(".".join(("symgrad", *init.relative_to(ROOT).parent.parts)))
    assert sorted(listed["packages"]) == sorted(found)
    assert listed["package-dir"]["symgrad.transforms"] == "transforms"


def test_the_passes_are_the_top_level_folder() -> None:
    assert (ROOT / "symgrad" / "transforms").resolve() == ROOT / "transforms"


def test_the_version_is_the_same_in_both_places() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (
        f'__version__ = "{project["version"]}"'
        in (ROOT / "symgrad/_version.py").read_text()
    )


def test_sizes() -> None:
    lengths = {p: len(p.read_text().splitlines()) for p in source_files()}
    others = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("examples/*.py"),
              *ROOT.glob("benchmarks/*.py")]  # fmt: skip
    for path in [*lengths, *others]:
        length = len(path.read_text().splitlines())
        assert length <= LONGEST_FILE, f"{path.relative_to(ROOT)} has {length} lines"
    assert statistics.median(lengths.values()) <= MEDIAN_FILE


def test_no_function_is_long() -> None:
    too_long = [
        f"{path.relative_to(ROOT)}: {name} has {length} lines"
        for path in source_files()
        for name, length in functions(path)
        if length > LONGEST_FUNCTION
    ]
    assert not too_long, "\n".join(too_long)
