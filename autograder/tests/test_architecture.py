"""The rules of the code itself that no tool holds; who may import what stands in pyproject.toml."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograder

ENGINE = Path(autograder.__file__).parent
LEFT_OUT = (ENGINE / "tests",)
MODULES = sorted(path for path in ENGINE.rglob("*.py") if not set(LEFT_OUT) & set(path.parents))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_nothing_is_pickled(path: Path) -> None:
    assert not {"pickle", "dill", "cloudpickle", "shelve"} & set(imports(path))


def test_compiled_code_goes_to_a_worker_and_never_comes_from_one() -> None:
    texts = {path.relative_to(ENGINE).as_posix(): path.read_text(encoding="utf-8") for path in MODULES}
    uses = {name: re.findall(r"\bmarshal\.(\w+)", text) for name, text in texts.items()}
    used = {name: found for name, found in uses.items() if found}
    assert used == {"testing/bytecode.py": ["dumps"], "worker/namespace.py": ["loads"]}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_module_says_what_it_is_for_and_stays_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= 450


def test_the_engine_names_no_exercise() -> None:
    exercises = [
        folder.name
        for folder in (ENGINE.parent / "solutions").iterdir()
        if (folder / "test_hidden.py").exists()
    ]
    words = [path for path in MODULES for name in exercises if name in path.read_text(encoding="utf-8")]
    assert words == []
