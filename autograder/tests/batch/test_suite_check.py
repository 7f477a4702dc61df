"""A hidden test that is broken changes nothing: no score, no table, no page."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import sqlalchemy
from click.testing import CliRunner

from autograder.batch import suite_check
from autograder.batch.grade import Summary, grade_submissions
from autograder.batch.pool import Done, Task
from autograder.cli import main
from autograder.course.course import Course
from autograder.grading.graded import Graded, failure_report
from autograder.records.database import writing
from autograder.sandbox.zygote import Zygote
from autograder.tests.batch.test_explain import Noting
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import (
    by_hand,
    feedback,
    formgrader_page,
    gradebook_entry,
    gradebook_submission,
)
from autograder.tests.in_process import InProcess

CHECK = suite_check.suite_problem  # which the tests' own fixture replaces
TEST = "\n\n@question('double')\ndef test_other(student):\n    'Other.'\n"
BROKEN = {
    "a syntax error": ("\ndef broken(:\n", "invalid syntax"),
    "an unknown question": (TEST.replace("double", "nowhere"), 'test_other tests "nowhere", which is not a'),
    "a missing module": ("\nimport nowhere\n", "No module named 'nowhere'"),
    "a name that is missing": (TEST + "    nowhere()\n", "NameError: name 'nowhere' is not defined"),
    "a wrong expectation": (TEST + "    assert student.double(torch.ones(1)) == 3\n", "AssertionError"),
}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """Return a course to which two students handed in, and in which suites are checked."""
    monkeypatch.setattr("autograder.batch.grade.suite_problem", CHECK)
    course = open_course(tmp_path / "course")
    hand_in(course, "ann", solved(small(course)))
    hand_in(course, "ben", solved(small(course), row_sums=WRONG_SUMS))
    return course


def grade(course: Course, zygote: Zygote) -> tuple[Summary, list[str]]:
    executor = Noting(course, zygote)
    summary = grade_submissions(course, [small(course)], executor=executor)
    return summary, [request.split()[1] for request in executor.asked]


def scores(course: Course) -> dict[str, float | None]:
    return {student: gradebook_submission(course, student).score for student in ("ann", "ben")}


def state(course: Course) -> dict[Path, bytes]:
    """Return all files of the course, but those that can be made again."""
    found = (path for path in course.root.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found if course.build not in path.parents}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_suite_that_cannot_judge_the_solution_stops_its_exercise_in_one_line(
    course: Course, zygote: Zygote, broken: str
) -> None:
    grade(course, zygote)
    suite = small(course).suite
    right, (added, problem) = suite.read_text(encoding="utf-8"), BROKEN[broken]
    suite.write_text(right + added, encoding="utf-8")
    before = state(course)
    for _ in range(2):  # a failure is not stored as a result
        summary, asked = grade(course, zygote)
        assert asked in ([], ["solution"])
        (line,) = summary.stopped
        first = right.count("\n") + 1
        place = re.match(rf"01_small was not graded: {re.escape(str(suite))}:(\d+): ", line)
        assert place is not None, line
        assert first <= int(place[1]) <= first + added.count("\n")
        assert problem in line
        assert "\n" not in line
        assert (summary.lines, summary.exit_code) == ((), 3)
        assert state(course) == before
    suite.write_text(right, encoding="utf-8")
    assert grade(course, zygote)[0].exit_code == 0


def test_the_solution_is_graded_once_until_the_exercise_changes(course: Course, zygote: Zygote) -> None:
    summary, asked = grade(course, zygote)
    assert (summary.exit_code, asked[0]) == (0, "solution")
    assert "solution" not in grade(course, zygote)[1]
    with small(course).suite.open("a") as suite:
        suite.write("\n# changed\n")
    assert grade(course, zygote)[1][0] == "solution"
    assert scores(course) == {"ann": 5.0, "ben": 2.0}


class Failing(InProcess):
    """Fails on one student's notebook, as a test does that breaks for some answers."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, graded in super().map(tasks, marks_only=marks_only):
            broken = failure_report(small(self._course), ())
            fails = submission.student == "ben"
            yield submission, notebook, Graded(broken, problem="it broke") if fails else graded


def test_a_test_that_breaks_for_some_keeps_their_scores_until_somebody_decides(
    course: Course, zygote: Zygote
) -> None:
    grade(course, zygote)
    with small(course).suite.open("a") as suite:
        suite.write("\n# changed\n")
    summary = grade_submissions(course, [small(course)], executor=Failing(course, zygote))
    assert summary.exit_code == 3
    assert scores(course) == {"ann": 5.0, "ben": 2.0}
    entry = gradebook_entry(course, "ben", "double")
    assert (entry.score, entry.needs_person) == (2.0, True)
    assert "An earlier score is kept." in formgrader_page(course, "ben")
    page = feedback(course, "ben")
    assert "autograder" not in page.partition("<main>")[2]
    assert "Until then, the score from the last grading counts." in page
    by_hand(course, "ben", "check-double", 1.0)
    assert not gradebook_entry(course, "ben", "double").needs_person
    grade(course, zygote)
    assert gradebook_entry(course, "ben", "double").score == 1.0


def test_who_never_had_a_score_gets_none_from_a_test_that_breaks(course: Course, zygote: Zygote) -> None:
    grade_submissions(course, [small(course)], executor=Failing(course, zygote))
    assert scores(course) == {"ann": 5.0, "ben": None}
    assert "The autograder failed here" in feedback(course, "ben")


def test_an_export_of_nobody_or_of_fewer_than_before_says_so(course: Course, zygote: Zygote) -> None:
    def export() -> tuple[int, str, int]:
        done = CliRunner().invoke(main, ["--course", str(course.root), "export"])
        text = (course.build / "exports" / "canvas.csv").read_text(encoding="utf-8")
        rows = csv.reader(text.splitlines())
        return done.exit_code, done.output, len([*rows]) - 2

    code, said, rows = export()
    assert (code, max(rows, 0)) == (1, 0)
    assert "WARNING: no student has a score that can be exported" in said
    grade(course, zygote)
    assert export()[::2] == (0, 2)
    grade_submissions(course, [small(course)], executor=Failing(course, zygote), force=True)
    assert export()[::2] == (0, 2)  # ben's score stays
    with writing(course.root) as store:
        store.execute(sqlalchemy.text("update grade set auto_score = null where auto_score = 3.0"))
    code, said, rows = export()
    assert (code, rows) == (1, 1)
    assert "WARNING: 01_small: in the last export, but not in this export: ann" in said
    assert export()[::2] == (0, 1)  # it is said once
