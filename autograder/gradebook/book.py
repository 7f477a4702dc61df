"""One exercise's part of the gradebook, held open while a class goes through it.

It does for many submissions, with one connection, what nbgrader's autograde and generate_feedback do for each
with many. Both ways lead through the same steps and leave the same rows and files.
"""

import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import find_all_files
from sqlalchemy.exc import SAWarning

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import write_whole
from autograder.gradebook.autograded import Release
from autograder.gradebook.config import database, load
from autograder.gradebook.folder_check import companions
from autograder.gradebook.grades import complete, record
from autograder.gradebook.reading import handins
from autograder.gradebook.release import ConversionError, log_of, register, told
from autograder.grading.grader import Graded
from autograder.report.feedback_page import render_feedback
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.digest import fingerprint, rules
from autograder.submission.submission import Submission


def read_gradebook(course: Course, exercise: Exercise) -> tuple[GradebookSubmission, ...]:
    """Return the submissions of `exercise` in the course's gradebook; none where there is no gradebook."""
    address = database(course)
    if address.startswith("sqlite:///") and not Path(address.removeprefix("sqlite:///")).is_file():
        return ()
    with Gradebook(address, course.settings.course) as gradebook:
        return handins(gradebook, exercise)


class ExerciseGradebook:
    """Takes an exercise's graded submissions in, and gives pages out; use it in a `with` block.

    Opening it makes the gradebook know the exercise as it is now, and when it is due.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course = course
        self._exercise = exercise
        self._database = database(course)
        self._rules = rules(course, exercise.name)
        self._release = Release(exercise)
        self._open = ExitStack()

    def __enter__(self) -> "ExerciseGradebook":
        course, exercise = self._course, self._exercise
        register(course, exercise)
        self._log = self._open.enter_context(log_of(course))
        self._gradebook = self._open.enter_context(Gradebook(self._database, course.settings.course))
        self._gradebook.db().expire_on_commit = False  # a submission's rows are read once and let go
        config = load(course)
        config.CourseDirectory.assignment_id = exercise.name
        self._folders = CourseDirectory(config=config, log=self._log)
        self._autograde, self._feedback = (
            kind(coursedir=self._folders, config=config, log=self._log)
            for kind in (Autograde, GenerateFeedback)
        )
        self._penalties = AssignLatePenalties(parent=self._autograde)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def handins(self) -> dict[str, GradebookSubmission]:
        """Return the submissions in the gradebook, by student, in order of their ids."""
        return {handin.student: handin for handin in handins(self._gradebook, self._exercise)}

    def report(self, student: str) -> Report | None:
        """Return the report on a student's submission, if nothing has changed since it was taken in."""
        submission = self._submission(student)
        try:
            kept = json.loads(submission.autograded.read_text(encoding="utf-8"))["metadata"]["autograder"]
            report = Report.from_dict(kept["report"])
            current = kept["fingerprint"] == fingerprint(self._rules, submission)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return report if current else None

    def record(self, student: str, graded: Graded) -> float:
        """Take a graded submission in and write its autograded notebook; return how many seconds late it is.

        The notebook comes last: where it stands, the gradebook has the rest.
        """
        submission = self._submission(student)
        with self._telling(student):
            row = self._row(submission)
            node = self._release.restored(submission.notebook)
            own_text = self._release.has_own_text(node)
            complete(node, graded, fingerprint(self._rules, submission))
            record(self._gradebook, submission, node, graded.report, own_text=own_text)
            self._penalize(row, node)
            text = nbformat.writes(node) + "\n"
            self._write(self._autograde, submission.autograded, text, self._companions(submission))
            late = float(row.total_seconds_late)
        self._gradebook.db.expunge_all()
        return late

    def write_page(self, handin: GradebookSubmission) -> Path:
        """Write the page that a student gets, and return where it is."""
        submission = self._submission(handin.student)
        with self._telling(handin.student):
            node = nbformat.read(submission.autograded, as_version=4)
            report = Report.from_dict(node.metadata["autograder"]["report"])
            text = render_feedback(report, handin, node.cells)
            beside = submission.autograded.parent.iterdir()
            others = {path.name: path for path in beside if path.suffix != ".ipynb"}
            self._write(self._feedback, submission.feedback, text, others)
        return submission.feedback

    def _submission(self, student: str) -> Submission:
        return Submission(self._course.root, student, self._exercise.name)

    @contextmanager
    def _telling(self, student: str) -> Iterator[None]:
        """Turn whatever goes wrong into a ConversionError: others must get their turn."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
                yield
        except Exception as error:
            self._gradebook.db.rollback()
            self._log.exception("%s %s", self._exercise.name, student)
            raise ConversionError(told(self._course, self._exercise.name, student)) from error

    def _row(self, submission: Submission) -> SubmittedAssignment:
        """Return the gradebook's row on a submission, made where there is none, with the time it came."""
        self._gradebook.update_or_create_student(submission.student)
        timestamp = self._folders.get_existing_timestamp(str(submission.folder))
        came = {"timestamp": timestamp} if timestamp else {}
        return self._gradebook.update_or_create_submission(submission.exercise, submission.student, **came)

    def _penalize(self, row: SubmittedAssignment, node: NotebookNode) -> None:
        """Let nbgrader's plugin take points off for being late; only who is late needs it."""
        (notebook,) = row.notebooks
        if row.total_seconds_late <= 0 and notebook.late_submission_penalty is None:
            return
        name = self._exercise.name
        about = {"notebook": name, "assignment": name, "student": row.student_id, "db_url": self._database}
        self._penalties.preprocess(node, {"nbgrader": about})

    def _companions(self, submission: Submission) -> dict[str, Path]:
        """Return the files that go beside the autograded notebook: the student's few, the exercise's own."""
        own = {path.name: path for path in companions(submission)}
        source = Path(self._folders.format_path(self._folders.source_directory, ".", submission.exercise))
        files = find_all_files(str(source), [*self._folders.ignore, "*.ipynb"])
        return own | {str(Path(path).relative_to(source)): Path(path) for path in files}

    def _write(self, converter: BaseConverter, path: Path, text: str, others: dict[str, Path]) -> None:
        """Write a folder anew, `path` last, with the permissions that nbgrader gives."""
        shutil.rmtree(path.parent, ignore_errors=True)
        for name, other in others.items():
            (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(other, path.parent / name)
        write_whole(path, text)
        converter.set_permissions(self._exercise.name, path.parent.parent.name)
