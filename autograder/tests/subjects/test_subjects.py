"""Courses on other subjects than torch: each is graded without it, and safe from its own attacks."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograder.authoring.verify import prove
from autograder.course.course import KEY_FILE, Course, load_course
from autograder.grading.grader import CourseGrader
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.tests.classroom import SECRET, solved

HERE = Path(__file__).parent
Desk = Callable[[str], tuple[Course, Zygote]]
ATTACKS = sorted(HERE.glob("*/solutions/*/attacks/*.py"))
# Grades the right answers in a process that cannot import torch, and prints what it and a worker have loaded.
ALONE = """
import json, sys
sys.modules["torch"] = None
from pathlib import Path
from autograder.course.course import load_course
from autograder.course.settings import Limits
from autograder.grading.grader import CourseGrader
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook

course = load_course(Path(sys.argv[1]))
(exercise,) = course.exercises.values()
packages = "torch", "numpy", "pandas", "matplotlib"
loaded = "print([name for name in %r if sys.modules.get(name)])" % (packages,)
with Zygote(packages=course.settings.packages) as zygote:
    graded = CourseGrader(course, zygote).grade(exercise, Notebook(sys.stdin.buffer.read()))
    worker = zygote.fork(Limits())
    reply, _ = worker.ask({"op": "cell", "number": 0, "code": "import sys; " + loaded}, [], 30)
    worker.close()
print(graded.problem, graded.report.score, graded.report.max_score)
print(reply["outputs"][0]["text"].strip())
print([name for name in packages if sys.modules.get(name)])
"""


def copy_course(name: str, root: Path) -> Course:
    shutil.copytree(HERE / name, root, ignore=shutil.ignore_patterns("__pycache__", "attacks"))
    (root / KEY_FILE).write_text(SECRET.hex(), encoding="ascii")
    return load_course(root)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Return a function that gives a copy of a course and its zygote."""
    with ExitStack() as zygotes:

        @cache
        def desk(name: str) -> tuple[Course, Zygote]:
            course = copy_course(name, tmp_path_factory.mktemp(name) / "course")
            return course, zygotes.enter_context(Zygote(packages=course.settings.packages))

        yield desk


@pytest.fixture(scope="module")
def grade(desk: Desk) -> Callable[..., Report]:
    """Return a function that grades answers to a course's exercise."""
    grader = cache(lambda name: CourseGrader(*desk(name)))

    def grade(name: str, **answers: str) -> Report:
        (exercise,) = desk(name)[0].exercises.values()
        notebook = Notebook(json.dumps(solved(exercise, **answers)).encode())
        graded = grader(name).grade(exercise, notebook)
        assert graded.report.status is Status.GRADED, (graded.problem, graded.traceback)
        return graded.report

    return grade


def test_a_course_on_tables_and_figures_is_proved(desk: Desk) -> None:
    """Those of `autograder init` prove courses on Python and on numpy."""
    course, zygote = desk("sales")
    (proof,) = prove(course, list(course.exercises.values()), zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 4)


@pytest.mark.parametrize(
    ("name", "loaded"),
    [("words", []), ("measurements", ["numpy"]), ("sales", ["numpy", "pandas", "matplotlib"])],
)
def test_it_is_graded_where_torch_cannot_be_loaded(name: str, loaded: list[str], tmp_path: Path) -> None:
    course = copy_course(name, tmp_path / "course")
    (exercise,) = course.exercises.values()
    notebook = json.dumps(solved(exercise))
    command = [sys.executable, "-c", ALONE, str(course.root)]
    done = subprocess.run(command, input=notebook, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [" 4.0 4.0", str(loaded), str(loaded)], done.stderr[-2000:]


def attack_of(path: Path) -> tuple[dict[str, Any], str]:
    _, doc, code = path.read_text(encoding="utf-8").split('"""', 2)
    return yaml.safe_load(doc.partition("\n\n")[2]), code.lstrip("\n")


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: f"{path.parts[-5]}-{path.stem}")
def test_an_attack_by_a_kind_of_values_costs_its_own_question_alone(
    path: Path, grade: Callable[..., Report]
) -> None:
    expected, code = attack_of(path)
    report = grade(path.parts[-5], **{expected["answer"]: code})
    attacked = question(report, expected["answer"])
    said = " ".join([attacked.hint, *(test.hint for test in attacked.tests)])
    assert (str(attacked.verdict), attacked.score) == (expected["verdict"], 0.0), said
    assert expected.get("hint", "") in said
    assert said.isprintable()
    others = [one for one in report.questions if one.name != attacked.name]
    assert all(one.verdict is Verdict.PASSED for one in others)


def question(report: Report, name: str) -> QuestionReport:
    return next(one for one in report.questions if one.name == name)


def test_a_wrong_answer_of_any_kind_is_shown_beside_the_right_one(grade: Callable[..., Report]) -> None:
    report = grade("words", initials="def initials(names):\n    return '.'.join(n[0].upper() for n in names)")
    shown = question(report, "initials").shown
    assert shown is not None
    assert re.fullmatch(r"'([A-Z]\.)+[A-Z]'", str(shown.got.numbers[0]))
    assert shown.asked.numbers[0] == f"{str(shown.got.numbers[0])[:-1]}.'"
