"""Holds one exercise's part of the gradebook open while the submissions of a class go into it.

One connection serves all submissions, where nbgrader's autograde opens several for each. Both ways lead
through the same steps and leave the same rows and files. A dry run does that in a copy of the course.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.utils import find_all_files

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import FOLDERS, GRADEBOOK, STORE
from autograder.errors import UsageError
from autograder.gradebook.assignment import register
from autograder.gradebook.attempts import companions
from autograder.gradebook.config import (
    FILE,
    ConversionError,
    converting,
    copy_database,
    database,
    gradebook_file,
    load,
    open_converter,
    write_folder,
)
from autograder.gradebook.grades import Release, keep_answers, take_in, written
from autograder.gradebook.ledger import Ledger
from autograder.gradebook.rows import enter_students, rows_on
from autograder.grading.graded import Graded
from autograder.report.report import Report
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

# Grading neither reads nor changes these.
_LEFT_OUT = ("build", "feedback", "backups", ".git", f"{GRADEBOOK}-journal", f"{STORE}-journal")


class ExerciseGradebook:
    """Takes graded submissions of one exercise in; use it in a `with` block.

    Entering the block records the exercise as it is now, with its due date.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course, self._exercise = course, exercise
        self._release = Release(course, exercise)
        self._open = ExitStack()
        self.ledger = Ledger(course, exercise, load(course))

    def __enter__(self) -> "ExerciseGradebook":
        course, exercise = self._course, self._exercise
        register(course, exercise)
        self._gradebook = self._open.enter_context(Gradebook(database(course), course.settings.course))
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
        try:
            kept = json.loads(submission.autograded.read_text(encoding="utf-8"))["metadata"]["autograder"]
            report = Report.from_dict(kept["report"])
            current = kept["fingerprint"] == digest_of(self._release.rules, notebook)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return report if current else None

    def arrived(self, submission: Submission) -> None:
        """Take note of when a submission came that is graded already."""
        self.ledger.arrived(self._gradebook, submission)

    def take_in(self, submission: Submission, notebook: Notebook, graded: Graded) -> float:
        """Take a graded submission in and write its autograded notebook; return how many seconds late it is.

        The notebook is written last: where it exists, the gradebook has the rest.
        """
        try:
            with converting(self._course, self._autograde.log, submission.exercise, submission.student):
                rows = rows_on(self._gradebook, self._exercise, submission.student)
                node = take_in(self._gradebook, self._release, rows, notebook, graded)
                rules = self._release.rules
                settled = self.ledger.settle(
                    self._gradebook, submission, notebook, rows, graded.report, rules
                )
                text = written(node)
                others = self._companions(submission)
                write_folder(self._autograde, submission, submission.autograded, text, others)
        except ConversionError:
            self._gradebook.db.rollback()
            raise
        self._gradebook.db.expunge_all()
        return settled.seconds_late

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
def copied_state(course: Course) -> Iterator[Course]:
    """Yield the course with a copy of its state, in which a dry run grades, and delete the copy."""
    gradebook = gradebook_file(course)
    if gradebook is None:
        raise UsageError("--dry-run: the gradebook is on a database server, which cannot be copied")
    course.build.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="dry-run-", dir=course.build) as folder:
        root = Path(folder)
        for path in course.root.absolute().iterdir():
            if path.name in FOLDERS and path.is_dir() and not path.is_symlink():
                shutil.copytree(path, root / path.name, symlinks=True, copy_function=_share)
            elif path.name == STORE:
                copy_database(path, root / STORE)
            elif path.name not in (*_LEFT_OUT, FILE, gradebook.name) and not path.name.endswith(".lock"):
                (root / path.name).symlink_to(path)
        if gradebook.is_file():
            copy_database(gradebook, root / gradebook.name)
        settings = course.root / FILE
        text = settings.read_text(encoding="utf-8") if settings.is_file() else "c = get_config()\n"
        text += f"\nc.CourseDirectory.db_url = {f'sqlite:///{root.absolute() / gradebook.name}'!r}\n"
        (root / FILE).write_text(text, encoding="utf-8")
        copy = Course(root, course.settings)
        copy.marks_only = course.marks_only
        yield copy


def _share(source: str, target: str) -> None:
    """Let a copy share a file if the system allows it: files are replaced and never changed in place."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
