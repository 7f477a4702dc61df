"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.utils import find_all_files
from sqlalchemy.exc import SQLAlchemyError

from autograder.gradebook.answers import keep_answers
from autograder.gradebook.autograded import written
from autograder.gradebook.config import database
from autograder.gradebook.conversion import ConversionError, converting, open_converter, write_folder
from autograder.gradebook.folder_check import companions
from autograder.gradebook.grades import take_in
from autograder.gradebook.opened import OpenedGradebook
from autograder.gradebook.release import register
from autograder.gradebook.roster import enter_students
from autograder.gradebook.rows import ExerciseRows
from autograder.grading.graded import Graded
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


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
