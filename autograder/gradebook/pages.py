"""Reads a course's gradebook for publishing, and writes the pages that students get.

Only `update_scores` and nbgrader's export change the gradebook: they update penalties.

Before the due date, course.yaml can limit pages to the score, or to the score and the list of failed tests.
Such a page leaves out hints, outputs, kinds of failure and details of interrupted cells, because these could
disclose hidden inputs.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.plugins import CsvExportPlugin

from autograder.collecting.attempts import Attempt, attempts_of, recorded_attempt
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, SubmissionError, raise_failure, skipping
from autograder.course.settings import Tells
from autograder.errors import OUR_FAILURE
from autograder.gradebook.assignment import expect_nothing_lost
from autograder.gradebook.attempts import clock_time, describe_attempt, name_of_attempt
from autograder.gradebook.book import write_again
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.config import (
    ConversionError,
    converting,
    grading_lock,
    open_converter,
    open_gradebook,
    write_folder,
)
from autograder.gradebook.grades import read_graded
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.ledger import Ledger, SubmissionLine
from autograder.gradebook.rows import read_row, rows_of
from autograder.gradebook.selection import AttemptSelection
from autograder.records.database import reading
from autograder.records.reports import read_report, recorded_reports
from autograder.records.tables import AUDIT
from autograder.report.feedback_page import render_feedback
from autograder.report.report import GradebookSubmission, QuestionReport, Report, Status, Verdict
from autograder.report.text import is_picture
from autograder.submission.notebook import Notebook, UnreadableError, parse_notebook, read_notebook
from autograder.submission.students import Student, listed_by_id
from autograder.submission.submission import Submission

_EARLY = "Until the due date this page shows"
_NOTES = {
    Tells.SCORE: f"{_EARLY} only the score. The outputs of code cells are left out.",
    Tells.TESTS: f"{_EARLY} which tests did not pass. Hints and the outputs of code cells are left out.",
}
_LOST = "Some code cells did not run to the end."
_OPEN = {Verdict.PASSED, Verdict.REVIEW, Verdict.GRADER_ERROR, Verdict.UNGRADED}
_MAX_PICTURES = 8  # the maximum number of pictures of one cell


def limit_disclosure(
    report: Report, cells: Sequence[NotebookNode], tells: Tells | None
) -> tuple[Report, list[NotebookNode], str]:
    """Return the parts of a report and of a notebook's cells that a page may show, and a note on the rest.

    `tells` limits what the page shows. None means that the page shows everything.
    """
    if tells not in _NOTES:
        return report, list(cells), ""
    message = _LOST if report.status is Status.GRADED and report.message else report.message
    questions = tuple(map(_outcomes, report.questions)) if tells is Tells.TESTS else ()
    shown = [NotebookNode({**cell, "outputs": []}) if cell.cell_type == "code" else cell for cell in cells]
    report = replace(report, message=message, questions=questions, explained=True)
    return report, shown, _NOTES[tells]


def _outcomes(question: QuestionReport) -> QuestionReport:
    """Return a question without hints. If the question was attempted, all kinds of failure become FAILED."""
    is_attempted = any(test.verdict is not Verdict.NOT_ATTEMPTED for test in question.tests)

    def outcome(verdict: Verdict) -> Verdict:
        return Verdict.FAILED if is_attempted and verdict not in _OPEN else verdict

    tests = tuple(replace(test, hint="", verdict=outcome(test.verdict)) for test in question.tests)
    verdict = outcome(question.verdict)
    return QuestionReport(question.name, verdict, question.score, question.max_score, "", None, tests)


def saved_pictures(
    submitted: Notebook, only_draws: Callable[[str], bool], node: NotebookNode
) -> dict[str, tuple[str, ...]]:
    """Return the pictures in a submitted file, in base64, by the id of their cell in the graded notebook.

    Grading does not run demo cells, which only draw, so their pictures come from the submitted file. They
    must be valid PNG, and the cell's code must be the same in both notebooks.
    """
    wanted = {
        cell.id: cell.source for cell in node.cells if cell.cell_type == "code" and only_draws(cell.source)
    }
    if not wanted or submitted.problem:
        return {}
    try:
        cells = parse_notebook(submitted.content)["cells"]
    except UnreadableError:
        return {}
    named_cells = ((f"cell-{number}", cell) for number, cell in enumerate(cells))
    return {
        name: tuple(_pictures(cell))[:_MAX_PICTURES]
        for name, cell in named_cells
        if name in wanted and "".join(cell["source"]) == wanted[name]
    }


def _pictures(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        match output:
            case {"data": {"image/png": str(picture)}} if is_picture(picture):
                yield picture
            case {"data": {"image/png": [*lines]}} if all(isinstance(line, str) for line in lines):
                if is_picture(picture := "".join(lines)):
                    yield picture


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows. While a student can still submit, the page often shows less."""

    # A function that gets a student's id and returns what the page may show, or None for everything.
    tells: Callable[[str], Tells | None] = lambda _: None
    shows_score: Callable[[Attempt], bool] = lambda _: True


