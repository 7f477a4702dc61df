"""Deleting a plug-in leaves a working grader: nothing but pyproject.toml knows of it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import autograder
from autograder.course.course import Course
from autograder.tests.classroom import small, solved

ENGINE = Path(autograder.__file__).parent
# An editable install would find in the checkout what is missing in the copy.
PROGRAM = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if not one.__module__.startswith("__editable__")]
from autograder.cli import main
main()
"""
PLUGINS = sorted(face.parent.name for face in (ENGINE / "plugins").glob("*/__init__.py"))


PROJECT = tomllib.loads((ENGINE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def entries() -> dict[str, str]:
    """Return the modules of the commands that pyproject.toml registers."""
    commands: dict[str, str] = PROJECT["entry-points"]["autograder.commands"]
    return {name: value.partition(":")[0] for name, value in commands.items()}


def test_every_plugin_has_a_command_and_every_command_a_plugin() -> None:
    assert {module.split(".")[2] for module in entries().values()} == set(PLUGINS)


def test_what_only_a_plugin_needs_is_installed_only_on_request() -> None:
    assert PROJECT["optional-dependencies"]["canvas"] == ["canvasapi"]
    assert PROJECT["optional-dependencies"]["cluster"] == ["distributed"]
    assert not {"canvasapi", "dask", "distributed"} & set(PROJECT["dependencies"])


@pytest.mark.parametrize("gone", [*PLUGINS, "."], ids=[*PLUGINS, "all"])
def test_without_a_plugin_the_rest_works(gone: str, course: Course, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(
        ENGINE, copy / "autograder", ignore=shutil.ignore_patterns("tests", "bench", "__pycache__")
    )
    shutil.rmtree(copy / "autograder" / "plugins" / gone)
    notebook = course.root / "01_small.ipynb"
    notebook.write_text(json.dumps(solved(small(course))), encoding="utf-8")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", PROGRAM, *words]
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        return subprocess.run(
            command, cwd=course.root, env=environment, capture_output=True, text=True, check=False
        )

    assert call("--help").returncode == 0
    graded = call("run", "--json", str(notebook))
    assert graded.returncode == 0, graded.stderr
    report = json.loads(graded.stdout)
    assert (report["status"], report["score"]) == ("graded", report["max_score"])
    for name, module in entries().items():
        done = call(name, "--help")
        if gone in (".", module.split(".")[2]):
            assert done.returncode == 3
            (line,) = done.stderr.splitlines()
            assert line.startswith(f'the plug-in for "{name}" cannot be loaded from {module}:')
        else:
            assert done.stdout.startswith("Usage:"), done.stderr
