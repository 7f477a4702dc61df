"""A submission's way through `nbgrader autograde`: read once, graded by us, recorded as by our command."""

import glob
import weakref
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
)

from autograder.course.course import load_course
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.autograded import Release
from autograder.gradebook.folder_check import companions, refusal
from autograder.gradebook.grades import take_in
from autograder.grading.failures import describe_failure
from autograder.grading.restarting import RestartingGrader
from autograder.submission.digest import rules
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission

Resources = dict[str, Any]


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]
    """Reads what a stranger handed in, and grades it; nbgrader makes one for each run.

    nbgrader converts twice: first the submitted file, which becomes a notebook with all of its graded cells,
    then that notebook, which RecordGrades replaces by the graded one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = load_course(Path(self.parent.coursedir.root))
        self._releases: dict[str, Release] = {}
        self._read: dict[Submission, Notebook] = {}
        self._grader = RestartingGrader(self.course)
        weakref.finalize(self, self._grader.close)
        self._prepare(self.parent)

    def from_filename(
        self, filename: str, resources: Resources | None = None, **kwargs: Any
    ) -> tuple[str, Resources]:
        """Convert a notebook; a submitted one is not trusted to be one."""
        submission = self._submission(resources or {})
        if Path(filename) != submission.notebook:
            converted = super().from_filename(filename, resources, **kwargs)
        else:
            notebook = self._read[submission] = read_notebook(submission.notebook)
            node = self._release(submission).restored(notebook)
            converted = self.from_notebook_node(node, resources, **kwargs)
        return cast(tuple[str, Resources], converted)

    def take_in(self, resources: Resources) -> NotebookNode:
        """Grade the submission that nbgrader is at, record it and return its autograded notebook."""
        submission = self._submission(resources)
        exercise = self.course.exercises[submission.exercise]
        notebook = self._read.pop(submission)
        graded = self._grader.grade(exercise, notebook)
        if problem := describe_failure(self.course, f"{submission.exercise} {submission.student}", graded):
            self.log.error("%s: %s", submission.folder, problem)
        with Gradebook(resources["nbgrader"]["db_url"], self.course.settings.course) as gradebook:
            release, by = self._release(submission), rules(self.course, exercise)
            return take_in(gradebook, release, by, submission, notebook, graded)

    def _submission(self, resources: Resources) -> Submission:
        about = resources["nbgrader"]
        return Submission(self.course.root, about["student"], about["assignment"])

    def _release(self, submission: Submission) -> Release:
        """Return the exercise of `submission` as students got it."""
        name = submission.exercise
        if name not in self._releases:
            self._releases[name] = Release(self.course.exercises[name])
        return self._releases[name]

    def _prepare(self, converter: BaseConverter) -> None:
        """Record the exercises in the gradebook; keep nbgrader away from all but notebooks and times."""
        coursedir = converter.coursedir
        for folder in [Path(assignment) for assignment in converter.assignments]:
            submission = Submission(self.course.root, folder.parent.name, folder.name)
            if why := refusal(submission):
                self.log.error("%s: %s", folder, why)
                del converter.assignments[str(folder)]
                continue
            others = set(folder.iterdir()) - set(companions(submission))
            coursedir.ignore = [*coursedir.ignore, *(glob.escape(str(path)) for path in sorted(others))]
        names = {Path(assignment).name for assignment in converter.assignments}
        for name in sorted(names):
            record_exercise(self.course, self.course.exercises[name], coursedir.db_url)


class RecordGrades(NbGraderPreprocessor):  # type: ignore[misc]
    """Stands where nbgrader executes the notebook and believes it: grades by the hidden tests instead."""

    def preprocess(self, node: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:  # noqa: ARG002 - nbconvert's signature
        """Put outputs and report into the notebook, scores and comments into the gradebook."""
        exporter: SubmissionExporter = self.parent
        return exporter.take_in(resources), resources


CHECKED = (OverwriteKernelspec, OverwriteCells, CheckCellMetadata)
GRADED = (RecordGrades, AssignLatePenalties, CheckCellMetadata)
