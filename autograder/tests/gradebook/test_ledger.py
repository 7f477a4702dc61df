"""What submissions are worth when points, dates or extensions change, and what the audit says of it."""

import csv
import sqlite3
from contextlib import closing
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.exportapp import ExportApp
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.course.course import Course
from autograder.course.guard import SubmissionError
from autograder.gradebook.book import ExerciseGradebook, copied_state
from autograder.gradebook.config import load
from autograder.gradebook.lateness import Lateness, extend
from autograder.gradebook.pages import update_scores
from autograder.grading.graded import Graded
from autograder.records.audit import audit_lines
from autograder.records.database import gradebook_url
from autograder.report.report import GradebookSubmission, Verdict
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, small, solved
from autograder.tests.gradebook.rows import (
    Formgrader,
    full_marks,
    gradebook_submission,
    record,
    reports,
    ruled,
    take_in,
)

LATE = "2026-03-01 18:30:00 UTC"  # by an hour and a half


def kept(course: Course, student: str = "ann") -> tuple[float | None, float, float]:
    """Return what nbgrader's own tables say: penalty, score without it, seconds late."""
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        row = gradebook.find_submission("01_small", student)
        return row.notebooks[0].late_submission_penalty, row.score, row.total_seconds_late


def ready_made_export(course: Course) -> dict[str, str]:
    """Return the only row that `nbgrader export` writes."""
    config = load(course)
    config.merge(Config({"ExportPlugin": {"to": str(course.root / "grades.csv")}}))
    app = ExportApp(config=config)
    app.coursedir = CourseDirectory(config=config)
    app.init_plugin()
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        app.plugin_inst.export(gradebook)
    (row,) = csv.DictReader((course.root / "grades.csv").read_text(encoding="utf-8").splitlines())
    return row


@pytest.fixture
def late(ready: Course) -> Course:
    """Return a course in which ann handed in late, which costs a tenth of 7 points a day."""
    course = ruled(ready, late="percent: 10, cut_off: 3 days")
    record(course, "ann", made=solved(small(course)), late=LATE)
    return course


def test_a_penalty_stands_where_nbgrader_keeps_it_and_follows_dates_without_grading_again(
    late: Course,
) -> None:
    assert kept(late) == (0.7, 5.0, 5400.0)
    assert gradebook_submission(late, "ann").score == 4.3
    sooner = ruled(late, late="percent: 10, cut_off: 3 days", due="2026-02-27 18:00 Europe/Berlin")
    assert gradebook_submission(sooner, "ann").penalty == 2.1  # whoever reads needs no other command first
    (change,) = update_scores(sooner, small(sooner))
    assert (change.before, change.after, change.why) == (4.3, 2.9, "dates or late policy")
    assert kept(sooner) == (2.1, 5.0, 178200.0)
    later = ruled(late, late="percent: 10", due="2026-03-02 18:00 Europe/Berlin")
    update_scores(later, small(later))
    assert kept(later) == (None, 5.0, 0.0)


def test_a_penalty_follows_points_that_a_person_gives_whoever_reads_them_first(late: Course) -> None:
    course = ruled(late, late="percent: 10, cut_off: 1 hour")
    update_scores(course, small(course))
    assert kept(course)[0] == 5.0
    page = Formgrader(course)
    page.grade("ann", "why", 1.5)
    page.gradebook.close()
    seen = gradebook_submission(course, "ann")
    assert (seen.penalty, seen.score) == (6.5, 0.0)
    with copied_state(course) as copy:
        assert update_scores(copy, small(copy)) == ()  # a score that was never shown is no change
    table = ready_made_export(course)
    assert kept(course) == (6.5, 6.5, 5400.0)
    assert (table["raw_score"], table["late_submission_penalty"], table["score"]) == ("6.5", "6.5", "0.0")
    assert [line["why"] for line in audit_lines(course)] == ["new", "dates or late policy", "by hand"]
    assert update_scores(course, small(course)) == ()


