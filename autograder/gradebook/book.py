"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path

from nbgrader.api import Grade, Gradebook, SubmittedAssignment
from nbgrader.converters import Autograde
from nbgrader.utils import find_all_files
from sqlalchemy.exc import SQLAlchemyError

from autograder.collecting.attempts import Attempt
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import expect_nothing_lost, register
from autograder.gradebook.config import (
    ConversionError,
    converting,
    database,
    gradebook_exists,
    load,
    open_converter,
    write_folder,
)
from autograder.gradebook.folder_check import companions, handed_in, time_in
from autograder.gradebook.grades import (
    Release,
    are_kept,
    enter,
    judge,
    keep_answers,
    read_answers,
    take_in,
    written,
)
from autograder.gradebook.ledger import Ledger
from autograder.gradebook.rows import (
    ExerciseRows,
    by_cell,
    enter_students,
    entries_of,
    points_by_cell,
    rows_of,
)
from autograder.grading.graded import Graded
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


class OpenedGradebook:
    """One exercise's part of the gradebook; what a `with` block has opened is closed at its end."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course = course
        self._exercise = exercise
        self._release = Release(course, exercise)
        self._open = ExitStack()
        self.ledger = Ledger(course, exercise, load(course))

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def seconds_late(self) -> dict[str, float]:
        """Return by how much each student's submission in the gradebook is late."""
        return {student: known.seconds_late for student, known in self.ledger.known.items()}

    def report(self, submission: Submission, notebook: Notebook) -> Report | None:
        """Return the report in the autograded notebook, if grading again would give the same one."""
        try:
            kept = json.loads(submission.autograded.read_text(encoding="utf-8"))["metadata"]["autograder"]
            report = Report.from_dict(kept["report"])
            current = kept["fingerprint"] == digest_of(self._release.rules, notebook)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return report if current else None


class ExerciseGradebook(OpenedGradebook):
    """Takes graded submissions of one exercise in; use it in a `with` block.

    Entering the block records the exercise as it is now, with its due date.
    """

    def __enter__(self) -> "ExerciseGradebook":
        course, exercise = self._course, self._exercise
        register(course, exercise)
        self._gradebook = self._open.enter_context(Gradebook(database(course), course.settings.course))
        enter_students(self._gradebook, course)
        self._gradebook.db().expire_on_commit = False  # a submission's rows are read once and let go
        self._autograde = self._open.enter_context(open_converter(Autograde, course, exercise))
        self._folders = self._autograde.coursedir
        keep_answers(self._gradebook)
        self._open.enter_context(_lasting_journal(self._gradebook))
        self.ledger.open(self._gradebook)
        self._rows = ExerciseRows(self._gradebook, exercise)
        self._gradebook.db.expunge_all()
        return self

    def arrived(self, submission: Submission) -> None:
        """Take note of when a submission came that is graded already."""
        self.ledger.arrived(self._gradebook, submission)

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> float:
        """Take a graded submission in and write its autograded notebook; return how many seconds late it is.

        The notebook is written last: where it exists, the gradebook has the rest.
        """
        try:
            with converting(self._course, self._autograde.log, submission.exercise, submission.student):
                rows = self._rows.of(submission.student)
                node = take_in(self._gradebook, self._release, rows, submission, notebook, graded)
                settled = self.ledger.settle(
                    self._gradebook, submission, notebook, rows, node.metadata["autograder"]
                )
                text = written(node)
                others = self._companions(submission)
                write_folder(self._autograde, submission, submission.autograded, text, others)
        except ConversionError:
            self._gradebook.db.rollback()
            self._note_without_scores(submission)
            raise
        self._gradebook.db.expunge_all()
        return settled.seconds_late

    def _note_without_scores(self, submission: Submission) -> None:
        """Give a submission that could not be recorded its rows all the same: people see that it is there."""
        with suppress(SQLAlchemyError):
            self._rows.of(submission.student).save(self._gradebook)
            self._gradebook.db.commit()

    def _companions(self, submission: Submission) -> dict[str, Path]:
        """Return the files beside the autograded notebook: a few of the student's, all of the exercise's."""
        return {path.name: path for path in companions(submission)} | self._handout

    @cached_property
    def _handout(self) -> dict[str, Path]:
        """The exercise's files besides the notebook; all submissions get the same ones."""
        source = Path(self._folders.format_path(self._folders.source_directory, ".", self._exercise.name))
        files = find_all_files(str(source), [*self._folders.ignore, "*.ipynb"])
        return {str(Path(path).relative_to(source)): Path(path) for path in files}


@contextmanager
def _lasting_journal(gradebook: Gradebook) -> Iterator[None]:
    """Let SQLite keep its journal from one submission to the next, where it makes a new file each time.

    Some file systems make files slowly as long as they remember those that were deleted just before.
    """
    if gradebook.engine.dialect.name != "sqlite":
        yield
        return
    gradebook.db.connection().exec_driver_sql("PRAGMA journal_mode = PERSIST")
    gradebook.db.commit()
    yield
    gradebook.db.rollback()
    gradebook.db.connection().exec_driver_sql("PRAGMA journal_mode = DELETE")
    gradebook.db.commit()


class PreviewedGradebook(OpenedGradebook):
    """Stands in the place of an exercise's gradebook; use it in a `with` block."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        super().__init__(course, exercise)
        self._gradebook: Gradebook | None = None
        self.counting: Mapping[str, Attempt] = {}  # which attempts would count, where they may be others

    def __enter__(self) -> "PreviewedGradebook":
        if gradebook_exists(self._course):
            address = database(self._course)
            self._gradebook = self._open.enter_context(Gradebook(address, self._course.settings.course))
            expect_nothing_lost(self._gradebook, self._exercise)
            self.ledger.open(self._gradebook, dry_run=True)
            self._gradebook.db.expunge_all()
        return self

    def arrived(self, submission: Submission) -> None:
        """Reckon what the time when it came changes about a submission that is graded already."""
        if row := self._row(submission):
            self.ledger.expect(
                self.ledger.known[submission.student], row, submission, None, self._came(submission)
            )

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> float:
        """Reckon what a graded submission would come to; return how many seconds late it is."""
        row = self._row(submission)
        node = self._release.restored(notebook)
        judged = judge(self._release, node, notebook, graded.report)
        grades, comments = by_cell(() if row is None else row.notebooks)
        answers = {}
        if self._gradebook is not None and grades:
            kept = are_kept(self._gradebook)
            answers = read_answers(self._gradebook, self._release, submission, grades, kept=kept)
        points = points_by_cell(self._exercise)
        grades = {name: grades.get(name) or Grade() for name in points}
        enter(judged, grades, answers)
        entries = entries_of(self._exercise, submission.student, grades, comments, points)
        after = GradebookSubmission(submission.student, 0.0, 0.0, entries)
        self.ledger.expect(after, row, submission, notebook, self._came(submission))
        return self.ledger.known[submission.student].seconds_late

    def _came(self, submission: Submission) -> datetime | None:
        attempt = self.counting.get(submission.student)
        return handed_in(submission) if attempt is None else time_in(attempt.folder)

    def _row(self, submission: Submission) -> SubmittedAssignment | None:
        """Return nbgrader's row on a submission, cut off from the gradebook, so that no change reaches it."""
        if self._gradebook is None:
            return None
        found = rows_of(self._gradebook, self._exercise, submission.student)
        self._gradebook.db.expunge_all()
        return found[0] if found else None