class FeedbackExporter(Exporter):  # type: ignore[misc]
    """Makes the feedback page for `nbgrader generate_feedback`."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Return the page on an autograded notebook."""
        node, resources = super().from_notebook_node(nb, resources, **kwargs)
        about, course = resources["nbgrader"], load_course(Path(self.parent.coursedir.root))
        exercise = course.exercises[about["assignment"]]
        (graded,) = read_gradebook(course, exercise, about["student"])
        report = read_report(Submission(course.root, graded.student, exercise.name))
        if report is None:
            raise ConversionError(f"{exercise.name} {graded.student}: was not graded by `autograder grade`")
        return feedback_page(course, exercise, graded, report, node, people=read_people(course)), resources


def feedback_page(
    course: Course,
    exercise: Exercise,
    graded: GradebookSubmission,
    report: Report,
    node: NotebookNode,
    view: View = View(),
    *,
    people: Mapping[str, Student],
) -> str:
    """Return the page on a graded notebook. `people` has the students of the class, by id."""
    submission = Submission(course.root, graded.student, exercise.name)
    attempts = attempts_of(submission)
    counted = recorded_attempt(attempts)
    submitted = read_notebook(counted.notebook) if counted else Notebook(b"")
    person = people.get(graded.student)
    shown, cells, note = limit_disclosure(report, node.cells, view.tells(graded.student))
    lines = [describe_attempt(exercise, each, shows_score=view.shows_score(each)) for each in attempts]
    return render_feedback(
        shown,
        graded,
        cells,
        saved_pictures(submitted, exercise.only_draws, node),
        attempts=lines if len(lines) > 1 else (),
        attempt=name_of_attempt(exercise, attempts, counted) if counted else "",
        passed_over=_passed_over(course, exercise, graded.student, attempts, counted) if counted else "",
        note=note,
        title=exercise.title,
        student=(person.full_name if person else "") or graded.student,
    )


def _passed_over(
    course: Course, exercise: Exercise, student: str, attempts: Sequence[Attempt], counted: Attempt
) -> str:
    """Return a text for the student on why the newest attempt cannot count.

    Return "" if the newest attempt counts, or if `why_passed_over` has no reason against the attempt.
    """
    newest = attempts[-1]
    selection = AttemptSelection(exercise, Lateness(course, exercise), {})
    if newest.recorded or not (why := selection.why_passed_over(student, newest)):
        return ""
    when = clock_time(exercise, newest)
    newest_file = f"Your newest file, of {when}," if when else "Your newest file"
    return f"{newest_file} {why} Your score is for {name_of_attempt(exercise, attempts, counted)}."


def read_gradebook(
    course: Course,
    exercise: Exercise,
    student: str | None = None,
    *,
    as_written: bool = False,
    on_failure: OnFailure = raise_failure,
) -> tuple[GradebookSubmission, ...]:
    """Return the submissions for `exercise` of all students or of one, in order of ids.

    Penalties are computed again, since points may have changed. Unless `as_written` is true, each `#name` in
    graders' comments is replaced by the bank's text. CourseError is raised if a grader has graded a question
    that the exercise no longer has.
    """
    with open_gradebook(course) as gradebook:
        if gradebook is None:
            return ()
        expect_nothing_lost(gradebook, exercise)
        lateness, bank = Lateness(course, exercise), CommentBank(course.root)
        submissions: list[GradebookSubmission] = []
        for row in sorted(rows_of(gradebook, exercise, student), key=lambda row: row.student_id):
            with skipping(course, exercise.name, row.student_id, on_failure):
                submission = lateness.reckon(read_row(exercise, row), row, row.timestamp)
                submissions.append(submission if as_written else bank.put_in(exercise.name, submission))
    return tuple(submissions)


def doubtful_comments(
    course: Course, exercises: Sequence[Exercise], on_failure: OnFailure = raise_failure
) -> Iterator[str]:
    """Yield a warning for each unknown question in the comment bank, and each unknown `#name` in comments."""
    bank = CommentBank(course.root)
    yield from bank.unknown_places(course.exercises)
    for exercise in exercises:
        graded = read_gradebook(course, exercise, as_written=True, on_failure=on_failure)
        yield from bank.unknown_names(exercise.name, graded)


