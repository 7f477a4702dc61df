"""Says what grading would change: the steps of `ExerciseGradebook`, but nothing is written."""

from contextlib import ExitStack

from nbgrader.api import Comment, Grade, Gradebook, SubmittedAssignment

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.answers import are_kept, read_answers
from autograder.gradebook.autograded import Release
from autograder.gradebook.book import standing_report
from autograder.gradebook.config import database, gradebook_exists, load
from autograder.gradebook.grades import enter, judge
from autograder.gradebook.ledger import Ledger
from autograder.gradebook.reading import entries_of, points_by_cell, rows_of
from autograder.grading.graded import Graded
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


class PreviewedGradebook:
    """Stands in the place of an exercise's gradebook; use it in a `with` block."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course = course
        self._exercise = exercise
        self._release = Release(course, exercise)
        self._gradebook: Gradebook | None = None
        self._open = ExitStack()
        self.ledger = Ledger(course, exercise, load(course))

    def __enter__(self) -> "PreviewedGradebook":
        if gradebook_exists(self._course):
            address = database(self._course)
            self._gradebook = self._open.enter_context(Gradebook(address, self._course.settings.course))
            self.ledger.open(self._gradebook, dry_run=True)
            self._gradebook.db.expunge_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def seconds_late(self) -> dict[str, float]:
        """Return by how much each student's submission in the gradebook is late."""
        return {student: known.seconds_late for student, known in self.ledger.known.items()}

    def report(self, submission: Submission, notebook: Notebook) -> Report | None:
        """Return the report in the autograded notebook, if grading again would give the same one."""
        return standing_report(self._release, submission, notebook)

    def arrived(self, submission: Submission) -> None:
        """Reckon what the time when it came changes about a submission that is graded already."""
        if row := self._row(submission):
            self.ledger.expect(self.ledger.known[submission.student], row, submission, None)

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> float:
        """Reckon what a graded submission would come to; return how many seconds late it is."""
        row = self._row(submission)
        node = self._release.restored(notebook)
        judged = judge(self._release, node, notebook, graded.report)
        grades, comments = _rows(row)
        answers = {}
        if self._gradebook is not None and grades:
            kept = are_kept(self._gradebook)
            answers = read_answers(self._gradebook, self._release, submission, grades, kept=kept)
        points = points_by_cell(self._exercise)
        grades = {name: grades.get(name) or Grade() for name in points}
        enter(judged, grades, answers)
        entries = entries_of(self._exercise, submission.student, grades, comments, points)
        after = GradebookSubmission(submission.student, 0.0, 0.0, entries)
        self.ledger.expect(after, row, submission, notebook)
        return self.ledger.known[submission.student].seconds_late

    def _row(self, submission: Submission) -> SubmittedAssignment | None:
        """Return nbgrader's row on a submission, cut off from the gradebook, so that no change reaches it."""
        if self._gradebook is None:
            return None
        found = rows_of(self._gradebook, self._exercise, submission.student)
        self._gradebook.db.expunge_all()
        return found[0] if found else None


def _rows(row: SubmittedAssignment | None) -> tuple[dict[str, Grade], dict[str, Comment]]:
    notebooks = [] if row is None else row.notebooks
    grades = {grade.cell.name: grade for notebook in notebooks for grade in notebook.grades}
    comments = {comment.cell.name: comment for notebook in notebooks for comment in notebook.comments}
    return grades, comments
