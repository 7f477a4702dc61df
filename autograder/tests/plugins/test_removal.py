"""Deleting a plug-in leaves a working grader: nothing but pyproject.toml knows of it.

An import contract keeps plug-ins from each other, so the commands of the others need no test here.
"""

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
import json, sys
sys.meta_path[:] = [one for one in sys.meta_path if not one.__module__.startswith("__editable__")]
from click.testing import CliRunner
from autograder.cli import main
done = [CliRunner().invoke(main, words) for words in json.loads(sys.argv[1])]
print(json.dumps([[one.exit_code, one.stdout, one.stderr] for one in done]))
"""
PLUGINS = sorted(face.parent.name for face in (ENGINE / "plugins").glob("*/__init__.py"))
PROJECT = tomllib.loads((ENGINE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


COMMANDS: dict[str, str] = PROJECT["entry-points"]["autograder.commands"]


def _plugin(entry: str) -> str:
    return entry.partition(":")[0].split(".")[2]


def test_every_plugin_has_a_command_and_every_command_a_plugin() -> None:
    assert set(map(_plugin, COMMANDS.values())) == set(PLUGINS)


def test_what_only_a_plugin_needs_is_installed_only_on_request() -> None:
    extras = {"bench": ["psutil", "torch"], "canvas": ["canvasapi"], "cluster": ["distributed"]}
    assert extras.items() <= PROJECT["optional-dependencies"].items()
    assert not {"canvasapi", "dask", "distributed", "playwright", "psutil"} & set(PROJECT["dependencies"])


@pytest.mark.parametrize("gone", ["canvas", "."], ids=["one", "all"])
def test_without_a_plugin_the_rest_works(gone: str, course: Course, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ENGINE, copy / "autograder", ignore=shutil.ignore_patterns("tests"))
    shutil.rmtree(copy / "autograder" / "plugins" / gone)
    installed = copy / "attention_course_autograder-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: {PROJECT['name']}\nVersion: 0\n", encoding="utf-8")
    registered = "".join(f"{name} = {value}\n" for name, value in COMMANDS.items())
    (installed / "entry_points.txt").write_text(f"[autograder.commands]\n{registered}", encoding="utf-8")
    notebook = course.root / "01_small.ipynb"
    notebook.write_text(json.dumps(solved(small(course))), encoding="utf-8")
    graded = ["run", "--json", str(notebook)] if gone == "." else ["--help"]  # no plug-in at all proves each
    own = {name: value for name, value in COMMANDS.items() if gone in (".", _plugin(value))}
    calls = [graded, *([name, "--help"] for name in own)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(calls)],
        cwd=course.root,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=True,
    )
    (code, shown, said), *helps = json.loads(done.stdout)
    assert code == 0, said
    if gone == ".":
        report = json.loads(shown)
        assert (report["status"], report["score"]) == ("graded", report["max_score"])
    for (name, value), (code, _, said) in zip(own.items(), helps, strict=True):
        assert code == 3
        assert said.startswith(f'the plug-in for "{name}" cannot be loaded from {value}')