def test_a_score_that_is_no_number_is_a_line_of_its_submission_and_all_others_are_settled(
    late: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    record(late, "zoe", made=solved(small(late)), late=LATE)
    with closing(sqlite3.connect(late.root / "gradebook.db")) as gradebook, gradebook:
        rows = "select g.id from grade g join submitted_notebook n on n.id = g.notebook_id"
        rows += " join submitted_assignment a on a.id = n.assignment_id where a.student_id = 'ann'"
        gradebook.execute(f"update grade set manual_score = 'three' where id in ({rows})")
    extend(late, "zoe", "01_small", "+1 day")
    failures = list[SubmissionError]()
    assert [change.student for change in update_scores(late, small(late), failures.append)] == ["zoe"]
    assert [one.student for one in failures] == ["ann"]
    assert failures[0].problem.startswith("cannot be processed: ValueError; ")
    with pytest.raises(SystemExit) as ended:
        ready_made_export(late)
    assert ended.value.code == 3
    table = (late.root / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert [row["student_id"] for row in csv.DictReader(table)] == ["ann", "zoe"]
    assert "01_small ann: cannot be processed: ValueError; " in capsys.readouterr().err


def test_a_penalty_that_cannot_be_computed_is_the_failure_of_its_submission_alone(
    late: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(late, "zoe", made=solved(small(late)), late=LATE)
    extend(late, "zoe", "01_small", "+1 day")
    original = Lateness.reckon

    def broken(self: Lateness, submission: GradebookSubmission, *rest: Any) -> GradebookSubmission:
        if submission.student == "ann":
            raise ArithmeticError
        return original(self, submission, *rest)

    monkeypatch.setattr(Lateness, "reckon", broken)
    failures = list[SubmissionError]()
    assert [change.student for change in update_scores(late, small(late), failures.append)] == ["zoe"]
    assert [failure.student for failure in failures] == ["ann"]


def test_an_extension_counts_whenever_it_is_given(late: Course) -> None:
    extend(late, "ann", "01_small", "2026-03-01 19:00 UTC")
    extend(late, "ben", "01_small", "2026-03-01 18:00 UTC")
    (change,) = update_scores(late, small(late))
    assert (change.student, change.before, change.after) == ("ann", 4.3, 5.0)
    assert kept(late) == (None, 5.0, 0.0)
    record(late, "ben", made=solved(small(late)), late=LATE)
    assert kept(late, "ben") == (0.7, 5.0, 1800.0)
    extend(late, "ann", "01_small", None)
    update_scores(late, small(late))
    assert kept(late) == (0.7, 5.0, 5400.0)


def test_a_time_that_was_wrong_is_put_right_without_grading_again(late: Course) -> None:
    submission = Submission(late.root, "ann", "01_small")
    for text, seconds in (("2026-03-01 17:00:01 UTC", 1.0), (LATE, 5400.0)):
        (submission.folder / "timestamp.txt").write_text(text, encoding="utf-8")
        with ExerciseGradebook(late, small(late)) as book:
            assert book.begin(submission) == []
            book.finish(submission)
        assert kept(late)[2] == seconds


def worse(course: Course) -> Graded:
    """Return what grading comes to if the first question scores nothing."""
    graded = full_marks(small(course))
    first, *others = graded.report.questions
    failed = replace(first, score=0.0, verdict=Verdict.FAILED)
    return replace(graded, report=replace(graded.report, questions=(failed, *others)))


class KilledError(BaseException):
    """The grader is killed here."""


@pytest.mark.parametrize(
    "step", ["autograder.gradebook.ledger.add_line", "autograder.gradebook.book.write_folder"]
)
def test_a_grader_that_is_killed_leaves_score_report_and_line_together_or_none_of_them(
    late: Course, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = list(audit_lines(late)), reports(late), gradebook_submission(late, "ann")
    submission = hand_in(late, "ann", solved(small(late), row_sums=WRONG_SUMS), late=LATE)

    original = resolve_name(step)

    def killed(*arguments: Any, **options: Any) -> Any:
        if step.endswith("add_line") and not options["digests"]:  # opening the gradebook grades nothing
            return original(*arguments, **options)
        raise KilledError

    monkeypatch.setattr(step, killed)
    with pytest.raises(KilledError):
        record(late, "ann", worse(late))
    monkeypatch.undo()
    after = list(audit_lines(late)), reports(late), gradebook_submission(late, "ann")
    if step.endswith("add_line"):
        assert after == before
    else:
        assert [len(one) for one in after[:2]] == [len(one) + 1 for one in before[:2]]
        assert (after[0][-1]["score"], after[2].score) == (2.3, 2.3)
        assert not submission.autograded.exists()
    with ExerciseGradebook(late, small(late)) as book:
        if book.begin(submission):
            take_in(book, submission, worse(late))
        else:
            book.finish(submission)
    assert (list(audit_lines(late))[-1]["score"], gradebook_submission(late, "ann").score) == (2.3, 2.3)
    assert "x.sum(dim=0)" in submission.autograded.read_text(encoding="utf-8")


def test_the_audit_says_why_and_by_what_and_only_grows(late: Course) -> None:
    before = list(audit_lines(late))
    small(late).suite.write_text(small(late).suite.read_text() + "# changed\n", encoding="utf-8")
    record(late, "ann", made=solved(small(late), row_sums=WRONG_SUMS), late=LATE)
    after = list(audit_lines(late))
    assert after[: len(before)] == before
    line = after[-1]
    why = "another notebook (attempt 2 of 2, 2026-03-01 19:30 CET), changed tests"
    assert (line["why"], line["before"], line["score"]) == (why, 4.3, 4.3)
    assert (line["penalty"], line["questions"]["double"]) == (0.7, [2.0, None, None])
    notebook = read_notebook(Submission(late.root, "ann", "01_small").notebook)
    assert line["digests"]["notebook"] == notebook.digest
    digests = {"notebook", "source", "suite", "settings", "inputs", "engine", "environment"}
    assert set(line["digests"]) == digests
    record(late, "ann")
    assert list(audit_lines(late)) == after  # nothing has changed


def test_within_the_grace_is_not_late_and_after_it_the_page_can_say_how_late_it_is(late: Course) -> None:
    found, rule = gradebook_submission(late, "ann"), "1 day late, rounded up, which costs 10 % of 7 points"
    assert (found.seconds_late, found.late_rule) == (5400.0, rule)
    found = gradebook_submission(ruled(late, late="percent: 10, grace: 2 hours"), "ann")
    assert (found.seconds_late, found.penalty, found.late_rule) == (0.0, 0.0, "")
