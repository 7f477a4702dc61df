"""The package for Gradescope: unpacked and run as it is there, on submissions right, wrong and odd."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import autograder
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.gradescope import package as packing
from autograder.gradescope.package import PackageError, write_package
from autograder.gradescope.run import find_notebook, results
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.report.report import TestReport as Told
from autograder.tests.classroom import WRONG_SUMS, Notebook, open_course, small, solved

LEAK = "def row_sums(x):\n    raise ValueError(f'the input was {x.tolist()}')"


class Container:
    """Gradescope's folders, in a folder of their own."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(root / "source")
        self.results = root / "results" / "results.json"

    def run(self, *handed_in: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        """Grade these files, told by name and content."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        for name, content in handed_in:
            path = self.root / "submission" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        (self.root / "submission").mkdir(exist_ok=True)
        places = {
            f"AUTOGRADER_{name.upper()}": str(self.root / name)
            for name in ("source", "submission", "results")
        }
        return subprocess.run(
            ["bash", str(self.root / "source" / "run_autograder")],
            env={**os.environ, **places, "AUTOGRADER_PYTHON": sys.executable},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def graded(self, *handed_in: tuple[str, str]) -> dict[str, Any]:
        done = self.run(*handed_in)
        assert done.returncode == 0, done.stdout + done.stderr
        read: dict[str, Any] = json.loads(self.results.read_text(encoding="utf-8"))
        return read


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return open_course(tmp_path_factory.mktemp("packed") / "course")


@pytest.fixture(scope="module")
def container(own: Course, tmp_path_factory: pytest.TempPathFactory) -> Container:
    return Container(tmp_path_factory.mktemp("autograder"), write_package(own, small(own)))


def scores(read: dict[str, Any]) -> dict[str, tuple[float, float, str]]:
    return {test["name"]: (test["score"], test["max_score"], test["status"]) for test in read["tests"]}


def text_of(notebook: Notebook) -> str:
    return json.dumps(notebook)


def test_a_right_submission_scores_in_full(own: Course, container: Container) -> None:
    read = container.graded(("01_small.ipynb", text_of(solved(small(own)))))
    assert scores(read) == {"double": (2, 2, "passed"), "row_sums": (3, 3, "passed")}
    assert "Written answers are read by a person and do not count here: why." in read["output"]


def test_a_wrong_submission_loses_its_question_and_is_told_its_mistake(
    own: Course, container: Container
) -> None:
    read = container.graded(("my work.ipynb", text_of(solved(small(own), row_sums=WRONG_SUMS))))
    double, sums = read["tests"]
    assert (double["score"], sums["status"]) == (2, "failed")
    assert sums["score"] < 3
    assert small(own).mistakes[-1].name == "row_sums__columns"
    assert small(own).mistakes[-1].hint in sums["output"]


def test_students_see_verdicts_and_hints_and_nothing_hidden(own: Course, container: Container) -> None:
    done = container.graded(("01_small.ipynb", text_of(solved(small(own), row_sums=LEAK))))
    assert done["stdout_visibility"] == "hidden"
    assert {done["visibility"], *(test["visibility"] for test in done["tests"])} == {"visible"}
    shown = "\n".join([done["output"], *(test["output"] for test in done["tests"])])
    assert "Traceback" not in shown
    assert "crashed: Your code stopped with an error." in shown
    assert not any(line.strip() and line.strip() in shown for line in _code(small(own).suite))
    assert str(container.root) not in shown


def test_a_folder_without_the_notebook_scores_nothing_and_says_what_to_hand_in(container: Container) -> None:
    read = container.graded(("notes.txt", "hello"))
    assert "Hand in the file 01_small.ipynb" in read["output"]
    assert {score for score, _, _ in scores(read).values()} == {0}


def test_our_own_failure_leaves_no_results_at_all(own: Course, tmp_path: Path) -> None:
    broken = Container(tmp_path, write_package(own, small(own)))
    (tmp_path / "results").mkdir()
    broken.results.write_text("old", encoding="utf-8")
    suite = tmp_path / "source/course/solutions/01_small/test_hidden.py"
    suite.write_text("raise RuntimeError('broken suite')", encoding="utf-8")
    done = broken.run(("01_small.ipynb", text_of(solved(small(own)))))
    assert done.returncode == 3
    assert "our failure" in done.stdout
    assert not broken.results.exists()


def test_the_packaged_engine_grades_not_the_one_that_is_installed(own: Course, tmp_path: Path) -> None:
    other = Container(tmp_path, write_package(own, small(own)))
    table = tmp_path / "source/engine/autograder/report/text.py"
    table.write_text("raise SystemExit(77)", encoding="utf-8")
    assert other.run(("01_small.ipynb", "{}")).returncode == 77


def test_two_packages_of_a_course_are_the_same_to_the_byte(own: Course, tmp_path: Path) -> None:
    first = write_package(own, small(own)).read_bytes()
    again = open_course(tmp_path / "elsewhere")
    for path in (again.root / "solutions").rglob("*.py"):
        os.utime(path, (1, 1))
    assert write_package(again, small(again)).read_bytes() == first


def test_the_zip_holds_two_scripts_the_engine_and_this_exercise_alone(own: Course, tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    shutil.copytree(small(course).folder, course.root / "solutions" / "02_other")
    (course.root / "solutions/02_other/01_small.py").rename(course.root / "solutions/02_other/02_other.py")
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("  - name: 02_other\n")
    course = load_course(course.root)
    with zipfile.ZipFile(write_package(course, course.exercises["02_other"])) as packed:
        names = packed.namelist()
        modes = {info.filename: info.external_attr >> 16 for info in packed.infolist()}
        settings = packed.read("course/course.yaml").decode()
    assert {name for name in names if "/" not in name} == {"setup.sh", "run_autograder", "constraints.txt"}
    assert modes["setup.sh"] & modes["run_autograder"] & 0o111 == 0o111
    assert "engine/autograder/worker/zygote.py" in names
    assert "course/solutions/02_other/test_hidden.py" in names
    assert not [name for name in names if "01_small" in name or "tests/" in name or "__pycache__" in name]
    assert "01_small" not in settings


def test_the_zip_holds_every_room_that_is_installed_and_neither_the_bench_nor_tests(own: Course) -> None:
    engine = Path(autograder.__file__).parent
    rooms = {path.parent.name for path in engine.glob("*/__init__.py")}
    with zipfile.ZipFile(write_package(own, small(own))) as packed:
        parts = [name.split("/") for name in packed.namelist() if name.startswith("engine/autograder/")]
    assert {room for _, _, room, *inside in parts if inside} == rooms - {"bench"}
    assert not [name for name in parts if {"bench", "tests"} & set(name)]


def test_an_engine_that_is_not_whole_is_not_packed(
    own: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(packing, "_ENGINE", tmp_path / "site-packages" / "autograder")
    with pytest.raises(
        PackageError, match=r"pyproject\.toml: missing; install the engine from its own folder"
    ):
        write_package(own, small(own))


def test_the_set_up_asks_public_indexes_for_the_tested_versions(container: Container, tmp_path: Path) -> None:
    log, tools = tmp_path / "log", tmp_path / "bin"
    tools.mkdir()
    _tool(tools / "apt-get", f'echo "apt-get $*" >> {log}')
    _tool(tools / "python3.13", f'[ "$1" = -c ] && exit 0; mkdir -p "$3/bin"; cp {tools}/pip "$3/bin/pip"')
    _tool(tools / "pip", f'echo "pip $*" >> {log}')
    source, venv = container.root / "source", tmp_path / "venv"
    subprocess.run(
        ["bash", str(source / "setup.sh")],
        env={
            "PATH": f"{tools}:/usr/bin:/bin",
            "AUTOGRADER_SOURCE": str(source),
            "AUTOGRADER_VENV": str(venv),
        },
        check=True,
        timeout=60,
    )
    assert log.read_text(encoding="utf-8").splitlines() == [
        "apt-get update",
        "apt-get install -y bubblewrap",
        f"pip install --no-cache-dir --constraint {source}/constraints.txt "
        f"--index-url https://pypi.org/simple --extra-index-url https://download.pytorch.org/whl/cpu "
        f"{source}/engine",
    ]


def test_the_notebook_is_found_by_name_then_as_the_only_one(own: Course, tmp_path: Path) -> None:
    exercise = small(own)

    def found(*names: str) -> str:
        shutil.rmtree(tmp_path / "in", ignore_errors=True)
        for name in names:
            path = tmp_path / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return str(find_notebook(tmp_path / "in", exercise).relative_to(tmp_path / "in"))

    assert found("deep/01_small.ipynb", "other.ipynb") == "deep/01_small.ipynb"
    assert found("answer.ipynb", ".ipynb_checkpoints/01_small.ipynb", "__MACOSX/._a.ipynb") == "answer.ipynb"
    assert found("one.ipynb", "two.ipynb") == "01_small.ipynb"


def test_an_unreadable_notebook_says_so_once_and_scores_nothing() -> None:
    question = QuestionReport("double", Verdict.NOT_ATTEMPTED, 0.0, 2.0, "", None, ())
    read = results(
        Report("01_small", Status.UNREADABLE, "not JSON", 0.0, 2.0, (), (question, written("why", 1)))
    )
    assert read["output"].startswith("Your notebook could not be read: not JSON.")
    assert [(test["score"], test["output"]) for test in read["tests"]] == [(0, "")]


def test_what_is_to_be_reviewed_is_not_called_passed() -> None:
    rule = Told("By hand.", Verdict.REVIEW, 0.0, "A person will look.")
    question = QuestionReport("double", Verdict.REVIEW, 0.0, 2.0, "A person will look.", None, (rule,))
    (test,) = results(Report("01_small", Status.GRADED, "", 0.0, 2.0, (), (question,)))["tests"]
    assert test["status"] == "failed"
    assert "A person will look at this one." in test["output"]


def test_the_command_says_where_the_package_is_and_what_it_is_worth(own: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(own.root), "package", "01_small"])
    assert done.exit_code == 0
    assert "wrote build/packages/01_small-gradescope.zip" in done.stdout
    assert "5 points" in done.stdout


def _tool(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def _code(path: Path) -> list[str]:
    """Return a suite's lines of code, without titles, which students read, and imports."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for line in text.splitlines() if "(" in line]