def read_people(course: Course) -> dict[str, Student]:
    """Return the students by id: those in students.csv or, if it does not exist, those in the gradebook."""
    return dict(sorted((listed_by_id(course.root) or _recorded(course)).items()))


def read_former(course: Course) -> dict[str, Student]:
    """Return the students in the gradebook who are not in students.csv, by id.

    Return {} if students.csv does not exist.
    """
    listed = listed_by_id(course.root)
    recorded = _recorded(course) if listed else {}
    return {id_: student for id_, student in recorded.items() if id_ not in listed}


def _recorded(course: Course) -> dict[str, Student]:
    """Return the students in the gradebook by id, with names such as "Lee, Ann"."""
    with open_gradebook(course) as gradebook:
        rows = gradebook.students if gradebook else ()
        names = {row.id: f"{row.last_name or row.id}, {row.first_name or ''}".strip() for row in rows}
        return {row.id: Student(row.id, (names[row.id],), row.email or "") for row in rows}


def read_graders(course: Course, exercises: Sequence[Exercise]) -> dict[tuple[str, str], int]:
    """Return the number of answers whose latest score each grader saved, by grader and exercise."""
    names = [exercise.name for exercise in exercises]
    saves = (
        AUDIT.select().where(AUDIT.c.question.isnot(None), AUDIT.c.exercise.in_(names)).order_by(AUDIT.c.id)
    )
    with reading(course.root) as store:
        rows = store.execute(saves).all()
    last = {(row.student, row.exercise, row.question): (row.by, row.exercise) for row in rows}
    return dict(sorted(Counter(last.values()).items()))


def update_scores(
    course: Course, exercise: Exercise, on_failure: OnFailure = raise_failure
) -> tuple[SubmissionLine, ...]:
    """Update the gradebook after changes of due dates, extensions and graders' scores.

    Return a line on each submission whose scores have changed.
    """
    with grading_lock(course), open_gradebook(course) as gradebook:
        if gradebook is None:
            return ()
        ledger = Ledger(course, exercise, gradebook)
    for error in ledger.failures.values():
        on_failure(error)
    return tuple(line for line in map(ledger.line, ledger.current) if line.why)


class CurrentCsvExport(CsvExportPlugin):  # type: ignore[misc]
    """Updates all scores, and writes nbgrader's own table of grades."""

    def export(self, gradebook: Gradebook) -> None:
        """Update the scores of all exercises in the gradebook, then export.

        If a submission cannot be updated, the log names it, and the exit code after the export is 3.
        """
        course = load_course(Path(self.parent.coursedir.root))
        recorded = {assignment.name for assignment in gradebook.assignments}
        failures: list[SubmissionError] = []
        for name, exercise in course.exercises.items():
            if name in recorded:
                with grading_lock(course):
                    failures += Ledger(course, exercise, gradebook).failures.values()
        super().export(gradebook)
        for error in failures:
            self.parent.log.error("%s", error)
        if failures:
            self.parent.exit(OUR_FAILURE)


def write_feedback(
    course: Course,
    exercise: Exercise,
    students: Container[str] | None = None,
    view: View = View(),
) -> Iterator[Path | ConversionError | SubmissionError]:
    """Write a page for each graded submission, or only for these `students`, and yield its path or an error.

    Each page's folder also gets the files with which nbgrader's exchange can return the page.
    """
    people, failures = read_people(course), list[SubmissionError]()
    with reading(course.root) as store:
        reports = recorded_reports(store, exercise.name)
    with open_converter(GenerateFeedback, course, exercise) as converter:
        for graded in read_gradebook(course, exercise, on_failure=failures.append):
            submission = Submission(course.root, graded.student, exercise.name)
            if students is not None and graded.student not in students:
                continue
            try:
                with converting(course, converter.log, exercise.name, graded.student):
                    if graded.student not in reports:
                        continue
                    if not (node := read_graded(submission)):
                        write_again(course, exercise, submission)
                        node = read_graded(submission)
                    report = reports[graded.student]
                    text = feedback_page(course, exercise, graded, report, node, view, people=people)
                    counted = recorded_attempt(attempts_of(submission))
                    others = counted.companions if counted else {}
                    write_folder(converter, submission, submission.feedback, text, others)
            except ConversionError as error:
                yield error
            else:
                yield submission.feedback
    yield from (error for error in failures if students is None or error.student in students)
