"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files.
"""

import json
from contextlib import ExitStack
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.utils import find_all_files

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.answers import keep_answers
from autograder.gradebook.autograded import Release
from autograder.gradebook.config import database, load
from autograder.gradebook.conversion import ConversionError, converting, open_converter, write_folder
from autograder.gradebook.folder_check import companions
from autograder.gradebook.grades import take_in
from autograder.gradebook.ledger import Ledger
from autograder.gradebook.release import register
from autograder.gradebook.roster import enter_student, enter_students
from autograder.grading.graded import Graded
from autograder.report.report import Report
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


class ExerciseGradebook:
    """Takes graded submissions of one exercise in; use it in a `with` block.

    Entering the block records the exercise as it is now, with its due date.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course = course
        self._exercise = exercise
        self._database = database(course)
        self._release = Release(course, exercise)
        self.ledger = Ledger(course, exercise, load(course))
        self._open = ExitStack()

    def __enter__(self) -> "ExerciseGradebook":
        course, exercise = self._course, self._exercise
        register(course, exercise)
        self._gradebook = self._open.enter_context(Gradebook(self._database, course.settings.course))
        enter_students(self._gradebook, course)
        self._gradebook.db().expire_on_commit = False  # a submission's rows are read once and let go
        self._autograde = self._open.enter_context(open_converter(Autograde, course, exercise))
        self._folders = self._autograde.coursedir
        keep_answers(self._gradebook)
        self.ledger.open(self._gradebook)
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
        """Take note of when a submission came that is graded already."""
        self.ledger.arrived(self._gradebook, submission)

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> float:
        """Take a graded submission in and write its autograded notebook; return how many seconds late it is.

        The notebook is written last: where it exists, the gradebook has the rest.
        """
        try:
            with converting(self._course, self._autograde.log, submission.exercise, submission.student):
                self._enter(submission)
                recorded = take_in(self._gradebook, self._release, submission, notebook, graded)
                settled = self.ledger.settle(self._gradebook, submission, notebook, recorded)
                text = nbformat.writes(recorded.node) + "\n"
                others = self._companions(submission)
                write_folder(self._autograde, submission, submission.autograded, text, others)
        except ConversionError:
            self._gradebook.db.rollback()
            raise
        self._gradebook.db.expunge_all()
        return settled.seconds_late

    def _enter(self, submission: Submission) -> None:
        """Give a submission its rows in the gradebook, if it has none."""
        enter_student(self._gradebook, submission.student)
        self._gradebook.update_or_create_submission(submission.exercise, submission.student)

    def _companions(self, submission: Submission) -> dict[str, Path]:
        """Return the files beside the autograded notebook: a few of the student's, all of the exercise's."""
        own = {path.name: path for path in companions(submission)}
        source = Path(self._folders.format_path(self._folders.source_directory, ".", submission.exercise))
        files = find_all_files(str(source), [*self._folders.ignore, "*.ipynb"])
        return own | {str(Path(path).relative_to(source)): Path(path) for path in files}


def standing_report(release: Release, submission: Submission, notebook: Notebook) -> Report | None:
    """Return the report in the autograded notebook, if grading again would give the same one."""
    try:
        kept = json.loads(submission.autograded.read_text(encoding="utf-8"))["metadata"]["autograder"]
        report = Report.from_dict(kept["report"])
        current = kept["fingerprint"] == digest_of(release.rules, notebook)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return report if current else None
