"""Stands where nbgrader turns an autograded notebook into HTML: our page goes into feedback/ instead."""

from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.reading import submissions_in
from autograder.gradebook.saved_pictures import saved_pictures
from autograder.report.feedback_page import render_feedback
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission


class FeedbackExporter(Exporter):  # type: ignore[misc]
    """Writes the page that a student gets, for `nbgrader generate_feedback`."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Return the page on an autograded notebook."""
        node, resources = super().from_notebook_node(nb, resources, **kwargs)
        about, coursedir = resources["nbgrader"], self.parent.coursedir
        course = load_course(Path(coursedir.root))
        with Gradebook(coursedir.db_url, course.settings.course) as gradebook:
            exercise = course.exercises[about["assignment"]]
            lateness = Lateness(course, exercise, self.parent.config)
            (graded,) = submissions_in(gradebook, exercise, about["student"], lateness)
        return feedback_page(course, exercise, graded, node), resources


def feedback_page(course: Course, exercise: Exercise, graded: GradebookSubmission, node: NotebookNode) -> str:
    """Return the page on an autograded notebook, whose report is in its metadata."""
    report = Report.from_dict(node.metadata["autograder"]["report"])
    handed_in = Submission(course.root, graded.student, exercise.name).notebook
    saved = saved_pictures(read_notebook(handed_in), exercise.demos, node)
    return render_feedback(report, graded, node.cells, saved)
