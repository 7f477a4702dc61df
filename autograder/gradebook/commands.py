"""Makes nbgrader's own commands, autograde and export, grade and export as ours do."""

from collections import defaultdict
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.plugins import CsvExportPlugin

from autograder.course.course import Course, load_course
from autograder.course.guard import SubmissionError, one_submission
from autograder.gradebook.attempts import refusal
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.config import ConversionError
from autograder.gradebook.ledger import Ledger, grading_lock
from autograder.grading.graded import describe_failure
from autograder.grading.marking import MarkingProcess
from autograder.records.database import address
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission


class ClassExporter(NotebookExporter):  # type: ignore[misc]
    """Lets `nbgrader autograde` grade as we do; nbgrader makes one exporter for each run.

    nbgrader has no setting for all of its converting, and would run what students wrote.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.parent.convert_notebooks = partial(grade, self.parent)


def grade(converter: BaseConverter) -> None:
    """Grade what nbgrader has found, in turn with everybody else who grades."""
    course = load_course(Path(converter.coursedir.root))
    if (given := converter.config.CourseDirectory.get("db_url")) and given != address(course.root):
        problem = "name the gradebook in nbgrader_config.py: c.CourseDirectory.db_url = ..."
        converter.log.error(problem)  # nbgrader prints nothing else
        raise NbGraderException(problem)
    found = defaultdict[str, dict[Submission, list[str]]](dict)
    for folder, notebooks in sorted(converter.assignments.items()):
        *_, student, exercise = Path(folder).parts
        found[exercise][Submission(course.root, student, exercise)] = notebooks
    failed = False
    with grading_lock(course, converter.log.warning), closing(MarkingProcess(course)) as grader:
        for name, submissions in sorted(found.items()):
            with ExerciseGradebook(course, course.exercises[name]) as gradebook:
                for submission, converter.notebooks in submissions.items():
                    try:
                        with one_submission(course, name, submission.student):
                            failed |= not _grade(course, submission, converter, gradebook, grader)
                    except SubmissionError as error:
                        converter.log.error("%s", error)
                        failed = True
    if failed:
        raise NbGraderException("some submissions could not be graded; see the messages above")


def _grade(
    course: Course, submission: Submission, converter: BaseConverter, gradebook: ExerciseGradebook,
    grader: MarkingProcess,
) -> bool:  # fmt: skip
    """Grade a submission and record it, unless it is refused; return whether nothing has failed."""
    if why := refusal(submission):
        converter.log.error("%s: %s", submission.folder, why)
        return True
    if not converter.init_destination(submission.exercise, submission.student):
        return True
    converter.run_pre_convert_hook()
    try:
        for attempt in gradebook.begin(submission, force=True) or ():
            graded = grader.grade(course.exercises[submission.exercise], read_notebook(attempt.notebook))
            if problem := describe_failure(course, f"{submission.exercise} {submission.student}", graded):
                converter.log.error("%s: %s", submission.folder, problem)
            gradebook.take_in(submission, attempt, graded)
        gradebook.finish(submission)
    except ConversionError as error:
        converter.log.error("%s", error)
        return False
    converter.run_post_convert_hook()
    return True


class SettledCsvExport(CsvExportPlugin):  # type: ignore[misc]
    """Writes nbgrader's own table of grades, as they are now."""

    def export(self, gradebook: Gradebook) -> None:
        """Settle every exercise that the gradebook has, then export."""
        course = load_course(Path(self.parent.coursedir.root))
        known = {assignment.name for assignment in gradebook.assignments}
        for name, exercise in course.exercises.items():
            if name in known:
                with grading_lock(course):
                    Ledger(course, exercise, gradebook)
        super().export(gradebook)
