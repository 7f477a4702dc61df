"""The way of a submission through `nbgrader autograde`: read strictly, made whole, graded by us, recorded."""

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
from autograder.gradebook.grades import complete, record
from autograder.grading.grader import Graded
from autograder.grading.restarting import RestartingGrader
from autograder.submission.digest import fingerprint, rules
from autograder.submission.submission import Submission

Resources = dict[str, Any]


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]
    """Reads what a stranger handed in, and grades it; nbgrader makes one for each run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = load_course(Path(self.parent.coursedir.root))
        self._releases: dict[str, Release] = {}
        self._marker = RestartingGrader(self.course)
        weakref.finalize(self, self._marker.close)
        self._prepare(self.parent)

    def from_filename(
        self, filename: str, resources: Resources | None = None, **kwargs: Any
    ) -> tuple[str, Resources]:
        """Convert a notebook; a submitted one is not trusted to be one."""
        submission = self.submission(resources or {})
        if Path(filename) != submission.notebook:
            converted = super().from_filename(filename, resources, **kwargs)
        else:
            node = self.release(submission).restored(submission.notebook)
            converted = self.from_notebook_node(node, resources, **kwargs)
        return cast(tuple[str, Resources], converted)

    def submission(self, resources: Resources) -> Submission:
        """Return the submission that nbgrader is at."""
        about = resources["nbgrader"]
        return Submission(self.course.root, about["student"], about["assignment"])

    def release(self, submission: Submission) -> Release:
        """Return the exercise of `submission` as students got it."""
        name = submission.exercise
        if name not in self._releases:
            self._releases[name] = Release(self.course.exercises[name])
        return self._releases[name]

    def mark(self, submission: Submission) -> Graded:
        """Return the report on `submission`."""
        return self._marker.mark(submission).graded

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

    def preprocess(self, node: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put outputs and report into the notebook, scores and comments into the gradebook."""
        exporter: SubmissionExporter = self.parent
        submission = exporter.submission(resources)
        graded = exporter.mark(submission)
        complete(node, graded, fingerprint(rules(exporter.course, submission.exercise), submission))
        own_text = exporter.release(submission).has_own_text(node)
        with Gradebook(resources["nbgrader"]["db_url"], exporter.course.settings.course) as gradebook:
            record(gradebook, submission, node, graded.report, own_text=own_text)
        return node, resources


CHECKED = (OverwriteKernelspec, OverwriteCells, CheckCellMetadata)
GRADED = (RecordGrades, AssignLatePenalties, CheckCellMetadata)
