"""The walls of the code itself: who may import what, and that the engine knows no course content."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograder

ENGINE = Path(autograder.__file__).parent
MODULES = sorted(path for path in ENGINE.rglob("*.py") if not {"tests", "kit"} & set(path.parts))
WORKER = [path for path in MODULES if path.parent.name == "worker"]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module or ""


@pytest.mark.parametrize("path", WORKER, ids=lambda path: path.name)
def test_the_worker_imports_nothing_of_ours_but_itself(path: Path) -> None:
    ours = {name for name in imports(path) if name.startswith("autograder")}
    assert all(name.startswith("autograder.worker") for name in ours)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_only_the_gradebook_imports_nbgrader(path: Path) -> None:
    if path.parent.name != "gradebook" and path.stem != "gradebook":
        assert not any(name.split(".")[0] == "nbgrader" for name in imports(path))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_nothing_is_pickled(path: Path) -> None:
    assert not {"pickle", "dill", "cloudpickle", "marshal", "shelve"} & set(imports(path))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_module_says_what_it_is_for_and_stays_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= 300


def test_the_engine_names_no_exercise() -> None:
    exercises = [folder.name for folder in (ENGINE.parent / "solutions").iterdir() if folder.is_dir()]
    words = [path for path in MODULES for name in exercises if name in path.read_text(encoding="utf-8")]
    assert words == []
