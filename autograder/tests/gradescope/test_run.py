"""Grading in Gradescope's container, on submissions right, wrong and odd, and the results in its words."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder.course.course import Course
from autograder.plugins.gradescope import write_package
from autograder.plugins.gradescope.run import find_notebook, results
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.report.report import TestReport as HiddenTest
from autograder.tests.classroom import WRONG_SUMS, Notebook, small, solved
from autograder.tests.gradescope.container import Container

LEAK = "def row_sums(x):\n    raise ValueError(f'the input was {x.tolist()}')"


def text_of(notebook: Notebook) -> str:
    return json.dumps(notebook)


def test_a_wrong_submission_loses_its_question_and_names_its_mistake(
    own: Course, container: Container
) -> None:
    done = container.run(("my work.ipynb", text_of(solved(small(own), row_sums=WRONG_SUMS))))
    assert done.returncode == 0, done.stdout + done.stderr
    read = container.read()
    double, sums = read["tests"]
    assert (double["score"], double["max_score"], double["status"]) == (2, 2, "passed")
    assert (sums["max_score"], sums["status"]) == (3, "failed")
    assert sums["score"] < 3
    assert small(own).mistakes[-1].name == "row_sums__columns"
    assert small(own).mistakes[-1].hint in sums["output"]
    assert "Written answers are graded manually and do not count here: why." in read["output"]


def test_students_see_verdicts_and_hints_and_nothing_hidden(own: Course, container: Container) -> None:
    assert container.grade(("01_small.ipynb", text_of(solved(small(own), row_sums=LEAK)))) == 0
    done = container.read()
    assert done["stdout_visibility"] == "hidden"
    assert {done["visibility"], *(test["visibility"] for test in done["tests"])} == {"visible"}
    shown = "\n".join([done["output"], *(test["output"] for test in done["tests"])])
    assert "Traceback" not in shown
    assert "crashed: Your code stopped with an error." in shown
    assert not any(line.strip() and line.strip() in shown for line in _code(small(own).suite))
    assert str(container.root) not in shown


def test_a_folder_without_the_notebook_scores_nothing_and_says_what_to_hand_in(container: Container) -> None:
    assert container.grade(("notes.txt", "hello")) == 0
    read = container.read()
    assert "Hand in the file 01_small.ipynb" in read["output"]
    assert {test["score"] for test in read["tests"]} == {0}


def test_our_own_failure_leaves_no_results_at_all(
    own: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Container(tmp_path, write_package(own, small(own)))
    (tmp_path / "results").mkdir()
    broken.results.write_text("old", encoding="utf-8")
    suite = tmp_path / "source/course/solutions/01_small/test_hidden.py"
    suite.write_text("raise RuntimeError('broken suite')", encoding="utf-8")
    assert broken.grade(("01_small.ipynb", text_of(solved(small(own))))) == 3
    assert "our failure" in capsys.readouterr().out
    assert not broken.results.exists()


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


def test_an_unreadable_notebook_says_so_once_and_scores_nothing() -> None:
    question = QuestionReport("double", Verdict.NOT_ATTEMPTED, 0.0, 2.0, "", None, ())
    read = results(
        Report("01_small", Status.UNREADABLE, "not JSON", 0.0, 2.0, (), (question, written("why", 1)))
    )
    assert read["output"].startswith("Your notebook could not be read: not JSON.")
    assert [(test["score"], test["output"]) for test in read["tests"]] == [(0, "")]


def test_what_is_to_be_reviewed_is_not_called_passed() -> None:
    rule = HiddenTest("By hand.", Verdict.REVIEW, 0.0, "A person will look.")
    question = QuestionReport("double", Verdict.REVIEW, 0.0, 2.0, "A person will look.", None, (rule,))
    (test,) = results(Report("01_small", Status.GRADED, "", 0.0, 2.0, (), (question,)))["tests"]
    assert test["status"] == "failed"
    assert "An instructor will look at this answer." in test["output"]


def reported(question: QuestionReport, message: str = "") -> dict[str, Any]:
    """Return what Gradescope reads of a report on one question."""
    return results(Report("01_small", Status.GRADED, message, question.score, 2.0, (), (question,)))


def test_a_hint_is_shown_once_and_titles_test_by_test() -> None:
    tests = (
        HiddenTest("Holds.", Verdict.PASSED, 1.0, ""),
        HiddenTest("Rows.", Verdict.FAILED, 1.0, "Look at dim."),
        HiddenTest("Columns.", Verdict.FAILED, 1.0, "And here?"),
    )
    (test,) = reported(QuestionReport("double", Verdict.FAILED, 1.0, 2.0, "Look at dim.", None, tests))[
        "tests"
    ]
    assert test["output"].splitlines() == [
        "partly right: Some tests failed.",
        "Look at dim.",
        "- passed: Holds.",
        "- failed: Rows.",
        "- failed: Columns. And here?",
    ]


def test_a_student_s_words_cannot_steer_the_page() -> None:
    hostile = "\x1b[2Jx\x07\u202e"
    question = QuestionReport(
        "double",
        Verdict.FAILED,
        0.0,
        2.0,
        hostile,
        None,
        (HiddenTest("Rows.", Verdict.FAILED, 1.0, "no" + hostile),),
    )
    shown = json.dumps(reported(question, message=f"Code cell 1 {hostile}"), ensure_ascii=False)
    assert not set("\x1b\x07\u202e") & set(shown)
    assert json.loads(shown)["output"] == "Code cell 1 x"


def test_what_the_notebook_as_a_whole_did_is_shown_above_the_questions() -> None:
    question = QuestionReport("double", Verdict.PASSED, 2.0, 2.0, "", None, ())
    assert reported(question, message="Code cell 3 computed for longer than 5 s.")["output"] == (
        "Code cell 3 computed for longer than 5 s."
    )


def _code(path: Path) -> list[str]:
    """Return a suite's lines of code, without titles, which students read, and imports."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for line in text.splitlines() if "(" in line]
