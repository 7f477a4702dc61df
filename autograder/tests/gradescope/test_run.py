"""Grading in Gradescope's container, on submissions right, wrong and odd, and the results in its words."""

import json
import re
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.course.course import Course
from autograder.diagnosis.known import known_mistakes
from autograder.grading.graded import Graded
from autograder.plugins.gradescope import run, write_package
from autograder.plugins.gradescope.run import find_notebook, main, results
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.report.report import TestReport as HiddenTest
from autograder.tests.classroom import WRONG_SUMS, Notebook, small, solved
from autograder.tests.gradescope.container import Container

LEAK = "def double(x):\n    raise ValueError(f'the input was {x.tolist()}')"


def text_of(notebook: Notebook) -> str:
    return json.dumps(notebook)


def test_students_see_verdicts_and_hints_and_nothing_hidden(own: Course, container: Container) -> None:
    wrong = solved(small(own), row_sums=WRONG_SUMS, double=LEAK)
    done = container.run(("my work.ipynb", text_of(wrong)))
    assert done.returncode == 0, done.stdout + done.stderr
    read = container.read()
    double, sums = read["tests"]
    assert (double["score"], double["max_score"], sums["max_score"]) == (0, 2, 3)
    assert sums["score"] < 3
    assert "crashed: Your code stopped with an error." in double["output"]
    *_, columns = known_mistakes(small(own))
    assert columns.name == "row_sums__columns"
    assert columns.hint in sums["output"]
    shown = "\n".join([read["output"], double["output"], sums["output"]])
    assert "Traceback" not in shown
    assert not any(line.strip() and line.strip() in shown for line in _code(small(own).suite))
    assert str(container.root) not in shown


@pytest.mark.parametrize(
    ("status", "code"), [(Status.GRADED, 0), (Status.UNREADABLE, 0), (Status.GRADER_ERROR, 3)]
)
def test_our_own_failure_leaves_no_results_at_all(
    status: Status,
    code: int,
    own: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    graded = Graded(Report("01_small", status, "", 0.0, 5.0, ("process",), ()), problem="broken suite")
    grader = SimpleNamespace(grade=lambda exercise, notebook: graded)
    monkeypatch.setattr(run, "MarkingProcess", lambda course: nullcontext(grader))
    target = tmp_path / "results.json"
    target.write_text("old", encoding="utf-8")
    assert main([str(own.root), str(tmp_path), str(target)]) == code
    assert target.exists() is (code == 0)
    assert ("the grader failed: broken suite" in capsys.readouterr().out) is (code != 0)


def test_the_packaged_engine_grades_not_the_one_that_is_installed(own: Course, tmp_path: Path) -> None:
    other = Container(tmp_path, write_package(own, small(own)))
    table = tmp_path / "source/engine/autograder/report/text.py"
    table.write_text("raise SystemExit(77)", encoding="utf-8")
    assert other.run(("01_small.ipynb", "{}")).returncode == 77


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
    assert found("helpers.py", "deep/01_small.py") == "deep/01_small.py"


def test_results_are_as_they_were(golden: Callable[[str, str], None]) -> None:
    """Hints are shown once, nobody's words steer the page, and an unreadable notebook is told of once."""
    hostile = "\x1b[2Jx\x07\u202e"
    tests = (
        HiddenTest("Holds.", Verdict.PASSED, 1.0, ""),
        HiddenTest("Rows.", Verdict.FAILED, 1.0, f"Look at dim{hostile}."),
        HiddenTest("Columns.", Verdict.FAILED, 1.0, f"And here{hostile}?"),
    )
    rule = HiddenTest("By hand.", Verdict.REVIEW, 0.0, "An instructor will look.")
    questions = (
        QuestionReport("double", Verdict.FAILED, 1.0, 2.0, f"Look at dim{hostile}.", None, tests),
        QuestionReport("halve", Verdict.REVIEW, 0.0, 2.0, "An instructor will look.", None, (rule,)),
        QuestionReport("third", Verdict.PASSED, 2.0, 2.0),
        written("why", 1),
    )
    graded = Report("01_small", Status.GRADED, f"Code cell 3 {hostile}", 3.0, 6.0, (), questions)
    missed = QuestionReport("double", Verdict.NOT_ATTEMPTED, 0.0, 2.0)
    unreadable = Report("01_small", Status.UNREADABLE, "not JSON", 0.0, 2.0, (), (missed, written("why", 1)))
    shown = {"graded": results(graded), "unreadable": results(unreadable)}
    golden("gradescope.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


def _code(path: Path) -> list[str]:
    """Return a suite's lines of code, without titles, which students read, and imports."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for line in text.splitlines() if "(" in line]
