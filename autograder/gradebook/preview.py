"""Says what grading would change: the steps of `ExerciseGradebook`, but nothing is written."""

from collections.abc import Mapping
from datetime import datetime

from nbgrader.api import Grade, Gradebook, SubmittedAssignment

from autograder.collecting.attempts import Attempt
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.answers import are_kept, read_answers
from autograder.gradebook.assignment import expect_nothing_lost
from autograder.gradebook.config import database, gradebook_exists
from autograder.gradebook.folder_check import handed_in, time_in
from autograder.gradebook.grades import enter, judge
from autograder.gradebook.opened import OpenedGradebook
from autograder.gradebook.reading import entries_of, points_by_cell
from autograder.gradebook.rows import by_cell, rows_of
from autograder.grading.graded import Graded
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


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
