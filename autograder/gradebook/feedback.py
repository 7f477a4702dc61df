"""Writes the pages that students get, for our command and for nbgrader's; the gradebook is only read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.config import load
from autograder.gradebook.conversion import ConversionError, converting, nbgrader_log
from autograder.gradebook.folders import write_folder
from autograder.gradebook.reading import read_gradebook, submissions_in
from autograder.report.feedback_page import page
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.submission import Submission


class FeedbackExporter(Exporter):  # type: ignore[misc]
    """Stands where nbgrader turns an autograded notebook into HTML, and makes our page of it."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: Any = None, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page on an autograded notebook."""
        node, resources = super().from_notebook_node(nb, resources, **kwargs)
        about, coursedir = resources["nbgrader"], self.parent.coursedir
        course = load_course(Path(coursedir.root))
        exercise = course.exercises[about["assignment"]]
        with Gradebook(coursedir.db_url, course.settings.course) as gradebook:
            (graded,) = submissions_in(gradebook, exercise, about["student"])
        return _page(graded, node), resources


def write_feedback(course: Course, exercise: Exercise) -> Iterator[Path | ConversionError]:
    """Write a page for each graded submission and yield where it is; one that fails yields the error."""
    config = load(course)
    config.CourseDirectory.assignment_id = exercise.name
    with nbgrader_log(course) as log:
        folders = CourseDirectory(config=config, log=log)
        converter = GenerateFeedback(coursedir=folders, config=config, log=log)
        for graded in read_gradebook(course, exercise):
            submission = Submission(course.root, graded.student, exercise.name)
            if not submission.autograded.is_file():
                continue
            try:
                with converting(course, log, exercise.name, graded.student):
                    _write(converter, submission, graded)
            except ConversionError as error:
                yield error
            else:
                yield submission.feedback


def _write(converter: GenerateFeedback, submission: Submission, graded: GradebookSubmission) -> None:
    text = _page(graded, nbformat.read(submission.autograded, as_version=4))
    beside = submission.autograded.parent.iterdir()
    others = {path.name: path for path in beside if path.suffix != ".ipynb"}
    write_folder(converter, submission, submission.feedback, text, others)


def _page(graded: GradebookSubmission, node: NotebookNode) -> str:
    return page(Report.from_dict(node.metadata["autograder"]["report"]), graded, node.cells)
