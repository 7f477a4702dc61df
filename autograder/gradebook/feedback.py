"""Stands where nbgrader turns an autograded notebook into HTML: our page goes into feedback/ instead."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder.collecting.attempts import Attempt
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.settings import Tells
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.early import early_cells, early_report
from autograder.gradebook.history import shown_attempts
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.reading import submissions_in
from autograder.gradebook.saved_pictures import saved_pictures
from autograder.report.feedback_page import render_feedback
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission


@dataclass(frozen=True, slots=True)
class View:
    """How much a page tells; students who may still hand in are often told less than all."""

    early: Callable[[str], Tells | None] = lambda _: None  # by the student's id; None: everything
    told: Callable[[Attempt], bool] = lambda _: True  # whether the score of an attempt may be shown


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
        graded = CommentBank(course.root).put_in(exercise.name, graded)
        return feedback_page(course, exercise, graded, node), resources


def feedback_page(
    course: Course,
    exercise: Exercise,
    graded: GradebookSubmission,
    node: NotebookNode,
    view: View = View(),
) -> str:
    """Return the page on an autograded notebook, whose report is in its metadata."""
    report = Report.from_dict(node.metadata["autograder"]["report"])
    submission = Submission(course.root, graded.student, exercise.name)
    saved = saved_pictures(read_notebook(submission.notebook), exercise.only_draws, node)
    fingerprint = node.metadata["autograder"].get("fingerprint", "")
    attempts = shown_attempts(course, submission, fingerprint, view.told)
    tells = view.early(graded.student)
    shown, note = early_report(report, tells)
    return render_feedback(shown, graded, early_cells(node.cells, tells), saved, attempts, note)
